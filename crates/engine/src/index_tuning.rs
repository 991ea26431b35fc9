//! Special layouts and uses of indexes: they change the cost of queries, never the results.

use kontor_model::{Kind, KindId, Model, Object, PairIndex, Shape};
use kontor_query::IndexedPaths;

/// The indexed paths, of any kind, whose rows may be deferred until a query needs them: they change with each
/// update and are seldom queried. Results are the same.
pub const DEFERRED_PATHS: [&str; 1] = ["lastModifiedAt"];

/// A special property of the index of one path. The join at startup refuses unknown paths.
#[derive(Debug, Clone, Copy)]
pub struct IndexTuning {
    /// Name of the kind.
    pub kind: &'static str,
    /// The path in the documents, e.g. `product.id`.
    pub path: &'static str,
    /// The special property.
    pub is: IndexProperty,
}

/// A special property of the index of a path.
#[derive(Debug, Clone, Copy)]
pub enum IndexProperty {
    /// Selective: few documents have the same value, so queries start here. To be declared for references, of
    /// which usually many documents have the same target.
    Selective,
    /// A list of objects with a name and a value has rows of both, if the value is a text, a number, a
    /// boolean, a list of them, or an object with such members. Rules may look them up. Other such lists have
    /// no rows, as copies would cost more than they help.
    Named {
        /// The field with the name.
        name: &'static str,
        /// The field with the value.
        value: &'static str,
    },
}

/// The indexes of all kinds, joined with their special properties.
#[derive(Default)]
pub(crate) struct Indexes(Vec<KindIndexes>);

/// The indexes of a kind.
struct KindIndexes {
    pairs: Vec<PairIndex>,
    paths: IndexedPaths,
}

impl Indexes {
    /// Joins the model's indexes with the rows of a table, and adds rows that the model does not know to
    /// `problems`.
    pub(crate) fn join(model: &Model, table: &[IndexTuning], problems: &mut Vec<String>) -> Self {
        let of = |kind: &Kind| KindIndexes {
            pairs: kind.pairs.clone(),
            paths: IndexedPaths::of_kind(model, kind),
        };
        let mut indexes = Self(model.kinds().map(|(_, kind)| of(kind)).collect());
        for row in table {
            let Some(id) = model.kind_by_name(row.kind) else {
                problems.push(format!("index {}.{}: the model has no such resource", row.kind, row.path));
                continue;
            };
            if let Err(problem) = indexes.0[id.index()].tune(model, model.kind(id), row) {
                problems.push(format!("index {}.{}: {problem}", row.kind, row.path));
            }
        }
        indexes
    }

    /// The indexed paths of a kind.
    pub(crate) fn paths(&self, kind: KindId) -> &IndexedPaths {
        &self.0[kind.index()].paths
    }

    /// The paths of a kind with index rows of name-value pairs.
    pub(crate) fn pairs(&self, kind: KindId) -> &[PairIndex] {
        &self.0[kind.index()].pairs
    }
}

impl KindIndexes {
    fn tune(&mut self, model: &Model, kind: &Kind, row: &IndexTuning) -> Result<(), &'static str> {
        let path: Vec<&str> = row.path.split('.').collect();
        let paths = std::mem::take(&mut self.paths);
        match row.is {
            IndexProperty::Selective => {
                self.paths = paths.with_selective(&path);
                let is_indexed = kind.indexed.iter().any(|steps| steps.iter().eq(path.iter()));
                if is_indexed { Ok(()) } else { Err("the model has no index there") }
            }
            IndexProperty::Named { name, value } => {
                let fields = Some((name.to_owned(), value.to_owned()));
                let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
                let object = object_at(model, model.object(kind.object), &path)
                    .filter(|object| object.field(name).is_some() && object.field(value).is_some());
                let Some(object) = object else {
                    self.paths = paths;
                    return Err("the model has no such names with values there");
                };
                let pairs = PairIndex { path, rows: object.name.clone(), fields };
                self.paths = paths.with_pairs(std::slice::from_ref(&pairs));
                self.pairs.push(pairs);
                Ok(())
            }
        }
    }
}

/// The object at a path, through lists.
fn object_at<'m>(model: &'m Model, object: &'m Object, path: &[String]) -> Option<&'m Object> {
    let Some((first, rest)) = path.split_first() else { return Some(object) };
    match object.field(first)?.shape.element() {
        Shape::Object(inner) => object_at(model, model.object(*inner), rest),
        _ => None,
    }
}
