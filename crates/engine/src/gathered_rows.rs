//! The index rows that a storage may write together, in the sequence of the index.

use crate::behaviour::Behaviours;
use kontor_model::{Kind, KindId, Model};

/// Kind and path of these indexes: those with rows of names with values, of which each document has many, and those of records of
/// changes, of which there is one with each change and which are seldom asked for.
pub fn gathered_rows(model: &Model, behaviours: &Behaviours) -> Vec<(String, String)> {
    let of = |(id, kind): (KindId, &Kind)| {
        let paths = behaviours.paired_paths(id).iter();
        let mut rows: Vec<_> = paths.map(|pairs| (kind.type_id.clone(), pairs.path.join("."))).collect();
        let records = behaviours.recording.as_ref().and_then(|recording| recording.stored_as(id));
        rows.extend(records.map(|(records, path)| (records, path.to_owned())));
        rows
    };
    model.kinds().flat_map(of).collect()
}
