//! Following the change log.
//!
//! What changed itself comes first; what a change of something else concerns (all Products of a Store) waits in a backlog
//! and is worked off beside it. The index's own position stays before the backlog, so that a crash repeats it.

use crate::build::index_failure;
use crate::entries;
use kontor_engine::{Holdings, Searchable, Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::{Batch, FieldUse, Fields, Leaf, Position, Query, Request, SearchIndex, Test, Value};
use kontor_storage::{Operation, Seq};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Entries of the change log that are read at once.
const CHANGES_READ: usize = 1_000;
/// Entries of the backlog that are made at once.
const BACKLOG_CHUNK: usize = 500;
/// The type id of the Project, whose settings may give an index other fields.
const PROJECT: &str = "project";

/// How far an index has come, and what it still has to do.
#[derive(Debug, Default)]
pub(crate) struct Following {
    /// The last entry of the change log that was read.
    read: Seq,
    /// Resources whose entries have to be made again.
    backlog: VecDeque<String>,
    waiting: BTreeSet<String>,
    /// Where the change log stood before the first change that is still in the backlog.
    backlog_since: Seq,
}

/// What a step found.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Followed {
    /// Something is left to do at once.
    pub(crate) more: bool,
    /// Something changed that may give the index other fields.
    pub(crate) shapes_changed: bool,
    /// An entry is gone.
    pub(crate) deleted: bool,
}

impl Following {
    /// Goes on where an index stands.
    pub(crate) fn from(position: Position) -> Self {
        Self { read: position.seq, ..Self::default() }
    }

    /// True where the index knows of everything up to an entry of the change log.
    pub(crate) fn has_reached(&self, seq: Seq) -> bool {
        self.read >= seq && self.backlog.is_empty()
    }

    /// The last entry of the change log that was read.
    pub(crate) fn read(&self) -> Seq {
        self.read
    }

    /// Takes the next changes.
    pub(crate) fn step(
        &mut self,
        shop: &Shop,
        searchable: &dyn Searchable,
        fields: &dyn Fields,
        index: &dyn SearchIndex,
    ) -> ApiResult<Followed> {
        let changes = shop.storage().changes(self.read, CHANGES_READ).map_err(storage_failure)?;
        let Some(last) = changes.last().map(|change| change.seq) else {
            return self.work_off(shop, searchable, index);
        };
        // A step that read less than it may has caught up: what comes now is collected first.
        let mut followed = Followed { more: changes.len() == CHANGES_READ, ..Followed::default() };
        let mut direct = BTreeSet::new();
        let mut sources = BTreeSet::new();
        for change in &changes {
            if change.kind == searchable.kind() {
                direct.insert(change.id.as_str());
                followed.deleted |= change.operation == Operation::Deleted;
            } else if searchable.sources().contains(&change.kind.as_str()) || change.kind == PROJECT {
                sources.insert((change.kind.as_str(), change.id.as_str()));
            }
            followed.shapes_changed |=
                change.kind == PROJECT || searchable.shapes().contains(&change.kind.as_str());
        }
        let concerned = concerned(shop, searchable, fields, index, &sources)?;
        let since = self.read;
        self.read = last;
        for id in concerned {
            if direct.contains(id.as_str()) || !self.waiting.insert(id.clone()) {
                continue;
            }
            if self.backlog.is_empty() {
                self.backlog_since = since;
            }
            self.backlog.push_back(id);
        }
        if direct.is_empty() && self.backlog.is_empty() {
            // Nothing of this concerns the index. Where it stands is written with the next change that does.
            return Ok(followed);
        }
        let ids: Vec<&str> = direct.into_iter().collect();
        self.apply(shop, searchable, index, &ids)?;
        followed.more |= !self.backlog.is_empty();
        Ok(followed)
    }

    /// Makes entries of the backlog.
    fn work_off(
        &mut self,
        shop: &Shop,
        searchable: &dyn Searchable,
        index: &dyn SearchIndex,
    ) -> ApiResult<Followed> {
        if self.backlog.is_empty() {
            return Ok(Followed::default());
        }
        let chunk: Vec<String> = self.backlog.drain(..self.backlog.len().min(BACKLOG_CHUNK)).collect();
        for id in &chunk {
            self.waiting.remove(id);
        }
        let ids: Vec<&str> = chunk.iter().map(String::as_str).collect();
        self.apply(shop, searchable, index, &ids)?;
        Ok(Followed { more: !self.backlog.is_empty(), ..Followed::default() })
    }

    /// How far an index has come that has all that was applied.
    fn position(&self, index: &dyn SearchIndex) -> Position {
        let seq = if self.backlog.is_empty() { self.read } else { self.backlog_since };
        Position { seq, ..index.position().unwrap_or_default() }
    }

    /// Tells an index how far it has come where only changes came that do not concern it.
    pub(crate) fn tell(&self, index: &dyn SearchIndex) -> ApiResult<()> {
        let position = self.position(index);
        if index.position() == Some(position) {
            return Ok(());
        }
        let batch = Batch { position, as_of: self.read, ..Batch::default() };
        index.apply(batch).map_err(|error| index_failure(&error))
    }

    fn apply(
        &self,
        shop: &Shop,
        searchable: &dyn Searchable,
        index: &dyn SearchIndex,
        ids: &[&str],
    ) -> ApiResult<()> {
        let mut made = entries::of_ids(shop, searchable, ids)?;
        made.batch.position = self.position(index);
        made.batch.as_of = self.read;
        metrics::counter!("kontor_search_indexed_total", "project" => shop.key.clone(), "search" => searchable.name())
            .increment(ids.len() as u64);
        index.apply(made.batch).map_err(|error| index_failure(&error))
    }
}

/// The resources whose entries changes of other documents concern.
fn concerned(
    shop: &Shop,
    searchable: &dyn Searchable,
    fields: &dyn Fields,
    index: &dyn SearchIndex,
    sources: &BTreeSet<(&str, &str)>,
) -> ApiResult<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    if sources.is_empty() {
        return Ok(all);
    }
    let entries = usize::try_from(index.len().map_err(|error| index_failure(&error))?).unwrap_or(usize::MAX);
    let held = Held { fields, index, entries };
    shop.read_by_rules(|rules| {
        for (kind, id) in sources {
            all.extend(searchable.concerned(kind, id, rules, &held)?);
        }
        Ok(())
    })?;
    Ok(all)
}

/// What an index holds.
struct Held<'a> {
    fields: &'a dyn Fields,
    index: &'a dyn SearchIndex,
    /// How many entries it has.
    entries: usize,
}

impl Held<'_> {
    fn condition(&self, name: &str, value: &str) -> Option<Query> {
        let used = FieldUse { name, language: None, field_type: None };
        let field = self.fields.own(name).or_else(|| Some(self.fields.find(&used).ok()?.field))?;
        let values = vec![Value::Text(value.to_owned())];
        Some(Query::Leaf(Leaf { field, boost: 1.0, test: Test::Exact { values, case_insensitive: false } }))
    }

    fn ids(&self, query: Query) -> ApiResult<Vec<String>> {
        let request = Request { query: Some(query), limit: self.entries, ..Request::default() };
        let answer = self.index.search(&request).map_err(|error| index_failure(&error))?;
        Ok(answer.hits.into_iter().map(|hit| hit.id).collect())
    }
}

impl Holdings for Held<'_> {
    fn with(&self, field: &str, value: &str) -> ApiResult<Vec<String>> {
        let condition = self.condition(field, value);
        condition.map_or_else(|| Ok(Vec::new()), |condition| self.ids(Query::Filter(vec![condition])))
    }

    fn without(&self, field: &str, value: &str) -> ApiResult<Vec<String>> {
        let condition = self.condition(field, value);
        condition.map_or_else(|| Ok(Vec::new()), |condition| self.ids(Query::Not(vec![condition])))
    }
}

/// What can be searched now, and its generation.
pub(crate) fn shape(shop: &Shop, searchable: &dyn Searchable) -> ApiResult<(Arc<dyn Fields>, u64)> {
    shop.read_by_rules(|rules| Ok((searchable.fields(rules)?, searchable.generation(rules)?)))
}
