//! ProductSelectionAssignment: that a Product is in a ProductSelection, or excluded from it. A document of its own,
//! so that a selection of a hundred thousand Products changes as fast as an empty one.

use kontor_engine::document::{list, reference, text};
use kontor_engine::{Behaviour, Dependents, Derivation, Document, Fate, Rules, Sources, Write};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// As references would call it.
pub(super) const TYPE_ID: &str = "product-selection-assignment";
/// The index of the assignments of a selection.
pub(super) const BY_SELECTION: &str = "productSelection.id";

pub(crate) struct ProductSelectionAssignment;

impl Behaviour for ProductSelectionAssignment {
    fn resource(&self) -> &'static str {
        "ProductSelectionAssignment"
    }

    /// Below a Store: of the selections that are active there.
    fn listed_by(&self, list_name: &str, parent: &Document) -> Option<Vec<String>> {
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
                source: "ProductSelection",
                dependents: Dependents::ReferringAt { path: BY_SELECTION, when: &["id"] },
                derive: go_with_both,
            },
            Derivation {
                source: "Product",
                dependents: Dependents::ReferringAt { path: "product.id", when: &["id"] },
                derive: go_with_both,
            },
        ];
        ALL
    }
}

/// An assignment goes when what it is about is gone.
fn go_with_both(assignment: &mut Document, sources: &dyn Sources) -> ApiResult<Fate> {
    for field in ["productSelection", "product"] {
        let (type_id, id) = (text(assignment, &[field, "typeId"]), text(assignment, &[field, "id"]));
        if let (Some(type_id), Some(id)) = (type_id, id)
            && sources.document(type_id, id)?.is_none()
        {
            return Ok(Fate::Goes);
        }
    }
    Ok(Fate::Stays)
}

/// The id of the assignment of a Product to a selection: there is at most one, so it needs no look-up.
pub(super) fn id(selection: &str, product: &str) -> String {
    format!("{selection}:{product}")
}

/// The assignment as it is after what this request has done so far.
pub(super) fn find(selection: &str, product: &str, rules: &Rules<'_>) -> ApiResult<Option<Document>> {
    rules.beside_as_written(TYPE_ID, &id(selection, product))
}

/// Writes an assignment with the change of its selection.
pub(super) fn put(
    selection: &str,
    product: &str,
    before: Option<&Document>,
    (field, chosen): (&str, Option<&Value>),
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let kind = rules.model.kind_by_type_id(TYPE_ID).ok_or_else(ApiError::internal)?;
    let mut assignment = Document::new();
    assignment.insert("id".into(), json!(id(selection, product)));
    assignment.insert("version".into(), json!(1));
    let now = json!(rules.time());
    let created = before.and_then(|before| before.get("createdAt")).cloned();
    assignment.insert("createdAt".into(), created.unwrap_or_else(|| now.clone()));
    assignment.insert("lastModifiedAt".into(), now);
    assignment.insert("product".into(), reference("product", product));
    assignment.insert("productSelection".into(), reference("product-selection", selection));
    if let Some(chosen) = chosen {
        assignment.insert(field.into(), chosen.clone());
    }
    rules.put_beside(kind, assignment)
}

/// Removes an assignment with the change of its selection.
pub(super) fn delete(selection: &str, product: &str, rules: &Rules<'_>) {
    rules.write_beside(Write::Delete { kind: TYPE_ID.into(), id: id(selection, product) });
}
