//! Derives custom fields from their Type: values of a field that is no longer defined are removed soon after.
//!
//! Source: reference type `TypeRemoveFieldDefinitionAction`. Conversations:
//! `tests/api/types/update-actions.txt`.

use super::{Dependents, Derivation, DerivationSources, DeriveOutcome};
use crate::document::{Document, list};
use kontor_errors::ApiResult;
use kontor_json::Value;
use std::collections::HashMap;

/// The derivation of each kind with custom fields. It updates all custom fields of a document, not only those
/// of the changed Type.
pub(super) const FOLLOW_TYPE: Derivation = Derivation {
    name: "custom-fields",
    source: "Type",
    dependents: Dependents::WithCustomFields { when: &["fieldDefinitions"] },
    derive: drop_undefined,
};

/// The names of the fields that each Type defines; `None` for a deleted Type, whose values stay as they are.
type DefinedFields = HashMap<String, Option<Vec<Value>>>;

fn drop_undefined(document: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let mut defined = DefinedFields::new();
    for (_, value) in document.iter_mut() {
        visit(value, &mut defined, sources)?;
    }
    Ok(DeriveOutcome::Keep)
}

fn visit(value: &mut Value, defined: &mut DefinedFields, sources: &dyn DerivationSources) -> ApiResult<()> {
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
                    fields.retain(|name, _| names.iter().any(|defined| *defined == name.as_str()));
                }
                Ok(())
            }
            None => object.iter_mut().try_for_each(|(_, inner)| visit(inner, defined, sources)),
        },
        _ => Ok(()),
    }
}

/// Returns the id of the Type, if the object is custom fields: `{type: {typeId: "type", id}, fields}`.
fn type_of(object: &Document) -> Option<String> {
    let reference = object.get("type")?.as_object()?;
    let is_custom = object.contains_key("fields") && reference.get("typeId")? == "type";
    is_custom.then(|| reference.get("id").and_then(Value::as_str).map(str::to_owned)).flatten()
}
