//! Tests of the described errors.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use kontor_errors::{ApiError, Code};
use kontor_json::{Value, json};
use kontor_model::Model;

fn schemas() -> Value {
    let model = Model::embedded().unwrap();
    kontor_openapi::document(&model, "", "7")["components"]["schemas"].clone()
}

/// The types of the SDKs have these names.
fn schema_of(code: Code) -> String {
    let words = code.name().split('_').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
    format!("{}Error", words.collect::<String>())
}

#[test]
fn every_code_has_a_schema_with_its_fields() {
    let schemas = schemas();
    for code in Code::ALL {
        let schema = &schemas[schema_of(*code)];
        assert_eq!(schema["properties"]["code"]["const"], code.name());
        let in_graphql = &schemas[format!("GraphQL{}", schema_of(*code))];
        assert_eq!(in_graphql["properties"]["code"]["const"], code.name());
        assert!(in_graphql["properties"].get("message").is_none());
    }
    let mapping = schemas["ErrorObject"]["discriminator"]["mapping"].as_object().unwrap();
    assert_eq!(mapping.len(), Code::ALL.len());
    assert_eq!(schemas["InvalidTokenError"]["required"], json!(["code", "message"]));
    assert_eq!(schemas["ConcurrentModificationError"]["properties"]["currentVersion"]["format"], "int64");
    assert_eq!(schemas["ExtensionBadResponseError"]["properties"]["extensionBody"]["type"], "string");
}

/// A type that belongs to no code would not be described.
#[test]
fn every_error_type_of_the_model_belongs_to_a_code() {
    let model = Model::embedded().unwrap();
    let known: Vec<String> = Code::ALL.iter().map(|code| schema_of(*code)).collect();
    // Parts of errors and of resources.
    let further = ["ExtensionError", "CheckoutTransactionError", "RecurringOrderFailureError"];
    let types = model.objects().map(|(_, object)| object.name.as_str());
    let unknown: Vec<&str> = types
        .filter(|name| name.ends_with("Error") && !further.contains(name))
        .filter(|name| !known.iter().any(|known| known == name))
        .collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

#[test]
fn errors_have_the_fields_of_their_schemas() {
    let schemas = schemas();
    for error in [
        ApiError::concurrent_modification("a", 1, 2),
        ApiError::duplicate_field("key", json!("a")),
        ApiError::invalid_field("key", &json!(1), "Expected a text.", Some(json!(["a"]))),
        ApiError::invalid_json("key: expected a text"),
        ApiError::reference_exists("state", "order"),
        ApiError::referenced_resource_not_found("state", Some("a"), None),
        ApiError::required_field("key"),
        ApiError::resource_limit_exceeded(5, "zone"),
        ApiError::resource_limit_exceeded(5, "application").into_checkout(None),
        ApiError::concurrent_modification("a", 1, 2).into_checkout(Some("a")),
        ApiError::resource_not_found("with ID 'a'").into_checkout(Some("a")),
    ] {
        let body = error.body();
        let object = body["errors"][0].as_object().unwrap();
        let schema = &schemas[schema_of(error.code())];
        for (name, _) in object {
            assert!(schema["properties"].get(name.as_str()).is_some(), "{}: {name}", error.code().name());
        }
        for name in schema["required"].as_array().unwrap() {
            assert!(object.contains_key(name.as_str().unwrap()), "{}: {name}", error.code().name());
        }
    }
}
