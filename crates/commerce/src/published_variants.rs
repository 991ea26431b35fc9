//! That a Product has Variants that are published: asked for when the Product is, answered by the Variants' rows.

use kontor_engine::Precondition;

/// The `typeId` of Variants that are resources of their own.
pub(crate) const VARIANT: &str = "variant";
/// The indexed value of Variants that are published, with the id of their Product.
pub(crate) const PUBLISHED_OF: &str = "publishedOf";

/// That no published Variant refers to a Product, when what asks for it is written.
pub(crate) fn none_published_of(product: &str) -> Precondition {
    Precondition::NotReferenced { kind: VARIANT.into(), path: PUBLISHED_OF.into(), value: product.into() }
}

/// What the refusal of [`none_published_of`] means.
pub(crate) fn is_published_of(precondition: &Precondition) -> bool {
    matches!(precondition, Precondition::NotReferenced { kind, path, .. } if kind == VARIANT && path == PUBLISHED_OF)
}
