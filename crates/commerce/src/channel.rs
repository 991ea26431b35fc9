//! Channel: validates its key and roles, and calculates its review statistics.
//!
//! Source: reference types `ChannelDraft`, `Channel`.

use crate::review_statistics::derive_statistics;
use kontor_engine::document::is_empty;
use kontor_engine::{
    Behaviour, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Effects, Rules,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(crate) struct Channel;

impl Behaviour for Channel {
    fn resource(&self) -> &'static str {
        "Channel"
    }

    /// Rejects an empty key and an empty list of roles with `InvalidOperation`, in drafts and actions. Gives an address
    /// without an id a new one.
    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        identify_address(before, after, rules);
        match ["key", "roles"].into_iter().find(|field| after.get(*field).is_none_or(is_empty)) {
            Some(field) => Err(ApiError::invalid_operation(format!("'{field}' should not be empty."))),
            None => Ok(()),
        }
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "reviews",
            source: "Review",
            // Includes the old and the new target of a Review.
            dependents: Dependents::ReferredAt {
                path: &["target", "id"],
                when: &["target", "rating", "includedInStatistics"],
            },
            derive: follow_reviews,
        }];
        ALL
    }
}

/// Assigns an id to an address that was sent without one: that of the address before if nothing else differs.
fn identify_address(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) {
    let Some(Value::Object(address)) = after.get_mut("address") else { return };
    if address.contains_key("id") {
        return;
    }
    let mut earlier = before.and_then(|before| before.get("address")?.as_object()).cloned();
    let id = earlier.as_mut().and_then(|earlier| earlier.shift_remove("id"));
    if earlier.is_some_and(|earlier| earlier == *address) {
        if let Some(id) = id {
            address.shift_insert(0, "id", id);
        }
    } else {
        address.shift_insert(0, "id", json!(rules.new_id()));
    }
}

fn follow_reviews(channel: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    derive_statistics("channel", channel, sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    #[test]
    fn a_channel_has_a_key_and_a_role() {
        let shop = TestShop::new();
        assert_eq!(shop.create("channel", json!({"key": "a"})).unwrap()["roles"], json!(["InventorySupply"]));
        for draft in [json!({"key": ""}), json!({"key": "a", "roles": []})] {
            assert_eq!(shop.create("channel", draft).unwrap_err().code(), Code::InvalidOperation);
        }
    }

    #[test]
    fn an_address_has_an_id() {
        let shop = TestShop::new();
        let channel = shop.create("channel", json!({"key": "a", "address": {"country": "DE"}})).unwrap();
        let id = channel["address"]["id"].clone();
        assert!(id.is_string(), "{channel:?}");
        let set = |address: Value| json!([{"action": "setAddress", "address": address}]);
        let (same, _) = shop.update("channel", &channel, set(json!({"country": "DE"}))).unwrap();
        assert_eq!(same["address"], channel["address"]);
        let (other, _) = shop.update("channel", &channel, set(json!({"country": "FR"}))).unwrap();
        assert!(other["address"]["id"].is_string() && other["address"]["id"] != id, "{other:?}");
        let (own, _) = shop.update("channel", &channel, set(json!({"id": "x", "country": "DE"}))).unwrap();
        assert_eq!(own["address"]["id"], json!("x"));
    }

    fn with_review(shop: TestShop, id: &str, rating: Value, counts: bool) -> TestShop {
        let target = json!({"typeId": "channel", "id": "c"});
        shop.with_document(
            "review",
            json!({"id": id, "target": target, "rating": rating, "includedInStatistics": counts}),
        )
    }

    fn derived(shop: &TestShop) -> Option<Value> {
        let stale = object(json!({"id": "c", "reviewRatingStatistics": {"count": 99}}));
        let (channel, fate) = shop.derive(&Channel.derivations()[0], stale);
        assert_eq!(fate, DeriveOutcome::Keep);
        channel.get("reviewRatingStatistics").cloned()
    }

    #[test]
    fn only_ratings_that_count_are_counted() {
        let mut shop = with_review(TestShop::new(), "1", json!(5), true);
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
        assert_eq!(derived(&TestShop::new()), None);
        assert_eq!(derived(&with_review(TestShop::new(), "1", json!(5), false)), None);
    }
}
