//! Change types of Shopping Lists and of quotes.

use super::shared::{KEY, SET_LOCALIZED_DESCRIPTION, SET_LOCALIZED_NAME, STATE, STORE, copied, id_and_name};
use crate::rule::{CUSTOM, Each, Row, custom, each, rust, silent, value};
use crate::told::{Name, change, typed};
use crate::told::{Sides, Told};
use kontor_json::{Value, json};

pub(super) const SHOPPING_LIST: &[Row] = &[
    KEY,
    SET_LOCALIZED_NAME,
    value("slug", change("setSlug")),
    SET_LOCALIZED_DESCRIPTION,
    value("customer", change("setCustomer")),
    value("anonymousId", change("setAnonymousId")),
    value("deleteDaysAfterLastModification", change("setDeleteDaysAfterLastModification")),
    STORE,
    value("businessUnit", change("setBusinessUnit")),
    each("lineItems", &LIST_LINE_ITEMS),
    each("textLineItems", &TEXT_LINE_ITEMS),
    CUSTOM,
];

const LIST_LINE_ITEMS: Each = Each {
    added: Some(typed("addLineItem", "AddShoppingListLineItem")),
    removed: Some(typed("removeLineItem", "RemoveShoppingListLineItem")),
    arranged: Some((typed("changeLineItemsOrder", "ChangeShoppingListLineItemsOrder"), list_line_item)),
    about: |item| vec![("lineItem", list_line_item(&Value::Object(item.clone())))],
    rows: &[
        value("quantity", typed("changeLineItemQuantity", "ChangeShoppingListLineItemQuantity")),
        value("name", change("changeLineItemName")),
        value("published", change("changeLineItemPublished")),
        value("deactivatedAt", change("setLineItemDeactivatedAt")),
        custom(
            "custom",
            typed("setLineItemCustomType", "SetShoppingListLineItemCustomType"),
            typed("setLineItemCustomField", "SetShoppingListLineItemCustomField"),
        ),
    ],
    ..Each::NOTHING
};

fn list_line_item(item: &Value) -> Value {
    let told = ["id", "name", "variantId"].into_iter();
    Value::Object(told.filter_map(|field| Some((field.to_owned(), item.get(field)?.clone()))).collect())
}

const TEXT_LINE_ITEMS: Each = Each {
    added: Some(change("addTextLineItem")),
    removed: Some(change("removeTextLineItem")),
    arranged: Some((
        change("changeTextLineItemsOrder"),
        |item| json!({"id": item.get("id"), "name": item.get("name")}),
    )),
    about: |item| vec![("textLineItem", id_and_name(item))],
    rows: &[
        value("name", change("changeTextLineItemName")),
        value("description", change("setTextLineItemDescription")),
        value("quantity", change("changeTextLineItemQuantity")),
        custom("custom", change("setTextLineItemCustomType"), change("setTextLineItemCustomField")),
    ],
    ..Each::NOTHING
};

pub(super) const QUOTE_REQUEST: &[Row] = &[
    value("quoteRequestState", change("changeQuoteRequestState")),
    value("customer", change("changeCustomer")),
    STATE,
    CUSTOM,
];

pub(super) const STAGED_QUOTE: &[Row] = &[
    value("stagedQuoteState", change("changeStagedQuoteState")),
    value("sellerComment", change("setSellerComment")),
    value("validTo", change("setValidTo")),
    STATE,
    CUSTOM,
];

pub(super) const QUOTE: &[Row] = &[
    rust("quoteState", QUOTE_STATE, quote_state),
    silent("buyerComment"),
    value("customer", change("changeCustomer")),
    value("validTo", change("setValidTo")),
    STATE,
    CUSTOM,
];

const QUOTE_STATE: &[Name] = &[change("changeQuoteState"), change("requestQuoteRenegotiation")];

/// Records the new state of a quote; a renegotiation contains the buyer's comment.
fn quote_state(sides: &Sides<'_>, told: &mut Told<'_>) {
    let (before, after) = sides.of("quoteState");
    if told.asked_for("requestQuoteRenegotiation") {
        let comment = copied(sides.after, "buyerComment");
        told.tell_with(QUOTE_STATE[1], before, after, [("buyerComment", comment)]);
    } else {
        told.tell(QUOTE_STATE[0], before, after);
    }
}

pub(super) const CUSTOM_OBJECT: &[Row] = &[rust("value", VALUE, custom_object_value)];

const VALUE: &[Name] =
    &[change("addProperty"), change("removeProperty"), change("setProperty"), change("setValue")];

/// Records the value of a Custom Object: properties of an object one by one, any other value as a whole.
fn custom_object_value(sides: &Sides<'_>, told: &mut Told<'_>) {
    match sides.objects("value") {
        Some(properties) => property(&properties, "", told),
        None => {
            let (before, after) = sides.of("value");
            told.tell(VALUE[3], before, after);
        }
    }
}

fn property(sides: &Sides<'_>, above: &str, told: &mut Told<'_>) {
    for name in sides.names() {
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let (before, after): (Option<&Value>, Option<&Value>) =
            (sides.before.get(name), sides.after.get(name));
        if before == after {
            continue;
        }
        match (before.and_then(Value::as_object), after.and_then(Value::as_object)) {
            (Some(before), Some(after)) => property(&Sides { before, after }, &path, told),
            _ => {
                let which = match (before, after) {
                    (None, _) => 0,
                    (_, None) => 1,
                    _ => 2,
                };
                told.tell_with(VALUE[which], before, after, [("path", json!(path))]);
            }
        }
    }
}
