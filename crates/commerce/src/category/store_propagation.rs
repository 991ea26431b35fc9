//! `setStoresWithDescendants`, `addStoreWithDescendants`, `removeStoreWithDescendants`: changes the Stores of a Category
//! and of all Categories below it, in the background. Until that is done, other changes of Stores in the tree, moves and
//! creations below it are refused. Start at [`set`]; [`step`] runs in the background.
//!
//! Source: release note of 22 October 2026. Conversation: `tests/api/categories/stores-of-descendants.txt`.

use super::CATEGORY;
use super::stores::{admit_with_parent, difference, fits, keys_of, stores_of, union, write_stores};
use super::tree_lock::{admit_at_rest, ongoing, put_running, running};
use crate::kinds;
use kontor_engine::document::{list, must_text, text};
use kontor_engine::{ActionContext, Document, Effects, Limit, Rules, TaskProgress};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The maximum number of Categories below the changed one.
pub(super) const DESCENDANTS: Limit = Limit { name: "descendants", most: 1000, counted: None };
/// Categories that one step visits: few enough that other writers do not wait for its commit.
const STEP_CATEGORIES: usize = 16;
/// How the Stores of each Category of the tree change.
struct StoreChange {
    name: String,
    stores: Vec<Value>,
}

impl StoreChange {
    const SET: &'static str = "set";
    const ADD: &'static str = "add";
    const REMOVE: &'static str = "remove";

    /// Reads the change from the state of a background task.
    fn of_state(state: &Document) -> ApiResult<Self> {
        Ok(Self {
            name: must_text(state, &["change"])?.to_owned(),
            stores: list(state, &["stores"]).to_vec(),
        })
    }

    /// Returns the Stores of a Category after the change.
    fn apply(&self, category: &Document) -> Vec<Value> {
        match self.name.as_str() {
            Self::ADD => union(stores_of(category), &self.stores),
            Self::REMOVE => difference(stores_of(category), &self.stores),
            _ => self.stores.clone(),
        }
    }
}

/// `setStoresWithDescendants`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    start_propagation(context, StoreChange::SET, keys_of(list(arguments, &["stores"]), context.rules)?)
}

/// `addStoreWithDescendants`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    start_propagation(context, StoreChange::ADD, keys_of(arguments.get("store"), context.rules)?)
}

/// `removeStoreWithDescendants`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    start_propagation(context, StoreChange::REMOVE, keys_of(arguments.get("store"), context.rules)?)
}

/// Checks the change of the whole tree, and begins the background task. A change without an effect begins none.
fn start_propagation(context: &mut ActionContext<'_, '_>, name: &str, stores: Vec<Value>) -> ApiResult<()> {
    let (rules, id) = (context.rules, must_text(context.document, &["id"])?.to_owned());
    if rules.bounds.store.is_some() {
        return Err(ApiError::invalid_operation(format!(
            "{}: Stores of descendants can only be changed by the general endpoints.",
            context.place
        )));
    }
    if context.effects.is_deferred() {
        return Err(ongoing(&id));
    }
    let change = StoreChange { name: name.to_owned(), stores };
    let below = descendants(&id, rules)?;
    let own = change.apply(context.document);
    admit_with_parent(context.document, &own, rules)?;
    admit_at_rest(below.iter().filter_map(|category| text(category, &["id"])), rules)?;
    let own_is_same = own == stores_of(context.document);
    if own_is_same && below.iter().all(|category| change.apply(category) == stores_of(category)) {
        return Ok(());
    }
    admit_tree(&id, own, &below, &change)?;
    let mut roots = running(rules)?;
    roots.push(json!(id));
    put_running(roots, context.effects);
    let mut state = Document::new();
    state.insert("root", json!(id));
    state.insert("change", json!(change.name));
    state.insert("stores", Value::Array(change.stores));
    state.insert("pending", json!([id]));
    context.effects.begin_task(CATEGORY, &id, state);
    context.effects.warn(json!({
        "code": "StoreSettingOngoing",
        "message": "The Stores of the Category and of its descendants are changed in the background.",
    }));
    Ok(())
}

/// Refuses a change after which a Category shares no Store with its parent, e.g. because it loses its only Store.
fn admit_tree(id: &str, own: Vec<Value>, below: &[Arc<Document>], change: &StoreChange) -> ApiResult<()> {
    let mut after = HashMap::from([(id, own)]);
    for category in below {
        let (child, parent) = (must_text(category, &["id"])?, must_text(category, &["parent", "id"])?);
        let stores = change.apply(category);
        if after.get(parent).is_some_and(|above| !fits(&stores, above)) {
            return Err(ApiError::invalid_operation(format!(
                "stores: the Category '{child}' would share no Store with its parent '{parent}'."
            )));
        }
        after.insert(child, stores);
    }
    Ok(())
}

/// Returns all Categories below one, parents first. More than the maximum are `InvalidOperation`.
fn descendants(id: &str, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let (mut found, mut next) = (Vec::new(), VecDeque::from([id.to_owned()]));
    while let Some(parent) = next.pop_front() {
        for child in rules.peek_by_value(CATEGORY, "parent.id", &parent)? {
            if found.len() as u64 == DESCENDANTS.most {
                return Err(ApiError::invalid_operation(format!(
                    "The Category '{id}' has more than {} descendants; change their Stores one by one.",
                    DESCENDANTS.most
                )));
            }
            next.push_back(child.id);
            found.push(child.document);
        }
    }
    Ok(found)
}

/// One step of the background task: changes the next Categories, each as if by a request of its own.
pub(super) fn step(
    state: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<TaskProgress> {
    let (change, kind) = (StoreChange::of_state(state)?, kinds::CATEGORY);
    let pending: Vec<String> =
        list(state, &["pending"]).iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
    let (now, later) = pending.split_at(pending.len().min(STEP_CATEGORIES));
    let mut next = later.to_vec();
    for id in now {
        // One that was deleted has no descendants either.
        let Some(category) = rules.peek(kind, id)? else { continue };
        next.extend(rules.peek_by_value(CATEGORY, "parent.id", id)?.into_iter().map(|child| child.id));
        let stores = change.apply(&category);
        if stores != stores_of(&category) {
            let mut after = Document::clone(&category);
            write_stores(&mut after, stores);
            effects.change(kind, after);
        }
    }
    if !next.is_empty() {
        state.insert("pending", json!(next));
        return Ok(TaskProgress::Unfinished);
    }
    let root = must_text(state, &["root"])?;
    let roots = running(rules)?.into_iter().filter(|other| *other != root).collect();
    put_running(roots, effects);
    Ok(TaskProgress::Finished)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::tree_lock::RUNNING;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::trial;
    use kontor_errors::Code;

    fn category(id: &str, parent: Option<&str>, stores: &[&str]) -> Value {
        let mut category = object(
            json!({"id": id, "version": 1, "name": {"en": id}, "slug": {"en": id}, "orderHint": "0.1", "ancestors": []}),
        );
        write_stores(
            &mut category,
            stores.iter().map(|key| json!({"typeId": "store", "key": key})).collect(),
        );
        if let Some(parent) = parent {
            category.insert("parent", json!({"typeId": "category", "id": parent}));
        }
        Value::Object(category)
    }

    fn store(key: &str) -> Value {
        json!({"id": format!("store-{key}"), "version": 1, "key": key})
    }

    /// A root with `count` children, of which each has one child.
    fn shop(count: usize) -> TestShop {
        let mut shop = TestShop::new()
            .with_document("store", store("de"))
            .with_new("category", category("root", None, &[]));
        for number in 0..count {
            let child = format!("child-{number:04}");
            shop = shop
                .with_new("category", category(&child, Some("root"), &[]))
                .with_new("category", category(&format!("leaf-{number:04}"), Some(&child), &[]));
        }
        shop
    }

    fn set_stores() -> Value {
        json!([{"action": "setStoresWithDescendants", "stores": [{"typeId": "store", "key": "de"}]}])
    }

    #[test]
    fn the_number_of_descendants_has_a_limit() {
        let root = object(category("root", None, &[]));
        shop(500).update("category", &root, set_stores()).unwrap();
        let error = shop(501).update("category", &root, set_stores()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
    }

    #[test]
    fn the_steps_reach_each_category_once() {
        let mut shop = shop(40);
        let mut state = object(
            json!({"root": "root", "change": "set", "stores": [{"typeId": "store", "key": "de"}], "pending": ["root"]}),
        );
        let mut steps = 0;
        loop {
            let (progress, changed) = shop.rules(|rules| {
                let mut effects = Effects::default();
                let progress = step(&mut state, rules, &mut effects).unwrap();
                (progress, trial::changed_documents(&effects))
            });
            assert!(changed.len() <= STEP_CATEGORIES);
            for document in changed {
                assert_eq!(stores_of(&document).len(), 1);
                shop.put_document("category", document);
            }
            steps += 1;
            if progress == TaskProgress::Finished {
                break;
            }
        }
        // The root alone, then its children, then the leaves in chunks.
        assert_eq!(steps, 6);
        let left = shop.rules(|rules| rules.peek_all("category").unwrap());
        assert!(left.iter().all(|category| stores_of(category).len() == 1));
    }

    #[test]
    fn nothing_else_changes_a_tree_meanwhile() {
        let shop = shop(1)
            .with_document(RUNNING, json!({"id": RUNNING, "roots": ["child-0000"]}))
            .with_new("category", category("other", None, &[]));
        let refused = |id: &str, parent: Option<&str>, actions: Value| {
            let before = object(category(id, parent, &[]));
            shop.update("category", &before, actions).map_err(|error| error.code())
                == Err(Code::InvalidOperation)
        };
        let set = json!([{"action": "setStores", "stores": [{"typeId": "store", "key": "de"}]}]);
        let move_to =
            |id: &str| json!([{"action": "changeParent", "parent": {"typeId": "category", "id": id}}]);
        assert!(refused("child-0000", Some("root"), set.clone()), "its root");
        assert!(refused("leaf-0000", Some("child-0000"), set.clone()), "below");
        assert!(refused("root", None, set.clone()), "its parent");
        assert!(refused("root", None, set_stores()), "a tree that contains it");
        assert!(refused("leaf-0000", Some("child-0000"), move_to("other")), "out of it");
        assert!(refused("other", None, move_to("leaf-0000")), "into it");
        assert!(!refused("other", None, set), "another tree");
        assert!(!refused("other", None, move_to("root")), "above it");
        let draft = json!({"name": {"en": "New"}, "slug": {"en": "new"}, "parent": {"typeId": "category", "id": "leaf-0000"}});
        assert_eq!(shop.create("category", draft).unwrap_err().code(), Code::InvalidOperation);
    }
}
