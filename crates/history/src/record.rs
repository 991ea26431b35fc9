//! [`Recorder`]: builds the record of each change (reference type `ChangeRecord`).

use crate::changes::{KINDS, RecordedKind};
use crate::json_writer::{JsonListWriter, JsonObjectWriter};
use kontor_engine::{ChangeRecorder, Choice, Document, RecordedChange, document};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Model;
use kontor_storage::ChangeRecord;

/// The operator's setting that turns records off.
pub const NO_HISTORY: &str = "no-change-history";

/// Builds a record for each change of a recorded kind.
pub struct Recorder {
    /// The recorded kinds, by the index of the kind in the model.
    kinds: Vec<Option<&'static RecordedKind>>,
}

impl Recorder {
    /// Finds the recorded kinds of a model.
    pub fn new(model: &Model) -> Self {
        let recorded = |type_id: &str| KINDS.iter().find(|kind| kind.type_id == type_id);
        Self { kinds: model.kinds().map(|(_, kind)| recorded(&kind.type_id)).collect() }
    }
}

impl ChangeRecorder for Recorder {
    fn record(&self, change: &RecordedChange<'_>) -> ApiResult<Option<ChangeRecord>> {
        let Some(kind) = self.kinds.get(change.kind.index()).copied().flatten() else { return Ok(None) };
        if change.choices.contains(NO_HISTORY) {
            return Ok(None);
        }
        let changes = kind.changes(change);
        let version =
            |document: Option<&Document>| document.and_then(|document| document.get("version")?.as_i64());
        let is_same_version = change.after.is_some() && version(change.before) == version(change.after);
        if changes.is_empty() && (change.is_derived || is_same_version) {
            return Ok(None);
        }
        let Some(subject) = change.after.or(change.before) else { return Ok(None) };
        let body = record(kind, change, subject, changes).into();
        Ok(Some(ChangeRecord { at_ms: change.now.as_millisecond(), body }))
    }

    fn choices(&self) -> &'static [Choice] {
        const ALL: &[Choice] = &[Choice::new(NO_HISTORY)];
        ALL
    }
}

/// Returns the record of a document's change, in the form of responses.
fn record(
    kind: &RecordedKind,
    change: &RecordedChange<'_>,
    subject: &Document,
    changes: JsonListWriter,
) -> Vec<u8> {
    let version = |document: &Document| document::integer_or_log(document, &["version"]);
    let ty = match (change.before, change.after) {
        (None, _) => "ResourceCreated",
        (_, None) => "ResourceDeleted",
        _ => "ResourceUpdated",
    };
    // The record of an erasure contains no personal data.
    let nothing = Document::new();
    let (named, was) = match change.erases {
        true => (&nothing, &nothing),
        false => (subject, change.before.unwrap_or(subject)),
    };
    let is_without = ty == "ResourceUpdated" && changes.is_empty();
    let mut record = JsonObjectWriter::object();
    record.number("version", version(subject));
    record.number("previousVersion", change.before.map_or(0, version));
    record.word("type", ty, "");
    record.write_object("modifiedBy", |modified| modified_by(change.by, modified));
    record.word("modifiedAt", change.time, "");
    record.write_object("label", |label| kind.label.write(named, label));
    record.write_object("previousLabel", |label| kind.label.write(was, label));
    record.json("changes", &changes.end());
    record.write_object("resource", |resource| {
        resource.word("typeId", kind.type_id, "");
        resource.copies(subject, &["id"]);
        resource.copies(named, &["key"]);
    });
    record.values("stores", stores(subject));
    record.copies(subject, &["businessUnit"]);
    record.flag("withoutChanges", is_without);
    record.end()
}

/// Writes the author of the change (reference type `ModifiedBy`): an API Client, an Associate, or a user, i.e. an operator
/// in the console or commands.
fn modified_by(by: Option<&Value>, modified: &mut JsonObjectWriter) {
    let by = by.and_then(Value::as_object);
    let user = by.and_then(|by| by.get("user")?.get("id")?.as_str());
    modified.flag("isPlatformClient", user.is_some());
    if let Some(id) = user {
        modified.word("id", id, "");
    }
    let ty = match by {
        Some(_) if user.is_some() => "user",
        Some(by) if by.contains_key("associate") => "associate",
        Some(_) => "external-user",
        None => "user",
    };
    modified.word("type", ty, "");
    if let Some(by) = by {
        modified.copies(
            by,
            &["clientId", "externalUserId", "anonymousId", "customer", "associate", "attributedTo"],
        );
    }
}

/// Returns the Stores of a document.
fn stores(subject: &Document) -> impl Iterator<Item = &Value> {
    let of_key = |store: &&Value| store.get("key").is_some();
    let one = subject.get("store").into_iter();
    one.chain(document::list(subject, &["stores"])).filter(of_key)
}
