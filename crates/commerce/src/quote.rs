//! Quote: an offer to a buyer with fixed prices.
//!
//! `order/from_quote.rs` creates an Order from it.
//!
//! Source: reference types `Quote`, `QuoteDraft`, `QuoteState`, `Quote…Action`,
//! `MyQuoteChangeMyQuoteStateAction`, `Quote…Message`, `Permission`. Conversations: `tests/api/quotes/`.

use crate::buyer::{self, OwnOrOthersPermission};
use crate::copied_fields::copy_fields;
use crate::kinds;
use crate::negotiation::{copy_predecessor_fields, source, take_custom};
use crate::order;
use crate::transition::{first_state, transition_state};
use kontor_engine::document::{fields, has_enum, must_enum, must_text, set, text};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, EndpointHandler, Rules};
use kontor_enums::{QuoteState, StagedQuoteState, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// The state of the offer.
const STATE: &str = "quoteState";
const PENDING: &str = QuoteState::Pending.as_str();
const FOR_RENEGOTIATION: &str = QuoteState::DeclinedForRenegotiation.as_str();
const STAGED_STATE: &str = "stagedQuoteState";

const ACCEPTANCE: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "accept quote",
    own_permission: "AcceptMyQuotes",
    others_permission: "AcceptOthersQuotes",
};
const DECLINATION: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "decline quote",
    own_permission: "DeclineMyQuotes",
    others_permission: "DeclineOthersQuotes",
};
const RENEGOTIATION: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "renegotiate quote",
    own_permission: "RenegotiateMyQuotes",
    others_permission: "RenegotiateOthersQuotes",
};

pub(crate) struct Quote;

impl Behaviour for Quote {
    fn resource(&self) -> &'static str {
        "Quote"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("changeQuoteState", change_state),
            ("requestQuoteRenegotiation", request_renegotiation),
            ("transitionState", |context, arguments| {
                transition_state(context, arguments, StateTypeEnum::QuoteState, "QuoteStateTransition")
            }),
        ]
    }

    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("changeMyQuoteState", respond_to_quote)]
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[("orderOf", order::FROM_QUOTE), ("myOrderOf", order::MINE_FROM_QUOTE)]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let (kind, staged) =
            source("The Staged Quote", draft.get("stagedQuote"), draft.get("stagedQuoteVersion"), rules)?;
        if has_enum(&staged, &[STAGED_STATE], StagedQuoteState::Closed) {
            return Err(ApiError::invalid_operation(
                "The Staged Quote is Closed, so that no Quote can be made of it.",
            ));
        }
        take_content(after, &staged, rules)?;
        copy_predecessor_fields(
            after,
            &staged,
            &[
                "customer",
                "businessUnit",
                "store",
                "purchaseOrderNumber",
                "quoteRequest",
                "validTo",
                "sellerComment",
            ],
        );
        take_custom(after, &staged);
        after.insert(STATE, json!(PENDING));
        if draft.get("stagedQuoteStateToSent") == Some(&json!(true)) {
            let mut sent = (*staged).clone();
            sent.insert(STAGED_STATE, json!(StagedQuoteState::Sent));
            effects.change(kind, sent);
        }
        match after.get("state") {
            Some(state) => first_state(state, StateTypeEnum::QuoteState, rules).map(drop),
            None => Ok(()),
        }
    }
}

/// Copies the offered content: the current Cart of the Staged Quote.
fn take_content(after: &mut Document, staged: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let id = must_text(staged, &["quotationCart", "id"])?;
    let cart = rules.find(kinds::CART, id)?.ok_or_else(|| {
        ApiError::invalid_operation(format!("The Cart '{id}' of the Staged Quote is not there any more."))
    })?;
    after.extend(copy_fields(&cart, "Quote", &["custom", "store", "businessUnit"], rules)?);
    Ok(())
}

/// `changeQuoteState`: the seller may set any state. An Associate counts as a buyer.
fn change_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_text(arguments, &[STATE])?;
    if state == FOR_RENEGOTIATION {
        return refuse(context, "that a Quote is to be renegotiated is said by requestQuoteRenegotiation");
    }
    match context.rules.bounds.associate.is_some() {
        true => respond_to_quote(context, arguments),
        false => set_state(context, state),
    }
}

/// `changeMyQuoteState`: a buyer accepts or declines an offer.
fn respond_to_quote(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_text(arguments, &[STATE])?;
    let needed = match must_enum(arguments, &[STATE])? {
        QuoteState::Accepted => &ACCEPTANCE,
        QuoteState::Declined => &DECLINATION,
        QuoteState::Pending
        | QuoteState::DeclinedForRenegotiation
        | QuoteState::RenegotiationAddressed
        | QuoteState::Withdrawn => {
            return refuse(context, "a buyer accepts or declines a Quote, the rest is for the seller");
        }
    };
    permit(needed, context)?;
    admit_pending(context)?;
    set_state(context, state)
}

/// `requestQuoteRenegotiation`.
fn request_renegotiation(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    permit(&RENEGOTIATION, context)?;
    admit_pending(context)?;
    let comment = arguments.get("buyerComment").cloned();
    set(context.document, &[STATE], Some(json!(FOR_RENEGOTIATION)));
    set(context.document, &["buyerComment"], comment.clone());
    context.emit("QuoteRenegotiationRequested", fields([("buyerComment", comment)]))
}

/// Checks the permission of a caller who acts for the Business Unit of the Quote, below `/me` too.
fn permit(needed: &OwnOrOthersPermission, context: &ActionContext<'_, '_>) -> ApiResult<()> {
    let (owner, unit) =
        (text(context.document, &["customer", "id"]), text(context.document, &["businessUnit", "key"]));
    buyer::require_permission(needed, owner, unit, context.rules)
}

fn admit_pending(context: &ActionContext<'_, '_>) -> ApiResult<()> {
    match must_text(context.document, &[STATE])? {
        PENDING => Ok(()),
        state => refuse(context, &format!("the Quote is {state}, expected {PENDING}")),
    }
}

fn refuse(context: &ActionContext<'_, '_>, what: &str) -> ApiResult<()> {
    Err(ApiError::invalid_operation(format!("{}: {what}.", context.place)))
}

fn set_state(context: &mut ActionContext<'_, '_>, state: &str) -> ApiResult<()> {
    let (old, new) = (context.document.get(STATE).cloned(), Some(json!(state)));
    if old == new {
        return Ok(());
    }
    set(context.document, &[STATE], new.clone());
    context.emit("QuoteStateChanged", fields([(STATE, new), ("oldQuoteState", old)]))
}
