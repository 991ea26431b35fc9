//! Change types of prices, stock and discounts.

use super::shared_rows::{
    CHANGE_LOCALIZED_NAME, KEY, REFERENCES, SET_LOCALIZED_DESCRIPTION, SET_LOCALIZED_NAME, STORES,
    VALID_FROM, VALID_UNTIL, ValidityChanges,
};
use crate::compare::object;
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::recording_rule::{CUSTOM, FieldRow, custom, list, rust, silent, value};
use kontor_engine::Document;
use kontor_json::{Value, json};

pub(super) const STANDALONE_PRICE: &[FieldRow] = &[
    value("key", typed("setKey", "StandalonePriceSetKey")),
    rust("value", PRICE_VALUE, |sides, told| current(sides, PRICE_VALUE_ROW, told)),
    rust("discounted", PRICE_VALUE, |sides, told| current(sides, PRICE_DISCOUNTED_ROW, told)),
    rust("staged", PRICE_VALUE, staged),
    value("active", typed("changeActive", "StandalonePriceChangeActive")),
    list("tiers", typed("setPriceTiers", "StandalonePriceSetPriceTiers")),
    rust("validFrom", PRICE_VALIDITY, |sides, told| PRICE_VALID.record_start(sides, told)),
    rust("validUntil", PRICE_VALIDITY, |sides, told| PRICE_VALID.record_end(sides, told)),
    custom(
        "custom",
        typed("setCustomType", "StandalonePriceSetCustomType"),
        typed("setCustomField", "StandalonePriceSetCustomField"),
    ),
];

const PRICE_VALID: ValidityChanges = ValidityChanges {
    from: typed("setValidFrom", "StandalonePriceSetValidFrom"),
    until: typed("setValidUntil", "StandalonePriceSetValidUntil"),
    both: typed("setValidFromAndUntil", "StandalonePriceSetValidFromAndUntil"),
};
const PRICE_VALIDITY: &[ChangeName] = &[PRICE_VALID.from, PRICE_VALID.until, PRICE_VALID.both];
const PRICE_VALUE: &[ChangeName] = &[
    typed("changeValue", "StandalonePriceChangeValue"),
    typed("setDiscountedPrice", "StandalonePriceSetDiscountedPrice"),
];
const PRICE_VALUE_ROW: &[FieldRow] = &[value("value", typed("changeValue", "StandalonePriceChangeValue"))];
const PRICE_DISCOUNTED_ROW: &[FieldRow] =
    &[value("discounted", typed("setDiscountedPrice", "StandalonePriceSetDiscountedPrice"))];

/// Records a field of the current (effective) price.
fn current(change: &ObjectChange<'_>, rows: &'static [FieldRow], changes: &mut ChangeCollector<'_>) {
    changes.with_context(vec![("staged", json!(false))], |changes| object(rows, change, changes));
}

/// Records the staged price. Its removal is not recorded: it was either applied, which the current price shows, or
/// dropped.
fn staged(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    let (before, after) = change.values("staged");
    let Some(after) = fields(after) else { return };
    // A new staged price begins as a copy of the current one.
    let before = fields(before).unwrap_or_else(|| {
        let of_current = ["value", "discounted"].into_iter();
        of_current.filter_map(|name| Some((name.to_owned(), change.before.get(name)?.clone()))).collect()
    });
    let change = ObjectChange { before: &before, after: &after };
    changes.with_context(vec![("staged", json!(true))], |changes| {
        object(PRICE_VALUE_ROW, &change, changes);
        object(PRICE_DISCOUNTED_ROW, &change, changes);
    });
}

pub(super) const INVENTORY_ENTRY: &[FieldRow] = &[
    KEY,
    rust("quantityOnStock", CHANGE_QUANTITY, quantity),
    rust("availableQuantity", CHANGE_QUANTITY, |sides, told| {
        if !sides.differ("quantityOnStock") {
            quantity(sides, told);
        }
    }),
    value("restockableInDays", change("setRestockableInDays")),
    value("expectedDelivery", change("setExpectedDelivery")),
    value("supplyChannel", change("setSupplyChannel")),
    value("minCartQuantity", change("setMinCartQuantity")),
    value("maxCartQuantity", change("setMaxCartQuantity")),
    value("reservationExpirationInMinutes", change("setReservationExpirationInMinutes")),
    list("reservations", change("setReservations")),
    silent("stockLevels"),
    CUSTOM,
];

const CHANGE_QUANTITY: &[ChangeName] = &[change("changeQuantity")];

fn quantity(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let of = |entry: &Document| {
        let fields = ["quantityOnStock", "availableQuantity"].into_iter();
        let set = fields.filter_map(|name| Some((name.to_owned(), entry.get(name)?.clone())));
        Value::Object(set.collect())
    };
    changes.record(CHANGE_QUANTITY[0], Some(&of(change.before)), Some(&of(change.after)));
}

pub(super) const PRODUCT_DISCOUNT: &[FieldRow] = &[
    KEY,
    CHANGE_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    value("value", change("changeValue")),
    value("predicate", change("changePredicate")),
    value("sortOrder", change("changeSortOrder")),
    value("isActive", change("changeIsActive")),
    value("isValid", change("setIsValid")),
    REFERENCES,
    VALID_FROM,
    VALID_UNTIL,
];

pub(super) const CART_DISCOUNT: &[FieldRow] = &[
    KEY,
    CHANGE_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    value("value", change("changeValue")),
    value("cartPredicate", change("changeCartPredicate")),
    value("target", change("changeTarget")),
    value("sortOrder", change("changeSortOrder")),
    value("isActive", change("changeIsActive")),
    value("requiresDiscountCode", change("changeRequiresDiscountCode")),
    value("stackingMode", change("changeStackingMode")),
    STORES,
    REFERENCES,
    VALID_FROM,
    VALID_UNTIL,
    CUSTOM,
];

pub(super) const DISCOUNT_CODE: &[FieldRow] = &[
    KEY,
    SET_LOCALIZED_NAME,
    SET_LOCALIZED_DESCRIPTION,
    list("cartDiscounts", change("changeCartDiscounts")),
    value("cartPredicate", change("setCartPredicate")),
    value("isActive", change("changeIsActive")),
    list("groups", change("changeGroups")),
    value("maxApplications", change("setMaxApplications")),
    value("maxApplicationsPerCustomer", change("setMaxApplicationsPerCustomer")),
    value("applicationVersion", change("setApplicationVersion")),
    STORES,
    REFERENCES,
    VALID_FROM,
    VALID_UNTIL,
    CUSTOM,
];
