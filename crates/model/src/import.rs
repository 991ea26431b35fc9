//! What can be brought in by the Import API.

use crate::shape::Shape;

/// A type of resources that Import Requests are made of.
#[derive(Debug, Clone)]
pub struct Import {
    /// Name in the model, `CategoryImport`.
    pub name: String,
    /// The value of `type` in requests, `category`.
    pub type_name: String,
    /// First segment of the path behind the project, `categories`.
    pub path: String,
    /// Any one of these scopes allows it.
    pub scopes: Vec<String>,
    /// The field of a request with the resources.
    pub list: String,
    /// The shape of a resource.
    pub shape: Shape,
}
