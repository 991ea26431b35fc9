//! Tests of the document: its content for a small model, and that the committed document is up to date.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod served_tables;

use kontor_json::{Name, Value, json};
use kontor_model::{FixedOperation, Model, ModelFile, OperationKind};
use std::collections::BTreeSet;

const MODEL: &str = r#"
scalar String scalar Boolean scalar Int scalar Long scalar LocalizedString
"A name of one's own."
scalar Key @string(minLength: 2, maxLength: 256, pattern: "^[A-Za-z0-9_-]+$")
interface Resource { id: String! version: Long! }

"Holds boxes."
type Shelf @resource(path: "book-shelves", typeId: "shelf", view: ["view_shelves", "view_all"], manage: ["manage_shelves"]) {
  key: Key @unique
  size: Size!
  above: Shelf
  boxes: [Box!]! @limits(maxItems: 3)
}
type Box { id: String! @generated label: LocalizedString holds: Shelf depth: Int @limits(min: 1) }
enum Size { "Fits nothing." SMALL @value(is: "very-small") LARGE }
input ShelfDraft { key: Key size: Size = LARGE above: ShelfResourceIdentifier boxes: [Box!]! }
type ShelfActions @actions(of: "Shelf") {
  setKey(key: Key): Shelf @set
  "Puts it elsewhere."
  setAbove(above: ShelfResourceIdentifier): Shelf @set @deprecated
}

type Note @resource(
  path: "notes", typeId: "note", view: ["view_notes"], manage: ["manage_notes"]
  operations: [GET, HEAD, QUERY, CREATE, DELETE], address: ["wall", "nail"],
  deletesAnyVersion: true, erasure: true
) { wall: String! @limits(pattern: "^[a-z]+$") nail: String! @unique(with: ["wall"]) }
input NoteDraft { wall: String! nail: String! }

type House @resource(
  path: "", typeId: "house", view: ["view_house"], manage: ["manage_house"], operations: [GET, UPDATE]
) { name: String! }
type HouseActions @actions(of: "House") { changeName(name: String!): House @set }

type Message @resource(path: "messages", typeId: "message", view: ["view_messages"], manage: [], operations: [GET, QUERY]) {
  type: String! @derived
}
type ShelfMoved @message(of: "shelf") { oldKey: Key }
"#;

fn small() -> Value {
    let model = Model::read(&[ModelFile { name: "small.graphql".into(), text: MODEL }]).unwrap();
    kontor_openapi::document(&model, "https://shop.example", "7")
}

fn embedded() -> Value {
    kontor_openapi::document(&Model::embedded().unwrap(), "", env!("CARGO_PKG_VERSION"))
}

fn schema<'a>(document: &'a Value, name: &str) -> &'a Value {
    let schema = &document["components"]["schemas"][name];
    assert!(!schema.is_null(), "there is no schema {name}");
    schema
}

fn operation_ids(document: &Value) -> Vec<&str> {
    let items = document["paths"].as_object().unwrap().values();
    items
        .flat_map(|item| item.as_object().unwrap().values())
        .filter_map(|operation| operation["operationId"].as_str())
        .collect()
}

#[test]
fn operations_follow_from_addressing_and_are_named_by_rule() {
    let document = small();
    let ids: Vec<_> =
        operation_ids(&document).into_iter().filter(|id| id.starts_with("ByProjectKey")).collect();
    assert_eq!(
        ids,
        [
            "ByProjectKeyBookShelvesGet",
            "ByProjectKeyBookShelvesHead",
            "ByProjectKeyBookShelvesPost",
            "ByProjectKeyBookShelvesByIDGet",
            "ByProjectKeyBookShelvesByIDHead",
            "ByProjectKeyBookShelvesByIDPost",
            "ByProjectKeyBookShelvesByIDDelete",
            "ByProjectKeyBookShelvesKeyByKeyGet",
            "ByProjectKeyBookShelvesKeyByKeyHead",
            "ByProjectKeyBookShelvesKeyByKeyPost",
            "ByProjectKeyBookShelvesKeyByKeyDelete",
            "ByProjectKeyNotesGet",
            "ByProjectKeyNotesHead",
            "ByProjectKeyNotesPost",
            "ByProjectKeyNotesByWallGet",
            "ByProjectKeyNotesByWallByNailGet",
            "ByProjectKeyNotesByWallByNailDelete",
            "ByProjectKeyGet",
            "ByProjectKeyPost",
            "ByProjectKeyMessagesGet",
            "ByProjectKeyMessagesByIDGet",
            "ByProjectKeyGraphqlGet",
            "ByProjectKeyGraphqlPost",
            "ByProjectKeyGraphqlByNameGet",
        ]
    );
}

#[test]
fn any_one_of_the_scopes_is_enough() {
    let document = small();
    let operation = &document["paths"]["/{projectKey}/book-shelves/key={key}"]["get"];
    let expected = json!([{"oauth2": ["view_shelves:{projectKey}"]}, {"oauth2": ["view_all:{projectKey}"]}]);
    assert_eq!(operation["security"], expected);
    let flow = &document["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"];
    assert_eq!(flow["tokenUrl"], "https://shop.example/oauth/token");
    assert_eq!(flow["scopes"]["manage_notes:{projectKey}"], "May write Note.");
}

#[test]
fn a_deletion_needs_a_version_unless_any_version_is_deleted() {
    let document = small();
    let version = |path: &str| document["paths"][path]["delete"]["parameters"][0]["$ref"].clone();
    assert_eq!(version("/{projectKey}/book-shelves/{ID}"), "#/components/parameters/version");
    assert_eq!(version("/{projectKey}/notes/{wall}/{nail}"), "#/components/parameters/optionalVersion");
}

#[test]
fn the_parts_of_a_path_have_the_patterns_of_their_fields() {
    let document = small();
    let wall = &document["paths"]["/{projectKey}/notes/{wall}"]["parameters"][1];
    assert_eq!((&wall["name"], &wall["schema"]["pattern"]), (&json!("wall"), &json!("^[a-z]+$")));
}

#[test]
fn request_schemas_differ_from_response_schemas_only_where_necessary() {
    let document = small();
    assert_eq!(schema(&document, "Shelf")["required"], json!(["id", "version", "size", "boxes"]));
    assert_eq!(schema(&document, "Shelf")["properties"]["id"]["readOnly"], true);
    assert_eq!(schema(&document, "Box")["required"], json!(["id"]));
    assert_eq!(
        schema(&document, "Box")["properties"]["depth"],
        json!({"type": "integer", "format": "int32", "minimum": 1})
    );
    let sent = schema(&document, "BoxInput");
    assert_eq!(sent.get("required"), None);
    assert_eq!(sent["additionalProperties"], false);
    assert_eq!(sent["properties"]["holds"]["$ref"], "#/components/schemas/ShelfResourceIdentifier");
    let draft = schema(&document, "ShelfDraft");
    assert_eq!(draft["required"], json!(["boxes"]));
    assert_eq!(draft["properties"]["size"], json!({"$ref": "#/components/schemas/Size", "default": "LARGE"}));
    assert_eq!(draft["properties"]["key"]["maxLength"], 256);
}

#[test]
fn enums_have_their_texts_in_json() {
    let expected = json!({
        "type": "string", "enum": ["very-small", "LARGE"], "x-enumDescriptions": {"very-small": "Fits nothing."},
    });
    assert_eq!(*schema(&small(), "Size"), expected);
}

#[test]
fn actions_are_told_apart_by_their_names() {
    let document = small();
    let action = schema(&document, "ShelfUpdateAction");
    assert_eq!(action["discriminator"]["mapping"]["setAbove"], "#/components/schemas/ShelfSetAboveAction");
    let set_above = schema(&document, "ShelfSetAboveAction");
    assert_eq!(set_above["properties"]["action"]["const"], "setAbove");
    assert_eq!((&set_above["required"], &set_above["deprecated"]), (&json!(["action"]), &json!(true)));
}

#[test]
fn messages_are_one_union() {
    let document = small();
    let page = schema(&document, "MessagePagedQueryResponse");
    assert_eq!(page["properties"]["results"]["items"]["$ref"], "#/components/schemas/MessageUnion");
    let union = schema(&document, "MessageUnion");
    assert_eq!(
        union["discriminator"]["mapping"],
        json!({"ShelfMoved": "#/components/schemas/ShelfMovedMessage"})
    );
}

#[test]
fn every_named_scope_is_valid_in_a_token() {
    let document = embedded();
    let flow = &document["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"];
    let named: Vec<&Name> = flow["scopes"].as_object().unwrap().keys().collect();
    assert!(named.iter().any(|scope| *scope == "view_products:{projectKey}:{storeKey}"));
    for scope in named {
        let mut parts = scope.split(':');
        let name = kontor_auth::ScopeName::parse(parts.next().unwrap()).unwrap_or_else(|| panic!("{scope}"));
        assert_eq!(parts.next(), Some("{projectKey}"), "{scope}");
        assert!(parts.next().is_none() || name.has_store_form(), "{scope}");
    }
}

#[test]
fn every_reference_has_a_target() {
    fn walk(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(link)) = fields.get("$ref") {
                    found.insert(link.clone());
                }
                fields.values().for_each(|field| walk(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    for document in [small(), embedded()] {
        let mut found = BTreeSet::new();
        walk(&document, &mut found);
        assert!(found.len() > 20);
        for link in found {
            let target = document.pointer(link.trim_start_matches('#'));
            assert!(target.is_some_and(Value::is_object), "{link}");
        }
    }
}

#[test]
fn operation_ids_are_unique() {
    let document = embedded();
    let ids = operation_ids(&document);
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len());
}

/// The document is committed for reviews: a change of the model shows as a change of the API.
#[test]
fn the_committed_document_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api/openapi.json");
    // The alternate format of a JSON value is indented.
    let derived = format!("{:#}\n", embedded());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, derived).unwrap();
        return;
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == derived,
        "docs/api/openapi.json does not say what the model says; `cargo xtask codegen` writes it anew"
    );
}

#[test]
fn the_page_is_one_file_without_external_requests() {
    let page = kontor_openapi::page();
    assert!(page.contains("fetch(\"openapi.json\")") && page.contains("--accent"));
    for outside in ["http://", "https://", "//cdn", " src=", "@import", ".js */", ".css */"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// Every served operation is described, and every described operation is served, except for test controls.
#[test]
fn the_document_has_the_operations_of_the_table() {
    let model = Model::embedded().unwrap();
    let served: BTreeSet<(String, String)> = model
        .operations()
        .iter()
        .filter(|operation| {
            !matches!(operation.operation_kind, OperationKind::Fixed(FixedOperation::Test(_)))
        })
        .map(|operation| (operation.template(), operation.method.as_str().to_lowercase()))
        .collect();
    let document = embedded();
    let items = document["paths"].as_object().unwrap().iter();
    let described: BTreeSet<(String, String)> = items
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| (path.to_string(), method.to_string()))
        })
        .filter(|(_, method)| method != "parameters")
        .collect();
    assert_eq!(served, described);
    assert!(served.len() > 450);
}

/// Every way to get a token is described.
#[test]
fn every_grant_is_described() {
    let document = embedded();
    let form = |path: &str| {
        let body = &document["paths"][path]["post"]["requestBody"];
        body["content"]["application/x-www-form-urlencoded"]["schema"].to_string()
    };
    for (path, grant) in [
        ("/oauth/token", "client_credentials"),
        ("/oauth/token", "refresh_token"),
        ("/oauth/{projectKey}/anonymous/token", "client_credentials"),
        ("/oauth/{projectKey}/customers/token", "password"),
        ("/oauth/{projectKey}/in-store/key={storeKey}/customers/token", "password"),
    ] {
        assert!(form(path).contains(&format!("\"const\":\"{grant}\"")), "{path} {grant}");
    }
}
