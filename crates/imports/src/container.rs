//! Import Containers: create, query, update, delete (reference: ImportContainer).

use crate::import_store::{self, CONTAINER, EXPIRES_AT};
use crate::limits::{CONTAINER_HOURS_DEFAULT, CONTAINER_MINUTES_MAX, CONTAINER_MINUTES_MIN};
use crate::page::{ImportPage, sorted};
use crate::{event, operation};
use jiff::{SignedDuration, Timestamp};
use kontor_engine::{Document, Shop, document, format_time, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::limits::IMPORT_CONTAINERS_MAX;
use kontor_storage::{Commit, CommitRefusal, Precondition, ScanDirection, StoredDocument};
use std::ops::ControlFlow;

/// Creates a container from a validated draft. Fails with DuplicateField if the key is taken.
pub(crate) async fn create(shop: &Shop, draft: Document) -> ApiResult<Document> {
    let key = document::must_text(&draft, &["key"])?.to_owned();
    let now = shop.clock.now();
    let mut container = Document::new();
    container.insert("key", json!(key));
    container.extend(draft.get("resourceType").map(|one| ("resourceType".to_owned(), one.clone())));
    container.insert("version", json!(1));
    container.extend(draft.get("retentionPolicy").map(|one| ("retentionPolicy".to_owned(), one.clone())));
    container.insert("createdAt", json!(format_time(now)));
    container.insert("lastModifiedAt", json!(format_time(now)));
    container.insert("expiresAt", json!(format_time(expiry_time(now, &draft)?)));
    // An expired container that is not swept yet does not count.
    if let Some(old) = import_store::get(shop, CONTAINER, &key)?
        && is_over(shop, &document::read_stored(&old)?)
    {
        delete(shop, &key, &old).await?;
    }
    let fields = ["key", "version", "createdAt", "lastModifiedAt"];
    let commit = event::with_event(
        shop,
        write(&key, container.clone()),
        "ImportContainerCreated",
        &container,
        &fields,
    )?;
    let commit = commit
        .require(Precondition::Absent { kind: CONTAINER.into(), id: key.clone() })
        .require(Precondition::CountAtMost { kind: CONTAINER.into(), limit: IMPORT_CONTAINERS_MAX });
    match import_store::commit(shop, commit).await {
        Ok(()) => Ok(container),
        // The second precondition: no other container has the key.
        Err(Ok(CommitRefusal::Precondition { index: 1, .. })) => {
            let message = format!("A project has at most {IMPORT_CONTAINERS_MAX} Import Containers.");
            Err(ApiError::new(Code::MaxResourceLimitExceeded, message)
                .with_field("exceededResource", json!(CONTAINER)))
        }
        Err(Ok(_)) => Err(ApiError::duplicate_field("key", json!(key))),
        Err(Err(error)) => Err(error),
    }
}

/// Replaces the resource type of a container; a container without one accepts resources of all types.
pub(crate) async fn update(shop: &Shop, key: &str, draft: Document) -> ApiResult<Document> {
    let (old, mut container) = must_get(shop, key)?;
    let given = draft.get("version").and_then(Value::as_i64).unwrap_or_default();
    if given != old.version {
        return Err(conflict(key, given, old.version));
    }
    let before = container.get("resourceType").cloned();
    if before.as_ref() == draft.get("resourceType") {
        return Ok(container);
    }
    match draft.get("resourceType") {
        Some(resource_type) => container.insert("resourceType", resource_type.clone()),
        None => container.shift_remove("resourceType"),
    };
    container.insert("version", json!(old.version + 1));
    container.insert("lastModifiedAt", json!(format_time(shop.clock.now())));
    let commit = write(key, container.clone()).require(Precondition::Revision {
        kind: CONTAINER.into(),
        id: key.to_owned(),
        revision: old.revision,
    });
    match import_store::commit(shop, commit).await {
        Ok(()) => Ok(container),
        Err(Ok(_)) => {
            let (now, _) = must_get(shop, key)?;
            Err(conflict(key, given, now.version))
        }
        Err(Err(error)) => Err(error),
    }
}

/// Returns 409: the caller sent another version than the current one (reference: ConcurrentModificationError of the
/// Import API).
fn conflict(key: &str, given: i64, current: i64) -> ApiError {
    ApiError::concurrent_modification(key, given, current)
        .with_field("specifiedVersion", json!(given))
        .with_field("conflictedResource", json!(key))
}

/// Deletes a container with its operations, and returns it.
pub(crate) async fn remove(shop: &Shop, key: &str) -> ApiResult<Document> {
    let (old, container) = must_get(shop, key)?;
    delete(shop, key, &old).await?;
    Ok(container)
}

/// Deletes the document of a container. Its operations are deleted first, so that a crash in between leaves no orphans.
async fn delete(shop: &Shop, key: &str, old: &StoredDocument) -> ApiResult<()> {
    operation::delete_all(shop, key).await?;
    let commit = Commit::new().delete(CONTAINER, &old.id);
    let container = document::read_stored(old)?;
    let commit = event::with_event(shop, commit, "ImportContainerDeleted", &container, &["key", "version"])?;
    match import_store::commit(shop, commit).await {
        // A concurrent request has deleted it already.
        Ok(()) | Err(Ok(_)) => Ok(()),
        Err(Err(error)) => Err(error),
    }
}

/// Deletes expired containers.
pub(crate) async fn sweep(shop: &Shop) -> ApiResult<()> {
    for key in import_store::expired(shop, CONTAINER, usize::MAX)? {
        if let Some(old) = import_store::get(shop, CONTAINER, &key)? {
            delete(shop, &key, &old).await?;
        }
    }
    Ok(())
}

/// Returns a container; 404 if there is none or it has expired.
pub(crate) fn must_get(shop: &Shop, key: &str) -> ApiResult<(StoredDocument, Document)> {
    let old = import_store::get(shop, CONTAINER, key)?.ok_or_else(|| container_not_found(key))?;
    let container = document::read_stored(&old)?;
    if is_over(shop, &container) { Err(container_not_found(key)) } else { Ok((old, container)) }
}

/// Returns 404 (with the message that a test of the official client expects).
pub(crate) fn container_not_found(key: &str) -> ApiError {
    ApiError::new(Code::ResourceNotFound, format!("Import container {key} does not exist"))
}

/// Returns a page of all containers.
pub(crate) fn list(shop: &Shop, page: &ImportPage) -> ApiResult<Value> {
    let mut all = Vec::new();
    let visit = &mut |one: kontor_storage::StoredDocumentRef<'_>| {
        all.push(one.to_stored());
        ControlFlow::Continue(())
    };
    shop.storage().scan(CONTAINER, ScanDirection::Ascending, None, visit).map_err(storage_failure)?;
    let mut containers = all.iter().map(document::read_stored).collect::<ApiResult<Vec<_>>>()?;
    containers.retain(|container| !is_over(shop, container));
    containers.sort_by(|a, b| document::text(a, &["createdAt"]).cmp(&document::text(b, &["createdAt"])));
    sorted(&mut containers, &page.sort)?;
    let total = containers.len() as u64;
    let results = containers.into_iter().skip(page.offset).take(page.limit).map(Value::Object).collect();
    Ok(page.body(total, results))
}

fn is_over(shop: &Shop, container: &Document) -> bool {
    let now = format_time(shop.clock.now());
    document::text(container, &["expiresAt"]).is_some_and(|ends| ends <= now.as_str())
}

fn write(key: &str, container: Document) -> Commit {
    let ends = document::text_or_log(&container, &["expiresAt"]).to_owned();
    Commit::new().put(import_store::document_write(CONTAINER, key, container, vec![(EXPIRES_AT, ends)]))
}

/// Returns the expiry time of a container that is created now.
fn expiry_time(now: Timestamp, draft: &Document) -> ApiResult<Timestamp> {
    let minutes = match document::text(draft, &["retentionPolicy", "config", "timeToLive"]) {
        Some(text) => minutes(text).ok_or_else(|| {
            let expected = "Expected from 1h to 30d.";
            ApiError::invalid_field("retentionPolicy.config.timeToLive", &json!(text), expected, None)
        })?,
        None => CONTAINER_HOURS_DEFAULT * 60,
    };
    now.checked_add(SignedDuration::from_mins(minutes)).map_err(|_| ApiError::bug("the clock is at its end"))
}

/// Parses a time to live such as `3d` into minutes; `None` if it is too short or too long.
fn minutes(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "d" => 24 * 60,
        "h" => 60,
        "m" => 1,
        _ => return None,
    };
    let minutes = number.parse::<i64>().ok()?.checked_mul(unit)?;
    (CONTAINER_MINUTES_MIN..=CONTAINER_MINUTES_MAX).contains(&minutes).then_some(minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_live_is_from_an_hour_to_thirty_days() {
        for (text, expected) in [
            ("1h", Some(60)),
            ("60m", Some(60)),
            ("30d", Some(43_200)),
            ("2d", Some(2_880)),
            ("59m", None),
            ("31d", None),
            ("721h", None),
            ("99999999999999999999d", None),
            ("d", None),
            ("", None),
            ("1w", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
