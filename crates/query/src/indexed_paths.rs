//! The indexed paths of a kind.

use crate::condition::Path;
use kontor_model::{Kind, Model, ObjectId, PairIndex, Shape};
use std::collections::BTreeMap;

/// The paths of a kind by which storage finds documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedPaths {
    pub(crate) unique: Vec<UniqueKey>,
    pub(crate) indexed: BTreeMap<Path, Indexed>,
    pub(crate) pairs: Vec<PairedPath>,
    /// Indexes of texts in lower case, by the paths of the texts.
    pub(crate) lowercased: BTreeMap<Path, Path>,
}

/// A path that is indexed by names with values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairedPath {
    pub(crate) path: Path,
    /// Where its rows stand.
    pub(crate) rows: Path,
    /// For a list of objects at the path: their fields with the name and the value. Otherwise the path has a
    /// map.
    pub(crate) fields: Option<(Box<str>, Box<str>)>,
}

/// An indexed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Indexed {
    pub(crate) occurrence: Occurrence,
    /// Few documents share a value: it is a text, not one of some fixed values, or a reference of which that is known.
    is_telling: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UniqueKey {
    pub(crate) field: Box<str>,
    pub(crate) with: Vec<Box<str>>,
    pub(crate) localized: bool,
}

/// How often a document can have a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// Exactly once.
    Always,
    /// At most once. Two bounds on the path are bounds on the same value.
    Once,
    /// In several elements of a list. Two bounds may be met by different elements.
    Often,
}

impl IndexedPaths {
    /// The unique and indexed paths that the model declares for a kind.
    ///
    /// Of lists of objects that each are a name with a value the model says nothing: see [`Self::with_pairs`].
    pub fn of_kind(model: &Model, kind: &Kind) -> Self {
        let boxed = |names: &[String]| names.iter().map(|name| name.as_str().into()).collect::<Path>();
        let unique = kind.unique.iter().map(|unique| UniqueKey {
            field: unique.field.as_str().into(),
            with: boxed(&unique.with),
            localized: unique.localized,
        });
        let indexed = kind.indexed.iter().map(|path| {
            let occurrence = occurrence(model, kind.object, path);
            let is_telling = is_telling(model, kind.object, path);
            (boxed(path), Indexed { occurrence, is_telling })
        });
        let lowercased = kind.lowercased.iter().map(|(text, index)| (boxed(text), boxed(index))).collect();
        let pairs = Vec::new();
        IndexedPaths { unique: unique.collect(), indexed: indexed.collect(), pairs, lowercased }
            .with_pairs(&kind.pairs)
    }

    /// With further paths that have rows of names with values.
    #[must_use]
    pub fn with_pairs(mut self, pairs: &[PairIndex]) -> Self {
        let boxed = |PairIndex { path, rows, fields }: &PairIndex| PairedPath {
            path: path.iter().map(|name| name.as_str().into()).collect(),
            rows: rows.split('.').map(Into::into).collect(),
            fields: fields.as_ref().map(|(name, value)| (name.as_str().into(), value.as_str().into())),
        };
        self.pairs.extend(pairs.iter().map(boxed));
        self
    }

    /// With an indexed path of which few documents share a value, so that queries begin with it. A text is one anyway.
    #[must_use]
    pub fn with_telling(mut self, path: &[&str]) -> Self {
        let path: Path = path.iter().map(|&name| name.into()).collect();
        if let Some(indexed) = self.indexed.get_mut(&path) {
            indexed.is_telling = true;
        }
        self
    }

    /// Whether the index of `path` holds every document of the kind, each once: then its sequence is that
    /// of a sort by `path`.
    pub fn sorts_all(&self, path: &[Box<str>]) -> bool {
        self.indexed.get(path).is_some_and(|indexed| indexed.occurrence == Occurrence::Always)
    }

    /// The index of the text at `path` in lower case.
    pub(crate) fn lowercased(&self, path: &[Box<str>]) -> Option<&Path> {
        self.lowercased.get(path)
    }

    /// Whether there is an index of `path`, and if so, whether few documents share a value of it.
    pub(crate) fn is_telling(&self, path: &[Box<str>]) -> Option<bool> {
        self.indexed.get(path).map(|indexed| indexed.is_telling)
    }
}

fn is_telling(model: &Model, object: ObjectId, path: &[String]) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    let Some(field) = model.object(object).field(name) else { return false };
    match field.shape.element() {
        Shape::Object(inner) => is_telling(model, *inner, rest),
        Shape::String | Shape::Int | Shape::Long | Shape::Float | Shape::DateTime => rest.is_empty(),
        _ => false,
    }
}

fn occurrence(model: &Model, object: ObjectId, path: &[String]) -> Occurrence {
    let Some((name, rest)) = path.split_first() else { return Occurrence::Always };
    let Some(field) = model.object(object).field(name) else { return Occurrence::Often };
    let below = match &field.shape {
        Shape::Object(inner) => occurrence(model, *inner, rest),
        Shape::List(_) | Shape::Json | Shape::AnyObject | Shape::Union(_) => Occurrence::Often,
        _ => Occurrence::Always,
    };
    match below {
        Occurrence::Always if !field.required => Occurrence::Once,
        below => below,
    }
}
