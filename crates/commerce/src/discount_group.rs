//! Discount Group: Cart Discounts of which only the best applies.
//!
//! Source: reference types `DiscountGroup`, `DiscountGroupDraft`, `DiscountGroup…Action`,
//! `MaxDiscountGroupsReachedError`; document A, "Discount Groups and Cart Discounts". Conversations:
//! `tests/api/discount-groups/`.

use crate::cart_discount_epoch::{CART_DISCOUNT, DISCOUNT_GROUP, start_epoch};
use crate::sort_order;
use kontor_engine::document::must_get;
use kontor_engine::{
    Behaviour, Document, Effects, IndexValue, Limit, Precondition, RefusalReason, Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;

/// The maximum number of active Discount Groups in a project (public documentation, "Discount Groups").
const GROUPS_ACTIVE_MAX: u64 = 100;
/// The computed index row of active groups, and its value.
const ACTIVE: &str = "active";
const YES: &str = "yes";

pub(crate) struct DiscountGroup;

impl Behaviour for DiscountGroup {
    fn resource(&self) -> &'static str {
        "DiscountGroup"
    }

    fn limits(&self) -> &'static [Limit] {
        const ACTIVE_GROUPS: &[Limit] =
            &[Limit { name: "active", most: GROUPS_ACTIVE_MAX, counted: Some((ACTIVE, YES)) }];
        ACTIVE_GROUPS
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if is_new("sortOrder") {
            sort_order::check_sort_order(after)?;
            sort_order::admit_beside(CART_DISCOUNT, after, rules);
        }
        if is_new("isActive") && is_active(after) {
            rules.require(Precondition::IndexedAtMost {
                kind: DISCOUNT_GROUP.into(),
                path: ACTIVE.into(),
                value: YES.into(),
                limit: GROUPS_ACTIVE_MAX,
            });
        }
        if is_new("sortOrder") || is_new("isActive") {
            start_epoch(effects);
        }
        Ok(())
    }

    /// Messages name the group in addition to their `resource` (document A, "Events").
    fn message_fields(&self, _message: &str, group: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        let id = must_get(group, &["id"])?.clone();
        Ok(Document::from_iter([("discountGroupId".to_owned(), id)]))
    }

    fn unique_keys(&self, group: &Document) -> Vec<UniqueKey> {
        sort_order::unique_keys(group)
    }

    fn index_rows(&self, group: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let active = is_active(group).then(|| (ACTIVE.to_owned(), IndexValue::from(YES)));
        Ok(active.into_iter().chain(sort_order::index_row(group)).collect())
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Precondition(Precondition::IndexedAtMost { path, .. }) if path == ACTIVE => {
                let message =
                    format!("Maximum number of active discount groups reached ({GROUPS_ACTIVE_MAX}).");
                Some(ApiError::new(Code::MaxDiscountGroupsReached, message))
            }
            other => sort_order::duplicate_sort_order_error(other),
        }
    }
}

fn is_active(group: &Document) -> bool {
    group.get("isActive") == Some(&json!(true))
}
