//! Calls of services.

use crate::id::ObjectId;

/// A call of a service: Rust handles its request.
#[derive(Debug, Clone)]
pub struct ServiceCall {
    /// Name in the model, unique among all; it identifies the Rust handler.
    pub name: String,
    /// A short description.
    pub doc: String,
    /// The service that it is one of.
    pub service: String,
    /// The description of the service, in a sentence.
    pub service_doc: String,
    /// All of the path, with names in braces.
    pub path: String,
    /// Any one of these scopes allows it.
    pub scopes: Vec<String>,
    /// The shape of the request body; `None`: the call only reads.
    pub body: Option<ObjectId>,
    /// The shape of the response.
    pub answer: ObjectId,
    /// It answers a list of that.
    pub many: bool,
}
