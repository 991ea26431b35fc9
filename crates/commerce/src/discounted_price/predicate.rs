//! The dialect of predicates of Product Discounts: names of the price, its variant and its Product.
//!
//! Source: public documentation, "Discount predicates", "ProductDiscount predicate field identifiers".

use kontor_query::dialect::{Dialect, DialectRoot, NameMapping, TOP};

/// The parts that a predicate is about.
pub(super) const PRODUCT: &str = "product";
/// The side of the Product.
pub(super) const SIDE: &str = "side";
pub(super) const VARIANT: &str = "variant";
pub(super) const PRICE: &str = "price";

/// The language of predicates of Product Discounts.
pub(crate) static PRICES: Dialect = Dialect {
    parameter: "predicate",
    about: DialectRoot::Parts(&[
        (PRODUCT, "Product"),
        (SIDE, "ProductData"),
        (VARIANT, "ProductVariant"),
        (PRICE, "Price"),
    ]),
    names: &[
        NameMapping {
            of: TOP,
            only: true,
            // The name of the price may be left out.
            implied: Some(PRICE),
            rows: &[
                ("product", &["product"]),
                ("productType", &["product.productType"]),
                ("variant", &["variant"]),
                ("variantId", &["variant.id"]),
                ("sku", &["variant.sku"]),
                ("attributes", &["variant.attributes", "side.attributes"]),
                ("categories", &["side.categories"]),
                ("categoriesWithAncestors", &["side.categories", "side.categories.ancestors"]),
                ("price", &["price"]),
            ],
        },
        NameMapping { of: "Product", only: true, implied: None, rows: &[("id", &["id"]), ("key", &["key"])] },
        NameMapping {
            of: "ProductVariant",
            only: true,
            implied: None,
            rows: &[("id", &["id"]), ("key", &["key"])],
        },
        NameMapping {
            of: "Price",
            only: true,
            implied: None,
            rows: &[
                ("", &["value"]),
                ("amount", &["value"]),
                ("centAmount", &["value.centAmount"]),
                ("currency", &["value.currencyCode"]),
                ("country", &["country"]),
                ("customerGroup", &["customerGroup"]),
                ("channel", &["channel"]),
                ("key", &["key"]),
                ("id", &["id"]),
                ("validFrom", &["validFrom"]),
                ("validUntil", &["validUntil"]),
                ("custom", &["custom"]),
            ],
        },
    ],
    id_fields: &[],
    functions: &[],
};

#[cfg(test)]
mod tests {
    use super::super::PriceInContext;
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_json::json;

    #[test]
    fn all_price_predicate_names_exist_in_the_model() {
        assert_eq!(PRICES.problems(TestShop::new().model()), [""; 0]);
    }

    /// Boots that are in the Categories a and b, of which b has a key.
    fn holds_of_boots(text: &str) -> bool {
        let shop = TestShop::new()
            .with_document("product-type", json!({"id": "t", "key": "shoes"}))
            .with_document("category", json!({"id": "a", "ancestors": []}))
            .with_document(
                "category",
                json!({"id": "b", "key": "boots", "ancestors": [{"typeId": "category", "id": "top"}]}),
            )
            .with_document("category", json!({"id": "top", "key": "clothes", "ancestors": []}));
        let product = object(json!({"id": "p1", "productType": {"typeId": "product-type", "id": "t"}}));
        let data = object(json!({
            "categories": [{"typeId": "category", "id": "a"}, {"typeId": "category", "id": "b"}],
            "attributes": [{"name": "brand", "value": "Walker"}],
        }));
        let variant = object(json!({"id": 1, "sku": "boots-42", "attributes": [
            {"name": "size", "value": {"key": "L", "label": "Large"}},
            {"name": "available", "value": true},
            {"name": "weight", "value": 0.9},
            {"name": "colors", "value": [{"key": "black", "label": "Black"}, {"key": "white", "label": "White"}]},
            {"name": "name", "value": {"en": "Boots", "de": "Stiefel"}},
            {"name": "deposit", "value": {"currencyCode": "EUR", "centAmount": 1000}},
            {"name": "maker", "value": {"typeId": "category", "id": "m"}},
            {"name": "with-dash", "value": "yes"},
        ]}));
        let price = object(json!({
            "id": "x", "validFrom": "2027-01-31T12:00:00.000Z",
            "value": {"type": "centPrecision", "currencyCode": "EUR", "centAmount": 8990, "fractionDigits": 2},
            "custom": {"type": {"typeId": "type", "id": "t"}, "fields": {"season": "winter"}},
        }));
        let rule = PRICES.read(text, shop.model()).unwrap_or_else(|error| panic!("{text}: {error}"));
        shop.rules(|rules| {
            let priced = PriceInContext {
                product: &product,
                data: &data,
                variant: &variant,
                price: &price,
                look_up: rules,
            };
            priced.matches(&rule).unwrap()
        })
    }

    #[test]
    fn documented_price_predicates_match() {
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
            (r#"attributes.brand = "Walker" and attributes.`with-dash` = "yes""#, true),
            (r#"categoriesWithAncestors.key = ("boots", "clothes")"#, true),
            (r#"categoriesWithAncestors.id contains all ("a", "b", "top")"#, true),
            (r#"categoriesWithAncestors.id = ("a", "b")"#, false),
            (r#"categories.key contains any ("clothes", "hats")"#, false),
            (r#"custom.season = "winter" and price.custom.season in ("winter", "autumn")"#, true),
            (r#"validFrom <= "2027-01-31T13:00:00+01:00" and validUntil is not defined"#, true),
            ("attributes.size is not empty and categories.id is not empty", true),
            ("channel.key is defined or custom.other is not empty", false),
        ] {
            assert_eq!(holds_of_boots(text), expected, "{text}");
        }
    }

    #[test]
    fn unknown_fields_and_values_of_another_kind_are_refused() {
        for text in [
            r#"name = "x""#,
            r#"price.sku = "x""#,
            "product.version = 1",
            r#"productType.name = "x""#,
            r#"price.tiers.value = "1 EUR""#,
            "price.customerGroup = 1",
            "sku = 5",
            r#"price > "ten euros""#,
            "attributes. = 1",
            "sku = :sku",
            r#"categories(id = "a")"#,
            r#"sku matches ignore case "a""#,
        ] {
            let error = PRICES.read(text, TestShop::new().model()).expect_err(text);
            let codes = [kontor_errors::Code::SyntaxError, kontor_errors::Code::SemanticError];
            assert!(codes.contains(&error.code()), "{text}");
        }
    }

    #[test]
    fn referenced_ids_are_listed_once() {
        let text = r#"categories.id contains any ("a", "b") or product.id = "p" or categories.id = "a" or sku = "s" or price.channel.id = "c""#;
        let rule = PRICES.read(text, TestShop::new().model()).unwrap();
        let named = [("category", "a"), ("category", "b"), ("product", "p"), ("channel", "c")];
        assert_eq!(
            rule.referenced_documents(),
            named.map(|(type_id, id)| (type_id.to_owned(), id.to_owned()))
        );
    }
}
