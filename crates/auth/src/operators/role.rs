//! Roles of operators: named sets of scopes, which an account has in one project or in all. Start at [`OperatorRole`].

use kontor_errors::ApiError;
use kontor_json::{Value, json};

use super::row_value::parse;
use crate::{
    Result, ScopeName,
    ScopeName::*,
    store::{OperatorRow, OperatorRowKind},
};

/// The role with all scopes, which cannot be changed.
pub const ADMINISTRATOR: &str = "administrator";

/// The longest name of a role, in characters.
const ROLE_NAME_CHARS_MAX: usize = 64;

/// All scopes, those of API Clients included, which `manage_project` does not imply.
const OF_ADMINISTRATORS: &[ScopeName] = &[ManageProject, ManageApiClients, ViewApiClients];

/// Products, prices, discounts and content. A trial of a discount makes a temporary Cart, for which `manage_orders` is
/// the scope, with a Customer if its conditions ask for one; earlier texts are put back from Change History.
const OF_MERCHANDISERS: &[ScopeName] = &[
    ManageAttributeGroups,
    ManageCartDiscounts,
    ManageCategories,
    ManageDiscountCodes,
    ManageKeyValueDocuments,
    ManageOrders,
    ManageProductDiscounts,
    ManageProductSelections,
    ManageProducts,
    ManageStandalonePrices,
    ViewAuditLog,
    ViewChannels,
    ViewCustomerGroups,
    ViewCustomers,
    ViewMessages,
    ViewProductTypes,
    ViewProjectSettings,
    ViewRecurrencePolicies,
    ViewShippingMethods,
    ViewStates,
    ViewStores,
    ViewTaxCategories,
    ViewTypes,
    ViewZones,
];

/// Orders, customers and companies.
const OF_SUPPORT: &[ScopeName] = &[
    ManageBusinessUnits,
    ManageCustomers,
    ManageOrderEdits,
    ManageOrders,
    ManagePayments,
    ManageQuoteRequests,
    ManageQuotes,
    ManageRecurringOrders,
    ManageShoppingLists,
    ManageStagedQuotes,
    ViewApprovalFlows,
    ViewApprovalRules,
    ViewAssociateRoles,
    ViewCartDiscounts,
    ViewCategories,
    ViewChannels,
    ViewCustomerGroups,
    ViewDiscountCodes,
    ViewMessages,
    ViewPaymentMethods,
    ViewProductSelections,
    ViewProductTypes,
    ViewProducts,
    ViewProjectSettings,
    ViewRecurrencePolicies,
    ViewShippingMethods,
    ViewStandalonePrices,
    ViewStates,
    ViewStores,
    ViewTaxCategories,
    ViewTypes,
    ViewZones,
];

/// Settings and integrations, in addition to everything of read-only. API Clients are not among them: they may get
/// any scope.
const OF_DEVELOPERS: &[ScopeName] = &[
    ManageAttributeGroups,
    ManageChannels,
    ManageExtensions,
    ManageImportContainers,
    ManageKeyValueDocuments,
    ManageMcpServers,
    ManageProductTypes,
    ManageProjectSettings,
    ManageShippingMethods,
    ManageStates,
    ManageStores,
    ManageSubscriptions,
    ManageTaxCategories,
    ManageTypes,
    ManageZones,
];

/// The names of the built-in roles.
const BUILT_IN: [&str; 5] = [ADMINISTRATOR, "merchandiser", "support", "developer", "read-only"];

/// A role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRole {
    /// The name.
    pub name: String,
    /// The scopes, without the project.
    pub scopes: Vec<ScopeName>,
    /// Whether every server has a role of this name. Its scopes may have been changed.
    pub is_built_in: bool,
}

/// Returns the scopes that allow reading.
fn view_scopes() -> impl Iterator<Item = ScopeName> {
    ScopeName::ALL.iter().copied().filter(|scope| scope.as_str().starts_with("view_"))
}

/// Returns whether a text may be the name of a role.
pub(super) fn is_role_name(name: &str) -> bool {
    let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=ROLE_NAME_CHARS_MAX).contains(&name.len()) && name.bytes().all(is_word)
}

impl OperatorRole {
    /// Returns the built-in roles, as every server has them before they are changed.
    pub(super) fn built_in() -> Vec<OperatorRole> {
        BUILT_IN.iter().map(|name| Self::built_in_named(name)).collect()
    }

    fn built_in_named(name: &str) -> OperatorRole {
        let scopes = match name {
            ADMINISTRATOR => OF_ADMINISTRATORS.to_vec(),
            "merchandiser" => OF_MERCHANDISERS.to_vec(),
            "support" => OF_SUPPORT.to_vec(),
            "developer" => view_scopes().chain(OF_DEVELOPERS.iter().copied()).collect(),
            _ => view_scopes().collect(),
        };
        OperatorRole { name: name.to_owned(), scopes, is_built_in: true }
    }

    /// Parses the name and the scopes of a role; the scopes are without a project. Fails with 400 for an invalid name,
    /// an unknown scope, no scope, or the name `administrator`.
    pub fn new(name: &str, scopes: &[&str]) -> std::result::Result<Self, ApiError> {
        if !is_role_name(name) {
            let expected =
                format!("Expected: 1 to {ROLE_NAME_CHARS_MAX} lower-case letters, digits, '_' and '-'.");
            return Err(ApiError::invalid_field("name", &json!(name), &expected, None));
        }
        if name == ADMINISTRATOR {
            return Err(ApiError::invalid_operation(
                "The role 'administrator' has all scopes and cannot be changed. Create a role of another name.",
            ));
        }
        let mut parsed = Vec::new();
        for scope in scopes {
            let Some(scope) = ScopeName::parse(scope) else {
                let expected = "Expected: the name of a scope without a project, e.g. 'manage_products'.";
                return Err(ApiError::invalid_field("scopes", &json!(scope), expected, None));
            };
            if !parsed.contains(&scope) {
                parsed.push(scope);
            }
        }
        if parsed.is_empty() {
            return Err(ApiError::invalid_field("scopes", &json!([]), "Expected: at least one scope.", None));
        }
        Ok(OperatorRole { name: name.to_owned(), scopes: parsed, is_built_in: BUILT_IN.contains(&name) })
    }

    /// Returns the scopes of the role in a project, as tokens name them.
    pub fn scopes_in(&self, project_key: &str) -> Vec<String> {
        self.scopes.iter().map(|scope| format!("{scope}:{project_key}")).collect()
    }

    /// Returns the document of responses.
    pub fn to_json(&self) -> Value {
        let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        json!({"name": self.name, "scopes": scopes, "builtIn": self.is_built_in})
    }

    pub(super) fn to_row(&self) -> OperatorRow {
        let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        OperatorRow {
            kind: OperatorRowKind::Role,
            key: self.name.clone(),
            owner: None,
            expires_at_ms: None,
            value: json!({"scopes": scopes}).to_string(),
        }
    }

    /// Parses the row of a role. Scopes of a later release are left out.
    pub(super) fn from_row(row: &OperatorRow) -> Result<Self> {
        let value = parse(row)?;
        let scopes = value["scopes"].as_array().into_iter().flatten();
        Ok(OperatorRole {
            name: row.key.clone(),
            scopes: scopes.filter_map(|scope| ScopeName::parse(scope.as_str()?)).collect(),
            is_built_in: BUILT_IN.contains(&&*row.key),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn administrators_have_every_scope() {
        let role = OperatorRole::built_in_named(ADMINISTRATOR);
        for scope in ScopeName::ALL {
            assert!(role.scopes.iter().any(|own| own.implies(*scope)), "{scope}");
        }
    }

    #[test]
    fn only_administrators_can_create_api_clients() {
        for role in OperatorRole::built_in().iter().filter(|role| role.name != ADMINISTRATOR) {
            assert!(!role.scopes.iter().any(|own| own.implies(ManageApiClients)), "{}", role.name);
        }
    }

    #[test]
    fn read_only_can_manage_nothing() {
        let role = OperatorRole::built_in_named("read-only");
        assert!(role.scopes.iter().all(|own| own.as_str().starts_with("view_")));
        assert!(role.scopes.contains(&ViewOrders));
    }

    #[test]
    fn refuses_roles_with_unknown_scopes_and_the_name_of_administrators() {
        assert!(
            OperatorRole::new("buyers", &["manage_products", "manage_products"]).unwrap().scopes.len() == 1
        );
        for (name, scopes) in [
            ("buyers", &["manage_everything"][..]),
            ("buyers", &[]),
            ("buyers", &["manage_products:shop"]),
            ("Buyers", &["manage_products"]),
            ("", &["manage_products"]),
            (ADMINISTRATOR, &["manage_products"]),
        ] {
            assert!(OperatorRole::new(name, scopes).is_err(), "{name} {scopes:?}");
        }
    }
}
