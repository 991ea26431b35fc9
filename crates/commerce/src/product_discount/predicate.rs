//! The predicate of a Product Discount: which names it may use, and whether it holds of a price.
//!
//! Source: public documentation, "Discount predicates", "ProductDiscount predicate field identifiers".

use crate::price::read_money;
use iso_currency::Currency;
use kontor_engine::document::{reference, text};
use kontor_errors::{ApiError, ApiResult};
use kontor_query::{Comparison, Expression, Literal, Name, Number, Operand, Predicate, Test, Values};
use rust_decimal::Decimal;
use serde_json::Value;
use std::cmp::Ordering;

/// What stands in messages for the place of the predicate.
const PARAMETER: &str = "predicate";

/// Names of fields with the kind of their values, and the kind of resource that they name by id.
const FIELDS: &[(&str, Kind, Option<&str>)] = &[
    ("product.id", Kind::Text, Some("product")),
    ("product.key", Kind::Text, None),
    ("productType.id", Kind::Text, Some("product-type")),
    ("productType.key", Kind::Text, None),
    ("variant.id", Kind::Number, None),
    ("variantId", Kind::Number, None),
    ("variant.key", Kind::Text, None),
    ("sku", Kind::Text, None),
    ("categories.id", Kind::Text, Some("category")),
    ("categories.key", Kind::Text, None),
    ("categoriesWithAncestors.id", Kind::Text, Some("category")),
    ("categoriesWithAncestors.key", Kind::Text, None),
];

/// Names of what belongs to the price; `price.` may stand before them.
const PRICE_FIELDS: &[(&str, Kind, Option<&str>)] = &[
    ("amount", Kind::Money, None),
    ("centAmount", Kind::Number, None),
    ("currency", Kind::Text, None),
    ("country", Kind::Text, None),
    ("customerGroup.id", Kind::Text, Some("customer-group")),
    ("customerGroup.key", Kind::Text, None),
    ("channel.id", Kind::Text, Some("channel")),
    ("channel.key", Kind::Text, None),
    ("key", Kind::Text, None),
    ("id", Kind::Text, None),
    ("validFrom", Kind::Text, None),
    ("validUntil", Kind::Text, None),
];

/// What a field may be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// An amount as text: `"10.50 EUR"`.
    Money,
    /// Whatever it holds.
    Any,
}

/// What a predicate is asked about.
pub(super) trait Subject {
    /// The value of a known field, by its name without a `price.` before it; `price` itself is `amount`. Of
    /// `attributes.` and `custom.` the name goes on as the predicate says.
    fn field(&self, name: &str) -> ApiResult<Option<Value>>;
}

/// Reads the predicate of a Product Discount.
///
/// 400 `InvalidInput`: it cannot be read, names a field that there is none of, or compares one with a value
/// of another kind.
pub(super) fn parse(predicate: &str) -> ApiResult<Predicate> {
    let predicate = Predicate::parse_dotted(predicate, PARAMETER)?;
    visit(predicate.expression(), &mut |name, test| admit(name, test))?;
    Ok(predicate)
}

/// References to what a predicate names by id, each once.
pub(super) fn references(predicate: &Predicate) -> Vec<Value> {
    let mut found = Vec::new();
    let collected = visit(predicate.expression(), &mut |name, test| {
        if let Some((_, _, Some(type_id))) = known(own_name(&name.text)) {
            for operand in operands(test) {
                if let Literal::Text(id) = &operand.value {
                    let reference = reference(type_id, id);
                    if !found.contains(&reference) {
                        found.push(reference);
                    }
                }
            }
        }
        Ok(())
    });
    // Nothing above refuses.
    collected.map(|()| found).unwrap_or_default()
}

/// Whether a predicate that was read by [`parse`] holds of a subject.
pub(super) fn holds(predicate: &Predicate, subject: &dyn Subject) -> ApiResult<bool> {
    expression_holds(predicate.expression(), subject)
}

/// Goes through the tests of a predicate.
pub(crate) fn visit(
    expression: &Expression,
    each: &mut dyn FnMut(&Name, &Test) -> ApiResult<()>,
) -> ApiResult<()> {
    match expression {
        Expression::All(members) | Expression::Any(members) => {
            members.iter().try_for_each(|member| visit(member, each))
        }
        Expression::Not(inner) => visit(inner, each),
        Expression::Constant(_) => Ok(()),
        Expression::Field(name, test) => each(name, test),
    }
}

/// A name without the `price.` that may stand before it.
fn own_name(name: &str) -> &str {
    if name == "price" { "amount" } else { name.strip_prefix("price.").unwrap_or(name) }
}

fn known(name: &str) -> Option<(&str, Kind, Option<&'static str>)> {
    let open = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty());
    if open("attributes.") || open("custom.") {
        return Some((name, Kind::Any, None));
    }
    FIELDS.iter().chain(PRICE_FIELDS).find(|(field, ..)| *field == name).copied()
}

fn admit(name: &Name, test: &Test) -> ApiResult<()> {
    let refuse = |sentence: String| {
        Err(ApiError::invalid_input(format!("Malformed parameter: {PARAMETER}: {sentence}")))
    };
    let found = known(own_name(&name.text)).filter(|_| {
        name.text == own_name(&name.text) || !FIELDS.iter().any(|(f, ..)| *f == own_name(&name.text))
    });
    let Some((_, kind, _)) = found else {
        let mut names: Vec<&str> = FIELDS.iter().chain(PRICE_FIELDS).map(|(field, ..)| *field).collect();
        names.push("attributes.<name>");
        return refuse(format!(
            "The field '{}' does not exist; expected one of {}.",
            name.text,
            names.join(", ")
        ));
    };
    match test {
        Test::Inside(_)
        | Test::Outcome { .. }
        | Test::WithinCircle(_)
        | Test::Changed { .. }
        | Test::MatchesIgnoreCase(_) => {
            return refuse(format!("The field '{}' does not support the operator.", name.text));
        }
        _ => {}
    }
    for operand in operands(test) {
        let fits = match (&operand.value, kind) {
            (Literal::Variable(_), _) => false,
            (_, Kind::Any) => true,
            (Literal::Text(_), Kind::Text) | (Literal::Number(_), Kind::Number) => true,
            (Literal::Text(text), Kind::Money) => money(text).is_some(),
            _ => false,
        };
        if !fits {
            let expected = match kind {
                Kind::Number => "a number",
                Kind::Money => "an amount with a currency, such as \"10.50 EUR\"",
                Kind::Text | Kind::Any => "a text",
            };
            return refuse(format!(
                "The field '{}' cannot be compared with {operand}; expected {expected}.",
                name.text
            ));
        }
    }
    Ok(())
}

/// What a test compares with.
pub(crate) fn operands(test: &Test) -> &[Operand] {
    match test {
        Test::Compare(_, operand) | Test::MatchesIgnoreCase(operand) => std::slice::from_ref(operand),
        Test::Equals { values, .. } | Test::In { values, .. } | Test::Contains { values, .. } => {
            listed(values)
        }
        _ => &[],
    }
}

fn listed(values: &Values) -> &[Operand] {
    match values {
        Values::Listed(operands) => operands,
        Values::Variable(operand) => std::slice::from_ref(operand),
    }
}

fn expression_holds(expression: &Expression, subject: &dyn Subject) -> ApiResult<bool> {
    match expression {
        Expression::All(members) => {
            for member in members {
                if !expression_holds(member, subject)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Expression::Any(members) => {
            for member in members {
                if expression_holds(member, subject)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Expression::Not(inner) => Ok(!expression_holds(inner, subject)?),
        Expression::Constant(constant) => Ok(*constant),
        Expression::Field(name, test) => {
            let found = subject.field(own_name(&name.text))?.filter(|value| !value.is_null());
            Ok(test_holds(test, found.as_ref()))
        }
    }
}

/// Of a list, `=` asks for all of it, `!=` for none in it; every other comparison for one element.
fn test_holds(test: &Test, found: Option<&Value>) -> bool {
    let elements: &[Value] = match found {
        None => &[],
        Some(Value::Array(items)) => items,
        Some(value) => std::slice::from_ref(value),
    };
    let has = |operand: &Operand| elements.iter().any(|element| is(element, &operand.value));
    let all_of = |operands: &[Operand]| {
        !elements.is_empty()
            && operands.iter().all(has)
            && elements.iter().all(|element| operands.iter().any(|operand| is(element, &operand.value)))
    };
    match test {
        Test::Compare(Comparison::Equal, operand) => all_of(std::slice::from_ref(operand)),
        Test::Compare(Comparison::NotEqual, operand) => !has(operand),
        Test::Compare(comparison, operand) => {
            elements.iter().any(|element| in_range(element, *comparison, &operand.value))
        }
        Test::Equals { negated: false, values } => all_of(listed(values)),
        Test::Equals { negated: true, values } => !listed(values).iter().any(has),
        Test::In { negated, values } => listed(values).iter().any(has) != *negated,
        Test::Contains { all: true, values } => listed(values).iter().all(has),
        Test::Contains { all: false, values } => listed(values).iter().any(has),
        Test::Defined { negated } => found.is_some() != *negated,
        Test::Empty { negated } => elements.is_empty() != *negated,
        // Refused when the predicate was read.
        Test::Inside(_)
        | Test::Outcome { .. }
        | Test::WithinCircle(_)
        | Test::Changed { .. }
        | Test::MatchesIgnoreCase(_) => false,
    }
}

fn is(value: &Value, literal: &Literal) -> bool {
    compare(value, literal) == Some(Ordering::Equal)
}

fn in_range(value: &Value, comparison: Comparison, literal: &Literal) -> bool {
    let Some(ordering) = compare(value, literal) else { return false };
    match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::LessOrEqual => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::GreaterOrEqual => ordering.is_ge(),
    }
}

/// Compares what a field holds with what the predicate says. Enum values go by their key, references by their
/// id, amounts by `"10.50 EUR"`.
fn compare(value: &Value, literal: &Literal) -> Option<Ordering> {
    match (value, literal) {
        (Value::String(value), Literal::Text(text)) => Some(value.as_str().cmp(text)),
        (Value::Bool(value), Literal::Boolean(flag)) => Some(value.cmp(flag)),
        (Value::Number(value), Literal::Number(number)) => {
            let value = match value.as_i64() {
                Some(whole) => Number::from(whole),
                None => Number::from_decimal(value.as_f64()?)?,
            };
            Some(value.cmp(number))
        }
        (Value::Object(object), Literal::Text(sent)) if object.contains_key("currencyCode") => {
            let own = read_money(object, "").ok()?;
            let (amount, currency) = money(sent)?;
            let cents = amount.checked_mul(Decimal::from(
                10_i64.checked_pow(u32::from(currency.exponent().unwrap_or(0)))?,
            ))?;
            (own.currency() == currency).then(|| own.exact_cents().cmp(&cents))
        }
        (Value::Object(object), Literal::Text(sent)) => {
            let name = text(object, &["key"]).or_else(|| text(object, &["id"]))?;
            Some(name.cmp(sent))
        }
        _ => None,
    }
}

/// An amount as predicates write it: `10.50 EUR`.
pub(crate) fn money(text: &str) -> Option<(Decimal, Currency)> {
    let (amount, currency) = text.trim().split_once(' ')?;
    Some((amount.parse().ok()?, Currency::from_code(currency.trim())?))
}

/// The value at a path below a stored value, through lists: all that is found.
pub(super) fn below(value: &Value, path: &[&str]) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else { return Some(value.clone()) };
    match value {
        Value::Object(object) => below(object.get(*first)?, rest),
        Value::Array(items) => {
            let found: Vec<Value> = items.iter().filter_map(|item| below(item, path)).collect();
            (!found.is_empty()).then_some(Value::Array(found))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Fields(Value);

    impl Subject for Fields {
        fn field(&self, name: &str) -> ApiResult<Option<Value>> {
            if let Some(path) = name.strip_prefix("attributes.") {
                return Ok(below(&self.0["attributes"], &path.split('.').collect::<Vec<_>>()));
            }
            Ok(self.0.get(name).cloned())
        }
    }

    fn boots() -> Fields {
        Fields(json!({
            "sku": "boots-42", "variant.id": 1, "product.id": "p1", "productType.key": "shoes",
            "categories.id": ["a", "b"], "categories.key": ["boots"],
            "amount": {"type": "centPrecision", "currencyCode": "EUR", "centAmount": 8990, "fractionDigits": 2},
            "centAmount": 8990, "currency": "EUR",
            "attributes": {
                "size": {"key": "L", "label": "Large"}, "available": true, "weight": 0.9,
                "colors": [{"key": "black", "label": "Black"}, {"key": "white", "label": "White"}],
                "name": {"en": "Boots", "de": "Stiefel"},
                "deposit": {"currencyCode": "EUR", "centAmount": 1000},
                "maker": {"typeId": "category", "id": "m"},
            },
        }))
    }

    fn holds_of_boots(text: &str) -> bool {
        holds(&parse(text).unwrap_or_else(|error| panic!("{text}: {error}")), &boots()).unwrap()
    }

    #[test]
    fn what_the_documentation_shows_holds_as_it_says() {
        for (text, expected) in [
            ("1 = 1", true),
            ("1 = 0", false),
            (r#"sku = "boots-42""#, true),
            (r#"sku in ("a", "boots-42")"#, true),
            (r#"product.id = "p1" and variant.id = 1"#, true),
            (r#"productType.key = "shoes" and variantId > 1"#, false),
            // In this category and no other; in it; in all; in one; in both and no others; in none.
            (r#"categories.id = "a""#, false),
            (r#"categories.id contains "a""#, true),
            (r#"categories.id contains all ("a", "c")"#, false),
            (r#"categories.id contains any ("a", "c")"#, true),
            (r#"categories.id = ("b", "a")"#, true),
            (r#"categories.id = ("a", "b", "c")"#, false),
            (r#"categories.id != ("a")"#, false),
            (r#"categories.id != ("c")"#, true),
            (r#"categories.key = "boots""#, true),
            (
                r#"centAmount > 1200 and currency = "EUR" and country != "FR" and customerGroup.id is not defined"#,
                true,
            ),
            (r#"price > "89 EUR" and price.amount <= "89.90 EUR""#, true),
            (r#"price > "10 USD""#, false),
            (r#"attributes.size = "L" and attributes.colors contains all ("black", "white")"#, true),
            (r#"attributes.colors = "black""#, false),
            ("attributes.available = true and attributes.weight < 1", true),
            (r#"attributes.name.de = "Stiefel""#, true),
            (r#"attributes.deposit = "10.00 EUR" and attributes.deposit.centAmount >= 1000"#, true),
            (r#"attributes.maker = "m" or attributes.maker.id = "x""#, true),
            ("attributes.unknown is defined", false),
            ("attributes.unknown is empty", true),
            (r#"not(attributes.unknown = "x")"#, true),
        ] {
            assert_eq!(holds_of_boots(text), expected, "{text}");
        }
    }

    #[test]
    fn unknown_fields_and_values_of_another_kind_are_refused() {
        for text in [
            r#"name = "x""#,
            r#"price.sku = "x""#,
            "sku = 5",
            r#"variant.id = "1""#,
            r#"price > "ten euros""#,
            "attributes. = 1",
            "sku = :sku",
            r#"categories(id = "a")"#,
            r#"sku matches ignore case "a""#,
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.code(), kontor_errors::Code::InvalidInput, "{text}");
        }
    }

    #[test]
    fn what_is_named_by_id_is_a_reference_each_once() {
        let predicate = parse(
            r#"categories.id contains any ("a", "b") or product.id = "p" or categories.id = "a" or sku = "s" or price.channel.id = "c""#,
        );
        assert_eq!(
            references(&predicate.unwrap()),
            [
                reference("category", "a"),
                reference("category", "b"),
                reference("product", "p"),
                reference("channel", "c")
            ]
        );
    }
}
