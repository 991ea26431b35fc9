//! The orders of the demo shop: one in each state, from just placed to returned.
//!
//! They are created like real ones: from a cart, and with update actions. Each has an order number, by which a later
//! start finds it.

use super::catalog::{CUSTOMERS, customer_key};
use super::furniture::{SERIES, THINGS, WOODS, product_key};
use crate::operator::OperatorConnection;
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::{Value, json};

/// The progress of an order. Later stages include the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Placed,
    Confirmed,
    Packed,
    /// One delivery is shipped, others are not.
    PartlySent,
    Delivered,
    SentBack,
}

/// The order number, the index of the customer, the line items (index of the series and of the piece of furniture, and
/// the quantity), the key of the shipping method, and the stage.
type SampleOrder = (&'static str, usize, &'static [(usize, usize, i64)], &'static str, Stage);

const ORDERS: &[SampleOrder] = &[
    ("2027-1001", 0, &[(0, 3, 1), (0, 4, 4)], "delivery", Stage::SentBack),
    ("2027-1002", 1, &[(2, 0, 1)], "express", Stage::Delivered),
    ("2027-1003", 2, &[(4, 9, 2), (5, 5, 1)], "delivery", Stage::PartlySent),
    ("2027-1004", 3, &[(7, 6, 1)], "delivery", Stage::Packed),
    ("2027-1005", 0, &[(3, 2, 3)], "express", Stage::Confirmed),
    ("2027-1006", 1, &[(6, 8, 1), (6, 4, 1)], "delivery", Stage::Placed),
];
/// An order that was cancelled before anything was shipped.
const CANCELLED: SampleOrder = ("2027-1007", 2, &[(9, 7, 1)], "delivery", Stage::Placed);

/// Creates the orders that do not exist yet. Returns how many the shop has.
pub(super) async fn create_orders(operator: &OperatorConnection, project: &str) -> anyhow::Result<usize> {
    let shop = DemoShopClient { operator, base: format!("/{}", percent_encoded(project)) };
    for bought in ORDERS {
        let actions = |order: &Value| actions(order, bought.4);
        shop.order(bought, actions).await?;
    }
    let cancelled = |_: &Value| {
        vec![
            json!({"action": "changeOrderState", "orderState": "Cancelled"}),
            json!({"action": "changeShipmentState", "shipmentState": "Canceled"}),
        ]
    };
    shop.order(&CANCELLED, cancelled).await?;
    Ok(ORDERS.len() + 1)
}

struct DemoShopClient<'a> {
    operator: &'a OperatorConnection,
    base: String,
}

impl DemoShopClient<'_> {
    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        Ok(self
            .operator
            .send(Method::POST, &format!("{}/{path}", self.base), Some(body))
            .await?
            .accepted()?)
    }

    /// Creates one order and applies its update actions. Continues with an order that an earlier start left unfinished.
    async fn order(
        &self,
        bought: &SampleOrder,
        actions: impl Fn(&Value) -> Vec<Value>,
    ) -> anyhow::Result<()> {
        let (number, ..) = bought;
        let path = format!("{}/orders/order-number={number}", self.base);
        let found = self.operator.send(Method::GET, &path, None).await?;
        let order = match found.status {
            200 => found.body,
            _ => self.placed(bought).await?,
        };
        if order["version"] != 1 {
            return Ok(());
        }
        let actions = actions(&order);
        if actions.is_empty() {
            return Ok(());
        }
        let path = format!("orders/order-number={number}");
        self.post(&path, &json!({"version": 1, "actions": actions})).await.map(drop)
    }

    async fn placed(&self, bought: &SampleOrder) -> anyhow::Result<Value> {
        let (number, ..) = bought;
        let cart = format!("{}/carts/key={number}", self.base);
        let found = self.operator.send(Method::GET, &cart, None).await?;
        let cart = match found.status {
            200 => found.body,
            _ => {
                let customer = format!("{}/customers/key={}", self.base, customer_key(CUSTOMERS[bought.1].1));
                let customer = self.operator.send(Method::GET, &customer, None).await?.accepted()?;
                self.post("carts", &cart_of(bought, &customer["id"])).await?
            }
        };
        let payment = format!("{}/payments/key={number}", self.base);
        if self.operator.send(Method::GET, &payment, None).await?.status != 200 {
            self.post("payments", &payment_of(number, &cart)).await?;
        }
        let order = json!({"cart": {"typeId": "cart", "key": number}, "version": cart["version"], "orderNumber": number,
            "paymentState": "Pending", "shipmentState": "Pending"});
        self.post("orders", &order).await
    }
}

fn cart_of((number, customer, items, shipping, _): &SampleOrder, customer_id: &Value) -> Value {
    let (email, first, last) = CUSTOMERS[*customer];
    let sku = |(series, thing, _): &(usize, usize, i64)| {
        format!("{}-{}", product_key(SERIES[*series], THINGS[*thing].1), WOODS[0].0)
    };
    let address = json!({"country": "DE", "city": "Hamburg", "streetName": "Elbchaussee", "firstName": first, "lastName": last});
    json!({
        "key": number, "currency": "EUR", "country": "DE", "locale": "de", "customerEmail": email,
        "customerId": customer_id, "shippingAddress": address, "billingAddress": address,
        "shippingMethod": {"typeId": "shipping-method", "key": shipping},
        "lineItems": items.iter().map(|item| json!({"sku": sku(item), "quantity": item.2})).collect::<Vec<_>>(),
    })
}

fn payment_of(number: &str, cart: &Value) -> Value {
    let price = &cart["totalPrice"];
    let amount = json!({"currencyCode": price["currencyCode"], "centAmount": price["centAmount"]});
    json!({
        "key": number, "interfaceId": format!("psp-{number}"), "amountPlanned": amount,
        "paymentMethodInfo": {"paymentInterface": "demo", "method": "CREDIT_CARD", "name": {"en": "Card", "de": "Karte"}},
        "transactions": [{"type": "Authorization", "amount": amount, "state": "Success"}],
    })
}

/// Returns the update actions that bring an order to a stage.
fn actions(order: &Value, stage: Stage) -> Vec<Value> {
    let number = order["orderNumber"].as_str().unwrap_or_default();
    let payment = json!({"typeId": "payment", "key": number});
    let mut actions = vec![json!({"action": "addPayment", "payment": payment})];
    let mut until = |reached: Stage, further: Vec<Value>| {
        if stage >= reached {
            actions.extend(further);
        }
    };
    let state = |name: &str| json!({"action": "changeOrderState", "orderState": name});
    let shipped = |name: &str| json!({"action": "changeShipmentState", "shipmentState": name});
    let paid = json!({"action": "changePaymentState", "paymentState": "Paid"});
    let items: Vec<&Value> = order["lineItems"].as_array().into_iter().flatten().collect();
    let delivery = |key: &str, items: &[&Value]| {
        let items: Vec<Value> =
            items.iter().map(|item| json!({"id": item["id"], "quantity": item["quantity"]})).collect();
        let tracking = json!({"carrier": "Nordspedition", "trackingId": format!("NS-{number}-{key}")});
        json!({"action": "addDelivery", "deliveryKey": key, "items": items,
            "parcels": [{"key": format!("{key}-parcel"), "trackingData": tracking, "items": items}]})
    };
    let (first, rest) = items.split_at(items.len().min(1));
    until(Stage::Confirmed, vec![state("Confirmed"), paid]);
    until(Stage::Packed, vec![shipped("Ready")]);
    until(Stage::PartlySent, vec![delivery("first", first), shipped("Partial")]);
    let others = (!rest.is_empty()).then(|| delivery("second", rest));
    until(Stage::Delivered, others.into_iter().chain([shipped("Delivered"), state("Complete")]).collect());
    let returned = items.iter().take(1).map(|item| {
        json!({"quantity": 1, "lineItemId": item["id"], "comment": "Too large for the room", "shipmentState": "Returned"})
    });
    let returned = json!({"action": "addReturnInfo", "returnTrackingId": format!("R-{number}"), "items": returned.collect::<Vec<_>>()});
    until(Stage::SentBack, vec![returned]);
    actions
}
