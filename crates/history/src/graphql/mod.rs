//! The GraphQL endpoint of Change History: the same queries as by REST paths, with a selection of fields. Start at
//! [`respond`].

mod resolve;
mod schema;

use crate::limits::{QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_FIELDS_MAX, QUERY_TOKENS_MAX};
use crate::record_query::{self, ChangeVisibility};
use apollo_compiler::parser::Parser;
use apollo_compiler::resolvers::Execution;
use apollo_compiler::response::{JsonMap, serde_json_bytes};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};
use kontor_engine::{ResponseMeter, Shop};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use resolve::HistoryRoot;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The parsed schema. `None` if its text is invalid, which a test excludes.
static SCHEMA: LazyLock<Option<Valid<Schema>>> =
    LazyLock::new(|| Schema::parse_and_validate(schema::text(), "history.graphql").ok());

/// The prefix that the library adds to the messages of errors of resolvers.
const OF_QUERY: &str = "resolver error: ";

/// A request: `{query, variables?, operationName?}`.
struct HistoryGraphQlRequest {
    query: String,
    variables: JsonMap,
    operation_name: Option<String>,
}

/// Handles a request: returns the status, 200 or 400, and the body. Errors of single queries are in its `errors`, with
/// their codes. The meter is charged for the records.
pub fn respond(
    shop: &Shop,
    body: Value,
    meter: &ResponseMeter,
    may_see: impl Fn(KindId) -> ChangeVisibility,
) -> ApiResult<(u16, Value)> {
    let Some(schema) = SCHEMA.as_ref() else {
        return Err(ApiError::bug("the schema of Change History is none"));
    };
    let read = read(body).and_then(|request| Ok((checked(schema, &request.query)?, request)));
    let (document, request) = match read {
        Ok(read) => read,
        Err(refused) => return Ok((400, problem(&refused))),
    };
    let invalid = |message: String| Ok((400, problem(&ApiError::invalid_input(message))));
    let failure = Mutex::new(Vec::new());
    let root = HistoryRoot::new(&failure, |sent| record_query::query(shop, sent, meter, &may_see));
    let execution = Execution::new(schema, &document).enable_schema_introspection(true);
    let execution = match execution.operation_name(request.operation_name.as_deref()) {
        Ok(execution) => execution.raw_variable_values(&request.variables),
        Err(error) => return invalid(error.message().to_string()),
    };
    let response = match execution.execute_sync(&root) {
        Ok(response) => response,
        Err(error) => return invalid(error.message().to_string()),
    };
    let mut body = kontor_json::to_value(&response)
        .map_err(|error| ApiError::bug(format!("a response of GraphQL is no JSON: {error}")))?;
    with_codes(&mut body, &failure.into_inner().unwrap_or_else(PoisonError::into_inner))?;
    Ok((200, body))
}

/// Adds codes to errors, for which the library has only messages.
fn with_codes(body: &mut Value, failures: &[ApiError]) -> ApiResult<()> {
    let Some(Value::Array(errors)) = body.get_mut("errors") else { return Ok(()) };
    for error in errors {
        let changes = error.get("message").and_then(Value::as_str).unwrap_or_default();
        let message = changes.strip_prefix(OF_QUERY).unwrap_or(changes).to_owned();
        let failure = failures.iter().find(|failure| failure.message() == message);
        if let Some(failure) = failure.filter(|failure| failure.broken().is_some()) {
            return Err(failure.clone());
        }
        let code = failure.map_or(Code::InvalidInput, ApiError::code);
        error["message"] = json!(message);
        error["extensions"] = json!({"code": code.name()});
    }
    Ok(())
}

fn problem(refused: &ApiError) -> Value {
    let extensions = json!({"code": refused.code().name()});
    json!({"errors": [{"message": refused.message(), "locations": [], "extensions": extensions}]})
}

/// Parses and validates the query, and checks its size limits.
fn checked(schema: &Valid<Schema>, query: &str) -> ApiResult<Valid<ExecutableDocument>> {
    let too_complex = |message: &str| ApiError::new(Code::QueryComplexityLimitExceeded, message);
    if query.len() > QUERY_BYTES_MAX {
        return Err(too_complex(&format!("The query has more than {QUERY_BYTES_MAX} bytes.")));
    }
    let mut parser = Parser::new().recursion_limit(QUERY_DEPTH_MAX).token_limit(QUERY_TOKENS_MAX);
    let parsed = parser.parse_executable(schema, query, "query");
    let parsed = parsed.map_err(|refused| invalid(&refused.errors))?;
    let document = parsed.validate(schema).map_err(|refused| invalid(&refused.errors))?;
    let fields = document.operations.iter().map(|operation| operation.root_fields(&document).count()).max();
    if fields.unwrap_or_default() > QUERY_FIELDS_MAX {
        return Err(too_complex(&format!("A request has at most {QUERY_FIELDS_MAX} queries.")));
    }
    Ok(document)
}

/// Returns the first error of an invalid query. There may be thousands, and the library would print the whole query
/// with each.
fn invalid(problems: &DiagnosticList) -> ApiError {
    let first = problems.iter().next().map(|problem| problem.to_json().message);
    ApiError::invalid_input(first.unwrap_or_default())
}

fn read(body: Value) -> ApiResult<HistoryGraphQlRequest> {
    let Value::Object(mut body) = body else {
        return Err(ApiError::invalid_json(
            "the body: expected an object with query, variables and operationName",
        ));
    };
    let query = match body.shift_remove("query") {
        Some(Value::String(query)) => query,
        _ => return Err(ApiError::invalid_json("query: expected a text")),
    };
    let variables = match body.shift_remove("variables") {
        None | Some(Value::Null) => JsonMap::new(),
        Some(given) => match kontor_json::from_value(given).unwrap_or_default() {
            serde_json_bytes::Value::Object(variables) => variables,
            _ => return Err(ApiError::invalid_json("variables: expected an object")),
        },
    };
    let operation_name = match body.shift_remove("operationName") {
        Some(Value::String(name)) if !name.is_empty() => Some(name),
        _ => None,
    };
    Ok(HistoryGraphQlRequest { query, variables, operation_name })
}
