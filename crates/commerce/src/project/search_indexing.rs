//! Actions that activate and deactivate the search indexes of a Project, with the time and the caller of the change.
//!
//! Source: reference types `SearchIndexingConfiguration…`, `ProjectChange…Search…Action`.

use kontor_engine::document::{must_text, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// `changeProductSearchIndexingEnabled`: of one of the two searches for Products.
pub(super) fn change_products(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let index = match text(arguments, &["mode"]) {
        Some("ProductsSearch") => "productsSearch",
        _ => "products",
    };
    let enabled = arguments.get("enabled") == Some(&Value::Bool(true));
    change(context, index, if enabled { "Activated" } else { "Deactivated" })
}

/// `changeOrderSearchStatus`.
pub(super) fn change_orders(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(context, "orders", must_text(arguments, &["status"])?)
}

/// `changeCustomerSearchStatus`.
pub(super) fn change_customers(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(context, "customers", must_text(arguments, &["status"])?)
}

/// `changeBusinessUnitSearchStatus`.
pub(super) fn change_business_units(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    change(context, "businessUnits", must_text(arguments, &["status"])?)
}

/// `changeCartDiscountVisualizationSearchStatus`: the status is stored, but no index is built.
pub(super) fn change_visualization(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    change(context, "cartDiscountVisualization", must_text(arguments, &["status"])?)
}

fn change(context: &mut ActionContext<'_, '_>, index: &str, status: &str) -> ApiResult<()> {
    if text(context.document, &["searchIndexing", index, "status"]) == Some(status) {
        return Ok(());
    }
    let mut values = Document::new();
    values.insert("status", json!(status));
    values.insert("lastModifiedAt", json!(context.rules.time()));
    if let Some(by) = context.caller.to_json() {
        values.insert("lastModifiedBy", by);
    }
    set(context.document, &["searchIndexing", index], Some(Value::Object(values)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::test_shop::TestShop;
    use kontor_json::{Value, json};

    fn changed(action: Value) -> Value {
        let shop = TestShop::new();
        shop.update("project", &shop.project, json!([action])).unwrap().0["searchIndexing"].clone()
    }

    fn now(status: &str) -> Value {
        json!({
            "status": status,
            "lastModifiedAt": "2027-01-31T12:00:00.000Z",
            "lastModifiedBy": {"clientId": "client"},
        })
    }

    #[test]
    fn each_action_is_about_its_index() {
        let products = |mode: Option<&str>| {
            let mut action = json!({"action": "changeProductSearchIndexingEnabled", "enabled": true});
            if let Some(mode) = mode {
                action["mode"] = json!(mode);
            }
            changed(action)
        };
        assert_eq!(products(None), json!({"products": now("Activated")}));
        assert_eq!(products(Some("ProductProjectionsSearch")), json!({"products": now("Activated")}));
        assert_eq!(products(Some("ProductsSearch")), json!({"productsSearch": now("Activated")}));
        for (action, index) in [
            ("changeOrderSearchStatus", "orders"),
            ("changeCustomerSearchStatus", "customers"),
            ("changeBusinessUnitSearchStatus", "businessUnits"),
        ] {
            for status in ["Activated", "Deactivated"] {
                assert_eq!(changed(json!({"action": action, "status": status})), json!({index: now(status)}));
            }
        }
    }

    #[test]
    fn the_same_status_again_is_no_change() {
        let mut shop = TestShop::new();
        let values = json!({"status": "Activated", "lastModifiedAt": "2026-01-01T00:00:00.000Z"});
        shop.project.insert("searchIndexing", json!({"orders": values}));
        let again = json!([{"action": "changeOrderSearchStatus", "status": "Activated"}]);
        assert_eq!(shop.update("project", &shop.project, again).unwrap().0, shop.project);
    }
}
