//! Translates REST requests of a conversation into GraphQL mutations. [`Shop`](crate::Shop) sends the mutation and
//! reads the result through REST, so one conversation with unchanged expectations tests both APIs and that they agree.
//!
//! Drafts and update actions are translated with the introspected schema. Requests that GraphQL cannot express (an
//! unknown field, a value of another type) and reads go through REST unchanged. Begin at [`GraphQlTranslation::change`].

use crate::calls::{CALLS, EndpointMutation, HELD};
use kontor_json::{Map, Value, json};
use std::collections::HashMap;

/// The input types and mutations of a GraphQL schema.
#[derive(Debug)]
pub struct GraphQlTranslation {
    /// Fields of input objects, by type name.
    inputs: HashMap<String, Map>,
    /// Arguments of mutations, by mutation name.
    mutations: HashMap<String, Map>,
}

/// A change as a GraphQL request.
#[derive(Debug, PartialEq)]
pub struct TranslatedChange {
    /// The name of the mutation.
    pub name: String,
    /// The body of the request.
    pub body: Value,
    /// The kind of the change.
    pub verb: ChangeKind,
    /// The endpoint, for mutations that are not named after their resource: it says at which path, also below a Store,
    /// REST serves the document, and which field of the response contains it.
    pub call: Option<&'static EndpointMutation>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Creates or replaces a resource.
    Create,
    /// Applies update actions.
    Update,
    /// Deletes a resource.
    Delete,
    /// Calls an endpoint with a mutation of its own, see [`EndpointMutation`].
    Call,
}

/// The introspection query.
pub(crate) const INTROSPECTION: &str = "{ __schema { mutationType { fields { name args { ...Input } } } types { name kind \
    inputFields { ...Input } } } } fragment Input on __InputValue { name defaultValue type { kind name ofType { kind \
    name ofType { kind name ofType { kind name } } } } }";

/// Resource names in mutations that do not follow from the path: path segment, name.
const MUTATIONS: &[(&str, &str)] =
    &[("types", "TypeDefinition"), ("", "Project"), ("categories", "Category")];

/// Input fields with another name than in REST: type, name in GraphQL, name in REST.
const RENAMED: &[(&str, &str, &str)] = &[
    ("AssetDimensionsInput", "w", "width"),
    ("AssetDimensionsInput", "h", "height"),
    ("DimensionsInput", "w", "width"),
    ("DimensionsInput", "h", "height"),
];

/// The fields that distinguish the objects of a union.
const DISCRIMINATORS: &[&str] = &["name", "type"];

impl GraphQlTranslation {
    /// Parses the response to [`INTROSPECTION`].
    pub fn from_introspection(introspected: &Value) -> Result<Self, String> {
        let by_name = |list: &Value| -> Map {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|entry| Some((entry["name"].as_str()?.to_owned(), entry.clone()))).collect()
        };
        let schema = &introspected["data"]["__schema"];
        let types = by_name(&schema["types"]);
        let mutations = by_name(&schema["mutationType"]["fields"]);
        if mutations.is_empty() {
            return Err(format!("no introspection: {introspected}"));
        }
        Ok(Self {
            inputs: types
                .iter()
                .map(|(name, entry)| (name.to_string(), by_name(&entry["inputFields"])))
                .collect(),
            mutations: mutations
                .iter()
                .map(|(name, entry)| (name.to_string(), by_name(&entry["args"])))
                .collect(),
        })
    }

    /// Translates a REST request. `path` is the part after the project's key, without query. Returns `None` if GraphQL
    /// cannot express the request.
    pub fn change(
        &self,
        method: &str,
        path: &str,
        version: Option<i64>,
        body: &Value,
    ) -> Option<TranslatedChange> {
        let all: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let (store, segments) = match &all[..] {
            ["in-store", store, rest @ ..] => (Some(store.strip_prefix("key=")?), rest),
            segments => (None, segments),
        };
        // The associate of a Business Unit is an argument in GraphQL.
        let (associate, segments) = match segments {
            ["as-associate", id, "in-business-unit", unit, rest @ ..] => {
                let unit = unit.strip_prefix("key=")?;
                (Some(json!({"businessUnitKey": unit, "associateId": id})), rest)
            }
            segments => (None, segments),
        };
        let called = segments.join("/");
        if let Some(call) = CALLS.iter().find(|call| method == "POST" && call.path == called) {
            return self.call(call, store, associate, body);
        }
        // Resources below `/me` have mutations of their own, without an id if there is only one per caller.
        let (owner, segments) = match segments {
            ["me"] => ("My", &["customers"][..]),
            ["me", rest @ ..] => ("My", rest),
            segments => ("", segments),
        };
        let (resource, address) =
            segments.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let verb = match (method, address.is_empty(), resource) {
            ("POST", _, "") => ChangeKind::Update,
            ("POST", true, "customers") if owner == "My" => ChangeKind::Update,
            ("DELETE", true, "customers") if owner == "My" => ChangeKind::Delete,
            ("POST", true, _) => ChangeKind::Create,
            ("POST", false, _) => ChangeKind::Update,
            ("DELETE", false, _) => ChangeKind::Delete,
            _ => return None,
        };
        let name = self.mutation(verb, owner, resource)?;
        let arguments = self.mutations.get(&name)?;
        let mut given = self.sent(verb, arguments, version, body)?;
        given.extend(address_arguments(address)?);
        given.extend(store.map(|store| ("storeKey".to_owned(), json!(store))));
        given.extend(associate.map(|associate| ("asAssociate".to_owned(), associate)));
        let shown = match HELD.iter().find(|(mutation, _)| *mutation == name) {
            Some((_, held)) => held,
            None if resource.is_empty() => "key",
            None => "id",
        };
        Some(TranslatedChange { body: self.body(&name, shown, given)?, name, verb, call: None })
    }

    /// Builds the arguments of a change: a draft, a version and actions, or a version.
    fn sent(&self, verb: ChangeKind, arguments: &Map, version: Option<i64>, body: &Value) -> Option<Map> {
        let mut given = Map::new();
        let mut give = |name: &str, value| _ = given.insert(name, value);
        match verb {
            ChangeKind::Create => {
                give("draft", self.convert("", "draft", body, &arguments["draft"]["type"])?)
            }
            ChangeKind::Update => {
                let fields = body.as_object().filter(|fields| fields.len() == 2)?;
                let actions = &arguments["actions"]["type"];
                give("version", json!(fields.get("version")?.as_i64()?));
                give("actions", self.convert("", "actions", fields.get("actions")?, actions)?);
            }
            ChangeKind::Delete => {
                if let Some(version) = version {
                    give("version", json!(version));
                }
                if let Some(erase) = body.get("personalDataErasure") {
                    give("personalDataErasure", erase.clone());
                }
            }
            ChangeKind::Call => return None,
        }
        Some(given)
    }

    /// Translates a request to an endpoint of [`CALLS`]: its body is the draft, or contains the arguments.
    fn call(
        &self,
        ask: &'static EndpointMutation,
        store: Option<&str>,
        associate: Option<Value>,
        body: &Value,
    ) -> Option<TranslatedChange> {
        let arguments = self.mutations.get(ask.mutation)?;
        let mut given = Map::new();
        if let Some(draft) = arguments.get("draft") {
            given.insert("draft", self.convert("", "draft", body, &draft["type"])?);
        } else {
            for (name, value) in body.as_object()? {
                let ty = &arguments.get(name)?["type"];
                given.insert(name.clone(), self.convert("", name, value, ty)?);
            }
        }
        given.extend(store.map(|store| ("storeKey".to_owned(), json!(store))));
        given.extend(associate.map(|associate| ("asAssociate".to_owned(), associate)));
        let shown = ask.selection_set.to_owned();
        let body = self.body(ask.mutation, &shown, given)?;
        Some(TranslatedChange {
            body,
            name: ask.mutation.to_owned(),
            verb: ChangeKind::Call,
            call: Some(ask),
        })
    }

    /// Builds the request body of a mutation; `None` if the mutation does not have these arguments.
    fn body(&self, name: &str, shown: &str, given: Map) -> Option<Value> {
        let arguments = self.mutations.get(name)?;
        if !given.keys().all(|name| arguments.contains_key(name)) || lacks_required(arguments, &given) {
            return None;
        }
        let parameters: Vec<String> =
            given.keys().map(|name| format!("${name}: {}", sdl(&arguments[name]["type"]))).collect();
        let passed: Vec<String> = given.keys().map(|name| format!("{name}: ${name}")).collect();
        let query =
            format!("mutation({}) {{ {name}({}) {{ {shown} }} }}", parameters.join(", "), passed.join(", "));
        Some(json!({"query": query, "variables": given}))
    }

    fn mutation(&self, verb: ChangeKind, owner: &str, resource: &str) -> Option<String> {
        let listed = MUTATIONS.iter().find(|(path, _)| *path == resource).map(|(_, name)| (*name).to_owned());
        let name = listed.unwrap_or_else(|| {
            let singular = match resource.strip_suffix("ies") {
                Some(stem) => format!("{stem}y"),
                None => resource.strip_suffix('s').unwrap_or(resource).to_owned(),
            };
            singular.split('-').map(capital).collect()
        });
        let verbs: &[&str] = match verb {
            ChangeKind::Create => &["create", "createOrUpdate"],
            ChangeKind::Update => &["update"],
            ChangeKind::Delete => &["delete"],
            ChangeKind::Call => &[],
        };
        verbs.iter().map(|verb| format!("{verb}{owner}{name}")).find(|name| self.mutations.contains_key(name))
    }

    /// Converts a REST value to one of an input type; `None` if the type cannot express it.
    fn convert(&self, owner: &str, field: &str, value: &Value, ty: &Value) -> Option<Value> {
        match ty["kind"].as_str()? {
            "NON_NULL" if value.is_null() => None,
            "NON_NULL" => self.convert(owner, field, value, &ty["ofType"]),
            _ if value.is_null() => Some(Value::Null),
            "LIST" => {
                let element = without_mark(&ty["ofType"]);
                match (element["name"].as_str(), value) {
                    (Some("LocalizedStringItemInputType"), Value::Object(texts)) => Some(
                        texts.iter().map(|(locale, text)| json!({"locale": locale, "value": text})).collect(),
                    ),
                    (Some("CustomFieldInput"), Value::Object(fields)) => Some(
                        fields
                            .iter()
                            .map(|(name, value)| json!({"name": name, "value": value.to_string()}))
                            .collect(),
                    ),
                    (Some("LocalizedStringItemInputType" | "CustomFieldInput"), _) => None,
                    (_, Value::Array(elements)) => {
                        elements.iter().map(|one| self.convert(owner, field, one, &ty["ofType"])).collect()
                    }
                    _ => None,
                }
            }
            "INPUT_OBJECT" => self.object(ty["name"].as_str()?, value.as_object()?),
            // GraphQL takes this value as JSON in a string.
            _ if field == "value"
                && (owner.contains("CustomField")
                    || owner.contains("Attribute")
                    || owner == "CustomObjectDraft") =>
            {
                Some(json!(value.to_string()))
            }
            "ENUM" => value.is_string().then(|| value.clone()),
            _ => match ty["name"].as_str()? {
                "String" | "Locale" | "Country" | "Currency" | "DateTime" => {
                    value.is_string().then(|| value.clone())
                }
                "Boolean" => value.is_boolean().then(|| value.clone()),
                "Int" => {
                    value.as_i64().filter(|whole| i32::try_from(*whole).is_ok()).map(|whole| json!(whole))
                }
                _ => Some(value.clone()),
            },
        }
    }

    fn object(&self, name: &str, value: &Map) -> Option<Value> {
        let fields = self.inputs.get(name)?;
        let tag = if name.ends_with("UpdateAction") {
            Some("action")
        } else {
            let is_union = fields.keys().all(|field| field.starts_with(|first: char| first.is_uppercase()));
            DISCRIMINATORS.iter().copied().find(|by| is_union && value.contains_key(*by))
        };
        if let Some(by) = tag {
            let member = value.get(by)?.as_str()?;
            let rest: Map = value
                .iter()
                .filter(|(field, _)| *field != by)
                .map(|(field, value)| (field.clone(), value.clone()))
                .collect();
            let ty = &fields.get(member)?["type"];
            return Some(json!({member: self.convert(name, member, &Value::Object(rest), ty)?}));
        }
        let mut object = Map::new();
        for (field, value) in value {
            let named = RENAMED
                .iter()
                .find(|(of, from, _)| *of == name && from == field)
                .map_or(field.as_str(), |(_, _, to)| to);
            object.insert(named, self.convert(name, named, value, &fields.get(named)?["type"])?);
        }
        (!lacks_required(fields, &object)).then_some(Value::Object(object))
    }
}

/// Converts the errors of a GraphQL response to the status and body of the REST response to the same request.
pub(crate) fn refusal(errors: &[Value]) -> (u16, Value) {
    let objects: Vec<Value> = errors
        .iter()
        .map(|error| {
            let mut object = Map::new();
            object.insert("code", error["extensions"]["code"].clone());
            object.insert("message", error["message"].clone());
            object.extend(error["extensions"].as_object().cloned().unwrap_or_default());
            Value::Object(object)
        })
        .collect();
    let code = errors.first().and_then(|error| error["extensions"]["code"].as_str()).unwrap_or_default();
    let status = match code {
        "ConcurrentModification" => 409,
        "ResourceNotFound" | "ObjectNotFound" => 404,
        "insufficient_scope" | "AssociateMissingPermission" => 403,
        "Unauthorized" => 401,
        "General" => 500,
        "OverCapacity" => 503,
        _ => 400,
    };
    let message = errors.first().map(|error| error["message"].clone()).unwrap_or_default();
    let mut body = json!({"statusCode": status, "message": message, "errors": objects});
    if code == "insufficient_scope" {
        body["error"] = json!(code);
        body["error_description"] = message;
    }
    (status, body)
}

/// Returns the arguments that identify a document; none for the only one of its kind.
fn address_arguments(address: &[&str]) -> Option<Vec<(String, Value)>> {
    let given = |name: &str, value: &str| (name.to_owned(), json!(value));
    Some(match address {
        [] => Vec::new(),
        [container, key] => vec![given("container", container), given("key", key)],
        [one] => vec![match one.split_once('=') {
            Some(("order-number", number)) => given("orderNumber", number),
            Some(("key", key)) => given("key", key),
            _ => given("id", one),
        }],
        _ => return None,
    })
}

fn lacks_required(fields: &Map, given: &Map) -> bool {
    fields.iter().any(|(name, field)| {
        field["type"]["kind"] == "NON_NULL" && field["defaultValue"].is_null() && !given.contains_key(name)
    })
}

fn without_mark(ty: &Value) -> &Value {
    if ty["kind"] == "NON_NULL" { &ty["ofType"] } else { ty }
}

fn sdl(ty: &Value) -> String {
    match ty["kind"].as_str() {
        Some("NON_NULL") => format!("{}!", sdl(&ty["ofType"])),
        Some("LIST") => format!("[{}]", sdl(&ty["ofType"])),
        _ => ty["name"].as_str().unwrap_or_default().to_owned(),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named_type(kind: &str, name: &str) -> Value {
        json!({"kind": kind, "name": name})
    }

    fn required(ty: Value) -> Value {
        json!({"kind": "NON_NULL", "ofType": ty})
    }

    fn schema() -> GraphQlTranslation {
        let list = |ty| json!({"kind": "LIST", "ofType": required(ty)});
        let field = |name: &str, ty: Value| json!({"name": name, "defaultValue": null, "type": ty});
        GraphQlTranslation::from_introspection(&json!({"data": {"__schema": {
            "mutationType": {"fields": [{"name": "updateTaxCategory", "args": [
                field("version", required(named_type("SCALAR", "Long"))),
                field("actions", required(list(named_type("INPUT_OBJECT", "TaxCategoryUpdateAction")))),
                field("key", named_type("SCALAR", "String")),
            ]}]},
            "types": [
                {"name": "TaxCategoryUpdateAction", "inputFields": [field("setName", named_type("INPUT_OBJECT", "SetName"))]},
                {"name": "SetName", "inputFields": [field("name", list(named_type("INPUT_OBJECT", "LocalizedStringItemInputType")))]},
            ],
        }}}))
        .unwrap()
    }

    #[test]
    fn an_update_becomes_a_mutation() {
        let body = json!({"version": 3, "actions": [{"action": "setName", "name": {"en": "Books"}}]});
        let change = schema().change("POST", "/tax-categories/key=books", None, &body).unwrap();
        assert_eq!(change.name, "updateTaxCategory");
        assert_eq!(
            change.body["variables"],
            json!({"version": 3, "key": "books", "actions": [{"setName": {"name": [{"locale": "en", "value": "Books"}]}}]})
        );
    }

    #[test]
    fn an_endpoint_below_a_store_becomes_the_mutation_for_it() {
        let text = |name: &str| json!({"name": name, "defaultValue": null, "type": required(named_type("SCALAR", "String"))});
        let store = json!({"name": "storeKey", "defaultValue": null, "type": named_type("SCALAR", "KeyReferenceInput")});
        let schema = GraphQlTranslation::from_introspection(
            &json!({"data": {"__schema": {"types": [], "mutationType": {"fields": [
            {"name": "customerConfirmEmail", "args": [text("tokenValue"), store]}]}}}}),
        )
        .unwrap();
        let body = json!({"tokenValue": "x"});
        let path = "/in-store/key=berlin/customers/email/confirm";
        let change = schema.change("POST", path, None, &body).unwrap();
        assert_eq!((change.name.as_str(), change.verb), ("customerConfirmEmail", ChangeKind::Call));
        assert_eq!(change.body["variables"], json!({"tokenValue": "x", "storeKey": "berlin"}));
        let path = "/customers/email/confirm";
        assert_eq!(schema.change("POST", path, None, &json!({"tokenValue": 1})), None);
    }

    #[test]
    fn does_not_translate_what_graphql_cannot_express() {
        for actions in
            [json!([{"action": "setColour"}]), json!([{"action": "setName", "colour": 1}]), json!({})]
        {
            let body = json!({"version": 3, "actions": actions});
            assert_eq!(schema().change("POST", "/tax-categories/key=books", None, &body), None, "{actions}");
        }
    }

    #[test]
    fn converts_errors_to_rest_errors() {
        let errors = [
            json!({"message": "late", "extensions": {"code": "ConcurrentModification", "currentVersion": 2}}),
        ];
        let (status, body) = refusal(&errors);
        assert_eq!(status, 409);
        assert_eq!(
            body["errors"],
            json!([{"code": "ConcurrentModification", "message": "late", "currentVersion": 2}])
        );
    }
}
