//! Resolves the fields that expressions, sorts and facets name.

use crate::json_members::{BodyPosition, choice_member, text};
use crate::{FieldKind, FieldProblem, FieldType, FieldUse, SearchableField, SearchableFields};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Map;

/// A resolved field, and whether the project has the requested language.
pub(crate) struct ResolvedField {
    pub(crate) found: SearchableField,
    /// Whether the project has the language of a localized field; if not, nothing matches.
    pub(crate) is_spoken: bool,
    /// The `fieldType` in the request.
    pub(crate) field_type: Option<FieldType>,
}

/// Resolves the field that `field`, `language` and `fieldType` of an object name. Refuses a missing language of a
/// localized field.
pub(crate) fn find(
    members: &Map,
    position: &BodyPosition,
    fields: &dyn SearchableFields,
) -> ApiResult<ResolvedField> {
    match find_any(members, position, fields)? {
        (found, None, _) if found.is_localized => Err(position.invalid_value(format_args!(
            "the field {} is localized: a language is required, one of {}",
            found.field.name,
            fields.languages().join(", "),
        ))),
        (found, language, field_type) => {
            let is_spoken = !found.is_localized
                || language
                    .is_some_and(|language| fields.languages().iter().any(|known| **known == *language));
            Ok(ResolvedField { found, is_spoken, field_type })
        }
    }
}

/// Like [`find`], but a localized field may have no language.
pub(super) fn find_any<'a>(
    members: &'a Map,
    position: &BodyPosition,
    fields: &dyn SearchableFields,
) -> ApiResult<(SearchableField, Option<&'a str>, Option<FieldType>)> {
    let name = text(members, "field", position)?.ok_or_else(|| position.member("field").missing_value())?;
    let language = text(members, "language", position)?;
    let field_type = match text(members, "fieldType", position)? {
        Some(LONG) if is_standard_long(name, language, fields) => None,
        _ => {
            let types: Vec<(&str, FieldType)> =
                FieldType::ALL.iter().map(|(value, name)| (*name, *value)).collect();
            choice_member(members, "fieldType", position, &types)?
        }
    };
    let found = fields
        .find(&FieldUse { name, language, field_type })
        .map_err(|problem| explained(&problem, name, field_type, position))?;
    Ok((found, language, field_type))
}

/// A `fieldType` that is not in the reference. Storefronts send it with the amounts of prices, and the platform
/// accepts it.
const LONG: &str = "long";

/// Whether the name is that of a standard field of integers.
fn is_standard_long(name: &str, language: Option<&str>, fields: &dyn SearchableFields) -> bool {
    let found = fields.find(&FieldUse { name, language, field_type: None });
    found.is_ok_and(|found| found.field.kind == FieldKind::Long)
}

fn explained(
    problem: &FieldProblem,
    name: &str,
    sent: Option<FieldType>,
    position: &BodyPosition,
) -> ApiError {
    match problem {
        FieldProblem::Unknown => position
            .member("field")
            .invalid_value(format_args!("the field {name:?} is unknown or cannot be searched")),
        FieldProblem::FieldTypeMissing => position.member("fieldType").invalid_value(format_args!(
            "the field {name:?} is no standard field: a fieldType is required, one of {}",
            FieldType::ALL.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", "),
        )),
        FieldProblem::FieldTypeWrong(expected) => position.member("fieldType").invalid_value(format_args!(
            "the field {name:?} is not of the type {}{}",
            sent.map_or("that is assumed", FieldType::as_str),
            expected.map(|expected| format!(", expected {}", expected.as_str())).unwrap_or_default(),
        )),
    }
}
