//! Shopping List: its owner, its items, and fields that follow their Products. Start at [`ShoppingList`].
//!
//! The model says when a list is deleted automatically (`expires`).
//!
//! Source: reference types `ShoppingList`, `ShoppingListDraft`, `MyShoppingListDraft`,
//! `ShoppingListLineItem`, `TextLineItem`, `ShoppingList…Action`, `ShoppingListLineItem…Message`.
//! Conversations: `tests/api/shopping-lists/`.

mod expanded_product_fields;
mod line_items;
mod product;
mod quantity;

use crate::business_unit_reference::{self, UnitDocumentKind};
use crate::owner::admit_owner;
use kontor_engine::document::{get, list, set};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, Document, Effects, Rules,
    ViewOptions,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::HashSet;

/// The fields of both kinds of wishes.
const LINE_ITEMS: &str = "lineItems";
const TEXT_LINE_ITEMS: &str = "textLineItems";
/// The number of days until an unmodified list is deleted.
const DAYS: &str = "deleteDaysAfterLastModification";

/// Shopping Lists as documents of Business Units.
const OWNED: UnitDocumentKind = UnitDocumentKind { noun: "Shopping List", customer: &["customer", "id"] };

/// The name of a list in error messages.
const LIST: &str = "A Shopping List";

/// The items of a list.
fn items<'d>(document: &'d mut Document, field: &str) -> ApiResult<&'d mut Vec<Value>> {
    let items = document.entry(field).or_insert_with(|| Value::Array(Vec::new()));
    items.as_array_mut().ok_or_else(|| ApiError::bug("items that are no list"))
}

pub(crate) struct ShoppingList;

impl Behaviour for ShoppingList {
    fn resource(&self) -> &'static str {
        "ShoppingList"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addLineItem", line_items::add),
            ("addTextLineItem", line_items::add_text),
            ("changeLineItemQuantity", |context, arguments| {
                quantity::change(context, arguments, &quantity::OF_LINE_ITEMS)
            }),
            ("changeTextLineItemQuantity", |context, arguments| {
                quantity::change(context, arguments, &quantity::OF_TEXT_LINE_ITEMS)
            }),
            ("removeLineItem", quantity::remove_line_item),
            ("removeTextLineItem", |context, arguments| {
                quantity::remove(context, arguments, &quantity::OF_TEXT_LINE_ITEMS).map(|_| ())
            }),
            ("setAnonymousId", set_anonymous_id),
            ("setBusinessUnit", |context, arguments| {
                business_unit_reference::set(context, arguments, &OWNED)
            }),
            ("setDeleteDaysAfterLastModification", set_days),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if !after.contains_key(DAYS) {
            set(after, &[DAYS], days_of_project(rules));
        }
        line_items::complete(after, draft, rules)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_owner(LIST, "customer", before, after)?;
        business_unit_reference::check_unit(before, after, &OWNED, rules)?;
        admit_items(after, LINE_ITEMS, rules)?;
        admit_items(after, TEXT_LINE_ITEMS, rules)
    }

    /// Adds the fields that `expand` requests beyond references.
    fn splice(
        &self,
        document: &mut Document,
        view_options: &ViewOptions,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        expanded_product_fields::add_expanded_fields(document, view_options, rules)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            Derivation {
                name: "products",
                source: "Product",
                dependents: Dependents::ReferringAt {
                    path: "lineItems.productId",
                    when: ChangeFilter::Differs(product::is_shown_otherwise),
                },
                derive: product::update_items,
            },
            Derivation {
                name: "variants",
                source: "Variant",
                dependents: Dependents::Sharing {
                    value: &["product", "id"],
                    paths: &["lineItems.productId"],
                    when: &["published", "id"],
                },
                derive: product::update_items,
            },
        ];
        ALL
    }
}

/// Checks the number of items, and refuses duplicate keys.
fn admit_items(after: &Document, field: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let items = list(after, &[field]);
    let shape = rules.model.object_by_name("ShoppingList").map(|object| rules.model.object(object));
    let max = shape.and_then(|shape| shape.field(field)).and_then(|field| field.limits.items_max);
    if let Some(max) = max.filter(|max| items.len() > *max) {
        return Err(ApiError::invalid_operation(format!("A Shopping List holds at most {max} {field}.")));
    }
    let mut seen = HashSet::new();
    match items.iter().filter_map(|item| item.get("key")).find(|key| !seen.insert(*key)) {
        Some(twice) => Err(ApiError::duplicate_field(&format!("{field}.key"), twice.clone())),
        None => Ok(()),
    }
}

/// `setAnonymousId`: not of a customer's list.
fn set_anonymous_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if context.document.contains_key("customer") {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Shopping List is already associated with a customer.",
            context.place
        )));
    }
    set(context.document, &["anonymousId"], arguments.get("anonymousId").cloned());
    Ok(())
}

/// `setDeleteDaysAfterLastModification`.
fn set_days(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let days = arguments.get(DAYS).cloned().or_else(|| days_of_project(context.rules));
    set(context.document, &[DAYS], days);
    Ok(())
}

/// Returns the Project's default for a list without its own value (reference type
/// `ShoppingListsConfiguration`).
fn days_of_project(rules: &Rules<'_>) -> Option<Value> {
    get(rules.project, &["shoppingLists", DAYS]).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;
    use kontor_json::json;

    #[test]
    fn a_list_is_of_a_customer_or_of_an_anonymous_session() {
        let customer = json!({"typeId": "customer", "id": "maria"});
        let both = || object(json!({"customer": customer, "anonymousId": "visitor"}));
        assert_eq!(
            admit_owner(LIST, "customer", None, &mut both()).unwrap_err().code(),
            Code::InvalidOperation
        );
        let mut known = both();
        admit_owner(LIST, "customer", Some(&object(json!({"anonymousId": "visitor"}))), &mut known).unwrap();
        assert!(!known.contains_key("anonymousId"));
    }

    #[test]
    fn a_list_has_items_within_limits_and_keys_once() {
        TestShop::new().rules(|rules| {
            let with = |items: Vec<Value>| object(json!({"textLineItems": items}));
            let many = |count: usize| with((0..count).map(|_| json!({})).collect());
            admit_items(&many(100), TEXT_LINE_ITEMS, rules).unwrap();
            let error = admit_items(&many(101), TEXT_LINE_ITEMS, rules).unwrap_err();
            assert_eq!(error.code(), Code::InvalidOperation);
            let twice = with(vec![json!({"key": "a"}), json!({"key": "b"}), json!({"key": "a"})]);
            let error = admit_items(&twice, TEXT_LINE_ITEMS, rules).unwrap_err();
            assert_eq!(error.code(), Code::DuplicateField);
        });
    }
}
