//! Product Types and Types: Attributes and fields, matched by name (reference: ProductTypeImport,
//! TypeImport).
//!
//! Properties without an update action never change: the type of a field or an Attribute, and whether it is
//! required.

use crate::difference::{Difference, is_same_value};
use crate::outcome::ImportResult;
use crate::references::References;
use kontor_json::{Value, json};

/// The names of definitions in the update actions of a kind.
struct DefinitionActions {
    /// The list in documents.
    list: &'static str,
    /// The argument with the name of a definition.
    name: &'static str,
    /// The action that adds a definition, and its argument.
    add: (&'static str, &'static str),
    /// The action that removes a definition, and its argument.
    remove: (&'static str, &'static str),
    /// The action that changes their order, and its argument.
    order: (&'static str, &'static str),
    /// Immutable fields of a definition.
    fixed: &'static [&'static str],
    /// Fields of a definition with actions and arguments.
    set: &'static [(&'static str, &'static str, &'static str)],
    /// The actions that change values of enums, and of localized enums.
    enums: [EnumActions; 2],
}

/// The actions that add, relabel and remove values of an enum.
struct EnumActions {
    /// The action, and its argument with the value.
    add: (&'static str, &'static str),
    label: (&'static str, &'static str),
    remove: &'static str,
}

const ATTRIBUTES: DefinitionActions = DefinitionActions {
    list: "attributes",
    name: "attributeName",
    add: ("addAttributeDefinition", "attribute"),
    remove: ("removeAttributeDefinition", "name"),
    order: ("changeAttributeOrderByName", "attributeNames"),
    fixed: &["isRequired", "level", "attributeConstraint"],
    set: &[
        ("label", "changeLabel", "label"),
        ("inputTip", "setInputTip", "inputTip"),
        ("inputHint", "changeInputHint", "newValue"),
        ("isSearchable", "changeIsSearchable", "isSearchable"),
    ],
    enums: [
        EnumActions {
            add: ("addPlainEnumValue", "value"),
            label: ("changePlainEnumValueLabel", "newValue"),
            remove: "removeEnumValues",
        },
        EnumActions {
            add: ("addLocalizedEnumValue", "value"),
            label: ("changeLocalizedEnumValueLabel", "newValue"),
            remove: "removeEnumValues",
        },
    ],
};

const FIELDS: DefinitionActions = DefinitionActions {
    list: "fieldDefinitions",
    name: "fieldName",
    add: ("addFieldDefinition", "fieldDefinition"),
    remove: ("removeFieldDefinition", "fieldName"),
    order: ("changeFieldDefinitionOrder", "fieldNames"),
    fixed: &["required"],
    set: &[("label", "changeLabel", "label"), ("inputHint", "changeInputHint", "inputHint")],
    enums: [
        EnumActions {
            add: ("addEnumValue", "value"),
            label: ("changeEnumValueLabel", "value"),
            remove: "removeEnumValues",
        },
        EnumActions {
            add: ("addLocalizedEnumValue", "value"),
            label: ("changeLocalizedEnumValueLabel", "value"),
            remove: "removeLocalizedEnumValues",
        },
    ],
};

pub(super) fn differ_product_type(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_optional_fields(&[
        ("name", "changeName", "name"),
        ("description", "changeDescription", "description"),
    ]);
    definitions(difference, &ATTRIBUTES);
    Ok(())
}

pub(super) fn differ_type(difference: &mut Difference<'_>) -> ImportResult<()> {
    difference.compare_immutable_fields(&["resourceTypeIds"]);
    difference.compare_optional_fields(&[("name", "changeName", "name")]);
    difference.compare_fields(&[("description", "setDescription", "description")]);
    definitions(difference, &FIELDS);
    Ok(())
}

fn definitions(difference: &mut Difference<'_>, words: &DefinitionActions) {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let before = list(difference.before.get(words.list));
    let sent = list(difference.draft.get(words.list));
    let find = |list: &[Value], name: &Value| list.iter().find(|one| one["name"] == *name).cloned();
    let mut sequence: Vec<Value> = Vec::new();
    for old in &before {
        match find(&sent, &old["name"]) {
            Some(_) => sequence.push(old["name"].clone()),
            None => {
                let (action, argument) = words.remove;
                difference.actions.push(json!({"action": action, argument: old["name"]}));
            }
        }
    }
    for definition in &sent {
        match find(&before, &definition["name"]) {
            Some(old) => compare_definition(difference, words, &old, definition),
            None => {
                let (action, argument) = words.add;
                difference.actions.push(json!({"action": action, argument: definition}));
                sequence.push(definition["name"].clone());
            }
        }
    }
    let wanted: Vec<Value> = sent.iter().map(|definition| definition["name"].clone()).collect();
    if sequence != wanted {
        let (action, argument) = words.order;
        difference.actions.push(json!({"action": action, argument: wanted}));
    }
}

fn compare_definition(difference: &mut Difference<'_>, words: &DefinitionActions, old: &Value, sent: &Value) {
    let references = difference.references;
    let differs = |field: &str| {
        let value = |of: &Value| of.get(field).cloned().unwrap_or_default();
        !is_same_value(&value(old), &value(sent), references)
    };
    let name = &sent["name"];
    for field in words.fixed {
        if sent.get(*field).is_some() && differs(field) {
            difference.refuse(&format!("{}.{field}", words.list));
        }
    }
    let mut actions = Vec::new();
    for (field, action, argument) in words.set {
        if differs(field) {
            let mut action = json!({"action": action, words.name: name});
            if let Some(value) = sent.get(*field) {
                action[*argument] = value.clone();
            }
            actions.push(action);
        }
    }
    if let Some(values) = enum_values(words, name, &old["type"], &sent["type"], references) {
        actions.extend(values);
    } else {
        difference.refuse(&format!("{}.type", words.list));
    }
    difference.actions.extend(actions);
}

/// Returns the actions for the values of an enum, or of a set of one; `None` if the types are different.
fn enum_values(
    words: &DefinitionActions,
    name: &Value,
    old: &Value,
    sent: &Value,
    references: &References,
) -> Option<Vec<Value>> {
    if old["name"] != sent["name"] {
        return None;
    }
    if old.get("elementType").is_some() {
        return enum_values(words, name, &old["elementType"], &sent["elementType"], references);
    }
    let (Some(before), Some(values)) = (old["values"].as_array(), sent["values"].as_array()) else {
        return is_same_value(old, sent, references).then(Vec::new);
    };
    let is_localized = values.iter().chain(before).any(|value| value["label"].is_object());
    let EnumActions { add: (add, added), label: (label, relabelled), remove } =
        words.enums[usize::from(is_localized)];
    let mut actions = Vec::new();
    for value in values {
        match before.iter().find(|old| old["key"] == value["key"]) {
            None => actions.push(json!({"action": add, words.name: name, added: value})),
            Some(old) if old["label"] != value["label"] => {
                actions.push(json!({"action": label, words.name: name, relabelled: value}));
            }
            Some(_) => {}
        }
    }
    let gone: Vec<&Value> = before
        .iter()
        .map(|old| &old["key"])
        .filter(|key| !values.iter().any(|value| value["key"] == **key))
        .collect();
    if !gone.is_empty() {
        actions.push(json!({"action": remove, words.name: name, "keys": gone}));
    }
    Some(actions)
}
