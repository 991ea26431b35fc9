//! The resource types of the Import API.

use crate::shape::Shape;

/// A type of resources in Import Requests.
#[derive(Debug, Clone)]
pub struct ImportType {
    /// The name in the model, e.g. `CategoryImport`.
    pub name: String,
    /// The value of `type` in requests, e.g. `category`.
    pub type_name: String,
    /// The first segment of the path after the project, e.g. `categories`.
    pub path: String,
    /// Any one of these scopes allows the import.
    pub scopes: Vec<String>,
    /// The field of a request that contains the resources.
    pub list: String,
    /// The shape of a resource.
    pub shape: Shape,
}
