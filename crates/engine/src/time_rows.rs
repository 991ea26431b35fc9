//! Index rows of the time at which a document expires or changes by itself.

use crate::action_context::DueRule;
use crate::clock::format_time;
use crate::document::{self, Document};
use jiff::{SignedDuration, Timestamp};
use kontor_model::Kind;
use kontor_storage::IndexValue;

/// The indexed path of the time at which a document expires. Queries of clients cannot name it.
pub(crate) const ENDS_AT: &str = "$ends";
/// The indexed path of the time at which a document changes by itself. Queries of clients cannot name it.
pub(crate) const DUE_AT: &str = "$due";
const DAY_HOURS: i64 = 24;

/// Returns the index row of the expiry time; `None` if the document does not expire.
pub(crate) fn expiry_row(kind: &Kind, document: &Document) -> Option<(String, IndexValue)> {
    let days = document.get(kind.expires.as_ref()?)?.as_i64()?;
    let modified: Timestamp = document::text(document, &["lastModifiedAt"])?.parse().ok()?;
    let ends = modified.checked_add(SignedDuration::from_hours(days.checked_mul(DAY_HOURS)?)).ok()?;
    Some((ENDS_AT.to_owned(), IndexValue::Text(format_time(ends))))
}

/// Returns the index row of the due time; `None` if the document waits for no time.
pub(crate) fn due_row(due: DueRule, document: &Document) -> Option<(String, IndexValue)> {
    Some((DUE_AT.to_owned(), IndexValue::Text((due.at)(document)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::{Value, json};

    #[test]
    fn expires_days_after_the_last_modification() {
        let model = kontor_model::Model::embedded().unwrap();
        let (_, kind) = model.kinds().find(|(_, kind)| kind.expires.is_some()).unwrap();
        let field = kind.expires.clone().unwrap();
        let document = |days: Value| {
            let document = json!({"lastModifiedAt": "2027-01-30T12:00:00.000Z", field.as_str(): days});
            document.as_object().cloned().unwrap()
        };
        let ends = |time: &str| Some((ENDS_AT.to_owned(), IndexValue::Text(time.to_owned())));
        assert_eq!(expiry_row(kind, &document(json!(2))), ends("2027-02-01T12:00:00.000Z"));
        assert_eq!(expiry_row(kind, &document(json!(365_250))), ends("3027-02-07T12:00:00.000Z"));
        assert_eq!(expiry_row(kind, &document(Value::Null)), None);
    }
}
