//! Finds what an SDK names and the document lacks.

use super::document::DescribedNames;
use super::sdk::{Sdk, SdkInterface, is_base_name};
use std::collections::{BTreeMap, BTreeSet};

/// The schemas with a constant in some property, by property and constant.
struct Constants<'a>(BTreeMap<&'static str, BTreeMap<&'a str, Vec<&'a str>>>);

impl<'a> Constants<'a> {
    fn from_document(document: &DescribedNames<'a>) -> Self {
        let properties = ["action", "type", "code"];
        Self(properties.map(|property| (property, document.with_constant(property))).into())
    }

    /// Returns the schemas with a constant.
    fn schemas(&self, property: &str, constant: &str) -> &[&'a str] {
        self.0.get(property).and_then(|by| by.get(constant)).map_or(&[], Vec::as_slice)
    }
}

/// The counterpart of an interface in the document.
enum Counterpart<'a> {
    /// Its schema, and the name of the interface in findings.
    Schema(&'a str, String),
    /// It has no schema of its own: its properties may be in any.
    Unnamed(String),
    /// Nothing: the finding.
    Missing(String),
}

/// Returns the missing names, each with its kind.
pub(super) fn missing_names(sdk: &Sdk, document: &DescribedNames<'_>) -> BTreeSet<String> {
    let constants = Constants::from_document(document);
    let mut found = BTreeSet::new();
    for (name, interface) in sdk.interfaces.iter().filter(|(name, _)| !sdk.is_base(name)) {
        let (known, label) = match counterpart(sdk, document, &constants, name, interface) {
            Counterpart::Missing(finding) => {
                found.insert(finding);
                continue;
            }
            Counterpart::Schema(schema, label) => match document.properties_of(schema) {
                Some(known) => (known, label),
                None => continue,
            },
            Counterpart::Unnamed(label) => (document.properties.clone(), label),
        };
        let bases = sdk.all_bases(name).into_iter().filter_map(|base| sdk.interfaces.get(base));
        let properties = [interface].into_iter().chain(bases).flat_map(|interface| &interface.properties);
        let lacking = properties.filter(|property| !known.contains(property.as_str()));
        found.extend(lacking.map(|property| format!("field {label}.{property}")));
    }
    for (name, values) in &sdk.enums {
        let known = document.values(name).unwrap_or_else(|| document.words.clone());
        let lacking = values.iter().filter(|value| !known.contains(value.as_str()));
        found.extend(lacking.map(|value| format!("enum {name}.{value}")));
    }
    let is_lacking = |name: &str| !document.parameters.contains(&name.to_ascii_lowercase());
    let lacking = sdk.parameters.iter().filter(|(name, _)| is_lacking(name));
    found.extend(lacking.map(|(name, file)| format!("parameter {name} ({file})")));
    found
}

fn counterpart<'a>(
    sdk: &Sdk,
    document: &DescribedNames<'a>,
    constants: &Constants<'a>,
    name: &str,
    interface: &SdkInterface,
) -> Counterpart<'a> {
    let named = document.schema_name(name);
    let constant = |property: &str| interface.constants.get(property).map(String::as_str);
    if let Some(action) = constant("action") {
        let family = family(sdk, name);
        let label = format!("{}.{action}", family.unwrap_or(&interface.file));
        return match named.or_else(|| action_schema(document, constants, family, action)) {
            Some(schema) => Counterpart::Schema(schema, label),
            None => Counterpart::Missing(format!("action {label}")),
        };
    }
    let (kind, property) = match (constant("type"), constant("code")) {
        (Some(_), _) if is_message(sdk, name) => ("message", "type"),
        (Some(_), _) if name.ends_with("Change") => ("change", "type"),
        (_, Some(_)) => ("code", "code"),
        _ => {
            return named.map_or_else(
                || Counterpart::Unnamed(name.to_owned()),
                |schema| Counterpart::Schema(schema, name.to_owned()),
            );
        }
    };
    let constant = constant(property).unwrap_or_default();
    let schema = named.or_else(|| constants.schemas(property, constant).first().copied());
    match schema {
        Some(schema) if document.words.contains(constant) => Counterpart::Schema(schema, name.to_owned()),
        None if document.words.contains(constant) => Counterpart::Unnamed(name.to_owned()),
        _ => Counterpart::Missing(format!("{kind} {constant}")),
    }
}

fn is_message(sdk: &Sdk, name: &str) -> bool {
    let has_base = || sdk.all_bases(name).iter().any(|base| base.contains("Message"));
    name.ends_with("Message") || name.ends_with("MessagePayload") || has_base()
}

/// Returns the union that an update action belongs to, e.g. `StateUpdateAction`.
fn family<'a>(sdk: &'a Sdk, name: &str) -> Option<&'a str> {
    let bases = sdk.all_bases(name).into_iter();
    let mut families = bases.filter(|base| base.ends_with("Action") || base.ends_with("Actions"));
    families.next().map(|base| if is_base_name(base) { &base[1..] } else { base })
}

/// Returns the schema of an action: a member of its union, or one that is named after its resource.
fn action_schema<'a>(
    document: &DescribedNames<'a>,
    constants: &Constants<'a>,
    family: Option<&str>,
    action: &str,
) -> Option<&'a str> {
    let family = family?;
    let same = constants.schemas("action", action);
    let members = document.members(family);
    let others = document.members(family.trim_end_matches('s'));
    let member = same.iter().find(|schema| members.contains(*schema) || others.contains(*schema));
    let stem = family.trim_end_matches('s').trim_end_matches("Action").trim_end_matches("Update");
    let by_name = || same.iter().find(|schema| !stem.is_empty() && schema.starts_with(stem));
    member.or_else(by_name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn interface(bases: &[&str], properties: &[&str], constant: Option<(&str, &str)>) -> SdkInterface {
        let constants = constant.map(|(name, value)| (name.to_owned(), value.to_owned()));
        SdkInterface {
            bases: bases.iter().map(ToString::to_string).collect(),
            properties: properties.iter().map(ToString::to_string).collect(),
            constants: constants.into_iter().collect(),
            file: "state".to_owned(),
        }
    }

    #[test]
    fn finds_every_kind_of_name() {
        let mut sdk = Sdk::default();
        for (name, interface) in [
            ("IStateUpdateAction", interface(&[], &["action"], None)),
            ("StateSetKeyAction", interface(&["IStateUpdateAction"], &["key"], Some(("action", "setKey")))),
            (
                "StateSetNameAction",
                interface(&["IStateUpdateAction"], &["name"], Some(("action", "setName"))),
            ),
            ("State", interface(&[], &["id", "novelty"], None)),
            ("StateMovedMessage", interface(&[], &["type"], Some(("type", "StateMoved")))),
            ("SetKeyChange", interface(&[], &["type"], Some(("type", "SetKeyChange")))),
            ("LockedError", interface(&[], &["code"], Some(("code", "Locked")))),
            ("KnownError", interface(&[], &["code", "reason"], Some(("code", "Known")))),
        ] {
            sdk.interfaces.insert(name.to_owned(), interface);
        }
        sdk.enums.insert("StateType".to_owned(), vec!["Open".to_owned(), "Done".to_owned()]);
        sdk.parameters.insert("novel".to_owned(), "by-id".to_owned());
        let document = json!({"components": {"schemas": {
            "State": {"properties": {"id": {"type": "string"}}},
            "StateType": {"enum": ["Open"]},
            "KnownError": {"properties": {"code": {"const": "Known"}}},
            "StateUpdateAction": {"oneOf": [{"$ref": "#/components/schemas/SetStateKey"}]},
            "SetStateKey": {"properties": {"action": {"const": "setKey"}, "key": {"type": "string"}}},
        }}});
        let found = missing_names(&sdk, &DescribedNames::new(&document, ""));
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            [
                "action StateUpdateAction.setName",
                "change SetKeyChange",
                "code Locked",
                "enum StateType.Done",
                "field KnownError.reason",
                "field State.novelty",
                "message StateMoved",
                "parameter novel (by-id)",
            ]
        );
    }
}
