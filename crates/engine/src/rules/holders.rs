//! Finds the documents with given values at an indexed path, for many values at once.

use super::{Rules, texts_at};
use crate::document::Document;
use foldhash::HashMap;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use std::sync::Arc;

impl Rules<'_> {
    /// Returns the documents of a kind with these values at an indexed path, by value, in one read. The commit
    /// requires that they are the same ones, unchanged; it must not write documents of that kind itself.
    pub fn find_by_values<'v>(
        &self,
        kind: KindId,
        path: &str,
        values: &[&'v str],
    ) -> ApiResult<HashMap<&'v str, Vec<Arc<Document>>>> {
        self.find_by_values_except(None, kind, path, values)
    }

    /// Like [`each_with`](Self::each_with), except the document with the id `own`, which the commit writes and which
    /// may have the values too. Fails if the storage fails.
    pub fn find_others_by_values<'v>(
        &self,
        kind: KindId,
        path: &str,
        values: &[&'v str],
        own: &str,
    ) -> ApiResult<HashMap<&'v str, Vec<Arc<Document>>>> {
        self.find_by_values_except(Some(own), kind, path, values)
    }

    fn find_by_values_except<'v>(
        &self,
        own: Option<&str>,
        kind: KindId,
        path: &str,
        values: &[&'v str],
    ) -> ApiResult<HashMap<&'v str, Vec<Arc<Document>>>> {
        let type_id = &self.model.kind(kind).type_id;
        let mut each: HashMap<&str, Vec<_>> = values.iter().map(|value| (*value, Vec::new())).collect();
        if values.is_empty() {
            return Ok(each);
        }
        let steps: Vec<&str> = path.split('.').collect();
        for found in self.documents.by_index_any(type_id, path, values)? {
            if own == Some(found.id.as_str()) {
                continue;
            }
            for value in texts_at(&found.document, &steps) {
                if let Some(holders) = each.get_mut(value) {
                    holders.push(Arc::clone(&found.document));
                }
            }
            self.cache_lookup(kind, &found);
            self.require_lookup(kind, &found.id, Some(&found));
        }
        for (value, holders) in &each {
            self.require_at_most(type_id, path, value, holders.len() as u64 + u64::from(own.is_some()));
        }
        Ok(each)
    }
}
