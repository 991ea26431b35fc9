//! An Approval Rule of a Business Unit, and an Order that waits for an approval.

use crate::belongings::{Belongings, NamedResource};
use crate::client::Client;
use kontor_json::{Value, json};

/// Creates both, as an Associate with the role `own`. `marker` begins the texts of the rule, which the flow repeats.
pub(crate) fn make(
    client: &Client,
    tag: &str,
    marker: &str,
    (associate, unit, store): (&NamedResource, &NamedResource, &str),
    all: &mut Belongings,
) {
    let base = format!("/as-associate/{}/in-business-unit/key={}", associate.id, unit.key);
    let role = |key: &str| json!({"associateRole": {"typeId": "associate-role", "key": key}});
    let key = format!("{tag}-approval-rule");
    let text = format!("{marker}-approval-rule {tag}");
    let rule = client.make(
        &format!("{base}/approval-rules"),
        json!({"key": key, "name": text, "description": text, "status": "Active",
        "predicate": "totalPrice > \"0.01 EUR\"", "requesters": [role("own")],
        "approvers": {"tiers": [{"and": [{"or": [role("approver")]}]}]}}),
    );
    all.insert("approval-rule", NamedResource { id: id_of(&rule), key });
    let cart = client.make(&format!("{base}/carts"), json!({"currency": "EUR", "country": "DE", "taxMode": "Disabled",
        "store": {"typeId": "store", "key": store}, "shippingAddress": {"country": "DE"}, "customLineItems": [{"name": {"en": text}, "slug": "coffee", "quantity": 1,
            "money": {"currencyCode": "EUR", "centAmount": 100}}]}));
    let order = json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]});
    client.make(&format!("{base}/orders"), order);
    let flows = client.read(&format!("{base}/approval-flows"));
    let flow = id_of(&flows["results"][0]);
    // Approval Flows have no keys.
    all.insert("approval-flow", NamedResource { key: flow.clone(), id: flow });
}

fn id_of(document: &Value) -> String {
    document["id"].as_str().unwrap_or_else(|| panic!("no document: {document}")).to_owned()
}
