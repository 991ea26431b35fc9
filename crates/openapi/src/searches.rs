//! Describes searches: `POST /{kind}/search` and its status operations.

use crate::errors::bodyless_error;
use crate::operation::{OperationDescription, READING_BY_BODY, content, operation_responses};
use crate::schemas::Schemas;
use crate::search_schemas::{indexing_status, request, response};
use kontor_json::{Map, Value, json};
use kontor_model::{KindId, Search};

/// Describes a search.
pub(crate) fn describe_search(
    schemas: &mut Schemas<'_>,
    id: KindId,
    search: &Search,
) -> OperationDescription {
    let kind = schemas.model.kind(id);
    let request = request(schemas, kind, search);
    let response = response(schemas, kind, search);
    OperationDescription {
        summary: format!("Search {}", kind.path),
        parameters: Vec::new(),
        content: Some(content(&request)),
        responses: operation_responses(&[(200, "A page of results.")], &response, READING_BY_BODY),
    }
}

/// Describes the check whether a search index exists.
pub(crate) fn describe_exists() -> OperationDescription {
    let mut responses = Map::new();
    responses.insert("200", json!({"description": "A search index exists."}));
    for status in [401, 403, 404, 409, 500, 503] {
        responses.insert(status.to_string(), bodyless_error(status));
    }
    OperationDescription {
        summary: "Check that a search index exists".to_owned(),
        parameters: Vec::new(),
        content: None,
        responses: Value::Object(responses),
    }
}

/// Describes the indexing status.
pub(crate) fn describe_status(schemas: &mut Schemas<'_>, id: KindId) -> OperationDescription {
    let kind = schemas.model.kind(id);
    let schema = indexing_status(schemas, kind);
    OperationDescription {
        summary: "Get the indexing status".to_owned(),
        parameters: Vec::new(),
        content: None,
        responses: operation_responses(&[(200, "The indexing status.")], &schema, &[401, 403, 404, 500, 503]),
    }
}
