//! Mutations that are called otherwise than their resources, and what is asked of their answers.

/// An endpoint that is a mutation of its own.
#[derive(Debug, PartialEq)]
pub struct Call {
    /// Its path, below that of a Store or the project.
    pub(crate) path: &'static str,
    pub(crate) mutation: &'static str,
    /// Where documents of the kind are read.
    pub read: &'static str,
    /// The field of the answer that holds the document.
    pub holder: Option<&'static str>,
    /// What is asked of the answer.
    pub(crate) shown: &'static str,
    /// The status where it is done.
    pub status: u16,
}

const fn call(path: &'static str, mutation: &'static str, read: &'static str) -> Call {
    Call { path, mutation, read, holder: None, shown: "id", status: 200 }
}

/// What is asked of the answer where somebody signs up or in.
const SIGNED_IN: &str = "customer { id } cart { id }";
/// The document that such an answer holds beside the other, and where it is read.
pub(crate) const BESIDE: (&str, &str) = ("cart", "carts");

pub(crate) const CALLS: &[Call] = &[
    Call {
        holder: Some("customer"),
        shown: SIGNED_IN,
        status: 201,
        ..call("customers", "customerSignUp", "customers")
    },
    Call { holder: Some("customer"), shown: SIGNED_IN, ..call("login", "customerSignIn", "customers") },
    Call { status: 201, ..call("carts/replicate", "replicateCart", "carts") },
    call("customers/password", "customerChangePassword", "customers"),
    call("customers/password/reset", "customerResetPassword", "customers"),
    call("customers/email/confirm", "customerConfirmEmail", "customers"),
];

/// What is asked of answers that hold the document in a field.
pub(crate) const HELD: &[(&str, &str)] = &[
    ("createCart", CART),
    ("deleteVariant", "variant { id } warnings { code message }"),
    ("updateCart", CART),
];

/// What is asked of the answer to a change of a Cart.
const CART: &str = "id warnings { code message ... on CannotCreateReservationTypedWarning { productId sku quantity } \
    ... on CannotUpdateReservationTypedWarning { lineItemId requestedQuantity reservedQuantity productId sku } \
    ... on CannotChangeReservationExpiryTypedWarning { lineItemId } }";
