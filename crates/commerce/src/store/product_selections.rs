//! The actions of a Store on its Product Selections, and the Message about the change.
//!
//! Source: reference types `Store…ProductSelection…Action`, `StoreProductSelectionsChangedMessage`.

use kontor_engine::conversion::convert_value;
use kontor_engine::document::{list, must_get};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `setProductSelections`: these and no others.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let model = context.rules.model;
    let argument = model.object(context.action.arguments).field("productSelections");
    let stored =
        model.object_by_name("Store").and_then(|store| model.object(store).field("productSelections"));
    let (Some(argument), Some(stored)) = (argument, stored) else {
        return Err(ApiError::bug("a model without the fields of setProductSelections"));
    };
    let given = arguments.get("productSelections").cloned().unwrap_or_else(|| json!([]));
    let place = format!("{}.productSelections", context.place);
    match convert_value(&argument.shape, stored, given, &place, context.rules)? {
        Value::Array(settings) => become_these(context, settings),
        _ => Err(ApiError::bug("productSelections that are no list")),
    }
}

/// `addProductSelection`: appends a selection; for an existing one only `active` is updated.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    become_these(context, added(current(context), product_selection(arguments)?, active(arguments)))
}

/// `changeProductSelectionActive` of a selection in the Store.
pub(super) fn change_active(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (chosen, settings) = (product_selection(arguments)?, current(context));
    if !contains_selection(&settings, &chosen) {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Store does not have the Product Selection {}.",
            context.place, chosen["id"]
        )));
    }
    become_these(context, added(settings, chosen, active(arguments)))
}

/// `removeProductSelection`: changes nothing if the Store does not have the selection.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (chosen, mut settings) = (product_selection(arguments)?, current(context));
    settings.retain(|setting| setting["productSelection"] != chosen);
    become_these(context, settings)
}

fn product_selection(arguments: &Document) -> ApiResult<Value> {
    must_get(arguments, &["productSelection"]).cloned()
}

fn active(arguments: &Document) -> bool {
    arguments.get("active").and_then(Value::as_bool).unwrap_or(false)
}

fn current(context: &ActionContext<'_, '_>) -> Vec<Value> {
    list(context.document, &["productSelections"]).to_vec()
}

/// Replaces the settings, and emits a Message about differences.
fn become_these(context: &mut ActionContext<'_, '_>, new: Vec<Value>) -> ApiResult<()> {
    let old = current(context);
    if old == new {
        return Ok(());
    }
    context.emit("StoreProductSelectionsChanged", difference(&old, &new))?;
    context.document.insert("productSelections", Value::Array(new));
    Ok(())
}

/// Returns the settings with one more, or with `active` of the existing one updated.
fn added(mut settings: Vec<Value>, chosen: Value, active: bool) -> Vec<Value> {
    match settings.iter_mut().find(|setting| setting["productSelection"] == chosen) {
        Some(setting) => setting["active"] = json!(active),
        None => settings.push(json!({"productSelection": chosen, "active": active})),
    }
    settings
}

/// Returns the fields of the Message: added settings, removed ones, and those with another `active`.
fn difference(old: &[Value], new: &[Value]) -> Document {
    let not_in = |others: &[Value], settings: &[Value]| -> Vec<Value> {
        settings
            .iter()
            .filter(|setting| !contains_selection(others, &setting["productSelection"]))
            .cloned()
            .collect()
    };
    let updated: Vec<&Value> = new
        .iter()
        .filter(|setting| contains_selection(old, &setting["productSelection"]) && !old.contains(setting))
        .collect();
    let mut fields = Document::new();
    fields.insert("addedProductSelections", json!(not_in(old, new)));
    fields.insert("removedProductSelections", json!(not_in(new, old)));
    fields.insert("updatedProductSelections", json!(updated));
    fields
}

fn contains_selection(settings: &[Value], chosen: &Value) -> bool {
    settings.iter().any(|setting| setting["productSelection"] == *chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    fn selection(id: &str) -> Value {
        json!({"typeId": "product-selection", "id": id})
    }

    fn setting(id: &str, active: bool) -> Value {
        json!({"productSelection": selection(id), "active": active})
    }

    #[test]
    fn a_missing_product_selection_cannot_be_added() {
        let store = object(json!({"id": "s", "key": "berlin", "productSelections": []}));
        let missing = json!({"key": "nowhere"});
        for action in [
            json!({"action": "addProductSelection", "productSelection": missing}),
            json!({"action": "changeProductSelectionActive", "productSelection": missing}),
            json!({"action": "removeProductSelection", "productSelection": missing}),
            json!({"action": "setProductSelections", "productSelections": [{"productSelection": missing}]}),
        ] {
            let error = TestShop::new().update("store", &store, json!([action])).unwrap_err();
            assert_eq!(error.code(), Code::ReferencedResourceNotFound);
            assert_eq!(error.objects()[0].fields["typeId"], "product-selection");
        }
    }

    #[test]
    fn setting_none_removes_all() {
        let store = object(json!({"id": "s", "key": "berlin", "productSelections": [setting("a", true)]}));
        let (store, messages) =
            TestShop::new().update("store", &store, json!([{"action": "setProductSelections"}])).unwrap();
        assert_eq!(store["productSelections"], json!([]));
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].0, "StoreProductSelectionsChanged");
        assert_eq!(messages[0].1["removedProductSelections"], json!([setting("a", true)]));
    }

    #[test]
    fn one_that_is_there_takes_over_active() {
        let settings = added(vec![setting("a", false)], selection("b"), true);
        assert_eq!(settings, [setting("a", false), setting("b", true)]);
        assert_eq!(added(settings, selection("a"), true), [setting("a", true), setting("b", true)]);
    }

    #[test]
    fn the_message_lists_added_removed_and_changed_selections() {
        let old = [setting("gone", true), setting("same", true), setting("changed", true)];
        let new = [setting("same", true), setting("changed", false), setting("new", false)];
        assert_eq!(
            Value::Object(difference(&old, &new)),
            json!({
                "addedProductSelections": [setting("new", false)],
                "removedProductSelections": [setting("gone", true)],
                "updatedProductSelections": [setting("changed", false)],
            })
        );
    }
}
