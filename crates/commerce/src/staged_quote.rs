//! Staged Quote: an offer that the seller prepares, in a separate Cart.
//!
//! Source: reference types `StagedQuote`, `StagedQuoteDraft`, `StagedQuote…Action`, `StagedQuote…Message`; operation
//! "Create StagedQuote" (of Shipping Methods). Conversations: `tests/api/quotes/`.

use crate::cart;
use crate::kinds;
use crate::negotiation::{copy_predecessor_fields, source, take_custom};
use crate::shipped_by::admit_methods_of;
use crate::transition::{first_state, transition_state};
use kontor_engine::document::{fields, must_enum, reference};
use kontor_engine::{ActionHandler, Behaviour, Document, Effects, Rules};
use kontor_enums::{QuoteRequestState, StagedQuoteState, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const STATE: &str = "stagedQuoteState";
/// The state of the Quote Request.
const REQUEST_STATE: &str = "quoteRequestState";

pub(crate) struct StagedQuote;

impl Behaviour for StagedQuote {
    fn resource(&self) -> &'static str {
        "StagedQuote"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("transitionState", |context, arguments| {
            transition_state(
                context,
                arguments,
                StateTypeEnum::StagedQuoteState,
                "StagedQuoteStateTransition",
            )
        })]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let (kind, request) =
            source("The Quote Request", draft.get("quoteRequest"), draft.get("quoteRequestVersion"), rules)?;
        admit(&request)?;
        admit_methods_of(&request, rules)?;
        copy_predecessor_fields(
            after,
            &request,
            &["customer", "businessUnit", "store", "purchaseOrderNumber"],
        );
        take_custom(after, &request);
        after.insert(STATE, json!(StagedQuoteState::InProgress));
        let cart = cart_of(&request, rules, effects)?;
        after.insert("quotationCart", reference("cart", &cart));
        if draft.get("quoteRequestStateToAccepted") == Some(&json!(true)) {
            let mut accepted = (*request).clone();
            accepted.insert(REQUEST_STATE, json!(QuoteRequestState::Accepted));
            effects.change(kind, accepted);
        }
        match after.get("state") {
            Some(state) => first_state(state, StateTypeEnum::StagedQuoteState, rules).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the Message about a changed state, e.g. `Sent`, which the creation of a Quote sets.
    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        let (old, new) = (before.get(STATE).cloned(), after.get(STATE).cloned());
        if old == new {
            return Vec::new();
        }
        vec![("StagedQuoteStateChanged", fields([(STATE, new), ("oldStagedQuoteState", old)]))]
    }
}

/// Checks that the Quote Request is still open for offers.
fn admit(request: &Document) -> ApiResult<()> {
    match must_enum(request, &[REQUEST_STATE])? {
        state @ (QuoteRequestState::Closed | QuoteRequestState::Rejected | QuoteRequestState::Cancelled) => {
            Err(ApiError::invalid_operation(format!(
                "The Quote Request is {state}, so that no Staged Quote can be made of it."
            )))
        }
        QuoteRequestState::Submitted | QuoteRequestState::Accepted => Ok(()),
    }
}

/// Creates the Cart of the offer; returns its id.
fn cart_of(request: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<String> {
    let mut cart = cart::create_quote_cart(request, rules)?;
    let id = rules.new_id();
    cart.insert("id", Value::String(id.clone()));
    effects.create(kinds::CART, cart, None);
    Ok(id)
}
