//! The two sides of a Product Tailoring, next to its other fields.

pub(super) use crate::sides::{CURRENT, STAGED, put_even_empty, set_or_remove, sides_of_action};

use crate::sides;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;

/// Texts of a side.
pub(super) const TEXTS: [&str; 6] =
    ["name", "description", "metaTitle", "metaDescription", "metaKeywords", "slug"];

/// The data of one side, to be changed.
pub(super) fn data_mut<'d>(tailoring: &'d mut Document, side: &str) -> ApiResult<&'d mut Document> {
    sides::data_mut(tailoring, &[], side)
}

/// Applies a change to each side that the action addresses; `change` returns whether it changed the side.
pub(super) fn on_each_side(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    sides::on_each_side(context, &[], arguments, change)
}
