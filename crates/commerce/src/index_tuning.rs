//! The table of indexes with a special layout or use. The engine joins it with the model at start-up.

use kontor_engine::{IndexProperty, IndexTuning};

/// Attributes have index rows in Products and Variants only, not in copies of them.
const ATTRIBUTES: IndexProperty = IndexProperty::Named { name: "name", value: "value" };

/// The table, joined with the model at start-up.
pub(crate) const INDEX_TUNING: &[IndexTuning] = &[
    // A Product is in few Product Selections, and these have many Products; it is tailored for few Stores.
    row("ProductSelectionAssignment", "product.id", IndexProperty::Selective),
    row("ProductTailoring", "product.id", IndexProperty::Selective),
    row("Product", "masterData.current.attributes", ATTRIBUTES),
    row("Product", "masterData.current.masterVariant.attributes", ATTRIBUTES),
    row("Product", "masterData.current.variants.attributes", ATTRIBUTES),
    row("Product", "masterData.staged.attributes", ATTRIBUTES),
    row("Product", "masterData.staged.masterVariant.attributes", ATTRIBUTES),
    row("Product", "masterData.staged.variants.attributes", ATTRIBUTES),
    row("Variant", "current.attributes", ATTRIBUTES),
    row("Variant", "staged.attributes", ATTRIBUTES),
];

const fn row(kind: &'static str, path: &'static str, is: IndexProperty) -> IndexTuning {
    IndexTuning { kind, path, is }
}
