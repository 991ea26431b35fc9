//! Reads `/openapi.json`: which bodies can name other resources, and where responses refer to them.

use crate::belongings::{CLOSED, IN_CUSTOM_FIELDS, field_of};
use kontor_json::{Value, json};

/// The placeholder for the id of the named resource.
pub(crate) const ID: &str = "@ID";
/// The placeholder for its key.
pub(crate) const KEY: &str = "@KEY";
/// How deep shapes lie in each other at most: the filters of searches contain themselves.
const DEPTH_MAX: usize = 8;

/// A body that names one resource, as text with [`ID`] or [`KEY`] in it.
#[derive(Clone)]
pub(crate) struct Naming {
    /// Where the resource is named, e.g. `addPayment.payment`.
    pub(crate) path: String,
    /// The kind of the resource.
    pub(crate) kind: &'static str,
    pub(crate) body: Value,
}

/// One operation of the API.
pub(crate) struct ScopedOperation {
    pub(crate) method: String,
    /// Below the project, e.g. `/me/carts/{ID}`.
    pub(crate) path: String,
    /// The kinds of tokens that the operation accepts, if not only those of clients.
    pub(crate) tokens: Vec<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) has_expand: bool,
    pub(crate) has_where: bool,
    body: Option<String>,
    response: Option<String>,
}

/// The description that the server gives of itself.
pub(crate) struct Description {
    schemas: Value,
    pub(crate) operations: Vec<ScopedOperation>,
}

impl Description {
    pub(crate) fn new(document: &Value) -> Self {
        let schemas = document["components"]["schemas"].clone();
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let Some(path) = path.strip_prefix("/{projectKey}").filter(|path| path.starts_with('/')) else {
                continue;
            };
            for method in ["get", "post"] {
                if !item[method].is_null() {
                    operations.push(operation(method, path, &item[method]));
                }
            }
        }
        Self { schemas, operations }
    }

    /// Bodies of an operation, each of which names one resource of a closed kind.
    pub(crate) fn namings(&self, operation: &ScopedOperation) -> Vec<Naming> {
        let Some(name) = &operation.body else { return Vec::new() };
        self.of_schema(name, &json!({"$ref": format!("#/{name}")}), &mut Vec::new())
    }

    /// Expansion paths that lead from the response of an operation to other resources, over at most `hops` of them.
    pub(crate) fn expansions(&self, operation: &ScopedOperation, hops: usize) -> Vec<String> {
        let Some(response) = &operation.response else { return Vec::new() };
        let name = response.strip_suffix("PagedQueryResponse").unwrap_or(response);
        let mut paths = Vec::new();
        self.references(&json!({"$ref": format!("#/{name}")}), "", hops, &mut Vec::new(), &mut paths);
        paths.sort();
        paths.dedup();
        paths
    }

    fn references(
        &self,
        schema: &Value,
        path: &str,
        hops: usize,
        within: &mut Vec<String>,
        paths: &mut Vec<String>,
    ) {
        if let Some(name) = referenced(schema) {
            if name == "CustomFields" {
                paths.extend(IN_CUSTOM_FIELDS.iter().map(|kind| format!("{path}.fields.{}", field_of(kind))));
                return;
            }
            if within.iter().any(|other| other == name) || within.len() > DEPTH_MAX {
                return;
            }
            let shape = &self.schemas[name];
            let target = &shape["properties"]["obj"];
            within.push(name.to_owned());
            if !target.is_null() {
                paths.push(path.to_owned());
                if hops > 1 {
                    self.references(target, path, hops - 1, within, paths);
                }
            } else {
                self.references(shape, path, hops, within, paths);
            }
            within.pop();
            return;
        }
        if !schema["items"].is_null() {
            self.references(&schema["items"], &format!("{path}[*]"), hops, within, paths);
        }
        for one in schema["oneOf"].as_array().into_iter().flatten() {
            self.references(one, path, hops, within, paths);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            self.references(property, &path, hops, within, paths);
        }
    }

    fn of_schema(&self, field: &str, schema: &Value, within: &mut Vec<String>) -> Vec<Naming> {
        if let Some(name) = referenced(schema) {
            if let Some(named) = self.identifier(name) {
                return named;
            }
            if name == "CustomFieldsDraft" {
                return custom_fields(within.iter().map(String::len).sum());
            }
            if within.iter().any(|other| other == name) || within.len() > DEPTH_MAX {
                return Vec::new();
            }
            within.push(name.to_owned());
            let found = self.of_schema(field, &self.schemas[name], within);
            within.pop();
            return found;
        }
        if schema["type"] == "array" {
            let of_items = self.of_schema(field, &schema["items"], within);
            return of_items.into_iter().map(|one| Naming { body: json!([one.body]), ..one }).collect();
        }
        if let Some(members) = schema["oneOf"].as_array().filter(|_| schema["properties"].is_null()) {
            return members.iter().flat_map(|one| self.of_schema(field, one, within)).collect();
        }
        if schema["type"] == "string" {
            return id_in_text(field);
        }
        self.of_object(schema, within)
    }

    fn of_object(&self, schema: &Value, within: &mut Vec<String>) -> Vec<Naming> {
        let mut found = Vec::new();
        let action = schema["properties"]["action"]["const"].as_str();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_custom =
                name.as_str() == "value" && action.is_some_and(|action| action.ends_with("CustomField"));
            let inner = if is_custom { custom_values() } else { self.of_schema(name, property, within) };
            for one in inner {
                let mut body = self.example(schema, 0);
                let object = body.as_object_mut().unwrap();
                object.insert(name.to_string(), one.body);
                if is_custom {
                    object.insert("name", json!(field_of(one.kind)));
                }
                let wrapped = matches!(name.as_str(), "actions" | "cart");
                let path = if one.path.is_empty() {
                    name.to_string()
                } else if wrapped {
                    one.path
                } else {
                    format!("{name}.{}", one.path)
                };
                let path = action.map_or(path.clone(), |action| format!("{action}.{path}"));
                found.push(Naming { path, kind: one.kind, body });
            }
        }
        found
    }

    /// The forms of a reference or resource identifier of a closed kind: by id and by key.
    fn identifier(&self, name: &str) -> Option<Vec<Naming>> {
        if matches!(name, "ResourceIdentifier" | "Reference") {
            return Some(custom_values());
        }
        if !name.ends_with("ResourceIdentifier") && !name.ends_with("Reference") {
            return None;
        }
        let shape = &self.schemas[name];
        let type_id = shape["properties"]["typeId"]["const"].as_str()?;
        let Some((kind, _)) = CLOSED.iter().find(|(kind, _)| *kind == type_id) else {
            return Some(Vec::new());
        };
        let by = [("id", ID), ("key", KEY)];
        let possible = by.into_iter().filter(|(field, _)| !shape["properties"][*field].is_null());
        Some(
            possible
                .map(|(field, value)| {
                    let mut body = json!({"typeId": *kind});
                    body.as_object_mut().unwrap().insert(field, json!(value));
                    Naming { path: field.into(), kind, body }
                })
                .collect(),
        )
    }

    /// The smallest value that a shape allows.
    fn example(&self, schema: &Value, depth: usize) -> Value {
        if let Some(name) = referenced(schema) {
            return match name {
                "CurrencyCode" => json!("EUR"),
                "CountryCode" => json!("DE"),
                "Locale" => json!("en"),
                "LocalizedString" => json!({"en": "text"}),
                "StoreResourceIdentifier" => json!({"typeId": "store", "key": "here"}),
                _ if depth > DEPTH_MAX => Value::Null,
                _ => self.example(&self.schemas[name], depth + 1),
            };
        }
        if !schema["const"].is_null() {
            return schema["const"].clone();
        }
        if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
            return first.clone();
        }
        if let Some(first) =
            schema["oneOf"].as_array().filter(|_| schema["properties"].is_null()).and_then(|all| all.first())
        {
            return self.example(first, depth + 1);
        }
        match schema["type"].as_str() {
            Some("array") if schema["minItems"].as_i64().unwrap_or(0) > 0 => {
                json!([self.example(&schema["items"], depth + 1)])
            }
            Some("array") => json!([]),
            Some("integer" | "number") => {
                schema["minimum"].as_i64().map_or(json!(1), |least| json!(least.max(1)))
            }
            Some("boolean") => json!(true),
            Some("string") => match schema["format"].as_str() {
                Some("date-time") => json!("2030-01-01T00:00:00.000Z"),
                Some("date") => json!("2030-01-01"),
                Some("time") => json!("10:00:00.000"),
                _ => json!("text"),
            },
            _ => {
                let mut object = json!({});
                for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    let value = match name {
                        // A new address would create a customer, who takes over the visitor's resources.
                        "email" => json!("customer@example.com"),
                        _ => self.example(&schema["properties"][name], depth + 1),
                    };
                    object.as_object_mut().unwrap().insert(name.to_owned(), value);
                }
                object
            }
        }
    }
}

fn operation(method: &str, path: &str, described: &Value) -> ScopedOperation {
    let named =
        |value: &Value| referenced(&value["content"]["application/json"]["schema"]).map(str::to_owned);
    let parameters = described["parameters"].as_array();
    let has = |name: &str| parameters.is_some_and(|all| all.iter().any(|one| referenced(one) == Some(name)));
    let scopes = described["security"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let scopes = scopes.flat_map(|one| one.values()).filter_map(Value::as_array).flatten();
    let tokens = described["x-tokens"].as_array().into_iter().flatten();
    let response = ["200", "201"].iter().find_map(|status| named(&described["responses"][*status]));
    ScopedOperation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        tokens: tokens.filter_map(|token| Some(token.as_str()?.to_owned())).collect(),
        scopes: scopes.filter_map(|scope| Some(scope.as_str()?.to_owned())).collect(),
        has_expand: has("expand"),
        has_where: has("where"),
        body: named(&described["requestBody"]),
        response,
    }
}

/// The name that a `$ref` ends in.
fn referenced(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// Values of custom fields, one for each closed kind.
fn custom_values() -> Vec<Naming> {
    let value =
        |kind: &&'static str| Naming { path: (*kind).into(), kind, body: json!({"typeId": *kind, "id": ID}) };
    IN_CUSTOM_FIELDS.iter().map(value).collect()
}

/// Custom fields with one value. They are in so many places that each place has one kind, and all kinds have their turn.
fn custom_fields(place: usize) -> Vec<Naming> {
    let draft = |one: Naming| {
        let mut fields = json!({});
        fields.as_object_mut().unwrap().insert(field_of(one.kind), one.body);
        Naming { body: json!({"type": {"key": "refs"}, "fields": fields}), ..one }
    };
    let mut values = custom_values();
    vec![draft(values.swap_remove(place % values.len()))]
}

/// Fields such as `anonymousCartId` hold an id as text.
fn id_in_text(field: &str) -> Vec<Naming> {
    let field = field.to_lowercase();
    let kind = CLOSED
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| field.ends_with(&format!("{}id", kind.replace('-', ""))));
    kind.map(|kind| Naming { path: String::new(), kind, body: json!(ID) }).into_iter().collect()
}
