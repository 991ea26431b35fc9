//! Import Operations: the stored status of each imported resource, and the work left to do (reference:
//! ImportOperation).

use crate::event;
use crate::import_store::{self, EXPIRES_AT, OPERATION};
use crate::limits::{HELD_BYTES_PER_BYTE, OPERATION_HOURS, READ_TOGETHER};
use crate::outcome::OperationOutcome;
use crate::page::{ImportPage, sorted};
use bytes::Bytes;
use jiff::SignedDuration;
use kontor_engine::{Caller, Document, IMPORT, Shop, document, format_time, storage_failure};
use kontor_enums::ProcessingState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_storage::{Commit, IndexPage, IndexRange, Precondition, Put, StoredDocument};

/// The indexed path of the container.
const OF_CONTAINER: &str = "container";
/// The indexed path of container and state.
const OF_STATE: &str = "container.state";
/// The indexed path of container and key of the resource.
const OF_RESOURCE: &str = "container.resource";
/// The indexed path of the key of the resource, over all containers.
pub(crate) const OF_KEY: &str = "resourceKey";
/// The indexed path of unfinished operations.
const OPEN: &str = "open";
/// The field with the work that is left to do. It is not part of responses.
const WORK: &str = "work";
/// Operations deleted in one commit.
const DELETED_CHUNK: usize = 256;

/// The state of a new operation.
const PROCESSING: &str = ProcessingState::Processing.as_str();

/// The work that is left to do for an operation.
#[derive(Debug, Clone)]
pub(crate) struct OperationWork {
    /// The id of the operation.
    pub(crate) id: String,
    /// The type of the resource, as in requests.
    pub(crate) type_name: String,
    /// The validated resource.
    pub(crate) resource: Value,
    /// The client that imports it.
    pub(crate) caller: Caller,
    /// The stored operation, without its work.
    pub(crate) operation: Document,
    /// Its revision in the storage.
    pub(crate) revision: i64,
}

/// Returns the write of a new operation.
pub(crate) fn new(
    shop: &Shop,
    container: &str,
    type_name: &str,
    resource_key: &str,
    resource: Value,
    caller: &Caller,
) -> (String, Put) {
    let id = uuid::Uuid::now_v7().to_string();
    let now = shop.clock.now();
    let ends = now.saturating_add(SignedDuration::from_hours(OPERATION_HOURS)).unwrap_or(now);
    let operation = json!({
        "version": 1, "importContainerKey": container, "resourceKey": resource_key, "id": id, "state": PROCESSING,
        "createdAt": format_time(now), "lastModifiedAt": format_time(now), "expiresAt": format_time(ends),
        WORK: {
            "type": type_name, "resource": resource,
            "client": caller.client_id, "user": caller.external_user_id, "operator": caller.user_id,
        },
    });
    let Value::Object(operation) = operation else { unreachable!("it is written as an object above") };
    let put = operation_write(operation);
    (id, put)
}

fn operation_write(operation: Document) -> Put {
    let text = |name: &str| document::text_or_log(&operation, &[name]).to_owned();
    let (id, container, state) = (text("id"), text("importContainerKey"), text("state"));
    let mut indexed = vec![
        (OF_STATE, joined(&container, &state)),
        (OF_RESOURCE, joined(&container, &text("resourceKey"))),
        (OF_KEY, text("resourceKey")),
        (EXPIRES_AT, text("expiresAt")),
        (OF_CONTAINER, container),
    ];
    if operation.contains_key(WORK) {
        indexed.push((OPEN, "true".to_owned()));
    }
    import_store::document_write(OPERATION, &id, operation, indexed)
}

/// Joins two parts of an index value. Keys have no spaces, so the result is unique.
fn joined(container: &str, value: &str) -> String {
    format!("{container} {value}")
}

/// Returns the work that is left to do for an operation; `None` if it is finished or deleted.
pub(crate) fn work(shop: &Shop, id: &str) -> ApiResult<Option<OperationWork>> {
    let Some(stored) = import_store::get(shop, OPERATION, id)? else { return Ok(None) };
    let mut operation = document::read_stored(&stored)?;
    let Some(Value::Object(mut work)) = operation.shift_remove(WORK) else { return Ok(None) };
    let text = |name: &str| document::text(&work, &[name]).map(str::to_owned);
    let caller = Caller {
        client_id: text("client"),
        external_user_id: text("user"),
        user_id: text("operator"),
        attributed_to: Some(IMPORT),
        ..Caller::default()
    };
    let type_name = document::text_or_log(&work, &["type"]).to_owned();
    let resource = work.shift_remove("resource").unwrap_or_default();
    Ok(Some(OperationWork {
        id: id.to_owned(),
        type_name,
        resource,
        caller,
        operation,
        revision: stored.revision,
    }))
}

/// Returns the ids of unfinished operations, oldest first.
pub(crate) fn open(shop: &Shop) -> ApiResult<Vec<String>> {
    import_store::ids(shop, OPERATION, OPEN, "true", &IndexPage::default())
}

/// Returns whether an operation was never tried.
pub(crate) fn is_any_untried(shop: &Shop) -> ApiResult<bool> {
    for part in open(shop)?.chunks(READ_TOGETHER) {
        let part: Vec<&str> = part.iter().map(String::as_str).collect();
        for stored in shop.storage().get_many(OPERATION, &part).map_err(storage_failure)?.iter().flatten() {
            if document::text(&document::read_stored(stored)?, &["state"]) == Some(PROCESSING) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Stores the result of an operation, unless the operation was deleted in the meantime.
pub(crate) async fn store_outcome(
    shop: &Shop,
    work: &OperationWork,
    outcome: &OperationOutcome,
) -> ApiResult<()> {
    let mut operation = work.operation.clone();
    for name in ["resourceVersion", "errors", "unresolvedReferences"] {
        operation.shift_remove(name);
    }
    operation.insert("state", json!(outcome.state()));
    outcome.write_to(&mut operation);
    if !outcome.is_end() {
        if operation.get("state") == work.operation.get("state")
            && operation.get("unresolvedReferences") == work.operation.get("unresolvedReferences")
        {
            return Ok(());
        }
        let by = &work.caller;
        let left = json!({"type": work.type_name, "resource": work.resource, "client": by.client_id, "user": by.external_user_id, "operator": by.user_id});
        operation.insert(WORK, left);
    }
    let version = operation.get("version").and_then(Value::as_i64).unwrap_or(1);
    operation.insert("version", json!(version + 1));
    operation.insert("lastModifiedAt", json!(format_time(shop.clock.now())));
    let unchanged =
        Precondition::Revision { kind: OPERATION.into(), id: work.id.clone(), revision: work.revision };
    let commit = Commit::new().require(unchanged).put(operation_write(operation.clone()));
    let commit = match outcome.event() {
        Some((event, fields)) => event::with_event(shop, commit, event, &operation, fields)?,
        None => commit,
    };
    match import_store::commit(shop, commit).await {
        Ok(()) | Err(Ok(_)) => Ok(()),
        Err(Err(error)) => Err(error),
    }
}

/// Returns an operation as the API shows it; 404 if there is none or it has expired.
pub(crate) fn must_get(shop: &Shop, id: &str) -> ApiResult<Document> {
    let missing = || ApiError::resource_not_found(&format!("with ID '{id}'"));
    let stored = import_store::get(shop, OPERATION, id)?.ok_or_else(missing)?;
    let shown = to_api_form(&stored, true)?;
    if is_over(shop, &shown) { Err(missing()) } else { Ok(shown) }
}

/// Returns a page of the operations of a container.
pub(crate) fn list(shop: &Shop, container: &str, page: &ImportPage) -> ApiResult<Value> {
    let (path, value) = match (&page.resource_key, &page.state) {
        (Some(key), _) => (OF_RESOURCE, joined(container, key)),
        (None, Some(state)) => (OF_STATE, joined(container, state)),
        (None, None) => (OF_CONTAINER, container.to_owned()),
    };
    if page.resource_key.is_none() && page.sort.is_empty() {
        let range = IndexRange::equal(value.as_str());
        let total =
            shop.storage().count_indexed(OPERATION, path, &range, u64::MAX).map_err(storage_failure)?;
        let only = IndexPage { offset: page.offset, limit: Some(page.limit), ..IndexPage::default() };
        let ids = import_store::ids(shop, OPERATION, path, &value, &only)?;
        return Ok(page.body(total, read(shop, &ids, page)?.into_iter().map(Value::Object).collect()));
    }
    let ids = import_store::ids(shop, OPERATION, path, &value, &IndexPage::default())?;
    let mut all = read(shop, &ids, page)?;
    if let Some(state) = &page.state {
        all.retain(|one| document::text(one, &["state"]) == Some(state));
    }
    sorted(&mut all, &page.sort)?;
    let total = all.len() as u64;
    Ok(page.body(total, all.into_iter().skip(page.offset).take(page.limit).map(Value::Object).collect()))
}

/// Returns the number of operations of a container in each state.
pub(crate) fn summary(shop: &Shop, container: &str) -> ApiResult<Value> {
    let mut states = Document::new();
    let mut total = 0;
    for state in ProcessingState::ALL {
        let state = state.as_str();
        let range = IndexRange::equal(joined(container, state).as_str());
        let count =
            shop.storage().count_indexed(OPERATION, OF_STATE, &range, u64::MAX).map_err(storage_failure)?;
        total += count;
        states.insert(state, json!(count));
    }
    Ok(json!({"states": states, "total": total}))
}

/// Deletes all operations of a container.
pub(crate) async fn delete_all(shop: &Shop, container: &str) -> ApiResult<()> {
    let first = IndexPage::first(DELETED_CHUNK);
    loop {
        let ids = import_store::ids(shop, OPERATION, OF_CONTAINER, container, &first)?;
        if ids.is_empty() {
            return Ok(());
        }
        delete(shop, ids).await?;
    }
}

/// Deletes expired operations.
pub(crate) async fn sweep(shop: &Shop) -> ApiResult<()> {
    loop {
        let ids = import_store::expired(shop, OPERATION, DELETED_CHUNK)?;
        if ids.is_empty() {
            return Ok(());
        }
        delete(shop, ids).await?;
    }
}

async fn delete(shop: &Shop, ids: Vec<String>) -> ApiResult<()> {
    let commit = ids.into_iter().fold(Commit::new(), |commit, id| commit.delete(OPERATION, id));
    match import_store::commit(shop, commit).await {
        // Another sweep has deleted them already.
        Ok(()) | Err(Ok(_)) => Ok(()),
        Err(Err(error)) => Err(error),
    }
}

fn read(shop: &Shop, ids: &[String], page: &ImportPage) -> ApiResult<Vec<Document>> {
    let mut all = Vec::with_capacity(ids.len());
    for part in ids.chunks(READ_TOGETHER) {
        let part: Vec<&str> = part.iter().map(String::as_str).collect();
        let stored = shop.get_many_charged(OPERATION, &part, &page.meter, |_| too_large())?;
        for one in stored.iter().flatten() {
            // Written as a new text: the parsed one would keep the imported resource in memory, which is not shown.
            let text = Bytes::from(Value::Object(to_api_form(one, page.debug)?).to_string());
            page.meter.charge_or(text.len() * HELD_BYTES_PER_BYTE, too_large)?;
            all.push(document::read(&text)?);
        }
        page.meter.refund(stored.iter().flatten().map(|one| one.body.len()).sum());
    }
    Ok(all)
}

/// Returns 400: the operations of a page, or those sorted for it, exceed the memory of one request.
fn too_large() -> ApiError {
    ApiError::invalid_input(
        "Malformed parameter: sort: These operations are larger than one response may be. Send a smaller limit, and no sort.",
    )
}

/// Returns the operation as the API shows it; with `debug` including the missing references that it waits for.
fn to_api_form(stored: &StoredDocument, debug: bool) -> ApiResult<Document> {
    let mut operation = document::read_stored(stored)?;
    operation.shift_remove(WORK);
    if !debug {
        operation.shift_remove("unresolvedReferences");
    }
    Ok(operation)
}

fn is_over(shop: &Shop, operation: &Document) -> bool {
    let now = format_time(shop.clock.now());
    document::text(operation, &["expiresAt"]).is_some_and(|ends| ends <= now.as_str())
}
