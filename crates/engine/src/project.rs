//! The document of a new project, and the settings that the engine reads from it.

use crate::clock::format_time;
use crate::document::{self, Document};
use jiff::Timestamp;
use kontor_json::{Value, json};

/// A new project: languages en, de; currencies EUR, USD, GBP; countries DE, US, GB; the defaults of the
/// reference types `…Configuration`. GraphQL promises `lastModifiedAt` of each search.
pub(crate) fn new_document(key: &str, name: &str, now: Timestamp) -> Document {
    let deactivated = || json!({"status": "Deactivated", "lastModifiedAt": format_time(now)});
    let value = json!({
        "version": 1,
        "key": key,
        "name": name,
        "countries": ["DE", "US", "GB"],
        "currencies": ["EUR", "USD", "GBP"],
        "languages": ["en", "de"],
        "createdAt": format_time(now),
        "messages": {"enabled": false, "deleteDaysAfterCreation": 15},
        "carts": {
            "deleteDaysAfterLastModification": 90,
            "countryTaxRateFallbackEnabled": false,
            "priceRoundingMode": "HalfEven",
            "taxRoundingMode": "HalfEven",
        },
        "shoppingLists": {"deleteDaysAfterLastModification": 360},
        "searchIndexing": {
            "products": deactivated(),
            "productsSearch": deactivated(),
            "orders": deactivated(),
            "customers": deactivated(),
            "businessUnits": deactivated(),
        },
        "businessUnits": {"myBusinessUnitStatusOnCreation": "Inactive"},
        "inventory": {"releaseExpiredReservations": true},
        "discounts": {"discountCombinationMode": "Stacking"},
    });
    match value {
        Value::Object(document) => document,
        _ => Document::new(),
    }
}

/// True if the project stores messages for queries (reference type `MessagesConfiguration`).
pub(crate) fn keeps_messages(project: &Document) -> bool {
    document::get(project, &["messages", "enabled"]).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the retention time of messages, in days.
pub(crate) fn message_days(project: &Document) -> i64 {
    document::get(project, &["messages", "deleteDaysAfterCreation"]).and_then(Value::as_i64).unwrap_or(15)
}
