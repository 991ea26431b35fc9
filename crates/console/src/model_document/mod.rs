//! `model.json`: the kinds with their fields, update actions and scopes, as the console's screens need them.

mod actions;
mod description;
mod fields;
mod kinds;
mod types;

use kontor_auth::ScopeName;
use kontor_json::{Map, Value, json};
use kontor_model::Model;
use types::Types;

/// Returns the document. `version` is the version of the server.
pub fn model_document(model: &Model, version: &str) -> Value {
    let mut types = Types::new(model);
    let kinds: Vec<Value> = model
        .kinds()
        .filter(|(_, kind)| kind.is_served)
        .map(|(id, _)| kinds::describe(model, id, &mut types))
        .collect();
    let scopes: Vec<&str> = ScopeName::ALL.iter().map(|scope| scope.as_str()).collect();
    let (types, enums) = types.finish();
    json!({"version": version, "kinds": kinds, "types": types, "enums": enums, "scopes": scopes})
}

/// Adds a description, unless it is empty for people.
fn add_description(to: &mut Map, description: &str) {
    let description = description::for_people(description);
    add(to, "description", description.as_str(), description.is_empty());
}

/// Adds a member, unless it is the usual value, so that the document stays small.
fn add(to: &mut Map, name: &str, value: impl Into<Value>, is_usual: bool) {
    if !is_usual {
        to.insert(name, value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::{Operation, OperationKind, PathPrefix};
    use std::collections::BTreeSet;

    fn document() -> (Model, Value) {
        let model = Model::embedded().unwrap();
        let document = model_document(&model, "1.0.0");
        (model, document)
    }

    fn kind<'d>(document: &'d Value, name: &str) -> &'d Value {
        let kinds = document["kinds"].as_array().unwrap();
        kinds.iter().find(|kind| kind["name"] == name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn has_every_kind_with_every_action_and_scope() {
        let (model, document) = document();
        for (id, served) in model.kinds().filter(|(_, kind)| kind.is_served) {
            let shown = kind(&document, &served.name);
            let actions: Vec<_> =
                shown["actions"].as_array().unwrap().iter().map(|a| a["name"].as_str()).collect();
            let expected: Vec<_> = served.actions.iter().map(|action| Some(action.name.as_str())).collect();
            assert_eq!(actions, expected, "{}", served.name);
            assert!(
                document["types"][shown["type"].as_str().unwrap()]["fields"].is_array(),
                "{}",
                served.name
            );
            let is_listed = model.operations().iter().any(|operation| {
                operation.kind == Some(id)
                    && operation.side == PathPrefix::Project
                    && operation.operation_kind == OperationKind::Documents(Operation::Query)
            });
            let can_query = shown["operations"].as_array().unwrap().contains(&json!("query"));
            assert_eq!(can_query, is_listed, "{}", served.name);
        }
    }

    /// Every type that a field or a union names is in the document, or is one of the built-in ones.
    #[test]
    fn every_named_type_is_described() {
        let (_, document) = document();
        let built_in: BTreeSet<&str> = fields::BUILT_IN.into_iter().collect();
        let types = document["types"].as_object().unwrap();
        let is_known = |name: &str| {
            types.contains_key(name) || document["enums"].get(name).is_some() || built_in.contains(name)
        };
        let of_actions =
            document["kinds"].as_array().unwrap().iter().flat_map(|kind| kind["actions"].as_array().unwrap());
        let holders = types.iter().map(|(name, shown)| (name.to_string(), shown));
        let holders = holders.chain(of_actions.map(|action| (action["name"].to_string(), action)));
        let mut fields = 0;
        for (holder, shown) in holders {
            for field in shown["fields"].as_array().into_iter().flatten() {
                fields += 1;
                assert!(is_known(field["type"].as_str().unwrap()), "{holder}: {field}");
            }
            for (_, member) in shown["options"].as_object().into_iter().flatten() {
                assert!(is_known(member.as_str().unwrap()), "{holder}: {member}");
            }
        }
        assert!(fields > 2_000, "{fields}");
    }

    #[test]
    fn has_no_notes_about_the_implementation() {
        let (_, document) = document();
        assert!(!document.to_string().contains("Rust"));
    }

    #[test]
    fn describes_a_kind_its_fields_and_actions() {
        let (_, document) = document();
        let category = kind(&document, "Category");
        assert_eq!(category["path"], "categories");
        assert_eq!(category["keyed"], true);
        assert_eq!(category["display"], json!(["name", "slug", "key"]));
        let fields = document["types"]["Category"]["fields"].as_array().unwrap();
        let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
        assert_eq!(field("parent")["references"], json!(["category"]));
        assert_eq!(field("ancestors")["readOnly"], true);
        assert_eq!(field("key")["unique"], true);
        let actions = category["actions"].as_array().unwrap();
        let action = |name: &str| actions.iter().find(|action| action["name"] == name).unwrap();
        assert_eq!(action("changeName")["effect"], json!({"verb": "set"}));
        assert_eq!(
            action("setAssetKey")["effect"],
            json!({"verb": "set", "element": {"path": "assets", "by": ["assetId"]}, "to": {"assetKey": "key"}})
        );
        assert_eq!(action("addAsset")["effect"], json!({"verb": "append", "path": "assets"}));
    }

    #[test]
    fn finds_the_name_of_a_document_inside_it() {
        let (_, document) = document();
        assert_eq!(kind(&document, "Product")["display"][0], "masterData.current.name");
        assert_eq!(kind(&document, "Order")["display"][0], "orderNumber");
        assert_eq!(kind(&document, "Project")["singleton"], true);
    }
}
