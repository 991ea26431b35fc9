//! Indexes custom fields: `custom.<name>`, with the kind that the `fieldType` of the search has. Start at
//! [`put_fields`].
//!
//! Types may have fields of the same name and different kinds, so the kind is a part of the name in the
//! index.
//!
//! Source: Document B, "Searchable Business Unit fields"; reference type `SearchFieldType`.

use super::node::{add_value, field_in_language, parse_day_ms, parse_time_ms, time_of_day};
use kontor_engine::document::{enum_in, get, list, text};
use kontor_engine::{Document, Rules};
use kontor_enums::FieldTypeTag;
use kontor_errors::ApiResult;
use kontor_json::Value as Json;
use kontor_search::{
    EntryNode, Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldType, FieldUse, SearchField,
    SearchValue, SearchableField,
};
use std::sync::Arc;

/// The prefix of custom fields' names.
pub(super) const CUSTOM: &str = "custom.";

/// The parts that the names of custom fields may end with.
const PARTS: [&str; 4] = ["key", "centAmount", "currencyCode", "id"];

/// Finds the custom field that a search names; `name` is the part after `custom.`, or after another prefix.
pub(super) fn find(
    prefix: &str,
    name: &str,
    used: &FieldUse<'_>,
    with_localized: bool,
) -> Result<SearchableField, FieldProblem> {
    let sent = used.field_type.ok_or(FieldProblem::FieldTypeMissing)?;
    let element = element(sent);
    if element == FieldType::LocalizedText && !with_localized {
        return Err(FieldProblem::FieldTypeWrong(None));
    }
    let (base, part) = match name.rsplit_once('.') {
        Some((base, part)) if PARTS.contains(&part) => (base, part),
        _ => (name, ""),
    };
    let part = match (element, part) {
        (FieldType::Enum | FieldType::LocalizedEnum, "" | "key") => "key",
        (FieldType::Reference, "" | "id") => "id",
        (FieldType::Money, "" | "centAmount") => "centAmount",
        (FieldType::Money, "currencyCode") => "currencyCode",
        (FieldType::Enum | FieldType::LocalizedEnum | FieldType::Reference | FieldType::Money, _) => {
            return Err(FieldProblem::Unknown);
        }
        // A field may be named so itself.
        _ => "",
    };
    let base = if part.is_empty() { name } else { base };
    let is_localized = element == FieldType::LocalizedText;
    let mut field = field(prefix, base, part, element);
    if is_localized {
        field.language = used.language.map(Arc::from);
    }
    Ok(SearchableField {
        field,
        expressions: expressions(element, part),
        rank: FieldRank::Resource,
        is_localized,
    })
}

/// Puts the custom fields of a document, or of a part of it, into its node; `prefix` precedes their names.
pub(super) fn put_fields(
    node: &mut EntryNode,
    prefix: &str,
    document: &Document,
    languages: &[Arc<str>],
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let (Some(type_id), Some(values)) = (
        text(document, &["custom", "type", "id"]),
        get(document, &["custom", "fields"]).and_then(Json::as_object),
    ) else {
        return Ok(());
    };
    let Some(custom_type) = rules.peek_type("type", type_id)? else { return Ok(()) };
    for definition in list(&custom_type, &["fieldDefinitions"]).iter().filter_map(Json::as_object) {
        let (Some(name), Some(of)) = (text(definition, &["name"]), get(definition, &["type"])) else {
            continue;
        };
        let Some(value) = values.get(name) else { continue };
        let of = of.get("elementType").unwrap_or(of);
        let Some(element) = enum_in(of, "name")?.and_then(field_type) else { continue };
        let elements = match value {
            Json::Array(elements) => elements.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in elements {
            put_value(node, (prefix, name), element, value, languages);
        }
    }
    Ok(())
}

fn put_value(
    node: &mut EntryNode,
    (prefix, name): (&str, &str),
    element: FieldType,
    value: &Json,
    languages: &[Arc<str>],
) {
    let mut put_at = |part: &str, value: Option<SearchValue>| {
        if let Some(value) = value {
            add_value(node, &field(prefix, name, part, element), value);
        }
    };
    let word = |value: &Json| Some(SearchValue::Text(value.as_str()?.to_owned()));
    match element {
        FieldType::Boolean => put_at("", value.as_bool().map(SearchValue::Boolean)),
        FieldType::Number => {
            put_at("", value.as_f64().filter(|number| !number.is_nan()).map(SearchValue::Double))
        }
        FieldType::Enum | FieldType::LocalizedEnum => put_at("key", word(value)),
        FieldType::Reference => put_at("id", word(&value["id"])),
        FieldType::Money => {
            put_at("centAmount", value["centAmount"].as_i64().map(SearchValue::Long));
            put_at("currencyCode", word(&value["currencyCode"]));
        }
        FieldType::Date => put_at("", value.as_str().and_then(parse_day_ms).map(SearchValue::Time)),
        FieldType::DateTime => put_at("", value.as_str().and_then(parse_time_ms).map(SearchValue::Time)),
        FieldType::Time => put_at("", value.as_str().and_then(time_of_day).map(SearchValue::Text)),
        FieldType::LocalizedText => {
            for language in languages {
                if let Some(text) = value.get(&**language).and_then(Json::as_str) {
                    let of_language = field_in_language(&field(prefix, name, "", element), language);
                    add_value(node, &of_language, SearchValue::Text(text.to_owned()));
                }
            }
        }
        _ => put_at("", word(value)),
    }
}

/// The field of a part of a custom field.
fn field(prefix: &str, name: &str, part: &str, element: FieldType) -> SearchField {
    let kind = match (element, part) {
        (FieldType::Boolean, _) => FieldKind::Boolean,
        (FieldType::Number, _) => FieldKind::Double,
        (FieldType::Money, "centAmount") => FieldKind::Long,
        (FieldType::Date | FieldType::DateTime, _) => FieldKind::Time,
        (FieldType::Text | FieldType::LocalizedText, _) => FieldKind::Text,
        _ => FieldKind::Keyword,
    };
    let dot = if part.is_empty() { "" } else { "." };
    let name = format!("{prefix}{name}{dot}{part}:{}", element.as_str());
    SearchField { name: Arc::from(name), language: None, level: FieldLevel::Root, kind }
}

fn expressions(element: FieldType, part: &str) -> Expressions {
    match (element, part) {
        (FieldType::Boolean, _) => Expressions::Boolean,
        (FieldType::Number | FieldType::Date | FieldType::DateTime | FieldType::Time, _) => {
            Expressions::Ordered
        }
        (FieldType::Money, "centAmount") => Expressions::Ordered,
        (FieldType::Text | FieldType::LocalizedText, _) => Expressions::Text,
        _ => Expressions::Keyword,
    }
}

/// Returns the element type of a set, or the type itself. Keys of both kinds of enums are equal.
fn element(sent: FieldType) -> FieldType {
    let name = sent.as_str();
    match FieldType::parse(name.strip_prefix("set_").unwrap_or(name)).unwrap_or(sent) {
        FieldType::LocalizedEnum => FieldType::Enum,
        element => element,
    }
}

/// The type of a field definition.
fn field_type(tag: FieldTypeTag) -> Option<FieldType> {
    Some(match tag {
        FieldTypeTag::Boolean => FieldType::Boolean,
        FieldTypeTag::String => FieldType::Text,
        FieldTypeTag::LocalizedString => FieldType::LocalizedText,
        FieldTypeTag::Enum | FieldTypeTag::LocalizedEnum => FieldType::Enum,
        FieldTypeTag::Number => FieldType::Number,
        FieldTypeTag::Money => FieldType::Money,
        FieldTypeTag::Date => FieldType::Date,
        FieldTypeTag::Time => FieldType::Time,
        FieldTypeTag::DateTime => FieldType::DateTime,
        FieldTypeTag::Reference => FieldType::Reference,
        FieldTypeTag::Set => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field_use(name: &'static str, field_type: FieldType) -> FieldUse<'static> {
        FieldUse { name, language: Some("en"), field_type: Some(field_type) }
    }

    fn name_of(name: &'static str, field_type: FieldType) -> Result<String, FieldProblem> {
        find(CUSTOM, &name[CUSTOM.len()..], &field_use(name, field_type), false)
            .map(|found| found.field.name.to_string())
    }

    #[test]
    fn the_type_that_is_sent_says_what_is_searched() {
        assert_eq!(name_of("custom.size", FieldType::Number).unwrap(), "custom.size:number");
        assert_eq!(name_of("custom.size.key", FieldType::SetLocalizedEnum).unwrap(), "custom.size.key:enum");
        assert_eq!(name_of("custom.size", FieldType::Enum).unwrap(), "custom.size.key:enum");
        assert_eq!(name_of("custom.a.key", FieldType::Text).unwrap(), "custom.a.key:text");
        assert_eq!(name_of("custom.a.key", FieldType::Money), Err(FieldProblem::Unknown));
        assert_eq!(name_of("custom.a", FieldType::LocalizedText), Err(FieldProblem::FieldTypeWrong(None)));
    }

    #[test]
    fn a_type_is_needed() {
        let used = FieldUse { name: "custom.a", language: None, field_type: None };
        assert_eq!(find(CUSTOM, "a", &used, true), Err(FieldProblem::FieldTypeMissing));
    }
}
