//! Schemas of search requests and responses.
//!
//! Source: reference types `…SearchRequest`, `…PagedSearchResponse`.

use crate::names::pascal;
use crate::schemas::{Schemas, ValueDirection, link};
use crate::search_language::SearchLanguage;
use kontor_json::{Value, json};
use kontor_model::{Kind, Search, SearchedParts};
use kontor_search::{SearchShape, limits};

/// Returns the schema of a search request.
pub(crate) fn request(schemas: &mut Schemas<'_>, kind: &Kind, search: &Search) -> Value {
    let language = SearchLanguage::new(kind, search);
    language.add(schemas);
    let shape = match &search.parts {
        Some(parts) => {
            SearchShape::Storefront { entries: &kind.path, children: &parts.name, mark: &parts.mark }
        }
        None if search.hits => SearchShape::Hits,
        None => SearchShape::BackOffice,
    };
    let mut properties = json!({
        "query": language.query(),
        "sort": {"type": "array", "items": language.sorting(), "description": "Default: the most relevant first."},
        "limit": {"type": "integer", "minimum": shape.limit_min(), "maximum": limits::HITS_MAX, "default": shape.limit_default()},
        "offset": {"type": "integer", "minimum": 0, "maximum": shape.offset_max(), "default": 0},
    });
    if shape != SearchShape::Hits {
        properties["offset"]["description"] = json!("The sum of `offset` and `limit` is at most 10,000.");
    }
    if let Some(parts) = &search.parts {
        let facet = facet(schemas, kind, parts);
        properties[&parts.mark] = json!({"type": "boolean", "default": false});
        properties["facets"] = json!({"type": "array", "items": facet});
        properties["postFilter"] = language.query();
        properties["postFilter"]["description"] = json!("Narrows the results after the facets were counted.");
    }
    if let Some(id) = search.projection {
        let projection = schemas.model.kind(id);
        let mut sent = json!({
            "staged": {"type": "boolean"},
            "expand": {"type": "array", "items": {"type": "string"}},
        });
        for name in &projection.parameters {
            let texts = json!({"type": "array", "items": {"type": "string"}});
            sent[name] = json!({"oneOf": [{"type": "string"}, texts]});
        }
        properties[format!("{}Parameters", projection.camel_name())] = json!({
            "type": "object", "properties": sent, "description": "Requests projections in addition to the ids.",
        });
    }
    let name = format!("{}SearchRequest", kind.name);
    schemas.share(&name, |_| match shape {
        SearchShape::Hits => json!({"type": "object", "required": ["query"], "properties": properties}),
        _ => json!({"type": "object", "properties": properties}),
    })
}

/// Returns the schema of a search response.
pub(crate) fn response(schemas: &mut Schemas<'_>, kind: &Kind, search: &Search) -> Value {
    let mut result = json!({"id": {"type": "string"}});
    let mut required = vec!["id"];
    let mut properties = json!({
        "total": {"type": "integer", "format": "int64", "minimum": 0},
        "offset": {"type": "integer", "format": "int32", "minimum": 0},
        "limit": {"type": "integer", "format": "int32", "minimum": 0},
    });
    if let Some(parts) = &search.parts {
        result[&parts.matching] = matching(schemas, kind, parts);
        let found = facet_result(schemas, kind);
        properties["facets"] = json!({"type": "array", "items": found});
    } else {
        result["relevance"] = json!({"type": "number", "format": "double"});
        required.push("relevance");
    }
    if search.hits {
        result["version"] = json!({"type": "integer", "format": "int64"});
        required.push("version");
    }
    let results = if search.hits { "hits" } else { "results" };
    if let Some(id) = search.projection {
        let projection = schemas.model.kind(id);
        let (name, object) = (projection.camel_name(), projection.object);
        result[name] = schemas.object(object, ValueDirection::Response);
    }
    let result = schemas.share(
        &format!("{}SearchResult", kind.name),
        |_| json!({"type": "object", "required": required, "properties": result}),
    );
    properties[results] = json!({"type": "array", "items": result});
    schemas.share(&format!("{}PagedSearchResponse", kind.name), |_| {
        json!({
            "type": "object",
            "required": ["total", "offset", "limit", results],
            "properties": properties,
        })
    })
}

/// Returns the schema of the indexing status.
pub(crate) fn indexing_status(schemas: &mut Schemas<'_>, kind: &Kind) -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let time = json!({"type": "string", "format": "date-time"});
    schemas.share(&format!("{}SearchIndexingStatusResponse", kind.name), |_| {
        json!({
            "type": "object",
            "required": ["status"],
            "properties": {
                "status": {"type": "string", "enum": ["Scheduled", "Indexing", "Ready", "Failed"]},
                "states": {
                    "type": "object",
                    "properties": {"indexed": count, "failed": count, "estimatedTotal": count},
                    "description": "The progress. Present only while indexing.",
                },
                "startedAt": time,
                "retryCount": count,
                "lastModifiedAt": time,
            },
        })
    })
}

fn matching(schemas: &mut Schemas<'_>, kind: &Kind, parts: &SearchedParts) -> Value {
    schemas.share(&format!("{}Search{}", kind.name, pascal(&parts.matching)), |_| {
        json!({
            "type": "object",
            "required": ["allMatched", parts.matched],
            "properties": {
                "allMatched": {"type": "boolean"},
                &parts.matched: {"type": "array", "items": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {"id": {"type": "integer"}, "sku": {"type": ["string", "null"]}},
                }},
            },
        })
    })
}

fn facet(schemas: &mut Schemas<'_>, kind: &Kind, parts: &SearchedParts) -> Value {
    let common = json!({
        "name": {"type": "string"},
        "scope": {"type": "string", "enum": ["all", "query"], "default": "query"},
        "filter": link("SearchQuery"),
    });
    let with = |more: Value, required: &[&str]| {
        let mut properties = common.clone();
        if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
            properties.extend(more);
        }
        json!({"type": "object", "required": required, "properties": properties})
    };
    let level = json!({"type": "string", "enum": [kind.path, parts.name], "default": kind.path});
    let (field, language) = (json!({"type": "string"}), json!({"type": "string"}));
    let field_type = link("SearchFieldType");
    let range = json!({"type": "object", "properties": {
        "from": {"type": ["number", "string"], "description": "Inclusive."},
        "to": {"type": ["number", "string"], "description": "Exclusive."},
        "key": {"type": "string"},
    }});
    let sort = json!({"type": "object", "required": ["by", "order"], "properties": {
        "by": {"type": "string", "enum": ["count", "key"]},
        "order": link("SearchSortOrder"),
    }});
    let named = ["name", "field"];
    let kinds = json!({
        "count": with(json!({"level": level}), &named[..1]),
        "distinct": with(json!({
            "level": level, "field": field, "includes": {"type": "array", "items": {"type": "string"}}, "sort": sort,
            "limit": {"type": "integer", "minimum": 0, "maximum": limits::BUCKETS_MAX, "default": limits::BUCKETS_DEFAULT}, "language": language,
            "fieldType": field_type, "missing": {"type": "string"},
        }), &named),
        "ranges": with(json!({
            "level": level, "field": field, "ranges": {"type": "array", "items": range}, "language": language,
            "fieldType": field_type,
        }), &["name", "field", "ranges"]),
        "stats": with(json!({"field": field, "fieldType": field_type}), &named),
    });
    schemas.share(
        &format!("{}SearchFacetExpression", kind.name),
        |_| json!({"type": "object", "minProperties": 1, "maxProperties": 1, "properties": kinds}),
    )
}

fn facet_result(schemas: &mut Schemas<'_>, kind: &Kind) -> Value {
    let any = json!({"type": ["number", "string", "boolean", "null"]});
    schemas.share(&format!("{}SearchFacetResult", kind.name), |_| {
        json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "value": {"type": "integer", "description": "The count. Present for a count facet."},
                "buckets": {
                    "type": "array",
                    "description": "The values or ranges. Present for a distinct facet or a ranges facet.",
                    "items": {
                        "type": "object",
                        "required": ["key", "count"],
                        "properties": {"key": {"type": "string"}, "count": {"type": "integer"}},
                    },
                },
                "min": any, "max": any, "mean": {"type": "number"}, "sum": {"type": "number"},
                "count": {"type": "integer", "description": "The number of values. Present for a stats facet."},
            },
        })
    })
}
