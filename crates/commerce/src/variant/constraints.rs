//! Attribute constraints between the Variants of a Product, if they are resources of their own.
//!
//! There may be thousands of Variants, so none is compared with all others: each has index rows with the
//! compared values of a side, and one lookup for each constraint finds a Variant with the same value.

use super::{BOTH, as_product_variant};
use crate::attribute::{ConstrainedValue, normalize_numbers};
use crate::kinds;
use crate::product_lookup::product_of;
use crate::sides::STAGED;
use kontor_engine::document::{must_text, text, text_or_log};
use kontor_engine::{Document, IndexValue, Rules};
use kontor_errors::ApiResult;
use kontor_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The indexed path of the compared values.
const COMPARED: &str = "compared";
/// Length of the digest in a row, in bytes: values with the same digest are equal.
const DIGEST_BYTES: usize = 16;

/// Checks the sides whose Attributes changed against the other Variants of the Product, as they are when the change is
/// written.
pub(super) fn check_constraints(
    before: Option<&Document>,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let attributes =
        |variant: &Document, is_staged| as_product_variant(variant, is_staged).shift_remove("attributes");
    let mut changed = BOTH.into_iter().filter(|side| {
        let is_staged = *side == STAGED;
        before.is_none_or(|before| attributes(before, is_staged) != attributes(after, is_staged))
    });
    let Some(first) = changed.next() else { return Ok(()) };
    let product_type = crate::product::type_of(&*product_of(after, rules)?, rules)?;
    for side in std::iter::once(first).chain(changed) {
        let variant = as_product_variant(after, side == STAGED);
        for compared in ConstrainedValue::from_variant(&product_type, &variant)? {
            let row = row(after, side, &compared);
            let other = rules.find_another(kinds::VARIANT, COMPARED, &row, text(after, &["id"]))?;
            let other = other.map(|other| as_product_variant(&other, side == STAGED));
            if let Some(refused) = other.and_then(|other| compared.conflict_error(&other)) {
                return Err(refused);
            }
        }
    }
    Ok(())
}

/// Returns the index rows by which other Variants find the compared values of a Variant.
pub(super) fn rows(variant: &Document, rules: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
    let product = rules.peek_type("product", must_text(variant, &["product", "id"])?)?;
    let Some(product) = product else { return Ok(Vec::new()) };
    let id = must_text(&product, &["productType", "id"])?;
    let Some(product_type) = rules.peek_type("product-type", id)? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for side in BOTH {
        let data = as_product_variant(variant, side == STAGED);
        let compared = ConstrainedValue::from_variant(&product_type, &data)?;
        rows.extend(compared.iter().map(|one| (COMPARED.to_owned(), row(variant, side, one).into())));
    }
    Ok(rows)
}

/// Returns the common row of all Variants that are compared with each other.
fn row(variant: &Document, side: &str, compared: &ConstrainedValue<'_>) -> String {
    let product = text_or_log(variant, &["product", "id"]);
    let what = match compared {
        ConstrainedValue::Same(name, _) => (*name).to_owned(),
        ConstrainedValue::Unique(name, value) => format!("{name}={}", digest(&[(name, value)])),
        // No Attribute has this name.
        ConstrainedValue::Combination(values) => format!("*={}", digest(values)),
    };
    format!("{product}/{side}/{what}")
}

/// Returns a digest that is equal for equal values, in whatever order their members are.
fn digest(values: &[(&str, &Value)]) -> String {
    let mut written = String::new();
    for (name, value) in values {
        written.push_str(name);
        write_in_sequence(&normalize_numbers(value), &mut written);
    }
    let digest = Sha256::digest(written);
    digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

fn write_in_sequence(value: &Value, written: &mut String) {
    match value {
        Value::Object(members) => {
            written.push('{');
            for (name, value) in members.iter().collect::<BTreeMap<_, _>>() {
                written.push_str(&Value::from(name.as_str()).to_string());
                write_in_sequence(value, written);
            }
            written.push('}');
        }
        Value::Array(items) => {
            written.push('[');
            for item in items {
                write_in_sequence(item, written);
                written.push(',');
            }
            written.push(']');
        }
        plain => written.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn the_sequence_of_members_does_not_matter_and_that_of_items_does() {
        let of = |value: Value| digest(&[("name", &value)]);
        assert_eq!(of(json!({"en": "a", "de": "b"})), of(json!({"de": "b", "en": "a"})));
        assert_ne!(of(json!(["a", "b"])), of(json!(["b", "a"])));
        assert_ne!(of(json!("1")), of(json!(1)));
        assert_eq!(of(json!(1.0)), of(json!(1)));
        assert_ne!(of(json!(["a", "b"])), of(json!(["ab"])));
    }
}
