//! Change types of Orders.

use super::line_item::{CUSTOM_LINE_ITEMS, LINE_ITEMS};
use super::shared_rows::{STATE, STORE, address, copied, identifier, tax_mode};
use super::shipping::{SHIPPING, SHIPPING_INFO};
use crate::compare::custom_fields;
use crate::diff::{ChangeCollector, ObjectChange, items};
use crate::diff::{ChangeName, change, typed};
use crate::list_index::{IndexedList, missing_in};
use crate::recording_rule::{
    CUSTOM, ElementRule, FieldRow, custom, element_list, list, parts, rust, silent, value,
};
use kontor_json::{Value, json};

pub(super) const ORDER: &[FieldRow] = &[
    value("orderNumber", change("setOrderNumber")),
    value("purchaseOrderNumber", change("setPurchaseOrderNumber")),
    value("customerId", change("setCustomerId")),
    value("customerEmail", change("setCustomerEmail")),
    value("customerGroup", change("setCustomerGroup")),
    value("anonymousId", change("setAnonymousId")),
    value("businessUnit", change("setBusinessUnit")),
    STORE,
    value("orderState", change("changeOrderState")),
    value("shipmentState", change("changeShipmentState")),
    value("paymentState", change("changePaymentState")),
    STATE,
    value("locale", change("setLocale")),
    value("country", change("setCountry")),
    element_list("lineItems", &LINE_ITEMS),
    element_list("customLineItems", &CUSTOM_LINE_ITEMS),
    rust("shippingAddress", SHIPPING_ADDRESS, |sides, told| {
        address("shippingAddress", SHIPPING_ADDRESS, sides, told)
    }),
    rust("billingAddress", BILLING_ADDRESS, |sides, told| {
        address("billingAddress", BILLING_ADDRESS, sides, told)
    }),
    element_list("itemShippingAddresses", &ITEM_SHIPPING_ADDRESSES),
    parts("shippingInfo", SHIPPING_INFO),
    element_list("shipping", &SHIPPING),
    custom("shippingCustomFields", change("setShippingCustomType"), change("setShippingCustomField")),
    value("shippingRateInput", change("setShippingRateInput")),
    value("taxMode", change("changeTaxMode")),
    value("taxRoundingMode", change("changeTaxRoundingMode")),
    value("taxCalculationMode", change("changeTaxCalculationMode")),
    value("priceRoundingMode", change("changePriceRoundingMode")),
    value("discountTypeCombination", change("changeDiscountTypeCombination")),
    value("totalPrice", change("setOrderTotalPrice")),
    rust("taxedPrice", TAXED_PRICE, taxed_price),
    value("taxedShippingPrice", change("setTaxedShippingPrice")),
    value("discountOnTotalPrice", change("setDiscountOnTotalPrice")),
    element_list("discountCodes", &DISCOUNT_CODES),
    list("directDiscounts", change("setDirectDiscounts")),
    silent("directDiscountsIgnoreCartDiscounts"),
    rust("paymentInfo", PAYMENTS, payments),
    element_list("syncInfo", &SYNC_INFO),
    rust("returnInfo", RETURNS, returns),
    silent("completedAt"),
    silent("refusedGifts"),
    CUSTOM,
];

const SHIPPING_ADDRESS: &[ChangeName] = &[
    change("setShippingAddress"),
    change("setShippingAddressCustomType"),
    change("setShippingAddressCustomField"),
];
const BILLING_ADDRESS: &[ChangeName] = &[
    change("setBillingAddress"),
    change("setBillingAddressCustomType"),
    change("setBillingAddressCustomField"),
];

const ITEM_SHIPPING_ADDRESSES: ElementRule = ElementRule {
    by: &["key"],
    added: Some(typed("addItemShippingAddress", "AddItemShippingAddresses")),
    removed: Some(typed("removeItemShippingAddress", "RemoveItemShippingAddresses")),
    changed: Some(change("updateItemShippingAddress")),
    rows: &[rust("custom", ITEM_ADDRESS_CUSTOM, item_address_custom)],
    ..ElementRule::NOTHING
};

const ITEM_ADDRESS_CUSTOM: &[ChangeName] =
    &[change("setItemShippingAddressCustomType"), change("setItemShippingAddressCustomField")];

fn item_address_custom(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("custom");
    // Item shipping addresses are identified by their keys; an id is recorded if there is one.
    let id = change.after.get("id").or_else(|| change.after.get("key")).cloned().unwrap_or_default();
    changes.with_context(vec![("addressId", id)], |changes| {
        custom_fields(ITEM_ADDRESS_CUSTOM[0], ITEM_ADDRESS_CUSTOM[1], before, after, changes);
    });
}

const TAXED_PRICE: &[ChangeName] = &[change("setOrderTaxedPrice"), change("setOrderTotalTax")];

fn taxed_price(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("taxedPrice");
    let mode = tax_mode(changes);
    if changes.has_action("setOrderTotalTax") {
        let total = |price: Option<&Value>| price.and_then(|price| price.get("totalTax")).cloned();
        let (before, after) = (total(before), total(after));
        changes.record_with(TAXED_PRICE[1], before.as_ref(), after.as_ref(), [("taxMode", mode.clone())]);
    }
    changes.record_with(TAXED_PRICE[0], before, after, [("taxMode", mode)]);
}

const DISCOUNT_CODES: ElementRule = ElementRule {
    by: &["discountCode", "id"],
    added: Some(change("addDiscountCode")),
    removed: Some(change("removeDiscountCode")),
    ..ElementRule::NOTHING
};

const PAYMENTS: &[ChangeName] = &[change("addPayment"), change("removePayment")];

fn payments(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("paymentInfo");
    let payments = |info: Option<&Value>| items(info.and_then(|info| info.get("payments"))).to_vec();
    let (old, new) = (payments(before), payments(after));
    for _ in missing_in(&new, &old) {
        changes.record(PAYMENTS[0], before, after);
    }
    for _ in missing_in(&old, &new) {
        changes.record(PAYMENTS[1], before, after);
    }
}

const SYNC_INFO: ElementRule = ElementRule {
    by: &["channel", "id"],
    added: Some(change("updateSyncInfo")),
    changed: Some(change("updateSyncInfo")),
    about: |info| {
        let channel = info.get("channel").and_then(|channel| channel.get("id"));
        vec![("channelId", channel.cloned().unwrap_or_default())]
    },
    ..ElementRule::NOTHING
};

const RETURNS: &[ChangeName] = &[
    change("addReturnInfo"),
    change("setReturnInfo"),
    change("setReturnShipmentState"),
    change("setReturnPaymentState"),
    typed("setReturnItemCustomType", "SetReturnItemLineItemCustomType"),
    typed("setReturnItemCustomField", "SetReturnItemLineItemCustomField"),
    typed("setReturnItemCustomType", "SetReturnItemCustomLineItemCustomType"),
    typed("setReturnItemCustomField", "SetReturnItemCustomLineItemCustomField"),
];

/// Records returns: new entries, replaced ones, or changed states of their items.
fn returns(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (old, new) = change.lists("returnInfo");
    if changes.has_action("setReturnInfo") || new.len() < old.len() {
        let (before, after) = change.values("returnInfo");
        changes.record(RETURNS[1], before, after);
        return;
    }
    for (before, after) in old.iter().zip(new) {
        let known = IndexedList::new(items(before.get("items")), &["id"]);
        for (at, item) in items(after.get("items")).iter().enumerate() {
            let was = known.find_element(item, at);
            if let Some((before, after)) = was.and_then(Value::as_object).zip(item.as_object()) {
                return_item(&ObjectChange { before, after }, changes);
            }
        }
    }
    for info in new.iter().skip(old.len()) {
        changes.record(RETURNS[0], None, Some(info));
    }
}

fn return_item(item: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    for (field, name) in [("shipmentState", RETURNS[2]), ("paymentState", RETURNS[3])] {
        let (before, after) = item.values(field);
        if before != after {
            changes.record(name, before, after);
        }
    }
    if !item.differ("custom") {
        return;
    }
    let (before, after) = item.values("custom");
    let is_custom = item.after.contains_key("customLineItemId");
    let (list, id_field) =
        if is_custom { ("customLineItems", "customLineItemId") } else { ("lineItems", "lineItemId") };
    let id = copied(item.after, id_field);
    let line_item = items(changes.document.after.get(list)).iter().find(|one| one.get("id") == Some(&id));
    let name = line_item.and_then(|one| one.get("name")).cloned().unwrap_or_default();
    let mut about = vec![(if is_custom { "customLineItem" } else { "lineItem" }, name), (id_field, id)];
    if let Some(variant) = line_item.and_then(|one| one.get("variant")).and_then(Value::as_object) {
        about.push(("variant", json!(identifier(variant))));
    }
    let (of_type, of_field) = if is_custom { (RETURNS[6], RETURNS[7]) } else { (RETURNS[4], RETURNS[5]) };
    changes.with_context(about, |changes| custom_fields(of_type, of_field, before, after, changes));
}
