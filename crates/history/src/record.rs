//! A record of a change, and when it is written (reference type `Record`).

use crate::changes::{KINDS, PLATFORM_INITIATED, RecordedKind};
use crate::stored;
use kontor_engine::{Document, Put, Recorded, Recording, document, format_time};
use kontor_errors::ApiResult;
use kontor_model::{KindId, Model};
use serde_json::{Value, json};

/// What an operator chooses who wants no records.
pub const NO_HISTORY: &str = "no-change-history";

/// Writes a record with each change.
pub struct Recorder {
    /// By the index of the kind in the model.
    kinds: Vec<Option<&'static RecordedKind>>,
}

impl Recorder {
    /// For the kinds of a model.
    pub fn new(model: &Model) -> Self {
        let recorded = |type_id: &str| KINDS.iter().find(|kind| kind.type_id == type_id);
        Self { kinds: model.kinds().map(|(_, kind)| recorded(&kind.type_id)).collect() }
    }
}

impl Recording for Recorder {
    fn record(&self, change: &Recorded<'_>) -> ApiResult<Option<Put>> {
        let Some(kind) = self.kinds.get(change.kind.index()).copied().flatten() else { return Ok(None) };
        if change.choices.have(NO_HISTORY) {
            return Ok(None);
        }
        let mut changes = kind.changes(change);
        if change.is_derived {
            let is_told = |change: &Value| {
                change
                    .get("change")
                    .and_then(Value::as_str)
                    .is_some_and(|name| PLATFORM_INITIATED.contains(&name))
            };
            changes.retain(is_told);
        }
        let version =
            |document: Option<&Document>| document.and_then(|document| document.get("version")?.as_i64());
        let is_same_version = change.after.is_some() && version(change.before) == version(change.after);
        if changes.is_empty() && (change.is_derived || is_same_version) {
            return Ok(None);
        }
        let Some(record) = record(kind, change, changes, &format_time(change.now)) else { return Ok(None) };
        let id = stored::id(change.now, &(change.new_id)());
        Ok(Some(stored::put(kind, id, record)))
    }

    fn stored_as(&self, kind: KindId) -> Option<(String, &'static str)> {
        let kind = self.kinds.get(kind.index()).copied().flatten()?;
        Some((stored::kind(kind), stored::RESOURCE))
    }

    fn choices(&self) -> &'static [&'static str] {
        &[NO_HISTORY]
    }
}

/// The record as it is shown; `None`: of no document.
fn record(kind: &RecordedKind, change: &Recorded<'_>, changes: Vec<Value>, now: &str) -> Option<Document> {
    let subject = change.after.or(change.before)?;
    let version = |document: &Document| document.get("version").and_then(Value::as_i64).unwrap_or_default();
    let ty = match (change.before, change.after) {
        (None, _) => "ResourceCreated",
        (_, None) => "ResourceDeleted",
        _ => "ResourceUpdated",
    };
    let mut resource = Document::new();
    resource.insert("typeId".into(), json!(kind.type_id));
    // Of what is erased nothing stays that somebody wrote.
    let nothing = Document::new();
    let (named, was) = match change.erases {
        true => (&nothing, &nothing),
        false => (subject, change.before.unwrap_or(subject)),
    };
    for (field, of) in [("id", subject), ("key", named)] {
        if let Some(value) = of.get(field) {
            resource.insert(field.into(), value.clone());
        }
    }
    let is_without = ty == "ResourceUpdated" && changes.is_empty();
    let mut record = Document::new();
    record.insert("version".into(), json!(version(subject)));
    record.insert("previousVersion".into(), json!(change.before.map_or(0, version)));
    record.insert("type".into(), json!(ty));
    record.insert("modifiedBy".into(), modified_by(change.by));
    record.insert("modifiedAt".into(), json!(now));
    record.insert("label".into(), kind.label.of(named));
    record.insert("previousLabel".into(), kind.label.of(was));
    record.insert("changes".into(), Value::Array(changes));
    record.insert("resource".into(), Value::Object(resource));
    record.insert("stores".into(), stores(subject));
    if let Some(unit) = subject.get("businessUnit") {
        record.insert("businessUnit".into(), unit.clone());
    }
    record.insert("withoutChanges".into(), json!(is_without));
    Some(record)
}

/// Who made the change (reference type `ModifiedBy`). There is no user interface whose users it could name.
fn modified_by(by: Option<&Value>) -> Value {
    let mut modified = Document::new();
    modified.insert("isPlatformClient".into(), json!(false));
    let field = |name: &str| by.and_then(|by| by.get(name));
    let ty = if field("associate").is_some() { "associate" } else { "external-user" };
    modified.insert("type".into(), json!(ty));
    for name in ["clientId", "anonymousId", "customer", "associate"] {
        if let Some(value) = field(name) {
            modified.insert(name.into(), value.clone());
        }
    }
    Value::Object(modified)
}

/// The Stores that a document belongs to.
fn stores(subject: &Document) -> Value {
    let of_key = |store: &&Value| store.get("key").is_some();
    let one = subject.get("store").into_iter();
    one.chain(document::list(subject, &["stores"])).filter(of_key).cloned().collect()
}
