use super::*;
use crate::test_shop::{TestShop, object};
use kontor_enums::AttributeLevelEnum;
use proptest::prelude::*;

fn field(name: &str, attribute_type: Value) -> Value {
    json!({"name": name, "type": attribute_type, "level": "Variant", "isRequired": false, "isSearchable": true})
}

fn simple(name: &str) -> Value {
    json!({"name": name})
}

fn set_of(element: Value) -> Value {
    json!({"name": "set", "elementType": element})
}

/// A Product Type with one Attribute of each type, named after it, and one that nests another Product Type.
fn everything() -> Document {
    let sizes = json!([{"key": "s", "label": "Small"}, {"key": "l", "label": "Large"}]);
    let colours = json!([{"key": "red", "label": {"en": "Red", "de": "Rot"}}]);
    let names = ["boolean", "text", "ltext", "number", "money", "date", "time", "datetime"];
    let mut all: Vec<Value> = names.iter().map(|name| field(name, simple(name))).collect();
    all.push(field("enum", json!({"name": "enum", "values": sizes})));
    all.push(field("lenum", json!({"name": "lenum", "values": colours})));
    all.push(field("reference", json!({"name": "reference", "referenceTypeId": "category"})));
    all.push(field("enums", set_of(json!({"name": "enum", "values": sizes}))));
    all.push(field("numbers", set_of(set_of(simple("number")))));
    let nested = json!({"name": "nested", "typeReference": {"typeId": "product-type", "id": "facts"}});
    all.push(field("facts", set_of(nested.clone())));
    all.push(field("fact", nested));
    object(json!({"id": "all", "name": "Everything", "attributes": all}))
}

fn shop() -> TestShop {
    let mut amount = field("amount", simple("number"));
    amount["isRequired"] = json!(true);
    let unit = field("unit", json!({"name": "enum", "values": [{"key": "g", "label": "gram"}]}));
    TestShop::new()
        .with_document("category", json!({"id": "books", "key": "books-key"}))
        .with_document("product-type", json!({"id": "facts", "name": "Facts", "attributes": [amount, unit]}))
}

fn checked(attributes: Value) -> ApiResult<Value> {
    let attributes = attributes.as_array().unwrap().clone();
    shop()
        .rules(|rules| check(&everything(), &attributes, AttributeLevelEnum::Variant, "attributes", rules))
        .map(Value::Array)
}

/// Returns the stored form of one Attribute's value.
fn stored(name: &str, value: Value) -> ApiResult<Value> {
    checked(json!([{"name": name, "value": value}])).map(|all| all[0]["value"].clone())
}

fn refusal(name: &str, value: Value) -> Value {
    stored(name, value).unwrap_err().objects()[0].to_json()
}

#[test]
fn values_are_brought_into_the_form_in_which_they_are_stored() {
    let small = json!({"key": "s", "label": "Small"});
    let grams =
        json!([{"name": "amount", "value": 3}, {"name": "unit", "value": {"key": "g", "label": "gram"}}]);
    let table = [
        ("boolean", json!(true), json!(true)),
        ("text", json!("x"), json!("x")),
        ("ltext", json!({"en": "x"}), json!({"en": "x"})),
        ("number", json!(1.5), json!(1.5)),
        ("date", json!("2027-01-31"), json!("2027-01-31")),
        ("datetime", json!("2027-01-31T12:00:00+01:00"), json!("2027-01-31T11:00:00.000Z")),
        ("enum", json!("s"), small.clone()),
        ("enum", json!({"key": "s", "label": "whatever"}), small.clone()),
        ("lenum", json!("red"), json!({"key": "red", "label": {"en": "Red", "de": "Rot"}})),
        (
            "money",
            json!({"currencyCode": "EUR", "centAmount": 100}),
            json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": 100, "fractionDigits": 2}),
        ),
        (
            "reference",
            json!({"typeId": "category", "id": "books"}),
            json!({"typeId": "category", "id": "books"}),
        ),
        (
            "reference",
            json!({"typeId": "category", "key": "books-key"}),
            json!({"typeId": "category", "id": "books"}),
        ),
        ("enums", json!(["s", "l"]), json!([small, {"key": "l", "label": "Large"}])),
        ("numbers", json!([[1], [2], [1, 2]]), json!([[1], [2], [1, 2]])),
        ("fact", json!([{"name": "amount", "value": 3}, {"name": "unit", "value": "g"}]), grams.clone()),
        ("facts", json!([[{"name": "amount", "value": 3}, {"name": "unit", "value": "g"}]]), json!([grams])),
    ];
    for (name, sent, expected) in table {
        assert_eq!(stored(name, sent).unwrap(), expected, "{name}");
    }
}

#[test]
fn values_of_another_type_are_invalid() {
    let table = [
        ("boolean", json!("true")),
        ("text", json!(1)),
        ("ltext", json!("x")),
        ("number", json!("1")),
        ("money", json!(100)),
        ("money", json!({"currencyCode": "ZZZ", "centAmount": 1})),
        ("date", json!("31.01.2027")),
        ("time", json!("noon")),
        ("datetime", json!("2027-01-31T25:00")),
        ("enum", json!("m")),
        ("enum", json!({"label": "Small"})),
        ("enum", json!(1)),
        ("lenum", json!("blue")),
        ("enums", json!("s")),
        ("reference", json!("books")),
        ("reference", json!({"typeId": "product-type", "id": "facts"})),
        ("fact", json!({"amount": 3})),
        ("fact", json!([{"name": "amount", "value": 3, "more": 1}])),
        ("fact", json!([3])),
    ];
    for (name, sent) in table {
        let error = refusal(name, sent.clone());
        assert_eq!(error["code"], "InvalidField", "{name} {sent}");
        assert!(error["field"].as_str().unwrap().starts_with(name), "{error}");
        assert!(error["message"].as_str().unwrap().ends_with("(at attributes[0])"), "{error}");
    }
}

#[test]
fn the_field_of_an_error_is_the_name_of_the_attribute() {
    assert_eq!(refusal("enum", json!("m"))["field"], "enum");
    assert_eq!(refusal("enum", json!("m"))["allowedValues"], json!(["s", "l"]));
    let twice = refusal("enums", json!(["s", "l", {"key": "s"}]));
    assert_eq!(twice["invalidValue"], json!({"key": "s", "label": "Small"}));
    assert_eq!(refusal("numbers", json!([[1], [1, 1]]))["code"], "InvalidField");
    let element = refusal("enums", json!(["s", "m"]));
    assert_eq!(element["field"], "enums");
    assert!(
        element["message"].as_str().unwrap().ends_with("(at element 1 of enums) (at attributes[0])"),
        "{element}"
    );
    let inside = refusal("facts", json!([[{"name": "amount", "value": "x"}]]));
    assert_eq!(inside["field"], "facts.amount");
}

#[test]
fn unknown_attributes_targets_and_doubles_are_refused() {
    let code = |attributes: Value| checked(attributes).unwrap_err().objects()[0].to_json();
    let unknown = code(json!([{"name": "colour", "value": 1}]));
    assert_eq!(
        (&unknown["code"], &unknown["invalidAttributeName"]),
        (&json!("AttributeNameDoesNotExist"), &json!("colour"))
    );
    let twice = code(json!([{"name": "text", "value": "a"}, {"name": "text", "value": "b"}]));
    assert_eq!(twice["code"], "DuplicateField");
    let id = "5f0c1c5e-9a3c-4d63-8f0e-3c1d2b4a5e6f";
    let gone = refusal("reference", json!({"typeId": "category", "id": id}));
    assert_eq!(gone["code"], "ReferencedResourceNotFound");
    let gone = refusal("reference", json!({"typeId": "category", "key": "gone"}));
    assert_eq!(gone["code"], "ReferencedResourceNotFound");
    let inside = refusal("fact", json!([{"name": "amount", "value": 1}, {"name": "size", "value": 1}]));
    assert_eq!(inside["code"], "AttributeNameDoesNotExist");
}

#[test]
fn a_reference_by_what_is_no_id_is_an_invalid_value() {
    let error = refusal("reference", json!({"typeId": "category", "id": "gone"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("InvalidField"), &json!("reference")));
    let message = error["message"].as_str().unwrap();
    let worded = r#"The value '{"id":"gone","typeId":"category"}' is not valid for field 'reference'."#;
    assert!(message.starts_with(worded), "{message}");
    for id in ["5f0c1c5e9a3c4d638f0e3c1d2b4a5e6f", "5f0c1c5e-9a3c-4d63-8f0e-3c1d2b4a5e6g", ""] {
        assert!(!is_uuid(id), "{id}");
    }
}

#[test]
fn an_attribute_without_a_value_is_none() {
    assert_eq!(checked(json!([{"name": "text", "value": null}, {"name": "enum"}])).unwrap(), json!([]));
}

#[test]
fn required_attributes_are_required_at_their_level() {
    let mut ean = field("ean", simple("text"));
    ean["isRequired"] = json!(true);
    let mut brand = field("brand", simple("text"));
    brand["isRequired"] = json!(true);
    brand["level"] = json!("Product");
    let mut tags = field("tags", set_of(simple("text")));
    tags["isRequired"] = json!(true);
    let product_type = object(json!({"name": "Strict", "attributes": [ean, brand, tags]}));
    let shop = shop();
    let try_at = |level: AttributeLevelEnum, attributes: Value| {
        let attributes = attributes.as_array().unwrap().clone();
        shop.rules(|rules| check(&product_type, &attributes, level, "attributes", rules))
    };
    let given = json!([{"name": "ean", "value": "1"}]);
    assert!(try_at(AttributeLevelEnum::Variant, given.clone()).is_ok(), "a set cannot be required");
    let missing = try_at(AttributeLevelEnum::Variant, json!([])).unwrap_err();
    assert_eq!(missing.objects()[0].to_json()["field"], "ean");
    assert_eq!(missing.code(), Code::RequiredField);
    assert_eq!(try_at(AttributeLevelEnum::Product, json!([])).unwrap_err().code(), Code::RequiredField);
    assert_eq!(try_at(AttributeLevelEnum::Product, given).unwrap_err().code(), Code::InvalidOperation);
    let removed =
        shop.rules(|rules| value(&product_type, "ean", None, AttributeLevelEnum::Variant, "value", rules));
    assert_eq!(removed.unwrap_err().code(), Code::RequiredField);
    let removed =
        shop.rules(|rules| value(&product_type, "tags", None, AttributeLevelEnum::Variant, "value", rules));
    assert_eq!(removed.unwrap(), None);
}

#[test]
fn a_searchable_text_has_a_limit() {
    let long = "ä".repeat(SEARCHABLE_TEXT_CHARS_MAX);
    assert!(stored("text", json!(long)).is_ok());
    assert_eq!(refusal("text", json!(format!("{long}x")))["code"], "InvalidField");
    assert_eq!(refusal("ltext", json!({"en": format!("{long}x")}))["code"], "InvalidField");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
        Just(json!("s")),
        Just(json!({"key": "s"})),
        Just(json!({"currencyCode": "EUR", "centAmount": 1})),
        Just(json!({"typeId": "category", "id": "books"})),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            ("(name|value|key|en)", inner).prop_map(|(name, value)| json!({"name": "amount", name: value})),
        ]
    })
}

proptest! {
    /// Any input gives a documented error, or a stored value that is accepted unchanged when it is sent
    /// again.
    #[test]
    fn stored_values_are_accepted_unchanged(index in 0..15_usize, sent in any_value()) {
        let all = everything();
        let name = list(&all, &["attributes"])[index]["name"].as_str().unwrap().to_owned();
        match checked(json!([{"name": name, "value": sent}])) {
            Ok(once) => prop_assert_eq!(checked(once.clone()).unwrap(), once),
            Err(error) => prop_assert_eq!(error.status(), 400),
        }
    }
}
