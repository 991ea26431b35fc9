//! Queries every field of every type of the GraphQL schema on the data of the demo, and lists the fields without a
//! value.
//!
//! `tests/api/unanswered-fields.txt` is that list: the test fails if a field has no value and is not listed, or has one
//! and is still listed. So it finds new fields that can only be `null`. `UPDATE=1` removes the fields that have a value
//! now; add a new field by hand, with its reason in the commit.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use base64::{Engine, engine::general_purpose::STANDARD};
use kontor_json::{Value, json};
use kontor_tests::{TestedServer, package_folder};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use ureq::Agent;

/// The most paths at which the fields of one type are queried.
const PLACES_MAX: usize = 4;

const SCHEMA: &str = "{ __schema { types { kind name possibleTypes { name } fields { name \
    args { name defaultValue type { ...T } } type { ...T } } } } } \
    fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";

struct Demo {
    agent: Agent,
    url: String,
    authorization: String,
}

impl Demo {
    fn open(server: &TestedServer, secret: &str) -> Self {
        let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
        let basic = STANDARD.encode(format!("demo-client:{secret}"));
        let mut response = agent
            .post(format!("{}/oauth/token", server.base_url))
            .header("authorization", format!("Basic {basic}"))
            .send_form([("grant_type", "client_credentials")])
            .unwrap();
        let token: Value = kontor_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap();
        let authorization = format!("Bearer {}", token["access_token"].as_str().unwrap());
        Self { agent, url: format!("{}/demo/graphql", server.base_url), authorization }
    }

    fn data(&self, query: &str) -> Value {
        let body = json!({"query": query}).to_string();
        let request = self.agent.post(&self.url).header("authorization", &self.authorization);
        let mut response = request.header("content-type", "application/json").send(&body).unwrap();
        let text = response.body_mut().with_config().limit(u64::MAX).read_to_string().unwrap();
        let response: Value = kontor_json::from_str(&text).unwrap();
        assert!(response.get("data").is_some(), "{query}: {response}");
        response["data"].clone()
    }
}

/// A field that can be queried without data-dependent arguments.
#[derive(Clone)]
struct QueryField {
    name: String,
    /// The field with its arguments, as the query contains it.
    written: String,
    ty: String,
}

struct QuerySchema {
    fields: BTreeMap<String, Vec<QueryField>>,
    /// All fields by type with the names of their types, also the fields that cannot be queried.
    all: BTreeMap<String, Vec<(String, String)>>,
    /// The object types of interfaces and unions.
    members: BTreeMap<String, Vec<String>>,
}

fn innermost(ty: &Value) -> &str {
    let mut ty = ty;
    while ty["ofType"].is_object() {
        ty = &ty["ofType"];
    }
    ty["name"].as_str().unwrap()
}

/// Returns the arguments of a field; `None` if a required one depends on the data.
fn arguments(field: &Value) -> Option<String> {
    let mut sent = Vec::new();
    for argument in field["args"].as_array().unwrap() {
        let name = argument["name"].as_str().unwrap();
        let is_needed = argument["type"]["kind"] == "NON_NULL" && argument["defaultValue"].is_null();
        match innermost(&argument["type"]) {
            _ if name == "limit" => sent.push("limit: 100".to_owned()),
            "Currency" if is_needed => sent.push(format!("{name}: \"EUR\"")),
            "Locale" if is_needed => sent.push(format!("{name}: \"en\"")),
            _ if is_needed => return None,
            _ => {}
        }
    }
    Some(if sent.is_empty() { String::new() } else { format!("({})", sent.join(", ")) })
}

impl QuerySchema {
    fn of(introspected: &Value) -> Self {
        let mut schema = Self { fields: BTreeMap::new(), all: BTreeMap::new(), members: BTreeMap::new() };
        for ty in introspected["__schema"]["types"].as_array().unwrap() {
            let name = ty["name"].as_str().unwrap();
            if name.starts_with("__") || !ty["fields"].is_array() {
                continue;
            }
            let fields = ty["fields"].as_array().unwrap();
            let named = |field: &Value| field["name"].as_str().unwrap().to_owned();
            let all = fields.iter().map(|field| (named(field), innermost(&field["type"]).to_owned()));
            schema.all.insert(name.to_owned(), all.collect());
            let requested = fields.iter().filter_map(|field| {
                let written = format!("{}{}", named(field), arguments(field)?);
                Some(QueryField { name: named(field), written, ty: innermost(&field["type"]).to_owned() })
            });
            schema.fields.insert(name.to_owned(), requested.collect());
            let members = ty["possibleTypes"].as_array().into_iter().flatten();
            let members = members.map(|member| member["name"].as_str().unwrap().to_owned());
            schema.members.insert(name.to_owned(), members.collect());
        }
        schema
    }

    /// Returns the object types that can be reached from `Query`.
    fn reachable(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut next = vec!["Query"];
        while let Some(name) = next.pop() {
            let Some(fields) = self.all.get(name) else { continue };
            if found.insert(name) {
                next.extend(fields.iter().map(|(_, ty)| ty.as_str()));
                next.extend(self.members[name].iter().map(String::as_str));
            }
        }
        found.into_iter().filter(|name| self.members[*name].is_empty()).collect()
    }
}

/// Returns the elements of nested lists, or the value itself.
fn elements(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(inner) => inner.iter().flat_map(elements).collect(),
        value => vec![value],
    }
}

/// A step from one object to another: the field as the query contains it, its name, and the object type if there are
/// several.
#[derive(Clone)]
struct QueryStep {
    written: String,
    name: String,
    member: Option<String>,
}

/// The types of the objects found, and their fields that had a value.
#[derive(Default)]
struct ObservedFields {
    types: BTreeMap<String, usize>,
    fields: BTreeSet<(String, String)>,
}

fn walk(demo: &Demo, schema: &QuerySchema) -> ObservedFields {
    let mut seen = ObservedFields::default();
    let mut next: VecDeque<(Vec<QueryStep>, String)> = VecDeque::from([(Vec::new(), "Query".to_owned())]);
    while let Some((path, ty)) = next.pop_front() {
        let met = seen.types.entry(ty.clone()).or_default();
        *met += 1;
        if *met > PLACES_MAX {
            continue;
        }
        let fields = &schema.fields[&ty];
        // Query each root field alone, so that the error of one does not hide the others.
        let size = if path.is_empty() { 1 } else { fields.len().max(1) };
        for fields in fields.chunks(size) {
            let selection: Vec<String> = fields
                .iter()
                .map(|field| match schema.all.contains_key(&field.ty) {
                    true => format!("{} {{ __typename }}", field.written),
                    false => field.written.clone(),
                })
                .collect();
            let query = path.iter().rev().fold(selection.join(" "), |inner, place| match &place.member {
                Some(member) => format!("{} {{ ... on {member} {{ {inner} }} }}", place.written),
                None => format!("{} {{ {inner} }}", place.written),
            });
            let data = demo.data(&format!("{{ {query} }}"));
            let objects = path.iter().fold(vec![&data], |objects, place| {
                objects.into_iter().flat_map(|object| elements(&object[place.name.as_str()])).collect()
            });
            for field in fields {
                let values: Vec<&Value> =
                    objects.iter().flat_map(|object| elements(&object[field.name.as_str()])).collect();
                let is_there = |value: &&&Value| !value.is_null() && **value != &json!({});
                if values.iter().any(|value| is_there(&value)) {
                    seen.fields.insert((ty.clone(), field.name.clone()));
                }
                let members: BTreeSet<&str> =
                    values.iter().filter_map(|value| value["__typename"].as_str()).collect();
                for member in members {
                    let member_of = (member != field.ty).then(|| member.to_owned());
                    let step = QueryStep {
                        written: field.written.clone(),
                        name: field.name.clone(),
                        member: member_of,
                    };
                    let further = path.iter().cloned().chain([step]).collect();
                    next.push_back((further, member.to_owned()));
                }
            }
        }
    }
    seen
}

/// Returns `Type.field` of the fields without a value, or `Type` if no object of the type was found.
fn unanswered(schema: &QuerySchema, seen: &ObservedFields) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for ty in schema.reachable() {
        if !seen.types.contains_key(ty) {
            lines.insert(ty.to_owned());
            continue;
        }
        let fields = schema.all[ty].iter().map(|(name, _)| name);
        let missing = fields.filter(|name| !seen.fields.contains(&(ty.to_owned(), (*name).clone())));
        lines.extend(missing.map(|name| format!("{ty}.{name}")));
    }
    lines
}

#[test]
fn fields_without_a_value_are_listed() {
    let (server, secret) = TestedServer::start_demo().unwrap();
    let demo = Demo::open(&server, &secret);
    let schema = QuerySchema::of(&demo.data(SCHEMA));
    let found = unanswered(&schema, &walk(&demo, &schema));
    let file = package_folder().join("../api/unanswered-fields.txt");
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let listed: BTreeSet<String> = written.lines().map(str::to_owned).collect();
    if std::env::var_os("UPDATE").is_some() {
        let left =
            if listed.is_empty() { found.clone() } else { listed.intersection(&found).cloned().collect() };
        let text: String = left.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&file, text).unwrap();
    }
    let new: Vec<&String> = found.difference(&listed).collect();
    assert!(new.is_empty() || listed.is_empty(), "had no value on the demo's data: {new:?}");
    let response: Vec<&String> = listed.difference(&found).collect();
    assert!(
        response.is_empty() || std::env::var_os("UPDATE").is_some(),
        "has a value now; UPDATE=1 removes it from {}: {response:?}",
        file.display()
    );
}
