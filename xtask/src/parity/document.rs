//! The names in the OpenAPI document.

use kontor_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

static NOTHING: Map = Map::new();

/// The document, as far as a comparison of names needs it.
pub(super) struct DescribedNames<'a> {
    prefix: &'static str,
    schemas: &'a Map,
    /// The texts of all constants, enums and discriminators.
    pub(super) words: BTreeSet<&'a str>,
    /// The names of the properties of all schemas.
    pub(super) properties: BTreeSet<&'a str>,
    /// The names of query parameters and headers, in small letters.
    pub(super) parameters: BTreeSet<String>,
}

impl<'a> DescribedNames<'a> {
    pub(super) fn new(document: &'a Value, prefix: &'static str) -> Self {
        let schemas = document["components"]["schemas"].as_object().unwrap_or(&NOTHING);
        let mut this = Self {
            prefix,
            schemas,
            words: BTreeSet::new(),
            properties: BTreeSet::new(),
            parameters: BTreeSet::new(),
        };
        this.collect(document);
        this
    }

    fn collect(&mut self, node: &'a Value) {
        match node {
            Value::Object(members) => {
                self.words.extend(node["const"].as_str());
                self.words.extend(texts(&node["enum"]));
                let mapping = node["discriminator"]["mapping"].as_object();
                self.words.extend(mapping.into_iter().flat_map(names));
                self.properties.extend(node["properties"].as_object().into_iter().flat_map(names));
                if let (Some("query" | "header"), Some(name)) = (node["in"].as_str(), node["name"].as_str()) {
                    self.parameters.insert(name.to_ascii_lowercase());
                }
                members.values().for_each(|member| self.collect(member));
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.collect(element)),
            _ => {}
        }
    }

    /// Returns the name of the schema of a type of the SDK.
    pub(super) fn schema_name(&self, name: &str) -> Option<&'a str> {
        let prefixed = self.schemas.get_key_value(&format!("{}{name}", self.prefix));
        prefixed.or_else(|| self.schemas.get_key_value(name)).map(|(name, _)| name.as_str())
    }

    /// Returns the schemas that have a constant in a property, by the constant.
    pub(super) fn with_constant(&self, property: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, schema) in self.schemas {
            let parts = [schema].into_iter().chain(schema["allOf"].as_array().into_iter().flatten());
            for part in parts {
                let property = &part["properties"][property];
                let values: Vec<&str> = texts(&property["enum"]).collect();
                let only = values.first().copied().filter(|_| values.len() == 1);
                if let Some(value) = property["const"].as_str().or(only) {
                    found.entry(value).or_default().push(name.as_str());
                }
            }
        }
        found
    }

    /// Returns the schemas that a union has as members, also through other unions.
    pub(super) fn members(&self, union: &str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut next = vec![self.schemas.get(union)];
        while let Some(schema) = next.pop() {
            let Some(schema) = schema else { continue };
            for member in parts(schema, &["oneOf", "anyOf"]).filter_map(target) {
                if found.insert(member) {
                    next.push(self.schemas.get(member));
                }
            }
        }
        found
    }

    /// Returns the names of the properties of a schema, also of its parts and members; `None` if any are allowed.
    pub(super) fn properties_of(&self, name: &str) -> Option<BTreeSet<&'a str>> {
        let schema = self.schemas.get(name)?;
        let is_object = schema["type"].as_str().unwrap_or("object") == "object";
        let has_parts = parts(schema, &["allOf", "oneOf", "anyOf"]).next().is_some();
        let has_properties =
            schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
        if is_object && !has_parts && !has_properties {
            return None;
        }
        let mut found = BTreeSet::new();
        self.gather(schema, &mut BTreeSet::new(), &mut found);
        Some(found)
    }

    fn gather(&self, schema: &'a Value, seen: &mut BTreeSet<&'a str>, found: &mut BTreeSet<&'a str>) {
        if let Some(name) = target(schema) {
            if let Some(schema) = self.schemas.get(name).filter(|_| seen.insert(name)) {
                self.gather(schema, seen, found);
            }
            return;
        }
        found.extend(schema["properties"].as_object().into_iter().flat_map(names));
        parts(schema, &["allOf", "oneOf", "anyOf"]).for_each(|part| self.gather(part, seen, found));
    }

    /// Returns the values of an enum's schema; `None` if it has none.
    pub(super) fn values(&self, name: &str) -> Option<BTreeSet<&'a str>> {
        let mut found = BTreeSet::new();
        self.gather_values(self.schemas.get(self.schema_name(name)?)?, true, &mut found);
        (!found.is_empty()).then_some(found)
    }

    fn gather_values(&self, node: &'a Value, follows_links: bool, found: &mut BTreeSet<&'a str>) {
        match node {
            Value::Object(members) => {
                found.extend(node["const"].as_str());
                found.extend(texts(&node["enum"]));
                if let Some(linked) =
                    target(node).filter(|_| follows_links).and_then(|name| self.schemas.get(name))
                {
                    found.extend(linked["const"].as_str());
                    found.extend(texts(&linked["enum"]));
                }
                members.values().for_each(|member| self.gather_values(member, follows_links, found));
            }
            Value::Array(elements) => {
                elements.iter().for_each(|element| self.gather_values(element, follows_links, found));
            }
            _ => {}
        }
    }
}

fn names(members: &Map) -> impl Iterator<Item = &str> {
    members.keys().map(|name| name.as_str())
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn parts<'a>(schema: &'a Value, kinds: &'static [&'static str]) -> impl Iterator<Item = &'a Value> {
    kinds.iter().flat_map(|kind| schema[*kind].as_array().into_iter().flatten())
}

/// Returns the name of the schema that a reference refers to.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}
