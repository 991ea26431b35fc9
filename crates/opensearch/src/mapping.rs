//! The settings and the mapping of an index, and how new columns are added to it.

use crate::column::{self, COLUMNS};
use kontor_json::{Map, Value as Json, json};
use kontor_search::{FieldLevel, SearchField};

/// The version of the documents' form. If it is increased, older indexes are rebuilt.
const FORM: u64 = 1;
/// Maximum number of nodes of an entry: its children and grandchildren.
const NODES_MAX: u64 = 50_000;
/// Maximum number of fields of a mapping: columns, and the few others.
const FIELDS_MAX: u64 = 1_000;

/// Returns settings and mapping of a new index. It has one shard, so that counts are exact and a batch becomes visible
/// as a whole; it is only refreshed when a batch is complete.
pub(crate) fn new_index_settings() -> Json {
    let grandchildren = nested(node([]));
    let children = nested(node([("grandchildren", grandchildren)]));
    let kept = json!({"type": "object", "enabled": false});
    let root = node([
        ("children", children),
        ("id", json!({"type": "keyword"})),
        ("entry", kept.clone()),
        ("position", kept),
    ]);
    json!({
        "settings": {"index": {
            "number_of_shards": 1,
            "auto_expand_replicas": "0-1",
            "refresh_interval": "-1",
            "mapping": {"nested_objects": {"limit": NODES_MAX}, "total_fields": {"limit": FIELDS_MAX}},
        }},
        "mappings": {
            "dynamic": false,
            "_meta": {"form": FORM},
            // Other fields can be derived from the entry.
            "_source": {"includes": ["entry", "position"]},
            "properties": root,
        },
    })
}

/// Returns whether a mapping has the form that this release writes.
pub(crate) fn is_current(mapping: &Json) -> bool {
    mapping.pointer("/_meta/form").and_then(Json::as_u64) == Some(FORM)
}

/// Returns the mapping changes for columns of these fields.
pub(crate) fn with_columns(fields: &[SearchField]) -> Json {
    let of = |level: FieldLevel| -> Json {
        let of_level = fields.iter().filter(|field| field.level == level);
        let columns: Map = of_level.map(|field| (column::name(field), column::mapping(field.kind))).collect();
        json!({"dynamic": false, "properties": columns})
    };
    json!({"properties": {
        COLUMNS: of(FieldLevel::Root),
        "children": {"type": "nested", "properties": {
            COLUMNS: of(FieldLevel::Child),
            "grandchildren": {"type": "nested", "properties": {COLUMNS: of(FieldLevel::Grandchild)}},
        }},
    }})
}

/// Returns the fields of a node, with additional ones.
fn node<const COUNT: usize>(more: [(&str, Json); COUNT]) -> Json {
    let words = json!({"type": "keyword", "doc_values": false, "index_options": "freqs"});
    let mut fields: Map = ["level", "values", "folded", "terms", "fields"]
        .map(|name| (name.to_owned(), words.clone()))
        .into_iter()
        .collect();
    fields.insert(COLUMNS, json!({"type": "object", "dynamic": false}));
    fields.extend(more.map(|(name, mapping)| (name.to_owned(), mapping)));
    Json::Object(fields)
}

fn nested(properties: Json) -> Json {
    json!({"type": "nested", "dynamic": false, "properties": properties})
}
