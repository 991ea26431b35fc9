//! The index rows that a storage may write together, in the sequence of the index.

use crate::behaviour::Behaviours;
use kontor_model::{Kind, KindId, Model};

/// Kind and path of these indexes: those with rows of names with values, of which each document has many.
pub fn gathered_rows(model: &Model, behaviours: &Behaviours) -> Vec<(String, String)> {
    let of = |(id, kind): (KindId, &Kind)| {
        let paths = behaviours.paired_paths(id).iter();
        paths.map(|pairs| (kind.type_id.clone(), pairs.path.join("."))).collect::<Vec<_>>()
    };
    model.kinds().flat_map(of).collect()
}
