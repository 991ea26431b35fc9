//! Describes the requests that the server sends: notifications of Subscriptions, and calls of API Extensions.

use crate::operation::content;
use crate::schemas::Schemas;
use kontor_json::{Map, Value, json};

/// A sent request: its name and summary, the types of its body, and each expected response with its type.
struct Webhook {
    name: &'static str,
    summary: &'static str,
    bodies: &'static [&'static str],
    responses: &'static [(u16, &'static str, Option<&'static str>)],
}

const ALL: &[Webhook] = &[
    Webhook {
        name: "subscriptionDelivery",
        summary: "A notification to the destination of a Subscription",
        bodies: &["DeliveryPayload", "CloudEventsPayload"],
        responses: &[(200, "Any status from 200 to 299: the notification has arrived.", None)],
    },
    Webhook {
        name: "extensionCall",
        summary: "A change, before it is stored, to the destination of an API Extension",
        bodies: &["ExtensionInput"],
        responses: &[
            (200, "The change is accepted. An empty body means no update actions.", Some("ExtensionOutput")),
            (400, "The change is refused.", Some("ExtensionRefusal")),
        ],
    },
];

/// Returns the requests whose bodies the model declares.
pub(crate) fn all(schemas: &mut Schemas<'_>) -> Value {
    let mut all = Map::new();
    for webhook in ALL {
        let bodies: Vec<Value> = webhook.bodies.iter().filter_map(|name| schemas.declared(name)).collect();
        let body = match bodies.as_slice() {
            [] => continue,
            [one] => one.clone(),
            several => json!({"oneOf": several}),
        };
        let mut responses = Map::new();
        for (status, description, schema) in webhook.responses {
            let mut response = json!({"description": description});
            if let Some(schema) = schema.and_then(|name| schemas.declared(name)) {
                response["content"] = content(&schema);
            }
            responses.insert(status.to_string(), response);
        }
        let described = json!({
            "operationId": webhook.name, "summary": webhook.summary,
            "requestBody": {"required": true, "content": content(&body)}, "responses": responses,
        });
        all.insert(webhook.name, json!({"post": described}));
    }
    Value::Object(all)
}
