//! Selects the prices of a product variant that are indexed, and converts them into nodes. Start at [`price_nodes`].
//!
//! Source: Document B, "Limits".

use super::projection_fields::{PriceField, scope_field, scope_value, taken_before_field};
use crate::price::price_of;
use crate::search::node::add_value;
use jiff::Timestamp;
use kontor_engine::document::{enum_or_log, list, text};
use kontor_engine::{Document, Rules};
use kontor_enums::ProductPriceModeEnum;
use kontor_errors::ApiResult;
use kontor_json::Value as Json;
use kontor_pricing::{Price, PriceScope, Validity, is_taken_before};
use kontor_search::limits::PRICES_MAX;
use kontor_search::{EntryNode, SearchField, SearchValue};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Arc;

/// The kind of the discounts of prices.
const PRODUCT_DISCOUNT: &str = "product-discount";

/// The source of a Product's prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PriceSource {
    /// The variants themselves.
    Embedded,
    /// The variants themselves, for the search that selects prices: prices have their scopes and their discounts.
    Selectable,
    /// Standalone Prices by SKU: each variant has this share of the indexed prices.
    Standalone {
        /// The number of prices for each variant.
        share: usize,
    },
}

impl PriceSource {
    /// Returns the source of a Product with a number of variants.
    pub(super) fn for_product(product: &Document, variants: usize) -> Self {
        match enum_or_log(product, &["priceMode"]) {
            Some(ProductPriceModeEnum::Standalone) => {
                Self::Standalone { share: PRICES_MAX / variants.max(1) }
            }
            Some(ProductPriceModeEnum::Embedded) | None => Self::Embedded,
        }
    }

    /// Returns the source of a number of variants that are resources. They and their prices have one limit, and the
    /// variants take precedence (release note of 29 September 2026).
    pub(super) fn for_resources(variants: usize) -> Self {
        Self::Standalone { share: PRICES_MAX.saturating_sub(variants) / variants.max(1) }
    }
}

/// The nodes of the prices of a variant.
pub(super) fn price_nodes(
    variant: &Document,
    source: PriceSource,
    rules: &Rules<'_>,
) -> ApiResult<Vec<EntryNode>> {
    let PriceSource::Standalone { share } = source else {
        let embedded = list(variant, &["prices"]).iter().filter_map(Json::as_object);
        let prices = valid(embedded, rules.now)?;
        return Ok(match source {
            PriceSource::Selectable => prices.iter().map(|price| selectable(price, &prices)).collect(),
            _ => prices.iter().map(node).collect(),
        });
    };
    let Some(sku) = text(variant, &["sku"]) else { return Ok(Vec::new()) };
    let found = rules.peek_by_value("standalone-price", "sku", sku)?;
    let active = found.iter().map(|found| &*found.document);
    let active = active.filter(|price| price.get("active") == Some(&Json::Bool(true)));
    let mut prices = valid(active, rules.now)?;
    if prices.len() > share {
        prices = first(prices, share, rules)?;
    }
    Ok(prices.iter().map(node).collect())
}

/// Returns the currently valid prices, one of each scope: that of the narrower period. Prices of Recurrence
/// Policies are for subscribers, and no field distinguishes them: they are not indexed.
fn valid<'p>(prices: impl Iterator<Item = &'p Document>, now: Timestamp) -> ApiResult<Vec<Price<'p>>> {
    let mut valid: Vec<Price<'p>> = Vec::new();
    let mut places: HashMap<PriceScope<'p>, usize> = HashMap::new();
    for price in prices {
        let price = price_of(price)?;
        if price.scope.recurrence_policy.is_some() || !price.validity.contains(now) {
            continue;
        }
        match places.entry(price.scope) {
            Place::Vacant(place) => {
                place.insert(valid.len());
                valid.push(price);
            }
            Place::Occupied(place) => {
                let known = &mut valid[*place.get()];
                if width(&price.validity) < width(&known.validity) {
                    *known = price;
                }
            }
        }
    }
    Ok(valid)
}

/// Returns the width of a period, for comparisons: the number of open ends, then its length.
fn width(Validity { from, until }: &Validity) -> (usize, i64) {
    let open_ends = usize::from(from.is_none()) + usize::from(until.is_none());
    let length = match (from, until) {
        (Some(from), Some(until)) => until.as_millisecond() - from.as_millisecond(),
        _ => 0,
    };
    (open_ends, length)
}

/// Returns the first prices by currency, country, key of the Channel and key of the Customer Group; missing ones sort
/// first.
fn first<'p>(prices: Vec<Price<'p>>, share: usize, rules: &Rules<'_>) -> ApiResult<Vec<Price<'p>>> {
    let key_of = |type_id: &str, id: Option<&str>| -> ApiResult<Option<String>> {
        let Some(id) = id else { return Ok(None) };
        let target: Option<Arc<Document>> = rules.peek_type(type_id, id)?;
        Ok(target.and_then(|target| text(&target, &["key"]).map(str::to_owned)))
    };
    let mut sorted = Vec::with_capacity(prices.len());
    for price in prices {
        let scope = &price.scope;
        let place = (
            scope.currency.code(),
            scope.country,
            key_of("channel", scope.channel)?,
            key_of("customer-group", scope.customer_group)?,
        );
        sorted.push((place, price));
    }
    sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(sorted.into_iter().take(share).map(|(_, price)| price).collect())
}

/// Creates the node of a price, with the fields for its selection and its discount; `all`: the prices of its variant.
fn selectable(price: &Price<'_>, all: &[Price<'_>]) -> EntryNode {
    let mut node = node(price);
    let mut put_text =
        |field: SearchField, text: &str| add_value(&mut node, &field, SearchValue::Text(text.to_owned()));
    put_text(scope_field(), &scope_of(price));
    // No scope is empty: every price has a value of this field.
    put_text(taken_before_field(), "");
    for other in all.iter().filter(|other| may_both_be_admitted(price, other)) {
        if is_taken_before(other, price) {
            put_text(taken_before_field(), &scope_of(other));
        }
    }
    if let Some(discounted) = &price.discounted {
        put_text(PriceField::DISCOUNT.field(), discounted.discount);
        put_text(PriceField::DISCOUNT_TYPE.field(), PRODUCT_DISCOUNT);
        put_text(PriceField::DISCOUNTED_CURRENCY.field(), price.scope.currency.code());
        let amount = SearchValue::Long(discounted.value.cents().0);
        add_value(&mut node, &PriceField::DISCOUNTED_AMOUNT.field(), amount);
    }
    add_value(
        &mut node,
        &PriceField::IS_DISCOUNTED.field(),
        SearchValue::Boolean(price.discounted.is_some()),
    );
    node
}

fn scope_of(price: &Price<'_>) -> String {
    let PriceScope { currency, country, customer_group, channel, .. } = &price.scope;
    let or_empty = |text: &Option<&str>| text.unwrap_or_default().to_owned();
    scope_value(currency.code(), &or_empty(country), &or_empty(customer_group), &or_empty(channel))
}

/// Whether a selection can admit both prices. It names one country and one Channel, but several Customer Groups.
fn may_both_be_admitted(one: &Price<'_>, other: &Price<'_>) -> bool {
    let agree = |one: Option<&str>, other: Option<&str>| one.is_none() || other.is_none() || one == other;
    let (one, other) = (&one.scope, &other.scope);
    one.currency == other.currency && agree(one.country, other.country) && agree(one.channel, other.channel)
}

fn node(price: &Price<'_>) -> EntryNode {
    let mut node = EntryNode::default();
    let mut add = |name: &str, value: Option<SearchValue>| {
        if let (Some(field), Some(value)) = (super::fields::standard_field(name), value) {
            add_value(&mut node, field, value);
        }
    };
    let keyword = |text: Option<&str>| text.map(|text| SearchValue::Text(text.to_owned()));
    let scope = &price.scope;
    add("variants.prices.id", keyword(Some(price.id)));
    add("variants.prices.currencyCode", keyword(Some(scope.currency.code())));
    add("variants.prices.country", keyword(scope.country));
    add("variants.prices.customerGroup", keyword(scope.customer_group));
    add("variants.prices.channel", keyword(scope.channel));
    add("variants.prices.centAmount", Some(SearchValue::Long(price.value.cents().0)));
    add("variants.prices.currentCentAmount", Some(SearchValue::Long(price.current_value().cents().0)));
    let time = |at: Option<Timestamp>| at.map(|at| SearchValue::Time(at.as_millisecond()));
    add("variants.prices.validFrom", time(price.validity.from));
    add("variants.prices.validUntil", time(price.validity.until));
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_json::json;

    fn price(id: &str, more: Json) -> Document {
        let mut price = object(json!({"id": id, "value": {"currencyCode": "EUR", "centAmount": 100}}));
        price.extend(object(more));
        price
    }

    fn ids(prices: &[Document]) -> Vec<String> {
        let now = "2027-01-31T12:00:00Z".parse().unwrap();
        valid(prices.iter(), now).unwrap().iter().map(|price| price.id.to_owned()).collect()
    }

    #[test]
    fn of_one_scope_the_narrower_period_that_is_valid_wins() {
        let january =
            json!({"validFrom": "2027-01-01T00:00:00.000Z", "validUntil": "2027-02-01T00:00:00.000Z"});
        let since = json!({"validFrom": "2027-01-30T00:00:00.000Z"});
        let past = json!({"validUntil": "2026-01-01T00:00:00.000Z"});
        let future = json!({"validFrom": "2027-02-02T00:00:00.000Z"});
        let always = price("always", json!({}));
        let german = price("german", json!({"country": "DE"}));
        let policy = price("policy", json!({"recurrencePolicy": {"id": "monthly"}}));
        let others = [price("past", past), price("future", future), policy];
        assert_eq!(ids(&others), Vec::<String>::new());
        assert_eq!(
            ids(&[always.clone(), price("since", since.clone()), german.clone()]),
            ["since", "german"]
        );
        assert_eq!(ids(&[price("january", january), price("since", since), always, german])[0], "january");
    }

    #[test]
    fn of_too_many_prices_the_first_ones_of_the_documented_sequence_stay() {
        let shop = TestShop::new()
            .with_document("channel", json!({"id": "c1", "key": "zoo"}))
            .with_document("channel", json!({"id": "c2", "key": "art"}));
        let all = [
            price("zoo", json!({"channel": {"id": "c1"}})),
            price("art", json!({"channel": {"id": "c2"}})),
            price("german", json!({"country": "DE"})),
            price("any", json!({})),
        ];
        shop.rules(|rules| {
            let all = all.iter().map(|price| price_of(price).unwrap()).collect();
            let kept = first(all, 3, rules).unwrap();
            let kept: Vec<&str> = kept.iter().map(|price| price.id).collect();
            assert_eq!(kept, ["any", "art", "zoo"]);
        });
    }

    #[test]
    fn a_discounted_price_has_two_amounts() {
        let discounted = json!({"discounted": {"value": {"currencyCode": "EUR", "centAmount": 80}, "discount": {"id": "d"}}});
        let price = price("p", discounted);
        let node = node(&price_of(&price).unwrap());
        let value = |name: &str| {
            let found = node.values.iter().find(|put| &*put.field.name == name);
            found.map(|put| put.value.clone())
        };
        assert_eq!(value("variants.prices.centAmount"), Some(SearchValue::Long(100)));
        assert_eq!(value("variants.prices.currentCentAmount"), Some(SearchValue::Long(80)));
    }
}
