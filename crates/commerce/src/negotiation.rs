//! Shared rules of Quote Requests, Staged Quotes and Quotes: the fields that each takes from its predecessor.
//!
//! Source: reference types `QuoteRequestDraft`, `StagedQuoteDraft`, `QuoteDraft` (the last seen version;
//! custom fields are merged), `ResourceTypeId` (`quote`: one Type for all three).

use crate::buyer;
use kontor_engine::document::{must_integer, must_text, object_or_empty, set};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::KindId;
use std::sync::Arc;

/// Returns the document that an identifier of a draft names, in the version that the client has seen. It must be
/// unchanged when the new document is written. `what` names it in errors: `The Cart`.
///
/// 400 `ReferencedResourceNotFound`; 400 `InvalidOperation`: it is of another Store or Business Unit than the request;
/// 409 `ConcurrentModification`.
pub(crate) fn source(
    what: &str,
    identifier: Option<&Value>,
    version: Option<&Value>,
    rules: &Rules<'_>,
) -> ApiResult<(KindId, Arc<Document>)> {
    let identifier = identifier.and_then(Value::as_object);
    let identifier = identifier.ok_or_else(|| ApiError::bug("a draft without what it is made of"))?;
    let target = rules.resolve_source(identifier)?;
    let gone = || {
        ApiError::referenced_resource_not_found(
            rules.model.kind(target.kind).type_id.as_str(),
            Some(&target.id),
            None,
        )
    };
    let found = rules.find(target.kind, &target.id)?.ok_or_else(gone)?;
    buyer::admit_place(what, &found, rules)?;
    admit_version(&found, version)?;
    Ok((target.kind, found))
}

/// 409 `ConcurrentModification`: the document has another version than the client has seen.
pub(crate) fn admit_version(document: &Document, given: Option<&Value>) -> ApiResult<()> {
    let current = must_integer(document, &["version"])?;
    match given.and_then(Value::as_i64) {
        Some(given) if given != current => {
            let id = must_text(document, &["id"])?;
            Err(ApiError::concurrent_modification(id, given, current))
        }
        _ => Ok(()),
    }
}

/// Copies the custom fields of the preceding document, unless `after` has another Type; its own fields take precedence.
pub(crate) fn take_custom(after: &mut Document, before: &Document) {
    let Some(there) = before.get("custom") else { return };
    let Some(own) = after.get("custom") else {
        after.insert("custom", there.clone());
        return;
    };
    if own["type"] != there["type"] {
        return;
    }
    let mut fields = object_or_empty(before, &["custom", "fields"]);
    fields.extend(own["fields"].as_object().cloned().into_iter().flatten());
    set(after, &["custom", "fields"], Some(Value::Object(fields)));
}

/// Copies fields of the predecessor unchanged.
pub(crate) fn copy_predecessor_fields(after: &mut Document, before: &Document, names: &[&str]) {
    for name in names {
        after.extend(before.get(*name).map(|value| ((*name).to_owned(), value.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;
    use kontor_json::json;

    #[test]
    fn custom_fields_of_one_type_are_merged_and_those_of_the_draft_come_first() {
        let before = object(json!({"custom": {"type": {"id": "a"}, "fields": {"x": 1, "y": 1}}}));
        let taken = |after: Value| {
            let mut after = object(after);
            take_custom(&mut after, &before);
            after.get("custom").cloned()
        };
        assert_eq!(taken(json!({})), before.get("custom").cloned());
        let same = json!({"custom": {"type": {"id": "a"}, "fields": {"y": 2, "z": 2}}});
        assert_eq!(taken(same), Some(json!({"type": {"id": "a"}, "fields": {"x": 1, "y": 2, "z": 2}})));
        let other = json!({"custom": {"type": {"id": "b"}, "fields": {"z": 2}}});
        assert_eq!(taken(other.clone()), other.get("custom").cloned());
    }
}
