//! Messages of a recalculated Order: from a comparison of the Order before and after all actions.
//!
//! Source: the `Order…Message` types that name Order Edits.

use kontor_engine::Document;
use kontor_engine::document::{fields, list};
use kontor_json::{Value, json};

/// Names of messages, with their fields.
type NamedMessages = Vec<(&'static str, Document)>;

/// Shipping fields that follow from others, or have a separate Message.
const NOT_OF_SHIPPING: [&str; 7] = [
    "deliveries",
    "discountedPrice",
    "estimatedDelivery",
    "price",
    "shippingMethodState",
    "taxRate",
    "taxedPrice",
];

/// The messages of a change.
pub(super) fn messages_of_change(before: &Document, after: &Document) -> NamedMessages {
    let mut told = NamedMessages::new();
    of_line_items(before, after, &mut told);
    of_custom_line_items(before, after, &mut told);
    let (old, new) = (before.get("customerGroup"), after.get("customerGroup"));
    if old != new && before.get("customerId") == after.get("customerId") {
        told.push(("OrderCustomerGroupSet", changed("customerGroup", "oldCustomerGroup", old, new)));
    }
    of_discount_codes(before, after, &mut told);
    let (old, new) = (before.get("shippingInfo"), after.get("shippingInfo"));
    if old.map(way) != new.map(way) {
        told.push(("OrderShippingInfoSet", changed("shippingInfo", "oldShippingInfo", old, new)));
    }
    let (old, new) = (before.get("shippingRateInput"), after.get("shippingRateInput"));
    if old != new {
        let fields = changed("shippingRateInput", "oldShippingRateInput", old, new);
        told.push(("OrderShippingRateInputSet", fields));
    }
    told
}

fn changed(name: &'static str, old_name: &'static str, old: Option<&Value>, new: Option<&Value>) -> Document {
    fields([(name, new.cloned()), (old_name, old.cloned())])
}

/// Returns the shipping without its price and its address.
fn way(info: &Value) -> Document {
    let Value::Object(mut way) = info.clone() else { return Document::new() };
    way.retain(|name, _| !NOT_OF_SHIPPING.contains(&name.as_str()));
    way
}

/// Returns each item of two lists by its id: before and after.
fn pair_items<'d>(
    before: &'d Document,
    after: &'d Document,
    field: &str,
) -> impl Iterator<Item = (Option<&'d Value>, Option<&'d Value>)> {
    let (old, new) = (list(before, &[field]), list(after, &[field]));
    let same = |items: &'d [Value], item: &Value| items.iter().find(|other| other["id"] == item["id"]);
    let gone = old.iter().filter(move |item| same(new, item).is_none()).map(|item| (Some(item), None));
    gone.chain(new.iter().map(move |item| (same(old, item), Some(item))))
}

fn quantity(item: Option<&Value>) -> i64 {
    item.and_then(|item| item["quantity"].as_i64()).unwrap_or(0)
}

fn of_line_items(before: &Document, after: &Document, messages: &mut NamedMessages) {
    for (old, new) in pair_items(before, after, "lineItems") {
        let difference = quantity(new) - quantity(old);
        if difference > 0 {
            let added = fields([("lineItem", new.cloned()), ("addedQuantity", Some(json!(difference)))]);
            messages.push(("OrderLineItemAdded", added));
        } else if difference < 0
            && let Some(old) = old
        {
            messages.push(("OrderLineItemRemoved", removed(old, new, -difference)));
        }
        let (Some(old), Some(new)) = (old, new) else { continue };
        if old.get("discountedPricePerQuantity") != new.get("discountedPricePerQuantity") {
            let mut set = identifying_fields(new, "lineItemId", "lineItemKey");
            set.extend(copy_fields(
                new,
                &["discountedPricePerQuantity", "totalPrice", "taxedPrice", "taxedPricePortions"],
            ));
            messages.push(("OrderLineItemDiscountSet", set));
        }
        if old.get("distributionChannel") != new.get("distributionChannel") {
            let mut set = identifying_fields(new, "lineItemId", "lineItemKey");
            set.extend(copy_fields(new, &["distributionChannel"]));
            messages.push(("OrderLineItemDistributionChannelSet", set));
        }
    }
}

/// Returns the remaining line item.
fn removed(old: &Value, new: Option<&Value>, quantity_removed: i64) -> Document {
    let nothing = |old: &Value| {
        let mut money = old["totalPrice"].clone();
        money["centAmount"] = json!(0);
        money
    };
    let of_new = |name: &str| new.and_then(|new| new.get(name)).cloned();
    let mut message_fields = identifying_fields(old, "lineItemId", "lineItemKey");
    message_fields.extend(fields([
        ("removedQuantity", Some(json!(quantity_removed))),
        ("newQuantity", Some(json!(quantity(new)))),
        ("newState", Some(of_new("state").unwrap_or_else(|| json!([])))),
        ("newTotalPrice", Some(of_new("totalPrice").unwrap_or_else(|| nothing(old)))),
        ("newTaxedPrice", of_new("taxedPrice")),
        ("newPrice", of_new("price")),
        ("newShippingDetail", of_new("shippingDetails")),
    ]));
    message_fields
}

fn of_custom_line_items(before: &Document, after: &Document, messages: &mut NamedMessages) {
    for (old, new) in pair_items(before, after, "customLineItems") {
        match (old, new) {
            (None, Some(new)) => {
                messages.push(("OrderCustomLineItemAdded", fields([("customLineItem", Some(new.clone()))])));
            }
            (Some(old), None) => {
                let mut removed = identifying_fields(old, "customLineItemId", "customLineItemKey");
                removed.insert("customLineItem", old.clone());
                messages.push(("OrderCustomLineItemRemoved", removed));
            }
            (Some(old), Some(new)) => {
                if old["quantity"] != new["quantity"] {
                    let mut changed = identifying_fields(new, "customLineItemId", "customLineItemKey");
                    changed.insert("quantity", new["quantity"].clone());
                    changed.insert("oldQuantity", old["quantity"].clone());
                    messages.push(("OrderCustomLineItemQuantityChanged", changed));
                }
                if old.get("discountedPricePerQuantity") != new.get("discountedPricePerQuantity") {
                    let mut set = identifying_fields(new, "customLineItemId", "customLineItemKey");
                    set.extend(copy_fields(new, &["discountedPricePerQuantity", "taxedPrice"]));
                    messages.push(("OrderCustomLineItemDiscountSet", set));
                }
            }
            (None, None) => {}
        }
    }
}

fn of_discount_codes(before: &Document, after: &Document, messages: &mut NamedMessages) {
    let (old, new) = (list(before, &["discountCodes"]), list(after, &["discountCodes"]));
    let same = |codes: &[Value], code: &Value| {
        codes.iter().find(|other| other["discountCode"]["id"] == code["discountCode"]["id"]).cloned()
    };
    let of = |code: &Value| fields([("discountCode", Some(code["discountCode"].clone()))]);
    for code in old.iter().filter(|code| same(new, code).is_none()) {
        messages.push(("OrderDiscountCodeRemoved", of(code)));
    }
    for code in new {
        match same(old, code) {
            None => messages.push(("OrderDiscountCodeAdded", of(code))),
            Some(old) if old["state"] != code["state"] => {
                let mut set = of(code);
                set.extend(changed("state", "oldState", old.get("state"), code.get("state")));
                messages.push(("OrderDiscountCodeStateSet", set));
            }
            Some(_) => {}
        }
    }
}

/// The id and the key of an item.
fn identifying_fields(item: &Value, id: &'static str, key: &'static str) -> Document {
    fields([(id, item.get("id").cloned()), (key, item.get("key").cloned())])
}

fn copy_fields(item: &Value, names: &[&str]) -> Document {
    names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect()
}
