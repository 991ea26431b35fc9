//! `ancestors`: the path from the root of the tree to the parent. A moved Category gets it at once; its
//! descendants are updated in the background. Conversations: `tests/api/categories/tree.txt`.

use crate::kinds;
use kontor_engine::document::{list, reference, text};
use kontor_engine::{DerivationSources, DeriveOutcome, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Calculates `ancestors` of a Category with a new parent by following the parents: the `ancestors` of the
/// parent may be outdated, if it was moved itself.
///
/// All visited Categories must be unchanged when the change is written. So of two moves that would make a
/// cycle together, the later one is retried and detects it. A cycle is `InvalidOperation`.
pub(super) fn settle(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    if before.is_some_and(|before| before.get("parent") == after.get("parent")) {
        return Ok(());
    }
    let mut above: Vec<String> = Vec::new();
    let mut next = text(after, &["parent", "id"]).map(str::to_owned);
    while let Some(id) = next {
        if text(after, &["id"]) == Some(&id) || above.contains(&id) {
            return Err(ApiError::invalid_operation(format!(
                "The Category with identifier '{id}' cannot be below itself."
            )));
        }
        let found = rules.find(kinds::CATEGORY, &id)?;
        next = found.and_then(|found| text(&found, &["parent", "id"]).map(str::to_owned));
        above.push(id);
    }
    let ancestors: Vec<Value> = above.iter().rev().map(|id| reference("category", id)).collect();
    after.insert("ancestors", json!(ancestors));
    Ok(())
}

/// Updates the ancestors of a Category from those of its parent; if the parent is deleted, the Category is deleted too.
pub(super) fn follow_parent(
    child: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let Some(parent_id) = text(child, &["parent", "id"]) else { return Ok(DeriveOutcome::Keep) };
    let Some(parent) = sources.document("category", parent_id)? else { return Ok(DeriveOutcome::Delete) };
    let mut ancestors = list(&parent, &["ancestors"]).to_vec();
    ancestors.push(reference("category", parent_id));
    child.insert("ancestors", Value::Array(ancestors));
    Ok(DeriveOutcome::Keep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::Category;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::{Behaviour, Effects, Precondition, trial};
    use kontor_errors::Code;

    fn category(id: &str, parent: Option<&str>, ancestors: &[&str]) -> Value {
        let mut category =
            object(json!({"id": id, "name": {"en": id}, "slug": {"en": id}, "orderHint": "0.1"}));
        let above: Vec<Value> = ancestors.iter().map(|id| reference("category", id)).collect();
        category.insert("ancestors", json!(above));
        if let Some(parent) = parent {
            category.insert("parent", reference("category", parent));
        }
        Value::Object(category)
    }

    /// a, below it b, below it c; and z.
    fn shop() -> TestShop {
        TestShop::new()
            .with_document("category", category("a", None, &[]))
            .with_document("category", category("b", Some("a"), &["a"]))
            .with_document("category", category("c", Some("b"), &["a", "b"]))
            .with_document("category", category("z", None, &[]))
    }

    fn ids(document: &Document) -> Vec<&str> {
        list(document, &["ancestors"]).iter().filter_map(|ancestor| ancestor["id"].as_str()).collect()
    }

    fn move_below(parent: &str) -> Value {
        json!([{"action": "changeParent", "parent": {"typeId": "category", "id": parent}}])
    }

    #[test]
    fn ancestors_lead_from_the_root_to_the_parent() {
        let shop = shop();
        let draft = |parent: Value| json!({"name": {"en": "d"}, "slug": {"en": "d-d"}, "parent": parent});
        let below_c = shop.create("category", draft(json!({"typeId": "category", "id": "c"}))).unwrap();
        assert_eq!(ids(&below_c), ["a", "b", "c"]);
        let root = shop.create("category", draft(Value::Null)).unwrap();
        assert_eq!(root.get("ancestors"), Some(&json!([])));
    }

    #[test]
    fn a_move_follows_parents_instead_of_outdated_ancestors() {
        let mut shop = shop();
        // b has moved below z; c has not followed yet.
        shop.put_document("category", object(category("b", Some("z"), &["z"])));
        let before = object(category("d", None, &[]));
        let (after, _) = shop.update("category", &before, move_below("c")).unwrap();
        assert_eq!(ids(&after), ["z", "b", "c"]);
    }

    #[test]
    fn all_on_the_way_up_must_stay_as_it_was() {
        let shop = shop();
        let before = object(category("z", None, &[]));
        let relied_on = shop.rules(|rules| {
            shop.update_with("category", &before, move_below("c"), rules, &mut Effects::default()).unwrap();
            trial::take_preconditions(rules)
        });
        for id in ["a", "b", "c"] {
            let unchanged = Precondition::Revision { kind: "category".into(), id: id.into(), revision: 7 };
            assert!(relied_on.contains(&unchanged), "{id}");
        }
    }

    #[test]
    fn refuses_a_cycle_of_categories() {
        let shop = shop();
        let before = object(category("a", None, &[]));
        for parent in ["a", "b", "c"] {
            let error = shop.update("category", &before, move_below(parent)).unwrap_err();
            assert_eq!(error.code(), Code::InvalidOperation);
            assert_eq!(error.message(), "The Category with identifier 'a' cannot be below itself.");
        }
        shop.update("category", &before, move_below("z")).unwrap();
    }

    #[test]
    fn descendants_follow_a_moved_category() {
        let mut shop = shop();
        shop.put_document("category", object(category("b", Some("z"), &["z"])));
        let derivation = &Category.derivations()[0];
        let (c, fate) = shop.derive(derivation, object(category("c", Some("b"), &["a", "b"])));
        assert_eq!((ids(&c), fate), (vec!["z", "b"], DeriveOutcome::Keep));
    }

    #[test]
    fn children_of_a_deleted_category_are_deleted() {
        let shop = shop();
        let derivation = &Category.derivations()[0];
        let (_, fate) = shop.derive(derivation, object(category("orphan", Some("gone"), &["gone"])));
        assert_eq!(fate, DeriveOutcome::Delete);
        let (_, fate) = shop.derive(derivation, object(category("root", None, &[])));
        assert_eq!(fate, DeriveOutcome::Keep);
    }
}
