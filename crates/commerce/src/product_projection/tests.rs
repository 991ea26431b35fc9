use super::*;
use crate::test_shop::{TestShop, object};
use kontor_errors::Code;
use kontor_json::Value;
use kontor_json::json;

fn price(id: &str, cents: i64, more: Value) -> Value {
    let mut price = object(json!({
        "id": id, "value": {"type": "centPrecision", "currencyCode": "EUR", "centAmount": cents, "fractionDigits": 2}}));
    price.extend(object(more));
    Value::Object(price)
}

fn product() -> Document {
    object(json!({
        "id": "shirt", "name": {"en": "Shirt", "de": "Hemd"}, "slug": {"en": "shirt", "de-AT": "leiberl"},
        "priceMode": "Embedded",
        "attributes": [{"name": "care", "value": {"en": "Wash", "de": "Waschen"}}],
        "masterVariant": {"id": 1, "sku": "s1", "prices": [
            price("any", 100, json!({})),
            price("german", 90, json!({"country": "DE"})),
            price("web", 80, json!({"channel": {"typeId": "channel", "id": "web"}})),
            price("vip", 70, json!({"customerGroup": {"typeId": "customer-group", "id": "vip"}}))],
          "availability": {"channels": {"web": {"isOnStock": true}, "shop": {"isOnStock": false}}},
          "attributes": [
            {"name": "colour", "value": {"key": "red", "label": {"en": "Red", "de": "Rot"}}},
            {"name": "size", "value": 3}]},
        "variants": [{"id": 2, "prices": [], "attributes": [{"name": "size", "value": 4}]}],
    }))
}

fn splice_projection(shop: &TestShop, parameters: &[(&str, &str)]) -> ApiResult<Document> {
    let parameters =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let requested = ViewOptions { parameters, ..ViewOptions::default() };
    ProductProjection.validate_view_options(&requested)?;
    let mut document = product();
    shop.rules(|rules| ProductProjection.splice(&mut document, &requested, rules))?;
    Ok(document)
}

fn shop() -> TestShop {
    TestShop::new().with_document(
        "store",
        json!({"id": "berlin", "key": "berlin", "languages": ["de"], "countries": [{"code": "US"}],
            "distributionChannels": [{"typeId": "channel", "id": "shop"}],
            "supplyChannels": [{"typeId": "channel", "id": "shop"}]}),
    )
}

fn selected_price_id(parameters: &[(&str, &str)]) -> Value {
    splice_projection(&shop(), parameters).unwrap()["masterVariant"]["price"]["id"].clone()
}

#[test]
fn the_price_is_selected_for_the_caller() {
    let eur = ("priceCurrency", "EUR");
    assert_eq!(selected_price_id(&[eur]), "any");
    assert_eq!(selected_price_id(&[eur, ("priceCountry", "DE")]), "german");
    assert_eq!(selected_price_id(&[eur, ("priceChannel", "web")]), "web");
    assert_eq!(selected_price_id(&[eur, ("priceCustomerGroup", "vip"), ("priceCountry", "DE")]), "vip");
    assert_eq!(
        selected_price_id(&[
            eur,
            ("priceCustomerGroupAssignments", "x"),
            ("priceCustomerGroupAssignments", "vip")
        ]),
        "vip"
    );
    assert_eq!(selected_price_id(&[("priceCurrency", "USD")]), Value::Null);
    for alone in ["priceCountry", "priceCustomerGroup", "priceChannel"] {
        assert_eq!(splice_projection(&shop(), &[(alone, "DE")]).unwrap_err().code(), Code::InvalidInput);
    }
    assert_eq!(
        splice_projection(&shop(), &[("priceCurrency", "euro")]).unwrap_err().code(),
        Code::InvalidInput
    );
}

#[test]
fn a_standalone_price_is_active_and_of_the_sku() {
    let standalone = |id: &str, sku: &str, active: bool| {
        let mut price = price(id, 5, json!({"sku": sku, "active": active, "version": 3}));
        price["id"] = json!(id);
        price
    };
    let shop = shop()
        .with_document("standalone-price", standalone("off", "s1", false))
        .with_document("standalone-price", standalone("other", "s2", true))
        .with_document("standalone-price", standalone("on", "s1", true));
    let mut document = product();
    document.insert("priceMode", json!("Standalone"));
    let requested =
        ViewOptions { parameters: vec![("priceCurrency".into(), "EUR".into())], ..ViewOptions::default() };
    shop.rules(|rules| ProductProjection.splice(&mut document, &requested, rules)).unwrap();
    let price = &document["masterVariant"]["price"];
    assert_eq!((&price["id"], &price["version"], &price["sku"]), (&json!("on"), &Value::Null, &Value::Null));
    assert_eq!(document["variants"][0].get("price"), None, "without a SKU there is none");
}

#[test]
fn texts_are_in_the_languages_that_are_asked_for() {
    let seen = splice_projection(&shop(), &[("localeProjection", "de")]).unwrap();
    assert_eq!(seen["name"], json!({"de": "Hemd"}));
    assert_eq!(seen["slug"], json!({}));
    assert_eq!(seen["attributes"][0]["value"], json!({"de": "Waschen"}));
    let colour = &seen["masterVariant"]["attributes"][0];
    assert_eq!(*colour, json!({"name": "colour", "value": {"key": "red", "label": {"de": "Rot"}}}));
    assert_eq!(seen["masterVariant"]["prices"].as_array().unwrap().len(), 4);
}

#[test]
fn attributes_are_those_that_are_asked_for() {
    let names = |filters: &[&str]| -> Vec<String> {
        let filters: Vec<(&str, &str)> = filters.iter().map(|name| ("filter[attributes]", *name)).collect();
        let seen = splice_projection(&shop(), &filters).unwrap();
        let of = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|known| known["name"].as_str().unwrap().to_owned()).collect()
        };
        let mut all = of(&seen["attributes"]);
        all.extend(of(&seen["masterVariant"]["attributes"]));
        all
    };
    assert_eq!(names(&[]), ["care", "colour", "size"]);
    assert_eq!(names(&["size"]), ["size"]);
    assert_eq!(names(&["-size"]), ["care", "colour"]);
    assert_eq!(names(&["size", "care", "-care"]), ["size"]);
}

#[test]
fn a_store_shows_its_prices_its_stock_and_its_languages() {
    let seen = splice_projection(&shop(), &[("storeProjection", "berlin")]).unwrap();
    let prices: Vec<&Value> =
        seen["masterVariant"]["prices"].as_array().unwrap().iter().map(|price| &price["id"]).collect();
    assert_eq!(prices, ["any", "vip"]);
    assert_eq!(seen["masterVariant"]["availability"]["channels"], json!({"shop": {"isOnStock": false}}));
    assert_eq!(seen["name"], json!({"de": "Hemd"}));
    let in_english = super::tests::splice_projection(
        &shop(),
        &[("storeProjection", "berlin"), ("localeProjection", "en")],
    );
    assert_eq!(in_english.unwrap()["name"], json!({"en": "Shirt"}));
    let unknown = super::tests::splice_projection(&shop(), &[("storeProjection", "paris")]).unwrap_err();
    assert_eq!(unknown.code(), Code::ReferencedResourceNotFound);
}
