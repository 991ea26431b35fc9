//! Payloads of notifications: in the format of the Subscription, and limited to the size that its destination
//! accepts.
//!
//! Source: reference types `DeliveryFormat`, `PlatformFormat`, `CloudEventsPayload`, `PayloadNotIncluded`.

use bytes::Bytes;
use kontor_engine::Document;
use kontor_engine::document::{text, text_or_log};
use kontor_json::{Value, json};
use kontor_model::Model;

/// Maximum size of a CloudEvent's attributes, in bytes.
const ENVELOPE_BYTES: usize = 2 * 1024;
/// The fields of a Message that are always sent, even if it is too large.
const ALWAYS_INCLUDED: &[&str] = &[
    "notificationType",
    "projectKey",
    "id",
    "version",
    "createdAt",
    "lastModifiedAt",
    "sequenceNumber",
    "resource",
    "resourceVersion",
    "resourceUserProvidedIdentifiers",
];

/// A notification in its sent form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Payload {
    /// The JSON.
    pub(crate) body: Bytes,
    /// Whether it is a CloudEvent, and not in the Platform format.
    pub(crate) is_cloud_event: bool,
    /// Its subject, for routing: the resource type and the message type.
    pub(crate) subject: String,
    /// The id of its subject: notifications of the same subject keep their order.
    pub(crate) about: String,
}

/// The origin of a notification.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// The project.
    pub(crate) project_key: &'a str,
    /// The model, for the paths of resources.
    pub(crate) model: &'a Model,
}

impl Payload {
    /// Converts a notification in the Platform format. `name` is its id, the same in each retry; `bytes_max` is the
    /// limit of the destination.
    pub(crate) fn from_notification(
        notification: &Value,
        name: &str,
        is_cloud_event: bool,
        bytes_max: usize,
        origin: Origin<'_>,
    ) -> Self {
        let empty = Document::new();
        let whole = notification.as_object().unwrap_or(&empty);
        let subject = subject(whole);
        let about = subject_id(whole).unwrap_or_default().to_owned();
        let room = if is_cloud_event { bytes_max.saturating_sub(ENVELOPE_BYTES) } else { bytes_max };
        let text = notification.to_string();
        let cut = (text.len() > room).then(|| without_payload(whole)).flatten();
        let body = match (is_cloud_event, cut) {
            (true, cut) => cloud_event(whole, cut.as_ref().unwrap_or(notification), name, origin).to_string(),
            (false, Some(cut)) => cut.to_string(),
            (false, None) => text,
        };
        Self { body: body.into(), is_cloud_event, subject, about }
    }

    /// Returns the media type.
    pub(crate) fn content_type(&self) -> &'static str {
        if self.is_cloud_event { "application/cloudevents+json; charset=utf-8" } else { "application/json" }
    }
}

/// Returns the resource type and the message type: `order.message.OrderCreated`, `order.change.ResourceCreated`.
fn subject(notification: &Document) -> String {
    let of = |path: &[&str]| text_or_log(notification, path);
    match of(&["notificationType"]) {
        "Message" => format!("{}.message.{}", of(&["resource", "typeId"]), of(&["type"])),
        "Event" => format!("{}.event.{}", of(&["resourceType"]), of(&["type"])),
        change => format!("{}.change.{change}", of(&["resource", "typeId"])),
    }
}

/// Returns the id of a notification's subject.
fn subject_id(notification: &Document) -> Option<&str> {
    let of = |path: &[&str]| text(notification, path);
    of(&["resource", "id"]).or(of(&["data", "id"])).or(of(&["data", "key"])).or(of(&["id"]))
}

/// Returns a Message reduced to the common fields of all Messages; other notifications are never too large.
fn without_payload(notification: &Document) -> Option<Value> {
    let payload_type = notification.get("type").filter(|_| notification.contains_key("sequenceNumber"))?;
    let kept = ALWAYS_INCLUDED.iter().filter_map(|name| notification.get_key_value(*name));
    let mut cut: Document = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    let why = json!({"reason": "Payload too large.", "payloadType": payload_type});
    cut.insert("payloadNotIncluded", why);
    Some(Value::Object(cut))
}

fn cloud_event(whole: &Document, data: &Value, name: &str, origin: Origin<'_>) -> Value {
    let of = |path: &[&str]| text(whole, path);
    let kind = of(&["resource", "typeId"]).and_then(|type_id| origin.model.kind_by_type_id(type_id));
    let source = match kind {
        Some(kind) => format!("/{}/{}", origin.project_key, origin.model.kind(kind).path),
        None => format!("/{}", origin.project_key),
    };
    let mut event = Document::new();
    event.insert("specversion", json!("1.0"));
    event.insert("id", json!(of(&["id"]).unwrap_or(name)));
    event.insert("type", json!(format!("com.commercetools.{}", subject(whole))));
    event.insert("source", json!(source));
    event.insert("subject", json!(subject_id(whole)));
    let time = of(&["modifiedAt"]).or(of(&["lastModifiedAt"])).or(of(&["createdAt"]));
    event.insert("time", json!(time));
    if let (Some(sequence), Some(id)) = (whole.get("sequenceNumber"), of(&["id"])) {
        event.insert("sequence", json!(sequence.to_string()));
        event.insert("sequencetype", json!("Integer"));
        event.insert("dataref", json!(format!("/{}/messages/{id}", origin.project_key)));
    }
    event.insert("data", data.clone());
    Value::Object(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Value {
        json!({
            "notificationType": "Message", "projectKey": "shop", "id": "m-1", "version": 1, "sequenceNumber": 2,
            "resource": {"typeId": "customer-group", "id": "g-1"}, "resourceVersion": 2,
            "resourceUserProvidedIdentifiers": {"key": "friends"}, "type": "CustomerGroupCreated",
            "customerGroup": {"name": "x".repeat(5_000)}, "createdAt": "2026-01-01T00:00:00.000Z",
            "lastModifiedAt": "2026-01-01T00:00:00.000Z",
        })
    }

    fn payload(notification: &Value, is_cloud_event: bool, bytes_max: usize) -> Value {
        let model = Model::embedded().unwrap();
        let origin = Origin { project_key: "shop", model: &model };
        let payload = Payload::from_notification(notification, "n-1", is_cloud_event, bytes_max, origin);
        assert!(payload.body.len() <= bytes_max);
        kontor_json::from_slice(&payload.body).unwrap()
    }

    #[test]
    fn the_platform_format_is_the_notification_itself() {
        assert_eq!(payload(&message(), false, 10_000), message());
    }

    #[test]
    fn reduces_a_too_large_message_to_common_fields() {
        let cut = payload(&message(), false, 3_000);
        assert_eq!(
            cut["payloadNotIncluded"],
            json!({"reason": "Payload too large.", "payloadType": "CustomerGroupCreated"})
        );
        assert_eq!((&cut["sequenceNumber"], cut.get("customerGroup")), (&json!(2), None));
    }

    #[test]
    fn cloud_events_have_the_notification_as_their_data() {
        let event = payload(&message(), true, 10_000);
        let expected = json!({
            "specversion": "1.0", "id": "m-1", "type": "com.commercetools.customer-group.message.CustomerGroupCreated",
            "source": "/shop/customer-groups", "subject": "g-1", "time": "2026-01-01T00:00:00.000Z", "sequence": "2",
            "sequencetype": "Integer", "dataref": "/shop/messages/m-1", "data": message(),
        });
        assert_eq!(event, expected);
    }

    #[test]
    fn cloud_events_of_changes_have_an_id_of_their_own() {
        let change = json!({
            "notificationType": "ResourceUpdated", "projectKey": "shop", "resource": {"typeId": "order", "id": "o-1"},
            "resourceUserProvidedIdentifiers": {}, "version": 3, "oldVersion": 2,
            "modifiedAt": "2026-01-01T00:00:00.000Z",
        });
        let event = payload(&change, true, 10_000);
        let expected = json!({
            "specversion": "1.0", "id": "n-1", "type": "com.commercetools.order.change.ResourceUpdated",
            "source": "/shop/orders", "subject": "o-1", "time": "2026-01-01T00:00:00.000Z", "data": change,
        });
        assert_eq!(event, expected);
    }
}
