//! The table of scopes: a row each, and the scopes that each implies. Start at [`ScopeName`].
//!
//! In tokens, a scope is `{name}:{projectKey}`, some also `{name}:{projectKey}:{storeKey}`; those are marked
//! `in_store`. Source: document A, "Authentication", rule 6; the scopes of the operations in the reference
//! (HTTP, Import, History, Checkout, Connect); the public page on scopes for the scopes implied by
//! `manage_project`.

use std::{fmt, sync::LazyLock};

macro_rules! scopes {
    ($($name:ident $text:literal $($in_store:ident)?;)*) => {
        /// A known scope, without the project that it is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)] // The names are the documentation: they are those of the reference.
        pub enum ScopeName { $($name,)* }

        impl ScopeName {
            /// Every scope, in the order of the table.
            pub const ALL: &'static [ScopeName] = &[$(ScopeName::$name,)*];

            /// Returns the scope as it stands before the first colon.
            pub const fn as_str(self) -> &'static str {
                match self { $(ScopeName::$name => $text,)* }
            }

            /// Returns whether the scope can be limited to one Store.
            pub const fn has_store_form(self) -> bool {
                match self { $(ScopeName::$name => false $(|| scopes!(@$in_store))?,)* }
            }
        }
    };
    (@in_store) => { true };
}

scopes! {
    CreateAnonymousToken "create_anonymous_token";
    ManageApiClients "manage_api_clients";
    ViewApiClients "view_api_clients";
    ManageApprovalFlows "manage_approval_flows";
    ViewApprovalFlows "view_approval_flows";
    ManageApprovalRules "manage_approval_rules";
    ViewApprovalRules "view_approval_rules";
    ManageAssociateRoles "manage_associate_roles";
    ViewAssociateRoles "view_associate_roles";
    ManageAttributeGroups "manage_attribute_groups";
    ViewAttributeGroups "view_attribute_groups";
    ViewAuditLog "view_audit_log";
    ManageBusinessUnits "manage_business_units" in_store;
    ManageMyBusinessUnits "manage_my_business_units";
    ViewBusinessUnits "view_business_units" in_store;
    ManageCartDiscounts "manage_cart_discounts" in_store;
    ViewCartDiscounts "view_cart_discounts" in_store;
    ManageCategories "manage_categories" in_store;
    ViewCategories "view_categories" in_store;
    ManageChannels "manage_channels";
    ViewChannels "view_channels";
    ManageCheckoutApplications "manage_checkout_applications";
    ViewCheckoutApplications "view_checkout_applications";
    ManageCheckoutPaymentIntegrations "manage_checkout_payment_integrations";
    ViewCheckoutPaymentIntegrations "view_checkout_payment_integrations";
    ManageCheckoutPaymentIntents "manage_checkout_payment_intents";
    ManageCheckoutTransactions "manage_checkout_transactions";
    ViewCheckoutTransactions "view_checkout_transactions";
    ManageConnectors "manage_connectors";
    ViewConnectors "view_connectors";
    ManageCustomerGroups "manage_customer_groups";
    ViewCustomerGroups "view_customer_groups";
    ManageCustomers "manage_customers" in_store;
    ViewCustomers "view_customers" in_store;
    ManageDeployments "manage_deployments";
    ViewDeployments "view_deployments";
    ManageDiscountCodes "manage_discount_codes";
    ViewDiscountCodes "view_discount_codes" in_store;
    ManageExtensions "manage_extensions";
    ManageImportContainers "manage_import_containers";
    ViewImportContainers "view_import_containers";
    ManageIntakeAgent "manage_intake_agent";
    ManageKeyValueDocuments "manage_key_value_documents";
    ViewKeyValueDocuments "view_key_value_documents";
    ManageLockedCarts "manage_locked_carts";
    ManageMcpServers "manage_mcp_servers";
    ViewMcpServers "view_mcp_servers";
    ViewMessages "view_messages";
    IntrospectOauthTokens "introspect_oauth_tokens";
    ManageOrderEdits "manage_order_edits";
    ViewOrderEdits "view_order_edits";
    ManageMyOrders "manage_my_orders" in_store;
    ManageOrders "manage_orders" in_store;
    ViewOrders "view_orders" in_store;
    ManagePaymentMethods "manage_payment_methods";
    ViewPaymentMethods "view_payment_methods";
    ManageMyPayments "manage_my_payments";
    ManagePayments "manage_payments";
    ViewPayments "view_payments";
    ManageProductDiscounts "manage_product_discounts";
    ViewProductDiscounts "view_product_discounts";
    ManageProductSelections "manage_product_selections";
    ViewProductSelections "view_product_selections";
    ManageProductTypes "manage_product_types";
    ViewProductTypes "view_product_types";
    ManageProducts "manage_products" in_store;
    ViewProducts "view_products" in_store;
    ManageMyProfile "manage_my_profile" in_store;
    ManageProject "manage_project";
    ManageProjectSettings "manage_project_settings";
    ViewProjectSettings "view_project_settings";
    ViewPublishedProducts "view_published_products";
    ManageMyQuoteRequests "manage_my_quote_requests";
    ManageQuoteRequests "manage_quote_requests" in_store;
    ViewQuoteRequests "view_quote_requests" in_store;
    ManageMyQuotes "manage_my_quotes";
    ManageQuotes "manage_quotes" in_store;
    ViewQuotes "view_quotes" in_store;
    ManageRecurrencePolicies "manage_recurrence_policies";
    ViewRecurrencePolicies "view_recurrence_policies";
    ManageRecurringOrders "manage_recurring_orders";
    ViewRecurringOrders "view_recurring_orders";
    ManageSessions "manage_sessions";
    ViewSessions "view_sessions";
    ManageShippingMethods "manage_shipping_methods";
    ViewShippingMethods "view_shipping_methods";
    ManageMyShoppingLists "manage_my_shopping_lists" in_store;
    ManageShoppingLists "manage_shopping_lists" in_store;
    ViewShoppingLists "view_shopping_lists" in_store;
    ManageStagedQuotes "manage_staged_quotes" in_store;
    ViewStagedQuotes "view_staged_quotes" in_store;
    ManageStandalonePrices "manage_standalone_prices";
    ViewStandalonePrices "view_standalone_prices";
    ManageStates "manage_states";
    ViewStates "view_states";
    ManageStores "manage_stores";
    ViewStores "view_stores";
    ManageSubscriptions "manage_subscriptions";
    ManageTaxCategories "manage_tax_categories";
    ViewTaxCategories "view_tax_categories";
    ManageTypes "manage_types";
    ViewTypes "view_types";
    ManageZones "manage_zones";
    ViewZones "view_zones";
}

/// One bit a scope.
pub(crate) type ScopeBits = u128;

const _: () = assert!(ScopeName::ALL.len() <= ScopeBits::BITS as usize, "a bit for every scope");

/// The scopes that each scope grants, itself included, by position in the table.
static GRANTS: LazyLock<Vec<ScopeBits>> =
    LazyLock::new(|| ScopeName::ALL.iter().map(|scope| scope.find_grants()).collect());

impl ScopeName {
    /// The scope of that name.
    pub fn parse(name: &str) -> Option<Self> {
        // Rows are few and requests that name scopes are rare (tokens are cached), so a scan will do.
        Self::ALL.iter().copied().find(|scope| scope.as_str() == name)
    }

    /// Returns whether a holder of `self` may perform operations that require `other`.
    pub fn implies(self, other: ScopeName) -> bool {
        self.grants() & other.bit() != 0
    }

    pub(crate) const fn bit(self) -> ScopeBits {
        1 << self as u8
    }

    pub(crate) fn grants(self) -> ScopeBits {
        GRANTS[self as usize]
    }

    fn find_grants(self) -> ScopeBits {
        use ScopeName::*;
        match self {
            // "All APIs of a project, except API Clients": a client that must not create others is the point.
            ManageProject => ScopeName::ALL
                .iter()
                .filter(|scope| !matches!(scope, ManageApiClients | ViewApiClients))
                .fold(0, |bits, scope| bits | scope.bit()),
            // Viewing all Products includes published ones. Product Search requires the narrow scope alone.
            ManageProducts => self.bit() | ViewProducts.bit() | ViewPublishedProducts.bit(),
            ViewProducts => self.bit() | ViewPublishedProducts.bit(),
            _ => {
                let view = self
                    .as_str()
                    .strip_prefix("manage_")
                    .and_then(|resource| ScopeName::parse(&format!("view_{resource}")));
                self.bit() | view.map_or(0, ScopeName::bit)
            }
        }
    }
}

impl fmt::Display for ScopeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns every scope of a project as text, for the first client, which the operator creates.
pub fn every_scope(project_key: &str) -> String {
    let names: Vec<String> =
        ScopeName::ALL.iter().map(|name| format!("{}:{project_key}", name.as_str())).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{ScopeName::*, *};

    #[test]
    fn every_name_is_read_back() {
        for scope in ScopeName::ALL {
            assert_eq!(ScopeName::parse(scope.as_str()), Some(*scope));
        }
        assert_eq!(ScopeName::parse("manage_everything"), None);
    }

    #[test]
    fn manage_implies_view_and_not_the_other_way() {
        assert!(ManageStates.implies(ViewStates));
        assert!(!ViewStates.implies(ManageStates));
        assert!(!ManageStates.implies(ViewOrders));
        assert!(ManageMyOrders.implies(ManageMyOrders));
        assert!(!ManageMyOrders.implies(ViewOrders));
    }

    #[test]
    fn manage_project_implies_everything_but_the_api_clients() {
        let missing: Vec<_> =
            ScopeName::ALL.iter().copied().filter(|scope| !ManageProject.implies(*scope)).collect();
        assert_eq!(missing, [ManageApiClients, ViewApiClients]);
    }

    #[test]
    fn viewing_products_includes_published_ones() {
        assert!(ManageProducts.implies(ViewPublishedProducts));
        assert!(ViewProducts.implies(ViewPublishedProducts));
        assert!(!ViewPublishedProducts.implies(ViewProducts));
    }
}
