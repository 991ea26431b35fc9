//! Tax Category: tax rates, one for each place, with valid sub-rates, and a unique name. Start at [`TaxCategory`].
//!
//! Source: reference types `TaxRate`, `TaxRateDraft`, `SubRate`, `TaxCategoryChangeNameAction`,
//! `TaxCategoryReplaceTaxRateAction`.

use kontor_engine::document::{list, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Document, Effects, RefusalReason, Rules, UniqueKey, conversion,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Number, Value, json};
use kontor_model::Location;
use rust_decimal::Decimal;
use std::collections::HashSet;

/// The path of the unique key that a name is.
const NAME: &str = "name";
/// The list of rates.
const RATES: &str = "rates";

pub(crate) struct TaxCategory;

impl Behaviour for TaxCategory {
    fn resource(&self) -> &'static str {
        "TaxCategory"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("replaceTaxRate", replace_tax_rate)]
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let (mut places, mut keys) = (HashSet::new(), HashSet::new());
        for rate in list(after, &[RATES]) {
            if !places.insert((rate.get("country"), rate.get("state"))) {
                return Err(ApiError::duplicate_field("country", country_and_state(rate)));
            }
            if let Some(key) = rate.get("key")
                && !keys.insert(key)
            {
                return Err(ApiError::duplicate_field("rates.key", key.clone()));
            }
        }
        Ok(())
    }

    fn unique_keys(&self, document: &Document) -> Vec<UniqueKey> {
        text(document, &[NAME]).map(|name| UniqueKey::new(NAME, name)).into_iter().collect()
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Duplicate { path: NAME, value, .. } => Some(ApiError::new(
                Code::InvalidOperation,
                format!("A Tax Category with the name '{value}' already exists."),
            )),
            _ => None,
        }
    }
}

/// `replaceTaxRate`: the replacement gets a new id. If it is equal otherwise, the existing rate stays.
fn replace_tax_rate(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let index = identified(context, arguments)?;
    let rules = context.rules;
    let shapes = rules.model.object_by_name("TaxRateDraft").zip(rules.model.object_by_name("TaxRate"));
    let (Some((sent, stored)), Some(Value::Object(draft))) = (shapes, arguments.get("taxRate")) else {
        return Err(ApiError::bug("an action without a tax rate, or a model without its shape"));
    };
    let place = format!("{}.taxRate", context.place);
    let rate = conversion::convert_object(sent, stored, draft.clone(), &place, rules)?;
    let rates = context.document.get_mut(RATES).and_then(Value::as_array_mut);
    let Some(Value::Object(replaced)) = rates.and_then(|rates| rates.get_mut(index)) else {
        return Err(ApiError::bug("the rate that an action found is no object"));
    };
    if without_id(replaced) != without_id(&rate) {
        *replaced = rate;
    }
    Ok(())
}

/// Returns the index of the rate that the arguments identify.
///
/// 400 `InvalidJsonInput`: neither id nor key; `InvalidOperation`: there is no such rate.
fn identified(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<usize> {
    let place = context.place;
    let given = [("taxRateId", "id"), ("taxRateKey", "key")];
    let mut given = given.into_iter().filter_map(|(name, field)| Some((name, field, arguments.get(name)?)));
    let Some((argument, field, wanted)) = given.next() else {
        let message = format!("{place}: one of taxRateId, taxRateKey is required");
        return Err(ApiError::invalid_json(message));
    };
    let found = list(context.document, &[RATES]).iter().position(|rate| rate.get(field) == Some(wanted));
    found.ok_or_else(|| {
        let message = format!("{place}.{argument}: {RATES} has no element with {field} {wanted}.");
        ApiError::invalid_operation(message)
    })
}

/// Returns the fields of a rate that are compared with another one.
fn without_id(rate: &Document) -> Document {
    let mut rate = rate.clone();
    rate.shift_remove("id");
    rate
}

/// Returns country and state of a rate, for the error of a duplicate.
fn country_and_state(rate: &Value) -> Value {
    let mut place = Document::new();
    for name in ["country", "state"] {
        if let Some(value) = rate.get(name) {
            place.insert(name, value.clone());
        }
    }
    Value::Object(place)
}

/// Completes a rate: its amount is the sum of its sub-rates, if it has any; an empty state is dropped.
///
/// `RequiredField`: neither an amount nor sub-rates. `InvalidOperation`: the amount is not the sum. `InvalidField`: the
/// sum exceeds 1.
pub(crate) fn complete_rate(
    rate: &mut Document,
    location: &Location<'_>,
    _rules: &Rules<'_>,
) -> ApiResult<()> {
    complete(rate, &location.to_string())
}

fn complete(rate: &mut Document, place: &str) -> ApiResult<()> {
    if text(rate, &["state"]) == Some("") {
        rate.shift_remove("state");
    }
    let field = if place.is_empty() { "amount".to_owned() } else { format!("{place}.amount") };
    let amount = rate.get("amount").and_then(decimal);
    let sub_rates = list(rate, &["subRates"]);
    if sub_rates.is_empty() {
        return if amount.is_some() { Ok(()) } else { Err(ApiError::required_field(&field)) };
    }
    let sum: Decimal = sub_rates.iter().filter_map(|sub_rate| decimal(&sub_rate["amount"])).sum();
    let sum_number = number(sum)?;
    match amount {
        Some(amount) if amount != sum => Err(ApiError::invalid_operation(format!(
            "{field}: the total of all subRates is {sum_number} and must be equal to the amount, which is {amount}."
        ))),
        _ if sum > Decimal::ONE => Err(ApiError::invalid_field(
            &field,
            &json!(sum_number),
            "The subRates must not be more than 1.",
            None,
        )),
        Some(_) => Ok(()),
        None => {
            // At the position of the field in the model, so that a rate has the same text however it was sent.
            let at = rate.keys().position(|name| name == "includedInPrice").unwrap_or(rate.len());
            rate.shift_insert(at, "amount", Value::Number(sum_number));
            Ok(())
        }
    }
}

/// The exact decimal that a JSON number was written as; sums of floats would be off by a bit.
fn decimal(value: &Value) -> Option<Decimal> {
    let written = value.as_number()?.to_string();
    written.parse().or_else(|_| Decimal::from_scientific(&written)).ok()
}

fn number(decimal: Decimal) -> ApiResult<Number> {
    decimal.normalize().to_string().parse().map_err(|_| ApiError::bug("a decimal that is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};

    fn sub_rates(amounts: &[f64]) -> Value {
        amounts.iter().map(|amount| json!({"name": "x", "amount": amount})).collect()
    }

    fn completed(rate: Value) -> ApiResult<Value> {
        let mut rate = object(rate);
        complete(&mut rate, "rates[0]").map(|()| rate["amount"].clone())
    }

    #[test]
    fn the_amount_is_the_sum_of_the_sub_rates() {
        // As floats these would sum to 0.30000000000000004.
        assert_eq!(completed(json!({"subRates": sub_rates(&[0.1, 0.2])})).unwrap(), json!(0.3));
        assert_eq!(completed(json!({"subRates": sub_rates(&[0.04, 0.045])})).unwrap(), json!(0.085));
        assert_eq!(
            completed(json!({"amount": 0.3, "subRates": sub_rates(&[0.1, 0.2])})).unwrap(),
            json!(0.3)
        );
        assert_eq!(completed(json!({"amount": 0.19, "subRates": []})).unwrap(), json!(0.19));
        assert_eq!(completed(json!({"amount": 1e-7, "subRates": sub_rates(&[1e-7])})).unwrap(), json!(1e-7));
    }

    #[test]
    fn an_amount_that_is_no_sum_or_none_at_all_is_refused() {
        let error = completed(json!({"amount": 0.31, "subRates": sub_rates(&[0.1, 0.2])})).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        assert!(error.message().starts_with("rates[0].amount: "), "{}", error.message());
        let error = completed(json!({"subRates": []})).unwrap_err();
        assert_eq!(error.code(), Code::RequiredField);
        assert_eq!(error.message(), "A value is required for field 'rates[0].amount'.");
        let error = completed(json!({"subRates": sub_rates(&[0.6, 0.6])})).unwrap_err();
        assert_eq!(error.code(), Code::InvalidField);
    }

    #[test]
    fn refuses_duplicate_locations_and_keys_of_rates() {
        let shop = TestShop::new();
        let rate = |key: &str, country: &str, state: Value| json!({"key": key, "name": "x", "amount": 0.1, "includedInPrice": true, "country": country, "state": state});
        let create = |rates: Value| shop.create("tax-category", json!({"name": "Standard", "rates": rates}));
        let rates = json!([
            rate("de", "DE", Value::Null),
            rate("us", "US", json!("")),
            rate("ny", "US", json!("NY"))
        ]);
        let created = create(rates).unwrap();
        assert_eq!(created["rates"][1].get("state"), None, "an empty state is none");
        let error =
            create(json!([rate("one", "US", Value::Null), rate("two", "US", json!(""))])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
        assert_eq!(error.objects()[0].to_json()["duplicateValue"], json!({"country": "US"}));
        let error =
            create(json!([rate("one", "US", Value::Null), rate("one", "DE", Value::Null)])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
        assert_eq!(error.objects()[0].to_json()["duplicateValue"], json!("one"));
        let add = json!([{"action": "addTaxRate", "taxRate": rate("fr", "DE", Value::Null)}]);
        assert_eq!(shop.update("tax-category", &created, add).unwrap_err().code(), Code::DuplicateField);
    }

    #[test]
    fn a_replacing_tax_rate_gets_a_new_id() {
        let shop = TestShop::new();
        let rate = |amount: f64| json!({"key": "de", "name": "x", "amount": amount, "includedInPrice": true, "country": "DE"});
        let mut stored = rate(0.1);
        stored["id"] = json!("before");
        stored["subRates"] = json!([]);
        stored["taxRoundingTarget"] = json!("Net");
        let category = object(json!({"id": "1", "version": 1, "name": "Standard", "rates": [stored]}));
        let replaced = |by: &str, of: Value, rate: Value| {
            let action = json!([{"action": "replaceTaxRate", by: of, "taxRate": rate}]);
            shop.update("tax-category", &category, action).map(|(after, _)| after)
        };
        let after = replaced("taxRateId", json!("before"), rate(0.2)).unwrap();
        assert_eq!(after["rates"][0]["amount"], json!(0.2));
        assert_ne!(after["rates"][0]["id"], json!("before"));
        let after = replaced("taxRateKey", json!("de"), rate(0.1)).unwrap();
        assert_eq!(after["rates"][0]["id"], json!("before"), "what is alike stays");
        let error = replaced("taxRateId", json!("nowhere"), rate(0.2)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        assert_eq!(error.message(), "actions[0].taxRateId: rates has no element with id \"nowhere\".");
        let error = replaced("taxRateKey", Value::Null, rate(0.2)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidJsonInput, "neither id nor key");
    }

    #[test]
    fn a_name_that_another_has_is_an_invalid_operation() {
        let named = object(json!({"name": "Standard"}));
        assert_eq!(TaxCategory.unique_keys(&named), [UniqueKey::new("name", "Standard")]);
        let error = TaxCategory
            .refusal_error(RefusalReason::Duplicate { path: "name", value: "Standard", holder: "other" })
            .unwrap();
        assert_eq!(error.code(), Code::InvalidOperation);
        assert_eq!(error.message(), "A Tax Category with the name 'Standard' already exists.");
        assert_eq!(
            TaxCategory.refusal_error(RefusalReason::Duplicate {
                path: "key",
                value: "standard",
                holder: "other"
            }),
            None
        );
    }
}
