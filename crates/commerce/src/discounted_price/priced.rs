//! A price with all that a predicate may ask about it.
//!
//! Source: public documentation, "Discount predicates", "ProductDiscount predicate field identifiers".

use super::predicate::{PRICE, PRODUCT, SIDE, VARIANT};
use kontor_engine::{DerivationSources, Document, Rules};
use kontor_errors::ApiResult;
use kontor_query::dialect::DialectPredicate;
use std::sync::Arc;

/// Where predicates find what is named by a key, or stands above a Category.
pub(crate) trait LookUp {
    /// A document, if it is there.
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>>;
}

impl LookUp for Rules<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.peek_type(type_id, id)
    }
}

/// [`LookUp`] of a derivation.
pub(crate) struct FromSources<'a>(pub(crate) &'a dyn DerivationSources);

impl LookUp for FromSources<'_> {
    fn find(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        self.0.document(type_id, id)
    }
}

/// A price with all that a predicate may ask about it.
pub(crate) struct Priced<'a> {
    pub(crate) product: &'a Document,
    /// The side of the Product.
    pub(crate) data: &'a Document,
    pub(crate) variant: &'a Document,
    /// Embedded or standalone.
    pub(crate) price: &'a Document,
    pub(crate) look_up: &'a dyn LookUp,
}

impl Priced<'_> {
    /// Whether the predicate of a Product Discount holds of the price.
    pub(super) fn meets(&self, predicate: &DialectPredicate) -> ApiResult<bool> {
        let parts =
            [(PRODUCT, self.product), (SIDE, self.data), (VARIANT, self.variant), (PRICE, self.price)];
        predicate.holds_of_parts(&parts, &|type_id, id| self.look_up.find(type_id, id))
    }
}
