//! Change types of the shipping of Orders.

use super::shared_rows::{address, copied, tax_mode, tax_rate};
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::recording_rule::{ElementRule, FieldRow, custom, element_list, parts, rust, silent, value};
use kontor_engine::Document;
use kontor_json::{Value, json};

pub(super) const SHIPPING: ElementRule = ElementRule {
    by: &["shippingKey"],
    added: Some(change("addShipping")),
    removed: Some(change("removeShipping")),
    about: |shipping| vec![("shippingKey", copied(shipping, "shippingKey"))],
    rows: &[
        parts("shippingInfo", SHIPPING_INFO),
        value("shippingAddress", change("setShippingAddress")),
        value("shippingRateInput", change("setShippingRateInput")),
        custom("shippingCustomFields", change("setShippingCustomType"), change("setShippingCustomField")),
    ],
    ..ElementRule::NOTHING
};

pub(super) const SHIPPING_INFO: &[FieldRow] = &[
    rust("shippingMethod", METHOD, method),
    rust("shippingMethodName", METHOD, |sides, recorded| {
        if !sides.differ("shippingMethod") {
            method(sides, recorded);
        }
    }),
    value("price", change("setShippingInfoPrice")),
    value("shippingRate", change("setShippingRate")),
    value("taxedPrice", change("setShippingInfoTaxedPrice")),
    rust("taxRate", TAX_RATE, shipping_tax),
    rust("taxCategory", TAX_CATEGORY, |sides, recorded| {
        let (before, after) = sides.values("taxCategory");
        let mode = tax_mode(recorded);
        recorded.record_with(TAX_CATEGORY[0], before, after, [("taxMode", mode)]);
    }),
    value("discountedPrice", change("setShippingInfoDiscountedPrice")),
    element_list("deliveries", &DELIVERIES),
    silent("shippingMethodState"),
];

const METHOD: &[ChangeName] = &[change("setShippingMethod"), change("setCustomShippingMethod")];

/// Records the Shipping Method, or a custom one of this Order alone.
fn method(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let shown = |info: &Document| -> Option<Value> {
        let name = info.get("shippingMethodName")?;
        Some(match info.get("shippingMethod").and_then(|method| method.get("id")) {
            Some(id) => json!({"id": id, "name": name}),
            None => json!({"name": name}),
        })
    };
    let (before, after) = (shown(change.before), shown(change.after));
    let is_custom = after.as_ref().or(before.as_ref()).is_some_and(|method| method.get("id").is_none());
    changes.record(METHOD[usize::from(is_custom)], before.as_ref(), after.as_ref());
}

const TAX_RATE: &[ChangeName] = &[change("setShippingMethodTaxRate"), change("setShippingMethodTaxAmount")];
const TAX_CATEGORY: &[ChangeName] = &[change("setShippingMethodTaxCategory")];

fn shipping_tax(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let mode = tax_mode(changes);
    if mode != "ExternalAmount" {
        tax_rate(TAX_RATE, change, changes);
        return;
    }
    let amount = |info: &Document| {
        let fields = ["taxedPrice", "taxRate"].into_iter();
        Value::Object(fields.filter_map(|name| Some((name.to_owned(), info.get(name)?.clone()))).collect())
    };
    let (before, after) = (amount(change.before), amount(change.after));
    changes.record_with(TAX_RATE[1], Some(&before), Some(&after), [("taxMode", mode)]);
}

const DELIVERIES: ElementRule = ElementRule {
    added: Some(change("addDelivery")),
    removed: Some(typed("removeDelivery", "RemoveDeliveryItems")),
    about: |delivery| vec![("deliveryId", copied(delivery, "id"))],
    rows: &[
        value("items", change("setDeliveryItems")),
        rust("address", DELIVERY_ADDRESS, delivery_address),
        element_list("parcels", &PARCELS),
        custom("custom", change("setDeliveryCustomType"), change("setDeliveryCustomField")),
    ],
    ..ElementRule::NOTHING
};

const DELIVERY_ADDRESS: &[ChangeName] = &[
    change("setDeliveryAddress"),
    change("setDeliveryAddressCustomType"),
    change("setDeliveryAddressCustomField"),
];

fn delivery_address(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let id = change.after.get("address").and_then(|address| address.get("id")).cloned();
    changes.with_context(vec![("addressId", id.unwrap_or_default())], |changes| {
        address("address", DELIVERY_ADDRESS, change, changes);
    });
}

const PARCELS: ElementRule = ElementRule {
    added: Some(change("addParcelToDelivery")),
    removed: Some(change("removeParcelFromDelivery")),
    about: |parcel| {
        vec![("parcel", json!({"id": copied(parcel, "id"), "createdAt": copied(parcel, "createdAt")}))]
    },
    rows: &[
        value("items", change("setParcelItems")),
        value("measurements", change("setParcelMeasurements")),
        value("trackingData", change("setParcelTrackingData")),
        custom("custom", change("setParcelCustomType"), change("setParcelCustomField")),
    ],
    ..ElementRule::NOTHING
};
