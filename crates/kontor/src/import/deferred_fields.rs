//! Defers fields of drafts that refer to resources which cannot be created before: custom fields, attributes and
//! attribute definitions. E.g. products recommend each other, product types are nested in each other, and a resource
//! may refer to itself.
//!
//! Such resources are created without these fields, and get them by update actions once all are created. After an
//! interruption between the two, the next import finds resources that lack the fields and are unchanged since their
//! creation, and adds them.

use super::import_report::{DraftImportReport, FailedDraft};
use super::{ImportItem, ImportOutcome, Importer, WAITING_CODES};
use crate::command_response::CommandRefusal;
use kontor_json::{Map, Value, json};
use kontor_model::{Kind, Model};
use std::collections::HashSet;

/// The place of a named value in a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldPlace {
    CustomFields,
    /// Attributes of the resource itself.
    Attributes,
    /// Attributes of the variant with this id.
    Variant(u64),
    /// Attribute definitions of a product type; the values are whole definitions.
    Definitions,
}

/// A custom field, an attribute or an attribute definition.
#[derive(Debug, Clone, PartialEq)]
struct DeferrableField {
    place: FieldPlace,
    name: String,
    value: Value,
}

/// Creates drafts without the fields that refer to other waiting drafts. Returns the drafts that still wait, and the
/// product types that lack attribute definitions.
pub(super) async fn create_without_deferred(
    importer: &Importer<'_>,
    waiting: Vec<(ImportItem, CommandRefusal)>,
    report: &mut DraftImportReport,
    incomplete: &mut Vec<(ImportItem, bool)>,
) -> anyhow::Result<(Vec<(ImportItem, CommandRefusal)>, Vec<(ImportItem, bool)>)> {
    let others = WaitingDraftNames::from_waiting(importer.model, &waiting);
    let (mut left, mut defining) = (Vec::new(), Vec::new());
    for (item, refusal) in waiting {
        let kind = importer.model.kind(item.kind);
        let mut apart = deferrable_fields(&item.draft);
        apart.retain(|entry| action_of(kind, entry.place).is_some() && others.are_named_in(&entry.value));
        let names_later = item.actions.iter().any(|action| others.are_named_in(action));
        if (apart.is_empty() && !names_later) || item.is_whole {
            left.push((item, refusal));
            continue;
        }
        let mut first =
            ImportItem { draft: without_fields(&item.draft, &apart), actions: Vec::new(), ..item.clone() };
        if let Some(kept) = &mut first.metadata {
            // The later update increases the version by one.
            kept.version -= 1;
        }
        match importer.import_one(&first).await? {
            ImportOutcome::Refused(still) if WAITING_CODES.contains(&still.code.as_str()) => {
                left.push((item, refusal));
            }
            ImportOutcome::Refused(refusal) => {
                importer.progress.inc(1);
                report.add_failed(FailedDraft::from_refusal(kind, &item, refusal));
            }
            _ if apart.iter().any(|entry| entry.place == FieldPlace::Definitions) => {
                defining.push((item, true))
            }
            _ => incomplete.push((item, true)),
        }
    }
    Ok((left, defining))
}

/// True if a resource is unchanged since its creation.
pub(super) fn is_as_created(found: &Value) -> bool {
    found["createdAt"] == found["lastModifiedAt"]
}

/// Returns the update actions for the fields with references that a draft has and its resource lacks.
pub(super) fn missing_field_actions(kind: &Kind, draft: &Value, found: &Value) -> Vec<Value> {
    let sent: Vec<DeferrableField> = deferrable_fields(draft);
    let there = deferrable_fields(found);
    let mut actions: Vec<Value> = Vec::new();
    for entry in &sent {
        let is_there = there.iter().any(|other| other.place == entry.place && other.name == entry.name);
        if is_there || !has_reference(&entry.value) {
            continue;
        }
        let Some(action) = action_of(kind, entry.place) else { continue };
        if entry.place == FieldPlace::Definitions {
            actions.push(json!({"action": action, "attribute": entry.value}));
            continue;
        }
        let mut action = json!({"action": action, "name": entry.name, "value": entry.value});
        match entry.place {
            FieldPlace::CustomFields | FieldPlace::Definitions => {}
            FieldPlace::Attributes => action["staged"] = json!(false),
            FieldPlace::Variant(number) => {
                action["staged"] = json!(false);
                // Attributes that must be the same in all variants cannot be set one by one.
                if is_same_in_all_variants(&sent, draft, entry) {
                    action["action"] = json!("setAttributeInAllVariants");
                } else {
                    action["variantId"] = json!(number);
                }
            }
        }
        if !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions.extend(order_of_definitions(kind, &sent, &actions));
    actions
}

/// Returns the action that restores the draft's order of attribute definitions, if some are added at the end.
fn order_of_definitions(kind: &Kind, sent: &[DeferrableField], actions: &[Value]) -> Option<Value> {
    const REORDER: &str = "changeAttributeOrderByName";
    let added = action_of(kind, FieldPlace::Definitions)?;
    let is_added = actions.iter().any(|action| action["action"] == added);
    let names: Vec<&str> = sent
        .iter()
        .filter(|entry| entry.place == FieldPlace::Definitions)
        .map(|entry| entry.name.as_str())
        .collect();
    (is_added && names.len() > 1 && kind.action(REORDER).is_some())
        .then(|| json!({"action": REORDER, "attributeNames": names}))
}

/// Returns the update action that sets one value at a place; `None` if the resource type has none.
fn action_of(kind: &Kind, place: FieldPlace) -> Option<&'static str> {
    let names: &[&'static str] = match place {
        FieldPlace::CustomFields => &["setCustomField"],
        FieldPlace::Attributes => &["setProductAttribute", "setAttribute"],
        FieldPlace::Variant(_) => &["setAttribute"],
        FieldPlace::Definitions => &["addAttributeDefinition"],
    };
    names.iter().copied().find(|name| kind.action(name).is_some())
}

/// True if all variants of a draft have the same value of an attribute.
fn is_same_in_all_variants(sent: &[DeferrableField], draft: &Value, entry: &DeferrableField) -> bool {
    let variants = 1 + draft["variants"].as_array().map_or(0, Vec::len);
    let same = |other: &&DeferrableField| {
        matches!(other.place, FieldPlace::Variant(_))
            && other.name == entry.name
            && other.value == entry.value
    };
    variants > 1 && sent.iter().filter(same).count() == variants
}

/// Returns the custom fields, attributes and attribute definitions of a draft, or of a resource.
fn deferrable_fields(document: &Value) -> Vec<DeferrableField> {
    let mut all = Vec::new();
    let fields = document.pointer("/custom/fields").and_then(Value::as_object);
    for (name, value) in fields.into_iter().flatten() {
        all.push(DeferrableField {
            place: FieldPlace::CustomFields,
            name: name.to_string(),
            value: value.clone(),
        });
    }
    // An unpublished resource may have the data of its draft in `staged` only. A variant resource has no sides if both
    // are equal.
    let sides = ["/masterData/staged", "/staged", "/current"];
    let side = sides.iter().find_map(|path| document.pointer(path));
    let side = side.unwrap_or(document);
    attributes(side, FieldPlace::Attributes, &mut all);
    attributes(&side["masterVariant"], number_of(&side["masterVariant"], 1), &mut all);
    for (index, variant) in side["variants"].as_array().into_iter().flatten().enumerate() {
        attributes(variant, number_of(variant, index as u64 + 2), &mut all);
    }
    all
}

/// Returns the id of a variant. Variants of a draft have none and are counted from 1, the master variant first.
fn number_of(variant: &Value, counted: u64) -> FieldPlace {
    FieldPlace::Variant(variant["id"].as_u64().unwrap_or(counted))
}

fn attributes(holder: &Value, place: FieldPlace, all: &mut Vec<DeferrableField>) {
    for attribute in holder["attributes"].as_array().into_iter().flatten() {
        if let Some(name) = attribute["name"].as_str() {
            let name = name.to_owned();
            all.push(match is_definition(attribute) {
                true => DeferrableField { place: FieldPlace::Definitions, name, value: attribute.clone() },
                false => DeferrableField { place, name, value: attribute["value"].clone() },
            });
        }
    }
}

/// True for an attribute definition, which has a type; an attribute has a value.
fn is_definition(attribute: &Value) -> bool {
    attribute["type"]["name"].is_string()
}

fn without_fields(draft: &Value, apart: &[DeferrableField]) -> Value {
    let mut draft = draft.clone();
    let has =
        |place: FieldPlace, name: &str| apart.iter().any(|entry| entry.place == place && entry.name == name);
    if let Some(fields) = draft.pointer_mut("/custom/fields").and_then(Value::as_object_mut) {
        *fields = fields
            .iter()
            .filter(|(name, _)| !has(FieldPlace::CustomFields, name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map>();
    }
    let strip = |holder: &mut Value, place: FieldPlace| {
        if let Some(attributes) = holder.get_mut("attributes").and_then(Value::as_array_mut) {
            attributes.retain(|attribute| {
                let place = if is_definition(attribute) { FieldPlace::Definitions } else { place };
                !attribute["name"].as_str().is_some_and(|name| has(place, name))
            });
        }
    };
    strip(&mut draft, FieldPlace::Attributes);
    if let Some(master) = draft.get_mut("masterVariant") {
        strip(master, FieldPlace::Variant(1));
    }
    let variants = draft.get_mut("variants").and_then(Value::as_array_mut);
    for (index, variant) in variants.into_iter().flatten().enumerate() {
        strip(variant, FieldPlace::Variant(index as u64 + 2));
    }
    draft
}

/// True if a value is or contains a reference.
fn has_reference(value: &Value) -> bool {
    match value {
        Value::Object(object) => is_reference(object) || object.iter().any(|(_, value)| has_reference(value)),
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

fn is_reference(object: &Map) -> bool {
    object.contains_key("typeId") && (object.contains_key("id") || object.contains_key("key"))
}

/// The names by which others refer to drafts that are not created yet: ids of the export, and keys.
struct WaitingDraftNames {
    labels: HashSet<String>,
    keys: HashSet<(String, String)>,
}

impl WaitingDraftNames {
    fn from_waiting(model: &Model, waiting: &[(ImportItem, CommandRefusal)]) -> Self {
        let key = |item: &ImportItem| {
            let key = item.draft.get("key")?.as_str()?;
            Some((model.kind(item.kind).type_id.clone(), key.to_owned()))
        };
        Self {
            labels: waiting.iter().filter_map(|(item, _)| item.label.clone()).collect(),
            keys: waiting.iter().filter_map(|(item, _)| key(item)).collect(),
        }
    }

    fn are_named_in(&self, value: &Value) -> bool {
        match value {
            Value::Object(object) => {
                let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
                let by_key = text("typeId").zip(text("key")).is_some_and(|named| self.keys.contains(&named));
                let by_id = text("id").is_some_and(|id| self.labels.contains(&id));
                by_key || by_id || object.iter().any(|(_, value)| self.are_named_in(value))
            }
            Value::Array(items) => items.iter().any(|item| self.are_named_in(item)),
            _ => false,
        }
    }
}
