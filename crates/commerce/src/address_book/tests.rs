use super::*;
use crate::test_shop::TestShop;
use kontor_errors::Code;

fn customer() -> Document {
    let draft = json!({
        "email": "a@example.com", "password": "hash",
        "addresses": [{"id": "mine", "key": "home", "country": "DE"}, {"key": "work", "country": "AT"}],
        "shippingAddresses": [1], "defaultShippingAddress": 0, "billingAddresses": [0, 0],
    });
    TestShop::new().create("customer", draft).unwrap()
}

fn apply_action(customer: &Document, action: Value) -> ApiResult<(Document, Vec<(String, Value)>)> {
    TestShop::new().update("customer", customer, json!([action]))
}

#[test]
fn a_draft_with_as_many_positions_as_addresses_takes_no_longer_by_the_square() {
    const ADDRESSES: usize = 20_000;
    let customer = TestShop::new().rules(|rules| {
        let addresses: Vec<Value> = (0..ADDRESSES).map(|_| json!({"country": "DE"})).collect();
        let mut customer = fields([("addresses", Some(Value::Array(addresses)))]);
        let positions: Vec<usize> = (0..ADDRESSES).chain(0..ADDRESSES).collect();
        let draft = fields([
            ("shippingAddresses", Some(json!(positions))),
            ("billingAddresses", Some(json!(positions))),
        ]);
        let started = std::time::Instant::now();
        complete(&mut customer, &draft, rules).unwrap();
        // With each compared to all, some 800 million comparisons of texts.
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
        customer
    });
    assert_eq!(list(&customer, &["shippingAddressIds"]).len(), ADDRESSES);
}

#[test]
fn positions_of_a_draft_become_ids() {
    let customer = customer();
    let id = |index: usize| customer["addresses"][index]["id"].clone();
    assert_ne!(id(0), "mine", "the platform makes the ids");
    assert_eq!(customer["shippingAddressIds"], json!([id(0), id(1)]), "the default is the first");
    assert_eq!(customer["defaultShippingAddressId"], id(0));
    assert_eq!(customer["billingAddressIds"], json!([id(0)]), "each once");
    for wrong in [json!(1), json!(-1)] {
        let draft = json!({
            "email": "a@example.com", "password": "hash", "addresses": [{"country": "DE"}],
            "defaultBillingAddress": wrong,
        });
        assert_eq!(TestShop::new().create("customer", draft).unwrap_err().code(), Code::InvalidOperation);
    }
}

#[test]
fn removing_an_address_removes_its_uses() {
    let customer = customer();
    let (rest, messages) =
        apply_action(&customer, json!({"action": "removeAddress", "addressKey": "home"})).unwrap();
    assert_eq!(rest["addresses"], json!([customer["addresses"][1]]));
    assert!(!rest.contains_key("defaultShippingAddressId"));
    assert_eq!(rest["billingAddressIds"], json!([]));
    assert_eq!(messages[0].1["addressRoles"], json!(["Shipping", "Billing"]));
}

#[test]
fn a_default_is_used_and_may_be_none() {
    let customer = customer();
    let work = customer["addresses"][1]["id"].clone();
    let set = json!({"action": "setDefaultBillingAddress", "addressId": work});
    let (changed, messages) = apply_action(&customer, set.clone()).unwrap();
    assert_eq!(changed["defaultBillingAddressId"], work);
    assert!(list(&changed, &["billingAddressIds"]).contains(&work));
    assert_eq!(messages.len(), 1);
    assert_eq!(apply_action(&changed, set).unwrap(), (changed.clone(), vec![]));
    let (none, messages) = apply_action(&changed, json!({"action": "setDefaultBillingAddress"})).unwrap();
    assert!(!none.contains_key("defaultBillingAddressId"));
    assert_eq!(messages, [("CustomerDefaultBillingAddressSet".to_owned(), json!({}))]);
}

#[test]
fn a_change_keeps_the_id() {
    let customer = customer();
    let change =
        |address: Value| json!({"action": "changeAddress", "addressKey": "home", "address": address});
    let (changed, _) = apply_action(&customer, change(json!({"id": "other", "country": "CH"}))).unwrap();
    assert_eq!(changed["addresses"][0], json!({"id": customer["addresses"][0]["id"], "country": "CH"}));
    let error = apply_action(&customer, change(json!({"key": "work", "country": "CH"}))).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateField);
}
