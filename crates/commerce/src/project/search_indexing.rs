//! Actions that activate and deactivate the search indexes of a Project, with the time and the caller of the change.
//!
//! Source: reference types `SearchIndexingConfiguration…`, `ProjectChange…Search…Action`; release notes, 31 August 2026
//! (Product Projection Search cannot be activated in new projects).

use kontor_engine::document::{enum_at, must_text, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ProductSearchIndexingMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// The choice that allows projects to activate Product Projection Search. Projects that are older than it can.
pub const PROJECTION_SEARCH: &str = "projection-search";

/// The index of Product Projection Search.
const PROJECTIONS: &str = "products";

/// `changeProductSearchIndexingEnabled`: of one of the two searches for Products.
pub(super) fn change_products(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let index = match enum_at(arguments, &["mode"])? {
        Some(ProductSearchIndexingMode::ProductsSearch) => "productsSearch",
        Some(ProductSearchIndexingMode::ProductProjectionsSearch) | None => PROJECTIONS,
    };
    let enabled = arguments.get("enabled") == Some(&Value::Bool(true));
    if enabled && index == PROJECTIONS && !may_search_projections(context) {
        return Err(ApiError::new(
            Code::FeatureRemoved,
            "Product Projection Search is deprecated and cannot be activated in new projects. Use Product Search: \
             mode 'ProductsSearch'. The operator can allow it by `serve --projection-search`.",
        ));
    }
    change(context, index, if enabled { "Activated" } else { "Deactivated" })
}

/// Whether the project may activate Product Projection Search: the operator chose it or makes the change, e.g. by an import
/// of a project that uses it.
fn may_search_projections(context: &ActionContext<'_, '_>) -> bool {
    context.rules.choices().contains(PROJECTION_SEARCH) || context.caller.to_json().is_none()
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
    use super::{Code, PROJECTION_SEARCH};
    use crate::test_shop::TestShop;
    use kontor_json::{Value, json};

    fn changed(action: Value) -> Value {
        let shop = TestShop::new().choosing(PROJECTION_SEARCH);
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
    fn projection_search_cannot_be_activated_in_new_projects() {
        let shop = TestShop::new();
        let activate = json!([{"action": "changeProductSearchIndexingEnabled", "enabled": true}]);
        let refused = shop.update("project", &shop.project, activate).unwrap_err();
        assert_eq!(refused.code(), Code::FeatureRemoved);
        let deactivate = json!([{"action": "changeProductSearchIndexingEnabled", "enabled": false}]);
        let (deactivated, _) = shop.update("project", &shop.project, deactivate).unwrap();
        assert_eq!(deactivated["searchIndexing"]["products"], now("Deactivated"));
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
