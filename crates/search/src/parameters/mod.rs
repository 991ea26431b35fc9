//! The older search language of Product Projection Search: query or form parameters.
//!
//! ```text
//! text.en=shoe & filter.query=categories.id:"x" & facet=variants.attributes.color.key as color & sort=name.en asc
//! ```
//!
//! The caller makes a [`ParameterSearchRequest`]: from parameters by [`ParameterSearchRequest::read`], or from an
//! equivalent form. [`ParameterSearchRequest::request`] resolves its fields and converts it to a
//! [`IndexRequest`](crate::IndexRequest). An invalid parameter is `InvalidInput`, and the message names it.
//!
//! Source: public documentation, Product Projection Search; reference type
//! `ProductProjectionPagedSearchResponse`.

mod expression;
mod facets;
mod filters;
mod full_text;
mod parse_parameters;
mod request;
mod values;

pub use expression::{FilterExpression, FilterItem, unquote_text};
pub use facets::{FacetResponse, RequestedFacet};
pub use values::parse_bool;
pub(crate) use values::{bool_parameter, bounded_number, expected_range, malformed_parameter, number};

use crate::SortMode;

/// A search before its fields are resolved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterSearchRequest {
    /// Search texts by language: language and text. All words must match.
    pub texts: Vec<(String, String)>,
    /// Whether similar words match too.
    pub fuzzy: bool,
    /// The number of letters that may differ.
    pub fuzzy_level: Option<i64>,
    /// Filters that apply before facets are counted. All must match.
    pub query_filters: Vec<FilterExpression>,
    /// Filters that apply after facets are counted.
    pub filters: Vec<FilterExpression>,
    /// Filters of facets: each applies to the facets of other fields.
    pub facet_filters: Vec<FilterExpression>,
    /// The requested facets.
    pub facets: Vec<FacetExpression>,
    /// The sort criteria, the most important first.
    pub sorts: Vec<ParameterSort>,
    /// The number of hits to skip.
    pub offset: Option<i64>,
    /// The maximum number of hits.
    pub limit: Option<i64>,
    /// Whether hits contain the children that match.
    pub mark_matching: bool,
}

/// A requested facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetExpression {
    /// A path alone counts its values; ranges count the values in each; other conditions count what matches them.
    pub expression: FilterExpression,
    /// Its name in the response; by default its path.
    pub alias: Option<String>,
    /// Whether entries are counted in addition to their children.
    pub counts_entries: bool,
}

/// One sort criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSort {
    /// A field, or `score`.
    pub path: String,
    /// Whether the greatest value comes first.
    pub descending: bool,
    /// The value that is compared if there are several.
    pub mode: Option<SortMode>,
}

/// The names of a resource type that occur in parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterWords<'a> {
    /// The name for entries counted in addition to their children: `products`.
    pub entries: &'a str,
    /// The parameter that requests the matching children: `markMatchingVariants`.
    pub mark: &'a str,
}

#[cfg(test)]
mod tests;
