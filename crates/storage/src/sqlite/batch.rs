//! Reads a batch of documents: one statement for all keys with the same kind and unique path.

use crate::{BatchKey, Result, Sqlite, Storage, StoredDocument};

/// Keys of a batch that one statement reads, with their positions in the batch.
struct Group<'a> {
    kind: &'a str,
    /// The unique path; `None`: the names are ids.
    path: Option<&'a str>,
    names: Vec<&'a str>,
    positions: Vec<usize>,
}

pub(super) fn get(storage: &Sqlite, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
    let mut documents = vec![None; keys.len()];
    for group in groups(keys) {
        let found = match group.path {
            None => storage.get_many(group.kind, &group.names)?,
            Some(path) => storage.get_many_by_unique(group.kind, path, &group.names)?,
        };
        debug_assert_eq!(found.len(), group.positions.len(), "an answer for each name");
        for (position, document) in group.positions.into_iter().zip(found) {
            documents[position] = document;
        }
    }
    Ok(documents)
}

fn groups<'a>(keys: &[BatchKey<'a>]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (position, key) in keys.iter().enumerate() {
        let (kind, path, name) = match *key {
            BatchKey::Id { kind, id } => (kind, None, id),
            BatchKey::Unique { kind, path, value } => (kind, Some(path), value),
        };
        // A batch has few kinds: a search costs less than a map.
        match groups.iter_mut().find(|group| group.kind == kind && group.path == path) {
            Some(group) => {
                group.names.push(name);
                group.positions.push(position);
            }
            None => groups.push(Group { kind, path, names: vec![name], positions: vec![position] }),
        }
    }
    groups
}
