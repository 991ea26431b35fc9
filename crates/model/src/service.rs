//! Calls of services: operations without documents of a kind.

use crate::id::ObjectId;
use crate::shape::Field;

/// A call of a service, which a Rust handler implements.
#[derive(Debug, Clone)]
pub struct ServiceCall {
    /// Name in the model, unique among all; it identifies the Rust handler.
    pub name: String,
    /// A short description.
    pub doc: String,
    /// The name of the service that has the call.
    pub service: String,
    /// The description of the service, in a sentence.
    pub service_doc: String,
    /// The whole path, with names in braces.
    pub path: String,
    /// Any one of these scopes allows it.
    pub scopes: Vec<String>,
    /// The query parameters.
    pub parameters: Vec<Field>,
    /// The shape of the request body; `None`: the call only reads.
    pub body: Option<ObjectId>,
    /// The shape of the response.
    pub response: ObjectId,
    /// Whether the response is a list.
    pub many: bool,
}
