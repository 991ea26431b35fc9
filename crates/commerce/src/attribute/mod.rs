//! Attributes of Products and their Variants: validated against the Product Type, converted into their stored
//! form, and compared between Variants.
//!
//! Start at [`check`] (a list of Attributes), [`value()`] (one of them), [`check_tailored`] and
//! [`tailored_value`] (the same for tailored Attributes), and [`check_constraints`] (all Variants of a
//! Product). [`update_attributes`] updates stored Attributes after a change of the Product Type.
//!
//! Source: reference types `Attribute`, `AttributeDefinition`, `AttributeType` and its members,
//! `AttributeConstraintEnum`, `AttributeNameDoesNotExistError`, `DuplicateAttributeValueError`,
//! `DuplicateAttributeValuesError`.

mod check;
mod comparable_value;
mod constraints;
mod stored_attribute_update;

pub(crate) use check::{check, check_tailored, is_searchable, not_defined, tailored_value, value};
pub(crate) use comparable_value::normalize_numbers;
pub(crate) use constraints::{ConstrainedValue, check_constraint, check_constraints};
pub(crate) use stored_attribute_update::{AttributeRenames, update_attributes};

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_json::Value;
use std::collections::HashMap;

/// Returns the definitions of a Product Type by name, for callers with many lookups.
pub(crate) fn definitions(product_type: &Document) -> HashMap<&str, &Value> {
    objects_by_name(list(product_type, &["attributes"])).collect()
}

/// Objects with a `name`, each with it.
pub(crate) fn objects_by_name(objects: &[Value]) -> impl Iterator<Item = (&str, &Value)> {
    objects.iter().filter_map(|object| Some((object["name"].as_str()?, object)))
}

/// The values of an enum; other types have none.
fn enum_values(attribute_type: &Value) -> &[Value] {
    attribute_type["values"].as_array().map_or(&[], Vec::as_slice)
}

/// The definition of an Attribute, by its name.
pub(crate) fn definition<'a>(product_type: &'a Document, name: &str) -> Option<&'a Value> {
    list(product_type, &["attributes"]).iter().find(|definition| definition["name"] == name)
}

/// The type within a set (of sets …); any other type is its own.
pub(crate) fn element_type(attribute_type: &Value) -> &Value {
    let mut inner = attribute_type;
    while inner["name"] == "set" {
        inner = &inner["elementType"];
    }
    inner
}
