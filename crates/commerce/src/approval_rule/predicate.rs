//! Predicates about Orders: which fields they may name, and what each is compared with.
//!
//! Names are those of the reference type `Order`, with dots between them, and those of the Customer as predicates about
//! Carts have them. Source: reference type `ApprovalRule` (`predicate`); public documentation, "Predicate operators".

use crate::product_discount::predicates::{money, operands, visit};
use kontor_errors::{ApiError, ApiResult};
use kontor_query::{Literal, Name, Predicate, Test};

/// What stands in messages for the place of the predicate.
const PARAMETER: &str = "predicate";

/// What a field is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    /// An amount as text: `"10.50 EUR"`. Below it are `centAmount`, `currencyCode` and `fractionDigits`.
    Money,
    /// A reference: below it is `id`.
    Reference,
    /// A reference by key: below it is `key`.
    KeyReference,
    /// An address, with the fields of one.
    Address,
    /// Whatever somebody has put in: custom fields, Attributes, localized texts. Below it are free names.
    Open,
    /// What a line item is.
    LineItem,
    CustomLineItem,
    Customer,
    /// A tax: amounts.
    Taxed,
    Shipping,
}

use Kind::{
    Address, CustomLineItem, Customer, Flag, KeyReference, LineItem, Money, Number, Open, Reference,
    Shipping, Taxed, Text,
};

const ORDER: &[(&str, Kind)] = &[
    ("id", Text),
    ("version", Number),
    ("createdAt", Text),
    ("lastModifiedAt", Text),
    ("completedAt", Text),
    ("orderNumber", Text),
    ("purchaseOrderNumber", Text),
    ("customer", Customer),
    ("customerId", Text),
    ("customerEmail", Text),
    ("customerGroup", Reference),
    ("anonymousId", Text),
    ("businessUnit", KeyReference),
    ("store", KeyReference),
    ("lineItems", LineItem),
    ("customLineItems", CustomLineItem),
    ("totalPrice", Money),
    ("currency", Text),
    ("taxedPrice", Taxed),
    ("taxedShippingPrice", Taxed),
    ("priceRoundingMode", Text),
    ("taxMode", Text),
    ("taxRoundingMode", Text),
    ("taxCalculationMode", Text),
    ("inventoryMode", Text),
    ("billingAddress", Address),
    ("shippingAddress", Address),
    ("itemShippingAddresses", Address),
    ("shippingMode", Text),
    ("shippingKey", Text),
    ("shippingInfo", Shipping),
    ("country", Text),
    ("locale", Text),
    ("origin", Text),
    ("cart", Reference),
    ("quote", Reference),
    ("recurringOrder", Reference),
    ("refusedGifts", Reference),
    ("orderState", Text),
    ("shipmentState", Text),
    ("paymentState", Text),
    ("state", Reference),
    ("custom", Open),
];

const LINE_ITEM: &[(&str, Kind)] = &[
    ("id", Text),
    ("key", Text),
    ("productId", Text),
    ("productKey", Text),
    ("name", Open),
    ("productSlug", Open),
    ("productType", Reference),
    ("productType.key", Text),
    ("product.id", Text),
    ("product.key", Text),
    ("categories.id", Text),
    ("categories.key", Text),
    ("categoriesWithAncestors.id", Text),
    ("categoriesWithAncestors.key", Text),
    ("variant.id", Number),
    ("variant.sku", Text),
    ("variant.key", Text),
    ("sku", Text),
    ("attributes", Open),
    ("price", Money),
    ("quantity", Number),
    ("totalPrice", Money),
    ("supplyChannel", Reference),
    ("distributionChannel", Reference),
    ("priceMode", Text),
    ("lineItemMode", Text),
    ("inventoryMode", Text),
    ("addedAt", Text),
    ("custom", Open),
];

const CUSTOM_LINE_ITEM: &[(&str, Kind)] = &[
    ("id", Text),
    ("key", Text),
    ("name", Open),
    ("money", Money),
    ("totalPrice", Money),
    ("slug", Text),
    ("quantity", Number),
    ("taxCategory", Reference),
    ("priceMode", Text),
    ("custom", Open),
];

const CUSTOMER: &[(&str, Kind)] = &[
    ("id", Text),
    ("key", Text),
    ("customerNumber", Text),
    ("externalId", Text),
    ("email", Text),
    ("firstName", Text),
    ("lastName", Text),
    ("middleName", Text),
    ("title", Text),
    ("dateOfBirth", Text),
    ("companyName", Text),
    ("vatId", Text),
    ("isEmailVerified", Flag),
    ("customerGroup.id", Text),
    ("customerGroup.key", Text),
    ("locale", Text),
    ("salutation", Text),
    ("custom", Open),
];

const TAXED: &[(&str, Kind)] =
    &[("totalNet", Money), ("totalGross", Money), ("totalTax", Money), ("net", Money), ("gross", Money)];

const SHIPPING: &[(&str, Kind)] = &[
    ("shippingMethodName", Text),
    ("price", Money),
    ("shippingMethod", Reference),
    ("taxCategory", Reference),
    ("shippingMethodState", Text),
];

const ADDRESS: &[(&str, Kind)] = &[
    ("id", Text),
    ("key", Text),
    ("country", Text),
    ("title", Text),
    ("salutation", Text),
    ("firstName", Text),
    ("lastName", Text),
    ("streetName", Text),
    ("streetNumber", Text),
    ("additionalStreetInfo", Text),
    ("postalCode", Text),
    ("city", Text),
    ("region", Text),
    ("state", Text),
    ("company", Text),
    ("department", Text),
    ("building", Text),
    ("apartment", Text),
    ("pOBox", Text),
    ("phone", Text),
    ("mobile", Text),
    ("email", Text),
    ("fax", Text),
    ("additionalAddressInfo", Text),
    ("externalId", Text),
    ("custom", Open),
];

const AMOUNT: &[(&str, Kind)] = &[("centAmount", Number), ("currencyCode", Text), ("fractionDigits", Number)];

/// Functions of predicates about Carts: of which elements, and what each gives.
const FUNCTIONS: &[(&str, Kind, Kind)] = &[
    ("lineItemExists", LineItem, Flag),
    ("forAllLineItems", LineItem, Flag),
    ("lineItemCount", LineItem, Number),
    ("lineItemTotal", LineItem, Money),
    ("lineItemNetTotal", LineItem, Money),
    ("lineItemGrossTotal", LineItem, Money),
    ("customLineItemExists", CustomLineItem, Flag),
    ("forAllCustomLineItems", CustomLineItem, Flag),
    ("customLineItemCount", CustomLineItem, Number),
    ("customLineItemTotal", CustomLineItem, Money),
    ("customLineItemNetTotal", CustomLineItem, Money),
    ("customLineItemGrossTotal", CustomLineItem, Money),
    ("shippingInfoExists", Shipping, Flag),
    ("forAllShippingInfos", Shipping, Flag),
];

impl Kind {
    /// The fields below.
    fn fields(self) -> &'static [(&'static str, Kind)] {
        match self {
            Money => AMOUNT,
            Reference => &[("id", Text)],
            KeyReference => &[("key", Text)],
            Address => ADDRESS,
            LineItem => LINE_ITEM,
            CustomLineItem => CUSTOM_LINE_ITEM,
            Customer => CUSTOMER,
            Taxed => TAXED,
            Shipping => SHIPPING,
            Text | Number | Flag | Open => &[],
        }
    }

    /// What it is compared with, for people; `None` for what is only a holder of other fields.
    fn expected(self) -> Option<&'static str> {
        match self {
            Text => Some("a text"),
            Number => Some("a number"),
            Flag => Some("true or false"),
            Money => Some("an amount with a currency, such as \"10.50 EUR\""),
            Open => Some("a value"),
            _ => None,
        }
    }

    /// Whether it can be compared with a value.
    fn takes(self, value: &Literal) -> bool {
        match (value, self) {
            (Literal::Variable(_), _) => false,
            (_, Open) | (Literal::Text(_), Text) | (Literal::Number(_), Number) => true,
            (Literal::Boolean(_), Flag) => true,
            (Literal::Text(text), Money) => money(text).is_some(),
            _ => false,
        }
    }
}

/// Refuses what is no predicate about Orders.
///
/// 400 `InvalidInput`: it cannot be read, names a field that Orders do not have, or compares one with a value of
/// another kind.
pub(super) fn admit(predicate: &str) -> ApiResult<()> {
    let predicate = Predicate::parse_dotted(predicate, PARAMETER)?;
    visit(predicate.expression(), &mut admit_of_order)
}

fn refuse<T>(sentence: String) -> ApiResult<T> {
    Err(ApiError::invalid_input(format!("Malformed parameter: {PARAMETER}: {sentence}")))
}

/// A test of an Order: of a field, or of what a function gives. Functions do not stand inside of each other.
fn admit_of_order(name: &Name, test: &Test) -> ApiResult<()> {
    let (of, outcome) = match test {
        Test::Inside(of) => (of, None),
        Test::Outcome { of, operand, .. } => (of, Some(operand)),
        test => return admit_test(ORDER, name, test),
    };
    let Some((_, elements, gives)) = FUNCTIONS.iter().find(|(function, ..)| *function == name.text) else {
        let names: Vec<&str> = FUNCTIONS.iter().map(|(function, ..)| *function).collect();
        return refuse(format!("'{}' is no function; expected one of {}.", name.text, names.join(", ")));
    };
    match outcome {
        None if *gives == Flag => {}
        Some(operand) if gives.takes(&operand.value) => {}
        outcome => {
            let found = outcome.map_or("nothing".to_owned(), ToString::to_string);
            let expected = gives.expected().unwrap_or("a value");
            return refuse(format!(
                "The outcome of '{}' is compared with {expected}, found {found}.",
                name.text
            ));
        }
    }
    visit(of, &mut |name, test| admit_test(elements.fields(), name, test))
}

fn admit_test(fields: &'static [(&'static str, Kind)], name: &Name, test: &Test) -> ApiResult<()> {
    let kind = match find(fields, &name.text) {
        Ok(kind) => kind,
        Err(expected) => {
            let sentence = format!("The field '{}' does not exist; expected {expected}.", name.text);
            return refuse(sentence);
        }
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
        if !kind.takes(&operand.value) {
            let expected = kind.expected().unwrap_or("one of its fields");
            return refuse(format!(
                "The field '{}' cannot be compared with {operand}; expected {expected}.",
                name.text
            ));
        }
    }
    Ok(())
}

/// What a name stands for; else what could stand in its place.
fn find(fields: &'static [(&'static str, Kind)], name: &str) -> Result<Kind, String> {
    let (mut fields, mut rest, mut before) = (fields, name, String::new());
    loop {
        let found = fields.iter().find_map(|(field, kind)| {
            let after = rest.strip_prefix(field)?;
            if after.is_empty() {
                Some((*field, *kind, ""))
            } else {
                Some((*field, *kind, after.strip_prefix('.')?))
            }
        });
        let names =
            || fields.iter().map(|(field, _)| format!("{before}{field}")).collect::<Vec<_>>().join(", ");
        match found {
            None => return Err(format!("one of {}", names())),
            Some((_, Open, "")) => return Err(format!("'{name}.<name>'")),
            Some((_, Open, _)) => return Ok(Open),
            Some((_, kind, "")) if kind.expected().is_some() => return Ok(kind),
            Some((field, kind, after)) => {
                before = format!("{before}{field}.");
                (fields, rest) = (kind.fields(), after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;

    #[test]
    fn predicates_about_orders_are_admitted() {
        for predicate in [
            "1 = 1",
            "totalPrice.centAmount >= 100000",
            r#"totalPrice > "1000.00 EUR" and totalPrice.currencyCode = "EUR""#,
            r#"taxedPrice.totalGross.centAmount > 100 or taxMode = "External""#,
            r#"store.key in ("berlin", "paris") and businessUnit.key != "acme""#,
            r#"customer.email = "a@example.com" and customer.isEmailVerified = true"#,
            r#"customerGroup.id is defined and not(country = "DE")"#,
            r#"shippingAddress.country = "DE" and shippingAddress.custom.floor > 3"#,
            r#"lineItems.variant.sku contains any ("a", "b") and lineItems.quantity > 10"#,
            r#"lineItems.attributes.color = "red" and customLineItems.slug = "wrap""#,
            r#"custom.costCenter = "4711""#,
            r#"lineItemExists(sku = "a")"#,
            r#"lineItemExists(categories.key contains any ("hats", "caps") and quantity > 2) = true and true"#,
            r#"lineItemCount(product.key = "saw" or attributes.color = "red") >= 2"#,
            r#"lineItemTotal(true) > "100.00 EUR""#,
            r#"forAllLineItems(price.centAmount > 5) = false or customLineItemCount(1 = 1) = 0"#,
            r#"customLineItemExists(slug = "wrap") and shippingInfoExists(shippingMethod.id = "x")"#,
        ] {
            admit(predicate).unwrap_or_else(|error| panic!("{predicate}: {error}"));
        }
    }

    #[test]
    fn unknown_fields_and_values_of_another_kind_are_refused() {
        for predicate in [
            "",
            "totalPrice >",
            "total > 5",
            "totalPrice.amount > 5",
            "totalPrice > 5",
            r#"totalPrice > "ten euros""#,
            r#"totalPrice.centAmount = "5""#,
            "orderNumber = 5",
            r#"store = "berlin""#,
            r#"custom = "x""#,
            r#"customer.isEmailVerified = "yes""#,
            r#"lineItems(quantity > 5)"#,
            "orderNumber = :number",
            "lineItemsquantity = 1",
            r#"lineItemsExist(sku = "a")"#,
            "lineItemExists(orderState = 1)",
            r#"lineItemCount(sku = "a")"#,
            r#"lineItemCount(sku = "a") > "two""#,
            "lineItemTotal(true) > 100",
            r#"lineItemExists(sku = "a") = 1"#,
            "lineItemExists()",
            "lineItemExists",
            r#"lineItemExists(lineItemExists(sku = "a"))"#,
        ] {
            let error = admit(predicate).expect_err(predicate);
            assert_eq!(error.code(), Code::InvalidInput, "{predicate}");
        }
    }

    #[test]
    fn a_refusal_says_what_could_stand_there() {
        let error = admit("totalPrice.amount > 5").unwrap_err();
        assert!(error.message().contains("totalPrice.centAmount"), "{error}");
    }
}
