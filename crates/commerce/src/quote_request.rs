//! Quote Request: a copy of a Cart for which a buyer requests an offer.
//!
//! Source: reference types `QuoteRequest`, `QuoteRequestDraft` (Carts without offers), `MyQuoteRequestDraft`,
//! `QuoteRequest…Action`, `MyQuoteRequestCancelAction`, `QuoteRequest…Message`; public documentation, "Quotes
//! overview". Conversations: `tests/api/quote-requests/`.

use crate::buyer::{self, OwnOrOthersPermission};
use crate::copied_fields::copy_fields;
use crate::kinds;
use crate::negotiation::admit_version;
use crate::transition::{first_state, transition_state};
use kontor_engine::document::{enum_at, fields, has_enum, list, must_text, reference, set, text};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules};
use kontor_enums::{CartState, QuoteRequestState, ShippingMode, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// The state set by seller and buyer.
const STATE: &str = "quoteRequestState";
const SUBMITTED: &str = QuoteRequestState::Submitted.as_str();
const CANCELLED: &str = QuoteRequestState::Cancelled.as_str();
/// The permission to create a request, for callers without rights to all of them.
const CREATION: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "create quote-request",
    own_permission: "CreateMyQuoteRequestsFromMyCarts",
    others_permission: "CreateQuoteRequestsFromOthersCarts",
};

pub(crate) struct QuoteRequest;

impl Behaviour for QuoteRequest {
    fn resource(&self) -> &'static str {
        "QuoteRequest"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("changeQuoteRequestState", change_state),
            ("transitionState", |context, arguments| {
                transition_state(
                    context,
                    arguments,
                    StateTypeEnum::QuoteRequestState,
                    "QuoteRequestStateTransition",
                )
            }),
        ]
    }

    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("cancelQuoteRequest", |context, _| cancel(context))]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let cart = cart_of(draft, rules)?;
        let unit = text(&cart, &["businessUnit", "key"]);
        buyer::require_permission(&CREATION, text(&cart, &["customerId"]), unit, rules)?;
        admit_cart(&cart)?;
        buyer::admit_unit(&cart, rules)?;
        let customer = must_text(&cart, &["customerId"])?;
        let number = after.get("purchaseOrderNumber").cloned();
        after.extend(content(&cart, rules)?);
        after.extend(number.map(|number| ("purchaseOrderNumber".to_owned(), number)));
        after.insert("customer", reference("customer", customer));
        after.insert("cart", reference("cart", must_text(&cart, &["id"])?));
        after.insert(STATE, json!(SUBMITTED));
        match after.get("state") {
            Some(state) => first_state(state, StateTypeEnum::QuoteRequestState, rules).map(drop),
            None => Ok(()),
        }
    }

    /// A Staged Quote can accept it.
    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        let (old, new) = (before.get(STATE).cloned(), after.get(STATE).cloned());
        match old == new {
            true => Vec::new(),
            false => vec![("QuoteRequestStateChanged", state_message_fields(old, new))],
        }
    }
}

/// Returns the Cart of a draft in the version that the buyer has seen. It becomes a precondition of the
/// request.
///
/// 400 `ReferencedResourceNotFound`, also for the Cart of another customer below `/me`; 400
/// `InvalidOperation`: it is of another Store or Business Unit; 409 `ConcurrentModification`.
fn cart_of(draft: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = match (draft.get("cart"), text(draft, &["cartId"])) {
        (Some(Value::Object(cart)), _) => rules.resolve_source(cart)?.id,
        (_, Some(id)) => id.to_owned(),
        _ => return Err(ApiError::required_field("cart")),
    };
    let missing = || ApiError::referenced_resource_not_found("cart", Some(&id), None);
    let cart = rules.find(kinds::CART, &id)?.ok_or_else(missing)?;
    if let Some(asker) = &rules.bounds.mine
        && (asker.customer().is_none() || text(&cart, &["customerId"]) != asker.customer())
    {
        return Err(missing());
    }
    buyer::admit_place("The Cart", &cart, rules)?;
    admit_version(&cart, draft.get("cartVersion"))?;
    Ok(cart)
}

/// Checks that an offer for a Cart is possible (reference types `QuoteRequestDraft`, `CartState`).
fn admit_cart(cart: &Document) -> ApiResult<()> {
    let refuse =
        |what: &str| Err(ApiError::invalid_operation(format!("A Quote cannot be requested: {what}")));
    if !cart.contains_key("customerId") {
        return refuse("the Cart is anonymous.");
    }
    if !matches!(enum_at(cart, &["cartState"])?, Some(CartState::Active | CartState::Frozen)) {
        return refuse("the Cart is ordered, or merged into another one.");
    }
    if !list(cart, &["discountCodes"]).is_empty() {
        return refuse("the Cart has Discount Codes.");
    }
    if has_enum(cart, &["shippingMode"], ShippingMode::Multiple) {
        return refuse("the Cart has the Shipping Mode Multiple.");
    }
    if !cart.contains_key("shippingAddress") {
        return refuse("the Cart has no shipping address.");
    }
    Ok(())
}

/// Copies the Cart's fields. The Cart's stock reservations are not copied.
fn content(cart: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut content = copy_fields(cart, "QuoteRequest", &["custom"], rules)?;
    if let Some(Value::Array(lines)) = content.get_mut("lineItems") {
        for line in lines.iter_mut().filter_map(Value::as_object_mut) {
            line.shift_remove("reservation");
        }
    }
    Ok(content)
}

/// `changeQuoteRequestState`.
fn change_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let is_buyer = context.rules.bounds.associate.is_some();
    match must_text(arguments, &[STATE])? {
        CANCELLED if is_buyer => cancel(context),
        state => set_state(context, state),
    }
}

/// `cancelQuoteRequest`: a buyer cancels a request that the seller has not processed.
fn cancel(context: &mut ActionContext<'_, '_>) -> ApiResult<()> {
    match must_text(context.document, &[STATE])? {
        SUBMITTED => set_state(context, CANCELLED),
        state => Err(ApiError::invalid_operation(format!(
            "{}: a Quote Request can be cancelled by the buyer while it is {SUBMITTED}; it is {state}.",
            context.place
        ))),
    }
}

fn set_state(context: &mut ActionContext<'_, '_>, state: &str) -> ApiResult<()> {
    let (old, new) = (context.document.get(STATE).cloned(), Some(json!(state)));
    if old == new {
        return Ok(());
    }
    set(context.document, &[STATE], new.clone());
    context.emit("QuoteRequestStateChanged", state_message_fields(old, new))
}

fn state_message_fields(old: Option<Value>, new: Option<Value>) -> Document {
    fields([(STATE, new), ("oldQuoteRequestState", old)])
}
