//! The reference evaluator: a search without an index, which tests each entry.
//!
//! It is the code form of `README.md`, written to be obviously right; tests compare other implementations with it.
//! Its cost grows with the number of entries, so it serves tests. Start at [`ReferenceIndex`].

mod facets;
mod rows;
mod sorts;
mod values;

use crate::{
    Hit, IndexBatch, IndexError, IndexPosition, IndexRequest, MatchingChildren, SearchEntry, SearchIndex,
    SearchQuery, SearchResult,
};
use rows::ReferenceRows;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// An index that tests its entries one by one. All scores are 0.
#[derive(Debug, Default)]
pub struct ReferenceIndex {
    content: RwLock<ReferenceIndexContent>,
}

#[derive(Debug, Default)]
struct ReferenceIndexContent {
    entries: BTreeMap<String, SearchEntry>,
    position: Option<IndexPosition>,
}

impl ReferenceIndex {
    /// Returns an empty index.
    pub fn new() -> Self {
        Self::default()
    }
}

impl SearchIndex for ReferenceIndex {
    fn apply(&self, batch: IndexBatch) -> Result<(), IndexError> {
        let mut content = self.content.write().unwrap_or_else(PoisonError::into_inner);
        for id in &batch.delete {
            content.entries.remove(id);
        }
        for entry in batch.put {
            content.entries.insert(entry.id.clone(), entry);
        }
        content.position = Some(batch.position);
        Ok(())
    }

    fn position(&self) -> Option<IndexPosition> {
        self.content.read().unwrap_or_else(PoisonError::into_inner).position
    }

    fn len(&self) -> Result<u64, IndexError> {
        Ok(self.content.read().unwrap_or_else(PoisonError::into_inner).entries.len() as u64)
    }

    fn search(&self, request: &IndexRequest) -> Result<SearchResult, IndexError> {
        let content = self.content.read().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<EvaluatedEntry<'_>> =
            content.entries.values().map(|entry| EvaluatedEntry::new(entry, request)).collect();
        let facets = request.facets.iter().map(|facet| facets::count(facet, &all)).collect();
        let mut hits: Vec<&EvaluatedEntry<'_>> = all
            .iter()
            .filter(|candidate| candidate.is_found)
            .filter(|candidate| candidate.rows.any_row_matches(request.post_filter.as_ref()))
            .collect();
        sorts::sort(&mut hits, &request.sort);
        Ok(SearchResult {
            total: hits.len() as u64,
            hits: hits
                .iter()
                .skip(request.offset)
                .take(request.limit)
                .map(|hit| hit.to_hit(request))
                .collect(),
            facets,
            step_durations: Vec::new(),
        })
    }
}

/// An entry, and the rows on which the query of a request matches.
struct EvaluatedEntry<'a> {
    entry: &'a SearchEntry,
    rows: ReferenceRows<'a>,
    /// For each row, whether the query matches it.
    holds: Vec<bool>,
    /// Whether the query matches any row.
    is_found: bool,
}

impl<'a> EvaluatedEntry<'a> {
    fn new(entry: &'a SearchEntry, request: &IndexRequest) -> Self {
        let rows = ReferenceRows::new(entry);
        let holds = rows.match_rows(request.query.as_ref());
        let is_found = holds.contains(&true);
        Self { entry, rows, holds, is_found }
    }

    fn to_hit(&self, request: &IndexRequest) -> Hit {
        let matching = request.mark_matching.then(|| {
            if !request.query.as_ref().is_some_and(SearchQuery::has_child_condition) {
                return MatchingChildren { all: true, labels: Vec::new() };
            }
            let children = self.entry.root.children.iter().enumerate();
            let labels = children
                .filter(|(child, _)| {
                    self.rows.rows_through(*child).any(|row| self.holds.get(row) == Some(&true))
                })
                .map(|(_, node)| node.label.clone());
            MatchingChildren { all: false, labels: labels.collect() }
        });
        Hit { id: self.entry.id.clone(), score: 0.0, matching }
    }
}

#[cfg(test)]
mod tests;
