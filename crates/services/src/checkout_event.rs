//! Checkout events: a payment integration reports its results, and Kontor delivers them to Subscriptions (reference
//! types `Checkout…Event`, `CheckoutMessagePaymentsPayloadBaseData`, `CheckoutMessageOrderPayloadBaseData`).
//!
//! On the platform, Checkout itself creates these events. Kontor processes no payments.

use kontor_engine::document::must_get;
use kontor_engine::{Document, Shop};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The resource type of the events (reference type `EventSubscriptionResourceTypeId`).
const RESOURCE_TYPE: &str = "checkout";
/// The only event that is not about a Payment.
const NO_ORDER: &str = "CheckoutOrderCreationFailed";
/// The required fields of an event about an Order that could not be created.
const OF_ORDERS: [&str; 3] = ["cart", "payments", "errors"];
/// The fields of an event about a Payment: the first two are required.
const OF_MONEY: [&str; 4] = ["payment", "transactionId", "cart", "order"];
const OF_MONEY_ALWAYS: usize = 2;

/// Accepts an event and returns it in its delivered form. When this returns, it is stored for each matching
/// Subscription.
///
/// # Errors
/// 400 `RequiredField` for a missing field, `InvalidField` for an unknown one.
pub(crate) async fn deliver_event(shop: &Shop, event: Document) -> ApiResult<Value> {
    let data = event.get("data").and_then(Value::as_object);
    let data = data.ok_or_else(|| ApiError::bug("data that the model admitted is no object"))?;
    let data = validate_data(&event, data, &shop.key)?;
    let (id, time) = shop.read_by_rules(|rules| (rules.new_id(), rules.time().to_owned()));
    let sent = |name: &str| event.get(name).filter(|value| !value.is_null()).cloned();
    let event = Document::from_iter([
        ("notificationType".to_owned(), json!("Event")),
        ("id".to_owned(), sent("id").unwrap_or_else(|| json!(id))),
        ("resourceType".to_owned(), json!(RESOURCE_TYPE)),
        ("type".to_owned(), must_get(&event, &["type"])?.clone()),
        ("data".to_owned(), Value::Object(data)),
        ("createdAt".to_owned(), sent("createdAt").unwrap_or_else(|| json!(time))),
    ]);
    shop.queue_event(&event).await?;
    Ok(Value::Object(event))
}

/// Returns the delivered form of the data.
fn validate_data(event: &Document, data: &Document, project: &str) -> ApiResult<Document> {
    let is_of_order = event.get("type") == Some(&json!(NO_ORDER));
    let (takes, needs) = if is_of_order {
        (&OF_ORDERS[..], &OF_ORDERS[..])
    } else {
        (&OF_MONEY[..], &OF_MONEY[..OF_MONEY_ALWAYS])
    };
    let is_there = |name: &str| data.get(name).is_some_and(|value| !value.is_null());
    if let Some(missing) = needs.iter().find(|name| !is_there(name)) {
        return Err(ApiError::required_field(&format!("data.{missing}")));
    }
    let mut admitted = Document::from_iter([("projectKey".to_owned(), json!(project))]);
    for (name, value) in data.iter().filter(|(_, value)| !value.is_null()) {
        let place = format!("data.{name}");
        if name == "projectKey" {
            if value != project {
                let expected = format!("Expected '{project}', the key of the project.");
                return Err(ApiError::invalid_field(&place, value, &expected, Some(json!([project]))));
            }
        } else if !takes.contains(&name.as_str()) {
            let expected = format!("This event has {}.", takes.join(", "));
            return Err(ApiError::invalid_field(&place, value, &expected, None));
        } else {
            admitted.insert(name.clone(), value.clone());
        }
    }
    Ok(admitted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;

    fn refusal(event: Value) -> Option<Code> {
        let Value::Object(event) = event else { panic!() };
        let Value::Object(data) = event["data"].clone() else { panic!() };
        validate_data(&event, &data, "shop").err().map(|error| error.code())
    }

    #[test]
    fn events_of_money_name_their_payment() {
        let payment = json!({"typeId": "payment", "id": "p"});
        let event = |data: Value| json!({"type": "CheckoutPaymentCharged", "data": data});
        assert_eq!(refusal(event(json!({"payment": payment, "transactionId": "t"}))), None);
        assert_eq!(refusal(event(json!({"payment": payment}))), Some(Code::RequiredField));
        assert_eq!(
            refusal(event(json!({"payment": payment, "transactionId": "t", "errors": []}))),
            Some(Code::InvalidField)
        );
    }

    #[test]
    fn events_of_orders_name_what_failed() {
        let data = json!({"cart": {"typeId": "cart", "id": "c"}, "payments": [], "errors": [], "projectKey": "shop"});
        let event = |data: Value| json!({"type": NO_ORDER, "data": data});
        assert_eq!(refusal(event(data.clone())), None);
        let mut of_others = data;
        of_others["projectKey"] = json!("other");
        assert_eq!(refusal(event(of_others)), Some(Code::InvalidField));
        assert_eq!(refusal(event(json!({}))), Some(Code::RequiredField));
    }
}
