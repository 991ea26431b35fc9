//! Evaluates a [`Condition`] on one document: on its JSON bytes ([`evaluate`]) or parsed ([`evaluate_value`]).

use crate::condition::{Condition, GeoCircle, Range, ValueCheck};
use crate::json::{EvaluableJson, RawJson};
use crate::sum::Sum;
use crate::value::{ConditionValue, Scalar};
use std::cmp::Ordering;

/// Returns whether `condition` matches the document in `json`, without parsing it into a tree. Bytes that are not
/// UTF-8 match nothing.
pub fn evaluate(condition: &Condition, json: &[u8]) -> bool {
    let Some(document) = RawJson::new(json) else { return false };
    if document.rules_out(condition) {
        return false;
    }
    let mut names = Vec::new();
    top_names(condition, &mut names);
    if names.len() < 2 {
        return condition_holds(condition, &document, None);
    }
    // Each lookup walks the document from its beginning, so one walk collects several members.
    let members = document.members(&names);
    condition_holds(condition, &document.with_members(&members), None)
}

/// Maximum number of members of a document collected in one walk; the others are looked up one by one.
const MEMBERS_MAX: usize = 16;

/// Collects the top-level fields that `condition` uses, each once.
fn top_names<'c>(condition: &'c Condition, names: &mut Vec<&'c str>) {
    match condition {
        Condition::Constant(_) => {}
        Condition::All(members) | Condition::Any(members) => {
            members
                .iter()
                .take_while(|member| {
                    top_names(member, names);
                    names.len() < MEMBERS_MAX
                })
                .for_each(drop);
        }
        Condition::Not(inner) => top_names(inner, names),
        Condition::Nested { path, .. }
        | Condition::Element { path, .. }
        | Condition::Check { path, .. }
        | Condition::Sum { path, .. }
        | Condition::Changed { path } => {
            if let Some(name) = path.first().filter(|name| !names.contains(&&***name)) {
                names.push(name);
            }
        }
    }
}

/// Returns whether `condition` matches a parsed document.
pub fn evaluate_value(condition: &Condition, document: &kontor_json::Value) -> bool {
    condition_holds(condition, &document, None)
}

pub(crate) fn condition_holds<J: EvaluableJson>(
    condition: &Condition,
    value: &J,
    before: Option<&J>,
) -> bool {
    match condition {
        Condition::Constant(constant) => *constant,
        Condition::All(members) => members.iter().all(|member| condition_holds(member, value, before)),
        Condition::Any(members) => members.iter().any(|member| condition_holds(member, value, before)),
        Condition::Not(member) => !condition_holds(member, value, before),
        Condition::Nested { path, condition } => value.value_at(path).is_some_and(|inside| {
            let before = before.and_then(|before| before.value_at(path));
            condition_holds(condition, &inside, before.as_ref())
        }),
        Condition::Element { path, condition } => value.value_at(path).is_some_and(|list| {
            list.any_element(|element| {
                !element.rules_out(condition) && condition_holds(condition, element, None)
            })
            .unwrap_or_else(|| condition_holds(condition, &list, None))
        }),
        Condition::Check { path, check } => {
            value.value_at(path).is_some_and(|found| check_holds(check, &found))
        }
        Condition::Sum { path, filter, addend, nothing, check } => {
            let mut sum = Sum::from(nothing);
            let mut add = |element: &J| {
                if condition_holds(filter, element, None)
                    && let Some(value) = element.value_at(addend)
                {
                    sum.add(&value.scalar());
                }
                false
            };
            if let Some(list) = value.value_at(path) {
                list.any_element(&mut add).unwrap_or_else(|| add(&list));
            }
            scalar_holds(check, &sum.total())
        }
        Condition::Changed { path } => {
            match (before.and_then(|before| before.value_at(path)), value.value_at(path)) {
                (Some(before), Some(after)) => !before.is_equal(&after),
                (before, after) => before.is_some() || after.is_some(),
            }
        }
    }
}

fn check_holds<J: EvaluableJson>(check: &ValueCheck, found: &J) -> bool {
    match check {
        ValueCheck::Defined => true,
        ValueCheck::Empty(empty) => found.count(1).is_some_and(|count| (count == 0) == *empty),
        ValueCheck::ContainsAll(values) => values
            .iter()
            .all(|value| found.any_element(|element| is(&element.scalar(), value)).unwrap_or(false)),
        ValueCheck::WithinCircle(circle) => {
            point(found).is_some_and(|at| distance_m(circle, at) <= circle.radius_m)
        }
        _ => found
            .any_element(|element| scalar_holds(check, &element.scalar()))
            .unwrap_or_else(|| scalar_holds(check, &found.scalar())),
    }
}

fn scalar_holds(check: &ValueCheck, scalar: &Scalar<'_>) -> bool {
    match check {
        ValueCheck::Equals(value) => is(scalar, value),
        ValueCheck::OneOf(values) => values.binary_search_by(|value| value.as_scalar().rank(scalar)).is_ok(),
        ValueCheck::OtherThan(values) => {
            values.binary_search_by(|value| value.as_scalar().rank(scalar)).is_err()
        }
        ValueCheck::Range(range, value) => {
            scalar.compare(value).is_some_and(|ordering| range.admits(ordering))
        }
        ValueCheck::Lowercase(check) => match scalar {
            Scalar::Text(text) => scalar_holds(check, &Scalar::Text(text.to_lowercase().into())),
            _ => false,
        },
        ValueCheck::TextIgnoringCase(text) => {
            matches!(scalar, Scalar::Text(found) if found.to_lowercase() == **text)
        }
        _ => false,
    }
}

fn is(scalar: &Scalar<'_>, value: &ConditionValue) -> bool {
    scalar.compare(value) == Some(Ordering::Equal)
}

impl Range {
    /// Whether a value with this ordering relative to the bound is within the range.
    pub fn admits(self, ordering: Ordering) -> bool {
        match self {
            Range::Less => ordering.is_lt(),
            Range::LessOrEqual => ordering.is_le(),
            Range::Greater => ordering.is_gt(),
            Range::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// Returns longitude and latitude of a `GeoJSON` point: `{"type": "Point", "coordinates": [13.4, 52.5]}`.
fn point<J: EvaluableJson>(found: &J) -> Option<(f64, f64)> {
    let mut coordinates = Vec::with_capacity(2);
    found.value_at(&["coordinates".into()])?.any_element(|element| {
        if let Scalar::Number(number) = element.scalar() {
            coordinates.push(number.as_f64());
        }
        coordinates.len() == 2
    });
    match coordinates[..] {
        [longitude, latitude] => Some((longitude, latitude)),
        _ => None,
    }
}

/// The mean radius of the earth, in metres (IUGG).
const EARTH_RADIUS_M: f64 = 6_371_008.8;

/// Returns the distance along the surface from the circle's centre, by the haversine formula: exact to half a
/// percent, and precise for small distances.
fn distance_m(circle: &GeoCircle, (longitude, latitude): (f64, f64)) -> f64 {
    let half_chord = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let across = circle.latitude.to_radians().cos() * latitude.to_radians().cos();
    let a = half_chord(latitude - circle.latitude) + across * half_chord(longitude - circle.longitude);
    2.0 * EARTH_RADIUS_M * a.sqrt().min(1.0).asin()
}
