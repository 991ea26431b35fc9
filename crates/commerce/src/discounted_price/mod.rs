//! Product Discounts on embedded and standalone prices: the currently valid ones, their predicates, and the
//! best one for a price.

mod active;
mod predicate;
mod price_in_context;

pub(crate) use active::ValidProductDiscounts;
pub(crate) use predicate::PRICES;
pub(crate) use price_in_context::{PredicateDocuments, PriceInContext, SourcesLookup};

use kontor_engine::{Dependents, Derivation, DerivationSources, DeriveOutcome, Document};
use kontor_errors::ApiResult;

/// The computed index row of active discounts, and its value.
pub(crate) const ACTIVE: &str = "active";
pub(crate) const YES: &str = "yes";
/// The hidden document that is written with every change of a discount, and when a discount begins or ends: commits
/// that were calculated with the discounts before are refused.
pub(crate) const EPOCH: &str = "product-discount-epoch";
/// Fields that determine which prices are discounted, and by how much.
pub(crate) const DECISIVE: &[&str] =
    &["value", "predicate", "sortOrder", "isActive", "validFrom", "validUntil"];

/// Derives all documents of a kind with prices again, when a Product Discount changes, begins or ends.
pub(crate) const fn follow_discounts(
    derive: fn(&mut Document, &dyn DerivationSources) -> ApiResult<DeriveOutcome>,
) -> Derivation {
    Derivation {
        name: "discounts",
        source: "ProductDiscount",
        dependents: Dependents::All { when: DECISIVE, at: &["validFrom", "validUntil"], epoch: Some(EPOCH) },
        derive,
    }
}
