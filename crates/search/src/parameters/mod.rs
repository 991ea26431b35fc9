//! The older search language of Product Projection Search: query or form parameters.
//!
//! ```text
//! text.en=shoe & filter.query=categories.id:"x" & facet=variants.attributes.color.key as color & sort=name.en asc
//! ```
//!
//! The caller makes a [`ParameterSearch`]: from parameters by [`ParameterSearch::read`], or from an
//! equivalent form. With the fields of a project it becomes a [`Request`](crate::Request). An invalid
//! parameter is `InvalidInput`, and the message names it.
//!
//! Source: public documentation, Product Projection Search; reference type
//! `ProductProjectionPagedSearchResponse`.

mod expression;
mod facets;
mod filters;
mod read;
mod request;
mod texts;
mod values;

pub use expression::{Expression, Item, unquoted};
pub use facets::{AskedFacet, Facets};
pub use values::truth;
pub(crate) use values::{bounded, flag, malformed, number, upto};

use crate::SortMode;

/// A search before its fields are resolved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterSearch {
    /// Words with the language that they are in. Each must be there.
    pub texts: Vec<(String, String)>,
    /// Words that are like them count too.
    pub fuzzy: bool,
    /// How many letters may differ.
    pub fuzzy_level: Option<i64>,
    /// Filters before facets are counted. All must hold.
    pub query_filters: Vec<Expression>,
    /// Filters after facets are counted.
    pub filters: Vec<Expression>,
    /// Filters of facets: each of those that are not about the same field.
    pub facet_filters: Vec<Expression>,
    /// The requested facets.
    pub facets: Vec<FacetExpression>,
    /// The sequence; the first counts most.
    pub sorts: Vec<SortExpression>,
    /// How many are skipped.
    pub offset: Option<i64>,
    /// The maximum number of hits.
    pub limit: Option<i64>,
    /// Whether hits tell which of their parts match.
    pub mark_matching: bool,
}

/// A requested facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetExpression {
    /// The path alone: its values are counted. Ranges: what is in each. Else: what passes.
    pub expression: Expression,
    /// Its name in the response; by default its path.
    pub alias: Option<String>,
    /// Entries are counted in addition to their children.
    pub counts_entries: bool,
}

/// One criterion of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortExpression {
    /// A field, or `score`.
    pub path: String,
    /// The greatest first.
    pub descending: bool,
    /// The value that is compared if there are several.
    pub mode: Option<SortMode>,
}

/// The words of a kind that parameters have in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words<'a> {
    /// The name for entries counted in addition to their children: `products`.
    pub entries: &'a str,
    /// The parameter that asks which children match: `markMatchingVariants`.
    pub mark: &'a str,
}

#[cfg(test)]
mod tests;
