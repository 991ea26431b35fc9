//! Access to the two sides of a Product (current and staged) in `masterData`.

pub(super) use crate::sides::{BOTH, CURRENT, STAGED, is_staged, set_or_remove, sides_of_action};

use crate::sides;
use kontor_engine::document::{get, is_empty, must_get, set as set_at};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The path of the object with both sides.
const WITHIN: [&str; 1] = ["masterData"];

/// The data of one side.
pub(super) fn data<'d>(product: &'d Document, side: &str) -> Option<&'d Document> {
    get(product, &["masterData", side])?.as_object()
}

/// The data of one side, to be changed.
pub(super) fn data_mut<'d>(product: &'d mut Document, side: &str) -> ApiResult<&'d mut Document> {
    sides::data_mut(product, &WITHIN, side)
}

/// Updates `hasStagedChanges`.
pub(super) fn compare(product: &mut Document) {
    let differ = data(product, STAGED) != data(product, CURRENT);
    set_at(product, &["masterData", "hasStagedChanges"], Some(Value::Bool(differ)));
}

/// Applies a change to each side that the action addresses; `change` returns whether it changed the side.
pub(super) fn on_each_side(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    sides::on_each_side(context, &WITHIN, arguments, change)
}

/// Sets the field of a side that has the name of the argument; absent or empty removes it.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document, name: &str) -> ApiResult<()> {
    on_each_side(context, arguments, |data| Ok(set_or_remove(data, name, arguments.get(name))))?;
    Ok(())
}

/// Like [`set`], for fields that must not be empty. Returns true if the field changed.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    name: &str,
) -> ApiResult<bool> {
    if arguments.get(name).is_none_or(is_empty) {
        return Err(ApiError::invalid_operation(format!("{}.{name}: must not be empty.", context.place)));
    }
    on_each_side(context, arguments, |data| Ok(set_or_remove(data, name, arguments.get(name))))
}

/// `changeSlug`.
pub(super) fn change_slug(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = data(context.document, STAGED).and_then(|data| data.get("slug")).cloned();
    if change(context, arguments, "slug")? {
        let mut fields = Document::new();
        fields.insert("slug", arguments["slug"].clone());
        if let Some(old) = old {
            fields.insert("oldSlug", old);
        }
        context.emit("ProductSlugChanged", fields)?;
    }
    Ok(())
}

/// `setSearchKeywords`: absent is as empty.
pub(super) fn set_search_keywords(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let keywords = must_get(arguments, &["searchKeywords"])?.clone();
    on_each_side(context, arguments, |data| {
        let changed = data.get("searchKeywords") != Some(&keywords);
        data.insert("searchKeywords", keywords.clone());
        Ok(changed)
    })?;
    Ok(())
}
