//! Product Discounts on embedded and standalone prices: the currently valid ones, their predicates, and the
//! best one for a price.

mod active;
mod predicate;
mod priced;

pub(crate) use active::Discounts;
pub(crate) use predicate::PRICES;
pub(crate) use priced::{FromSources, LookUp, Priced};

use kontor_engine::{Dependents, Derivation, DerivationSources, DeriveOutcome, Document};
use kontor_errors::ApiResult;

/// The worked-out index row of active discounts, and its value.
pub(crate) const ACTIVE: &str = "active";
pub(crate) const YES: &str = "yes";
/// The document, shown by no face, that is written with every change of a discount: what was worked out with the
/// discounts before is refused. It is written too when the time of a discount has come.
pub(crate) const EPOCH: &str = "product-discount-epoch";
/// Fields that say what is discounted, and by how much.
pub(crate) const DECISIVE: &[&str] =
    &["value", "predicate", "sortOrder", "isActive", "validFrom", "validUntil"];

/// All documents of a kind that has prices, when a Product Discount changes or its time comes or ends.
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
