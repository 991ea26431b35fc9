//! Change types of Shopping Lists and of quotes.

use super::shared_rows::{
    KEY, SET_LOCALIZED_DESCRIPTION, SET_LOCALIZED_NAME, STATE, STORE, copied, id_and_name,
};
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::recording_rule::{CUSTOM, ElementRule, FieldRow, custom, element_list, rust, silent, value};
use kontor_json::{Value, json};

pub(super) const SHOPPING_LIST: &[FieldRow] = &[
    KEY,
    SET_LOCALIZED_NAME,
    value("slug", change("setSlug")),
    SET_LOCALIZED_DESCRIPTION,
    value("customer", change("setCustomer")),
    value("anonymousId", change("setAnonymousId")),
    value("deleteDaysAfterLastModification", change("setDeleteDaysAfterLastModification")),
    STORE,
    value("businessUnit", change("setBusinessUnit")),
    element_list("lineItems", &LIST_LINE_ITEMS),
    element_list("textLineItems", &TEXT_LINE_ITEMS),
    CUSTOM,
];

const LIST_LINE_ITEMS: ElementRule = ElementRule {
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
    ..ElementRule::NOTHING
};

fn list_line_item(item: &Value) -> Value {
    let recorded = ["id", "name", "variantId"].into_iter();
    Value::Object(recorded.filter_map(|field| Some((field.to_owned(), item.get(field)?.clone()))).collect())
}

const TEXT_LINE_ITEMS: ElementRule = ElementRule {
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
    ..ElementRule::NOTHING
};

pub(super) const QUOTE_REQUEST: &[FieldRow] = &[
    value("quoteRequestState", change("changeQuoteRequestState")),
    value("customer", change("changeCustomer")),
    STATE,
    CUSTOM,
];

pub(super) const STAGED_QUOTE: &[FieldRow] = &[
    value("stagedQuoteState", change("changeStagedQuoteState")),
    value("sellerComment", change("setSellerComment")),
    value("validTo", change("setValidTo")),
    STATE,
    CUSTOM,
];

pub(super) const QUOTE: &[FieldRow] = &[
    rust("quoteState", QUOTE_STATE, quote_state),
    silent("buyerComment"),
    value("customer", change("changeCustomer")),
    value("validTo", change("setValidTo")),
    STATE,
    CUSTOM,
];

const QUOTE_STATE: &[ChangeName] = &[change("changeQuoteState"), change("requestQuoteRenegotiation")];

/// Records the new state of a quote; a renegotiation contains the buyer's comment.
fn quote_state(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("quoteState");
    if changes.has_action("requestQuoteRenegotiation") {
        let comment = copied(change.after, "buyerComment");
        changes.record_with(QUOTE_STATE[1], before, after, [("buyerComment", comment)]);
    } else {
        changes.record(QUOTE_STATE[0], before, after);
    }
}

pub(super) const CUSTOM_OBJECT: &[FieldRow] = &[rust("value", VALUE, custom_object_value)];

const VALUE: &[ChangeName] =
    &[change("addProperty"), change("removeProperty"), change("setProperty"), change("setValue")];

/// Records the value of a Custom Object: properties of an object one by one, any other value as a whole.
fn custom_object_value(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    match change.objects("value") {
        Some(properties) => property(&properties, "", changes),
        None => {
            let (before, after) = change.values("value");
            changes.record(VALUE[3], before, after);
        }
    }
}

fn property(change: &ObjectChange<'_>, above: &str, changes: &mut ChangeCollector<'_>) {
    for name in change.names() {
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let (before, after): (Option<&Value>, Option<&Value>) =
            (change.before.get(name), change.after.get(name));
        if before == after {
            continue;
        }
        match (before.and_then(Value::as_object), after.and_then(Value::as_object)) {
            (Some(before), Some(after)) => property(&ObjectChange { before, after }, &path, changes),
            _ => {
                let which = match (before, after) {
                    (None, _) => 0,
                    (_, None) => 1,
                    _ => 2,
                };
                changes.record_with(VALUE[which], before, after, [("path", json!(path))]);
            }
        }
    }
}
