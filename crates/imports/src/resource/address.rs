//! Compares the addresses of Customers and Business Units: matched by key, or, without one, by content.

use crate::difference::{Difference, is_same_value};
use kontor_json::{Value, json};

/// A use of addresses: the field with the ids or the id in documents, the field with positions in imports,
/// and the actions that add and remove the use.
const SHIPPING: AddressUse = AddressUse {
    ids: "shippingAddressIds",
    sent: "shippingAddresses",
    add: "addShippingAddressId",
    remove: "removeShippingAddressId",
};
const BILLING: AddressUse = AddressUse {
    ids: "billingAddressIds",
    sent: "billingAddresses",
    add: "addBillingAddressId",
    remove: "removeBillingAddressId",
};
const DEFAULTS: [(&str, &str, &str); 2] = [
    ("defaultShippingAddressId", "defaultShippingAddress", "setDefaultShippingAddress"),
    ("defaultBillingAddressId", "defaultBillingAddress", "setDefaultBillingAddress"),
];

struct AddressUse {
    ids: &'static str,
    sent: &'static str,
    add: &'static str,
    remove: &'static str,
}

/// Adds the actions for imported addresses. Uses of new addresses are assigned by key, so that addresses
/// without one are only added.
pub(super) fn differ(difference: &mut Difference<'_>) {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let before = list(difference.before.get("addresses"));
    let sent = list(difference.draft.get("addresses"));
    let mut ids: Vec<Option<String>> = Vec::new();
    let mut actions = Vec::new();
    for address in &sent {
        let known = before.iter().find(|old| match address.get("key") {
            Some(key) => old.get("key") == Some(key),
            None => is_same_value(old, address, difference.references),
        });
        match known {
            Some(old) => {
                if !is_same_value(old, address, difference.references) {
                    actions
                        .push(json!({"action": "changeAddress", "addressId": old["id"], "address": address}));
                }
                ids.push(old["id"].as_str().map(str::to_owned));
            }
            None => {
                actions.push(json!({"action": "addAddress", "address": address}));
                ids.push(None);
            }
        }
    }
    let gone: Vec<Value> = before
        .iter()
        .filter(|old| !ids.iter().flatten().any(|id| old["id"].as_str() == Some(id)))
        .map(|old| json!({"action": "removeAddress", "addressId": old["id"]}))
        .collect();
    // Removals come first: a new address may have the key of a removed one.
    let mut all = gone;
    all.append(&mut actions);
    let named = |position: &Value| -> Option<Value> {
        let position = usize::try_from(position.as_i64()?).ok()?;
        match ids.get(position)? {
            Some(id) => Some(json!({"addressId": id})),
            None => Some(json!({"addressKey": sent.get(position)?.get("key")?})),
        }
    };
    for one in [SHIPPING, BILLING] {
        all.extend(address_use_actions(difference, &one, &named, &ids));
    }
    for (id, field, action) in DEFAULTS {
        let wanted = difference.draft.get(field).and_then(named);
        let has = difference.before.get(id);
        let is_same = match &wanted {
            Some(wanted) => has.is_some() && wanted.get("addressId") == has,
            None => has.is_none(),
        };
        if !is_same {
            all.push(action_with_fields(action, wanted.unwrap_or_else(|| json!({}))));
        }
    }
    difference.actions.extend(all);
}

fn address_use_actions(
    difference: &Difference<'_>,
    of: &AddressUse,
    named: &dyn Fn(&Value) -> Option<Value>,
    kept: &[Option<String>],
) -> Vec<Value> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let before = list(difference.before.get(of.ids));
    let mut wanted: Vec<Value> = list(difference.draft.get(of.sent)).iter().filter_map(named).collect();
    // The default address is always one of the addresses of its use.
    let default = DEFAULTS.iter().find(|(id, ..)| id.to_ascii_lowercase().contains(&of.ids[..7]));
    wanted.extend(default.and_then(|(_, field, _)| difference.draft.get(*field)).and_then(named));
    let mut actions = Vec::new();
    for id in &before {
        let stays = kept.iter().flatten().any(|kept| id.as_str() == Some(kept));
        if stays && !wanted.iter().any(|wanted| wanted.get("addressId") == Some(id)) {
            actions.push(action_with_fields(of.remove, json!({"addressId": id})));
        }
    }
    for wanted in wanted {
        let is_there = wanted.get("addressId").is_some_and(|id| before.contains(id));
        let action = action_with_fields(of.add, wanted);
        if !is_there && !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions
}

fn action_with_fields(action: &str, fields: Value) -> Value {
    let mut made = json!({"action": action});
    if let (Value::Object(made), Value::Object(fields)) = (&mut made, fields) {
        made.extend(fields);
    }
    made
}
