//! That documents of a kind are found by a search.

use crate::kind::KindId;

/// `POST /{kind}/search`, and what stands beside it. `@search` in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What the search is called by the rules that make its entries.
    pub name: String,
    /// Any one of these scopes allows searching.
    pub scopes: Vec<String>,
    /// Any one of these scopes allows `GET /{kind}/search/indexing-status`. None: there is neither that nor `HEAD`.
    pub status_scopes: Vec<String>,
    /// For storefronts: facets, a filter after them, marks on the parts that match, projections, and pages without results.
    pub storefront: bool,
    /// The kind of the projections that are answered beside ids where they are asked for.
    pub projection: Option<KindId>,
}

/// `GET` and `POST /{kind}/search` with parameters, and `GET /{kind}/suggest`. `@searchByParameters` in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterSearch {
    /// What the search of the published side is called by the rules that make its entries.
    pub current: String,
    /// The same, of the side that is being worked on.
    pub staged: String,
}
