//! Carts.

use super::{Area, EndpointNames, Extra};

pub(super) const AREA: Area = Area {
    finders: &[("Cart", "ofCustomer", "customerActiveCart"), ("Cart", "myActiveCart", "activeCart")],
    not_expandable: &["Reservation"],
    extra_enum_values: &[
        ("ReservationState", "CommitInProgress"),
        ("ReservationState", "CreationInProgress"),
        ("ReservationState", "UpdateInProgress"),
    ],
    hidden: &[("Cart", "warnings")],
    retyped: &[("Reservation", "expiresAt", "DateTime", None)],
    extra: &[
        ("Cart", "warnings", &[], "[TypedWarning!]!", Extra::Stored("warnings")),
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
        (
            "CannotChangeReservationExpiryTypedWarning",
            "The time of a Reservation that keeps nothing any more was to change.",
        ),
        ("CannotCreateReservationTypedWarning", "There is not as much on stock as was to be reserved."),
        (
            "CannotUpdateReservationTypedWarning",
            "There is not as much on stock as was to be reserved beside what is.",
        ),
    ],
    retyped_inputs: &[
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
