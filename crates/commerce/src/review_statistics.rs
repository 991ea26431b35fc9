//! Calculates `reviewRatingStatistics` of a Product or Channel from its Reviews, in the background.
//!
//! Source: reference type `ReviewRatingStatistics`.

use kontor_engine::document::{must_text, text};
use kontor_engine::{DerivationSources, DeriveOutcome, Document};
use kontor_errors::ApiResult;
use kontor_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The average has five decimals: it is rounded in parts of one hundred thousand.
const AVERAGE_PARTS: i64 = 100_000;

/// Updates `reviewRatingStatistics`, which is absent if no Review counts. `type_id` is the type of the target.
pub(crate) fn derive_statistics(
    type_id: &str,
    target: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let id = must_text(target, &["id"])?.to_owned();
    let mut counts = BTreeMap::new();
    sources.visit_indexed("review", "target.id", &id, &mut |review| {
        let counted = review.get("includedInStatistics") == Some(&Value::Bool(true));
        if counted
            && text(review, &["target", "typeId"]) == Some(type_id)
            && let Some(rating) = review.get("rating").and_then(Value::as_i64)
        {
            *counts.entry(rating).or_insert(0) += 1;
        }
    })?;
    match statistics(&counts) {
        Some(statistics) => target.insert("reviewRatingStatistics", statistics),
        None => target.shift_remove("reviewRatingStatistics"),
    };
    Ok(DeriveOutcome::Keep)
}

/// Returns the statistics from the number of Reviews by rating.
fn statistics(counts: &BTreeMap<i64, i64>) -> Option<Value> {
    let (lowest, highest) = (counts.keys().next()?, counts.keys().next_back()?);
    let count: i64 = counts.values().sum();
    let sum: i64 = counts.iter().map(|(rating, count)| rating * count).sum();
    let distribution: Map = counts.iter().map(|(rating, count)| (rating.to_string(), json!(count))).collect();
    Some(json!({
        "averageRating": average(sum, count),
        "highestRating": highest,
        "lowestRating": lowest,
        "count": count,
        "ratingsDistribution": distribution,
    }))
}

/// Returns the average, rounded half away from zero; a whole number if it is one.
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
