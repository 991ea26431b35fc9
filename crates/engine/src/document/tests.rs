use super::*;
use kontor_enums::{ShippingMode, TaxMode};
use kontor_json::json;

fn document(value: Value) -> Document {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn creates_missing_objects_only_when_setting() {
    let mut subject = Document::new();
    set(&mut subject, &["a", "b"], None);
    assert_eq!(subject, Document::new());
    set(&mut subject, &["a", "b"], Some(json!(1)));
    assert_eq!(subject, document(json!({"a": {"b": 1}})));
    set(&mut subject, &["a", "b"], None);
    assert_eq!(subject, document(json!({"a": {}})));
}

#[test]
fn a_text_that_is_no_value_of_its_enum_is_a_defect_with_its_place() {
    let cart = document(json!({"taxMode": "External", "shippingMode": "Several"}));
    assert_eq!(enum_at(&cart, &["taxMode"]), Ok(Some(TaxMode::External)));
    assert_eq!(enum_at::<ShippingMode>(&cart, &["nothing"]), Ok(None));
    let error = enum_at::<ShippingMode>(&cart, &["shippingMode"]).unwrap_err();
    let bug = error.broken().unwrap().to_string();
    assert!(bug.contains("'Several' is no ShippingMode") && bug.contains(file!()), "{bug}");
    assert!(must_enum::<ShippingMode>(&cart, &["nothing"]).unwrap_err().broken().is_some());
    assert_eq!(enum_or_log::<ShippingMode>(&cart, &["shippingMode"]), None);
}

#[test]
fn finds_scalars_through_lists() {
    let subject = json!({"ancestors": [{"id": "x"}, {"id": "y"}], "n": 1});
    let mut found = Vec::new();
    scalars_at(&subject, &["ancestors", "id"], &mut found);
    assert_eq!(found, [&json!("x"), &json!("y")]);
    found.clear();
    scalars_at(&subject, &["n", "id"], &mut found);
    assert!(found.is_empty());
}
