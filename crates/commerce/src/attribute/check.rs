//! Validates values of Attributes and converts them into their stored form. Start at [`check`].
//!
//! | type | sent | stored |
//! |---|---|---|
//! | `enum`, `lenum` | the key, or the whole `{key, label}` | `{key, label}` as the Product Type has it |
//! | `money` | `{currencyCode, centAmount}` | `{type: "centPrecision", currencyCode, centAmount, fractionDigits}` |
//! | `reference` | `{typeId, id}` or `{typeId, key}` | `{typeId, id}`; the target exists |
//! | `set` | a list without duplicates | the same |
//! | `nested` | a list of Attributes of the nested Product Type | the same, with each value in its stored form |
//!
//! The `field` of an error is the name of the Attribute, prefixed by the names of the enclosing Attributes
//! (`facts.size`); its message gives the position of the Attribute in the body, and the element of a set.

use super::{definition, definitions, element_type, enum_values, normalize_numbers, objects_by_name};
use kontor_engine::conversion::{money_value, reference_value, shaped_value};
use kontor_engine::document::{enum_in, field_or_log, list, must_enum_in, must_field, text_or_log};
use kontor_engine::{Document, Rules};
use kontor_enums::{AttributeLevelEnum, AttributeTypeTag};
use kontor_errors::{ApiError, ApiResult, Code, with_article};
use kontor_json::{Value, json};
use kontor_model::{Location, Shape};
use std::collections::{HashMap, HashSet};

/// The maximum number of characters in a text of a searchable Attribute (public page on limits: field content size).
const SEARCHABLE_TEXT_CHARS_MAX: usize = 10_922;

/// Returns the Attributes of a Product or of one Variant in their stored form and original order, without
/// Attributes that have no value.
///
/// `attributes` are objects `{name, value}` as sent; `place` is their position in the body.
///
/// Errors: `AttributeNameDoesNotExist`; `InvalidOperation` for an Attribute of the other level;
/// `DuplicateField` for a repeated one; `RequiredField` for a missing required one; `InvalidField` for a
/// value that does not fit its type; `ReferencedResourceNotFound`.
pub(crate) fn check(
    product_type: &Document,
    attributes: &[Value],
    level: AttributeLevelEnum,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    checked_list(product_type, attributes, level, "", rules)
        .and_then(|checked| check_required(product_type, checked, level, ""))
        .map_err(|caused| located(caused, place))
}

/// Like [`check`], for tailored Attributes, which replace those of a Product: the required ones among the others
/// remain. Nested ones cannot be tailored (reference type `ProductTailoringAttribute`): `InvalidOperation`.
pub(crate) fn check_tailored(
    product_type: &Document,
    attributes: &[Value],
    level: AttributeLevelEnum,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Value>> {
    let definitions = definitions(product_type);
    for (index, attribute) in attributes.iter().enumerate() {
        let definition = attribute["name"].as_str().and_then(|name| definitions.get(name));
        definition.map_or(Ok(()), |definition| admit_tailored(definition, &format!("{place}[{index}]")))?;
    }
    checked_list(product_type, attributes, level, "", rules).map_err(|caused| located(caused, place))
}

/// Returns the stored form of one Attribute's value, for actions that set one Attribute; `None` removes it.
/// `place` is the position of the value in the body. Errors: as for [`check`].
pub(crate) fn value(
    product_type: &Document,
    name: &str,
    sent: Option<Value>,
    level: AttributeLevelEnum,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    let checked = defined(product_type, name).and_then(|definition| {
        match check_attribute(definition, sent, level, name, rules)? {
            None if is_required(definition) => Err(ApiError::required_field(name)),
            value => Ok(value),
        }
    });
    checked.map_err(|error| error.with_location(place))
}

/// Like [`value()`], for a tailored Attribute; `None` removes it, so that the Product's own value is visible again.
pub(crate) fn tailored_value(
    product_type: &Document,
    name: &str,
    sent: Option<Value>,
    level: AttributeLevelEnum,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    let definition = defined(product_type, name).map_err(|error| error.with_location(place))?;
    admit_tailored(definition, place)?;
    check_attribute(definition, sent, level, name, rules).map_err(|error| error.with_location(place))
}

/// The definition of an Attribute. `AttributeNameDoesNotExist` without one.
fn defined<'t>(product_type: &'t Document, name: &str) -> ApiResult<&'t Value> {
    definition(product_type, name).ok_or_else(|| not_defined(product_type, name))
}

fn admit_tailored(definition: &Value, place: &str) -> ApiResult<()> {
    if element_type(&definition["type"])["name"] != "nested" {
        return Ok(());
    }
    let name = must_field(definition, "name")?;
    Err(ApiError::invalid_operation(format!(
        "{place}: '{name}' is a nested attribute, which cannot be tailored."
    )))
}

/// An error, and which of the Attributes caused it.
type Caused = (Option<usize>, ApiError);

fn located((index, error): Caused, place: &str) -> ApiError {
    match index {
        Some(index) => error.with_location(&format!("{place}[{index}]")),
        None => error.with_location(place),
    }
}

/// `above` is the path of the Attribute that nests these, and empty outside. A required one may be missing.
fn checked_list(
    product_type: &Document,
    attributes: &[Value],
    level: AttributeLevelEnum,
    above: &str,
    rules: &Rules<'_>,
) -> Result<Vec<Value>, Caused> {
    let definitions = definitions(product_type);
    let mut given = HashSet::with_capacity(attributes.len());
    let mut checked: Vec<Value> = Vec::with_capacity(attributes.len());
    for (index, attribute) in attributes.iter().enumerate() {
        let name = must_field(attribute, "name").map_err(|error| (Some(index), error))?;
        let field = join_path(above, name);
        let sent = attribute.get("value").filter(|value| !value.is_null()).cloned();
        let caused = |error| (Some(index), error);
        if !given.insert(name) {
            return Err(caused(ApiError::duplicate_field(&join_path(above, "name"), json!(name))));
        }
        let Some(definition) = definitions.get(name) else {
            return Err(caused(not_defined(product_type, name)));
        };
        if let Some(value) = check_attribute(definition, sent, level, &field, rules).map_err(caused)? {
            checked.push(json!({"name": name, "value": value}));
        }
    }
    Ok(checked)
}

/// The Attributes, where all are among them that the Product Type requires.
fn check_required(
    product_type: &Document,
    checked: Vec<Value>,
    level: AttributeLevelEnum,
    above: &str,
) -> Result<Vec<Value>, Caused> {
    let given: HashSet<&str> = objects_by_name(&checked).map(|(name, _)| name).collect();
    let mut required = objects_by_name(list(product_type, &["attributes"]))
        .filter(|(_, definition)| is_of_level(definition, level) && is_required(definition));
    match required.find(|(name, _)| !given.contains(name)) {
        Some((name, _)) => Err((None, ApiError::required_field(&join_path(above, name)))),
        None => Ok(checked),
    }
}

fn check_attribute(
    definition: &Value,
    sent: Option<Value>,
    level: AttributeLevelEnum,
    field: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    if !is_of_level(definition, level) {
        return Err(ApiError::invalid_operation(format!(
            "The attribute '{field}' is defined at the level {}, not {level}.",
            field_or_log(definition, "level")
        )));
    }
    match sent {
        None => Ok(None),
        Some(sent) => {
            let value = typed(&definition["type"], sent, field, rules)?;
            if definition["isSearchable"] == true {
                admit_size(&value, field)?;
            }
            Ok(Some(value))
        }
    }
}

/// `AttributeNameDoesNotExist` for a name that a Product Type does not define.
pub(crate) fn not_defined(product_type: &Document, name: &str) -> ApiError {
    let type_name = text_or_log(product_type, &["name"]);
    ApiError::new(
        Code::AttributeNameDoesNotExist,
        format!("Attribute definition for '{name}' does not exist on type '{type_name}'."),
    )
    .with_field("invalidAttributeName", json!(name))
}

/// Whether an Attribute is defined at a level.
pub(crate) fn is_of_level(definition: &Value, level: AttributeLevelEnum) -> bool {
    field_or_log(definition, "level") == level.as_str()
}

/// A set does not support `isRequired` (reference type `AttributeSetType`).
fn is_required(definition: &Value) -> bool {
    definition["isRequired"] == true && definition["type"]["name"] != "set"
}

fn join_path(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}

fn typed(attribute_type: &Value, sent: Value, field: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let shape = match must_enum_in::<AttributeTypeTag>(attribute_type, "name")? {
        AttributeTypeTag::Boolean => Shape::Boolean,
        AttributeTypeTag::Text => Shape::String,
        AttributeTypeTag::Ltext => Shape::Localized,
        AttributeTypeTag::Number => Shape::Float,
        AttributeTypeTag::Date => Shape::Date,
        AttributeTypeTag::Time => Shape::Time,
        AttributeTypeTag::Datetime => Shape::DateTime,
        AttributeTypeTag::Enum | AttributeTypeTag::Lenum => {
            let values = enum_values(attribute_type);
            return enum_value(values, |key| values.iter().find(|value| value["key"] == *key), sent, field);
        }
        AttributeTypeTag::Money => return money_value(sent, &Location::Text(field), rules),
        AttributeTypeTag::Reference => {
            let type_id = must_field(attribute_type, "referenceTypeId")?;
            return reference(type_id, sent, field, rules);
        }
        AttributeTypeTag::Set => return set(&attribute_type["elementType"], sent, field, rules),
        AttributeTypeTag::Nested => return nested(attribute_type, sent, field, rules),
    };
    shaped_value(&shape, sent, &Location::Text(field), rules)
}

/// Converts a reference. A text that cannot be an id is an invalid value; a well-formed id without a target
/// is a missing reference (integration tests of clients that ran against the platform).
fn reference(type_id: &str, sent: Value, field: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let id = sent["id"].as_str().map(str::to_owned);
    reference_value(type_id, sent, &Location::Text(field), rules).map_err(|error| match id {
        Some(id) if error.code() == Code::ReferencedResourceNotFound && !is_uuid(&id) => {
            let expected = format!("Expected the id of {} that exists.", with_article(type_id));
            ApiError::invalid_field(field, &json!({"id": id, "typeId": type_id}), &expected, None)
        }
        _ => error,
    })
}

/// Whether a text has the form of generated ids: 8, 4, 4, 4 and 12 hexadecimal digits.
fn is_uuid(id: &str) -> bool {
    let parts =
        id.split('-').map(|part| part.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(part.len()));
    parts.eq([8, 4, 4, 4, 12].map(Some))
}

/// Returns the value of the enum with this key. If the whole value was sent, its label is ignored.
fn enum_value<'t>(
    known: &[Value],
    with: impl Fn(&Value) -> Option<&'t Value>,
    sent: Value,
    field: &str,
) -> ApiResult<Value> {
    let key = if sent.is_object() { &sent["key"] } else { &sent };
    with(key).cloned().ok_or_else(|| {
        let keys: Vec<&Value> = known.iter().map(|value| &value["key"]).collect();
        let expected = "Expected the key of a value of the enum, or the whole value.";
        ApiError::invalid_field(field, &sent, expected, Some(json!(keys)))
    })
}

/// Whether the values of an Attribute are those of an enum.
pub(super) fn is_enum(tag: Option<AttributeTypeTag>) -> bool {
    matches!(tag, Some(AttributeTypeTag::Enum | AttributeTypeTag::Lenum))
}

/// Converts the elements of a set. The platform refuses duplicates (recorded).
fn set(element_type: &Value, sent: Value, field: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let Value::Array(items) = sent else {
        return Err(ApiError::invalid_field(
            field,
            &sent,
            "Expected an array: the attribute is a set.",
            None,
        ));
    };
    let is_enum = is_enum(enum_in(element_type, "name")?);
    let known = if is_enum { enum_values(element_type) } else { &[] };
    let by_key: HashMap<&Value, &Value> = known.iter().map(|value| (&value["key"], value)).collect();
    let mut checked: Vec<Value> = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let value = match is_enum {
            true => enum_value(known, |key| by_key.get(key).copied(), item, field),
            false => typed(element_type, item, field, rules),
        };
        checked.push(value.map_err(|error| error.with_location(&format!("element {index} of {field}")))?);
    }
    let mut seen = HashSet::with_capacity(checked.len());
    if let Some(twice) = checked.iter().find(|value| !seen.insert(normalize_numbers(value))) {
        return Err(ApiError::invalid_field(field, twice, "A set has each element once.", None));
    }
    Ok(Value::Array(checked))
}

/// Converts Attributes of another Product Type, at the level of Variants.
fn nested(attribute_type: &Value, mut sent: Value, field: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let well_formed = |item: &mut Value| match item {
        Value::Object(item) => {
            item.get("name").is_some_and(Value::is_string)
                && rules
                    .ignore_or_refuse(item, &Location::Text(field), |name| name == "name" || name == "value")
                    .is_ok()
        }
        _ => false,
    };
    let is_well_formed = sent.as_array_mut().is_some_and(|items| items.iter_mut().all(well_formed));
    let Some(items) = sent.as_array().filter(|_| is_well_formed) else {
        let expected = "Expected a list of attributes {name, value} of the nested Product Type.";
        return Err(ApiError::invalid_field(field, &sent, expected, None));
    };
    let id = must_field(&attribute_type["typeReference"], "id")?;
    let Some(product_type) = rules.peek_type("product-type", id)? else {
        return Err(ApiError::referenced_resource_not_found("product-type", Some(id), None));
    };
    let level = AttributeLevelEnum::Variant;
    let checked = checked_list(&product_type, items, level, field, rules);
    match checked.and_then(|checked| check_required(&product_type, checked, level, field)) {
        Ok(checked) => Ok(Value::Array(checked)),
        Err((_, error)) => Err(error),
    }
}

/// Whether a text is not too long for a searchable Attribute.
pub(crate) fn is_searchable(text: &str) -> bool {
    text.len() <= SEARCHABLE_TEXT_CHARS_MAX || text.chars().count() <= SEARCHABLE_TEXT_CHARS_MAX
}

/// The texts of an Attribute that can be searched for are not too long for that.
fn admit_size(value: &Value, field: &str) -> ApiResult<()> {
    match value {
        Value::String(text) if !is_searchable(text) => {
            let expected = format!("A searchable text has at most {SEARCHABLE_TEXT_CHARS_MAX} characters.");
            Err(ApiError::invalid_field(field, value, &expected, None))
        }
        Value::Array(items) => items.iter().try_for_each(|item| admit_size(item, field)),
        Value::Object(entries) => entries.values().try_for_each(|inner| admit_size(inner, field)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
