//! Reads many documents by unique keys: from the cache, and all others by one statement.

use std::collections::HashMap;

use super::cache::{
    Cache, CacheLookup, CachePlaceholder, CachedDocument, DocumentPlace, KeyHolder, ValuePlace,
};
use super::index_reads::NumberedPath;
use crate::{Result, StoredDocument};

/// A cache placeholder to fill after the read.
enum Gap<'a> {
    /// Placeholders for the holder of the key and for the document.
    KeyAndDocument(CachePlaceholder<'a, ValuePlace, KeyHolder>),
    /// The document with this id.
    Document(Box<str>, CachePlaceholder<'a, DocumentPlace, CachedDocument>),
    Nothing,
}

/// Returns the documents with these values of a unique path, in the order of the values. `read` runs once,
/// for all values missing from the cache.
pub(super) fn look_up(
    cache: &Cache,
    numbered_path: NumberedPath,
    values: &[&str],
    read: impl FnOnce(&[&str]) -> Result<HashMap<String, StoredDocument>>,
) -> Result<Vec<Option<StoredDocument>>> {
    let mut documents = vec![None; values.len()];
    let generation = cache.generation();
    // All placeholders are taken before the read, so that none is filled with a value that the writer has
    // replaced since.
    let mut missing = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let gap = match cache.unique_holder(numbered_path.kind, numbered_path.path, value) {
            CacheLookup::Hit(holder) => match cache.document(numbered_path.kind, &holder.id) {
                CacheLookup::Hit(document)
                    if document.revision == holder.revision
                        || cache.still_holds(numbered_path.kind, numbered_path.path, value, &holder) =>
                {
                    documents[index] = Some(document.into_stored(&holder.id));
                    continue;
                }
                // The key is about to get another holder; the file has the current one.
                CacheLookup::Hit(_) | CacheLookup::Busy => Gap::Nothing,
                CacheLookup::Miss(filling) => Gap::Document(holder.id, filling),
            },
            CacheLookup::Miss(filling) => Gap::KeyAndDocument(filling),
            CacheLookup::Busy => Gap::Nothing,
        };
        missing.push((index, gap));
    }
    if missing.is_empty() {
        return Ok(documents);
    }
    let wanted: Vec<&str> = missing.iter().map(|(index, _)| values[*index]).collect();
    let found = read(&wanted)?;
    for (index, gap) in missing {
        let Some(document) = found.get(values[index]) else { continue };
        match gap {
            Gap::KeyAndDocument(filling) => {
                cache.fill_both(filling, generation, numbered_path.kind, document)
            }
            Gap::Document(id, filling) if *document.id == *id => cache.fill(filling, document),
            Gap::Document(..) | Gap::Nothing => {}
        }
        documents[index] = Some(document.clone());
    }
    Ok(documents)
}
