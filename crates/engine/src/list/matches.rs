//! Visits the documents that match a plan.

use super::ListRequest;
use super::merge::MergedLookups;
use super::merge::{dotted, index_value};
use crate::memory_budget::ResponseMeter;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_query::{AccessPath, Condition, ConditionValue, QueryPlan, QuerySort, ValueCheck, evaluate};
use kontor_storage::{IndexPage, IndexRange, IndexSort, IndexValue, ScanDirection, StoredDocumentRef};
use std::ops::{Bound, ControlFlow};

/// An order that the storage can read in, so that nothing needs to be sorted.
pub(super) enum StoredOrder {
    /// The order of ids.
    Id(ScanDirection),
    /// The order of a field that every document of the kind has once.
    Index { path: String, descending: bool },
}

/// The condition that a field is a text.
pub(super) fn is_text(field: &str, value: &str) -> Condition {
    Condition::Check { path: vec![field.into()], check: ValueCheck::Equals(ConditionValue::text(value)) }
}

impl Shop {
    /// Returns the order of the storage that equals `sort`, if there is one.
    pub(super) fn stored_order_for(
        &self,
        kind: KindId,
        plan: &QueryPlan,
        sort: &QuerySort,
    ) -> Option<StoredOrder> {
        let [expression] = sort.expressions() else { return None };
        if plan.access != AccessPath::Scan {
            return None;
        }
        let [name] = &expression.path[..] else { return None };
        if &**name == "id" {
            let descending = expression.descending;
            let direction = if descending { ScanDirection::Descending } else { ScanDirection::Ascending };
            return Some(StoredOrder::Id(direction));
        }
        let entry = self.model.kind(self.model.stored_kind(kind));
        let field = self.model.object(entry.object).field(name)?;
        let is_indexed = entry.indexed.iter().any(|path| path.len() == 1 && path[0] == **name);
        let index = match expression.lowercase {
            false => name.to_string(),
            true => entry.lowercased.iter().find(|(text, _)| text[..] == [name.to_string()])?.1.join("."),
        };
        (is_indexed && field.required && !field.shape.is_list())
            .then_some(StoredOrder::Index { path: index, descending: expression.descending })
    }

    /// Visits the id and bytes of each match, by id unless `ready` is another order. Ends when the client has
    /// disconnected.
    pub(super) fn visit_matches(
        &self,
        kind: KindId,
        plan: &QueryPlan,
        (ready, meter): (Option<&StoredOrder>, &ResponseMeter),
        visit: &mut dyn FnMut(&str, &[u8]) -> ControlFlow<()>,
    ) -> ApiResult<()> {
        let type_id = &self.model.kind(self.model.stored_kind(kind)).type_id;
        let filter = (plan.filter != Condition::Constant(true)).then_some(&plan.filter);
        let mut pass = |stored: StoredDocumentRef<'_>| {
            if !meter.is_client_waiting() {
                return ControlFlow::Break(());
            }
            if filter.is_none_or(|filter| evaluate(filter, stored.body)) {
                visit(stored.id, stored.body)
            } else {
                ControlFlow::Continue(())
            }
        };
        let result = match (&plan.access, ready) {
            (AccessPath::Nothing, _) => Ok(()),
            (AccessPath::Scan, Some(StoredOrder::Index { path, descending })) => {
                let page =
                    IndexPage { sort: IndexSort::Value, descending: *descending, ..IndexPage::default() };
                self.storage.visit_indexed(type_id, path, &IndexRange::all(), &page, &mut pass)
            }
            (AccessPath::Scan, Some(StoredOrder::Id(direction))) => {
                self.storage.scan(type_id, *direction, None, &mut pass)
            }
            (AccessPath::Scan, None) => self.storage.scan(type_id, ScanDirection::Ascending, None, &mut pass),
            (AccessPath::Ids(ids), _) => {
                let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
                self.visit_ids(type_id, &ids, &mut pass)
            }
            (AccessPath::Unique { fields, keys }, _) => {
                let path = fields.first().map(dotted).unwrap_or_default();
                if let [key] = &keys[..] {
                    let found = self.storage.get_by_unique(type_id, &path, &stored_key(key));
                    if let Some(stored) = found.map_err(storage_failure)? {
                        let _ = pass(stored.borrowed());
                    }
                    return Ok(());
                }
                let mut ids = Vec::new();
                for key in keys {
                    let found = self
                        .storage
                        .find_unique(type_id, &path, &stored_key(key))
                        .map_err(storage_failure)?;
                    ids.extend(found);
                }
                ids.sort();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                self.visit_ids(type_id, &ids, &mut pass)
            }
            (AccessPath::Index { path, values }, _) => {
                let range = IndexRange::In(values.iter().map(index_value).collect());
                self.storage.visit_indexed(type_id, &dotted(path), &range, &IndexPage::default(), &mut pass)
            }
            (AccessPath::AnyOf(lookups), _) => {
                let mut merged = MergedLookups::new(type_id, lookups);
                merged.visit(self.storage.as_ref(), &mut pass)
            }
            (AccessPath::IndexRange { path, from, to }, _) => {
                let range = IndexRange::Between(bound(from), bound(to));
                self.storage.visit_indexed(type_id, &dotted(path), &range, &IndexPage::default(), &mut pass)
            }
        };
        result.map_err(storage_failure)
    }

    /// Visits the bytes of each match that is visible to the request.
    pub(super) fn visit_visible(
        &self,
        kind: KindId,
        request: &ListRequest,
        plan: &QueryPlan,
        ready: Option<&StoredOrder>,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ApiResult<()> {
        let view_options = &request.view_options;
        let Some(behaviour) = self.behaviours.get(kind).filter(|_| view_options.store.is_some()) else {
            return self.visit_matches(kind, plan, (ready, &request.meter), &mut |_, body| visit(body));
        };
        self.with_rules_in_scope(&request.bounds, &self.project(), |rules| {
            let mut failed = None;
            self.visit_matches(kind, plan, (ready, &request.meter), &mut |_, body| {
                let is_there = match self.requested_side(kind, body, view_options) {
                    Ok(Some(side)) => behaviour.is_visible(&side, view_options, rules),
                    Ok(None) => Ok(false),
                    Err(error) => Err(error),
                };
                match is_there {
                    Ok(true) => visit(body),
                    Ok(false) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            })?;
            failed.map_or(Ok(()), Err)
        })
    }

    fn visit_ids(
        &self,
        type_id: &str,
        ids: &[&str],
        pass: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> kontor_storage::Result<()> {
        self.read_in_parts(type_id, ids, &mut |part| {
            part.into_iter().flatten().try_for_each(|stored| pass(stored.borrowed()))
        })
    }
}

/// Returns the stored value of a unique key: the fields that it is unique together with, then the field itself.
fn stored_key(values: &[ConditionValue]) -> String {
    let texts: Vec<&str> =
        values.iter().map(|value| if let ConditionValue::Text(text) = value { text } else { "" }).collect();
    let parts: Vec<&str> = texts.iter().skip(1).chain(texts.first()).copied().collect();
    crate::document_writes::joined_key(&parts)
}

fn bound(bound: &Bound<ConditionValue>) -> Bound<IndexValue> {
    match bound {
        Bound::Included(value) => Bound::Included(index_value(value)),
        Bound::Excluded(value) => Bound::Excluded(index_value(value)),
        Bound::Unbounded => Bound::Unbounded,
    }
}
