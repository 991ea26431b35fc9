//! The precondition that a Product has published Variants, checked by index rows of the Variants when a Product is
//! changed.

use kontor_engine::Precondition;

/// The `typeId` of Variants that are resources of their own.
pub(crate) const VARIANT: &str = "variant";
/// The indexed value of Variants that are published, with the id of their Product.
pub(crate) const PUBLISHED_OF: &str = "publishedOf";

/// Returns the precondition that no published Variant refers to a Product.
pub(crate) fn none_published_of(product: &str) -> Precondition {
    Precondition::NotReferenced { kind: VARIANT.into(), path: PUBLISHED_OF.into(), value: product.into() }
}

/// Whether a refused precondition is that of [`none_published_of`].
pub(crate) fn is_published_of(precondition: &Precondition) -> bool {
    matches!(precondition, Precondition::NotReferenced { kind, path, .. } if kind == VARIANT && path == PUBLISHED_OF)
}
