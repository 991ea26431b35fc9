//! The index rows that a storage may write together, in the sequence of the index.

use crate::behaviour::Behaviours;
use kontor_model::{Kind, KindId, Model};
use std::collections::BTreeSet;

/// Kind and name of these indexes: all of the kinds of which a document has many rows, because it has rows of names with values.
pub fn gathered_rows(model: &Model, behaviours: &Behaviours) -> Vec<(String, String)> {
    let of = |(id, kind): (KindId, &Kind)| {
        let pairs = behaviours.paired_paths(id).iter().map(|pairs| pairs.rows.clone());
        let others = kind.indexed.iter().chain(kind.lowercased.iter().map(|(_, index)| index));
        let others = others.filter(|_| pairs.len() > 0).map(|path| path.join("."));
        pairs.clone().chain(others).map(|rows| (kind.type_id.clone(), rows)).collect::<BTreeSet<_>>()
    };
    model.kinds().flat_map(of).collect()
}
