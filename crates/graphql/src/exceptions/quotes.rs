//! Quote Requests, Staged Quotes and Quotes.

use super::Area;

pub(super) const AREA: Area = Area {
    not_expandable: &["QuoteRequest"],
    extra_enum_values: &[("QuoteRequestState", "UnderReview")],
    own_actions: &["MyQuoteRequest"],
    action_names: &[
        ("MyQuoteRequest", "cancelQuoteRequest", "CancelQuoteRequest"),
        ("QuoteRequest", "changeQuoteRequestState", "ChangeQuoteRequestState"),
    ],
    retyped_inputs: &[
        ("QuoteRequestDraft", "cart", "ResourceIdentifierInput"),
        ("QuoteRequestDraft", "cartVersion", "Long"),
        ("QuoteRequestDraft", "state", "ReferenceInput"),
        ("TransitionQuoteRequestState", "force", "Boolean = false"),
    ],
    retyped: &[
        ("QuoteRequest", "customerRef", "Reference", None),
        ("QuoteRequest", "inventoryMode", "InventoryMode!", None),
        ("QuoteRequest", "itemShippingAddresses", "[Address!]!", None),
        ("QuoteRequest", "directDiscounts", "[DirectDiscount!]!", None),
    ],
    ..Area::NONE
};
