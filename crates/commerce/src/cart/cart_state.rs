//! The state of a Cart (`cartState`), which decides whether it may change.
//!
//! Source: reference types `CartState` (actions refused by a frozen Cart; a merged or ordered one never
//! changes), `FreezeStrategy`, `CartFreezeCartAction`, `CartUnfreezeCartAction`.

use super::reprice_flags::{self, is_frozen};
use super::shipping_holders;
use kontor_engine::document::{enum_at, has_enum, list, must_enum};
use kontor_engine::{ActionContext, ActionHandler, Document};
use kontor_enums::{CartState, FreezeStrategy};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

const STATE: &str = "cartState";
const STRATEGY: &str = "freezeStrategy";

/// Does an action on a Cart that is not frozen.
pub(super) fn run_unless_frozen(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    act: ActionHandler,
) -> ApiResult<()> {
    if is_frozen(context.document) {
        return Err(ApiError::invalid_operation(format!(
            "{}: '{}' is not allowed while the Cart is frozen.",
            context.place, context.action.name
        )));
    }
    act(context, arguments)
}

/// Runs an action on a Cart whose shipping and discounts may change.
pub(super) fn not_hard_frozen(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    act: ActionHandler,
) -> ApiResult<()> {
    match enum_at(context.document, &[STRATEGY])? {
        Some(FreezeStrategy::HardFreeze) => run_unless_frozen(context, arguments, act),
        Some(FreezeStrategy::SoftFreeze) | None => act(context, arguments),
    }
}

/// Whether the state of a Cart allows to create an Order from it.
pub(super) fn can_be_ordered(cart: &Document) -> bool {
    has_enum(cart, &[STATE], CartState::Active) || has_enum(cart, &[STATE], CartState::Frozen)
}

/// Whether a Cart is ordered, and so cannot change any more.
pub(super) fn is_ordered(cart: &Document) -> bool {
    has_enum(cart, &[STATE], CartState::Ordered)
}

/// Refuses every change of a Cart that is merged into another one, or ordered.
pub(super) fn admit_change(before: &Document) -> ApiResult<()> {
    match must_enum(before, &[STATE])? {
        state @ (CartState::Merged | CartState::Ordered) => Err(ApiError::invalid_operation(format!(
            "The Cart is {}, so that it cannot be changed any more.",
            state.as_str().to_lowercase()
        ))),
        CartState::Active | CartState::Frozen => Ok(()),
    }
}

/// `freezeCart`.
pub(super) fn freeze(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let cart = &mut *context.document;
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{}: {what}", context.place)));
    if !has_enum(cart, &[STATE], CartState::Active) {
        return refuse("only an active Cart can be frozen.");
    }
    if list(cart, &["lineItems"]).is_empty() && list(cart, &["customLineItems"]).is_empty() {
        return refuse("an empty Cart cannot be frozen.");
    }
    cart.insert(STATE, json!(CartState::Frozen));
    cart.insert(
        STRATEGY,
        arguments.get("strategy").cloned().unwrap_or_else(|| json!(FreezeStrategy::SoftFreeze)),
    );
    context.emit("CartFrozen", Document::new())
}

/// `unfreezeCart`: marks prices, shipping rates and tax rates for a new selection. Line items whose Price has expired
/// meanwhile are removed.
pub(super) fn unfreeze(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    if !is_frozen(context.document) {
        return Err(ApiError::invalid_operation(format!("{}: the Cart is not frozen.", context.place)));
    }
    context.document.insert(STATE, json!(CartState::Active));
    context.document.shift_remove(STRATEGY);
    shipping_holders::choose_rates(context.document, context.rules)?;
    reprice_flags::choose_prices_or_remove(context.document)?;
    reprice_flags::choose_tax_rates(context.document)?;
    context.emit("CartUnfrozen", Document::new())
}
