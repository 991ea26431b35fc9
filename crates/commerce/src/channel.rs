//! Channel: what it must have, and what the Reviews of it say together.
//!
//! Source: reference types `ChannelDraft`, `Channel`, `ReviewRatingStatistics`.

use crate::custom_fields::follow_type;
use kontor_engine::document::{is_empty, text};
use kontor_engine::{Behaviour, Dependents, Derivation, Document, Fate, Rules, Sources};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The average has five decimals: it is rounded in parts of one hundred thousand.
const AVERAGE_PARTS: i64 = 100_000;

pub(crate) struct Channel;

impl Behaviour for Channel {
    fn resource(&self) -> &'static str {
        "Channel"
    }

    /// An empty key or no role is an operation that cannot be, in a draft as in an action.
    fn settle(&self, _before: Option<&Document>, after: &mut Document, _rules: &Rules<'_>) -> ApiResult<()> {
        match ["key", "roles"].into_iter().find(|field| after.get(*field).is_none_or(is_empty)) {
            Some(field) => Err(ApiError::invalid_operation(format!("{field}: must not be empty."))),
            None => Ok(()),
        }
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[
            Derivation {
                source: "Review",
                // Both the target that a Review leaves and the one that it goes to.
                dependents: Dependents::ReferredAt {
                    path: &["target", "id"],
                    when: &["target", "rating", "includedInStatistics"],
                },
                derive: derive_statistics,
            },
            follow_type("custom.type.id"),
            follow_type("address.custom.type.id"),
        ];
        ALL
    }
}

/// Brings `reviewRatingStatistics` up to date; absent where no Review counts.
fn derive_statistics(channel: &mut Document, sources: &dyn Sources) -> ApiResult<Fate> {
    let id = text(channel, &["id"]).unwrap_or_default().to_owned();
    let mut counts = BTreeMap::new();
    sources.each("review", "target.id", &id, &mut |review| {
        let counted = review.get("includedInStatistics") == Some(&Value::Bool(true));
        if counted
            && text(review, &["target", "typeId"]) == Some("channel")
            && let Some(rating) = review.get("rating").and_then(Value::as_i64)
        {
            *counts.entry(rating).or_insert(0) += 1;
        }
    })?;
    match statistics(&counts) {
        Some(statistics) => channel.insert("reviewRatingStatistics".into(), statistics),
        None => channel.shift_remove("reviewRatingStatistics"),
    };
    Ok(Fate::Stays)
}

/// The statistics over ratings and how often each was given.
fn statistics(counts: &BTreeMap<i64, i64>) -> Option<Value> {
    let (lowest, highest) = (counts.keys().next()?, counts.keys().next_back()?);
    let count: i64 = counts.values().sum();
    let sum: i64 = counts.iter().map(|(rating, count)| rating * count).sum();
    let distribution: Map<String, Value> =
        counts.iter().map(|(rating, count)| (rating.to_string(), json!(count))).collect();
    Some(json!({
        "averageRating": average(sum, count),
        "highestRating": highest,
        "lowestRating": lowest,
        "count": count,
        "ratingsDistribution": distribution,
    }))
}

/// Sum by count, rounded half away from zero; a whole number where it is one.
fn average(sum: i64, count: i64) -> Value {
    let doubled = 2 * sum.abs() * AVERAGE_PARTS;
    let parts = (doubled + count) / (2 * count) * sum.signum();
    if parts % AVERAGE_PARTS == 0 {
        json!(parts / AVERAGE_PARTS)
    } else {
        json!(parts as f64 / AVERAGE_PARTS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial_shop::{TrialShop, object};
    use kontor_errors::Code;

    #[test]
    fn a_channel_has_a_key_and_a_role() {
        let shop = TrialShop::new();
        assert_eq!(shop.create("channel", json!({"key": "a"})).unwrap()["roles"], json!(["InventorySupply"]));
        for draft in [json!({"key": ""}), json!({"key": "a", "roles": []})] {
            assert_eq!(shop.create("channel", draft).unwrap_err().code(), Code::InvalidOperation);
        }
    }

    fn with_review(shop: TrialShop, id: &str, rating: Value, counts: bool) -> TrialShop {
        let target = json!({"typeId": "channel", "id": "c"});
        shop.with(
            "review",
            json!({"id": id, "target": target, "rating": rating, "includedInStatistics": counts}),
        )
    }

    fn derived(shop: &TrialShop) -> Option<Value> {
        let stale = object(json!({"id": "c", "reviewRatingStatistics": {"count": 99}}));
        let (channel, fate) = shop.derive(&Channel.derivations()[0], stale);
        assert_eq!(fate, Fate::Stays);
        channel.get("reviewRatingStatistics").cloned()
    }

    #[test]
    fn only_ratings_that_count_are_counted() {
        let mut shop = with_review(TrialShop::new(), "1", json!(5), true);
        shop = with_review(shop, "2", json!(4), true);
        shop = with_review(shop, "3", json!(4), true);
        shop = with_review(shop, "hidden", json!(-100), false);
        shop = with_review(shop, "words only", Value::Null, true);
        assert_eq!(
            derived(&shop),
            Some(json!({
                "averageRating": 4.33333,
                "highestRating": 5,
                "lowestRating": 4,
                "count": 3,
                "ratingsDistribution": {"4": 2, "5": 1},
            }))
        );
    }

    #[test]
    fn without_a_review_that_counts_there_are_no_statistics() {
        assert_eq!(derived(&TrialShop::new()), None);
        assert_eq!(derived(&with_review(TrialShop::new(), "1", json!(5), false)), None);
    }

    #[test]
    fn the_average_is_rounded_to_five_decimals_on_both_sides_of_zero() {
        assert_eq!(average(5, 1), json!(5));
        assert_eq!(average(7, 2), json!(3.5));
        assert_eq!(average(-1, 3), json!(-0.33333));
        assert_eq!(average(2, 3), json!(0.66667));
        assert_eq!(average(1, 64), json!(0.01563));
        assert_eq!(average(-1, 64), json!(-0.01563));
        assert_eq!(average(0, 2), json!(0));
    }
}
