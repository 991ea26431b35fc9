//! Cart: the items of a future Order, with shipping, discounts, taxes and totals.
//!
//! An action changes its own fields and marks values that must be selected again ([`reprice_flags`]). After all
//! actions the Cart is settled once: marked prices and tax rates are selected ([`prices`], [`tax`]),
//! `kontor-pricing` calculates the whole ([`calculation`]), and the results are written back. So the order of
//! actions matters only where it must, and an update reads no more than its actions name.
//!
//! Source: reference types `Cart`, `CartDraft`, `LineItem`, `CustomLineItem`, `Cart…Action`, `MyCart…Action`.
//! Conversations: `tests/api/carts/`.

mod active;
mod address;
mod addresses;
mod calculation;
mod cart_creation;
mod cart_state;
mod custom_line_items;
mod customer;
mod discount_codes;
mod discounting;
mod discounts;
mod gifts;
mod items;
mod line_items;
mod lock;
mod merge;
mod ordering;
mod payments;
mod prices;
mod quantity;
mod quantity_limits;
mod quotation;
mod recurring;
mod recurring_payment;
mod replicate;
mod reprice_flags;
mod reservations;
mod session;
mod settle;
mod shipping;
mod shipping_choice;
mod shipping_details;
mod shipping_holders;
mod shopping_list;
mod sign_in;
mod states;
mod tax;
mod tax_choice;
mod view;
mod write_back;

pub(crate) use addresses::set_shipping as set_shipping_address;
pub(crate) use customer::follow_group;
pub(crate) use discount_codes::count_added as count_added_codes;
pub(crate) use quotation::create_quote_cart;
pub(crate) use recurring::{prepare_next_order, reschedule};
pub(crate) use settle::calculate;
pub(crate) use shipping::{
    set_custom_method as set_custom_shipping_method, set_method as set_shipping_method,
};
pub(crate) use sign_in::{SignInInput, sign_in};
pub(crate) use tax::set_total as set_total_tax;

use crate::business_unit_reference::{self, UnitDocumentKind};
use crate::cart_discount_epoch::EPOCH;
use crate::purchasable_variant;
use crate::recurrence::is_of_recurring_order;
use kontor_engine::document::{get, list, set};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, ChangeFilter, Dependents, Derivation, Document, Effects,
    EndpointHandler, PrefetchPlan, Rules,
};
use kontor_errors::ApiResult;
use kontor_json::Value;

/// The `typeId` of Carts.
const CART: &str = "cart";
/// The fields with the items of a Cart.
const LINE_ITEMS: &str = "lineItems";
const CUSTOM_LINE_ITEMS: &str = "customLineItems";
/// The number of days until an unmodified Cart is deleted.
const DAYS: &str = "deleteDaysAfterLastModification";
/// Carts as documents of Business Units.
const OWNED: UnitDocumentKind = UnitDocumentKind { noun: "Cart", customer: &["customerId"] };

pub(crate) struct Cart;

impl Behaviour for Cart {
    fn resource(&self) -> &'static str {
        "Cart"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        ACTIONS
    }

    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("changeTaxMode", |context, arguments| {
            cart_state::run_unless_frozen(context, arguments, tax::change_my_mode)
        })]
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[
            ("ofCustomer", active::OF_CUSTOMER),
            ("myActiveCart", active::MINE),
            ("orderOf", ordering::ORDER),
            ("myOrderOf", ordering::MY_ORDER),
            ("replicate", replicate::REPLICATE),
            ("replicateMine", replicate::REPLICATE),
            ("merge", merge::MERGE),
        ]
    }

    fn prefetch(&self, prefetch_plan: &mut PrefetchPlan<'_>) {
        states::plan_prefetch(prefetch_plan);
        prefetch_plan.id(EPOCH, EPOCH);
    }

    fn prefetch_for_input(&self, sent: &Document, prefetch: &mut PrefetchPlan<'_>) {
        purchasable_variant::plan_prefetch(sent, prefetch);
        for line in list(sent, &[LINE_ITEMS]).iter().filter_map(Value::as_object) {
            purchasable_variant::plan_prefetch(line, prefetch);
        }
        customer::plan_prefetch(sent, prefetch);
        discount_codes::plan_prefetch(sent, prefetch);
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        cart_creation::complete(after, draft, rules)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        recurring_payment::admit(before, after)?;
        settle::settle(before, after, rules, effects)
    }

    fn before_delete(&self, cart: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        lock::admit_change(cart, rules)?;
        reservations::release_all(cart, rules, effects)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "slugs",
            source: "Product",
            dependents: Dependents::ReferringAt {
                path: "lineItems.productId",
                when: ChangeFilter::Differs(purchasable_variant::has_another_slug),
            },
            derive: purchasable_variant::follow_slugs,
        }];
        ALL
    }
}

/// The update actions. Actions that a frozen Cart refuses go through [`cart_state::run_unless_frozen`].
const ACTIONS: &[(&str, ActionHandler)] = &[
    ("addCustomLineItem", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, custom_line_items::add)
    }),
    ("addCustomShippingMethod", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::add_custom_method)
    }),
    ("addDiscountCode", discount_codes::add),
    ("addLineItem", |context, arguments| cart_state::run_unless_frozen(context, arguments, line_items::add)),
    ("addPayment", payments::add),
    ("addRecurringPaymentAllocation", recurring_payment::add_allocation),
    ("addShoppingList", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, shopping_list::add)
    }),
    ("addShippingMethod", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::add_method)
    }),
    ("applyDeltaToCustomLineItemShippingDetailsTargets", |context, arguments| {
        shipping_details::apply_delta(context, arguments, &items::CUSTOM)
    }),
    ("applyDeltaToLineItemShippingDetailsTargets", |context, arguments| {
        shipping_details::apply_delta(context, arguments, &items::LINES)
    }),
    ("changeCustomLineItemMoney", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, custom_line_items::change_money)
    }),
    ("changeCustomLineItemQuantity", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, quantity::change_custom)
    }),
    ("changeLineItemQuantity", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, quantity::change)
    }),
    ("changeTaxMode", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, tax::change_mode)
    }),
    ("freezeCart", cart_state::freeze),
    ("lockCart", lock::lock),
    ("recalculate", line_items::recalculate),
    ("removeCustomLineItem", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, quantity::remove_custom)
    }),
    ("removeDiscountCode", discount_codes::remove),
    ("removeItemShippingAddress", addresses::remove_item_shipping),
    ("removeLineItem", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, quantity::remove)
    }),
    ("removePayment", payments::remove),
    ("removeRecurringPaymentAllocation", recurring_payment::remove_allocation),
    ("removeShippingMethod", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::remove_method)
    }),
    ("setAnonymousId", customer::set_anonymous_id),
    ("setBusinessUnit", |context, arguments| business_unit_reference::set(context, arguments, &OWNED)),
    ("setCartTotalTax", tax::set_total),
    ("setCountry", addresses::set_country),
    ("setCustomLineItemRecurrenceInfo", recurring::set_of_custom_line_item),
    ("setCustomLineItemShippingDetails", |context, arguments| {
        shipping_details::set(context, arguments, &items::CUSTOM)
    }),
    ("setCustomLineItemTaxAmount", |context, arguments| tax::set_amount(context, arguments, &items::CUSTOM)),
    ("setCustomLineItemTaxRate", |context, arguments| tax::set_rate(context, arguments, &items::CUSTOM)),
    ("setCustomShippingMethod", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::set_custom_method)
    }),
    ("setCustomerGroup", customer::set_group),
    ("setCustomerId", customer::set_id),
    ("setDeleteDaysAfterLastModification", set_days),
    ("setDirectDiscountsIgnoreCartDiscounts", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, discounts::set_replacement)
    }),
    ("setEstimatedDelivery", shipping::set_estimated_delivery),
    ("setLineItemDistributionChannel", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, line_items::set_distribution_channel)
    }),
    ("setLineItemInventoryMode", line_items::set_inventory_mode),
    ("setLineItemPrice", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, prices::set_external)
    }),
    ("setLineItemRecurrenceInfo", recurring::set_of_line_item),
    ("setLineItemShippingDetails", |context, arguments| {
        shipping_details::set(context, arguments, &items::LINES)
    }),
    ("setLineItemSupplyChannel", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, line_items::set_supply_channel)
    }),
    ("setLineItemTaxAmount", |context, arguments| tax::set_amount(context, arguments, &items::LINES)),
    ("setLineItemTaxRate", |context, arguments| tax::set_rate(context, arguments, &items::LINES)),
    ("setLineItemTotalPrice", |context, arguments| {
        cart_state::run_unless_frozen(context, arguments, prices::set_external_total)
    }),
    ("setRecurringPaymentStrategy", recurring_payment::set_strategy),
    ("setReservationExpirationInMinutes", reservations::set_expiration),
    ("setShippingAddress", addresses::set_shipping),
    ("setShippingCustomField", shipping::set_custom_field),
    ("setShippingCustomType", shipping::set_custom_type),
    ("setShippingMethod", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::set_method)
    }),
    ("setShippingMethodTaxAmount", shipping::set_tax_amount),
    ("setShippingMethodTaxRate", shipping::set_tax_rate),
    ("setShippingRateInput", |context, arguments| {
        cart_state::not_hard_frozen(context, arguments, shipping::set_rate_input)
    }),
    ("unfreezeCart", cart_state::unfreeze),
    ("unlockCart", lock::unlock),
    ("updateItemShippingAddress", addresses::update_item_shipping),
];

/// `setDeleteDaysAfterLastModification`.
fn set_days(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if is_of_recurring_order(context.document) {
        // The Cart is needed as long as Orders are created from it.
        return Ok(());
    }
    let days = arguments.get(DAYS).cloned().or_else(|| days_of_project(context.rules));
    set(context.document, &[DAYS], days);
    Ok(())
}

/// Returns the Project's default for a Cart without its own value (reference type `CartsConfiguration`).
fn days_of_project(rules: &Rules<'_>) -> Option<Value> {
    get(rules.project, &["carts", DAYS]).cloned()
}
