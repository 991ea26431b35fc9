//! What is served beside documents.

use crate::id::ObjectId;

/// An operation of a service: it answers what Rust makes of what is sent.
#[derive(Debug, Clone)]
pub struct ServiceCall {
    /// Name in the model, unique among all; the Rust that answers is found by it.
    pub name: String,
    /// What it does, in a few words.
    pub doc: String,
    /// The service that it is one of.
    pub service: String,
    /// What that is, in a sentence.
    pub service_doc: String,
    /// All of the path, with names in braces.
    pub path: String,
    /// Any one of these scopes allows it.
    pub scopes: Vec<String>,
    /// What is sent; `None`: it only reads.
    pub body: Option<ObjectId>,
    /// What is answered.
    pub answer: ObjectId,
    /// It answers a list of that.
    pub many: bool,
}
