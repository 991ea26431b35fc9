//! Parses the bounds of a `range` expression.

use super::typed_value;
use crate::json_members::{BodyPosition, member};
use crate::{FieldKind, LeafTest, SearchValue, SearchableField};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value as Json};
use std::cmp::Ordering;
use std::ops::Bound;

/// Parses `gte`, `gt`, `lte`, `lt`. An empty range becomes [`LeafTest::Never`].
pub(super) fn read(members: &Map, field: &SearchableField, position: &BodyPosition) -> ApiResult<LeafTest> {
    let lower = side(members, field, position, ["gte", "gt"])?;
    let upper = side(members, field, position, ["lte", "lt"])?;
    if matches!((&lower, &upper), (Bound::Unbounded, Bound::Unbounded)) {
        return Err(ApiError::invalid_json(format!("{position}: one of gte, gt, lte, lt is required")));
    }
    Ok(if is_empty(&lower, &upper) { LeafTest::Never } else { LeafTest::Range((lower, upper)) })
}

/// Parses one bound: from the key that includes the value, or the one that excludes it.
fn side(
    members: &Map,
    field: &SearchableField,
    position: &BodyPosition,
    [including, excluding]: [&str; 2],
) -> ApiResult<Bound<SearchValue>> {
    match (member(members, including), member(members, excluding)) {
        (Some(_), Some(_)) => {
            Err(position.invalid_value(format_args!("{including} and {excluding} exclude each other")))
        }
        (None, None) => Ok(Bound::Unbounded),
        (Some(json), None) => {
            let position = position.member(including);
            match whole_bound(json, field, including == "gte") {
                Some(value) => Ok(Bound::Included(value)),
                None => Ok(Bound::Included(typed_value(json, field, &position)?)),
            }
        }
        (None, Some(json)) => {
            let position = position.member(excluding);
            match whole_bound(json, field, excluding == "gt") {
                Some(value) => Ok(Bound::Included(value)),
                None => Ok(Bound::Excluded(typed_value(json, field, &position)?)),
            }
        }
    }
}

/// Converts a fractional bound of an integer field: `gt 4.5` means `gte 5`.
fn whole_bound(json: &Json, searchable_field: &SearchableField, is_lower: bool) -> Option<SearchValue> {
    let number = json.as_f64().filter(|number| number.fract() != 0.0)?;
    // Numbers with a fraction are small enough for the cast.
    (searchable_field.field.kind == FieldKind::Long)
        .then(|| SearchValue::Long(if is_lower { number.ceil() as i64 } else { number.floor() as i64 }))
}

fn is_empty(lower: &Bound<SearchValue>, upper: &Bound<SearchValue>) -> bool {
    let (Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) =
        (lower, upper)
    else {
        return false;
    };
    match from.compare(to) {
        Ordering::Greater => true,
        Ordering::Equal => !matches!((lower, upper), (Bound::Included(_), Bound::Included(_))),
        Ordering::Less => false,
    }
}
