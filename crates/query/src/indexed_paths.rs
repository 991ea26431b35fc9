//! [`IndexedPaths`]: the paths of a kind for which storage has an index, as the planner needs them.

use crate::condition::Path;
use kontor_model::{Kind, Model, ObjectId, PairIndex, Shape};
use std::collections::BTreeMap;

/// The paths of a kind for which storage has an index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedPaths {
    pub(crate) unique: Vec<UniqueKeyFields>,
    pub(crate) indexed: BTreeMap<Path, IndexProperties>,
    pub(crate) pairs: Vec<PairedPath>,
    /// Indexes of texts in lower case, by the paths of the texts.
    pub(crate) lowercased: BTreeMap<Path, Path>,
}

/// A path with an index of name-value pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairedPath {
    pub(crate) path: Path,
    /// The path of its index rows.
    pub(crate) rows: Path,
    /// If there is a list of objects at the path: their fields with the name and the value. `None` if there is a map.
    pub(crate) fields: Option<(Box<str>, Box<str>)>,
}

/// An indexed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexProperties {
    pub(crate) occurrence: Occurrence,
    /// Whether the index is selective, i.e. few documents share a value: true for texts that are no enum, and for
    /// references that are declared so.
    is_telling: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UniqueKeyFields {
    pub(crate) field: Box<str>,
    pub(crate) with: Vec<Box<str>>,
    pub(crate) localized: bool,
}

/// How often a path occurs in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// Exactly once.
    Always,
    /// At most once. Two bounds on the path apply to the same value.
    Once,
    /// In several elements of a list. Different elements may meet two bounds.
    Often,
}

impl IndexedPaths {
    /// Returns the unique and indexed paths that the model declares for a kind.
    ///
    /// The model does not declare indexes of name-value pairs: see [`Self::with_pairs`].
    pub fn of_kind(model: &Model, kind: &Kind) -> Self {
        let boxed = |names: &[String]| names.iter().map(|name| name.as_str().into()).collect::<Path>();
        let unique = kind.unique.iter().map(|unique| UniqueKeyFields {
            field: unique.field.as_str().into(),
            with: boxed(&unique.with),
            localized: unique.localized,
        });
        let indexed = kind.indexed.iter().map(|path| {
            let occurrence = occurrence(model, kind.object, path);
            let is_telling = is_telling(model, kind.object, path);
            (boxed(path), IndexProperties { occurrence, is_telling })
        });
        let lowercased = kind.lowercased.iter().map(|(text, index)| (boxed(text), boxed(index))).collect();
        let pairs = Vec::new();
        IndexedPaths { unique: unique.collect(), indexed: indexed.collect(), pairs, lowercased }
            .with_pairs(&kind.pairs)
    }

    /// Adds paths with an index of name-value pairs.
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

    /// Marks an indexed path as selective, so that the planner prefers it. Paths of texts are selective anyway.
    #[must_use]
    pub fn with_selective(mut self, path: &[&str]) -> Self {
        let path: Path = path.iter().map(|&name| name.into()).collect();
        if let Some(indexed) = self.indexed.get_mut(&path) {
            indexed.is_telling = true;
        }
        self
    }

    /// Returns whether the index of `path` contains every document of the kind once, so that its order is that of a
    /// sort by `path`.
    pub fn sorts_all(&self, path: &[Box<str>]) -> bool {
        self.indexed.get(path).is_some_and(|indexed| indexed.occurrence == Occurrence::Always)
    }

    /// Returns the path of the index of the text at `path` in lower case.
    pub(crate) fn lowercased(&self, path: &[Box<str>]) -> Option<&Path> {
        self.lowercased.get(path)
    }

    /// Returns whether the index of `path` is selective; `None` if there is no index.
    pub(crate) fn is_selective(&self, path: &[Box<str>]) -> Option<bool> {
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
