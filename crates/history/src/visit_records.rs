//! Lists records by time, newest first, merged over any number of kinds.

use crate::changes::RecordedKind;
use crate::limits::READ_CHUNK;
use crate::query_params::{CLIENTS, CONSOLE, HistoryQuery};
use kontor_engine::{Document, document, storage_failure};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_storage::{RecordPosition, RecordRange, Storage, StoredRecord};
use std::ops::ControlFlow;

/// A visible kind, and the Stores of its visible records; `None`: all records, with or without a Store.
pub(crate) type VisibleKind = (&'static RecordedKind, Option<Vec<String>>);

/// The records of one resource or of all, read in chunks, newest first.
struct RecordStream<'q> {
    range: RecordRange<'q>,
    /// Records that were read, the newest last.
    read: Vec<StoredRecord>,
    is_at_end: bool,
}

impl<'q> RecordStream<'q> {
    fn new(range: RecordRange<'q>) -> Self {
        Self { range, read: Vec::new(), is_at_end: false }
    }

    /// Reads the next chunk if no record is left. Returns the position of the newest record.
    fn read_newest_position(
        &mut self,
        storage: &dyn Storage,
        chunk: usize,
    ) -> ApiResult<Option<RecordPosition>> {
        if self.read.is_empty() && !self.is_at_end {
            self.read = storage.records(&self.range, chunk).map_err(storage_failure)?;
            self.is_at_end = self.read.len() < chunk;
            if let Some(oldest) = self.read.last() {
                self.range.before = oldest.place;
            }
            self.read.reverse();
        }
        Ok(self.read.last().map(|record| record.place))
    }
}

/// Visits matching records, newest first, with the sizes of their texts in bytes, until `visit` breaks.
pub(crate) fn visit(
    storage: &dyn Storage,
    query: &HistoryQuery,
    kinds: &[VisibleKind],
    mut visit: impl FnMut(Document, usize) -> ControlFlow<()>,
) -> ApiResult<()> {
    // The time of `to` is inclusive.
    let to = query.to.checked_add(jiff::SignedDuration::from_millis(1)).unwrap_or(query.to);
    let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.type_id).collect();
    let of_all = RecordRange {
        kinds: &names,
        id: None,
        from: RecordPosition::before_time(query.from.as_millisecond()),
        before: RecordPosition::before_time(to.as_millisecond()),
    };
    let mut streams: Vec<RecordStream<'_>> = match &query.resource_ids[..] {
        [] => vec![RecordStream::new(of_all)],
        ids => ids.iter().map(|id| RecordStream::new(RecordRange { id: Some(id), ..of_all })).collect(),
    };
    // The first chunk suffices if all records match.
    let chunk = query.offset.saturating_add(query.limit).clamp(1, READ_CHUNK);
    loop {
        let mut newest = None;
        for (index, stream) in streams.iter_mut().enumerate() {
            newest = newest.max(stream.read_newest_position(storage, chunk)?.map(|place| (place, index)));
        }
        let Some((_, index)) = newest else { return Ok(()) };
        let Some(StoredRecord { kind, body, .. }) = streams[index].read.pop() else { return Ok(()) };
        let stores = kinds.iter().find(|(known, _)| known.type_id == kind);
        let Some((_, stores)) = stores else { continue };
        let mut record = document::read(&body)?;
        if matches(&mut record, query, stores.as_deref()) && visit(record, body.len()).is_break() {
            return Ok(());
        }
    }
}

/// Whether an operator made the change in the console.
fn is_of_console(record: &Document) -> bool {
    record.get("modifiedBy").and_then(|by| by.get("isPlatformClient")?.as_bool()).unwrap_or_default()
}

/// Whether a record matches a query. Removes the changes from it that do not match.
fn matches(record: &mut Document, query: &HistoryQuery, stores: Option<&[String]>) -> bool {
    let is = |path: &[&str], wanted: &Option<String>| match wanted {
        Some(wanted) => document::text(record, path) == Some(wanted),
        None => true,
    };
    let of_stores = |wanted: &[String]| {
        let keys = document::list(record, &["stores"]).iter().filter_map(|store| store.get("key")?.as_str());
        keys.into_iter().any(|key| wanted.iter().any(|wanted| wanted == key))
    };
    let is_of_source = |source: &&str| match *source {
        CONSOLE => is_of_console(record),
        CLIENTS => !is_of_console(record),
        attributed => document::text(record, &["modifiedBy", "attributedTo", "source"]) == Some(attributed),
    };
    let is_by_user = |id: &String| document::text(record, &["modifiedBy", "id"]) == Some(id);
    let is_meant = is(&["type"], &query.ty)
        && (query.user_ids.is_empty() || query.user_ids.iter().any(is_by_user))
        && is(&["modifiedBy", "clientId"], &query.client_id)
        && is(&["modifiedBy", "customer", "id"], &query.customer_id)
        && is(&["modifiedBy", "associate", "id"], &query.associate_id)
        && is(&["businessUnit", "key"], &query.business_unit)
        && is(&["resource", "key"], &query.resource_key)
        && (query.stores.is_empty() || of_stores(&query.stores))
        && (query.sources.is_empty() || query.sources.iter().any(is_of_source))
        && stores.is_none_or(of_stores);
    if !is_meant {
        return false;
    }
    if query.changes.is_empty() && query.excluded.is_empty() {
        return true;
    }
    let Some(Value::Array(changes)) = record.get_mut("changes") else { return false };
    let had_some = !changes.is_empty();
    changes.retain(|change| {
        let name = document::field_or_log(change, "change");
        let is_wanted = query.changes.is_empty() || query.changes.iter().any(|wanted| wanted == name);
        is_wanted && !query.excluded.contains(&name)
    });
    // A creation has no changes that could be removed.
    !changes.is_empty() || (query.changes.is_empty() && !had_some)
}
