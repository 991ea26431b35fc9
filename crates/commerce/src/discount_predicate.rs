//! The dialects of predicates of Cart Discounts and Discount Codes: which Carts they apply to, and which items they
//! discount.
//!
//! Source: public documentation, "Cart predicate field identifiers", "Line item field identifiers", "Custom line item
//! field identifiers"; reference types `CartDiscountDraft`, `CartDiscountLineItemsTarget`, `CountOnLineItemUnits`.

use crate::predicate::{LINE_ITEM, LINE_ITEM_PRICE, NAMED, TAXED_ITEM_PRICE, about_carts};
use kontor_query::dialect::{Dialect, DialectRoot};

/// Predicates about Carts.
pub(crate) static CARTS: Dialect = about_carts("cartPredicate");

/// Predicates about Line Items.
pub(crate) static LINE_ITEMS: Dialect = Dialect {
    parameter: "predicate",
    about: DialectRoot::Object("LineItem"),
    names: &[LINE_ITEM, LINE_ITEM_PRICE, TAXED_ITEM_PRICE],
    id_fields: NAMED,
    functions: &[],
};

/// Predicates about Custom Line Items.
pub(crate) static CUSTOM_LINE_ITEMS: Dialect = Dialect {
    parameter: "predicate",
    about: DialectRoot::Object("CustomLineItem"),
    names: &[TAXED_ITEM_PRICE],
    id_fields: NAMED,
    functions: &[],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;

    #[test]
    fn all_discount_predicate_names_exist_in_the_model() {
        for dialect in [&CARTS, &LINE_ITEMS, &CUSTOM_LINE_ITEMS] {
            assert_eq!(dialect.problems(TestShop::new().model()), [""; 0]);
        }
    }

    #[test]
    fn documented_discount_predicates_are_admitted() {
        let shop = TestShop::new();
        for (dialect, predicates) in [
            (
                &CARTS,
                &[
                    "true",
                    "1=1",
                    r#"store.key = "berlin" and origin = "Customer""#,
                    r#"customer.customerGroupAssignments.customerGroup.key contains any ("a", "b")"#,
                    r#"lineItemCount(sku = "a") > 2 and totalPrice > "10.00 EUR""#,
                    r#"forAllLineItems(product.key = "a") = true"#,
                    r#"shippingAddress.country = "DE" and custom.gift = true"#,
                ][..],
            ),
            (
                &LINE_ITEMS,
                &[
                    "true",
                    r#"sku = "a" or sku in ("a", "b")"#,
                    r#"product.id = "p" and productType.id = "t""#,
                    r#"categories.id contains "c" and attributes.color = "red""#,
                    r#"categoriesWithAncestors.key contains any ("a", "b")"#,
                    r#"price > "10.00 EUR" and price.discounted is not defined"#,
                    r#"quantity >= 2 and custom.gift = true"#,
                    r#"distributionChannel.id = "c" and price.customerGroup.id is not defined"#,
                    r#"taxRate.includedInPrice = true"#,
                ],
            ),
            (&CUSTOM_LINE_ITEMS, &["true", r#"slug = "wrap" and money > "1.00 EUR""#, "quantity > 1"]),
        ] {
            for predicate in predicates {
                dialect.read(predicate, shop.model()).unwrap_or_else(|error| panic!("{predicate}: {error}"));
            }
        }
    }

    #[test]
    fn fields_used_by_discount_predicates_are_listed() {
        let shop = TestShop::new();
        for (dialect, predicate, expected) in [
            (&CARTS, r#"totalPrice > "10.00 EUR""#, true),
            (&CARTS, r#"country = "DE" or not (taxedPrice.net > "1.00 EUR")"#, true),
            (&CARTS, r#"lineItemTotal(sku = "a") > "10.00 EUR""#, true),
            (&CARTS, r#"lineItemGrossTotal(true) > "10.00 EUR""#, true),
            (&CARTS, r#"lineItemExists(totalPrice > "1.00 EUR") = true"#, true),
            (&CARTS, r#"lineItemCount(price > "1.00 EUR") > 2 and country = "DE""#, false),
            (&CARTS, "true", false),
            (&LINE_ITEMS, r#"sku = "a" and price.discounted is not defined"#, false),
            (&LINE_ITEMS, r#"totalPrice > "1.00 EUR""#, true),
        ] {
            let rule = dialect.read(predicate, shop.model()).unwrap();
            assert_eq!(rule.contains_any_field(&["totalPrice", "taxedPrice"]), expected, "{predicate}");
        }
    }

    #[test]
    fn refuses_unknown_discount_predicate_names() {
        let shop = TestShop::new();
        for (dialect, predicate, code) in [
            (&CARTS, "colour = 1", Code::SemanticError),
            (&LINE_ITEMS, "slug = ", Code::SyntaxError),
            (&CUSTOM_LINE_ITEMS, r#"sku = "a""#, Code::SemanticError),
        ] {
            assert_eq!(dialect.read(predicate, shop.model()).unwrap_err().code(), code);
        }
    }
}
