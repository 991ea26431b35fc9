//! A price with its variant and Product, as predicates of Product Discounts are evaluated on it.
//!
//! Source: public documentation, "Discount predicates", "ProductDiscount predicate field identifiers".

use super::predicate::{PRICE, PRODUCT, SIDE, VARIANT};
use kontor_engine::{DerivationSources, Document, Rules};
use kontor_errors::ApiResult;
use kontor_query::dialect::DialectPredicate;
use std::sync::Arc;

/// Looks up documents for predicates: those that a predicate names by key, and the ancestors of a Category.
pub(crate) trait PredicateDocuments {
    /// Returns a document, or `None` if it does not exist.
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>>;
}

impl PredicateDocuments for Rules<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.peek_type(type_id, id)
    }
}

/// [`PredicateDocuments`] of a derivation.
pub(crate) struct SourcesLookup<'a>(pub(crate) &'a dyn DerivationSources);

impl PredicateDocuments for SourcesLookup<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.0.document(type_id, id)
    }
}

/// A price in its context: all that a predicate can refer to.
pub(crate) struct PriceInContext<'a> {
    pub(crate) product: &'a Document,
    /// The side of the Product.
    pub(crate) data: &'a Document,
    pub(crate) variant: &'a Document,
    /// Embedded or standalone.
    pub(crate) price: &'a Document,
    pub(crate) look_up: &'a dyn PredicateDocuments,
}

impl PriceInContext<'_> {
    /// Whether the predicate of a Product Discount matches the price.
    pub(super) fn matches(&self, predicate: &DialectPredicate) -> ApiResult<bool> {
        let parts =
            [(PRODUCT, self.product), (SIDE, self.data), (VARIANT, self.variant), (PRICE, self.price)];
        predicate.matches_parts(&parts, &|type_id, id| self.look_up.find(type_id, id))
    }
}
