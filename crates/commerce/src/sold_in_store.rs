//! Rules of a Store for sold items, in Carts and Orders: distribution and supply Channels of line items, and
//! countries.
//!
//! Source: reference types `CountryNotConfiguredInStoreError`, `LineItemDraft` (`distributionChannel`,
//! `supplyChannel`: their roles, and that a Store with distribution Channels requires one of them).

use kontor_engine::document::{list, must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::ChannelRoleEnum;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::sync::Arc;

/// The field with the Channel that sells a line item.
pub(crate) const DISTRIBUTION: &str = "distributionChannel";
/// The field with the Channel that supplies a line item.
pub(crate) const SUPPLY: &str = "supplyChannel";

/// Returns the Store of a Cart or an Order; `None` if it has none.
pub(crate) fn store_of(cart: &Document, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let Some(key) = text(cart, &["store", "key"]) else { return Ok(None) };
    match rules.model.store_kind() {
        Some(kind) => rules.peek_key(kind, key),
        None => Ok(None),
    }
}

/// Whether a document belongs to the Store of the request; true for requests without a Store.
pub(crate) fn is_in_store_of_request(document: &Document, rules: &Rules<'_>) -> bool {
    let store = rules.bounds.store.as_deref();
    store.is_none_or(|store| text(document, &["store", "key"]) == Some(store))
}

/// 400 `MissingRoleOnChannel`: a Channel lacks its role; `InvalidOperation`: the Store does not have the Channel.
pub(crate) fn admit_channels(
    line: &Document,
    store: Option<&Document>,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    for (field, role) in [
        (DISTRIBUTION, ChannelRoleEnum::ProductDistribution.as_str()),
        (SUPPLY, ChannelRoleEnum::InventorySupply.as_str()),
    ] {
        let Some(id) = text(line, &[field, "id"]) else { continue };
        let Some(channel) = rules.peek_type("channel", id)? else { continue };
        if !list(&channel, &["roles"]).iter().any(|own| own == role) {
            let message = format!("Given channel with ID '{id}' does not have the required role '{role}'.");
            return Err(ApiError::new(Code::MissingRoleOnChannel, message)
                .with_field("channel", line.get(field).cloned())
                .with_field("missingRole", json!(role))
                .with_location(place));
        }
    }
    let (Some(store), Some(id)) = (store, text(line, &[DISTRIBUTION, "id"])) else { return Ok(()) };
    let of_store = list(store, &["distributionChannels"]);
    if of_store.is_empty() || of_store.iter().any(|channel: &Value| channel["id"] == id) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{place}.{DISTRIBUTION}: the Channel '{id}' is none of the Store '{}'.",
        must_text(store, &["key"])?
    )))
}

/// Checks that the Channels of an imported Order's line item belong to its Store (reference type `OrderImportDraft`).
///
/// 400 `InvalidOperation`.
pub(crate) fn admit_channels_of_store(line: &Document, store: &Document, place: &str) -> ApiResult<()> {
    for (field, all) in [(DISTRIBUTION, "distributionChannels"), (SUPPLY, "supplyChannels")] {
        let Some(id) = text(line, &[field, "id"]) else { continue };
        if !list(store, &[all]).iter().any(|channel| channel["id"] == id) {
            return Err(ApiError::invalid_operation(format!(
                "{place}.{field}: the Channel '{id}' is none of the Store '{}'.",
                must_text(store, &["key"])?
            )));
        }
    }
    Ok(())
}

/// 400 `CountryNotConfiguredInStore`: the Store has countries, and not this one.
pub(crate) fn admit_country(cart: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(country) = text(cart, &["country"]) else { return Ok(()) };
    let Some(store) = store_of(cart, rules)? else { return Ok(()) };
    let countries: Vec<&Value> =
        list(&store, &["countries"]).iter().map(|country| &country["code"]).collect();
    if countries.is_empty() || countries.iter().any(|other| *other == country) {
        return Ok(());
    }
    let key = must_text(&store, &["key"])?;
    let message = format!("The country {country} is not configured for the store {key}.");
    Err(ApiError::new(Code::CountryNotConfiguredInStore, message)
        .with_field("storeCountries", json!(countries))
        .with_field("country", json!(country)))
}
