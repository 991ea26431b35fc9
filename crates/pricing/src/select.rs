//! Price selection: which of a Product Variant's prices applies to a buyer.
//!
//! Currency, time and scope decide which prices are candidates: a price with a country, a group or a Channel
//! is for these buyers alone. The most specific candidate wins. The order of fallbacks is that of the public
//! documentation (Pricing and discounts overview, "Fallback logic"): Customer Group, Channel and country;
//! Customer Group and Channel; Customer Group and country; Customer Group; Channel and country; Channel;
//! country; none. On each level a price with a validity period comes before one without. If the selection
//! names several groups, the lowest price of the level wins.

use crate::price::Price;
use crate::scope::PriceScope;
use jiff::Timestamp;
use kontor_currency::Currency;
use rust_decimal::Decimal;
use std::cmp::Reverse;

/// The buyer and the time of a price selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceSelection<'a> {
    /// The currency of the payment.
    pub currency: Currency,
    /// ISO 3166-1.
    pub country: Option<&'a str>,
    /// Ids of all Customer Groups that the customer belongs to: `priceCustomerGroup` and
    /// `priceCustomerGroupAssignments` together.
    pub customer_groups: Vec<&'a str>,
    /// Id of a Channel.
    pub channel: Option<&'a str>,
    /// The id of a Recurrence Policy. Its prices are preferred; without it no price of a policy is selected.
    pub recurrence_policy: Option<&'a str>,
    /// The time at which the price must be valid.
    pub at: Timestamp,
}

impl<'a> PriceSelection<'a> {
    /// Returns a selection with a currency only.
    pub fn new(currency: Currency, at: Timestamp) -> Self {
        Self {
            currency,
            country: None,
            customer_groups: Vec::new(),
            channel: None,
            recurrence_policy: None,
            at,
        }
    }

    /// Whether a price may be selected: none of its restrictions contradicts the selection.
    pub fn admits(&self, price: &Price<'_>) -> bool {
        let policy = price.scope.recurrence_policy;
        policy.is_none_or(|policy| self.recurrence_policy == Some(policy))
            && self.admits_but_for_policy(price)
    }

    fn admits_but_for_policy(&self, price: &Price<'_>) -> bool {
        let PriceScope { currency, country, customer_group, channel, recurrence_policy: _ } = price.scope;
        currency == self.currency
            && country.is_none_or(|country| self.country == Some(country))
            && customer_group.is_none_or(|group| self.customer_groups.contains(&group))
            && channel.is_none_or(|channel| self.channel == Some(channel))
            && price.validity.contains(self.at)
    }
}

/// Returns the price for the selection from the prices of a variant (embedded, or active standalone ones), or
/// `None`. The order of the prices does not matter.
pub fn select_price<'a, P: AsRef<Price<'a>>>(
    prices: impl IntoIterator<Item = P>,
    selection: &PriceSelection<'_>,
) -> Option<P> {
    let best = prices.into_iter().fold(None, |best: Option<P>, price| {
        let is_better = selection.admits(price.as_ref())
            && best.as_ref().is_none_or(|best| rank(price.as_ref()) < rank(best.as_ref()));
        if is_better { Some(price) } else { best }
    });
    debug_assert!(best.as_ref().is_none_or(|best| best.as_ref().scope.currency == selection.currency));
    best
}

/// Whether a selection that admits both prices prefers the first one.
pub fn is_taken_before(one: &Price<'_>, other: &Price<'_>) -> bool {
    rank(one) < rank(other)
}

/// Returns the best price of each Recurrence Policy, whatever policy the selection names: `recurrencePrices`
/// of a variant. The policies are in the order of their first price.
pub fn recurrence_prices<'a, P: AsRef<Price<'a>>>(
    prices: impl IntoIterator<Item = P>,
    selection: &PriceSelection<'_>,
) -> Vec<P> {
    let mut of_policies: Vec<(&'a str, Option<P>)> = Vec::new();
    for price in prices {
        let Some(policy) = price.as_ref().scope.recurrence_policy else { continue };
        let place = of_policies.iter().position(|(held, _)| *held == policy).unwrap_or_else(|| {
            of_policies.push((policy, None));
            of_policies.len() - 1
        });
        let best = &mut of_policies[place].1;
        if selection.admits_but_for_policy(price.as_ref())
            && best.as_ref().is_none_or(|best| rank(price.as_ref()) < rank(best.as_ref()))
        {
            *best = Some(price);
        }
    }
    of_policies.into_iter().filter_map(|(_, best)| best).collect()
}

/// The restrictions of a price, the most important first: a price with more of them comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RestrictionLevel {
    of_policy: bool,
    of_group: bool,
    of_channel: bool,
    of_country: bool,
    has_period: bool,
}

/// Returns the rank of a price; smaller is better. The amount decides between groups of one level, the id between
/// otherwise equal prices.
fn rank<'p>(price: &'p Price<'_>) -> (Reverse<RestrictionLevel>, Decimal, &'p str) {
    let scope = &price.scope;
    let level = RestrictionLevel {
        of_policy: scope.recurrence_policy.is_some(),
        of_group: scope.customer_group.is_some(),
        of_channel: scope.channel.is_some(),
        of_country: scope.country.is_some(),
        has_period: price.validity.is_limited(),
    };
    (Reverse(level), price.current_value().exact_cents(), price.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CentAmount;
    use crate::money::Money;
    use crate::price::DiscountedPrice;
    use crate::scope::Validity;
    use proptest::prelude::*;

    const CURRENCIES: [Currency; 2] = [Currency::EUR, Currency::USD];
    const NOW: &str = "2027-01-31T12:00:00Z";

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn now() -> Timestamp {
        time(NOW)
    }

    fn money(currency: Currency, cents: i64) -> Money {
        Money::Cent { currency, cents: CentAmount(cents) }
    }

    /// Ids of as many prices as a test needs.
    const IDS: [&str; 24] = [
        "p00", "p01", "p02", "p03", "p04", "p05", "p06", "p07", "p08", "p09", "p10", "p11", "p12", "p13",
        "p14", "p15", "p16", "p17", "p18", "p19", "p20", "p21", "p22", "p23",
    ];

    /// A price with a scope: each dimension has a few values, so that many prices meet.
    fn price(id: usize, cents: i64, scope: (usize, usize, usize, usize), currency: usize) -> Price<'static> {
        let (group, channel, country, validity) = scope;
        let currency = CURRENCIES[currency];
        let (from, until) = [
            (None, None),
            (Some("2027-01-01T00:00:00.000Z"), Some("2027-02-01T00:00:00.000Z")),
            (Some("2027-03-01T00:00:00.000Z"), None),
            (None, Some("2026-01-01T00:00:00.000Z")),
            (None, Some("2027-01-31T12:00:00.001Z")),
        ][validity];
        Price {
            id: IDS[id],
            scope: PriceScope {
                currency,
                country: [None, Some("DE"), Some("US")][country],
                customer_group: [None, Some("vip"), Some("staff")][group],
                channel: [None, Some("shop"), Some("web")][channel],
                recurrence_policy: None,
            },
            validity: Validity { from: from.map(time), until: until.map(time) },
            value: money(currency, cents),
            discounted: None,
            tiers: Vec::new(),
        }
    }

    fn discounted(price: Price<'static>, cents: i64) -> Price<'static> {
        let value = money(price.scope.currency, cents);
        Price { discounted: Some(DiscountedPrice { value, discount: "sale" }), ..price }
    }

    fn of_policy(mut price: Price<'static>, policy: &'static str) -> Price<'static> {
        price.scope.recurrence_policy = Some(policy);
        price
    }

    fn vip_selection() -> PriceSelection<'static> {
        PriceSelection {
            country: Some("DE"),
            customer_groups: vec!["vip"],
            channel: Some("shop"),
            ..PriceSelection::new(Currency::EUR, now())
        }
    }

    #[test]
    fn the_documented_sequence_of_fallbacks() {
        // Customer Group, Channel, country; each level first with a period, then without.
        let levels = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)];
        let mut prices: Vec<Price<'_>> = Vec::new();
        for (group, channel, country) in levels {
            for validity in [1, 0] {
                prices.push(price(prices.len(), 100, (group, channel, country, validity), 0));
            }
        }
        for best in 0..prices.len() {
            let chosen = select_price(prices[best..].iter().rev(), &vip_selection()).unwrap();
            assert_eq!(chosen.id, IDS[best]);
        }
    }

    #[test]
    fn of_several_groups_the_lowest_price_counts_discounts_included() {
        let (vip, staff) = (price(0, 100, (1, 0, 0, 0), 0), price(1, 120, (2, 0, 0, 0), 0));
        let both = PriceSelection { customer_groups: vec!["staff", "vip"], ..vip_selection() };
        assert_eq!(select_price([&vip, &staff], &both), Some(&vip));
        let staff = discounted(staff, 90);
        assert_eq!(select_price([&vip, &staff], &both), Some(&staff));
    }

    #[test]
    fn prices_of_a_policy_need_the_policy_in_the_selection() {
        let plain = price(0, 100, (0, 0, 0, 0), 0);
        let monthly = of_policy(price(1, 80, (0, 0, 0, 0), 0), "monthly");
        let prices = [&plain, &monthly];
        assert_eq!(select_price(prices, &vip_selection()), Some(&plain));
        let subscriber = PriceSelection { recurrence_policy: Some("monthly"), ..vip_selection() };
        assert_eq!(select_price(prices, &subscriber), Some(&monthly));
        let yearly = PriceSelection { recurrence_policy: Some("yearly"), ..vip_selection() };
        assert_eq!(select_price(prices, &yearly), Some(&plain));
        assert_eq!(recurrence_prices(prices, &vip_selection()), [&monthly]);
    }

    const POLICIES: [&str; 2] = ["monthly", "yearly"];

    prop_compose! {
        fn any_price()(
            cents in 1_i64..5,
            reduced in prop::option::weighted(0.2, 1_i64..5),
            policy in prop::option::weighted(0.3, prop::sample::select(&POLICIES[..])),
            scope in (0_usize..3, 0_usize..3, 0_usize..3, 0_usize..5),
            currency in prop::bool::weighted(0.1),
        ) -> Price<'static> {
            let mut price = price(0, cents, scope, usize::from(currency));
            if let Some(cents) = reduced {
                price = discounted(price, cents);
            }
            price.scope.recurrence_policy = policy;
            price
        }
    }

    prop_compose! {
        fn any_prices()(mut prices in prop::collection::vec(any_price(), 0..IDS.len())) -> Vec<Price<'static>> {
            for (price, id) in prices.iter_mut().zip(IDS) {
                price.id = id;
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
            PriceSelection { country, customer_groups, channel, recurrence_policy, ..PriceSelection::new(Currency::EUR, now()) }
        }
    }

    /// The documented order of levels: whether a price of the level has a group, a Channel and a country.
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

    /// The rule of the documentation in its literal form: on each level first the prices with a period, then
    /// those without; the lowest of the first non-empty set.
    fn plainly_selected<'p>(
        prices: &'p [Price<'static>],
        request: &PriceSelection<'_>,
        policy: Option<&str>,
    ) -> Option<&'p Price<'static>> {
        let is_for = |named: Option<&str>, ids: &[&str]| match named {
            Some(id) => ids.contains(&id).then_some(true),
            None => Some(false),
        };
        let stands_on = |price: &&Price<'_>, level: (bool, bool, bool), has_period: bool| {
            let names = (
                is_for(price.scope.customer_group, &request.customer_groups),
                is_for(price.scope.channel, request.channel.as_slice()),
                is_for(price.scope.country, request.country.as_slice()),
            );
            names == (Some(level.0), Some(level.1), Some(level.2))
                && price.value.currency() == request.currency
                && price.scope.recurrence_policy == policy
                && price.validity.from.is_none_or(|from| from <= now())
                && price.validity.until.is_none_or(|until| until > now())
                && (price.validity != Validity::ALWAYS) == has_period
        };
        let to_pay = |price: &&Price<'_>| {
            let cents = price.discounted.map_or(price.value, |discounted| discounted.value).cents();
            (cents, price.id.to_owned())
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
        fn recurrence_prices_equal_selections_by_policy(
            prices in any_prices(),
            selection in any_selection(),
        ) {
            let mut found: Vec<&Price<'_>> = recurrence_prices(&prices, &selection);
            let mut plain: Vec<&Price<'_>> =
                POLICIES.into_iter().filter_map(|policy| plainly_selected(&prices, &selection, Some(policy))).collect();
            for prices in [&mut found, &mut plain] {
                prices.sort_by_key(|price| price.id);
            }
            prop_assert_eq!(found, plain);
        }

        #[test]
        fn the_sequence_of_the_prices_does_not_matter(
            mut prices in any_prices(),
            selection in any_selection(),
            rotation in 0_usize..20,
        ) {
            let chosen = select_price(&prices, &selection).cloned();
            if !prices.is_empty() {
                let rotation = rotation % prices.len();
                prices.rotate_left(rotation);
                prices.reverse();
            }
            prop_assert_eq!(select_price(&prices, &selection), chosen.as_ref());
        }
    }
}
