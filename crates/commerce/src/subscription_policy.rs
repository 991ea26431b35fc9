//! Selects the Subscriptions for Messages, changes and events, and writes the notifications in the Platform
//! format. Start at [`SubscriptionPolicy`].
//!
//! Source: reference types `MessageSubscription`, `ChangeSubscription`, `EventSubscription`,
//! `MessageDeliveryPayload`, `Resource…DeliveryPayload`, `EventDeliveryPayload`, `SubscriptionHealthStatus`.

use crate::subscription::{SUBSCRIPTION, is_served, is_token, token_of};
use bytes::Bytes;
use kontor_engine::document::{field_or_log, list, list_in, must_get, must_text, text};
use kontor_engine::{
    ChangeEvent, Document, EventPolicy, MESSAGE_NOTIFICATION, MESSAGES_BYTES_MAX, NewNotification, Rules,
    messages_too_large,
};
use kontor_errors::ApiResult;
use kontor_json::{ObjectWriter, Value, json};
use kontor_model::KindId;

/// For Carts, only creations are delivered (reference type `ChangeSubscriptionResourceTypeId`).
const BIRTHS_ONLY: &str = "cart";
/// For Orders, changes by an Order Edit are not delivered, recognized by a Message of this name (the same
/// type).
const ORDER: &str = "order";
const EDIT_APPLIED: &str = "OrderEditApplied";
/// A Subscription for Messages of Customers also receives those of their tokens.
const CUSTOMER: &str = "customer";
const IDENTIFIERS: &str = "resourceUserProvidedIdentifiers";
/// Room for most notifications of changes.
const BODY_BYTES_USUAL: usize = 512;

pub(crate) struct SubscriptionPolicy;

impl EventPolicy for SubscriptionPolicy {
    fn is_relevant_kind(&self, kind: KindId, rules: &Rules<'_>) -> bool {
        let type_id = rules.model.kind(kind).type_id.as_str();
        rules.resident_documents(SUBSCRIPTION).is_ok_and(|all| {
            all.iter().any(|subscription| {
                let mut named =
                    ["messages", "changes"].into_iter().flat_map(|subject| list(subscription, &[subject]));
                is_served(subscription) && named.any(|named| may_be_about(named, type_id))
            })
        })
    }

    fn of_change(&self, happened: &ChangeEvent<'_>, rules: &Rules<'_>) -> ApiResult<Vec<NewNotification>> {
        let type_id = rules.model.kind(happened.kind).type_id.as_str();
        let mut told = Vec::new();
        let mut change = None;
        let mut messages = SerializedMessages::new(happened.messages);
        for subscription in
            rules.resident_documents(SUBSCRIPTION)?.iter().filter(|subscription| is_served(subscription))
        {
            let mut bodies = Vec::new();
            if list(subscription, &["changes"]).iter().any(|named| named["resourceTypeId"] == type_id) {
                let body = match &change {
                    Some(body) => body,
                    None => change.insert(change_of(happened, type_id, rules)?),
                };
                bodies.extend(body.clone());
            }
            for (place, _) in happened
                .messages
                .iter()
                .enumerate()
                .filter(|(_, message)| matches_message(subscription, message, type_id))
            {
                bodies.push(messages.body(place, rules)?);
            }
            if !bodies.is_empty() {
                told.push(NewNotification { to: id_of(subscription)?, bodies });
            }
        }
        Ok(told)
    }

    /// Tokens of Customers are created and deleted with a change of their Customer.
    fn of_hidden(
        &self,
        kind: &str,
        id: &str,
        is_new: bool,
        rules: &Rules<'_>,
    ) -> ApiResult<Vec<NewNotification>> {
        if !is_token(kind) {
            return Ok(Vec::new());
        }
        let mut told = Vec::new();
        for subscription in
            rules.resident_documents(SUBSCRIPTION)?.iter().filter(|subscription| is_served(subscription))
        {
            if list(subscription, &["changes"]).iter().any(|named| named["resourceTypeId"] == kind) {
                let name = if is_new { "ResourceCreated" } else { "ResourceDeleted" };
                let mut body = beginning(name, rules)?;
                body.object("resource", |resource| {
                    resource.text("typeId", kind);
                    resource.text("id", id);
                });
                body.value(IDENTIFIERS, &json!({}));
                body.value("version", &json!(1));
                body.text("modifiedAt", rules.time());
                told.push(NewNotification { to: id_of(subscription)?, bodies: vec![body.finish().into()] });
            }
        }
        Ok(told)
    }

    fn of_event(&self, event: &Document, rules: &Rules<'_>) -> ApiResult<Vec<NewNotification>> {
        let all = rules.resident_documents(SUBSCRIPTION)?;
        let wanting = all.iter().filter(|subscription| {
            is_served(subscription)
                && list(subscription, &["events"]).iter().any(|named| {
                    event.get("resourceType") == named.get("resourceTypeId") && has_type(named, event)
                })
        });
        // All Subscriptions share one serialized event.
        let body = body_of_event(event, rules);
        wanting
            .map(|subscription| Ok(NewNotification { to: id_of(subscription)?, bodies: vec![body.clone()] }))
            .collect()
    }
}

/// The Messages of a change, each serialized once for all Subscriptions.
struct SerializedMessages<'d> {
    messages: &'d [Document],
    bodies: Vec<Option<Bytes>>,
    bytes: usize,
}

impl<'d> SerializedMessages<'d> {
    fn new(messages: &'d [Document]) -> Self {
        Self { messages, bodies: vec![None; messages.len()], bytes: 0 }
    }

    /// Returns the body of one Message. 400 `ResourceSizeLimitExceeded` if all bodies together become too large.
    fn body(&mut self, place: usize, rules: &Rules<'_>) -> ApiResult<Bytes> {
        if let Some(body) = &self.bodies[place] {
            return Ok(body.clone());
        }
        let body = body_of_message(&self.messages[place], rules)?;
        self.bytes += body.len();
        if self.bytes > MESSAGES_BYTES_MAX {
            return Err(messages_too_large());
        }
        Ok(self.bodies[place].insert(body).clone())
    }
}

fn id_of(subscription: &Document) -> ApiResult<String> {
    must_text(subscription, &["id"]).map(str::to_owned)
}

/// Whether the type named by a Subscription may match changes of a kind.
fn may_be_about(named: &Value, type_id: &str) -> bool {
    let named = field_or_log(named, "resourceTypeId");
    named == type_id || (type_id == CUSTOMER && named.starts_with(CUSTOMER))
}

/// Returns whether a Subscription matches a Message.
fn matches_message(subscription: &Document, message: &Document, type_id: &str) -> bool {
    let token = text(message, &["type"]).and_then(token_of);
    list(subscription, &["messages"]).iter().any(|named| {
        let kind = named["resourceTypeId"].as_str();
        (kind == Some(type_id) || token.is_some() && token == kind) && has_type(named, message)
    })
}

/// Whether the type of an object is among the named types; true if none is named.
fn has_type(named: &Value, something: &Document) -> bool {
    let types = list_in(named, "types");
    types.is_empty() || something.get("type").is_some_and(|name| types.contains(name))
}

/// Returns the notification of a change; `None` if such a change is not delivered.
fn change_of(happened: &ChangeEvent<'_>, type_id: &str, rules: &Rules<'_>) -> ApiResult<Option<Bytes>> {
    let (before, after) = (happened.before, happened.after);
    if type_id == BIRTHS_ONLY && before.is_some() || before.is_some() && before == after {
        return Ok(None);
    }
    let is_edit = |message: &Document| text(message, &["type"]) == Some(EDIT_APPLIED);
    if type_id == ORDER && happened.messages.iter().any(is_edit) {
        return Ok(None);
    }
    let Some(subject) = after.or(before) else { return Ok(None) };
    let name = match (before, after) {
        (None, _) => "ResourceCreated",
        (Some(_), Some(_)) => "ResourceUpdated",
        (Some(_), None) => "ResourceDeleted",
    };
    let mut body = beginning(name, rules)?;
    let id = must_text(subject, &["id"])?;
    body.object("resource", |resource| {
        resource.text("typeId", type_id);
        resource.text("id", id);
    });
    happened.write_identifiers(IDENTIFIERS, &mut body, rules);
    body.value("version", must_get(subject, &["version"])?);
    if let (Some(old), Some(_)) = (before.and_then(|before| before.get("version")), after) {
        body.value("oldVersion", old);
    }
    body.text("modifiedAt", rules.time());
    if after.is_none() && happened.erases {
        body.value("dataErasure", &json!(true));
    }
    Ok(Some(body.finish().into()))
}

fn body_of_message(message: &Document, rules: &Rules<'_>) -> ApiResult<Bytes> {
    let mut body = beginning(MESSAGE_NOTIFICATION, rules)?;
    body.members(message);
    if !message.contains_key(IDENTIFIERS) {
        body.value(IDENTIFIERS, &json!({}));
    }
    Ok(body.finish().into())
}

fn body_of_event(event: &Document, rules: &Rules<'_>) -> Bytes {
    let mut body = ObjectWriter::with_capacity(BODY_BYTES_USUAL);
    body.text("notificationType", "Event");
    if !event.contains_key("id") {
        body.text("id", &rules.new_id());
    }
    body.members(event);
    if !event.contains_key("createdAt") {
        body.text("createdAt", rules.time());
    }
    body.finish().into()
}

fn beginning(name: &str, rules: &Rules<'_>) -> ApiResult<ObjectWriter> {
    let mut body = ObjectWriter::with_capacity(BODY_BYTES_USUAL);
    body.text("notificationType", name);
    body.value("projectKey", must_get(rules.project, &["key"])?);
    Ok(body)
}
