//! Tests that documents of earlier releases, which lack fields with defaults, are read with them, keep their prices, and
//! are not rewritten.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_engine::{Address, Caller, ListRequest, Shop};
use kontor_json::{Value, json};
use kontor_model::Model;
use kontor_storage::{Commit, Put, Sqlite, SqliteOptions, Storage};
use std::sync::Arc;

/// The texts of fields that documents of earlier releases lack.
const NEW_FIELDS: [&str; 4] = [
    r#","taxRoundingTarget":"Net""#,
    r#","directDiscountsIgnoreCartDiscounts":true"#,
    r#","savedToLineItem":true"#,
    r#","participateInBestDealSelection":true"#,
];

struct AgedShop {
    shop: Shop,
    storage: Arc<Sqlite>,
}

impl AgedShop {
    async fn open() -> Self {
        let model = Model::embedded().unwrap();
        let behaviours = Arc::new(kontor_commerce::join_behaviours(&model).unwrap());
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let shop = Shop::open("shop", "shop", Arc::new(model), behaviours, storage.clone()).await.unwrap();
        Self { shop, storage }
    }

    /// Creates a document, and returns it.
    async fn create(&self, path: &str, draft: Value) -> Value {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let created = self.shop.create(kind, draft, &Caller::default()).await.unwrap();
        kontor_json::from_slice(&created.body).unwrap()
    }

    /// Returns the stored bytes of a document.
    fn stored(&self, type_id: &str, document: &Value) -> String {
        let stored = self.storage.get(type_id, document["id"].as_str().unwrap()).unwrap().unwrap();
        String::from_utf8(stored.body.to_vec()).unwrap()
    }

    /// Rewrites a document as an earlier release would have written it.
    fn age(&self, type_id: &str, document: &Value) -> String {
        let mut body = self.stored(type_id, document);
        for field in NEW_FIELDS {
            body = body.replace(field, "");
        }
        let put = Put {
            kind: type_id.to_owned(),
            id: document["id"].as_str().unwrap().to_owned(),
            version: document["version"].as_i64().unwrap(),
            body: body.clone().into(),
            ..Put::default()
        };
        self.storage.commit_blocking(Commit::new().put(put)).unwrap();
        body
    }

    fn read(&self, path: &str, document: &Value) -> Value {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let id = document["id"].as_str().unwrap();
        kontor_json::from_slice(&self.shop.must_get(kind, &Address::Id(id)).unwrap().body).unwrap()
    }

    async fn update(&self, path: &str, document: &Value, action: Value) -> Value {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let body = json!({"version": self.read(path, document)["version"], "actions": [action]});
        let address = Address::Id(document["id"].as_str().unwrap());
        let updated = self.shop.update(kind, &address, body, &Caller::default()).await.unwrap();
        kontor_json::from_slice(&updated.body).unwrap()
    }

    fn count(&self, path: &str, predicate: &str) -> usize {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let request = ListRequest { wheres: vec![predicate.to_owned()], limit: 20, ..ListRequest::default() };
        self.shop.list(kind, &request).unwrap().results.len()
    }
}

#[tokio::test]
async fn documents_of_earlier_releases_have_the_defaults_of_new_fields() {
    let aged = AgedShop::open().await;
    let rate = json!({"name": "VAT", "amount": 0.19, "includedInPrice": true, "country": "DE"});
    let category =
        aged.create("tax-categories", json!({"key": "full", "name": "Full", "rates": [rate]})).await;
    let attribute =
        json!({"name": "brand", "label": {"en": "Brand"}, "isRequired": false, "type": {"name": "text"}});
    let product_type = json!({"key": "any", "name": "Any", "description": "x", "attributes": [attribute]});
    let product_type = aged.create("product-types", product_type).await;
    let before = aged.age("tax-category", &category);
    assert!(!before.contains("taxRoundingTarget"));
    assert_eq!(aged.read("tax-categories", &category), category, "with the fields in their order");
    assert_eq!(aged.count("tax-categories", r#"rates(taxRoundingTarget = "Net")"#), 1);
    assert_eq!(aged.count("tax-categories", r#"rates(taxRoundingTarget = "Tax")"#), 0);
    aged.age("product-type", &product_type);
    assert_eq!(aged.read("product-types", &product_type), product_type);
    assert_eq!(aged.count("product-types", "attributes(savedToLineItem = true)"), 1);

    // Nothing is rewritten, also by an update without an effect; a change stores all of it.
    assert_eq!(aged.stored("tax-category", &category), before);
    let same = aged.update("tax-categories", &category, json!({"action": "setKey", "key": "full"})).await;
    assert_eq!((&same, aged.stored("tax-category", &category)), (&category, before));
    let changed = aged.update("tax-categories", &category, json!({"action": "setKey", "key": "other"})).await;
    assert_eq!((&changed["version"], &changed["rates"]), (&json!(2), &category["rates"]));
    assert!(aged.stored("tax-category", &category).contains(r#""taxRoundingTarget":"Net""#));
}

/// 7.00 after the Product Discount, 8.00 after the Direct Discount: earlier releases compared them.
#[tokio::test]
async fn carts_of_earlier_releases_keep_their_prices() {
    let aged = AgedShop::open().await;
    let best_deal = json!({"action": "setDiscountsConfiguration", "discountsConfiguration": {"discountCombinationMode": "BestDeal"}});
    let project = aged.shop.model().kind_by_type_id("project").unwrap();
    let body = json!({"version": aged.shop.project()["version"], "actions": [best_deal]});
    aged.shop.update(project, &Address::Only, body, &Caller::default()).await.unwrap();
    aged.create("product-types", json!({"key": "any", "name": "Any", "description": "x"})).await;
    let thirty = json!({"name": {"en": "30 %"}, "value": {"type": "relative", "permyriad": 3000}, "predicate": "1 = 1", "sortOrder": "0.5", "isActive": true});
    aged.create("product-discounts", thirty).await;
    let prices = json!([{"value": {"currencyCode": "EUR", "centAmount": 1000}}]);
    let table = json!({"productType": {"key": "any"}, "name": {"en": "Table"}, "slug": {"en": "table"}, "publish": true, "masterVariant": {"sku": "a", "prices": prices}});
    aged.create("products", table).await;
    aged.shop.settle().unwrap();
    let cart = aged.create("carts", json!({"currency": "EUR", "lineItems": [{"sku": "a"}]})).await;
    let twenty = json!({"value": {"type": "relative", "permyriad": 2000}, "target": {"type": "lineItems", "predicate": "true"}, "participateInBestDealSelection": true});
    let cart =
        aged.update("carts", &cart, json!({"action": "setDirectDiscounts", "discounts": [twenty]})).await;
    assert_eq!(cart["totalPrice"]["centAmount"], json!(700));

    let before = aged.age("cart", &cart);
    assert!(!before.contains("directDiscountsIgnoreCartDiscounts") && !before.contains("BestDealSelection"));
    let read = aged.read("carts", &cart);
    assert_eq!(read["directDiscountsIgnoreCartDiscounts"], json!(true));
    assert_eq!(read["directDiscounts"][0].get("participateInBestDealSelection"), None);
    assert_eq!(aged.count("carts", "directDiscountsIgnoreCartDiscounts = true"), 1);
    let same = aged.update("carts", &cart, json!({"action": "recalculate"})).await;
    assert_eq!((&same, aged.stored("cart", &cart)), (&read, before));
    let tenth = json!({"name": {"en": "10 %"}, "value": {"type": "relative", "permyriad": 1000}, "cartPredicate": "true", "target": {"type": "totalPrice"}, "sortOrder": "0.5"});
    aged.create("cart-discounts", tenth).await;
    let changed =
        aged.update("carts", &cart, json!({"action": "setCustomerEmail", "email": "a@example.com"})).await;
    assert_eq!(changed["totalPrice"]["centAmount"], json!(700), "Direct Discounts put Cart Discounts aside");
}
