//! Exceptions of Carts.

use super::{Area, EndpointNames, Extra, ExtraInput, SentPart};

pub(super) const AREA: Area = Area {
    finders: &[("Cart", "ofCustomer", "customerActiveCart"), ("Cart", "myActiveCart", "activeCart")],
    not_expandable: &["Reservation"],
    input_names: &[
        ("ExternalLineItemTotalPrice", "ExternalLineItemTotalPriceDraft"),
        ("ItemShippingTarget", "ShippingTargetDraft"),
    ],
    input_aliases: &[
        ("ItemShippingAddressTargetDraft", "ItemShippingTarget"),
        ("ItemShippingAddressTargetDraftType", "ItemShippingTarget"),
        ("ShippingMethodTargetDraft", "ItemShippingTarget"),
        ("ShippingMethodTargetDraftType", "ItemShippingTarget"),
        ("ShippingTargetDraftType", "ItemShippingTarget"),
    ],
    hidden_inputs: &[
        ("ItemShippingAddressTargetDraft", "shippingMethodKey"),
        ("ItemShippingAddressTargetDraftType", "shippingMethodKey"),
        ("ShippingMethodTargetDraft", "addressKey"),
        ("ShippingMethodTargetDraftType", "addressKey"),
    ],
    // GraphQL accepts targets in three lists, which are joined.
    extra_inputs: &[
        targets("ItemShippingDetailsDraft", "shippingTargets", "[ShippingMethodTargetDraft!] = []"),
        targets(
            "ItemShippingDetailsDraft",
            "itemShippingAddressTargets",
            "[ItemShippingAddressTargetDraft!] = []",
        ),
        targets("ItemShippingDetailsDraftType", "shippingTargets", "[ShippingMethodTargetDraftType!] = []"),
        targets(
            "ItemShippingDetailsDraftType",
            "itemShippingAddressTargets",
            "[ItemShippingAddressTargetDraftType!] = []",
        ),
        delta("ApplyCartDeltaToCustomLineItemShippingDetailsTargets"),
        delta("ApplyCartDeltaToLineItemShippingDetailsTargets"),
    ],
    ignored_inputs: &[("FreezeCart", "dummy", "String")],
    action_names: &[
        ("Cart", "freezeCart", "FreezeCart"),
        ("Cart", "lockCart", "LockCart"),
        ("Cart", "setCartTotalTax", "SetCartTotalTax"),
        ("Cart", "unfreezeCart", "UnfreezeCart"),
        ("Cart", "unlockCart", "UnlockCart"),
    ],
    identified_lists: &[
        ("Cart", "lineItems"),
        ("Order", "lineItems"),
        ("Quote", "lineItems"),
        ("QuoteRequest", "lineItems"),
    ],
    told_below: &[("LineItem", &["productType"])],
    extra_enums: &[("Placement", &["InStore", "Online"])],
    extra_enum_values: &[
        ("ReservationState", "CommitInProgress"),
        ("ReservationState", "CreationInProgress"),
        ("ReservationState", "UpdateInProgress"),
    ],
    hidden: &[("Cart", "warnings")],
    retyped: &[
        ("LineItem", "productTypeRef", "VersionedReference", None),
        ("LineItem", "totalPrice", "Money", None),
        ("LineItem", "variant", "ProductVariant", None),
        ("Reservation", "expiresAt", "DateTime", None),
    ],
    extra: &[
        ("Cart", "customer", &[], "Customer", CUSTOMER),
        ("Cart", "placement", &[], "Placement", Extra::Constant("null")),
        ("Cart", "refusedGiftsRefs", &[], "[Reference!]!", Extra::Stored("refusedGifts")),
        ("Cart", "warnings", &[], "[TypedWarning!]!", Extra::Stored("warnings")),
        ("Order", "customer", &[], "Customer", CUSTOMER),
        ("Order", "placement", &[], "Placement", Extra::Constant("null")),
        ("VersionedReference", "id", &[], "String!", Extra::Stored("id")),
        ("VersionedReference", "typeId", &[], "String!", Extra::Stored("typeId")),
        ("VersionedReference", "version", &[], "Long", Extra::Stored("version")),
        ("Reservation", "inventoryMode", &[], "String!", Extra::Constant("\"ReserveOnCart\"")),
        (
            "CannotChangeReservationExpiryTypedWarning",
            "code",
            &[],
            "TypedWarningCode!",
            Extra::Stored("code"),
        ),
        (
            "CannotChangeReservationExpiryTypedWarning",
            "lineItemId",
            &[],
            "String!",
            Extra::Stored("lineItemId"),
        ),
        ("CannotChangeReservationExpiryTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("CannotChangeReservationExpiryTypedWarning", "type", &[], "String!", Extra::Stored("code")),
        ("CannotCreateReservationTypedWarning", "code", &[], "TypedWarningCode!", Extra::Stored("code")),
        ("CannotCreateReservationTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("CannotCreateReservationTypedWarning", "productId", &[], "String!", Extra::Stored("productId")),
        ("CannotCreateReservationTypedWarning", "quantity", &[], "Long!", Extra::Stored("quantity")),
        ("CannotCreateReservationTypedWarning", "sku", &[], "String", Extra::Stored("sku")),
        (
            "CannotCreateReservationTypedWarning",
            "supplyChannelRef",
            &[],
            "Reference",
            Extra::Constant("null"),
        ),
        ("CannotCreateReservationTypedWarning", "type", &[], "String!", Extra::Stored("code")),
        ("CannotUpdateReservationTypedWarning", "code", &[], "TypedWarningCode!", Extra::Stored("code")),
        ("CannotUpdateReservationTypedWarning", "lineItemId", &[], "String!", Extra::Stored("lineItemId")),
        ("CannotUpdateReservationTypedWarning", "message", &[], "String!", Extra::Stored("message")),
        ("CannotUpdateReservationTypedWarning", "productId", &[], "String!", Extra::Stored("productId")),
        (
            "CannotUpdateReservationTypedWarning",
            "requestedQuantity",
            &[],
            "Long!",
            Extra::Stored("requestedQuantity"),
        ),
        (
            "CannotUpdateReservationTypedWarning",
            "reservedQuantity",
            &[],
            "Long!",
            Extra::Stored("reservedQuantity"),
        ),
        ("CannotUpdateReservationTypedWarning", "sku", &[], "String", Extra::Stored("sku")),
        (
            "CannotUpdateReservationTypedWarning",
            "supplyChannelRef",
            &[],
            "Reference",
            Extra::Constant("null"),
        ),
        ("CannotUpdateReservationTypedWarning", "type", &[], "String!", Extra::Stored("code")),
    ],
    extra_outputs: &[
        ("VersionedReference", "A reference to a document as it was at some version, where that is known."),
        (
            "CannotChangeReservationExpiryTypedWarning",
            "The expiry of a Reservation that is no longer active cannot be changed.",
        ),
        ("CannotCreateReservationTypedWarning", "There is not enough stock for the Reservation."),
        ("CannotUpdateReservationTypedWarning", "There is not enough stock to increase the Reservation."),
    ],
    retyped_inputs: &[
        ("AddCartLineItem", "perMethodExternalTaxRate", "[MethodExternalTaxRateDraft!] = []"),
        ("ApplyCartDeltaToCustomLineItemShippingDetailsTargets", "targetsDelta", "[ShippingTargetDraft!]"),
        ("ApplyCartDeltaToLineItemShippingDetailsTargets", "targetsDelta", "[ShippingTargetDraft!]"),
        ("CartDraft", "customLineItems", "[CustomLineItemDraft!] = []"),
        ("CartDraft", "customShipping", "[CustomShippingDraft!] = []"),
        ("CartDraft", "discountCodes", "[String!] = []"),
        ("CartDraft", "inventoryMode", "InventoryMode = None"),
        ("CartDraft", "itemShippingAddresses", "[AddressInput!] = []"),
        ("CartDraft", "lineItems", "[LineItemDraft!] = []"),
        ("CartDraft", "origin", "CartOrigin = Customer"),
        ("CartDraft", "shipping", "[ShippingDraft!] = []"),
        ("CartDraft", "shippingMode", "ShippingMode = Single"),
        ("CartDraft", "taxCalculationMode", "TaxCalculationMode = LineItemLevel"),
        ("CartDraft", "taxMode", "TaxMode = Platform"),
        ("CustomLineItemDraft", "taxCategory", "ReferenceInput"),
        ("ExternalTaxRateDraft", "includedInPrice", "Boolean = false"),
        ("ExternalTaxRateDraft", "subRates", "[SubRateDraft!] = []"),
        ("ItemShippingDetailsDraft", "targets", "[ShippingTargetDraft!]! = []"),
        ("ItemShippingDetailsDraftType", "targets", "[ShippingTargetDraftType!] = []"),
        ("ShippingMethodTargetDraft", "shippingMethodKey", "String!"),
        ("ShippingMethodTargetDraftType", "shippingMethodKey", "String!"),
        ("LineItemDraft", "perMethodExternalTaxRate", "[MethodExternalTaxRateDraft!] = []"),
        ("MyCartDraft", "customShipping", "[CustomShippingDraft!] = []"),
        ("MyCartDraft", "discountCodes", "[String!] = []"),
        ("MyCartDraft", "inventoryMode", "InventoryMode = None"),
        ("MyCartDraft", "itemShippingAddresses", "[AddressInput!] = []"),
        ("MyCartDraft", "lineItems", "[MyLineItemDraft!] = []"),
        ("MyCartDraft", "shipping", "[ShippingDraft!] = []"),
        ("MyCartDraft", "shippingMode", "ShippingMode = Single"),
        ("MyCartDraft", "taxMode", "TaxMode = Platform"),
        ("RecalculateCart", "updateProductData", "Boolean = false"),
        ("SetCartTotalTax", "externalTaxPortions", "[TaxPortionDraft!] = []"),
        ("SetCartTotalTax", "externalTotalGross", "MoneyInput"),
        ("MergeCartDraft", "mergeMode", "CartMergeMode = MergeWithExistingCustomerCart"),
        ("MergeCartDraft", "updateProductData", "Boolean = false"),
        ("replicateCart", "reference", "ReferenceInput!"),
        ("replicateMyCart", "reference", "ReferenceInput!"),
    ],
    bare_endpoints: &[("Cart", "replicate"), ("Cart", "replicateMine")],
    endpoints: &[
        EndpointNames { kind: "Cart", endpoint: "merge", mutation: "mergeCart", answer: None, within: None },
        EndpointNames {
            kind: "Cart",
            endpoint: "replicate",
            mutation: "replicateCart",
            answer: None,
            within: None,
        },
        EndpointNames {
            kind: "Cart",
            endpoint: "replicateMine",
            mutation: "replicateMyCart",
            answer: None,
            within: None,
        },
    ],
    ..Area::NONE
};

const CUSTOMER: Extra = Extra::TargetById { kind: "Customer", field: "customerId" };

/// A further list of targets, joined with the list `targets`.
const fn targets(input: &'static str, field: &'static str, ty: &'static str) -> ExtraInput {
    ExtraInput { input, field, ty, to: &["targets"], what: SentPart::Whole }
}

/// An object with targets, instead of the list of targets.
const fn delta(input: &'static str) -> ExtraInput {
    ExtraInput {
        input,
        field: "targetsDeltaDraft",
        ty: "ItemShippingDetailsDraft",
        to: &["targetsDelta"],
        what: SentPart::Field("targets"),
    }
}
