//! Shipping Method: the Zones it ships to, its rates, and the Carts it applies to.
//!
//! Source: reference types `ShippingMethod`, `ShippingMethodDraft`, `ShippingMethod…Action`; document A, "Orders,
//! Carts, Shipping" (`active`). Conversations: `tests/api/shipping-methods/`.

mod matching;
mod rate;
mod rate_check;
mod zone;
mod zone_rates;

pub(crate) use matching::{is_for_store_of, matches};
pub(crate) use rate::{ShippingRateView, shipping_rate_for};
pub(crate) use rate_check::admit_rate;

use crate::cart_predicate::CartPredicate;
use kontor_engine::document::{list, text};
use kontor_engine::{
    ActionHandler, Behaviour, Document, Effects, Limit, ListEndpointHandler, RefusalReason, Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// Marks the default Shipping Method of the Project.
const IS_DEFAULT: &str = "isDefault";
/// The value of the default's unique key.
const YES: &str = "true";

/// The maximum number of Stores (reference type `ShippingMethodDraft`).
const STORES: Limit = Limit { name: "stores", most: 100, counted: None };

pub(crate) struct ShippingMethod;

impl Behaviour for ShippingMethod {
    fn resource(&self) -> &'static str {
        "ShippingMethod"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addZone", zone_rates::add_zone),
            ("removeZone", zone_rates::remove_zone),
            ("addShippingRate", zone_rates::add_rate),
            ("removeShippingRate", zone_rates::remove_rate),
        ]
    }

    fn list_endpoints(&self) -> &'static [(&'static str, ListEndpointHandler)] {
        &[
            ("byCart", matching::by_cart),
            ("byCartLocation", matching::by_cart_and_location),
            ("byLocation", matching::by_location),
            ("byOrderEdit", matching::by_order_edit),
        ]
    }

    fn limits(&self) -> &'static [Limit] {
        &[STORES]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if is_new("predicate")
            && let Some(predicate) = text(after, &["predicate"])
        {
            CartPredicate::read(predicate, rules)?;
        }
        if is_new("zoneRates") {
            zone_rates::check_zone_rates(before, after, rules)?;
        }
        admit_stores(after)
    }

    fn unique_keys(&self, method: &Document) -> Vec<UniqueKey> {
        let is_default = method.get(IS_DEFAULT) == Some(&json!(true));
        is_default.then(|| UniqueKey::new(IS_DEFAULT, YES)).into_iter().collect()
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Duplicate { path: IS_DEFAULT, .. } => {
                Some(ApiError::duplicate_field(IS_DEFAULT, json!(true)).with_message(
                    "Only one Shipping Method of the Project can be the default: another one is already.",
                ))
            }
            _ => None,
        }
    }
}

/// Checks the number of Stores, and refuses duplicates.
fn admit_stores(method: &Document) -> ApiResult<()> {
    let stores = list(method, &["stores"]);
    if stores.len() as u64 > STORES.most {
        return Err(ApiError::invalid_operation(format!(
            "A Shipping Method is for at most {} Stores, not {}.",
            STORES.most,
            stores.len()
        )));
    }
    let mut seen = HashSet::new();
    match stores.iter().find(|store| !seen.insert(*store)) {
        Some(twice) => Err(ApiError::duplicate_field("stores", Value::clone(twice))),
        None => Ok(()),
    }
}
