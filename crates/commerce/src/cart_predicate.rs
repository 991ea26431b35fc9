//! The dialect of Cart predicates, e.g. of Shipping Methods: which Carts something applies to.
//!
//! The names are those of the model's shapes, and the rows here.
//!
//! Source: public documentation, "Cart predicate field identifiers", "Line item field identifiers", "Custom line item
//! field identifiers", "Predicate operators"; document A, "Orders, Carts, Shipping" (`store.key`, `origin`).

use crate::predicate::about_carts;
use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use kontor_query::dialect::{Dialect, DialectPredicate};

static CARTS: Dialect = about_carts("predicate");

/// A parsed predicate about Carts.
#[derive(Debug)]
pub(crate) struct CartPredicate(DialectPredicate);

impl CartPredicate {
    /// Reads and checks one.
    ///
    /// # Errors
    /// 400 `SyntaxError` or `SemanticError` that names the place.
    pub(crate) fn read(text: &str, rules: &Rules<'_>) -> ApiResult<Self> {
        CARTS.read(text, rules.model).map(Self)
    }

    /// Whether it matches a calculated Cart. Other documents are read only if it refers to their fields.
    pub(crate) fn matches(&self, cart: &Document, rules: &Rules<'_>) -> ApiResult<bool> {
        self.0.matches(cart, &|type_id, id| rules.peek_type(type_id, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;

    #[test]
    fn all_cart_predicate_names_exist_in_the_model() {
        assert_eq!(CARTS.problems(TestShop::new().model()), [""; 0]);
    }

    #[test]
    fn predicates_about_carts_are_admitted() {
        TestShop::new().rules(|rules| {
            for predicate in [
                "true",
                "1=1",
                r#"currency = "EUR" and country in ("DE", "AT")"#,
                r#"totalPrice > "800.00 EUR" and taxedPrice.gross = "200.00 EUR""#,
                r#"customer.email = "john@example.com" and customer.customerGroup.id = "g""#,
                r#"customer.customerGroupAssignments.customerGroup.key contains any ("vip", "staff")"#,
                r#"store.key = "berlin" and origin = "Merchant""#,
                r#"shippingAddress.country = "DE" and shippingInfo.taxRate.country = "DE""#,
                r#"lineItemTotal(true = true) >= "500.00 USD""#,
                r#"lineItemCount(sku = "a" and attributes.color = "red") > 1"#,
                r#"lineItemExists(product.key = "dress") = true"#,
                r#"forAllLineItems(categoriesWithAncestors.key contains "clothes")"#,
                r#"lineItemNetTotal(price.customerGroup.id is defined) > "1.00 EUR""#,
                r#"customLineItemTotal(slug = "wrap" and taxCategory.key = "reduced") < "5.00 EUR""#,
                r#"customer.key = "c" and billingAddress.key = "home""#,
                r#"shippingInfo.taxCategory.key = "t" and shippingInfo.shippingMethod.key = "post""#,
                r#"lineItemExists(productType.key = "p" and supplyChannel.key = "s" and price.channel.key = "c")"#,
                r#"custom.gift = true and shippingInfo.shippingMethodName = "Post""#,
            ] {
                CartPredicate::read(predicate, rules).map(drop).unwrap_or_else(|error| panic!("{predicate}: {error}"));
            }
        });
    }

    #[test]
    fn refuses_unknown_cart_predicate_names() {
        TestShop::new().rules(|rules| {
            let code = |predicate| CartPredicate::read(predicate, rules).unwrap_err().code();
            assert_eq!(code(""), Code::SyntaxError);
            for predicate in
                ["weight > 5", "totalPrice > 5", "lineItemCount(true)", "lineItemTotal(true) > 5"]
            {
                assert_eq!(code(predicate), Code::SemanticError, "{predicate}");
            }
        });
    }
}
