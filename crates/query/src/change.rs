//! Evaluates the condition of an API Extension on a change. Such a condition may use `has changed`, and fails if it
//! compares a missing field.
//!
//! Source: reference type `ExtensionPredicateEvaluationFailedError`.

use crate::condition::{Condition, Path, ValueCheck};
use crate::evaluate::condition_holds;
use crate::json::EvaluableJson;

/// The name of a compared field that the document does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingField(pub String);

/// Returns whether `condition`, which may contain `has changed`, matches the document `after` a change. In a new
/// document (`before` is `None`), every existing field has changed.
///
/// # Errors
/// The decisive field, if it is missing. A field may be missing if it is only tested for existence, or if it cannot
/// change the result any more (`name is defined and name = "x"`).
pub fn evaluate_change(
    condition: &Condition,
    before: Option<&kontor_json::Value>,
    after: &kontor_json::Value,
) -> Result<bool, MissingField> {
    decide(condition, &after, before.as_ref())
}

fn decide<J: EvaluableJson>(
    condition: &Condition,
    after: &J,
    before: Option<&J>,
) -> Result<bool, MissingField> {
    match condition {
        Condition::All(members) => first(members, false, after, before),
        Condition::Any(members) => first(members, true, after, before),
        Condition::Not(inner) => Ok(!decide(inner, after, before)?),
        Condition::Nested { path, condition: inner } => match after.value_at(path) {
            Some(inside) => decide(inner, &inside, before.and_then(|before| before.value_at(path)).as_ref()),
            None => admit_missing(compares(inner), path, after),
        },
        Condition::Element { path, condition: inner } if after.value_at(path).is_none() => {
            admit_missing(compares(inner), path, after)
        }
        Condition::Check { path, .. } if after.value_at(path).is_none() => {
            admit_missing(compares(condition), path, after)
        }
        _ => Ok(condition_holds(condition, after, before)),
    }
}

/// Evaluates members one after the other: the first one that is `decisive` decides. A missing field counts only if no
/// member decides.
fn first<J: EvaluableJson>(
    members: &[Condition],
    decisive: bool,
    after: &J,
    before: Option<&J>,
) -> Result<bool, MissingField> {
    let mut missing = None;
    for member in members {
        match decide(member, after, before) {
            Ok(held) if held == decisive => return Ok(decisive),
            Ok(_) => {}
            Err(field) => missing = missing.or(Some(field)),
        }
    }
    missing.map_or(Ok(!decisive), Err)
}

/// Whether a condition compares a value, rather than only testing for existence.
fn compares(condition: &Condition) -> bool {
    match condition {
        Condition::Constant(_) | Condition::Changed { .. } => false,
        Condition::All(members) | Condition::Any(members) => members.iter().any(compares),
        Condition::Not(inner) => compares(inner),
        Condition::Nested { condition, .. } | Condition::Element { condition, .. } => compares(condition),
        Condition::Check { check, .. } => !matches!(check, ValueCheck::Defined | ValueCheck::Empty(_)),
        Condition::Sum { .. } => true,
    }
}

/// The result for a missing field: false, or an error if the condition compares it.
fn admit_missing<J: EvaluableJson>(
    is_compared: bool,
    path: &Path,
    document: &J,
) -> Result<bool, MissingField> {
    if !is_compared {
        return Ok(false);
    }
    let end = (1..path.len()).find(|end| document.value_at(&path[..*end]).is_none()).unwrap_or(path.len());
    Err(MissingField(path[..end].last().map(|name| name.to_string()).unwrap_or_default()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests {
    use super::*;
    use crate::{InputVariables, NameScope, bind_all};
    use kontor_json::json;

    fn of_jane(text: &str) -> Result<bool, MissingField> {
        let condition =
            bind_all([text], &NameScope::anything().with_changes(), &InputVariables::none()).unwrap();
        let jane = json!({"firstName": "Jane", "addresses": [{"city": "Ulm"}], "custom": {"fields": {}}});
        evaluate_change(&condition, None, &jane)
    }

    #[test]
    fn fails_if_a_compared_field_is_missing() {
        for (text, name) in [
            ("name = \"Jane\"", "name"),
            ("name != \"Jane\"", "name"),
            ("not (age > 5)", "age"),
            ("firstName = \"Jane\" and name = \"x\"", "name"),
            ("firstName = \"Joe\" or name = \"x\"", "name"),
            ("company(name = \"x\" and size = 1)", "company"),
            ("stores(key = \"x\")", "stores"),
        ] {
            assert_eq!(of_jane(text), Err(MissingField(name.to_owned())), "{text}");
        }
        let below = |of: &str| {
            Condition::nested(
                "custom",
                Condition::nested(of, Condition::check("size", ValueCheck::any_value_of(vec![]))),
            )
        };
        let jane = json!({"custom": {"fields": {}}});
        for (of, name) in [("fields", "size"), ("type", "type")] {
            assert_eq!(evaluate_change(&below(of), None, &jane), Err(MissingField(name.to_owned())));
        }
    }

    #[test]
    fn constants_are_compared_with_each_other_and_not_with_a_field() {
        let jane = json!({"firstName": "Jane", "1": 1});
        for (text, holds) in [
            ("1 = 0", false),
            ("1 = 1", true),
            ("\"a\" = \"a\"", true),
            ("true", true),
            ("not(true)", false),
            ("firstName = \"Jane\" and 2 > 1", true),
            ("`1` = 1", true),
        ] {
            let scope = NameScope::anything().with_changes().with_any_name();
            let condition = crate::Predicate::parse_condition(text, "condition").unwrap();
            let condition = condition.bind(&scope, &InputVariables::none()).unwrap();
            assert_eq!(evaluate_change(&condition, None, &jane), Ok(holds), "{text}");
        }
    }

    #[test]
    fn ignores_missing_fields_that_do_not_decide() {
        for (text, holds) in [
            ("name is defined", false),
            ("name is not defined", true),
            ("name is defined and name = \"x\"", false),
            ("firstName = \"Jane\" or name = \"x\"", true),
            ("company(name is defined)", false),
            ("firstName has changed and name has not changed", true),
            ("addresses(city = \"Ulm\")", true),
            ("addresses(street = \"Ulm\")", false),
        ] {
            assert_eq!(of_jane(text), Ok(holds), "{text}");
        }
    }
}
