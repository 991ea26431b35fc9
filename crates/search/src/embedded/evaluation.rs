//! Evaluates a query on a segment. Start at [`Evaluation::find`].
//!
//! Parts of an `and` are evaluated level by level: those on roots first, since they leave few entries; then
//! those on children and on grandchildren, of these entries only. The results are then lifted and intersected
//! from the lowest level to the highest, so that the parts of each level hold for the same node.

use super::docs::Docs;
use super::filtered_column::{ColumnFilter, FilteredColumn};
use super::leaf_access::LeafAccess;
use super::rows::RowSet;
use super::segment::IndexSegment;
use crate::{FieldLevel, IndexError, Leaf, SearchField, SearchQuery};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Parts of an `and` are evaluated within the entries that the earlier parts left, if these are at most one entry in so
/// many; likewise facets within the found entries.
pub(super) const SCOPE_ONE_IN: usize = 4;

/// Cached data of all entries is scanned if the query considers more than one entry in this many.
const KEPT_ONE_IN: usize = 16;

/// Returns the deepest level on which a query has a condition. A `not` is a condition on roots.
pub(super) fn deepest_level(query: &SearchQuery) -> FieldLevel {
    match query {
        SearchQuery::Leaf(leaf) => leaf.field.level,
        SearchQuery::Not(_) => FieldLevel::Root,
        SearchQuery::And(parts) | SearchQuery::Or(parts) | SearchQuery::Filter(parts) => {
            parts.iter().map(deepest_level).max().unwrap_or(FieldLevel::Root)
        }
    }
}

/// A segment during one search, with cached results for the conditions of the search.
pub(super) struct Evaluation<'a> {
    pub(super) segment: &'a IndexSegment,
    /// By the address of the condition, which does not move during a search.
    accesses: RefCell<HashMap<usize, Rc<LeafAccess>>>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(segment: &'a IndexSegment) -> Self {
        Self { segment, accesses: RefCell::default() }
    }

    /// Returns the data that a condition reads.
    pub(super) fn access(&self, leaf: &Leaf) -> Result<Rc<LeafAccess>, IndexError> {
        let address = std::ptr::from_ref(leaf).addr();
        if let Some(access) = self.accesses.borrow().get(&address) {
            return Ok(access.clone());
        }
        let access = Rc::new(LeafAccess::new(leaf, self.segment)?);
        self.accesses.borrow_mut().insert(address, access.clone());
        Ok(access)
    }

    /// Returns the roots of the entries that match a query; all entries without one.
    pub(super) fn find(&self, query: Option<&SearchQuery>) -> Result<Docs, IndexError> {
        match query {
            None => Ok(Docs::Many(self.segment.alive.as_ref().clone())),
            Some(query) => {
                let roots = self.rows(query, FieldLevel::Root, None)?.into_roots(self.segment);
                Ok(if self.segment.reader.has_deletes() {
                    match roots {
                        Docs::Many(mut bits) => {
                            bits.intersect(&self.segment.alive);
                            Docs::Many(bits)
                        }
                        Docs::Few(mut docs) => {
                            docs.retain(|doc| self.segment.alive.contains(*doc));
                            Docs::Few(docs)
                        }
                    }
                } else {
                    roots
                })
            }
        }
    }

    /// Returns the rows that match a query, lifted to `want` if they are below it. With a `scope`, a sorted list of
    /// roots, rows of other entries may be missing. Deleted entries may be among the result.
    pub(super) fn rows(
        &self,
        query: &SearchQuery,
        want: FieldLevel,
        scope: Option<&[u32]>,
    ) -> Result<RowSet, IndexError> {
        match query {
            SearchQuery::Leaf(leaf) => {
                let level = leaf.field.level;
                let docs = self.access(leaf)?.docs(self.segment, level, scope)?;
                Ok(RowSet::from_docs(level, docs).lift_to(want, self.segment))
            }
            SearchQuery::And(parts) | SearchQuery::Filter(parts) => self.all(parts, want, scope),
            SearchQuery::Or(parts) => {
                let mut rows = RowSet::default();
                for part in parts {
                    rows = rows.unite(self.rows(part, want, scope)?, self.segment);
                }
                Ok(rows)
            }
            SearchQuery::Not(parts) => {
                let mut found = Docs::Few(Vec::new());
                for part in parts {
                    let roots = self.rows(part, FieldLevel::Root, scope)?.into_roots(self.segment);
                    found = found.unite(roots, self.segment.len());
                }
                let others = match scope {
                    Some(scope) => {
                        let others = scope.iter().copied().filter(|root| !found.contains(*root)).collect();
                        Docs::from_sorted(others, self.segment.len())
                    }
                    None => {
                        let mut others = self.segment.alive.as_ref().clone();
                        match &found {
                            Docs::Many(found) => others.subtract(found),
                            Docs::Few(found) => found.iter().for_each(|root| others.remove(*root)),
                        }
                        Docs::Many(others)
                    }
                };
                Ok(RowSet::from_docs(FieldLevel::Root, others))
            }
        }
    }

    /// Returns the cached numbers of the nodes that some words select.
    pub(super) fn filtered_column(
        &self,
        chooses: &ColumnFilter<'_>,
        field: &SearchField,
    ) -> Result<Option<Arc<FilteredColumn>>, IndexError> {
        chooses.numbers(field, self.segment, |words| {
            let mut docs: Option<Docs> = None;
            for leaf in words {
                let access = self.access(leaf)?;
                docs = Some(match docs {
                    None => access.docs(self.segment, field.level, None)?,
                    Some(docs) => access.narrow(docs, self.segment, field.level, None)?,
                });
            }
            Ok(docs.unwrap_or(Docs::Few(Vec::new())))
        })
    }

    /// Returns the rows that match words and a range of numbers, if a cached column has them.
    fn filtered_column_rows(
        &self,
        parts: &[&SearchQuery],
        level: FieldLevel,
    ) -> Result<Option<RowSet>, IndexError> {
        let Some(chooses) = ColumnFilter::collect(parts, level) else { return Ok(None) };
        let Some(range) = chooses.range() else { return Ok(None) };
        let Some(chosen) = self.filtered_column(&chooses, &range.field)? else { return Ok(None) };
        let docs = match self.access(range)?.single_range() {
            Some(range) => chosen.in_range(range, self.segment),
            None => Docs::Few(Vec::new()),
        };
        Ok(Some(RowSet::from_docs(level, docs)))
    }

    fn all(
        &self,
        parts: &[SearchQuery],
        want: FieldLevel,
        scope: Option<&[u32]>,
    ) -> Result<RowSet, IndexError> {
        if parts.is_empty() {
            return Ok(RowSet::from_docs(FieldLevel::Root, Docs::Many(self.segment.alive.as_ref().clone())));
        }
        let depths: Vec<FieldLevel> = parts.iter().map(deepest_level).collect();
        let mut left_by_level = Vec::new();
        let mut narrowed: Option<Vec<u32>> = None;
        for level in [FieldLevel::Root, FieldLevel::Child, FieldLevel::Grandchild] {
            let group: Vec<&SearchQuery> = parts
                .iter()
                .zip(&depths)
                .filter(|(_, depth)| **depth == level)
                .map(|(part, _)| part)
                .collect();
            if group.is_empty() {
                continue;
            }
            // Results compared with other levels must not be lifted beyond them.
            let deeper = depths.iter().any(|depth| *depth > level);
            let above = if deeper {
                Some(level)
            } else {
                depths.iter().copied().filter(|depth| *depth < level).max()
            };
            let keep = want.max(above.unwrap_or(FieldLevel::Root));
            let rows = self.same_level(&group, level, keep, narrowed.as_deref().or(scope))?;
            if rows.is_empty() {
                return Ok(rows);
            }
            // The next level considers only the entries that this level left.
            if level < depths.iter().copied().max().unwrap_or(FieldLevel::Root) {
                narrowed = self.scope_of(&rows, narrowed.as_deref().or(scope)).or(narrowed);
            }
            left_by_level.push((level, rows));
        }
        let mut all: Option<RowSet> = None;
        while let Some((level, rows)) = left_by_level.pop() {
            let both = match all {
                None => rows,
                Some(below) => rows.intersect(&below, self.segment),
            };
            let next = left_by_level.last().map_or(FieldLevel::Root, |(level, _)| *level);
            all = Some(both.lift_to(want.max(next), self.segment));
            debug_assert!(next <= level);
        }
        Ok(all.unwrap_or_default())
    }

    /// Returns the nodes that match all parts, which are all on `level`.
    fn same_level(
        &self,
        parts: &[&SearchQuery],
        level: FieldLevel,
        want: FieldLevel,
        scope: Option<&[u32]>,
    ) -> Result<RowSet, IndexError> {
        let is_narrow = scope.is_some_and(|scope| scope.len() * KEPT_ONE_IN < self.segment.alive_count);
        if level != FieldLevel::Root
            && !is_narrow
            && let Some(rows) = self.filtered_column_rows(parts, level)?
        {
            return Ok(rows);
        }
        let mut leaves = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match part {
                SearchQuery::Leaf(leaf) => leaves.push(self.access(leaf)?),
                other => others.push(*other),
            }
        }
        leaves.sort_by_key(|leaf| leaf.cost());
        let mut rows: Option<RowSet> = None;
        if let Some((first, more)) = leaves.split_first() {
            let mut docs = first.docs(self.segment, level, scope)?;
            for leaf in more {
                if docs.is_empty() {
                    return Ok(RowSet::default());
                }
                docs = leaf.narrow(docs, self.segment, level, scope)?;
            }
            rows = Some(RowSet::from_docs(level, docs));
        }
        // A single part can be lifted to `want` at once; parts that are intersected must stay on their level.
        let want = if parts.len() == 1 { want } else { want.max(level) };
        let mut narrowed: Option<Vec<u32>> = None;
        for other in others {
            if let Some(rows) = &rows {
                if rows.is_empty() {
                    break;
                }
                narrowed = self.scope_of(rows, narrowed.as_deref().or(scope)).or(narrowed);
            }
            let more = self.rows(other, want, narrowed.as_deref().or(scope))?;
            rows = Some(match rows {
                None => more,
                Some(rows) => rows.intersect(&more, self.segment),
            });
        }
        Ok(rows.unwrap_or_default())
    }

    /// Returns the roots of rows, if they are few enough to be useful as a scope, and fewer than those of `scope`.
    fn scope_of(&self, rows: &RowSet, scope: Option<&[u32]>) -> Option<Vec<u32>> {
        let most = scope.map_or(self.segment.alive_count / SCOPE_ONE_IN, <[u32]>::len);
        let roots = rows.clone().into_roots(self.segment);
        let roots = match scope {
            Some(scope) if roots.count() > most => {
                scope.iter().copied().filter(|root| roots.contains(*root)).collect()
            }
            _ if roots.count() > most => return None,
            _ => roots.into_sorted(),
        };
        Some(roots)
    }
}
