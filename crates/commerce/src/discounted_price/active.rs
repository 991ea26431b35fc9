//! The currently valid Product Discounts, and the best of them for a price. Start at
//! [`ValidProductDiscounts::discounted_value`].
//!
//! Source: reference types `ProductDiscount`, `ProductDiscountValue…`, `DiscountedPrice`.

use super::EPOCH;
use super::predicate::PRICES;
use super::price_in_context::PriceInContext;
use crate::price::{MoneyView, money_document, money_in, validity};
use crate::view::{read, views};
use jiff::Timestamp;
use kontor_engine::document::{reference, text};
use kontor_engine::{DerivationSources, Document, Rules};
use kontor_enums::ProductDiscountValueTag;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Model;
use kontor_pricing::{Permyriad, Reduction, Validity};
use kontor_query::dialect::DialectPredicate;
use rust_decimal::Decimal;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// The name of the cache of all active discounts.
const CACHE_NAME: &str = "product-discounts";
/// Longer than any request, in milliseconds.
const REQUEST_MS_MAX: i64 = 60_000;

/// The Product Discounts that are active and valid at a moment, the highest sort order first.
#[derive(Debug)]
pub(crate) struct ValidProductDiscounts {
    active: Arc<ActiveProductDiscounts>,
    at: Timestamp,
}

/// The Product Discounts with `isActive`, whatever their validity period, the highest sort order first.
#[derive(Debug, Default)]
struct ActiveProductDiscounts(Vec<CompiledProductDiscount>);

#[derive(Debug)]
struct CompiledProductDiscount {
    id: String,
    sort_order: Decimal,
    validity: Validity,
    /// `None`: the stored predicate is no longer valid, so the discount matches nothing.
    predicate: Option<DialectPredicate>,
    value: Reduction,
}

impl CompiledProductDiscount {
    fn matches(&self, priced: &PriceInContext<'_>) -> ApiResult<bool> {
        self.predicate.as_ref().map_or(Ok(false), |predicate| priced.matches(predicate))
    }
}

views! {
    /// The fields of a Product Discount that the price calculation uses.
    struct ProductDiscountView<'d> of "ProductDiscount" {
        id: &'d str,
        sort_order: &'d str,
        is_active: bool,
        #[serde(borrow)]
        valid_from: Option<&'d str>,
        valid_until: Option<&'d str>,
        predicate: &'d str,
        value: ReductionView<'d>,
    }

    /// The value of a Product Discount.
    struct ReductionView<'d>
        of "ProductDiscountValueRelative" | "ProductDiscountValueAbsolute" | "ProductDiscountValueExternal" {
        #[serde(rename = "type")]
        of: ProductDiscountValueTag,
        permyriad: Option<i64>,
        #[serde(borrow)]
        money: Option<Vec<MoneyView<'d>>>,
    }
}

impl ValidProductDiscounts {
    /// Returns the discounts of the shop, for a change in preparation. If a discount changes before the
    /// commit, the change is retried.
    pub(crate) fn now(rules: &Rules<'_>) -> ApiResult<Self> {
        let Some(epoch) = rules.hidden_document(EPOCH, EPOCH)? else {
            // There has never been a discount.
            return Ok(Self { active: Arc::default(), at: rules.now });
        };
        // Hundreds of predicates need not be read for each change of a price.
        let active = rules.derived_value(CACHE_NAME, epoch.revision, || {
            let found = rules.peek_by_value("product-discount", super::ACTIVE, super::YES)?;
            let active = ActiveProductDiscounts::from_documents(
                found.iter().map(|found| &*found.document),
                rules.model,
            )?;
            // Once for as long as no discount changes.
            active.unreadable().for_each(|id| {
                rules.warn(&format!(
                    "the Product Discount {id} matches nothing: its predicate cannot be read"
                ));
            });
            Ok(active)
        })?;
        Ok(Self { active, at: evaluation_time(&epoch.document, rules.now) })
    }

    /// Returns the discounts of the shop, for a derivation: once for all documents of a chunk.
    pub(crate) fn for_derivation(sources: &dyn DerivationSources) -> ApiResult<Rc<Self>> {
        let made = sources.shared(CACHE_NAME, &mut || {
            let mut all = Vec::new();
            sources.visit_indexed("product-discount", super::ACTIVE, super::YES, &mut |discount| {
                all.push(discount.clone());
            })?;
            let active = Arc::new(ActiveProductDiscounts::from_documents(all.iter(), sources.model())?);
            Ok(Rc::new(Self { active, at: sources.now() }) as Rc<dyn Any>)
        })?;
        made.downcast::<Self>().map_err(|_| ApiError::bug(format!("{CACHE_NAME} are something else")))
    }

    fn valid(&self) -> impl Iterator<Item = &CompiledProductDiscount> {
        self.active.0.iter().filter(|discount| discount.validity.contains(self.at))
    }

    /// Whether there are no discounts.
    pub(crate) fn is_empty(&self) -> bool {
        self.valid().next().is_none()
    }

    /// Returns the new value of the price's `discounted`. A value of an external discount stays while that
    /// discount is active and its predicate matches; otherwise the first discount with a reduction applies.
    pub(crate) fn discounted_value(&self, priced: &PriceInContext<'_>) -> ApiResult<Option<Value>> {
        if self.admits_external(priced)? {
            return Ok(priced.price.get("discounted").cloned());
        }
        let value = money_in(priced.price, "value")?;
        for discount in self.valid() {
            let Some(left) = discount.value.reduce(value) else { continue };
            debug_assert_eq!(left.currency(), value.currency());
            if discount.matches(priced)? {
                let discount = reference("product-discount", &discount.id);
                return Ok(Some(json!({"value": money_document(left), "discount": discount})));
            }
        }
        Ok(None)
    }

    /// Whether `discounted` of a price names an external discount that is active and fits the price.
    pub(crate) fn admits_external(&self, priced: &PriceInContext<'_>) -> ApiResult<bool> {
        let id = text(priced.price, &["discounted", "discount", "id"]);
        let is_meant = |discount: &&CompiledProductDiscount| {
            Some(discount.id.as_str()) == id && matches!(discount.value, Reduction::External)
        };
        match self.valid().find(is_meant) {
            Some(discount) => discount.matches(priced),
            None => Ok(false),
        }
    }
}

/// Returns the time at which a change evaluates discounts: not before the start of the epoch that it relies
/// on, as the request may have begun earlier. A larger distance than any request takes means that the clock
/// was set back.
fn evaluation_time(epoch: &Document, now: Timestamp) -> Timestamp {
    let since = text(epoch, &["since"]).and_then(|since| since.parse::<Timestamp>().ok());
    since
        .filter(|since| (0..REQUEST_MS_MAX).contains(&(since.as_millisecond() - now.as_millisecond())))
        .unwrap_or(now)
}

impl ActiveProductDiscounts {
    fn from_documents<'d>(documents: impl Iterator<Item = &'d Document>, model: &Model) -> ApiResult<Self> {
        let mut discounts = Vec::new();
        for document in documents {
            let view: ProductDiscountView<'_> = read(document)?;
            if view.is_active {
                discounts.push(CompiledProductDiscount::compile(&view, model)?);
            }
        }
        discounts.sort_by(|a, b| b.sort_order.cmp(&a.sort_order).then_with(|| a.id.cmp(&b.id)));
        Ok(Self(discounts))
    }

    /// Returns the ids of discounts whose predicates are no longer valid.
    fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|discount| discount.predicate.is_none()).map(|discount| &*discount.id)
    }
}

impl CompiledProductDiscount {
    /// Compiles a discount. It was validated when it was written; the rules for predicates may have become stricter
    /// since.
    fn compile(view: &ProductDiscountView<'_>, model: &Model) -> ApiResult<Self> {
        let broken = |what: &str| ApiError::bug(format!("the Product Discount {} has {what}", view.id));
        Ok(Self {
            id: view.id.to_owned(),
            sort_order: view.sort_order.parse().map_err(|_| broken("a sortOrder that is no number"))?,
            validity: validity(view.valid_from, view.valid_until)?,
            predicate: PRICES.read(view.predicate, model).ok(),
            value: view.value.reduction().ok_or_else(|| broken("a value that takes nothing off"))??,
        })
    }
}

impl ReductionView<'_> {
    /// Returns `None` if required fields of the value are missing.
    fn reduction(&self) -> Option<ApiResult<Reduction>> {
        match self.of {
            ProductDiscountValueTag::Relative => {
                Some(Ok(Reduction::Relative(Permyriad::new(self.permyriad?)?)))
            }
            ProductDiscountValueTag::Absolute => Some(self.amounts()),
            ProductDiscountValueTag::External => Some(Ok(Reduction::External)),
        }
    }

    fn amounts(&self) -> ApiResult<Reduction> {
        let amounts = self.money.iter().flatten().map(|money| {
            let money = money.money()?;
            Ok((money.currency(), money.cents()))
        });
        amounts.collect::<ApiResult<_>>().map(Reduction::Absolute)
    }
}

#[cfg(test)]
mod tests {
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
        let active =
            ActiveProductDiscounts::from_documents(discounts.iter(), TestShop::new().model()).unwrap();
        let discounts = ValidProductDiscounts { active: Arc::new(active), at: now };
        let product = object(json!({"id": "p", "productType": {"typeId": "product-type", "id": "t"}}));
        let data = object(json!({"categories": [{"typeId": "category", "id": "boots"}], "attributes": []}));
        let variant =
            object(json!({"id": 1, "sku": "boots-42", "attributes": [{"name": "size", "value": "L"}]}));
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
        let set = json!({"discounted": {"value": euros(7), "discount": {"typeId": "product-discount", "id": "ext"}}});
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
        let all =
            [discount("old", "0.9", relative(5000), old), discount("low", "0.1", relative(1000), "1 = 1")];
        assert_eq!(reduced(&all, euros(1000), json!({})), Some((euros(900), "low".into())));
        let documents: Vec<Document> = all.into_iter().map(object).collect();
        let active =
            ActiveProductDiscounts::from_documents(documents.iter(), TestShop::new().model()).unwrap();
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
}
