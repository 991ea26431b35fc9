//! ProductSelection: an assortment, and the assignments of Products to it.
//!
//! Source: reference types `ProductSelectionDraft`, `ProductSelection…Action`, `ProductAssignmentMissingError`,
//! `ProductPresentWithDifferentVariantSelectionError`; the operations that delete a ProductSelection.

mod assignment;
mod products;

pub(crate) use assignment::{
    AssignedVariants, BY_SELECTION, ProductSelectionAssignment, TYPE_ID as ASSIGNMENT, admit_unselected,
    assigned_variants, chosen_variants, follow_skus, product_of_assignment,
};

use kontor_engine::document::{must_text, text};
use kontor_engine::{
    ActionHandler, Behaviour, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Effects,
    Precondition, Rules,
};
use kontor_enums::{ProductSelectionMode, ProductSelectionTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// The modes with their former names.
const MODES: [(&str, &str); 2] = [
    (ProductSelectionMode::Individual.as_str(), ProductSelectionTypeEnum::Individual.as_str()),
    (
        ProductSelectionMode::IndividualExclusion.as_str(),
        ProductSelectionTypeEnum::IndividualExclusion.as_str(),
    ),
];

pub(crate) struct ProductSelection;

impl Behaviour for ProductSelection {
    fn resource(&self) -> &'static str {
        "ProductSelection"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addProduct", products::add),
            ("excludeProduct", products::exclude),
            ("removeProduct", products::remove),
            ("setVariantSelection", products::set_variant_selection),
            ("setVariantExclusion", products::set_variant_exclusion),
        ]
    }

    /// The mode under both of its names.
    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let given = |name: &str| text(after, &[name]);
        let (mode, former) = match (given("mode"), given("type")) {
            (None, None) => MODES[0],
            (mode, former) => {
                let fits = |pair: &&(&str, &str)| {
                    mode.is_none_or(|mode| mode == pair.0) && former.is_none_or(|former| former == pair.1)
                };
                *MODES.iter().find(fits).ok_or_else(|| {
                    ApiError::invalid_input(
                        "type: it says something else than mode; expected the same, or mode alone.",
                    )
                })?
            }
        };
        after.insert("mode", json!(mode));
        after.insert("type", json!(former));
        after.insert("productCount", json!(0));
        Ok(())
    }

    /// Requires that no Store uses a deleted selection.
    fn before_delete(&self, document: &Document, rules: &Rules<'_>, _effects: &mut Effects) -> ApiResult<()> {
        rules.require(Precondition::NotReferenced {
            kind: "store".into(),
            path: "productSelections.productSelection.id".into(),
            value: must_text(document, &["id"])?.into(),
        });
        Ok(())
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            // Removals by actions are counted directly; this handles assignments deleted with their Product.
            Derivation {
                name: "assignments",
                source: "ProductSelectionAssignment",
                dependents: Dependents::ReferredAt { path: &["productSelection", "id"], when: &["id"] },
                derive: count_products,
            },
        ];
        ALL
    }
}

fn count_products(selection: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let id = must_text(selection, &["id"])?.to_owned();
    let count = sources.count(assignment::TYPE_ID, assignment::BY_SELECTION, &id)?;
    selection.insert("productCount", json!(count));
    Ok(DeriveOutcome::Keep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_json::Value;

    #[test]
    fn the_mode_has_two_names() {
        let mode = |draft: Value| {
            let selection = TestShop::new().create("product-selection", draft)?;
            Ok::<_, ApiError>((selection["mode"].clone(), selection["type"].clone()))
        };
        let name = json!({"en": "All"});
        assert_eq!(mode(json!({"name": name})).unwrap(), (json!("Individual"), json!("individual")));
        let exclusion = (json!("IndividualExclusion"), json!("individualExclusion"));
        assert_eq!(mode(json!({"name": name, "type": "individualExclusion"})).unwrap(), exclusion);
        assert_eq!(mode(json!({"name": name, "mode": "IndividualExclusion"})).unwrap(), exclusion);
        assert!(mode(json!({"name": name, "mode": "Individual", "type": "individualExclusion"})).is_err());
    }
}
