//! The B2B customers of the demo shop: a company with a division, its associates and their roles.

use super::catalog::CUSTOMERS;
use kontor_json::{Value, json};

/// Keys of the company and of its division.
const COMPANY: &str = "harbour-hotels";
const DIVISION: &str = "harbour-hotels-north";

/// Returns all drafts with their resource types, in an order in which they can be created after the customers.
pub(crate) fn drafts() -> Vec<(&'static str, Value)> {
    vec![
        (
            "associate-role",
            json!({"key": "admin", "name": "Administrator", "permissions": [
                "AddChildUnits", "UpdateAssociates", "UpdateBusinessUnitDetails", "UpdateParentUnit",
                "CreateApprovalRules", "UpdateApprovalRules", "ViewOthersShoppingLists"]}),
        ),
        (
            "associate-role",
            json!({"key": "buyer", "name": "Buyer", "permissions": [
                "ViewMyCarts", "CreateMyCarts", "UpdateMyCarts", "DeleteMyCarts", "CreateMyOrdersFromMyCarts", "ViewMyOrders",
                "ViewMyShoppingLists", "CreateMyShoppingLists", "UpdateMyShoppingLists", "DeleteMyShoppingLists"]}),
        ),
        (
            "business-unit",
            json!({"key": COMPANY, "unitType": "Company", "name": "Harbour Hotels", "contactEmail": "purchasing@example.com",
                "stores": [], "addresses": [{"country": "DE", "city": "Hamburg", "streetName": "Am Sandtorkai", "key": "house"}],
                "defaultBillingAddress": 0, "defaultShippingAddress": 0,
                "associates": [associate(0, "admin"), associate(1, "buyer")]}),
        ),
        (
            "business-unit",
            json!({"key": DIVISION, "unitType": "Division", "name": "Harbour Hotels North",
                "parentUnit": {"typeId": "business-unit", "key": COMPANY}}),
        ),
    ]
}

/// Returns a customer of the catalog as an associate, in a role that child units inherit.
fn associate(customer: usize, role: &str) -> Value {
    json!({"customer": {"typeId": "customer", "key": super::catalog::customer_key(CUSTOMERS[customer].1)},
        "associateRoleAssignments": [
            {"associateRole": {"typeId": "associate-role", "key": role}, "inheritance": "Enabled"}]})
}
