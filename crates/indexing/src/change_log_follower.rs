//! Updates an index from the change log. Start at [`ChangeLogFollower::step`].
//!
//! Changes of indexed documents are applied first. Documents that depend on another changed document (e.g. all Products
//! of a changed Store) wait in a backlog, which is worked off when no new changes are left. The position stored in the
//! index stays before the backlog, so that after a crash the backlog is read again.

use crate::build::index_failure;
use crate::entries;
use kontor_engine::{IndexContent, Searchable, Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::{
    FieldUse, IndexBatch, IndexPosition, IndexRequest, Leaf, LeafTest, SearchIndex, SearchQuery, SearchValue,
    SearchableFields,
};
use kontor_storage::{ChangeOperation, Seq};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Maximum number of entries of the change log read by one step.
const CHANGES_READ: usize = 1_000;
/// Maximum number of documents of the backlog indexed by one step.
const BACKLOG_CHUNK: usize = 500;
/// The type id of the Project. Its settings can change the fields of an index.
const PROJECT: &str = "project";

/// The position of an index in the change log, and its backlog.
#[derive(Debug, Default)]
pub(crate) struct ChangeLogFollower {
    /// The last entry of the change log that was read.
    read: Seq,
    /// Ids of documents to index again, in order.
    backlog: VecDeque<String>,
    waiting: BTreeSet<String>,
    /// The position before the first change that is still in the backlog.
    backlog_since: Seq,
}

/// The result of a step.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct FollowResult {
    /// More work is left now.
    pub(crate) more: bool,
    /// A change may have changed the fields of the index.
    pub(crate) shapes_changed: bool,
    /// An indexed document was deleted.
    pub(crate) deleted: bool,
}

impl ChangeLogFollower {
    /// Continues from the position stored in an index.
    pub(crate) fn from(position: IndexPosition) -> Self {
        Self { read: position.seq, ..Self::default() }
    }

    /// Returns whether the index has indexed all changes up to an entry of the change log.
    pub(crate) fn has_reached(&self, seq: Seq) -> bool {
        self.read >= seq && self.backlog.is_empty()
    }

    /// The last entry of the change log that was read.
    pub(crate) fn read(&self) -> Seq {
        self.read
    }

    /// Reads the next changes and indexes them, or a chunk of the backlog if there are none.
    pub(crate) fn step(
        &mut self,
        shop: &Shop,
        searchable: &dyn Searchable,
        fields: &dyn SearchableFields,
        index: &dyn SearchIndex,
    ) -> ApiResult<FollowResult> {
        let changes = shop.storage().changes(self.read, CHANGES_READ).map_err(storage_failure)?;
        let Some(last) = changes.last().map(|change| change.seq) else {
            return self.index_backlog(shop, searchable, index);
        };
        // Fewer changes than the maximum: the end of the log is reached. The next ones are collected before a step.
        let mut followed = FollowResult { more: changes.len() == CHANGES_READ, ..FollowResult::default() };
        let mut direct = BTreeSet::new();
        let mut sources = BTreeSet::new();
        for change in &changes {
            if change.kind == searchable.kind() {
                direct.insert(change.id.as_str());
                followed.deleted |= change.operation == ChangeOperation::Deleted;
            } else if searchable.sources().contains(&change.kind.as_str()) || change.kind == PROJECT {
                sources.insert((change.kind.as_str(), change.id.as_str()));
            }
            followed.shapes_changed |=
                change.kind == PROJECT || searchable.shapes().contains(&change.kind.as_str());
        }
        let concerned = affected_ids(shop, searchable, fields, index, &sources)?;
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
            // No change concerns the index. Its position is written with the next one that does.
            return Ok(followed);
        }
        let ids: Vec<&str> = direct.into_iter().collect();
        self.apply(shop, searchable, index, &ids)?;
        followed.more |= !self.backlog.is_empty();
        Ok(followed)
    }

    /// Indexes a chunk of the backlog.
    fn index_backlog(
        &mut self,
        shop: &Shop,
        searchable: &dyn Searchable,
        index: &dyn SearchIndex,
    ) -> ApiResult<FollowResult> {
        if self.backlog.is_empty() {
            return Ok(FollowResult::default());
        }
        let chunk: Vec<String> = self.backlog.drain(..self.backlog.len().min(BACKLOG_CHUNK)).collect();
        for id in &chunk {
            self.waiting.remove(id);
        }
        let ids: Vec<&str> = chunk.iter().map(String::as_str).collect();
        self.apply(shop, searchable, index, &ids)?;
        Ok(FollowResult { more: !self.backlog.is_empty(), ..FollowResult::default() })
    }

    /// Returns the position to store in an index that has everything that was applied.
    fn position(&self, index: &dyn SearchIndex) -> IndexPosition {
        let seq = if self.backlog.is_empty() { self.read } else { self.backlog_since };
        IndexPosition { seq, ..index.position().unwrap_or_default() }
    }

    /// Stores the position in the index if only changes were read that do not concern it. Other processes read it.
    pub(crate) fn store_position(&self, index: &dyn SearchIndex) -> ApiResult<()> {
        let position = self.position(index);
        if index.position() == Some(position) {
            return Ok(());
        }
        let batch = IndexBatch { position, as_of: self.read, ..IndexBatch::default() };
        index.apply(batch).map_err(|error| index_failure(&error))
    }

    fn apply(
        &self,
        shop: &Shop,
        searchable: &dyn Searchable,
        index: &dyn SearchIndex,
        ids: &[&str],
    ) -> ApiResult<()> {
        let mut made = entries::entries_of_ids(shop, searchable, ids)?;
        made.batch.position = self.position(index);
        made.batch.as_of = self.read;
        metrics::counter!("kontor_search_indexed_total", "project" => shop.key.clone(), "search" => searchable.name())
            .increment(ids.len() as u64);
        index.apply(made.batch).map_err(|error| index_failure(&error))
    }
}

/// Returns the ids of documents whose entries depend on one of the changed `sources`.
fn affected_ids(
    shop: &Shop,
    searchable: &dyn Searchable,
    fields: &dyn SearchableFields,
    index: &dyn SearchIndex,
    sources: &BTreeSet<(&str, &str)>,
) -> ApiResult<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    if sources.is_empty() {
        return Ok(all);
    }
    let entries = usize::try_from(index.len().map_err(|error| index_failure(&error))?).unwrap_or(usize::MAX);
    let content = EntryLookup { fields, index, entries };
    shop.read_by_rules(|rules| {
        for (kind, id) in sources {
            all.extend(searchable.affected_entries(kind, id, rules, &content)?);
        }
        Ok(())
    })?;
    Ok(all)
}

/// Finds entries of an index by a field, for [`Searchable::affected_entries`].
struct EntryLookup<'a> {
    fields: &'a dyn SearchableFields,
    index: &'a dyn SearchIndex,
    /// The number of entries: the maximum number of matches.
    entries: usize,
}

impl EntryLookup<'_> {
    fn condition(&self, name: &str, value: &str) -> Option<SearchQuery> {
        let used = FieldUse { name, language: None, field_type: None };
        let field = self.fields.find_internal(name).or_else(|| Some(self.fields.find(&used).ok()?.field))?;
        let values = vec![SearchValue::Text(value.to_owned())];
        Some(SearchQuery::Leaf(Leaf {
            field,
            boost: 1.0,
            test: LeafTest::Exact { values, case_insensitive: false },
        }))
    }

    fn ids(&self, query: SearchQuery) -> ApiResult<Vec<String>> {
        let request = IndexRequest { query: Some(query), limit: self.entries, ..IndexRequest::default() };
        let response = self.index.search(&request).map_err(|error| index_failure(&error))?;
        Ok(response.hits.into_iter().map(|hit| hit.id).collect())
    }
}

impl IndexContent for EntryLookup<'_> {
    fn ids_with(&self, field: &str, value: &str) -> ApiResult<Vec<String>> {
        let condition = self.condition(field, value);
        condition.map_or_else(|| Ok(Vec::new()), |condition| self.ids(SearchQuery::Filter(vec![condition])))
    }

    fn ids_without(&self, field: &str, value: &str) -> ApiResult<Vec<String>> {
        let condition = self.condition(field, value);
        condition.map_or_else(|| Ok(Vec::new()), |condition| self.ids(SearchQuery::Not(vec![condition])))
    }
}

/// Returns the current searchable fields, and their generation.
pub(crate) fn current_fields(
    shop: &Shop,
    searchable: &dyn Searchable,
) -> ApiResult<(Arc<dyn SearchableFields>, u64)> {
    shop.read_by_rules(|rules| Ok((searchable.fields(rules)?, searchable.generation(rules)?)))
}
