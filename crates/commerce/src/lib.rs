//! The behaviour of resources, where the model does not describe it: validation, own update actions, defaults,
//! derived fields, Messages.
//!
//! Each resource has a file or folder, larger update actions have a file of their own. Start at [`join_behaviours`].
//!
//! **Invariant:** nothing here waits. Documents, rules and the time go in; documents and messages come out. No
//! clock, no randomness, no storage, no `async`. So every rule can be tested in microseconds.

mod address_book;
mod approval_flow;
mod approval_rule;
mod asset;
mod associate_role;
mod attribute;
mod attribute_group;
mod business_unit;
mod business_unit_reference;
mod buyer;
mod cart;
mod cart_discount;
mod cart_discount_epoch;
mod cart_predicate;
mod catalog_model;
mod category;
mod channel;
mod checkout;
mod copied_fields;
mod custom_fields;
mod custom_object;
mod customer;
mod delivery_items;
mod destination;
mod discount_code;
mod discount_group;
mod discount_predicate;
mod discount_value;
mod discounted_price;
mod estimated_delivery;
mod extension;
mod extension_hooks;
mod group_assignments;
mod index_tuning;
mod inventory_entry;
mod item_shipping_details;
mod kinds;
mod locale_of_project;
mod masked_secrets;
mod mcp_server;
mod negotiation;
mod numbered_derivations;
mod order;
mod order_edit;
mod owner;
mod payment;
mod payment_holders;
mod payment_method;
mod predicate;
mod price;
mod product;
mod product_discount;
mod product_lookup;
mod product_projection;
mod product_selection;
mod product_tailoring;
mod product_type;
mod project;
mod published_variants;
mod purchasable_variant;
mod quote;
mod quote_request;
mod recurrence;
mod recurring_order;
mod reservation;
mod review;
mod review_statistics;
mod search;
mod service_names;
mod shipped_by;
mod shipping_method;
mod shopping_list;
mod sides;
mod sold_in_store;
mod sort_order;
mod staged_quote;
mod standalone_price;
mod state;
mod store;
mod stored_taxes;
mod subscription;
mod subscription_policy;
mod tax_category;
mod tax_selection;
#[cfg(test)]
mod test_shop;
#[cfg(test)]
mod test_values;
mod tracking_data;
mod transition;
mod types;
mod variant;
mod variant_content;
mod variant_list;
mod variant_projection;
mod view;
mod zone;

pub use masked_secrets::HIDDEN;
pub use product::VARIANTS_MAX;
pub use project::{EXTERNAL_OAUTH_HEADER, EXTERNAL_OAUTH_URL, PROJECTION_SEARCH};
pub use search::searchables;
pub use state::ORDINARY_LINE_ITEM_STATES;

use index_tuning::INDEX_TUNING;
use kontor_engine::{Behaviour, Behaviours, ValueCompletion};
use kontor_model::Model;
use numbered_derivations::NUMBERED_DERIVATIONS;

/// Joins all behaviours with the model. Fails with a list of mismatches, e.g. an action with two handlers.
pub fn join_behaviours(model: &Model) -> Result<Behaviours, Vec<String>> {
    join_behaviours_with(model, Vec::new())
}

/// Like [`join_behaviours`], plus the behaviours of further resource types.
pub fn join_behaviours_with(
    model: &Model,
    further: Vec<Box<dyn Behaviour>>,
) -> Result<Behaviours, Vec<String>> {
    let differences = kinds::differences(model);
    if !differences.is_empty() {
        return Err(differences);
    }
    let all = behaviours().into_iter().chain(further).collect();
    let joined = Behaviours::join(model, all, completions(), INDEX_TUNING)?;
    Ok(joined
        .with_numbered_derivations(NUMBERED_DERIVATIONS)
        .with_resident_kinds(extension_hooks::RESIDENT_KINDS)
        .with_extension_policy(Box::new(extension_hooks::ExtensionHooks))
        .with_event_policy(Box::new(subscription_policy::SubscriptionPolicy)))
}

/// Returns all behaviours, to be joined with the model.
fn behaviours() -> Vec<Box<dyn Behaviour>> {
    vec![
        Box::new(associate_role::AssociateRole),
        Box::new(approval_flow::ApprovalFlow),
        Box::new(approval_rule::ApprovalRule),
        Box::new(attribute_group::AttributeGroup),
        Box::new(business_unit::BusinessUnit),
        Box::new(cart::Cart),
        Box::new(cart_discount::CartDiscount),
        Box::new(category::Category),
        Box::new(channel::Channel),
        Box::new(checkout::Application),
        Box::new(checkout::CheckoutTransaction),
        Box::new(checkout::Session),
        Box::new(custom_object::CustomObject),
        Box::new(customer::Customer),
        Box::new(discount_code::DiscountCode),
        Box::new(discount_group::DiscountGroup),
        Box::new(extension::Extension),
        Box::new(inventory_entry::InventoryEntry),
        Box::new(mcp_server::McpServer),
        Box::new(order::Order),
        Box::new(order_edit::OrderEdit),
        Box::new(payment::Payment),
        Box::new(payment_method::PaymentMethod),
        Box::new(product_projection::ProductProjection),
        Box::new(product_type::ProductType),
        Box::new(product::Product),
        Box::new(product_discount::ProductDiscount),
        Box::new(product_selection::ProductSelection),
        Box::new(product_selection::ProductSelectionAssignment),
        Box::new(product_tailoring::ProductTailoring),
        Box::new(project::Project),
        Box::new(quote::Quote),
        Box::new(quote_request::QuoteRequest),
        Box::new(recurring_order::RecurringOrder),
        Box::new(reservation::Reservation),
        Box::new(review::Review),
        Box::new(shipping_method::ShippingMethod),
        Box::new(shopping_list::ShoppingList),
        Box::new(staged_quote::StagedQuote),
        Box::new(standalone_price::StandalonePrice),
        Box::new(state::State),
        Box::new(store::Store),
        Box::new(subscription::Subscription),
        Box::new(tax_category::TaxCategory),
        Box::new(types::Type),
        Box::new(variant::Variant),
        Box::new(variant_projection::VariantProjection),
        Box::new(zone::Zone),
    ]
}

/// Returns the completions of values, by their names in the model.
fn completions() -> &'static [(&'static str, ValueCompletion)] {
    &[
        ("money", price::complete_money),
        ("taxRate", tax_category::complete_rate),
        ("trackingData", tracking_data::complete),
    ]
}

#[cfg(test)]
mod tests {
    use kontor_model::Model;

    #[test]
    fn model_and_behaviours_fit() {
        let model = Model::embedded().unwrap();
        if let Err(problems) = super::join_behaviours(&model) {
            panic!("{}", problems.join("\n"));
        }
    }
}
