use super::*;
use crate::test_shop::{TestShop, object};
use proptest::prelude::*;

#[test]
fn a_request_is_evaluated_after_the_start_of_its_epoch() {
    let now: Timestamp = "2027-01-31T12:00:00Z".parse().unwrap();
    let since = |since: &str| evaluation_time(&object(json!({"since": since})), now).to_string();
    assert_eq!(since("2027-01-31T12:00:01.000Z"), "2027-01-31T12:00:01Z");
    assert_eq!(since("2027-01-31T11:00:00.000Z"), "2027-01-31T12:00:00Z");
    // A clock that was put back.
    assert_eq!(since("2027-03-31T11:00:00.000Z"), "2027-01-31T12:00:00Z");
    assert_eq!(evaluation_time(&Document::new(), now), now);
}

fn discount(id: &str, sort_order: &str, value: Value, predicate: &str) -> Value {
    json!({
        "id": id, "version": 1, "name": {"en": id}, "sortOrder": sort_order, "isActive": true, "references": [],
        "value": value, "predicate": predicate,
    })
}

fn relative(permyriad: i64) -> Value {
    json!({"type": "relative", "permyriad": permyriad})
}

/// Returns the reduced price for a price of `value`, and the discount that applies.
fn reduced(discounts: &[Value], value: Value, more: Value) -> Option<(Value, String)> {
    let discounts: Vec<Document> = discounts.iter().cloned().map(object).collect();
    let now = "2027-01-31T12:00:00Z".parse().unwrap();
    let active = ActiveProductDiscounts::from_documents(discounts.iter(), TestShop::new().model()).unwrap();
    let discounts = ValidProductDiscounts { active: Arc::new(active), at: now };
    let product = object(json!({"id": "p", "productType": {"typeId": "product-type", "id": "t"}}));
    let data = object(json!({"categories": [{"typeId": "category", "id": "boots"}], "attributes": []}));
    let variant = object(json!({"id": 1, "sku": "boots-42", "attributes": [{"name": "size", "value": "L"}]}));
    let mut price = object(json!({"id": "x", "value": value}));
    price.extend(object(more));
    let shop = TestShop::new()
        .with_document("product-type", json!({"id": "t", "key": "shoes"}))
        .with_document(
            "category",
            json!({"id": "boots", "key": "boots", "ancestors": [{"typeId": "category", "id": "shoes"}]}),
        )
        .with_document("category", json!({"id": "shoes", "key": "all-shoes", "ancestors": []}));
    let found = shop.rules(|rules| {
        let priced = PriceInContext {
            product: &product,
            data: &data,
            variant: &variant,
            price: &price,
            look_up: rules,
        };
        discounts.discounted_value(&priced).unwrap()
    })?;
    Some((found["value"].clone(), found["discount"]["id"].as_str().unwrap().to_owned()))
}

fn euros(cents: i64) -> Value {
    json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": cents, "fractionDigits": 2})
}

#[test]
fn the_highest_sort_order_that_matches_counts() {
    let all = [
        discount("low", "0.1", relative(5000), "1 = 1"),
        discount("high", "0.9", relative(1000), r#"sku = "boots-42""#),
        discount("highest", "0.95", relative(9000), r#"sku = "other""#),
    ];
    assert_eq!(reduced(&all, euros(1000), json!({})), Some((euros(900), "high".into())));
    // A discount without an amount in the currency leaves the price to the next one.
    let all = [
        discount(
            "dollars",
            "0.9",
            json!({"type": "absolute", "money": [{"currencyCode": "USD", "centAmount": 1}]}),
            "1 = 1",
        ),
        all[0].clone(),
    ];
    assert_eq!(reduced(&all, euros(1000), json!({})), Some((euros(500), "low".into())));
}

#[test]
fn predicates_find_keys_and_ancestors() {
    for (predicate, expected) in [
        (r#"productType.key = "shoes""#, true),
        (r#"categories.key contains "boots""#, true),
        (r#"categories.key contains "all-shoes""#, false),
        (r#"categoriesWithAncestors.key contains "all-shoes""#, true),
        (r#"categoriesWithAncestors.id contains any ("shoes", "x")"#, true),
        (r#"attributes.size = "L" and variant.id = 1 and price = "10.00 EUR""#, true),
        (r#"channel.key = "shop""#, false),
    ] {
        let found = reduced(&[discount("d", "0.5", relative(1), predicate)], euros(1000), json!({}));
        assert_eq!(found.is_some(), expected, "{predicate}");
    }
}

#[test]
fn a_value_of_an_external_discount_stays_while_it_fits() {
    let set =
        json!({"discounted": {"value": euros(7), "discount": {"typeId": "product-discount", "id": "ext"}}});
    let external = |predicate: &str| discount("ext", "0.1", json!({"type": "external"}), predicate);
    let tenth = discount("tenth", "0.9", relative(1000), "1 = 1");
    let found = reduced(&[external("1 = 1"), tenth.clone()], euros(100), set.clone());
    assert_eq!(found, Some((euros(7), "ext".into())));
    let found = reduced(&[external("1 = 0"), tenth.clone()], euros(100), set.clone());
    assert_eq!(found, Some((euros(90), "tenth".into())));
    assert_eq!(reduced(&[], euros(100), set), None);
    assert_eq!(reduced(&[external("1 = 1")], euros(100), json!({})), None);
}

#[test]
fn an_invalid_stored_predicate_matches_nothing() {
    let old = r#"price.attributes.size = "L""#;
    assert!(PRICES.read(old, TestShop::new().model()).is_err());
    let all = [discount("old", "0.9", relative(5000), old), discount("low", "0.1", relative(1000), "1 = 1")];
    assert_eq!(reduced(&all, euros(1000), json!({})), Some((euros(900), "low".into())));
    let documents: Vec<Document> = all.into_iter().map(object).collect();
    let active = ActiveProductDiscounts::from_documents(documents.iter(), TestShop::new().model()).unwrap();
    assert_eq!(active.unreadable().collect::<Vec<_>>(), ["old"]);
}

#[test]
fn only_active_and_valid_discounts_apply() {
    let mut sleeping = discount("d", "0.5", relative(1), "1 = 1");
    for more in [
        json!({"isActive": false}),
        json!({"isActive": true, "validFrom": "2027-02-01T00:00:00.000Z"}),
        json!({"validFrom": "2026-01-01T00:00:00.000Z", "validUntil": "2027-01-31T12:00:00.000Z"}),
    ] {
        sleeping.as_object_mut().unwrap().extend(object(more));
        assert_eq!(reduced(&[sleeping.clone()], euros(100), json!({})), None);
    }
}

/// A random discount of the property test below, with the expected effect.
#[derive(Debug, Clone)]
struct RandomProductDiscount {
    sort_order: u32,
    is_on: bool,
    /// A predicate, and whether it matches the price.
    predicate: (&'static str, bool),
    /// In thousandths of the price, so that nothing is rounded; else a currency with cents.
    value: Result<i64, (&'static str, i64)>,
}

impl RandomProductDiscount {
    fn document(&self) -> Value {
        let value = match self.value {
            Ok(thousandths) => relative(thousandths * 10),
            Err((currency, cents)) => {
                json!({"type": "absolute", "money": [{"currencyCode": currency, "centAmount": cents}]})
            }
        };
        let id = format!("d{}", self.sort_order);
        let mut document = discount(&id, &format!("0.{:03}", self.sort_order), value, self.predicate.0);
        if !self.is_on {
            document["validUntil"] = json!("2027-01-31T12:00:00.000Z");
        }
        document
    }

    fn simple_discounted_cents(&self, cents: i64) -> Option<i64> {
        match self.value {
            Ok(thousandths) => Some(cents - cents / 1000 * thousandths),
            Err(("EUR", off)) => Some((cents - off).max(0)),
            Err(_) => None,
        }
    }
}

fn any_discount() -> impl Strategy<Value = RandomProductDiscount> {
    let predicate = prop::sample::select(vec![
        ("1 = 1", true),
        ("1 = 0", false),
        (r#"currency = "EUR""#, true),
        (r#"sku = "other""#, false),
        (r#"categories.key contains "boots""#, true),
    ]);
    let value = prop_oneof![
        (0_i64..=1000).prop_map(Ok),
        (prop::sample::select(&["EUR", "USD"][..]), 0_i64..2_000_000).prop_map(Err),
    ];
    (1_u32..999, any::<bool>(), predicate, value).prop_map(|(sort_order, is_on, predicate, value)| {
        RandomProductDiscount { sort_order, is_on, predicate, value }
    })
}

proptest! {
    #[test]
    fn the_discount_is_the_first_by_sort_order_that_has_a_say(
        mut drawn in prop::collection::vec(any_discount(), 0..8),
        thousands in 0_i64..1000,
    ) {
        let cents = thousands * 1000;
        let documents: Vec<Value> = drawn.iter().map(RandomProductDiscount::document).collect();
        drawn.sort_by_key(|drawn| std::cmp::Reverse(drawn.sort_order));
        drawn.dedup_by_key(|drawn| drawn.sort_order);
        prop_assume!(drawn.len() == documents.len());
        let plain = drawn.iter().filter(|drawn| drawn.is_on && drawn.predicate.1).find_map(|drawn| {
            Some((euros(drawn.simple_discounted_cents(cents)?), format!("d{}", drawn.sort_order)))
        });
        prop_assert_eq!(reduced(&documents, euros(cents), json!({})), plain);
    }
}
