//! ProductSelectionAssignment: a Product is in a ProductSelection, or excluded from it. Each is a document of its own,
//! so that a selection of a hundred thousand Products changes as fast as an empty one. Start at [`write_assignment`].

use crate::kinds;
use kontor_engine::document::{has_enum, list, must_text, reference, text};
use kontor_engine::{
    ActionContext, Behaviour, ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome,
    Document, Effects, Precondition, Rules,
};
use kontor_enums::ProductSelectionMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// As references would call it.
pub(crate) const TYPE_ID: &str = "product-selection-assignment";
/// The index of the assignments of a selection.
pub(crate) const BY_SELECTION: &str = "productSelection.id";

pub(crate) struct ProductSelectionAssignment;

impl Behaviour for ProductSelectionAssignment {
    fn resource(&self) -> &'static str {
        "ProductSelectionAssignment"
    }

    /// Below a Store: of the selections that are active there.
    fn list_parent_ids(&self, list_name: &str, parent: &Document) -> Option<Vec<String>> {
        (list_name == "inStore").then(|| {
            list(parent, &["productSelections"])
                .iter()
                .filter(|setting| setting["active"] == json!(true))
                .filter_map(|setting| setting["productSelection"]["id"].as_str())
                .map(str::to_owned)
                .collect()
        })
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            Derivation {
                name: "end-of-selection",
                source: "ProductSelection",
                dependents: Dependents::ReferringAt {
                    path: BY_SELECTION,
                    when: ChangeFilter::Fields(&["id"]),
                },
                derive: delete_orphan,
            },
            Derivation {
                name: "end-of-product",
                source: "Product",
                dependents: Dependents::ReferringAt {
                    path: "product.id",
                    when: ChangeFilter::Fields(&["id"]),
                },
                derive: delete_orphan,
            },
        ];
        ALL
    }
}

/// 400 `ReferenceExists`: a Product Selection has the Product that is to be deleted (recorded of the platform).
/// Assignments of a deleted selection are deleted in the background, and are ignored here.
pub(crate) fn admit_unselected(product: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    for assignment in rules.find_others(
        kinds::PRODUCT_SELECTION_ASSIGNMENT,
        "product.id",
        must_text(product, &["id"])?,
        None,
    )? {
        let selection = must_text(&assignment, &["productSelection", "id"])?;
        if rules.peek_type("product-selection", selection)?.is_some() {
            return Err(ApiError::reference_exists("product", "product-selection"));
        }
    }
    Ok(())
}

/// Deletes an assignment when its Product or its selection is deleted.
fn delete_orphan(assignment: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    for field in ["productSelection", "product"] {
        let (type_id, id) = (text(assignment, &[field, "typeId"]), text(assignment, &[field, "id"]));
        if let (Some(type_id), Some(id)) = (type_id, id)
            && sources.document(type_id, id)?.is_none()
        {
            return Ok(DeriveOutcome::Delete);
        }
    }
    Ok(DeriveOutcome::Keep)
}

/// Returns the id of the assignment of a Product to a selection. It is computed, so that no lookup is needed.
pub(super) fn id(selection: &str, product: &str) -> String {
    format!("{selection}:{product}")
}

/// Returns the id of the Product from the id of an assignment.
pub(crate) fn product_of_assignment(id: &str) -> Option<&str> {
    id.split_once(':').map(|(_, product)| product)
}

/// Returns the assignment, including changes by this request.
pub(super) fn find(
    selection: &str,
    product: &str,
    context: &ActionContext<'_, '_>,
) -> ApiResult<Option<Document>> {
    context.effects.hidden_as_written(TYPE_ID, &id(selection, product), context.rules)
}

/// The variants of a Product that a Product Selection has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AssignedVariants {
    /// No variants.
    Nothing,
    /// Variants with one of these SKUs.
    Only(Vec<String>),
    /// All variants except those with one of these SKUs.
    AllBut(Vec<String>),
}

impl AssignedVariants {
    /// True for a variant that is among them; one without a SKU is, where others are left out.
    pub(crate) fn contains(&self, sku: Option<&str>) -> bool {
        let among = |skus: &[String]| sku.is_some_and(|sku| skus.iter().any(|other| other == sku));
        match self {
            Self::Nothing => false,
            Self::Only(skus) => among(skus),
            Self::AllBut(skus) => !among(skus),
        }
    }
}

/// Which variants of a Product a selection has.
pub(crate) fn chosen_variants(
    selection: &Document,
    product: &str,
    rules: &Rules<'_>,
) -> ApiResult<AssignedVariants> {
    let own = must_text(selection, &["id"])?;
    let found = rules.peek_hidden(TYPE_ID, &id(own, product))?;
    let assignment = found.as_ref().map(|found| &*found.document);
    Ok(assigned_variants(
        has_enum(selection, &["mode"], ProductSelectionMode::IndividualExclusion),
        assignment,
    ))
}

/// Returns the variants of a Product in a selection, which either `excludes` or includes the assigned variants.
pub(crate) fn assigned_variants(excludes: bool, assignment: Option<&Document>) -> AssignedVariants {
    let skus = |field: &str| -> Option<Vec<String>> {
        let choice = assignment?.get(field)?.as_object()?;
        Some(list(choice, &["skus"]).iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    match (excludes, assignment) {
        (true, None) => AssignedVariants::AllBut(Vec::new()),
        (true, Some(_)) => {
            skus("variantExclusion").map_or(AssignedVariants::Nothing, AssignedVariants::AllBut)
        }
        (false, None) => AssignedVariants::Nothing,
        (false, Some(assignment)) => {
            match (text(assignment, &["variantSelection", "type"]), skus("variantSelection")) {
                (Some("includeOnly" | "inclusion"), Some(skus)) => AssignedVariants::Only(skus),
                (_, skus) => AssignedVariants::AllBut(skus.unwrap_or_default()),
            }
        }
    }
}

/// Writes an assignment with the change of its selection.
pub(super) fn write_assignment(
    selection: &str,
    product: &str,
    before: Option<&Document>,
    (field, chosen): (&str, Option<&Value>),
    context: &mut ActionContext<'_, '_>,
) -> ApiResult<()> {
    let rules = context.rules;
    let mut assignment = Document::new();
    assignment.insert("id", json!(id(selection, product)));
    assignment.insert("version", json!(1));
    let now = json!(rules.time());
    let created = before.and_then(|before| before.get("createdAt")).cloned();
    assignment.insert("createdAt", created.unwrap_or_else(|| now.clone()));
    assignment.insert("lastModifiedAt", now);
    assignment.insert("product", reference("product", product));
    assignment.insert("productSelection", reference("product-selection", selection));
    if let Some(chosen) = chosen {
        assignment.insert(field, chosen.clone());
    }
    context.effects.put_hidden_document(kinds::PRODUCT_SELECTION_ASSIGNMENT, assignment, rules);
    Ok(())
}

/// Updates the SKUs in the assignments of a Product after its variants changed, in the same commit (reference types
/// `ProductSelectionAssignment`, `ProductSetSkuAction`).
pub(crate) fn follow_skus(
    product: &str,
    changed: &[(String, Option<String>)],
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    for found in rules.peek_by_value(TYPE_ID, "product.id", product)? {
        let mut assignment = (*found.document).clone();
        let mut is_other = false;
        for field in ["variantSelection", "variantExclusion"] {
            let skus = assignment.get_mut(field).and_then(|choice| choice.get_mut("skus"));
            let Some(Value::Array(skus)) = skus else { continue };
            let before = skus.clone();
            skus.retain_mut(|sku| match changed.iter().find(|(old, _)| *sku == *old) {
                Some((_, Some(new))) => {
                    *sku = json!(new);
                    true
                }
                Some((_, None)) => false,
                None => true,
            });
            is_other |= *skus != before;
        }
        if !is_other {
            continue;
        }
        rules.require(Precondition::Revision {
            kind: TYPE_ID.into(),
            id: must_text(&assignment, &["id"])?.to_owned(),
            revision: found.revision,
        });
        assignment.insert("lastModifiedAt", json!(rules.time()));
        effects.put_hidden_document(kinds::PRODUCT_SELECTION_ASSIGNMENT, assignment, rules);
    }
    Ok(())
}

/// Removes an assignment with the change of its selection.
pub(super) fn delete(selection: &str, product: &str, context: &mut ActionContext<'_, '_>) -> ApiResult<()> {
    context.effects.forget_hidden(TYPE_ID, &id(selection, product), context.rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;

    #[test]
    fn mode_and_assignment_determine_the_variants() {
        let of = |excludes, assignment: Option<Value>| {
            assigned_variants(excludes, assignment.map(object).as_ref())
        };
        let skus = vec!["a".to_owned()];
        let selected = |how: &str| Some(json!({"variantSelection": {"type": how, "skus": ["a"]}}));
        assert_eq!(of(false, None), AssignedVariants::Nothing);
        assert_eq!(of(false, Some(json!({}))), AssignedVariants::AllBut(vec![]));
        assert_eq!(of(false, selected("includeOnly")), AssignedVariants::Only(skus.clone()));
        assert_eq!(of(false, selected("inclusion")), AssignedVariants::Only(skus.clone()));
        assert_eq!(of(false, selected("includeAllExcept")), AssignedVariants::AllBut(skus.clone()));
        assert_eq!(of(true, None), AssignedVariants::AllBut(vec![]));
        assert_eq!(of(true, Some(json!({}))), AssignedVariants::Nothing);
        assert_eq!(
            of(true, Some(json!({"variantExclusion": {"skus": ["a"]}}))),
            AssignedVariants::AllBut(skus)
        );
        assert!(
            AssignedVariants::AllBut(vec![]).contains(None) && !AssignedVariants::Only(vec![]).contains(None)
        );
    }
}
