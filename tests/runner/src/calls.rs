//! The table of GraphQL mutations that are not named after their resource, with the fields to select from their results, and
//! the paths at which REST serves these.

use kontor_json::Value;

/// An endpoint that has a mutation of its own, e.g. `customers/password`.
#[derive(Debug, PartialEq)]
pub struct EndpointMutation {
    /// The path of the endpoint, below that of the project or of a Store.
    pub(crate) path: &'static str,
    pub(crate) mutation: &'static str,
    /// The path segment at which REST serves the document, e.g. `carts`.
    pub read: &'static str,
    /// The field of the REST response that contains the document; `None` if the response is the document.
    pub holder: Option<&'static str>,
    /// The selection set of the mutation.
    pub(crate) selection_set: &'static str,
    /// The status of a successful REST response.
    pub status: u16,
}

const fn call(path: &'static str, mutation: &'static str, read: &'static str) -> EndpointMutation {
    EndpointMutation { path, mutation, read, holder: None, selection_set: "id", status: 200 }
}

/// The selection set of sign-up and sign-in.
const SIGNED_IN: &str = "customer { id } cart { id }";
/// The second document of a sign-up or sign-in result: its field, and the path segment at which REST serves it.
pub(crate) const SECOND_DOCUMENT: (&str, &str) = ("cart", "carts");

pub(crate) const CALLS: &[EndpointMutation] = &[
    EndpointMutation {
        holder: Some("customer"),
        selection_set: SIGNED_IN,
        status: 201,
        ..call("customers", "customerSignUp", "customers")
    },
    EndpointMutation {
        holder: Some("customer"),
        selection_set: SIGNED_IN,
        ..call("login", "customerSignIn", "customers")
    },
    EndpointMutation { status: 201, ..call("carts/replicate", "replicateCart", "carts") },
    call("customers/password", "customerChangePassword", "customers"),
    call("customers/password/reset", "customerResetPassword", "customers"),
    call("customers/email/confirm", "customerConfirmEmail", "customers"),
];

/// The selection sets of mutations that select more than the id.
pub(crate) const HELD: &[(&str, &str)] = &[
    ("createCart", CART),
    ("deleteVariant", "variant { id } warnings { code message }"),
    ("updateCart", CART),
];

/// The selection set of changes of a Cart.
const CART: &str = "id warnings { code message ... on CannotCreateReservationTypedWarning { productId sku quantity } \
    ... on CannotUpdateReservationTypedWarning { lineItemId requestedQuantity reservedQuantity productId sku } \
    ... on CannotChangeReservationExpiryTypedWarning { lineItemId } }";

/// Returns the path of the document that an endpoint made: below a Store if the endpoint was called below one.
pub(crate) fn document_path(call: &EndpointMutation, done: &Value, resource: &str) -> String {
    let id = call.holder.map_or(&done["id"], |holder| &done[holder]["id"]);
    let segments: Vec<&str> = resource.split('/').collect();
    // `/<project>/in-store/key=<store>`
    let above = if segments.get(2) == Some(&"in-store") { 4 } else { 2 };
    let above = segments.get(..above).unwrap_or_default().join("/");
    format!("{above}/{}/{}", call.read, id.as_str().unwrap_or_default())
}

/// Returns the path of the second document of a sign-up or sign-in result, if there is one.
pub(crate) fn second_document_path(done: &Value, resource: &str) -> Option<String> {
    let id = done[SECOND_DOCUMENT.0]["id"].as_str()?;
    let project = resource.split('/').nth(1)?;
    Some(format!("/{project}/{}/{id}", SECOND_DOCUMENT.1))
}
