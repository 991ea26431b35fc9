//! Counts the round trips of each kind of operation to a storage across a network: batches of reads, and commits.
//!
//! `round_trips/table.txt` holds the numbers and the reads of each batch. `UPDATE=1 cargo test -p kontor-commerce
//! --test round_trips` rewrites it; a number that rises needs a reason.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod shop;

use kontor_json::{Value, json};
use shop::CountedShop;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/round_trips/table.txt");

#[tokio::test]
async fn round_trips_are_those_of_the_table() {
    let shop = CountedShop::open().await;
    states(&shop).await;
    categories(&shop).await;
    products(&shop).await;
    prices_and_stock(&shop).await;
    customers(&shop).await;
    shopping_lists(&shop).await;
    business_units(&shop).await;
    carts(&shop).await;
    variants(&shop).await;
    let table = shop.table();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(TABLE, &table).unwrap();
    }
    let expected = std::fs::read_to_string(TABLE).unwrap_or_default();
    assert_eq!(table, expected, "UPDATE=1 rewrites {TABLE}");
}

/// An identifier by key.
fn by_key(type_id: &str, key: &str) -> Value {
    json!({"typeId": type_id, "key": key})
}

async fn states(shop: &CountedShop) {
    for key in ["open", "done"] {
        shop.make("states", json!({"key": key, "type": "ProductState", "initial": true})).await;
    }
    shop.creates("a State", "states", json!({"key": "new", "type": "ProductState"})).await;
    let name = json!({"action": "setName", "name": {"en": "New"}});
    shop.updates("a State: setName", "states", "new", name).await;
    let transitions = json!({"action": "setTransitions", "transitions": [by_key("state", "open"), by_key("state", "done")]});
    shop.updates("a State: setTransitions to two", "states", "new", transitions).await;
    shop.deletes("a State", "states", "new").await;
}

async fn categories(shop: &CountedShop) {
    shop.make(
        "types",
        json!({"key": "note", "name": {"en": "Note"},
        "resourceTypeIds": ["category", "product-price", "customer", "shopping-list", "inventory-entry"],
        "fieldDefinitions": [
            {"name": "note", "label": {"en": "Note"}, "required": false, "type": {"name": "String"}}]}),
    )
    .await;
    let category = |key: &str| json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
    for key in ["root", "other"] {
        shop.make("categories", category(key)).await;
    }
    let mut draft = category("below");
    draft["parent"] = by_key("category", "root");
    draft["custom"] = json!({"type": by_key("type", "note"), "fields": {"note": "a"}});
    shop.creates("a Category below another, with custom fields", "categories", draft).await;
    let name = json!({"action": "changeName", "name": {"en": "New"}});
    shop.updates("a Category: changeName", "categories", "below", name).await;
    let parent = json!({"action": "changeParent", "parent": by_key("category", "other")});
    shop.updates("a Category: changeParent", "categories", "below", parent).await;
    shop.deletes("a Category", "categories", "below").await;
    let mut draft = category("top");
    shop.make("categories", draft).await;
    for number in 0..20 {
        draft = category(&format!("child-{number}"));
        draft["parent"] = by_key("category", "top");
        shop.make("categories", draft).await;
    }
    let parent = json!({"action": "changeParent", "parent": by_key("category", "root")});
    shop.follows("20 children of a Category that moved", "categories", "top", parent).await;
}

/// Four prices: for everybody, in a Channel, for a group, in a country.
fn prices(amount: i64) -> Value {
    let value = json!({"currencyCode": "EUR", "centAmount": amount});
    json!([
        {"value": value},
        {"value": value, "channel": by_key("channel", "shop")},
        {"value": value, "customerGroup": by_key("customer-group", "friends")},
        {"value": value, "country": "DE", "channel": by_key("channel", "other"),
         "custom": {"type": by_key("type", "note"), "fields": {"note": "a"}}},
    ])
}

fn variant(product: &str, number: i64) -> Value {
    json!({"sku": format!("{product}-{number}"), "key": format!("{product}-{number}"), "prices": prices(1000 + number),
        "attributes": [{"name": "color", "value": "red"}, {"name": "related", "value": by_key("category", "other")}]})
}

fn product(key: &str) -> Value {
    json!({"key": key, "name": {"en": key}, "slug": {"en": key}, "productType": by_key("product-type", "book"),
        "taxCategory": by_key("tax-category", "full"), "state": by_key("state", "open"),
        "categories": [by_key("category", "root"), by_key("category", "other")],
        "masterVariant": variant(key, 1), "variants": [variant(key, 2), variant(key, 3), variant(key, 4)]})
}

async fn products(shop: &CountedShop) {
    let attribute = |name: &str, kind: Value| json!({"name": name, "label": {"en": name}, "isRequired": false, "type": kind});
    shop.make(
        "product-types",
        json!({"key": "book", "name": "Book", "description": "Books", "attributes": [
        attribute("color", json!({"name": "text"})),
        attribute("related", json!({"name": "reference", "referenceTypeId": "category"}))]}),
    )
    .await;
    shop.make("tax-categories", json!({"key": "full", "name": "Full", "rates": []})).await;
    shop.make("customer-groups", json!({"key": "friends", "groupName": "Friends"})).await;
    for key in ["shop", "other"] {
        shop.make("channels", json!({"key": key, "roles": ["ProductDistribution", "InventorySupply"]})).await;
    }
    shop.creates("a Product of 4 variants and 16 prices", "products", product("atlas")).await;
    shop.make(
        "product-discounts",
        json!({"name": {"en": "Sale"}, "value": {"type": "relative", "permyriad": 1000},
        "predicate": "1 = 1", "sortOrder": "0.5", "isActive": true}),
    )
    .await;
    shop.creates("the same, while there is a Product Discount", "products", product("novel")).await;
    let price = json!({"action": "addPrice", "variantId": 2,
        "price": {"value": {"currencyCode": "EUR", "centAmount": 1}, "country": "US", "channel": by_key("channel", "shop")}});
    shop.updates("such a Product: addPrice", "products", "novel", price).await;
    let name = json!({"action": "changeName", "name": {"en": "New"}});
    shop.updates("such a Product: changeName", "products", "novel", name).await;
    shop.updates("such a Product: publish", "products", "novel", json!({"action": "publish"})).await;
    let moved = json!([
        {"action": "addToCategory", "category": by_key("category", "root")},
        {"action": "transitionState", "state": by_key("state", "done")},
        {"action": "setTaxCategory", "taxCategory": by_key("tax-category", "full")}]);
    shop.updates("such a Product: three actions", "products", "novel", moved).await;
    shop.updates("such a Product: unpublish", "products", "novel", json!({"action": "unpublish"})).await;
    shop.deletes("such a Product", "products", "novel").await;
}

async fn prices_and_stock(shop: &CountedShop) {
    let value = json!({"currencyCode": "EUR", "centAmount": 100});
    let price = json!({"key": "price", "sku": "atlas-1", "value": value, "channel": by_key("channel", "shop"),
        "customerGroup": by_key("customer-group", "friends")});
    shop.creates("a Standalone Price", "standalone-prices", price).await;
    let changed = json!({"action": "changeValue", "value": {"currencyCode": "EUR", "centAmount": 200}});
    shop.updates("a Standalone Price: changeValue", "standalone-prices", "price", changed).await;
    shop.deletes("a Standalone Price", "standalone-prices", "price").await;

    let entry = json!({"key": "stock", "sku": "atlas-1", "quantityOnStock": 5, "supplyChannel": by_key("channel", "shop"),
        "custom": {"type": by_key("type", "note"), "fields": {"note": "a"}}});
    shop.creates("an Inventory entry", "inventory", entry).await;
    let added = json!({"action": "addQuantity", "quantity": 5});
    shop.updates("an Inventory entry: addQuantity", "inventory", "stock", added).await;
    shop.deletes("an Inventory entry", "inventory", "stock").await;
}

async fn customers(shop: &CountedShop) {
    for key in ["berlin", "vienna"] {
        shop.make("stores", json!({"key": key, "name": {"en": key}})).await;
    }
    let customer = json!({"key": "maria", "email": "maria@example.com", "password": "secret",
        "addresses": [{"country": "DE"}], "defaultShippingAddress": 0,
        "customerGroup": by_key("customer-group", "friends"),
        "stores": [by_key("store", "berlin"), by_key("store", "vienna")],
        "custom": {"type": by_key("type", "note"), "fields": {"note": "a"}}});
    shop.creates("a Customer, in two Stores and a Customer Group", "customers", customer).await;
    let signs_up = json!({"key": "noah", "email": "noah@example.com", "password": "secret"});
    shop.creates("a Customer who signs up", "customers", signs_up).await;
    let mine = json!({"email": "emma@example.com", "password": "secret"});
    shop.signs_up("a Customer below /me", mine).await;
    let name = json!({"action": "setFirstName", "firstName": "Maria"});
    shop.updates("a Customer: setFirstName", "customers", "maria", name).await;
    let group = json!({"action": "setCustomerGroup", "customerGroup": by_key("customer-group", "friends")});
    shop.updates("a Customer: setCustomerGroup", "customers", "noah", group).await;
    let email = json!({"action": "changeEmail", "email": "noah@example.org"});
    shop.updates("a Customer: changeEmail", "customers", "noah", email).await;
    let noah = shop.document("customers", "noah");
    let token = shop
        .serves(
            "a Customer: createEmailToken",
            "Customer",
            "createEmailToken",
            json!({"id": noah["id"], "ttlMinutes": 60}),
        )
        .await;
    shop.serves(
        "a Customer: confirmEmail",
        "Customer",
        "confirmEmail",
        json!({"tokenValue": token["value"]}),
    )
    .await;
    let noah = shop.document("customers", "noah");
    let changed = json!({"id": noah["id"], "version": noah["version"], "currentPassword": "secret", "newPassword": "new"});
    shop.serves("a Customer: changePassword", "Customer", "changePassword", changed).await;
    shop.make("customers", json!({"key": "gone", "email": "gone@example.com", "password": "secret"})).await;
    shop.deletes("a Customer", "customers", "gone").await;
    shop.make("stores", json!({"key": "gone"})).await;
    shop.deletes("a Store", "stores", "gone").await;
}

async fn shopping_lists(shop: &CountedShop) {
    let list = json!({"key": "list", "name": {"en": "List"}, "customer": by_key("customer", "noah"),
        "store": by_key("store", "berlin"),
        "lineItems": [{"sku": "atlas-1", "quantity": 1}, {"sku": "atlas-2", "quantity": 2}]});
    shop.creates("a Shopping List of two line items", "shopping-lists", list).await;
    let name = json!({"action": "changeName", "name": {"en": "New"}});
    shop.updates("a Shopping List: changeName", "shopping-lists", "list", name).await;
    let added = json!({"action": "addLineItem", "sku": "atlas-3", "quantity": 1});
    shop.updates("a Shopping List: addLineItem", "shopping-lists", "list", added).await;
    shop.deletes("a Shopping List", "shopping-lists", "list").await;
}

async fn business_units(shop: &CountedShop) {
    shop.make("associate-roles", json!({"key": "admin", "permissions": ["UpdateAssociates"]})).await;
    let associate = |customer: &str| {
        json!({"customer": by_key("customer", customer),
            "associateRoleAssignments": [{"associateRole": by_key("associate-role", "admin")}]})
    };
    let company = json!({"key": "acme", "unitType": "Company", "name": "Acme", "stores": [by_key("store", "berlin")],
        "associates": [associate("maria"), associate("noah")]});
    shop.creates("a Business Unit of two associates", "business-units", company).await;
    let division = json!({"key": "sales", "unitType": "Division", "name": "Sales",
        "parentUnit": by_key("business-unit", "acme"), "associates": [associate("maria")]});
    shop.creates("a Business Unit below another", "business-units", division).await;
    let name = json!({"action": "changeName", "name": "New"});
    shop.updates("a Business Unit: changeName", "business-units", "acme", name).await;
    let added = json!({"action": "addAssociate", "associate": associate("noah")});
    shop.updates("a Business Unit: addAssociate", "business-units", "sales", added).await;
    shop.deletes("a Business Unit", "business-units", "sales").await;
}

async fn carts(shop: &CountedShop) {
    for number in 1..=10 {
        let mut bought = product(&format!("bought-{number}"));
        bought["publish"] = json!(true);
        shop.make("products", bought).await;
    }
    let noah = shop.document("customers", "noah")["id"].clone();
    let gets = json!({"key": "tenth", "name": {"en": "Tenth"}, "value": {"type": "relative", "permyriad": 1000}, "cartPredicate": "true",
        "target": {"type": "lineItems", "predicate": "true"}, "sortOrder": "0.3", "requiresDiscountCode": true});
    shop.make("cart-discounts", gets).await;
    let code = json!({"code": "TENTH", "key": "tenth", "cartDiscounts": [by_key("cart-discount", "tenth")]});
    shop.make("discount-codes", code).await;
    let lines: Vec<Value> = (1..=10).map(|number| json!({"sku": format!("bought-{number}-1")})).collect();
    let cart = json!({"key": "cart", "currency": "EUR", "taxMode": "Disabled", "customerId": noah, "lineItems": lines});
    shop.creates("a Cart of ten line items by SKU", "carts", cart).await;
    let more: Vec<Value> = (1..=10)
        .map(|number| json!({"action": "addLineItem", "sku": format!("bought-{number}-2")}))
        .collect();
    shop.updates("a Cart: ten times addLineItem", "carts", "cart", json!(more)).await;
    let code = json!({"action": "addDiscountCode", "code": "TENTH"});
    shop.updates("such a Cart: addDiscountCode", "carts", "cart", code).await;
    let one = json!({"action": "addLineItem", "sku": "bought-1-3"});
    shop.updates("such a Cart with a Discount Code: addLineItem", "carts", "cart", one).await;
    shop.deletes("a Cart", "carts", "cart").await;
}

async fn variants(shop: &CountedShop) {
    shop.set(json!({"action": "setProductCatalogModel", "productCatalogModel": "Modular"})).await;
    shop.make(
        "products",
        json!({"key": "globe", "name": {"en": "globe"}, "slug": {"en": "globe"},
        "productType": by_key("product-type", "book"), "publish": true}),
    )
    .await;
    let draft = |key: &str| {
        json!({"key": key, "sku": key, "product": by_key("product", "globe"),
            "attributes": [{"name": "color", "value": "red"}]})
    };
    shop.creates("a Variant", "variants", draft("globe-1")).await;
    for number in 2..=10 {
        shop.make("variants", draft(&format!("globe-{number}"))).await;
    }
    let items: Vec<Value> = (1..=10).map(|number| json!({"key": format!("globe-{number}")})).collect();
    let publish = json!({"items": items, "actions": [{"action": "publish"}]});
    shop.updates_in_bulk("ten Variants: publish", "variants", publish).await;
    shop.deletes("a Variant", "variants", "globe-10").await;
}
