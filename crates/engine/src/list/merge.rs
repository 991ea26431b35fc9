//! Merges the results of several lookups by id, without duplicates.

use kontor_query::{ConditionValue, ExactNumber, IndexLookup, Path};
use kontor_storage::{IndexPage, IndexRange, IndexValue, PageStart, Result, Storage, StoredDocumentRef};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// The number of ids in the first page of a lookup; each further page is twice as large, up to the maximum.
const PAGE_FIRST: usize = 32;
const PAGE_MAX: usize = 1024;

/// Lookups that are read page by page, so that a query that needs few documents reads few.
pub(super) struct MergedLookups<'k> {
    type_id: &'k str,
    sources: Vec<LookupSource>,
}

/// One lookup, and the ids of it that were not visited yet.
struct LookupSource {
    path: String,
    range: IndexRange,
    ids: VecDeque<String>,
    page: IndexPage,
    is_read: bool,
}

impl<'k> MergedLookups<'k> {
    /// Prepares the lookups.
    pub(super) fn new(type_id: &'k str, lookups: &[IndexLookup]) -> Self {
        let sources = lookups.iter().map(|lookup| LookupSource {
            path: dotted(&lookup.path),
            range: IndexRange::In(lookup.values.iter().map(index_value).collect()),
            ids: VecDeque::new(),
            page: IndexPage::first(PAGE_FIRST),
            is_read: false,
        });
        MergedLookups { type_id, sources: sources.collect() }
    }

    /// Visits the documents, until `visit` breaks.
    pub(super) fn visit(
        &mut self,
        storage: &dyn Storage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut size = PAGE_FIRST;
        loop {
            let ids = self.next_ids(storage, size)?;
            if ids.is_empty() {
                return Ok(());
            }
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            for stored in storage.get_many(self.type_id, &ids)?.into_iter().flatten() {
                if visit(stored.borrowed()).is_break() {
                    return Ok(());
                }
            }
            size = PAGE_MAX.min(size * 2);
        }
    }

    /// Returns the next ids; none at the end.
    fn next_ids(&mut self, storage: &dyn Storage, most: usize) -> Result<Vec<String>> {
        let mut ids = Vec::with_capacity(most);
        while ids.len() < most {
            for source in &mut self.sources {
                source.fill(self.type_id, storage)?;
            }
            let Some(next) = self.sources.iter().filter_map(|source| source.ids.front()).min().cloned()
            else {
                break;
            };
            for source in &mut self.sources {
                if source.ids.front() == Some(&next) {
                    source.ids.pop_front();
                }
            }
            ids.push(next);
        }
        Ok(ids)
    }
}

impl LookupSource {
    fn fill(&mut self, type_id: &str, storage: &dyn Storage) -> Result<()> {
        if self.is_read || !self.ids.is_empty() {
            return Ok(());
        }
        self.ids = storage.find_indexed(type_id, &self.path, &self.range, &self.page)?.into();
        let limit = self.page.limit.unwrap_or(PAGE_MAX);
        self.is_read = self.ids.len() < limit;
        self.page.after = self.ids.back().cloned().map(PageStart::Id);
        self.page.limit = Some(PAGE_MAX.min(limit * 2));
        Ok(())
    }
}

pub(super) fn dotted(path: &Path) -> String {
    path.join(".")
}

pub(super) fn index_value(value: &ConditionValue) -> IndexValue {
    match value {
        ConditionValue::Text(text) => IndexValue::Text(text.to_string()),
        ConditionValue::Boolean(flag) => IndexValue::Integer(i64::from(*flag)),
        ConditionValue::Number(ExactNumber::Integer(whole)) => IndexValue::Integer(*whole),
        ConditionValue::Number(number) => IndexValue::Real(number.as_f64()),
        // Queries have no amounts, and no index contains one.
        ConditionValue::Amount(amount) => IndexValue::Text(amount.to_string()),
    }
}
