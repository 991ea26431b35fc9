//! Events of the Import API for Subscriptions (reference types `Import…Event`, `Import…EventData`).

use kontor_engine::{Document, Shop};
use kontor_errors::ApiResult;
use kontor_json::{Map, Value, json};
use kontor_storage::Commit;

/// The resource type of all events of the Import API (reference type `EventSubscriptionResourceTypeId`).
const RESOURCE_TYPE: &str = "import-api";

/// Adds the notifications of an event to a commit, with these fields of its subject. Adds none without a
/// Subscription.
pub(crate) fn with_event(
    shop: &Shop,
    mut commit: Commit,
    event: &str,
    about: &Document,
    fields: &[&str],
) -> ApiResult<Commit> {
    let data: Map =
        fields.iter().filter_map(|name| Some(((*name).to_owned(), about.get(*name)?.clone()))).collect();
    let mut said = Document::new();
    said.insert("type", json!(event));
    said.insert("resourceType", json!(RESOURCE_TYPE));
    said.insert("data", Value::Object(data));
    commit.writes.extend(shop.writes_of_event(&said)?);
    Ok(commit)
}
