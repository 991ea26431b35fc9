//! The two sides of a Product: `current`, which is published, and `staged`, which is being worked on.
//!
//! Source: the field `staged` of the reference types `Product…Action`: true (the default) changes the staged side
//! alone, false both.

use kontor_engine::document::{get, is_empty, set as set_at};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

/// What is being worked on.
pub(super) const STAGED: &str = "staged";
/// What is published, or was last.
pub(super) const CURRENT: &str = "current";
/// Both, in the sequence in which they are looked through.
pub(super) const BOTH: [&str; 2] = [STAGED, CURRENT];

/// The data of one side.
pub(super) fn data<'d>(product: &'d Document, side: &str) -> Option<&'d Document> {
    get(product, &["masterData", side])?.as_object()
}

/// The data of one side, to be changed.
pub(super) fn data_mut<'d>(product: &'d mut Document, side: &str) -> ApiResult<&'d mut Document> {
    let data = product.get_mut("masterData").and_then(|data| data.get_mut(side));
    data.and_then(Value::as_object_mut).ok_or_else(ApiError::internal)
}

/// Brings `hasStagedChanges` up to date.
pub(super) fn compare(product: &mut Document) {
    let differ = data(product, STAGED) != data(product, CURRENT);
    set_at(product, &["masterData", "hasStagedChanges"], Some(Value::Bool(differ)));
}

/// The sides that an action is about, by its argument `staged`.
pub(super) fn sides(arguments: &Document) -> &'static [&'static str] {
    if is_staged(arguments) { &BOTH[..1] } else { &BOTH }
}

/// The argument `staged`.
pub(super) fn is_staged(arguments: &Document) -> bool {
    arguments.get("staged") != Some(&Value::Bool(false))
}

/// Does a change on each side that the action is about; `change` says whether it changed something.
pub(super) fn on_each_side(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let mut changed = false;
    for side in sides(arguments) {
        changed |= change(data_mut(acting.document, side)?)?;
    }
    Ok(changed)
}

/// Puts a value into an object, or removes it where it is absent or empty. True where that changed something.
pub(super) fn put(object: &mut Document, name: &str, value: Option<&Value>) -> bool {
    let value = value.filter(|value| !is_empty(value));
    if object.get(name) == value {
        return false;
    }
    match value {
        Some(value) => object.insert(name.to_owned(), value.clone()),
        None => object.shift_remove(name),
    };
    true
}

/// Sets the field of a side that has the name of the argument; absent or empty removes it.
pub(super) fn set(acting: &mut Acting<'_, '_>, arguments: &Document, name: &str) -> ApiResult<()> {
    on_each_side(acting, arguments, |data| Ok(put(data, name, arguments.get(name))))?;
    Ok(())
}

/// As [`set`], for what must not be empty. True where that changed something.
pub(super) fn change(acting: &mut Acting<'_, '_>, arguments: &Document, name: &str) -> ApiResult<bool> {
    if arguments.get(name).is_none_or(is_empty) {
        return Err(ApiError::invalid_operation(format!("{}.{name}: must not be empty.", acting.place)));
    }
    on_each_side(acting, arguments, |data| Ok(put(data, name, arguments.get(name))))
}

/// `changeSlug`.
pub(super) fn change_slug(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = data(acting.document, STAGED).and_then(|data| data.get("slug")).cloned();
    if change(acting, arguments, "slug")? {
        let mut fields = Document::new();
        fields.insert("slug".into(), arguments["slug"].clone());
        if let Some(old) = old {
            fields.insert("oldSlug".into(), old);
        }
        acting.emit("ProductSlugChanged", fields)?;
    }
    Ok(())
}

/// `setSearchKeywords`: absent is as empty.
pub(super) fn set_search_keywords(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let keywords = arguments.get("searchKeywords").cloned().unwrap_or_default();
    on_each_side(acting, arguments, |data| {
        let changed = data.get("searchKeywords") != Some(&keywords);
        data.insert("searchKeywords".into(), keywords.clone());
        Ok(changed)
    })?;
    Ok(())
}
