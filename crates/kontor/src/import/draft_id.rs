//! The id of a resource whose draft has no key: a hash of the content of the draft.
//!
//! It makes imports idempotent without a progress file, which could not be written atomically with the resource: the
//! same draft always gets the same id, and the server refuses an id that exists. Equal drafts of a file are counted, so
//! that each has another id.

use kontor_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use uuid::Uuid;

/// Computes the ids of the drafts of one file.
#[derive(Debug, Default)]
pub(crate) struct DraftIds {
    seen: HashMap<[u8; 32], u64>,
}

impl DraftIds {
    /// Returns the id of the next draft, a UUID of version 8.
    pub(crate) fn next(&mut self, type_id: &str, draft: &Value) -> String {
        let mut hash = Sha256::new();
        hash.update(b"kontor draft\0");
        hash.update(type_id);
        hash.update([0]);
        hash_json(&mut hash, draft);
        let occurrence = self.seen.entry(hash.clone().finalize().into()).or_default();
        hash.update(occurrence.to_be_bytes());
        *occurrence += 1;
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes)
            .into_uuid()
            .hyphenated()
            .encode_lower(&mut Uuid::encode_buffer())
            .to_owned()
    }
}

/// Hashes JSON, independent of the order of fields.
fn hash_json(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            hash.update(b"{");
            for (name, value) in sorted {
                hash.update(Value::from(name.as_str()).to_string());
                hash_json(hash, value);
            }
            hash.update(b"}");
        }
        Value::Array(items) => {
            hash.update(b"[");
            for item in items {
                hash_json(hash, item);
            }
            hash.update(b"]");
        }
        scalar => {
            hash.update(scalar.to_string());
            hash.update(b",");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn the_same_draft_has_the_same_id_however_it_is_written() {
        let (mut first, mut second) = (DraftIds::default(), DraftIds::default());
        let id = first.next("zone", &json!({"name": "North", "locations": [{"country": "NO"}]}));
        assert_eq!(second.next("zone", &json!({"locations": [{"country": "NO"}], "name": "North"})), id);
        assert_eq!(Uuid::parse_str(&id).unwrap().get_version_num(), 8);
    }

    #[test]
    fn different_drafts_have_different_ids() {
        let mut ids = DraftIds::default();
        let mut all = vec![
            ids.next("zone", &json!({"name": "North"})),
            ids.next("zone", &json!({"name": "North"})),
            ids.next("zone", &json!({"name": "South"})),
            ids.next("state", &json!({"name": "North"})),
            ids.next("zone", &json!({"a": ["b"], "c": 1})),
            ids.next("zone", &json!({"a": ["b", "c"], "d": 1})),
        ];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
