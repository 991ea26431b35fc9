//! Imports Product Selections with their assignments (reference: ProductSelectionImport). Assignments are separate
//! documents; omitted ones are removed.

use super::{ResourceImport, find_documents, version};
use crate::difference::{Difference, is_same_value};
use crate::outcome::ImportResult;
use crate::references;
use kontor_engine::{Document, document};
use kontor_json::{Value, json};

/// Maximum number of assignments of one Product Selection that are compared.
const ASSIGNMENTS_READ: usize = 100_000;

pub(super) async fn import_product_selection(import: ResourceImport<'_>) -> ImportResult<i64> {
    let sent = import.draft.get("assignments").cloned();
    let mut draft = import.draft.clone();
    draft.shift_remove("assignments");
    let before = match references::find_by_key(import.shop, "product-selection", import.text(&["key"])?)? {
        Some(before) => before,
        None => import.create("product-selection", draft.clone()).await?,
    };
    let mut difference = Difference::new(&before, &draft, &import.references);
    difference.compare_immutable_fields(&["mode"]);
    difference.compare_optional_fields(&[("name", "changeName", "name")]);
    difference.compare_custom_fields();
    let mut actions = difference.into_actions()?;
    actions.extend(assignments(&import, &before, sent.as_ref())?);
    import.update("product-selection", &before, actions).await.map(|after| version(&after))
}

fn assignments(
    import: &ResourceImport<'_>,
    before: &Document,
    sent: Option<&Value>,
) -> ImportResult<Vec<Value>> {
    let id = document::must_text(before, &["id"])?;
    let predicate = format!("productSelection(id={})", Value::from(id));
    let old = find_documents(import.shop, "product-selection-assignment", predicate, ASSIGNMENTS_READ)?;
    let sent = sent.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let excludes = document::text(before, &["mode"]) == Some("IndividualExclusion");
    let (field, add, set) = if excludes {
        ("variantExclusion", "excludeProduct", "setVariantExclusion")
    } else {
        ("variantSelection", "addProduct", "setVariantSelection")
    };
    let is_same = |old: &Value, new: &Value| is_same_value(old, new, &import.references);
    let mut actions = Vec::new();
    for one in &old {
        if !sent.iter().any(|new| is_same(&one["product"], &new["product"])) {
            actions.push(json!({"action": "removeProduct", "product": one["product"]}));
        }
    }
    for new in sent {
        let known = old.iter().find(|one| is_same(&one["product"], &new["product"]));
        let name = match known {
            None => add,
            Some(one) if one.get(field) != selected_variants(new, field) => set,
            Some(_) => continue,
        };
        let mut action = json!({"action": name, "product": new["product"]});
        if let Some(chosen) = selected_variants(new, field) {
            action[field] = chosen.clone();
        }
        actions.push(action);
    }
    Ok(actions)
}

/// Returns the selected variants of a Product; `None` if all are selected, also if an exclusion lists no variants
/// (reference types `VariantSelection`, `VariantExclusion` of the Import API).
fn selected_variants<'v>(assignment: &'v Value, field: &str) -> Option<&'v Value> {
    let chosen = assignment.get(field)?;
    let names_some = chosen["skus"].as_array().is_some_and(|skus| !skus.is_empty());
    (names_some || chosen["type"] == "includeOnly").then_some(chosen)
}
