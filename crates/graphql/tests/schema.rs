//! The schema of the built-in model: its properties, and that it equals the committed one.

#![allow(clippy::unwrap_used)] // What cannot be had fails the test.

use kontor_graphql::Schema;
use kontor_model::{Model, ModelFile};
use std::time::{Duration, Instant};

fn schema() -> Schema {
    Schema::derive(&Model::embedded().unwrap()).unwrap()
}

/// The lines of a type, without descriptions.
fn lines_of<'s>(sdl: &'s str, start: &str) -> Vec<&'s str> {
    let body = sdl.split(&format!("\n{start} ")).nth(1).unwrap_or_else(|| panic!("there is no {start}"));
    let body = &body[..body.find("\n}").unwrap()];
    body.lines().map(str::trim).filter(|line| !line.starts_with('"')).collect()
}

#[test]
fn the_committed_schema_is_that_of_the_model() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api/schema.graphql");
    let schema = schema();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, schema.sdl()).unwrap();
        return;
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == schema.sdl(),
        "docs/api/schema.graphql is stale; `cargo xtask codegen` writes it anew. Read the diff: clients are generated from it."
    );
}

#[test]
fn localized_texts_and_references_are_two_fields_each() {
    let sdl = schema().sdl();
    let state = lines_of(&sdl, "type State");
    assert!(state.contains(&"nameAllLocales: [LocalizedString!]"), "{state:?}");
    assert!(state.contains(&"transitionsRef: [Reference!]"), "{state:?}");
    assert!(state.contains(&"transitions: [State!]"), "{state:?}");
}

#[test]
fn an_update_action_is_one_of_many_inputs() {
    let sdl = schema().sdl();
    assert!(lines_of(&sdl, "input StateUpdateAction").contains(&"addRoles: AddStateRoles"));
    assert!(lines_of(&sdl, "input AddStateRoles").contains(&"roles: [StateRole!]!"));
    assert!(lines_of(&sdl, "input FieldTypeInput").contains(&"Set: FieldTypeSetTypeDraft"));
    // The element type of a set cannot be a set.
    assert!(
        !lines_of(&sdl, "input FieldTypeSetElementTypeDraft").iter().any(|line| line.starts_with("Set:"))
    );
}

#[test]
fn unions_and_references_to_several_kinds_are_interfaces() {
    let sdl = schema().sdl();
    assert!(sdl.contains("interface FieldType {"));
    assert!(sdl.contains("type SetType implements FieldType {"));
    assert!(sdl.contains("type Channel implements Versioned & ReferenceExpandable & ReviewTarget {"));
}

/// A new resource needs no code: this one exists only in the model.
#[test]
fn a_resource_that_the_model_gains_is_in_the_schema() {
    let resource = r#"
        interface Resource {
          id: String!
          version: Long!
          createdAt: DateTime!
          lastModifiedAt: DateTime!
          createdBy: CreatedBy
          lastModifiedBy: CreatedBy
        }
        type CreatedBy {
          clientId: String
        }
        scalar String
        scalar Long
        scalar DateTime
        scalar LocalizedString
        type GiftBox @resource(path: "gift-boxes", typeId: "gift-box", view: ["view_products"], manage: ["manage_products"], erasure: true) {
          key: String @unique
          label: LocalizedString!
          inside: [GiftBox!]
        }
        input GiftBoxDraft {
          key: String
          label: LocalizedString!
          inside: [GiftBoxResourceIdentifier!]
        }
        type GiftBoxActions @actions(of: "GiftBox") {
          setKey(key: String): GiftBox @set
        }
    "#;
    let model = Model::read(&[ModelFile { name: "gift-box.graphql".to_owned(), text: resource }])
        .unwrap_or_else(|problems| panic!("{problems}"));
    let schema = Schema::derive(&model).unwrap();
    let sdl = schema.sdl();
    for expected in [
        "giftBoxes(",
        "): GiftBoxQueryResult!",
        "createGiftBox(draft: GiftBoxDraft!): GiftBox",
        "personalDataErasure: Boolean = false",
        "labelAllLocales: [LocalizedString!]!",
        "inside: [ResourceIdentifierInput!]",
        "setKey: SetGiftBoxKey",
    ] {
        assert!(sdl.contains(expected), "{expected} is missing in\n{sdl}");
    }
}

#[test]
fn the_page_documents_the_schema_and_needs_nothing_else() {
    let page = schema().page();
    assert!(page.contains("StateUpdateAction"));
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let json = page.split("id=\"schema\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let documented: kontor_json::Value = kontor_json::from_str(json).unwrap();
    assert_eq!(documented, schema().sdl());
}

/// The limit is 50 ms in a release build; a debug build is slower, and so is its limit.
#[test]
fn the_schema_is_derived_within_its_time_limit() {
    let model = Model::embedded().unwrap();
    let started = Instant::now();
    Schema::derive(&model).unwrap();
    let bound = if cfg!(debug_assertions) { Duration::from_secs(5) } else { Duration::from_millis(50) };
    assert!(started.elapsed() < bound, "{:?}", started.elapsed());
}
