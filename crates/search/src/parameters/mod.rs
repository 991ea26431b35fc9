//! The older search language: a search as parameters of a query or a form.
//!
//! ```text
//! text.en=shoe & filter.query=categories.id:"x" & facet=variants.attributes.color.key as color & sort=name.en asc
//! ```
//!
//! Whoever asks makes a [`ParameterSearch`]: of parameters by [`ParameterSearch::read`], or of what else says the same.
//! With the fields of a project it becomes a [`Request`](crate::Request). What is wrong is `InvalidInput`, and the message
//! names the parameter.
//!
//! Source: public documentation, Product Projection Search; reference type `ProductProjectionPagedSearchResponse`.

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

/// What a search asks for, before its fields are looked up.
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
    /// What is counted.
    pub facets: Vec<FacetExpression>,
    /// The sequence; the first counts most.
    pub sorts: Vec<SortExpression>,
    /// How many are skipped.
    pub offset: Option<i64>,
    /// How many are answered at most.
    pub limit: Option<i64>,
    /// Whether hits tell which of their parts match.
    pub mark_matching: bool,
}

/// A facet that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetExpression {
    /// The path alone: its values are counted. Ranges: what is in each. Else: what passes.
    pub expression: Expression,
    /// What the answer calls it; without, its path.
    pub alias: Option<String>,
    /// Entries are counted beside their children.
    pub counts_entries: bool,
}

/// One criterion of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortExpression {
    /// A field, or `score`.
    pub path: String,
    /// The greatest first.
    pub descending: bool,
    /// Which value stands for several.
    pub mode: Option<SortMode>,
}

/// The words of a kind that parameters have in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words<'a> {
    /// What a facet calls entries that it counts beside their children: `products`.
    pub entries: &'a str,
    /// The parameter that asks which children match: `markMatchingVariants`.
    pub mark: &'a str,
}

#[cfg(test)]
mod tests;
