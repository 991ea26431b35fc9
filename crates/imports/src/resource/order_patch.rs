//! Imports patches of Orders: an update action for each field (reference: OrderPatchImport).

use super::{ResourceImport, version};
use crate::outcome::{ImportFailure, ImportResult};
use crate::references;
use kontor_json::{Value, json};

/// Fields that become one action, with the fields of the value as its arguments.
const SINGLE: [&str; 6] = [
    "addReturnInfo",
    "addParcelToDelivery",
    "removeParcelFromDelivery",
    "setDeliveryAddress",
    "setParcelMeasurements",
    "setParcelTrackingData",
];

pub(super) async fn import_order_patch(import: ResourceImport<'_>) -> ImportResult<i64> {
    let number = import.text(&["orderNumber"])?;
    let Some(order) = references::find_by_key(import.shop, "order", number)? else {
        return Err(ImportFailure::waiting_for("order", number));
    };
    let fields = &import.draft["fields"];
    let mut actions: Vec<Value> = Vec::new();
    let with = |action: &str, value: &Value| {
        let mut made = json!({"action": action});
        if let (Value::Object(made), Value::Object(fields)) = (&mut made, value) {
            made.extend(fields.clone());
        }
        made
    };
    for delivery in fields["addDeliveries"].as_array().into_iter().flatten() {
        actions.push(with("addDelivery", delivery));
    }
    for action in SINGLE {
        if let Some(value) = fields.get(action) {
            actions.push(with(action, value));
        }
    }
    if let Some(id) = fields.get("removeDelivery").and_then(|removed| removed.get("id")) {
        actions.push(json!({"action": "removeDelivery", "deliveryId": id}));
    }
    for items in fields["setParcelItems"].as_array().into_iter().flatten() {
        let mut action = with("setParcelItems", items);
        if action.get("items").is_none() {
            action["items"] = json!([]);
        }
        actions.push(action);
    }
    import.update("order", &order, actions).await.map(|after| version(&after))
}
