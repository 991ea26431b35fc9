//! Attribute constraints: values that the Variants of a Product must share, and values in which they must
//! differ. Start at [`check_constraints`].

use super::comparable_value::normalize_numbers;
use kontor_engine::Document;
use kontor_engine::document::{enum_in, field_or_log, list, must_field};
use kontor_enums::AttributeConstraintEnum;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The field of an Attribute definition with its constraint.
const CONSTRAINT: &str = "attributeConstraint";

/// Checks the stored Attributes of all Variants against the constraints of the Product Type. The first
/// Variant, the master, is the reference for the others.
///
/// - `SameForAll`: a missing value is a value too. Otherwise `InvalidField`.
/// - `Unique`: Variants without a value do not count. Otherwise `DuplicateAttributeValue`.
/// - `CombinationUnique`: the values of all Attributes with this constraint together; Variants without any of
///   them do not count. Otherwise `DuplicateAttributeValues`.
pub(crate) fn check_constraints(product_type: &Document, variants: &[&Document]) -> ApiResult<()> {
    let mut combined: Vec<&str> = Vec::new();
    for definition in list(product_type, &["attributes"]) {
        let name = must_field(definition, "name")?;
        match enum_in(definition, CONSTRAINT)? {
            Some(AttributeConstraintEnum::SameForAll) => same_for_all(name, variants)?,
            Some(AttributeConstraintEnum::Unique) => unique(name, variants)?,
            Some(AttributeConstraintEnum::CombinationUnique) => combined.push(name),
            Some(AttributeConstraintEnum::None) | None => {}
        }
    }
    if combined.is_empty() { Ok(()) } else { unique_combination(&combined, variants) }
}

/// Checks the stored values of one Attribute as [`check_constraints`] does; the values of all Attributes that are
/// combined with it, too.
pub(crate) fn check_constraint(product_type: &Document, name: &str, variants: &[&Document]) -> ApiResult<()> {
    let definitions = list(product_type, &["attributes"]);
    let Some(own) = definitions.iter().find(|definition| definition["name"] == name) else { return Ok(()) };
    match enum_in(own, CONSTRAINT)? {
        Some(AttributeConstraintEnum::SameForAll) => same_for_all(name, variants),
        Some(AttributeConstraintEnum::Unique) => unique(name, variants),
        Some(AttributeConstraintEnum::CombinationUnique) => {
            let combined = definitions.iter().filter(|definition| definition[CONSTRAINT] == own[CONSTRAINT]);
            let combined: Vec<&str> = combined.filter_map(|definition| definition["name"].as_str()).collect();
            unique_combination(&combined, variants)
        }
        Some(AttributeConstraintEnum::None) | None => Ok(()),
    }
}

/// The part of a Variant that a constraint compares with other Variants. A Variant without such a part is not
/// compared.
#[derive(Debug, PartialEq)]
pub(crate) enum ConstrainedValue<'a> {
    /// `SameForAll`: every Variant has this value.
    Same(&'a str, &'a Value),
    /// `Unique`: no other Variant has this value.
    Unique(&'a str, &'a Value),
    /// `CombinationUnique`: no other Variant has exactly these values.
    Combination(Vec<(&'a str, &'a Value)>),
}

impl<'a> ConstrainedValue<'a> {
    /// Returns the compared parts of a Variant.
    pub(crate) fn from_variant(product_type: &'a Document, variant: &'a Document) -> ApiResult<Vec<Self>> {
        let (mut all, mut combined) = (Vec::new(), Vec::new());
        for definition in list(product_type, &["attributes"]) {
            let name = field_or_log(definition, "name");
            let Some(value) = value_of(variant, name) else { continue };
            match enum_in(definition, CONSTRAINT)? {
                Some(AttributeConstraintEnum::SameForAll) => all.push(Self::Same(name, value)),
                Some(AttributeConstraintEnum::Unique) => all.push(Self::Unique(name, value)),
                Some(AttributeConstraintEnum::CombinationUnique) => combined.push((name, value)),
                Some(AttributeConstraintEnum::None) | None => {}
            }
        }
        if !combined.is_empty() {
            all.push(Self::Combination(combined));
        }
        Ok(all)
    }

    /// Returns the error if another Variant conflicts with this part, otherwise `None`.
    pub(crate) fn conflict_error(&self, other: &Document) -> Option<ApiError> {
        match self {
            Self::Same(name, value) => {
                let expected = value_of(other, name);
                let differs =
                    expected.is_some_and(|expected| normalize_numbers(expected) != normalize_numbers(value));
                differs.then(|| not_the_same(name, value, expected))
            }
            Self::Unique(name, value) => Some(not_unique(name, value)),
            Self::Combination(values) => Some(not_a_unique_combination(values)),
        }
    }
}

fn value_of<'a>(variant: &'a Document, name: &str) -> Option<&'a Value> {
    list(variant, &["attributes"])
        .iter()
        .find(|attribute| attribute["name"] == name)
        .map(|attribute| &attribute["value"])
}

fn same_for_all(name: &str, variants: &[&Document]) -> ApiResult<()> {
    let Some((master, others)) = variants.split_first() else { return Ok(()) };
    let expected = value_of(master, name);
    let expected_form = expected.map(normalize_numbers);
    let mut others = others.iter().map(|other| value_of(other, name));
    let differs = others.find(|value| value.map(normalize_numbers) != expected_form);
    differs.map_or(Ok(()), |differs| Err(not_the_same(name, differs.unwrap_or(&Value::Null), expected)))
}

fn unique(name: &str, variants: &[&Document]) -> ApiResult<()> {
    let mut seen = HashSet::new();
    let mut values = variants.iter().filter_map(|variant| value_of(variant, name));
    values
        .find(|value| !seen.insert(normalize_numbers(value)))
        .map_or(Ok(()), |value| Err(not_unique(name, value)))
}

fn unique_combination(names: &[&str], variants: &[&Document]) -> ApiResult<()> {
    let mut seen = HashSet::new();
    for variant in variants {
        let values = names.iter().filter_map(|name| Some((*name, value_of(variant, name)?)));
        let values: Vec<(&str, &Value)> = values.collect();
        let forms: Vec<_> = values.iter().map(|(name, value)| (*name, normalize_numbers(value))).collect();
        if !seen.insert(forms) && !values.is_empty() {
            return Err(not_a_unique_combination(&values));
        }
    }
    Ok(())
}

fn not_the_same(name: &str, value: &Value, expected: Option<&Value>) -> ApiError {
    let why = "The value of the attribute must be the same across all variants.";
    ApiError::invalid_field(name, value, why, expected.map(|expected| json!([expected])))
}

fn not_unique(name: &str, value: &Value) -> ApiError {
    let message =
        format!("Attribute can't have the same value in a different variant. The attribute is {name}.");
    ApiError::new(Code::DuplicateAttributeValue, message)
        .with_field("attribute", json!({"name": name, "value": value}))
}

fn not_a_unique_combination(values: &[(&str, &Value)]) -> ApiError {
    let attributes: Vec<Value> =
        values.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    ApiError::new(Code::DuplicateAttributeValues, "The set of attributes must be unique across all variants.")
        .with_field("attributes", json!(attributes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;
    use proptest::prelude::*;

    fn product_type(constraints: &[(&str, &str)]) -> Document {
        let attributes: Vec<Value> = constraints
            .iter()
            .map(|(name, constraint)| json!({"name": name, "attributeConstraint": constraint}))
            .collect();
        object(json!({"attributes": attributes}))
    }

    fn variant(attributes: &[(&str, Value)]) -> Document {
        let attributes: Vec<Value> =
            attributes.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        object(json!({"attributes": attributes}))
    }

    fn constraint_error(product_type: &Document, variants: &[Document]) -> Option<ApiError> {
        check_constraints(product_type, &variants.iter().collect::<Vec<_>>()).err()
    }

    #[test]
    fn none_admits_everything() {
        let free = product_type(&[("size", "None")]);
        assert!(
            constraint_error(&free, &[variant(&[("size", json!(1))]), variant(&[("size", json!(1))])])
                .is_none()
        );
        assert!(constraint_error(&free, &[]).is_none());
    }

    #[test]
    fn same_for_all_compares_with_the_master_variant() {
        let brand = product_type(&[("brand", "SameForAll")]);
        let of = |value: Value| variant(&[("brand", value)]);
        assert!(constraint_error(&brand, &[of(json!("a")), of(json!("a")), of(json!("a"))]).is_none());
        assert!(constraint_error(&brand, &[variant(&[]), variant(&[])]).is_none());
        let error = constraint_error(&brand, &[of(json!("a")), of(json!("a")), of(json!("b"))]).unwrap();
        let body = error.objects()[0].to_json();
        assert_eq!(body["code"], "InvalidField");
        assert_eq!((&body["field"], &body["invalidValue"]), (&json!("brand"), &json!("b")));
        assert_eq!(body["allowedValues"], json!(["a"]));
        assert!(
            constraint_error(&brand, &[of(json!("a")), variant(&[])]).is_some(),
            "no value is a value too"
        );
        assert!(constraint_error(&brand, &[variant(&[]), of(json!("a"))]).is_some());
    }

    #[test]
    fn a_unique_value_is_in_one_variant_only() {
        let unique = product_type(&[("ean", "Unique")]);
        let of = |value: Value| variant(&[("ean", value)]);
        assert!(
            constraint_error(&unique, &[of(json!("1")), of(json!("2")), variant(&[]), variant(&[])])
                .is_none()
        );
        let error = constraint_error(&unique, &[of(json!("1")), variant(&[]), of(json!("1"))]).unwrap();
        let body = error.objects()[0].to_json();
        assert_eq!(body["code"], "DuplicateAttributeValue");
        assert_eq!(body["attribute"], json!({"name": "ean", "value": "1"}));
    }

    #[test]
    fn a_combination_is_in_one_variant_only() {
        let pair = product_type(&[("size", "CombinationUnique"), ("colour", "CombinationUnique")]);
        let of = |size: &str, colour: &str| variant(&[("size", json!(size)), ("colour", json!(colour))]);
        assert!(constraint_error(&pair, &[of("s", "red"), of("s", "blue"), of("l", "red")]).is_none());
        assert!(constraint_error(&pair, &[variant(&[("size", json!("s"))]), of("s", "blue")]).is_none());
        assert!(constraint_error(&pair, &[variant(&[]), variant(&[])]).is_none());
        let error = constraint_error(&pair, &[of("s", "red"), of("l", "red"), of("s", "red")]).unwrap();
        let body = error.objects()[0].to_json();
        assert_eq!(body["code"], "DuplicateAttributeValues");
        assert_eq!(
            body["attributes"],
            json!([{"name": "size", "value": "s"}, {"name": "colour", "value": "red"}])
        );
    }

    proptest! {
        /// The result of the check does not depend on the order of the Variants.
        #[test]
        fn the_sequence_of_variants_does_not_matter(
            mut values in prop::collection::vec((prop::option::of(0..3_u8), prop::option::of(0..3_u8)), 0..6),
            constraint in prop::sample::select(vec!["None", "SameForAll", "Unique", "CombinationUnique"]),
        ) {
            let product_type = product_type(&[("a", constraint), ("b", constraint)]);
            let variants = |values: &[(Option<u8>, Option<u8>)]| -> Vec<Document> {
                values.iter().map(|(a, b)| {
                    let given: Vec<(&str, Value)> = [("a", a), ("b", b)].into_iter()
                        .filter_map(|(name, value)| value.map(|value| (name, json!(value)))).collect();
                    variant(&given)
                }).collect()
            };
            let code = |values: &[(Option<u8>, Option<u8>)]| {
                constraint_error(&product_type, &variants(values)).map(|error| error.code())
            };
            let before = code(&values);
            values.reverse();
            prop_assert_eq!(before, code(&values));
        }
    }
}
