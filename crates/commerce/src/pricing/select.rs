//! Which of a Product Variant's prices is the one for who asks.
//!
//! Currency, time and scope say which prices may be chosen at all: a price that names a country, a group or a Channel
//! is for nobody else. Of these, the most specific one is taken. The sequence of fallbacks is that of the public
//! documentation (Pricing and discounts overview, "Fallback logic"): Customer Group, Channel and country; Customer
//! Group and Channel; Customer Group and country; Customer Group; Channel and country; Channel; country; none. On each
//! level a price with a period comes before one without. Where several groups were named, the lowest price of
//! the level is taken.

use super::money::Money;
use super::scope::{PriceScope, Validity};
use jiff::Timestamp;
use kontor_engine::Document;
use kontor_engine::document::{list, text};
use rust_decimal::Decimal;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashSet;

/// Who asks for a price, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceSelection<'a> {
    /// ISO 4217.
    pub currency: &'a str,
    /// ISO 3166-1.
    pub country: Option<&'a str>,
    /// Ids of all Customer Groups that the customer belongs to: `priceCustomerGroup` and
    /// `priceCustomerGroupAssignments` together.
    pub customer_groups: Vec<&'a str>,
    /// Id of a Channel.
    pub channel: Option<&'a str>,
    /// Id of a Recurrence Policy. Its prices come first; without it no price of a policy is chosen.
    pub recurrence_policy: Option<&'a str>,
    /// The moment that is asked about.
    pub at: Timestamp,
}

impl<'a> PriceSelection<'a> {
    /// Asks for a currency alone.
    pub fn new(currency: &'a str, at: Timestamp) -> Self {
        Self {
            currency,
            country: None,
            customer_groups: Vec::new(),
            channel: None,
            recurrence_policy: None,
            at,
        }
    }

    /// Whether a price may be chosen: nothing that it names contradicts who asks.
    pub fn admits(&self, price: &Document) -> bool {
        let scope = PriceScope::of(price);
        scope.recurrence_policy.is_none_or(|policy| self.recurrence_policy == Some(policy))
            && self.admits_but_for_policy(&scope)
            && Validity::of(price).contains(self.at)
    }

    fn admits_but_for_policy(&self, scope: &PriceScope<'_>) -> bool {
        scope.currency == self.currency
            && scope.country.is_none_or(|country| self.country == Some(country))
            && scope.customer_group.is_none_or(|group| self.customer_groups.contains(&group))
            && scope.channel.is_none_or(|channel| self.channel == Some(channel))
    }
}

/// The price for who asks, out of stored prices (embedded, or standalone ones that are active). None where none
/// may be chosen. The sequence of the prices does not matter.
pub fn select_price<'p>(
    prices: impl IntoIterator<Item = &'p Document>,
    selection: &PriceSelection<'_>,
) -> Option<&'p Document> {
    prices.into_iter().filter(|price| selection.admits(price)).min_by_key(|price| rank(price))
}

/// The best price of each Recurrence Policy for who asks, whatever policy they ask for: `recurrencePrices` of
/// a variant.
pub fn recurrence_prices<'p>(
    prices: impl IntoIterator<Item = &'p Document> + Clone,
    selection: &PriceSelection<'_>,
) -> Vec<&'p Document> {
    let mut seen = HashSet::new();
    let policies: Vec<&str> = prices
        .clone()
        .into_iter()
        .filter_map(|price| PriceScope::of(price).recurrence_policy)
        .filter(|policy| seen.insert(*policy))
        .collect();
    let best = |policy: &str| {
        let asked = PriceSelection { recurrence_policy: Some(policy), ..selection.clone() };
        select_price(prices.clone(), &asked)
            .filter(|price| PriceScope::of(price).recurrence_policy == Some(policy))
    };
    policies.into_iter().filter_map(best).collect()
}

/// Smaller is better. The amount decides between groups of one level, the id only where nothing else does.
#[allow(clippy::type_complexity)] // A tuple compares as the levels are written down.
fn rank(price: &Document) -> (Reverse<(bool, bool, bool, bool, bool)>, Decimal, &str) {
    let scope = PriceScope::of(price);
    let level = (
        scope.recurrence_policy.is_some(),
        scope.customer_group.is_some(),
        scope.channel.is_some(),
        scope.country.is_some(),
        Validity::of(price).is_limited(),
    );
    let amount = current_value(price).as_object().and_then(|value| Money::read(value, "").ok());
    let amount = amount.map_or(Decimal::MAX, Money::exact_cents);
    (Reverse(level), amount, text(price, &["id"]).unwrap_or_default())
}

/// What is to be paid for one: the discounted value, or the value.
pub fn current_value(price: &Document) -> &Value {
    match price.get("discounted").and_then(|discounted| discounted.get("value")) {
        Some(discounted) => discounted,
        None => price.get("value").unwrap_or(&Value::Null),
    }
}

/// What is to be paid for each of `quantity`: the discounted value; else that of the highest tier that is
/// reached; else the value (reference types `Price`, `PriceTier`).
pub fn value_for_quantity(price: &Document, quantity: i64) -> &Value {
    if price.contains_key("discounted") {
        return current_value(price);
    }
    let from = |tier: &&Value| tier["minimumQuantity"].as_i64().unwrap_or(i64::MAX);
    let reached = list(price, &["tiers"]).iter().filter(|tier| from(tier) <= quantity);
    reached.max_by_key(from).map_or_else(|| current_value(price), |tier| &tier["value"])
}

/// A chosen price as `scopedPrice` shows it.
pub fn scoped_price(price: &Document) -> Document {
    const KEPT: [&str; 8] =
        ["id", "value", "country", "customerGroup", "channel", "validFrom", "validUntil", "discounted"];
    let mut scoped = Document::new();
    for name in KEPT.into_iter().chain(["custom"]) {
        if let Some(value) = price.get(name) {
            scoped.insert(name.to_owned(), value.clone());
        }
        if name == "value" {
            scoped.insert("currentValue".into(), current_value(price).clone());
        }
    }
    scoped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn object(value: Value) -> Document {
        value.as_object().unwrap().clone()
    }

    fn now() -> Timestamp {
        "2027-01-31T12:00:00Z".parse().unwrap()
    }

    /// A price with a scope: each dimension has a few values, so that many prices meet.
    fn price(id: usize, cents: i64, scope: (usize, usize, usize, usize), currency: usize) -> Document {
        let (group, channel, country, validity) = scope;
        let mut price = object(json!({
            "id": format!("p{id}"),
            "value": {"type": "centPrecision", "currencyCode": (["EUR", "USD"][currency]), "centAmount": cents, "fractionDigits": 2},
        }));
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                price.insert(name.into(), value);
            }
        };
        put(
            "customerGroup",
            [None, Some("vip"), Some("staff")][group].map(|id| json!({"typeId": "customer-group", "id": id})),
        );
        put(
            "channel",
            [None, Some("shop"), Some("web")][channel].map(|id| json!({"typeId": "channel", "id": id})),
        );
        put("country", [None, Some("DE"), Some("US")][country].map(|code| json!(code)));
        let (from, until) = [
            (None, None),
            (Some("2027-01-01T00:00:00.000Z"), Some("2027-02-01T00:00:00.000Z")),
            (Some("2027-03-01T00:00:00.000Z"), None),
            (None, Some("2026-01-01T00:00:00.000Z")),
            (None, Some("2027-01-31T12:00:00.001Z")),
        ][validity];
        put("validFrom", from.map(|time| json!(time)));
        put("validUntil", until.map(|time| json!(time)));
        price
    }

    fn asked() -> PriceSelection<'static> {
        PriceSelection {
            country: Some("DE"),
            customer_groups: vec!["vip"],
            channel: Some("shop"),
            ..PriceSelection::new("EUR", now())
        }
    }

    #[test]
    fn the_documented_sequence_of_fallbacks() {
        // Customer Group, Channel, country; each level first with a period, then without.
        let levels = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)];
        let mut prices: Vec<Document> = Vec::new();
        for (group, channel, country) in levels {
            for validity in [1, 0] {
                prices.push(price(prices.len(), 100, (group, channel, country, validity), 0));
            }
        }
        for best in 0..prices.len() {
            let chosen = select_price(prices[best..].iter().rev(), &asked()).unwrap();
            assert_eq!(chosen["id"], format!("p{best}"));
        }
    }

    #[test]
    fn of_several_groups_the_lowest_price_counts_discounts_included() {
        let (vip, mut staff) = (price(0, 100, (1, 0, 0, 0), 0), price(1, 120, (2, 0, 0, 0), 0));
        let both = PriceSelection { customer_groups: vec!["staff", "vip"], ..asked() };
        assert_eq!(select_price([&vip, &staff], &both).unwrap()["id"], "p0");
        staff.insert("discounted".into(), json!({"value": {"currencyCode": "EUR", "centAmount": 90}}));
        assert_eq!(select_price([&vip, &staff], &both).unwrap()["id"], "p1");
    }

    #[test]
    fn prices_of_a_policy_are_for_those_who_ask_for_it() {
        let plain = price(0, 100, (0, 0, 0, 0), 0);
        let mut monthly = price(1, 80, (0, 0, 0, 0), 0);
        monthly.insert("recurrencePolicy".into(), json!({"typeId": "recurrence-policy", "id": "monthly"}));
        let prices = [&plain, &monthly];
        assert_eq!(select_price(prices, &asked()).unwrap()["id"], "p0");
        let subscriber = PriceSelection { recurrence_policy: Some("monthly"), ..asked() };
        assert_eq!(select_price(prices, &subscriber).unwrap()["id"], "p1");
        let yearly = PriceSelection { recurrence_policy: Some("yearly"), ..asked() };
        assert_eq!(select_price(prices, &yearly).unwrap()["id"], "p0");
        assert_eq!(recurrence_prices(prices, &asked()), [&monthly]);
    }

    #[test]
    fn a_tier_counts_from_its_quantity_on_unless_there_is_a_discount() {
        let mut tiered = price(0, 100, (0, 0, 0, 0), 0);
        let tier = |quantity: i64, cents: i64| json!({"minimumQuantity": quantity, "value": {"currencyCode": "EUR", "centAmount": cents}});
        tiered.insert("tiers".into(), json!([tier(10, 70), tier(5, 80)]));
        for (quantity, cents) in [(1, 100), (4, 100), (5, 80), (9, 80), (10, 70), (1000, 70)] {
            assert_eq!(value_for_quantity(&tiered, quantity)["centAmount"], cents, "{quantity}");
        }
        tiered.insert("discounted".into(), json!({"value": {"currencyCode": "EUR", "centAmount": 90}}));
        assert_eq!(value_for_quantity(&tiered, 10)["centAmount"], 90);
    }

    #[test]
    fn a_scoped_price_shows_what_is_to_be_paid() {
        let mut chosen = price(0, 100, (1, 0, 1, 0), 0);
        chosen.insert("tiers".into(), json!([]));
        let scoped = scoped_price(&chosen);
        assert_eq!(scoped["currentValue"], scoped["value"]);
        assert_eq!(scoped["country"], "DE");
        assert!(!scoped.contains_key("tiers"));
        chosen.insert("discounted".into(), json!({"value": {"currencyCode": "EUR", "centAmount": 90}}));
        assert_eq!(scoped_price(&chosen)["currentValue"]["centAmount"], 90);
    }

    const POLICIES: [&str; 2] = ["monthly", "yearly"];

    prop_compose! {
        fn any_price()(
            cents in 1_i64..5,
            discounted in prop::option::weighted(0.2, 1_i64..5),
            policy in prop::option::weighted(0.3, prop::sample::select(&POLICIES[..])),
            scope in (0_usize..3, 0_usize..3, 0_usize..3, 0_usize..5),
            currency in prop::bool::weighted(0.1),
        ) -> Document {
            let mut price = price(0, cents, scope, usize::from(currency));
            if let Some(cents) = discounted {
                price.insert("discounted".into(), json!({"value": {"currencyCode": (["EUR", "USD"][usize::from(currency)]), "centAmount": cents}}));
            }
            if let Some(policy) = policy {
                price.insert("recurrencePolicy".into(), json!({"typeId": "recurrence-policy", "id": policy}));
            }
            price
        }
    }

    prop_compose! {
        fn any_prices()(mut prices in prop::collection::vec(any_price(), 0..24)) -> Vec<Document> {
            for (id, price) in prices.iter_mut().enumerate() {
                price.insert("id".into(), json!(format!("p{id}")));
            }
            prices
        }
    }

    prop_compose! {
        fn any_selection()(
            country in prop::option::weighted(0.8, prop::sample::select(&["DE", "US", "GB"][..])),
            customer_groups in prop::sample::subsequence(vec!["vip", "staff", "new"], 0..=3),
            channel in prop::option::weighted(0.8, prop::sample::select(&["shop", "web", "app"][..])),
            recurrence_policy in prop::option::of(prop::sample::select(&POLICIES[..])),
        ) -> PriceSelection<'static> {
            PriceSelection { country, customer_groups, channel, recurrence_policy, ..PriceSelection::new("EUR", now()) }
        }
    }

    /// The documented sequence, level by level: which of group, Channel and country a price of the level names.
    const LEVELS: [(bool, bool, bool); 8] = [
        (true, true, true),
        (true, true, false),
        (true, false, true),
        (true, false, false),
        (false, true, true),
        (false, true, false),
        (false, false, true),
        (false, false, false),
    ];

    /// What the documentation says, word by word: on each level first the prices with a period, then those without;
    /// the lowest of the first ones that there are.
    fn plainly_selected<'p>(
        prices: &'p [Document],
        asked: &PriceSelection<'_>,
        policy: Option<&str>,
    ) -> Option<&'p Document> {
        let is_for = |price: &Document, path: &[&str], ids: &[&str]| match text(price, path) {
            Some(id) => ids.contains(&id).then_some(true),
            None => Some(false),
        };
        let stands_on = |price: &&Document, level: (bool, bool, bool), has_period: bool| {
            let names = (
                is_for(price, &["customerGroup", "id"], &asked.customer_groups),
                is_for(price, &["channel", "id"], asked.channel.as_slice()),
                is_for(price, &["country"], asked.country.as_slice()),
            );
            let is_past = |end: &str| end <= "2027-01-31T12:00:00.000Z";
            names == (Some(level.0), Some(level.1), Some(level.2))
                && text(price, &["value", "currencyCode"]) == Some(asked.currency)
                && text(price, &["recurrencePolicy", "id"]) == policy
                && text(price, &["validFrom"]).is_none_or(|from| from <= "2027-01-31T12:00:00.000Z")
                && !text(price, &["validUntil"]).is_some_and(is_past)
                && (price.contains_key("validFrom") || price.contains_key("validUntil")) == has_period
        };
        let to_pay = |price: &&Document| {
            let discounted = price.get("discounted").map(|discounted| &discounted["value"]["centAmount"]);
            let cents = discounted.unwrap_or(&price["value"]["centAmount"]).as_i64();
            (cents, text(price, &["id"]).map(str::to_owned))
        };
        LEVELS.into_iter().flat_map(|level| [(level, true), (level, false)]).find_map(
            |(level, has_period)| {
                prices.iter().filter(|price| stands_on(price, level, has_period)).min_by_key(to_pay)
            },
        )
    }

    proptest! {
        #[test]
        fn the_choice_is_that_of_the_documented_sequence(
            prices in any_prices(),
            selection in any_selection(),
        ) {
            let of_policy = selection.recurrence_policy.and_then(|policy| plainly_selected(&prices, &selection, Some(policy)));
            let plain = of_policy.or_else(|| plainly_selected(&prices, &selection, None));
            prop_assert_eq!(select_price(&prices, &selection), plain);
        }

        #[test]
        fn each_policy_has_the_price_that_who_asks_for_it_gets(
            prices in any_prices(),
            selection in any_selection(),
        ) {
            let mut found: Vec<&Document> = recurrence_prices(&prices, &selection);
            let mut plain: Vec<&Document> =
                POLICIES.into_iter().filter_map(|policy| plainly_selected(&prices, &selection, Some(policy))).collect();
            for prices in [&mut found, &mut plain] {
                prices.sort_by_key(|price| text(price, &["id"]));
            }
            prop_assert_eq!(found, plain);
        }

        #[test]
        fn the_sequence_of_the_prices_does_not_matter(
            mut prices in any_prices(),
            selection in any_selection(),
            turn in 0_usize..20,
        ) {
            let chosen = select_price(&prices, &selection).cloned();
            if !prices.is_empty() {
                let turn = turn % prices.len();
                prices.rotate_left(turn);
                prices.reverse();
            }
            prop_assert_eq!(select_price(&prices, &selection), chosen.as_ref());
        }
    }
}
