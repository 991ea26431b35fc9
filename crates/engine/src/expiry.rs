//! Documents that end by themselves: so many days after their last modification (`expires` in the model).
//!
//! When a document ends is a row of an index, so that looking for those that have ended takes one look, however many
//! there are. They are deleted as anybody would delete them: what stands against a deletion stands against the end.

use crate::caller::Caller;
use crate::clock::format_time;
use crate::document::{self, Document};
use crate::failure::storage_failure;
use crate::rules::Found;
use crate::shop::Shop;
use jiff::{SignedDuration, Timestamp};
use kontor_errors::ApiResult;
use kontor_model::{Kind, KindId};
use kontor_storage::{After, IndexPage, IndexRange, IndexSort, IndexValue};
use std::ops::Bound;

/// The indexed path of the time at which a document ends. No query of a caller can name it.
const ENDS_AT: &str = "$ends";
/// Documents looked at in one go.
const CHUNK: usize = 256;
/// Hours of a day.
const DAY_HOURS: i64 = 24;

/// The index row of a document that ends by itself.
pub(crate) fn row(kind: &Kind, document: &Document) -> Option<(String, IndexValue)> {
    let days = document.get(kind.expires.as_ref()?)?.as_i64()?;
    let modified: Timestamp = document::text(document, &["lastModifiedAt"])?.parse().ok()?;
    let ends = modified.checked_add(SignedDuration::from_hours(days.checked_mul(DAY_HOURS)?)).ok()?;
    Some((ENDS_AT.to_owned(), IndexValue::Text(format_time(ends))))
}

impl Shop {
    /// Deletes the documents whose time has come.
    pub fn expire_documents(&self) -> ApiResult<()> {
        let kinds: Vec<KindId> =
            self.model.kinds().filter(|(_, kind)| kind.expires.is_some()).map(|(id, _)| id).collect();
        kinds.into_iter().try_for_each(|kind| self.expire_kind(kind))
    }

    fn expire_kind(&self, kind: KindId) -> ApiResult<()> {
        let type_id = &self.model.kind(kind).type_id;
        let now = IndexValue::Text(format_time(self.clock.now()));
        let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
        let mut after = None;
        loop {
            let page = IndexPage { sort: IndexSort::Value, after: after.take(), ..IndexPage::first(CHUNK) };
            let ids = self.storage.find_indexed(type_id, ENDS_AT, &range, &page).map_err(storage_failure)?;
            let mut last = None;
            for id in &ids {
                let Some(stored) = self.storage.get(type_id, id).map_err(storage_failure)? else { continue };
                let document = Found::read(&stored)?;
                // What stays is not looked at again before the next time.
                last = row(self.model.kind(kind), &document.document)
                    .map(|(_, ends)| After::Value(ends, id.clone()));
                self.end(kind, document)?;
            }
            if ids.len() < CHUNK || last.is_none() {
                return Ok(());
            }
            after = last;
        }
    }

    /// Deletes a document unless something stands against it, now or when that is written.
    fn end(&self, kind: KindId, document: Found) -> ApiResult<()> {
        match self.deletion(kind, document.clone(), &Caller::default()) {
            Ok(prepared) => self.commit_blocking(prepared).map(drop),
            Err(error) => {
                let id = document::id_of(&document.document);
                tracing::debug!(id, %error, "a document that has expired stays");
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_document_ends_days_after_its_last_modification() {
        let model = kontor_model::Model::embedded().unwrap();
        let (_, kind) = model.kinds().find(|(_, kind)| kind.expires.is_some()).unwrap();
        let field = kind.expires.clone().unwrap();
        let document = |days: Value| {
            let document = json!({"lastModifiedAt": "2027-01-30T12:00:00.000Z", field.as_str(): days});
            document.as_object().cloned().unwrap()
        };
        let ends = |time: &str| Some((ENDS_AT.to_owned(), IndexValue::Text(time.to_owned())));
        assert_eq!(row(kind, &document(json!(2))), ends("2027-02-01T12:00:00.000Z"));
        assert_eq!(row(kind, &document(json!(365_250))), ends("3027-02-07T12:00:00.000Z"));
        assert_eq!(row(kind, &document(Value::Null)), None);
    }
}
