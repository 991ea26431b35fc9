//! Custom fields follow their Type: values of a field that is no longer defined disappear soon after.
//!
//! Source: reference type `TypeRemoveFieldDefinitionAction`. Conversations: `tests/api/types/update-actions.txt`.

use kontor_engine::document::{list, must_text};
use kontor_engine::{Acting, Dependents, Derivation, Document, Fate, Rules, Sources, conversion};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;
use std::collections::HashMap;

/// The derivation for custom fields at one place of a kind; `path` leads to the id of their Type, for example
/// `custom.type.id`. Whatever place was meant, all custom fields of the document are brought up to date.
pub(crate) const fn follow_type(path: &'static str) -> Derivation {
    Derivation {
        name: path,
        source: "Type",
        dependents: Dependents::ReferringAt { path, when: &["fieldDefinitions"] },
        derive: drop_undefined,
    }
}

/// Names of the fields that each Type defines; `None` for a Type that is gone, whose values stay as they are.
type Defined = HashMap<String, Option<Vec<Value>>>;

fn drop_undefined(document: &mut Document, sources: &dyn Sources) -> ApiResult<Fate> {
    let mut defined = Defined::new();
    for (_, value) in document.iter_mut() {
        visit(value, &mut defined, sources)?;
    }
    Ok(Fate::Stays)
}

fn visit(value: &mut Value, defined: &mut Defined, sources: &dyn Sources) -> ApiResult<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| visit(item, defined, sources)),
        Value::Object(object) => match type_of(object) {
            Some(id) => {
                if !defined.contains_key(&id) {
                    let names = sources.document("type", &id)?.map(|found| {
                        list(&found, &["fieldDefinitions"])
                            .iter()
                            .map(|field| field["name"].clone())
                            .collect()
                    });
                    defined.insert(id.clone(), names);
                }
                if let (Some(Some(names)), Some(Value::Object(fields))) =
                    (defined.get(&id), object.get_mut("fields"))
                {
                    fields.retain(|name, _| names.iter().any(|defined| defined == name));
                }
                Ok(())
            }
            None => object.iter_mut().try_for_each(|(_, inner)| visit(inner, defined, sources)),
        },
        _ => Ok(()),
    }
}

/// The id of the Type where the object is custom fields: `{type: {typeId: "type", id}, fields}`.
fn type_of(object: &Document) -> Option<String> {
    let reference = object.get("type")?.as_object()?;
    let is_custom = object.contains_key("fields") && reference.get("typeId")? == "type";
    is_custom.then(|| reference.get("id").and_then(Value::as_str).map(str::to_owned)).flatten()
}

/// The custom fields that the arguments `type` and `fields` say; `None` without a Type.
pub(crate) fn custom_of(acting: &Acting<'_, '_>, arguments: &Document, of: &str) -> ApiResult<Option<Value>> {
    let Some(identifier) = arguments.get("type") else { return Ok(None) };
    let mut draft = Document::new();
    draft.insert("type".into(), identifier.clone());
    draft.extend(arguments.get("fields").map(|fields| ("fields".to_owned(), fields.clone())));
    conversion::custom_fields(draft, of, acting.place, acting.rules).map(Some)
}

/// Sets or removes the custom field that the arguments `name` and `value` say.
pub(crate) fn set_custom_field(
    holder: &mut Document,
    arguments: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let name = must_text(arguments, &["name"])?;
    let value = arguments.get("value").filter(|value| !value.is_null()).cloned();
    match holder.get_mut("custom") {
        Some(Value::Object(custom)) => conversion::set_custom_field(custom, name, value, rules),
        _ => Err(ApiError::invalid_operation(format!(
            "{place}: the custom field '{name}' cannot be set because no custom type is set."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviours;
    use crate::trial_shop::{TrialShop, object};
    use kontor_model::Model;
    use serde_json::json;

    #[test]
    fn values_without_a_definition_disappear() {
        let shop = TrialShop::new()
            .with("type", json!({"id": "extra", "fieldDefinitions": [{"name": "size"}, {"name": "colour"}]}));
        let custom =
            |id: &str, fields: Value| json!({"type": {"typeId": "type", "id": id}, "fields": fields});
        let given = json!({"note": "x", "size": "s", "colour": {"note": 1}});
        let before = object(json!({
            "id": "berlin", "note": "not a custom field", "custom": custom("extra", given.clone()),
            "assets": [{"custom": custom("extra", given.clone())}, {"custom": custom("gone", given.clone())}],
        }));
        let (after, fate) = shop.derive(&follow_type("custom.type.id"), before);
        let left = custom("extra", json!({"size": "s", "colour": {"note": 1}}));
        assert_eq!(fate, Fate::Stays);
        assert_eq!(
            Value::Object(after),
            json!({
                "id": "berlin", "note": "not a custom field", "custom": left,
                "assets": [{"custom": left}, {"custom": custom("gone", given)}],
            })
        );
    }

    /// Each place that can have custom fields follows its Type; a new kind cannot be forgotten.
    #[test]
    fn all_custom_fields_of_the_model_follow() {
        let model = Model::embedded().unwrap();
        let followed: Vec<(&str, &str)> = behaviours()
            .iter()
            .flat_map(|behaviour| {
                behaviour.derivations().iter().map(|derivation| (behaviour.resource(), derivation))
            })
            .filter_map(|(resource, derivation)| match derivation.dependents {
                Dependents::ReferringAt { path, .. } if derivation.source == "Type" => Some((resource, path)),
                _ => None,
            })
            .collect();
        let mut places = 0;
        for (_, kind) in model.kinds() {
            for path in
                kind.indexed.iter().map(|path| path.join(".")).filter(|path| path.ends_with(".type.id"))
            {
                places += 1;
                assert!(followed.contains(&(kind.name.as_str(), path.as_str())), "{}: {path}", kind.name);
            }
        }
        assert_eq!(places, followed.len(), "a derivation for a place that is none: {followed:?}");
        assert!(places > 6, "the model says which places there are");
    }
}
