//! The index rows that a storage may defer and write together, in index order.

use crate::behaviour::Behaviours;
use crate::index_rows;
use kontor_model::Model;
use std::collections::BTreeSet;

/// Returns kind and name of these indexes: all indexes of kinds with rows of name-value pairs, because their
/// documents have many rows.
pub fn deferrable_indexes(model: &Model, behaviours: &Behaviours) -> Vec<(String, String)> {
    let mut gathered = Vec::new();
    for (id, kind) in model.kinds() {
        let pairs = behaviours.paired_paths(id);
        if !pairs.is_empty() {
            let names: BTreeSet<String> = index_rows::index_names(kind, pairs).collect();
            gathered.extend(names.into_iter().map(|name| (kind.type_id.clone(), name)));
        }
    }
    gathered
}
