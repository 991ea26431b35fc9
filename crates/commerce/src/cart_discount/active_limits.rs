//! Limits the number of active Cart Discounts that need no Discount Code, in the project and in each Store. The limits
//! are checked with computed index rows.
//!
//! Source: reference types `MaxCartDiscountsReachedError`, `StoreCartDiscountsLimitReachedError`,
//! `MaxStoreReferencesReachedError`; public documentation, "Cart Discounts".

use crate::cart_discount_epoch::CART_DISCOUNT;
use kontor_engine::document::list;
use kontor_engine::{Document, IndexValue, Limit, Precondition, RefusalReason, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;

/// The maximum number of active Cart Discounts without a code: in the project, and in each Store.
const WITHOUT_CODE_ACTIVE_MAX: u64 = 100;
/// Most Stores of a Cart Discount.
const STORES_MAX: usize = 500;
/// The computed index row of active discounts without a code: its value is [`EVERYWHERE`], or [`IN_STORE`] followed by
/// the key of a Store.
const ACTIVE: &str = "active without code";
const EVERYWHERE: &str = "everywhere";
const IN_STORE: &str = "in store ";
/// The computed index row of all active discounts without a code, and its value.
pub(super) const WITHOUT_CODE: &str = "without code";
pub(super) const YES: &str = "yes";

pub(super) const LIMITS: &[Limit] =
    &[Limit { name: "active", most: WITHOUT_CODE_ACTIVE_MAX, counted: Some((ACTIVE, EVERYWHERE)) }];

/// Requires that the limits are met when the change is written.
pub(super) fn require_limits(discount: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if list(discount, &["stores"]).len() > STORES_MAX {
        let message =
            format!("Maximum number of store discounts on a single cart discount reached {STORES_MAX}.");
        return Err(ApiError::new(Code::MaxStoreReferencesReached, message));
    }
    for (path, value) in index_rows(discount).into_iter().filter(|(path, _)| path == ACTIVE) {
        let kind = CART_DISCOUNT.to_owned();
        rules.require(Precondition::IndexedAtMost { kind, path, value, limit: WITHOUT_CODE_ACTIVE_MAX });
    }
    Ok(())
}

pub(super) fn index_rows(discount: &Document) -> Vec<(String, IndexValue)> {
    let is = |field: &str| discount.get(field) == Some(&json!(true));
    if !is("isActive") || is("requiresDiscountCode") {
        return Vec::new();
    }
    let stores = list(discount, &["stores"]);
    let mut values: Vec<String> =
        stores.iter().filter_map(|store| Some(format!("{IN_STORE}{}", store["key"].as_str()?))).collect();
    if stores.is_empty() {
        values.push(EVERYWHERE.to_owned());
    }
    let counted = values.into_iter().map(|value| (ACTIVE.to_owned(), IndexValue::from(value.as_str())));
    counted.chain([(WITHOUT_CODE.to_owned(), IndexValue::from(YES))]).collect()
}

pub(super) fn limit_error(refused: RefusalReason<'_>) -> Option<ApiError> {
    let RefusalReason::Precondition(Precondition::IndexedAtMost {
        path, value: IndexValue::Text(value), ..
    }) = refused
    else {
        return None;
    };
    if path != ACTIVE {
        return None;
    }
    Some(match value.strip_prefix(IN_STORE) {
        Some(store) => {
            let message = format!("Maximum number of active cart discounts reached for {store}.");
            let stores = json!([{"typeId": "store", "key": store}]);
            ApiError::new(Code::StoreCartDiscountsLimitReached, message).with_field("stores", stores)
        }
        None => {
            let message =
                format!("Maximum number of active cart discounts reached ({WITHOUT_CODE_ACTIVE_MAX}).");
            ApiError::new(Code::MaxCartDiscountsReached, message)
        }
    })
}
