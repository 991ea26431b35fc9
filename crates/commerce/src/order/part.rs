//! Parts of an Order that actions identify by `id` or `key`: deliveries, their parcels, and returned items.
//!
//! Source: reference types `OrderSetDelivery…Action`, `OrderSetParcel…Action`, `OrderSetReturnItem…Action`.

use super::identifying_argument;
use crate::custom_fields::{custom_of, set_custom_field as put_custom_field};
use kontor_engine::document::{get, must_text, set};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The description of one kind of parts.
pub(super) struct OrderParts {
    /// The name of a part in error messages.
    pub(super) called: &'static str,
    /// The arguments that identify a part by `id` and by `key`. Messages use the first name for the id.
    pub(super) identifiers: (&'static str, &'static str),
    /// The resource type of the Type of its custom fields.
    pub(super) custom_of: &'static str,
    /// Returns all parts of an Order.
    pub(super) all: for<'d> fn(&'d mut Document) -> Vec<OrderPart<'d>>,
}

/// A part of an Order, with its place.
pub(super) struct OrderPart<'d> {
    pub(super) part: &'d mut Document,
    /// The place of the part, as fields of Messages.
    pub(super) place: Document,
}

/// The change of a part.
pub(super) struct PartChange {
    pub(super) old: Option<Value>,
    pub(super) new: Option<Value>,
    /// The id of the part.
    pub(super) id: Option<Value>,
    /// The place of the part, as fields of Messages.
    pub(super) place: Document,
}

impl PartChange {
    /// Whether the value changed.
    pub(super) fn is_one(&self) -> bool {
        self.old != self.new
    }
}

/// Returns the part that the arguments identify.
///
/// 400 `InvalidJsonInput`: neither id nor key is sent; `InvalidOperation`: there is no such part.
pub(super) fn find_part<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &OrderParts,
) -> ApiResult<OrderPart<'d>> {
    let place = context.place;
    let (by, wanted) = identifying_argument(arguments, of.identifiers, place)?;
    let found = (of.all)(context.document).into_iter().find(|found| found.part.get(by) == Some(wanted));
    found.ok_or_else(|| missing_part_error(place, of, by, wanted))
}

/// 400 `InvalidOperation`: there is no such part.
pub(super) fn missing_part_error(place: &str, of: &OrderParts, by: &str, wanted: &Value) -> ApiError {
    ApiError::invalid_operation(format!("{place}: there is no {} with {by} {wanted}.", of.called))
}

/// Checks that no other part of the Order has the key in `field` of the action.
///
/// 400 `DuplicateField`.
pub(super) fn admit_key(
    order: &mut Document,
    of: &OrderParts,
    field: &str,
    key: Option<&Value>,
) -> ApiResult<()> {
    let Some(key) = key else { return Ok(()) };
    let is_taken = (of.all)(order).iter().any(|other| other.part.get("key") == Some(key));
    if is_taken { Err(ApiError::duplicate_field(field, key.clone())) } else { Ok(()) }
}

/// Sets or removes a field of a part.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &OrderParts,
    field: &str,
    new: Option<Value>,
) -> ApiResult<PartChange> {
    let OrderPart { part, place } = find_part(context, arguments, of)?;
    let old = part.get(field).cloned();
    set(part, &[field], new.clone());
    Ok(PartChange { old, new, id: part.get("id").cloned(), place })
}

/// `set…CustomType`: the custom fields before and after.
pub(super) fn set_custom_type(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &OrderParts,
) -> ApiResult<PartChange> {
    let new = custom_of(context, arguments, of.custom_of)?;
    change(context, arguments, of, "custom", new)
}

/// `set…CustomField`: the value of the field before and after.
pub(super) fn set_custom_field(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &OrderParts,
) -> ApiResult<PartChange> {
    let (place_of_action, rules) = (context.place, context.rules);
    let path = ["custom", "fields", must_text(arguments, &["name"])?];
    let OrderPart { part, place } = find_part(context, arguments, of)?;
    let old = get(part, &path).cloned();
    put_custom_field(part, arguments, place_of_action, rules)?;
    Ok(PartChange { old, new: get(part, &path).cloned(), id: part.get("id").cloned(), place })
}
