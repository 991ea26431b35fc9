//! Names and types of the official schema that do not follow the conventions, for Quote Requests, Staged Quotes and
//! Quotes. [`ExceptionArea`] explains the tables.

use super::{EndpointNames, ExceptionArea};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    not_expandable: &["Quote", "QuoteRequest", "StagedQuote"],
    extra_enum_values: &[("QuoteRequestState", "UnderReview")],
    input_names: &[
        ("MyOrderFromQuoteDraft", "OrderMyQuoteCommand"),
        ("OrderFromQuoteDraft", "OrderQuoteCommand"),
    ],
    own_actions: &["MyQuoteRequest"],
    action_names: &[
        ("MyQuoteRequest", "cancelQuoteRequest", "CancelQuoteRequest"),
        ("Quote", "changeQuoteState", "ChangeQuoteState"),
        ("Quote", "requestQuoteRenegotiation", "RequestQuoteRenegotiation"),
        ("QuoteRequest", "changeQuoteRequestState", "ChangeQuoteRequestState"),
        ("StagedQuote", "changeStagedQuoteState", "ChangeStagedQuoteState"),
    ],
    retyped_inputs: &[
        ("OrderMyQuoteCommand", "quoteStateToAccepted", "Boolean = false"),
        ("OrderQuoteCommand", "orderState", "OrderState"),
        ("OrderQuoteCommand", "quote", "ResourceIdentifierInput"),
        ("OrderQuoteCommand", "quoteStateToAccepted", "Boolean = false"),
        ("QuoteDraft", "stagedQuote", "ResourceIdentifierInput"),
        ("QuoteDraft", "stagedQuoteStateToSent", "Boolean = false"),
        ("QuoteDraft", "stagedQuoteVersion", "Long"),
        ("QuoteDraft", "state", "ReferenceInput"),
        ("StagedQuoteDraft", "quoteRequest", "ResourceIdentifierInput"),
        ("StagedQuoteDraft", "quoteRequestStateToAccepted", "Boolean = false"),
        ("StagedQuoteDraft", "quoteRequestVersion", "Long"),
        ("StagedQuoteDraft", "state", "ReferenceInput"),
        ("TransitionQuoteState", "force", "Boolean = false"),
        ("TransitionStagedQuoteState", "force", "Boolean = false"),
        ("QuoteRequestDraft", "cart", "ResourceIdentifierInput"),
        ("QuoteRequestDraft", "cartVersion", "Long"),
        ("QuoteRequestDraft", "state", "ReferenceInput"),
        ("TransitionQuoteRequestState", "force", "Boolean = false"),
    ],
    retyped: &[
        ("Quote", "inventoryMode", "InventoryMode!", None),
        ("Quote", "itemShippingAddresses", "[Address!]!", None),
        ("Quote", "directDiscounts", "[DirectDiscount!]!", None),
        ("QuoteRequest", "customerRef", "Reference", None),
        ("QuoteRequest", "inventoryMode", "InventoryMode!", None),
        ("QuoteRequest", "itemShippingAddresses", "[Address!]!", None),
        ("QuoteRequest", "directDiscounts", "[DirectDiscount!]!", None),
    ],
    endpoints: &[
        EndpointNames {
            kind: "Quote",
            endpoint: "orderOf",
            mutation: "createOrderFromQuote",
            response: None,
            parent_field: None,
        },
        EndpointNames {
            kind: "Quote",
            endpoint: "myOrderOf",
            mutation: "createMyOrderFromQuote",
            response: None,
            parent_field: None,
        },
    ],
    ..ExceptionArea::NONE
};
