//! Parses scalars: predefined shapes, and texts with limits of their own.

use super::ModelReader;
use super::allowed_directives::ON_SCALAR;
use super::directives::Directives;
use crate::shape::{Shape, ValueLimits};
use apollo_compiler::ast::ScalarTypeDefinition;
use apollo_compiler::parser::SourceSpan;

/// A shape with the limits of its scalar.
pub(super) type LimitedShape = (Shape, ValueLimits);
/// Returns the shape of a scalar: a predefined one by its name, or a text with limits.
pub(super) fn read(scalar: &ScalarTypeDefinition, reader: &mut ModelReader) -> LimitedShape {
    let directives = Directives::read(&scalar.directives, ON_SCALAR, reader);
    let mut limits = ValueLimits::default();
    if let Some(bounds) = directives.get("string") {
        limits.length_min = bounds.count("minLength", reader);
        limits.length_max = bounds.count("maxLength", reader);
        limits.pattern = pattern(bounds.text("pattern", reader), bounds.location(), reader);
        return (Shape::String, limits);
    }
    let shape = match scalar.name.as_str() {
        "String" => Shape::String,
        "Boolean" => Shape::Boolean,
        "Int" => Shape::Int,
        "Long" => Shape::Long,
        "Float" => Shape::Float,
        "DateTime" => Shape::DateTime,
        "Date" => Shape::Date,
        "Time" => Shape::Time,
        "Locale" => Shape::Locale,
        "CountryCode" => Shape::Country,
        "CurrencyCode" => Shape::Currency,
        "LocalizedString" => Shape::Localized,
        "Json" => Shape::Json,
        "Object" => Shape::AnyObject,
        "CustomFields" => Shape::CustomFields,
        "CustomFieldsDraft" => Shape::CustomFieldsDraft,
        "FieldContainer" => Shape::FieldContainer,
        "Reference" => Shape::Reference(crate::ReferenceKinds::Any),
        "ResourceIdentifier" => Shape::Identifier(crate::ReferenceKinds::Any),
        name => {
            reader.problem(
                scalar.name.location(),
                format!("scalar '{name}' is not one the reader knows; give it @string"),
            );
            Shape::Json
        }
    };
    (shape, limits)
}

/// Parses the regular expression of an argument.
pub(super) fn pattern(
    text: Option<String>,
    place: Option<SourceSpan>,
    reader: &mut ModelReader,
) -> Option<regex::Regex> {
    match regex::Regex::new(&text?) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            reader.problem(place, format!("not a regular expression: {error}"));
            None
        }
    }
}
