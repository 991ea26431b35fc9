//! Converts a changed document to the writes of the storage: its bytes, unique keys, index rows and messages. Start
//! at [`document_put`].

use crate::document::{self, Document, MESSAGE};
use crate::identifiers;
use crate::index_rows;
use crate::masking::mask;
use crate::pending_messages::PendingMessage;
use crate::personal_data;
use crate::project;
use crate::rules::Rules;
use crate::sealing;
use crate::time_rows;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Kind, KindId, Model};
use kontor_storage::{IndexValue, Put, UniqueKey};
use std::collections::HashSet;

/// Maximum size of a document in bytes (public documentation: 16 MB for each resource).
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The indexed path, in messages about a hidden document, of the id of the changed document.
pub(crate) const CHANGED_DOCUMENT_ID: &str = "beside.id";
/// Maximum size of all Messages of one change, in bytes: each of them may contain the whole list to which an action
/// adds one element.
pub const MESSAGES_BYTES_MAX: usize = 4 * DOCUMENT_BYTES_MAX;
/// Initial capacity of a document, enough for most.
const DOCUMENT_BYTES_USUAL: usize = 1024;
/// Separates the parts of a unique key or of an index row of several fields. No key may contain it.
pub const PART_SEPARATOR: char = '\u{0}';

/// Returns the write of a document.
pub(crate) fn document_put(
    kind: KindId,
    document: Document,
    sequence: i64,
    rules: &Rules<'_>,
) -> ApiResult<Put> {
    let entry = rules.model.kind(kind);
    let document = in_model_order(rules.model, entry, document);
    let mut unique = unique_keys(entry, &document);
    let mut indexed = index_rows::document_rows(entry, rules.behaviours.paired_paths(kind), &document);
    if let Some(behaviour) = rules.behaviours.get(kind) {
        unique.extend(behaviour.unique_keys(&document));
        indexed.extend(behaviour.index_rows(&document, rules)?);
        indexed.extend(behaviour.due_rule().and_then(|due| time_rows::due_row(due, &document)));
    }
    indexed.extend(time_rows::expiry_row(entry, &document));
    let id = document::must_text(&document, &[id_field(entry)])?.to_owned();
    let version = document.get("version").and_then(Value::as_i64).unwrap_or(1);
    debug_assert!(is_in_model_order(rules.model, entry, &document), "{} {id} is in sequence", entry.name);
    debug_assert!(
        unique.iter().map(|key| (&key.path, &key.value)).collect::<HashSet<_>>().len() == unique.len(),
        "{} {id} holds each unique key once: {unique:?}",
        entry.name
    );
    Ok(Put {
        kind: entry.type_id.clone(),
        id,
        version,
        sequence,
        body: serialize_value(&Value::Object(document))?,
        unique,
        indexed,
        ..Put::default()
    })
}

/// The field with the id for the storage; for a singleton it is the key.
pub(crate) fn id_field(kind: &Kind) -> &'static str {
    if kind.addressing == kontor_model::Addressing::Singleton { "key" } else { "id" }
}

pub(crate) fn serialize_value(value: &Value) -> ApiResult<Bytes> {
    let mut bytes = Vec::with_capacity(DOCUMENT_BYTES_USUAL);
    kontor_json::write(value, &mut bytes);
    if bytes.len() > DOCUMENT_BYTES_MAX {
        return Err(ApiError::new(
            kontor_errors::Code::ResourceSizeLimitExceeded,
            "The resource size exceeds the maximal allowed size of 16 MB.",
        ));
    }
    // Without spare capacity, since the bytes stay in caches.
    Ok(Bytes::copy_from_slice(&bytes))
}

/// Returns the document with its fields in the order of the model. Unknown fields come last.
pub(crate) fn in_model_order(model: &Model, kind: &Kind, document: Document) -> Document {
    // Documents from the storage are already in order, and most changes replace values in their places.
    if is_in_model_order(model, kind, &document) {
        return document;
    }
    let object = model.object(kind.object);
    let mut members: Vec<_> = document.into_iter().collect();
    members.sort_by_cached_key(|(name, _)| object.position(name).unwrap_or(usize::MAX));
    Document::from_unique_members(members)
}

/// True if the fields of the model are in its order, before all others.
fn is_in_model_order(model: &Model, kind: &Kind, document: &Document) -> bool {
    let object = model.object(kind.object);
    let mut fields = object.fields.iter();
    let mut names = document.keys().skip_while(|name| fields.any(|field| field.name == **name));
    names.all(|name| object.field(name).is_none())
}

/// Returns the unique keys that the model declares.
pub(crate) fn unique_keys(kind: &Kind, document: &Document) -> Vec<UniqueKey> {
    let mut keys = Vec::new();
    for unique in &kind.unique {
        let Some(value) = document.get(&unique.field) else { continue };
        if unique.localized {
            for (locale, text) in value.as_object().into_iter().flatten() {
                if let Some(text) = text.as_str() {
                    keys.push(UniqueKey::new(format!("{}.{locale}", unique.field), text));
                }
            }
            continue;
        }
        let mut parts = Vec::new();
        for with in &unique.with {
            let path: Vec<&str> = with.split('.').collect();
            parts.push(document::text(document, &path).unwrap_or_default());
        }
        parts.extend(value.as_str());
        keys.push(UniqueKey::new(&unique.field, parts.join(&PART_SEPARATOR.to_string())));
    }
    keys
}

/// Joins the value of a unique key of several fields.
pub(crate) fn joined_key(parts: &[&str]) -> String {
    parts.join(&PART_SEPARATOR.to_string())
}

/// Returns the last part of a unique key: the value of the field itself.
pub(crate) fn own_part(value: &str) -> &str {
    value.rsplit(PART_SEPARATOR).next().unwrap_or(value)
}

/// Returns the messages about a change, numbered after `sequence`. If it erases, they contain no personal data.
pub(crate) fn create_messages(
    kind: KindId,
    pending: Vec<PendingMessage>,
    subject: &Document,
    sequence: i64,
    by: Option<&Value>,
    erases: bool,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Document>> {
    let entry = rules.model.kind(kind);
    let own = entry.camel_name();
    let now = json!(rules.time());
    let behaviour = rules.behaviours.get(kind);
    let mut messages = Vec::with_capacity(pending.len());
    let subject_id = document::must_text(subject, &["id"])?;
    let subject_version = document::must_get(subject, &["version"])?;
    let mut sequence = sequence;
    for pending in pending {
        let mut message = Document::new();
        message.insert("id", json!(rules.new_id()));
        message.insert("version", json!(1));
        message.insert("createdAt", now.clone());
        message.insert("lastModifiedAt", now.clone());
        if let Some(by) = by {
            message.insert("lastModifiedBy", by.clone());
            message.insert("createdBy", by.clone());
        }
        let (number, resource, version) = match &pending.subject {
            None => {
                sequence += 1;
                (sequence, document::reference(&entry.type_id, subject_id), subject_version.clone())
            }
            Some(about) => (1, document::reference(about.type_id, &about.id), json!(1)),
        };
        message.insert("sequenceNumber", json!(number));
        message.insert("resource", resource);
        message.insert("resourceVersion", version);
        message.insert("type", json!(rules.model.message(pending.message).name));
        if pending.subject.is_none()
            && let Some(identifiers) = identifiers::user_identifiers(kind, subject, rules)
        {
            message.insert("resourceUserProvidedIdentifiers", identifiers);
        }
        let declared = rules.model.message(pending.message);
        let derived_fields = match behaviour {
            Some(behaviour) => behaviour.message_fields(&declared.name, subject, rules)?,
            None => Document::new(),
        };
        for (name, value) in pending.fields {
            let value = if value.is_null() && name == own { Value::Object(subject.clone()) } else { value };
            message.insert(name, value);
        }
        for (name, value) in derived_fields {
            if declared.fields.iter().any(|field| field.name == name) {
                message.insert(name, value);
            }
        }
        mask(&mut message, &declared.masked);
        sealing::seal_secrets(&mut message, declared, rules);
        if erases {
            personal_data::remove_from_message(&mut message, &declared.fields, rules.model);
        }
        messages.push(message);
    }
    Ok(messages)
}

/// 400 `ResourceSizeLimitExceeded`: a change has more than [`MESSAGES_BYTES_MAX`] of Messages.
pub fn messages_too_large() -> ApiError {
    ApiError::new(
        kontor_errors::Code::ResourceSizeLimitExceeded,
        "The Messages of this change exceed the maximal allowed size of 64 MB. Change less at a time.",
    )
}

/// Returns the writes of messages, if the project stores messages. Only that depends on the setting: messages are
/// always created and counted.
///
/// A message about a hidden document can also be found by the id of the changed document, `subject`, and is deleted
/// with it.
pub(crate) fn message_writes(
    messages: Vec<Document>,
    subject: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Put>> {
    let kind = rules.model.kind_by_type_id(MESSAGE).filter(|_| project::keeps_messages(rules.project));
    let Some(kind) = kind else { return Ok(Vec::new()) };
    let subject = document::id_of(subject);
    let (mut appended, mut bytes) = (Vec::with_capacity(messages.len()), 0);
    for message in messages {
        let is_beside = document::text(&message, &["resource", "id"]) != Some(subject);
        let mut put = document_put(kind, message, 0, rules)?;
        bytes += put.body.len();
        if bytes > MESSAGES_BYTES_MAX {
            return Err(messages_too_large());
        }
        if is_beside {
            put.indexed.push((CHANGED_DOCUMENT_ID.into(), IndexValue::Text(subject.to_owned())));
        }
        appended.push(Put { is_appended: true, ..put });
    }
    Ok(appended)
}
