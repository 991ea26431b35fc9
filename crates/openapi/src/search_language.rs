//! Schemas of the query language of searches. It is the same for all kinds, except for the name of a field's type.
//!
//! Source: reference types `SearchQuery`, `SearchSorting`, `OrderSearchQuery`, `OrderSearchSorting`.

use crate::schemas::{Schemas, link};
use kontor_json::{Value, json};
use kontor_model::{Kind, Search};
use kontor_search::{FieldType, limits};

/// The spelling of the query language.
pub(crate) struct SearchLanguage {
    /// The beginning of the names of its schemas.
    prefix: String,
    /// The member with the type of an Attribute or a custom field.
    type_member: &'static str,
    /// The name of the enum of these types, without the prefix.
    type_name: &'static str,
    /// The names of the types.
    types: Vec<String>,
}

impl SearchLanguage {
    /// Returns the spelling that searches of a kind use.
    pub(crate) fn new(kind: &Kind, search: &Search) -> Self {
        let all = FieldType::ALL.iter();
        if search.hits {
            Self {
                prefix: format!("{}Search", kind.name),
                type_member: "customType",
                type_name: "CustomType",
                types: all.map(|(field_type, _)| field_type.custom_type()).collect(),
            }
        } else {
            Self {
                prefix: "Search".to_owned(),
                type_member: "fieldType",
                type_name: "FieldType",
                types: all.map(|(_, name)| (*name).to_owned()).collect(),
            }
        }
    }

    /// Returns a reference to the schema of a query.
    pub(crate) fn query(&self) -> Value {
        self.link("Query")
    }

    /// Returns a reference to the schema of a sort expression.
    pub(crate) fn sorting(&self) -> Value {
        self.link("Sorting")
    }

    fn link(&self, name: &str) -> Value {
        link(&format!("{}{name}", self.prefix))
    }

    /// Adds the schemas of the language.
    pub(crate) fn add(&self, schemas: &mut Schemas<'_>) {
        self.add_enums(schemas);
        self.add_values(schemas);
        let parts = json!({"type": "array", "items": self.query()});
        let text = self.link("FullTextValue");
        self.share(
            schemas,
            "Query",
            json!({
                "type": "object",
                "description": "One expression: a compound one, or a simple one about a field.",
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {
                    "and": parts, "or": parts, "not": parts, "filter": parts,
                    "exact": self.link("AnyValue"),
                    "exists": self.link("ExistsValue"),
                    "fullText": text, "fullTextPrefix": text,
                    "prefix": self.link("StringValue"),
                    "wildcard": self.link("StringValue"),
                    "fuzzy": self.link("FuzzyValue"),
                    "range": self.link("RangeValue"),
                },
            }),
        );
        let sorting = json!({
            "type": "object",
            "required": ["field", "order"],
            "properties": {
                "field": {"type": "string", "description": "A field that can be searched, or `score`."},
                "order": self.link("SortOrder"),
                "language": {"type": "string"},
                "mode": self.link("SortMode"),
                self.type_member: self.link(self.type_name),
                "filter": self.query(),
            },
        });
        self.share(schemas, "Sorting", sorting);
    }

    fn add_enums(&self, schemas: &mut Schemas<'_>) {
        let types = json!({"type": "string", "enum": self.types, "description": "The type of an Attribute or a custom field."});
        self.share(schemas, self.type_name, types);
        self.share(schemas, "MatchType", json!({"type": "string", "enum": ["all", "any"]}));
        self.share(schemas, "SortOrder", json!({"type": "string", "enum": ["asc", "desc"]}));
        self.share(schemas, "SortMode", json!({"type": "string", "enum": ["min", "max", "avg", "sum"]}));
    }

    /// Adds the schemas of simple expressions.
    fn add_values(&self, schemas: &mut Schemas<'_>) {
        let (text, flag) = (json!({"type": "string"}), json!({"type": "boolean"}));
        let any = json!({"type": ["string", "number", "boolean"]});
        let one = |value: &Value| json!({"value": value, "language": text, "caseInsensitive": flag});
        let words = json!({"value": text, "language": text, "mustMatch": self.link("MatchType")});
        let mut exact = one(&any);
        exact["values"] = json!({"type": "array", "items": any});
        let mut fuzzy = words.clone();
        fuzzy["level"] = json!({"type": "integer", "minimum": 0, "maximum": limits::FUZZY_LEVEL_MAX});
        let bound = json!({"type": ["number", "string"]});
        let range = json!({"gte": bound, "gt": bound, "lte": bound, "lt": bound});
        for (name, members, required) in [
            ("AnyValue", exact, &["field"][..]),
            ("ExistsValue", json!({"language": text}), &["field"]),
            ("FullTextValue", words, &["field", "value"]),
            ("StringValue", one(&text), &["field", "value"]),
            ("FuzzyValue", fuzzy, &["field", "value", "level"]),
            ("RangeValue", range, &["field"]),
        ] {
            let mut properties = json!({
                "field": text, self.type_member: self.link(self.type_name), "boost": {"type": "number"},
            });
            if let (Some(properties), Value::Object(members)) = (properties.as_object_mut(), members) {
                properties.extend(members);
            }
            self.share(
                schemas,
                name,
                json!({"type": "object", "required": required, "properties": properties}),
            );
        }
    }

    fn share(&self, schemas: &mut Schemas<'_>, name: &str, schema: Value) {
        schemas.share(&format!("{}{name}", self.prefix), |_| schema);
    }
}
