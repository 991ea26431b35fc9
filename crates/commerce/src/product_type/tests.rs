use super::*;
use crate::test_shop::{TestShop, object};
use kontor_engine::document::list;
use kontor_engine::{Effects, Write, trial};
use kontor_errors::Code;

fn attribute(name: &str, attribute_type: Value) -> Value {
    json!({"name": name, "type": attribute_type, "label": {"en": name}, "isRequired": false})
}

fn draft(attributes: Vec<Value>) -> Value {
    json!({"name": "Shirts", "description": "x", "attributes": attributes})
}

fn create(attributes: Vec<Value>) -> ApiResult<Document> {
    TestShop::new().create("product-type", draft(attributes))
}

fn sizes() -> Value {
    json!({"name": "enum", "values": [{"key": "s", "label": "Small"}, {"key": "l", "label": "Large"}]})
}

/// A stored Product Type: an enum, a set of a localized enum, and a text.
fn shirts() -> Document {
    let colours = json!({"name": "lenum", "values": [
        {"key": "red", "label": {"en": "Red"}}, {"key": "blue", "label": {"en": "Blue"}}]});
    let mut shirts = create(vec![
        attribute("size", sizes()),
        attribute("colours", json!({"name": "set", "elementType": colours})),
        attribute("text", json!({"name": "text"})),
    ])
    .unwrap();
    shirts.insert("id", json!("shirts"));
    shirts
}

fn apply_actions(actions: Value) -> ApiResult<Document> {
    TestShop::new().update("product-type", &shirts(), actions).map(|(after, _)| after)
}

fn code(actions: Value) -> Code {
    apply_actions(actions).unwrap_err().code()
}

/// Returns the stored renames after these actions.
fn stored_renames(actions: Value) -> AttributeRenames {
    let shop = TestShop::new();
    let written = shop.rules(|rules| {
        let mut effects = Effects::default();
        shop.update_with("product-type", &shirts(), actions, rules, &mut effects).unwrap();
        trial::effect_writes(effects, rules).unwrap()
    });
    match &written[..] {
        [Write::Put(put)] => AttributeRenames::read(kontor_json::from_slice(&put.body).ok().as_ref()),
        _ => panic!("{written:?}"),
    }
}

#[test]
fn a_draft_is_completed() {
    let shirts = create(vec![attribute("size", sizes())]).unwrap();
    let size = &shirts["attributes"][0];
    let completed = [
        ("level", json!("Variant")),
        ("attributeConstraint", json!("None")),
        ("inputHint", json!("SingleLine")),
        ("isSearchable", json!(true)),
    ];
    for (field, value) in completed {
        assert_eq!(size[field], value, "{field}");
    }
    assert_eq!(size["type"], sizes());
    assert_eq!(create(vec![]).unwrap()["attributes"], json!([]));
}

#[test]
fn definitions_do_not_contradict_each_other() {
    let text = || attribute("text", json!({"name": "text"}));
    let mut on_product = text();
    on_product["level"] = json!("Product");
    assert!(create(vec![on_product.clone()]).is_ok());
    on_product["attributeConstraint"] = json!("Unique");
    let same_key = json!({"key": "s", "label": "x"});
    let twice =
        json!({"name": "set", "elementType": {"name": "enum", "values": [same_key, same_key, same_key]}});
    let refused = [
        (vec![text(), text()], Code::AttributeDefinitionAlreadyExists),
        (vec![on_product], Code::InvalidOperation),
        (vec![attribute("size", twice)], Code::DuplicateEnumValues),
        (vec![attribute("x", json!({"name": "text"}))], Code::InvalidInput),
        (vec![attribute("size", json!({"name": "colour"}))], Code::InvalidField),
        (vec![attribute("sizes", json!({"name": "set", "elementType": {}}))], Code::InvalidJsonInput),
        (vec![attribute("size", json!({"name": "enum"}))], Code::InvalidJsonInput),
    ];
    for (attributes, code) in refused {
        let shown = json!(attributes);
        assert_eq!(create(attributes).unwrap_err().code(), code, "{shown}");
    }
}

#[test]
fn nested_types_have_a_product_type_no_constraint_and_no_search() {
    let shop = TestShop::new()
        .with_document("product-type", json!({"id": "facts", "key": "facts-key", "name": "Facts"}));
    let nested = json!({"name": "nested", "typeReference": {"typeId": "product-type", "key": "facts-key"}});
    let create = |attribute: Value| shop.create("product-type", draft(vec![attribute]));
    let alone = create(attribute("facts", nested.clone())).unwrap();
    assert_eq!(alone["attributes"][0]["isSearchable"], json!(false));
    let stored = create(attribute("facts", json!({"name": "set", "elementType": nested}))).unwrap();
    let facts = &stored["attributes"][0];
    assert_eq!(facts["isSearchable"], json!(true), "as it was sent");
    assert_eq!(
        facts["type"]["elementType"]["typeReference"],
        json!({"typeId": "product-type", "id": "facts"})
    );
    let mut unique = attribute("facts", nested.clone());
    unique["attributeConstraint"] = json!("Unique");
    assert_eq!(create(unique).unwrap_err().code(), Code::InvalidOperation);
    let gone = json!({"name": "nested", "typeReference": {"typeId": "product-type", "id": "gone"}});
    assert_eq!(create(attribute("facts", gone)).unwrap_err().code(), Code::ReferencedResourceNotFound);
    let sets = |depth: usize| {
        (0..depth).fold(nested.clone(), |inner, _| json!({"name": "set", "elementType": inner}))
    };
    let itself = json!({"name": "nested", "typeReference": {"typeId": "product-type", "id": "shirts"}});
    let add = json!([{"action": "addAttributeDefinition", "attribute": attribute("inner", itself)}]);
    let shop_with_it = TestShop::new().with_document("product-type", Value::Object(shirts()));
    let nesting_itself = shop_with_it.update("product-type", &shirts(), add).unwrap().0;
    assert_eq!(nesting_itself["attributes"][3]["type"]["typeReference"]["id"], "shirts");
    assert!(create(attribute("facts", sets(5))).is_ok());
    assert_eq!(create(attribute("facts", sets(6))).unwrap_err().code(), Code::InvalidOperation);
}

#[test]
fn one_name_has_one_type_in_all_product_types() {
    let shop = TestShop::new().with_document("product-type", Value::Object(shirts()));
    let create =
        |attribute_type: Value| shop.create("product-type", draft(vec![attribute("size", attribute_type)]));
    let other_values = json!({"name": "enum", "values": [{"key": "xl", "label": "Extra Large"}]});
    assert!(create(other_values).is_ok(), "values of enums may differ");
    let error = create(json!({"name": "text"})).unwrap_err();
    let body = error.objects()[0].to_json();
    assert_eq!(body["code"], "AttributeDefinitionTypeConflict");
    assert_eq!(body["conflictingProductTypeId"], "shirts");
    assert_eq!(body["conflictingProductTypeName"], "Shirts");
    assert_eq!(body["conflictingAttributeName"], "size");
    assert!(create(json!({"name": "set", "elementType": sizes()})).is_err());
}

#[test]
fn a_definition_is_renamed_and_removed() {
    let rename = |old: &str, new: &str| json!({"action": "changeAttributeName", "attributeName": old, "newAttributeName": new});
    let after = apply_actions(json!([rename("size", "length")])).unwrap();
    assert_eq!(names(&after), ["length", "colours", "text"]);
    assert_eq!(after.get(RENAMED), None);
    let mut expected = AttributeRenames::default();
    expected.rename("size", "width");
    expected.rename("length", "width");
    let mut chain = AttributeRenames::default();
    chain.rename("size", "length");
    chain.rename("length", "width");
    assert_eq!(stored_renames(json!([rename("size", "length"), rename("length", "width")])), chain);
    assert_eq!(code(json!([rename("none", "other")])), Code::AttributeNameDoesNotExist);
    assert_eq!(code(json!([rename("size", "text")])), Code::AttributeDefinitionAlreadyExists);
    let swap = json!([rename("size", "other"), rename("text", "size"), rename("other", "text")]);
    assert_eq!(code(swap), Code::InvalidOperation);

    let remove = |name: &str| json!({"action": "removeAttributeDefinition", "name": name});
    assert_eq!(names(&apply_actions(json!([remove("size")])).unwrap()), ["colours", "text"]);
    assert_eq!(code(json!([remove("none")])), Code::AttributeNameDoesNotExist);
    let number = attribute("size", json!({"name": "number"}));
    let again = json!([remove("size"), {"action": "addAttributeDefinition", "attribute": number}]);
    assert_eq!(code(again), Code::AttributeDefinitionAlreadyExists);
}

#[test]
fn definitions_are_brought_into_a_sequence() {
    let arrange = |names: &[&str]| {
        let all: Vec<Value> = names.iter().map(|name| attribute(name, json!({"name": "text"}))).collect();
        json!([{"action": "changeAttributeOrder", "attributes": all}])
    };
    assert_eq!(
        names(&apply_actions(arrange(&["text", "size", "colours"])).unwrap()),
        ["text", "size", "colours"]
    );
    for wrong in [&["text", "size"][..], &["text", "text", "size"], &["text", "size", "none"]] {
        assert_eq!(code(arrange(wrong)), Code::InvalidOperation);
    }
}

#[test]
fn constraints_are_only_ever_lifted() {
    let change = |from: &str| {
        let mut before = shirts();
        before["attributes"][0]["attributeConstraint"] = json!(from);
        let action =
            json!([{"action": "changeAttributeConstraint", "attributeName": "size", "newValue": "None"}]);
        TestShop::new().update("product-type", &before, action)
    };
    for from in ["SameForAll", "Unique", "None"] {
        assert_eq!(change(from).unwrap().0["attributes"][0]["attributeConstraint"], json!("None"));
    }
    assert_eq!(change("CombinationUnique").unwrap_err().code(), Code::InvalidOperation);
    let to_unique =
        json!([{"action": "changeAttributeConstraint", "attributeName": "size", "newValue": "Unique"}]);
    assert_eq!(code(to_unique), Code::InvalidField);
}

fn values(document: &Document, index: usize) -> &Value {
    &crate::attribute::element_type(&list(document, &["attributes"])[index]["type"])["values"]
}

#[test]
fn values_of_enums_are_added_relabelled_rekeyed_arranged_and_removed() {
    let one = |action: Value| apply_actions(json!([action]));
    for (index, name, kind, label) in
        [(0, "size", "Plain", json!("Medium")), (1, "colours", "Localized", json!({"en": "Medium"}))]
    {
        let first = values(&shirts(), index)[0].clone();
        let second = values(&shirts(), index)[1].clone();
        let add = |key: &Value| {
            json!({"action": format!("add{kind}EnumValue"), "attributeName": name,
            "value": {"key": key, "label": label}})
        };
        assert_eq!(values(&one(add(&json!("m"))).unwrap(), index)[2]["label"], label);
        assert_eq!(one(add(&first["key"])).unwrap_err().code(), Code::EnumKeyAlreadyExists);

        let relabel = |key: &Value, label: &Value| {
            json!({"action": format!("change{kind}EnumValueLabel"),
            "attributeName": name, "newValue": {"key": key, "label": label}})
        };
        assert_eq!(values(&one(relabel(&first["key"], &label)).unwrap(), index)[0]["label"], label);
        assert_eq!(one(relabel(&json!("none"), &label)).unwrap_err().code(), Code::EnumKeyDoesNotExist);
        let same = one(relabel(&first["key"], &first["label"]));
        assert_eq!(same.unwrap_err().code(), Code::InvalidOperation);

        let arrange = |values: Value| {
            json!({"action": format!("change{kind}EnumValueOrder"), "attributeName": name,
            "values": values})
        };
        assert_eq!(values(&one(arrange(json!([second, first]))).unwrap(), index)[0], second);
        for wrong in
            [json!([first]), json!([first, first]), json!([{"key": first["key"], "label": label}, second])]
        {
            assert_eq!(one(arrange(wrong)).unwrap_err().code(), Code::EnumValuesMustMatch);
        }

        let rekey = |old: &Value, new: &Value| {
            json!({"action": "changeEnumKey", "attributeName": name, "key": old,
            "newKey": new})
        };
        assert_eq!(values(&one(rekey(&first["key"], &json!("new"))).unwrap(), index)[0]["key"], "new");
        assert_eq!(one(rekey(&json!("none"), &json!("new"))).unwrap_err().code(), Code::EnumKeyDoesNotExist);
        assert_eq!(one(rekey(&first["key"], &second["key"])).unwrap_err().code(), Code::EnumKeyAlreadyExists);
        let mut expected = AttributeRenames::default();
        expected.rename_enum_key(name, first["key"].as_str().unwrap(), "new");
        assert_eq!(stored_renames(json!([rekey(&first["key"], &json!("new"))])), expected);

        let remove = |keys: Value| json!({"action": "removeEnumValues", "attributeName": name, "keys": keys});
        assert_eq!(*values(&one(remove(json!([first["key"]]))).unwrap(), index), json!([second]));
        assert_eq!(one(remove(json!(["none"]))).unwrap_err().code(), Code::EnumKeyDoesNotExist);
    }
    let other_kind = json!([{"action": "addPlainEnumValue", "attributeName": "colours", "value": {"key": "m", "label": "x"}}]);
    assert_eq!(code(other_kind), Code::InvalidOperation);
    let no_enum = json!([{"action": "removeEnumValues", "attributeName": "text", "keys": ["m"]}]);
    assert_eq!(code(no_enum), Code::InvalidOperation);
}

#[test]
fn values_of_a_required_enum_stay_where_they_may_be_used() {
    let mut before = shirts();
    before["attributes"][0]["isRequired"] = json!(true);
    let remove = json!([{"action": "removeEnumValues", "attributeName": "size", "keys": ["s"]}]);
    TestShop::new().update("product-type", &before, remove.clone()).unwrap();
    // Nested Attributes have no rows to find them by.
    let nested = json!({"name": "nested", "typeReference": {"typeId": "product-type", "id": before["id"]}});
    let outer = json!({"id": "outer", "attributes": [attribute("inner", nested)]});
    let shop = TestShop::new().with_document("product-type", outer);
    shop.update("product-type", &before, remove.clone()).unwrap();
    let product = json!({"id": "kit", "productType": {"typeId": "product-type", "id": "outer"}});
    let error = shop.with_document("product", product).update("product-type", &before, remove).unwrap_err();
    assert_eq!(error.code(), Code::EnumValueIsUsed);
}

#[test]
fn the_places_where_types_are_nested_are_indexed() {
    let model = kontor_model::Model::embedded().unwrap();
    let kind = model.kind(model.kind_by_type_id("product-type").unwrap());
    let indexed: Vec<String> = kind.indexed.iter().map(|path| path.join(".")).collect();
    for path in NESTED {
        assert!(indexed.iter().any(|known| known == path), "{path}: {indexed:?}");
    }
}

#[test]
fn renamings_are_deleted_with_the_product_type() {
    let shop = TestShop::new().with_document(CHANGES, json!({"id": "shirts", "names": {}, "keys": {}}));
    let written = shop.rules(|rules| {
        let mut effects = Effects::default();
        ProductType.before_delete(&object(json!({"id": "shirts"})), rules, &mut effects).unwrap();
        trial::effect_writes(effects, rules).unwrap()
    });
    assert!(matches!(&written[..], [Write::Delete { kind, id, .. }] if kind == CHANGES && id == "shirts"));
}
