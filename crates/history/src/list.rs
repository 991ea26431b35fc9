//! Records in the sequence of their times, the newest first, of any number of kinds.

use crate::asked::Query;
use crate::changes::RecordedKind;
use crate::limits::READ_CHUNK;
use crate::stored;
use kontor_engine::{Document, document, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_storage::{After, IndexPage, IndexRange, ScanDirection, Storage, StoredRef};
use serde_json::Value;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// The records of one kind, or of one resource of it, newest first.
struct Records<'a> {
    storage: &'a dyn Storage,
    kind: String,
    resource_id: Option<&'a str>,
    /// Older than this.
    before: String,
    /// Not older than this.
    from: &'a str,
    read: VecDeque<(String, Document)>,
    is_at_end: bool,
}

impl Records<'_> {
    /// The id of the newest one that is left.
    fn newest(&mut self) -> ApiResult<Option<&str>> {
        if self.read.is_empty() && !self.is_at_end {
            self.read_on()?;
        }
        Ok(self.read.front().map(|(id, _)| id.as_str()))
    }

    fn read_on(&mut self) -> ApiResult<()> {
        let Self { from, read, .. } = self;
        let mut failure = None;
        let mut visit = |one: StoredRef<'_>| {
            if one.id < *from {
                return ControlFlow::Break(());
            }
            match serde_json::from_slice(one.body) {
                Ok(record) => read.push_back((one.id.to_owned(), record)),
                Err(error) => failure = Some(error),
            }
            if failure.is_some() || read.len() == READ_CHUNK {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        match self.resource_id {
            None => self.storage.scan(&self.kind, ScanDirection::Descending, Some(&self.before), &mut visit),
            Some(id) => {
                let after = Some(After::Id(self.before.clone()));
                let page =
                    IndexPage { descending: true, after, limit: Some(READ_CHUNK), ..IndexPage::default() };
                self.storage.visit_indexed(
                    &self.kind,
                    stored::RESOURCE,
                    &IndexRange::equal(id),
                    &page,
                    &mut visit,
                )
            }
        }
        .map_err(storage_failure)?;
        if let Some(error) = failure {
            return Err(ApiError::bug(format!("a stored record is no JSON object: {error}")));
        }
        self.is_at_end = self.read.len() < READ_CHUNK;
        if let Some((id, _)) = self.read.back() {
            self.before.clone_from(id);
        }
        Ok(())
    }
}

/// A kind of which records may be seen, and of which Stores; `None`: of any, and of none.
pub(crate) type Visible = (&'static RecordedKind, Option<Vec<String>>);

/// Visits the records that match, newest first, until told to break.
pub(crate) fn visit(
    storage: &dyn Storage,
    query: &Query,
    kinds: &[Visible],
    mut visit: impl FnMut(Document) -> ControlFlow<()>,
) -> ApiResult<()> {
    let from = stored::bound(query.from);
    // The moment of `to` belongs to it.
    let to = query.to.checked_add(jiff::SignedDuration::from_millis(1)).unwrap_or(query.to);
    let of_kind = |(kind, _): &Visible| Records {
        storage,
        kind: stored::kind(kind),
        resource_id: query.resource_id.as_deref(),
        before: stored::bound(to),
        from: &from,
        read: VecDeque::new(),
        is_at_end: query.is_of_nobody,
    };
    let mut all: Vec<Records<'_>> = kinds.iter().map(of_kind).collect();
    loop {
        let mut newest: Option<(usize, String)> = None;
        for (place, records) in all.iter_mut().enumerate() {
            if let Some(id) = records.newest()?
                && newest.as_ref().is_none_or(|(_, other)| id > other.as_str())
            {
                newest = Some((place, id.to_owned()));
            }
        }
        let Some((place, _)) = newest else { return Ok(()) };
        let Some((_, mut record)) = all[place].read.pop_front() else { return Ok(()) };
        if matches(&mut record, query, kinds[place].1.as_deref()) && visit(record).is_break() {
            return Ok(());
        }
    }
}

/// Whether a record is asked for. Changes that are not asked for are left out of it.
fn matches(record: &mut Document, query: &Query, stores: Option<&[String]>) -> bool {
    let is = |path: &[&str], wanted: &Option<String>| match wanted {
        Some(wanted) => document::text(record, path) == Some(wanted),
        None => true,
    };
    let of_stores = |wanted: &[String]| {
        let keys = document::list(record, &["stores"]).iter().filter_map(|store| store.get("key")?.as_str());
        keys.into_iter().any(|key| wanted.iter().any(|wanted| wanted == key))
    };
    let is_meant = is(&["type"], &query.ty)
        && is(&["modifiedBy", "clientId"], &query.client_id)
        && is(&["modifiedBy", "customer", "id"], &query.customer_id)
        && is(&["modifiedBy", "associate", "id"], &query.associate_id)
        && is(&["businessUnit", "key"], &query.business_unit)
        && is(&["resource", "key"], &query.resource_key)
        && (query.stores.is_empty() || of_stores(&query.stores))
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
        let name = change.get("change").and_then(Value::as_str).unwrap_or_default();
        let is_wanted = query.changes.is_empty() || query.changes.iter().any(|wanted| wanted == name);
        is_wanted && !query.excluded.contains(&name)
    });
    // A creation has no changes to leave out.
    !changes.is_empty() || (query.changes.is_empty() && !had_some)
}
