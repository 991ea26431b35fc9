//! The dialect of predicates about Orders: names and functions in addition to the fields of the model.
//!
//! Source: reference type `ApprovalRule` (`predicate`); public documentation, "Predicate operators".

use crate::predicate::{FUNCTIONS, LINE_ITEM, LINE_ITEM_PRICE, NAMED, TAXED_PRICE};
use kontor_query::dialect::{Dialect, DialectRoot, NameMapping};

/// The language of predicates about Orders.
pub(super) static ORDERS: Dialect = Dialect {
    parameter: "predicate",
    about: DialectRoot::Object("Order"),
    names: &[
        NameMapping {
            of: "Order",
            only: false,
            implied: None,
            rows: &[("currency", &["totalPrice.currencyCode"])],
        },
        LINE_ITEM,
        LINE_ITEM_PRICE,
        TAXED_PRICE,
    ],
    id_fields: NAMED,
    functions: FUNCTIONS,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::{ApiResult, Code};
    use kontor_json::json;

    fn admit(predicate: &str) -> ApiResult<()> {
        ORDERS.read(predicate, TestShop::new().model()).map(drop)
    }

    #[test]
    fn all_order_predicate_names_exist_in_the_model() {
        assert_eq!(ORDERS.problems(TestShop::new().model()), [""; 0]);
    }

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
            r#"totalPrice.centAmount = "five""#,
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
            assert!([Code::SyntaxError, Code::SemanticError].contains(&error.code()), "{predicate}");
        }
    }

    #[test]
    fn errors_list_the_admitted_names() {
        let error = admit("totalPrice.amount > 5").unwrap_err();
        assert!(error.message().contains("totalPrice.centAmount"), "{error}");
    }

    /// Two hats and three saws, and a gift wrap.
    fn matches_order(text: &str) -> bool {
        let euros = |cents: i64| json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": cents, "fractionDigits": 2});
        let line = |product: &str, quantity: i64, cents: i64, more: kontor_json::Value| {
            let mut line = object(json!({
                "id": product, "productId": product, "quantity": quantity, "price": {"id": "x", "value": euros(cents)},
                "productType": {"typeId": "product-type", "id": "t"}, "totalPrice": euros(quantity * cents),
                "variant": {"id": 1, "sku": format!("{product}-1"), "attributes": [{"name": "color", "value": "red"}]},
            }));
            line.extend(object(more));
            line
        };
        let order = object(json!({
            "id": "o", "customerId": "c", "totalPrice": euros(5000), "orderState": "Open", "country": "DE",
            "createdAt": "2027-01-31T12:00:00.000Z", "taxedPrice": {"totalNet": euros(4200), "totalGross": euros(5000)},
            "store": {"typeId": "store", "key": "berlin"}, "shippingAddress": {"country": "DE", "city": "Berlin"},
            "lineItems": [line("hat", 2, 1000, json!({"custom": {"fields": {"engraved": true}}})), line("saw", 3, 900, json!({}))],
            "customLineItems": [{"id": "w", "slug": "wrap", "quantity": 1, "totalPrice": euros(300)}],
            "shippingInfo": {"shippingMethodName": "Post", "price": euros(0)},
            "custom": {"type": {"typeId": "type", "id": "t"}, "fields": {"costCenter": "4711"}},
        }));
        let category = |id: &str| json!({"typeId": "category", "id": id});
        let shop = TestShop::new()
            .with_document("customer", json!({"id": "c", "email": "a@example.com", "customerGroup": {"typeId": "customer-group", "id": "g"},
                "customerGroupAssignments": [{"customerGroup": {"typeId": "customer-group", "id": "g"}}]}))
            .with_document("customer-group", json!({"id": "g", "key": "staff"}))
            .with_document("product-type", json!({"id": "t", "key": "tools"}))
            .with_document("product", json!({"id": "hat", "key": "the-hat", "masterData": {"current": {"categories": [category("hats")]}}}))
            .with_document("product", json!({"id": "saw", "key": "the-saw", "masterData": {"current": {"categories": []}}}))
            .with_document("category", json!({"id": "hats", "key": "hats", "ancestors": [category("clothes")]}))
            .with_document("category", json!({"id": "clothes", "key": "clothes", "ancestors": []}));
        let rule = ORDERS.read(text, shop.model()).unwrap_or_else(|error| panic!("{text}: {error}"));
        shop.rules(|rules| rule.matches(&order, &|type_id, id| rules.peek_type(type_id, id)).unwrap())
    }

    #[test]
    fn predicates_match_fields_of_an_order() {
        for (text, expected) in [
            ("1 = 1 and true", true),
            (r#"totalPrice >= "50.00 EUR" and currency = "EUR" and totalPrice.centAmount = 5000"#, true),
            (r#"totalPrice > "10.00 USD""#, false),
            (r#"taxedPrice.net = "42 EUR" and taxedPrice.totalGross.centAmount > 4200"#, true),
            (r#"store.key in ("berlin", "paris") and shippingAddress.city != "Paris""#, true),
            (r#"createdAt > "2027-01-31T12:30:00+01:00" and billingAddress is not defined"#, true),
            (r#"customer.email = "a@example.com" and customer.customerGroup.key = "staff""#, true),
            (r#"customer.customerGroupAssignments.customerGroup.key contains any ("staff", "vip")"#, true),
            (r#"customer.id = "c" and customer.firstName is defined"#, false),
            (r#"lineItems.sku = ("saw-1", "hat-1") and lineItems.product.key contains "the-saw""#, true),
            (r#"lineItems.sku = "saw-1""#, false),
            (r#"custom.costCenter = "4711" and custom.other is empty"#, true),
        ] {
            assert_eq!(matches_order(text), expected, "{text}");
        }
    }

    #[test]
    fn functions_are_about_the_elements_that_meet_a_condition() {
        for (text, expected) in [
            (r#"lineItemExists(sku = "hat-1" and quantity = 2)"#, true),
            (r#"lineItemExists(sku = "hat-1" and quantity = 3) = true"#, false),
            (r#"lineItemExists(sku = "boot-1") != true"#, true),
            (r#"forAllLineItems(attributes.color = "red" and productType.key = "tools")"#, true),
            (r#"forAllLineItems(price > "9.50 EUR") = false"#, true),
            ("lineItemCount(1 = 1) = 5 and lineItemCount(custom.engraved = true) = 2", true),
            (r#"lineItemCount(categoriesWithAncestors.key contains "clothes") = 2"#, true),
            (r#"lineItemCount(categories.key contains "clothes") > 0"#, false),
            (r#"lineItemTotal(product.key = "the-saw") = "27.00 EUR""#, true),
            (r#"lineItemTotal(true) > "47.00 EUR" or lineItemTotal(true) != "47 EUR""#, false),
            // An empty sum equals no amount of any currency, and is less than a positive one.
            (r#"lineItemTotal(sku = "boot-1") = "0 USD" and lineItemTotal(sku = "boot-1") < "1 EUR""#, true),
            (r#"lineItemTotal(true) < "100 USD""#, false),
            (r#"customLineItemTotal(slug = "wrap") = "3.00 EUR" and customLineItemCount(true) < 2"#, true),
            (
                r#"shippingInfoExists(shippingMethodName = "Post") and forAllShippingInfos(price = "0 EUR")"#,
                true,
            ),
        ] {
            assert_eq!(matches_order(text), expected, "{text}");
        }
    }
}
