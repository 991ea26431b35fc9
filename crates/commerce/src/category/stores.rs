//! The Stores of a Category: `setStores`, `addStore`, `removeStore`. A Category without Stores is global: all Stores
//! show it. Start at [`settle`].
//!
//! Source: reference types `CategorySetStoresAction`, `CategoryAddStoreAction`, `CategoryRemoveStoreAction`; release notes
//! of 30 September and 2 October 2026. Conversations: `tests/api/categories/stores.txt`, `in-store.txt`.

use super::CATEGORY;
use super::tree_lock::{admit_at_rest, ongoing};
use crate::kinds;
use kontor_engine::document::{list, must_field, must_text, text, without_duplicates};
use kontor_engine::{ActionContext, Document, Precondition, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

const STORES: &str = "stores";
/// The scopes that allow changes of Categories, of the project or of a Store.
const MANAGE: [&str; 2] = ["manage_products", "manage_categories"];

/// `setStores`: replaces all Stores. Without Stores the Category becomes global.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let stores = keys_of(list(arguments, &[STORES]), context.rules)?;
    if context.rules.bounds.store.is_some() {
        admit_changing(stores_of(context.document), context.rules)?;
    }
    change(context, &stores.clone(), stores)
}

/// `addStore`: adding an assigned Store changes nothing.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let named = keys_of(arguments.get("store"), context.rules)?;
    let stores = union(stores_of(context.document), &named);
    change(context, &named, stores)
}

/// `removeStore`: removing a Store that is not assigned changes nothing.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let named = keys_of(arguments.get("store"), context.rules)?;
    let stores = difference(stores_of(context.document), &named);
    change(context, &named, stores)
}

fn change(context: &mut ActionContext<'_, '_>, named: &[Value], stores: Vec<Value>) -> ApiResult<()> {
    let rules = context.rules;
    if let Some(store) = &rules.bounds.store {
        admit_named(named, rules).map_err(|error| error.with_location(context.place))?;
        if stores.is_empty() {
            return Err(ApiError::invalid_operation(format!(
                "{}: below the Store '{store}' a Category keeps at least one Store.",
                context.place
            )));
        }
    }
    if stores_of(context.document) == stores {
        return Ok(());
    }
    if context.effects.is_deferred() {
        return Err(ongoing(must_text(context.document, &["id"])?));
    }
    admit_with_parent(context.document, &stores, rules)?;
    admit_children(context.document, &stores, rules)?;
    write_stores(context.document, stores);
    Ok(())
}

/// Checks the Stores of a Category that was created or moved.
pub(super) fn settle(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let is_moved =
        before.map_or(after.contains_key("parent"), |before| before.get("parent") != after.get("parent"));
    if let (Some(before), Some(_)) = (before, &rules.bounds.store)
        && stores_of(before).is_empty()
    {
        return Err(of_all_stores());
    }
    if before.is_none() {
        let stores = without_duplicates(list(after, &[STORES]).to_vec());
        if rules.bounds.store.is_some() {
            admit_named(&stores, rules)?;
        }
        write_stores(after, stores);
    }
    if !is_moved {
        return Ok(());
    }
    let below = before.map(|before| path_to_root(before, rules)).transpose()?.unwrap_or_default();
    let own = text(after, &["id"]).filter(|_| before.is_some());
    admit_at_rest(below.iter().map(String::as_str).chain(own), rules)?;
    let stores = stores_of(after).to_vec();
    admit_with_parent(after, &stores, rules)
}

/// Requires permission for each Store of a Category that is deleted below a Store.
pub(super) fn admit_deletion(category: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    match (&rules.bounds.store, stores_of(category)) {
        (None, _) => Ok(()),
        (Some(_), []) => Err(of_all_stores()),
        (Some(_), stores) => admit_changing(stores, rules),
    }
}

/// The Stores of a Category.
pub(super) fn stores_of(category: &Document) -> &[Value] {
    list(category, &[STORES])
}

/// Writes the Stores into a Category. A global one has no such field.
pub(super) fn write_stores(category: &mut Document, stores: Vec<Value>) {
    if stores.is_empty() {
        category.shift_remove(STORES);
    } else {
        category.insert(STORES, Value::Array(stores));
    }
}

/// Returns the Stores, followed by those of `named` that are new.
pub(super) fn union(stores: &[Value], named: &[Value]) -> Vec<Value> {
    without_duplicates(stores.iter().chain(named).cloned().collect())
}

/// Returns the Stores except those of `named`.
pub(super) fn difference(stores: &[Value], named: &[Value]) -> Vec<Value> {
    stores.iter().filter(|store| !named.contains(store)).cloned().collect()
}

/// Converts references to Stores by id into references by key, each once.
pub(super) fn keys_of<'a>(
    references: impl IntoIterator<Item = &'a Value>,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    let by_key = |reference: &Value| {
        let id = must_field(reference, "id")?;
        let store = rules.peek_type("store", id)?;
        let store = store.ok_or_else(|| ApiError::referenced_resource_not_found("store", Some(id), None))?;
        Ok(json!({"typeId": "store", "key": must_text(&store, &["key"])?}))
    };
    references.into_iter().map(by_key).collect::<ApiResult<_>>().map(without_duplicates)
}

/// Whether a Category with the Stores `child` may be below one with the Stores `parent`: below a global one all may be,
/// below others those that share a Store.
pub(super) fn fits(child: &[Value], parent: &[Value]) -> bool {
    parent.is_empty() || child.iter().any(|store| parent.contains(store))
}

/// Refuses Stores that do not fit to those of the parent, and changes below a Category whose Stores a background task
/// changes. Parents on the way to the root may change before the commit, the direct parent may not.
pub(super) fn admit_with_parent(category: &Document, stores: &[Value], rules: &Rules<'_>) -> ApiResult<()> {
    let above = path_to_root(category, rules)?;
    admit_at_rest(above.iter().map(String::as_str).chain(text(category, &["id"])), rules)?;
    let Some(parent) = above.first() else { return Ok(()) };
    let Some(parent) = rules.find(kinds::CATEGORY, parent)? else { return Ok(()) };
    if fits(stores, stores_of(&parent)) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "stores: the parent Category '{}' is assigned to {}, and a Category below it needs at least one of these Stores.",
        must_text(&parent, &["id"])?,
        keys(stores_of(&parent))
    )))
}

/// "Every direct child Category must be assigned to at least one Store in that set" (reference,
/// `CategorySetStoresAction`). The children must be the same when the change is written.
fn admit_children(category: &Document, stores: &[Value], rules: &Rules<'_>) -> ApiResult<()> {
    if stores.is_empty() {
        return Ok(());
    }
    let (kind, id) = (kinds::CATEGORY, must_text(category, &["id"])?);
    let children = rules.find_others(kind, "parent.id", id, None)?;
    rules.require(Precondition::IndexedAtMost {
        kind: CATEGORY.into(),
        path: "parent.id".into(),
        value: id.into(),
        limit: children.len() as u64,
    });
    admit_at_rest(children.iter().filter_map(|child| text(child, &["id"])), rules)?;
    match children.iter().find(|child| !fits(stores_of(child), stores)) {
        None => Ok(()),
        Some(child) => Err(ApiError::invalid_operation(format!(
            "stores: the child Category '{}' is assigned to none of {}.",
            must_text(child, &["id"])?,
            keys(stores)
        ))),
    }
}

/// Returns the ids of the Categories above one, the parent first. The ancestors that it contains may be outdated.
pub(super) fn path_to_root(category: &Document, rules: &Rules<'_>) -> ApiResult<Vec<String>> {
    let mut above: Vec<String> = Vec::new();
    let mut next = text(category, &["parent", "id"]).map(str::to_owned);
    while let Some(id) = next.filter(|id| !above.contains(id)) {
        let parent = rules.peek_type(CATEGORY, &id)?;
        next = parent.and_then(|parent| text(&parent, &["parent", "id"]).map(str::to_owned));
        above.push(id);
    }
    Ok(above)
}

/// Returns the keys of Stores, for errors.
fn keys(stores: &[Value]) -> String {
    let keys: Vec<&str> = stores.iter().filter_map(|store| store["key"].as_str()).collect();
    format!("the Stores {}", keys.join(", "))
}

fn without_permission<'s>(stores: &'s [Value], rules: &Rules<'_>) -> Vec<&'s str> {
    let stores = stores.iter().filter_map(|store| store["key"].as_str());
    stores.filter(|store| !rules.allows_in_store(&MANAGE, store)).collect()
}

/// 400 `InvalidInput`: the request names a Store that its sender has no permission for.
fn admit_named(stores: &[Value], rules: &Rules<'_>) -> ApiResult<()> {
    match without_permission(stores, rules)[..] {
        [] => Ok(()),
        ref missing => Err(ApiError::invalid_input(format!(
            "stores: there is no permission for {}.",
            missing.join(", ")
        ))),
    }
}

/// `Unauthorized`: the Category is assigned to Stores that the sender has no permission for.
fn admit_changing(stores: &[Value], rules: &Rules<'_>) -> ApiResult<()> {
    let missing = without_permission(stores, rules);
    if missing.is_empty() {
        return Ok(());
    }
    Err(ApiError::new(Code::Unauthorized, "Not allowed to edit this Category.")
        .with_field("storesWithoutPermission", json!(missing)))
}

fn of_all_stores() -> ApiError {
    ApiError::invalid_operation(
        "A Category without Stores belongs to all of them; it can only be changed by the general endpoints.",
    )
}
