//! The precondition that a Product has published Variants, used by the Product and based on index rows of the
//! Variants.

use kontor_engine::Precondition;

/// The `typeId` of Variants that are resources of their own.
pub(crate) const VARIANT: &str = "variant";
/// The indexed value of Variants that are published, with the id of their Product.
pub(crate) const PUBLISHED_OF: &str = "publishedOf";

/// That no published Variant refers to a Product, when what asks for it is written.
pub(crate) fn none_published_of(product: &str) -> Precondition {
    Precondition::NotReferenced { kind: VARIANT.into(), path: PUBLISHED_OF.into(), value: product.into() }
}

/// Returns whether the refused precondition is that of [`none_published_of`].
pub(crate) fn is_published_of(precondition: &Precondition) -> bool {
    matches!(precondition, Precondition::NotReferenced { kind, path, .. } if kind == VARIANT && path == PUBLISHED_OF)
}
