//! The view of a Store: prices of its countries and distribution Channels, stock of its supply Channels.

use crate::variant_list::variants_mut;
use kontor_engine::Document;
use kontor_engine::document::{list, text};
use kontor_json::Value;

/// Removes embedded prices with a country or a Channel that the Store lacks, and the stock of other Channels.
/// A Store without countries or Channels restricts nothing.
pub(super) fn retain_store_content(document: &mut Document, store: &Document) {
    let countries: Vec<&str> =
        list(store, &["countries"]).iter().filter_map(|country| country["code"].as_str()).collect();
    let distribution = ids(store, "distributionChannels");
    let supply = ids(store, "supplyChannels");
    let allows = |allowed: &[&str], named: Option<&str>| {
        allowed.is_empty() || named.is_none_or(|named| allowed.contains(&named))
    };
    for variant in variants_mut(document) {
        if let Some(Value::Array(prices)) = variant.get_mut("prices") {
            prices.retain(|price| {
                allows(&countries, price["country"].as_str())
                    && allows(&distribution, price["channel"]["id"].as_str())
            });
        }
        let channels =
            variant.get_mut("availability").and_then(|availability| availability.get_mut("channels"));
        if let Some(Value::Object(channels)) = channels {
            channels.retain(|channel, _| allows(&supply, Some(channel)));
        }
    }
}

/// The texts of a list of the Store.
pub(super) fn texts<'s>(store: &'s Document, name: &str) -> Vec<&'s str> {
    list(store, &[name]).iter().filter_map(Value::as_str).collect()
}

fn ids<'s>(store: &'s Document, name: &str) -> Vec<&'s str> {
    list(store, &[name]).iter().filter_map(|reference| text(reference.as_object()?, &["id"])).collect()
}
