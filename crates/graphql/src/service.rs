//! Handles a GraphQL request, from its body to the body of the response. Begin at [`GraphQl::respond`].

use crate::access_control::AccessControl;
use crate::borrowed_json::BorrowedJson;
use crate::complexity;
use crate::execute::{self, ExecutionContext, ExecutionResult};
use crate::graphql_error::GraphQlError;
use crate::limits::{QUERY_CHECKED_AT_ONCE_BYTES_MAX, VARIABLE_VALUES_MAX};
use crate::query_cache::{QueryCache, SharedQuery, ValidatedQuery};
use crate::scalars::variable_error;
use crate::schema::Schema;
use crate::variables::plain_variables;
use apollo_compiler::executable::Operation;
use apollo_compiler::introspection;
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::request::{RequestError, coerce_variable_values};
use apollo_compiler::response::{JsonMap, serde_json_bytes};
use apollo_compiler::validation::Valid;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_engine::{Caller, Shop, SlowRequestLimiter, SlowRequestPermit, meter_body};
use kontor_errors::{ApiError, Bug, Code, shortened};
use kontor_json::{Map, Value};
use kontor_model::Model;
use kontor_search_service::SearchService;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The GraphQL interface of a server: the schema, and a cache of the queries that were validated against it.
pub struct GraphQl {
    schema: Arc<Schema>,
    search_service: Arc<SearchService>,
    limiter: SlowRequestLimiter,
    queries: QueryCache,
}

/// The context of a request: the project, the caller and its rights.
pub struct GraphQlContext {
    /// The project that the request is for.
    pub shop: Arc<Shop>,
    /// Checks the caller's rights.
    pub access_control: Arc<dyn AccessControl>,
    /// The author of changes.
    pub caller: Caller,
    /// Languages that the caller prefers for localized strings, the most preferred first.
    pub languages: Vec<String>,
    /// The header `x-ab-test-id`, which chooses among searches.
    pub ab_test_id: Option<String>,
}

/// The response to a request.
#[derive(Debug)]
pub struct GraphQlResponse {
    /// 200 if the request was executed, even with errors; 400 if it could not be executed; 503 if there is no memory
    /// for it.
    pub status: u16,
    /// JSON.
    pub body: Bytes,
    /// The permit of a slow request. Drop it once the memory of the response has been accounted for.
    pub permit: Option<SlowRequestPermit>,
    /// The bugs behind errors in the body, to be logged by the caller, which knows the request.
    pub bugs: Vec<Bug>,
    /// Code and message of the first error in the body, for logs.
    pub reason: Option<String>,
}

/// The bytes before the data of a response.
const AROUND_DATA: &[u8] = b"{\"data\":";

/// Variables in our JSON, and in that of the library.
type CoercedVariables = (Map, Option<Valid<JsonMap>>);

struct GraphQlRequest {
    query: String,
    variables: Value,
    operation_name: Option<String>,
}

impl GraphQl {
    /// Derives the GraphQL interface of a model. `search_service` runs searches; `limiter` limits how many slow requests run at
    /// the same time.
    ///
    /// # Errors
    /// A message for each mismatch if the tables of exceptions do not fit the model.
    pub fn new(
        model: &Model,
        search_service: Arc<SearchService>,
        limiter: SlowRequestLimiter,
    ) -> Result<Self, String> {
        let started = Instant::now();
        let schema = Arc::new(Schema::derive(model)?);
        metrics::gauge!("kontor_graphql_schema_seconds").set(started.elapsed().as_secs_f64());
        Ok(Self { schema, search_service, limiter, queries: QueryCache::new() })
    }

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Handles a request. `body` is JSON: `{query, variables?, operationName?}`. Errors of the request are in the
    /// response.
    pub fn respond<'a>(
        self: &'a Arc<Self>,
        body: &'a [u8],
        asking: GraphQlContext,
    ) -> BoxFuture<'a, GraphQlResponse> {
        Box::pin(async move {
            let result =
                match meter_body(&self.limiter, body).and_then(|memory| Ok((read_request(body)?, memory))) {
                    Ok((request, _memory)) => self.execute(request, asking).await,
                    Err(error) => Err(GraphQlError::from_api_error(&error)),
                };
            match result {
                Ok((outcome, permit)) => GraphQlResponse { permit, ..success_response(outcome) },
                Err(problems) => error_response(problems),
            }
        })
    }

    async fn execute(
        self: &Arc<Self>,
        request: GraphQlRequest,
        asking: GraphQlContext,
    ) -> Result<(ExecutionResult, Option<SlowRequestPermit>), Vec<GraphQlError>> {
        let query = self.validated_query(&request.query).await?;
        let (document, name) = (&query.document, request.operation_name);
        let operation = document
            .operations
            .get(name.as_deref())
            .map_err(|error| vec![GraphQlError::new(Code::InvalidInput, &error.message().to_string())])?;
        let (variables, coerced) = self.variables(&query, operation, request.variables)?;
        if !query.admits_always {
            complexity::check_complexity(&self.schema, document, operation, &variables)
                .map_err(|error| GraphQlError::from_api_error(&error))?;
        }
        let mut context = ExecutionContext {
            schema: Arc::clone(&self.schema),
            search_service: Arc::clone(&self.search_service),
            ab_test_id: asking.ab_test_id,
            preferred_languages: asking.languages,
            languages: OnceLock::new(),
            shop: asking.shop,
            access_control: asking.access_control,
            caller: asking.caller,
            meter: self.limiter.meter(),
        };
        if operation.is_mutation() {
            return Ok((execute::execute_mutation(&context, document, operation, &variables).await, None));
        }
        if !query.reads_for_long && !query.introspects {
            return Ok((execute::query(&context, document, operation, &variables, &Map::new()), None));
        }
        // Pages and introspection may take long, so they do not run on the threads that serve sockets.
        let (graphql, query) = (Arc::clone(self), Arc::clone(&query));
        let work = self.limiter.run(move |meter| {
            context.meter = meter.clone();
            Ok(execute_slow_query(&graphql, &context, &query, name.as_deref(), &variables, coerced.as_ref()))
        });
        let (result, permit) = work.await.map_err(|error| GraphQlError::from_api_error(&error))?;
        Ok((result?, Some(permit)))
    }

    /// Returns the variables that the operation declares, coerced to their types; for introspection also in the
    /// library's form.
    fn variables(
        &self,
        query: &ValidatedQuery,
        operation: &Operation,
        given: Value,
    ) -> Result<CoercedVariables, Vec<GraphQlError>> {
        if !query.introspects
            && let Value::Object(given) = &given
            && let Some(variables) = plain_variables(&self.schema, operation, given)
        {
            return Ok((variables, None));
        }
        let given: JsonMap = match kontor_json::from_value(given).unwrap_or_default() {
            serde_json_bytes::Value::Object(given) => given,
            _ => JsonMap::new(),
        };
        let variables = coerce_variable_values(&self.schema.compiled, operation, &given)
            .map_err(|error| library_error(query, operation, Code::InvalidInput, &error))?;
        let checked = to_map(&variables);
        if let Some(message) = variable_error(&self.schema, operation, &checked) {
            let location = place_of_variable(operation, &message);
            let problem = GraphQlError::new(Code::InvalidInput, &message);
            return Err(vec![problem.with_location(location, &query.document.sources)]);
        }
        Ok((checked, query.introspects.then_some(variables)))
    }

    /// Returns the response of `__schema` and `__type`.
    fn introspect(
        &self,
        query: &ValidatedQuery,
        operation: &Operation,
        variables: &Valid<JsonMap>,
    ) -> Result<Map, Vec<GraphQlError>> {
        let refused = |error| library_error(query, operation, Code::QueryComplexityLimitExceeded, &error);
        introspection::check_max_depth(&query.document, operation).map_err(refused)?;
        let (schema, implementers) = (&self.schema.compiled, &self.schema.implementers);
        let partial =
            introspection::partial_execute(schema, implementers, &query.document, operation, variables)
                .map_err(refused)?;
        Ok(partial.data.as_ref().map(to_map).unwrap_or_default())
    }

    /// Returns the validated query for a text. Validating a long query takes long, so it does not run on the threads
    /// that serve sockets, and only some run at the same time.
    async fn validated_query(self: &Arc<Self>, text: &str) -> Result<SharedQuery, Vec<GraphQlError>> {
        if text.len() <= QUERY_CHECKED_AT_ONCE_BYTES_MAX {
            return self.queries.get(text, &self.schema);
        }
        let (graphql, text) = (Arc::clone(self), text.to_owned());
        let checked = self.limiter.run(move |_| Ok(graphql.queries.get(&text, &graphql.schema)));
        checked.await.map_err(|error| GraphQlError::from_api_error(&error))?.0
    }
}

impl std::fmt::Debug for GraphQl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphQl").field("schema", &self.schema).finish_non_exhaustive()
    }
}

fn read_request(body: &[u8]) -> Result<GraphQlRequest, ApiError> {
    let given: BorrowedJson<'_> =
        kontor_json::from_slice(body).map_err(|error| ApiError::invalid_json(error.to_string()))?;
    let BorrowedJson::Object(given) = given else {
        return Err(ApiError::invalid_json(format!(
            "the body: expected an object with query, variables and operationName, found {}",
            shortened(&given.into_value())
        )));
    };
    let (mut query, mut variables, mut operation_name) = (None, None, None);
    for (name, value) in given {
        match &*name {
            "query" => query = Some(value),
            "variables" => variables = Some(value.into_value()),
            "operationName" => operation_name = Some(value.into_value()),
            _ => {}
        }
    }
    let query = match query {
        Some(BorrowedJson::Text(query)) => query.into_owned(),
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "query: expected a text, found {}",
                shortened(&other.into_value())
            )));
        }
        None => return Err(ApiError::invalid_json("query: a value is required")),
    };
    let variables = match variables {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(object @ Value::Object(_)) if has_more_values_than(&object, &mut { VARIABLE_VALUES_MAX }) => {
            return Err(complexity::too_complex(format!(
                "The variables have more than {VARIABLE_VALUES_MAX} values."
            )));
        }
        Some(object @ Value::Object(_)) => object,
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "variables: expected an object, found {}",
                shortened(&other)
            )));
        }
    };
    let operation_name = match operation_name {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) if name.is_empty() => None,
        Some(Value::String(name)) => Some(name),
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "operationName: expected a text, found {}",
                shortened(&other)
            )));
        }
    };
    Ok(GraphQlRequest { query, variables, operation_name })
}

/// Returns true if a value holds more than `left` values. Subtracts the values that it holds from `left`.
fn has_more_values_than(value: &Value, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return true };
    *left = rest;
    match value {
        Value::Object(fields) => fields.values().any(|value| has_more_values_than(value, left)),
        Value::Array(elements) => elements.iter().any(|value| has_more_values_than(value, left)),
        _ => false,
    }
}

/// Executes a slow query (pages, introspection). Blocks the thread.
fn execute_slow_query(
    graphql: &GraphQl,
    context: &ExecutionContext,
    query: &ValidatedQuery,
    name: Option<&str>,
    variables: &Map,
    coerced: Option<&Valid<JsonMap>>,
) -> Result<ExecutionResult, Vec<GraphQlError>> {
    let gone = |_| GraphQlError::from_api_error(&ApiError::bug("a checked operation is gone"));
    let operation = query.document.operations.get(name).map_err(gone)?;
    let introspected = match coerced {
        Some(coerced) => graphql.introspect(query, operation, coerced)?,
        None => Map::new(),
    };
    Ok(execute::query(context, &query.document, operation, variables, &introspected))
}

/// Converts an error of the library, with its place in the query.
fn library_error(
    query: &ValidatedQuery,
    operation: &Operation,
    code: Code,
    error: &RequestError,
) -> Vec<GraphQlError> {
    let message = error.message().to_string();
    let location = error.location().or_else(|| place_of_variable(operation, &message));
    vec![GraphQlError::new(code, &message).with_location(location, &query.document.sources)]
}

/// Returns where the variable is declared that a message of the library names: the library gives no place for it.
fn place_of_variable(operation: &Operation, message: &str) -> Option<SourceSpan> {
    let (name, _) = message.strip_prefix("could not coerce variable ")?.split_once([':', '.', '['])?;
    operation.variables.iter().find(|definition| definition.name == name)?.location()
}

/// Converts the library's JSON to ours.
fn to_map(map: &JsonMap) -> Map {
    map.iter()
        .map(|(name, value)| (name.as_str().to_owned(), kontor_json::to_value(value).unwrap_or_default()))
        .collect()
}

fn success_response(outcome: ExecutionResult) -> GraphQlResponse {
    if let Some(refused) = outcome.refused {
        return error_response(GraphQlError::from_api_error(&refused));
    }
    // The data may be large: the rest is added to its buffer, so that the data is moved once and not copied.
    let mut body = outcome.data;
    body.splice(0..0, AROUND_DATA.iter().copied());
    let (mut bugs, mut reason) = (Vec::new(), None);
    if !outcome.problems.is_empty() {
        body.extend_from_slice(b",\"errors\":");
        (bugs, reason) = write_problems(outcome.problems, &mut body);
    }
    body.push(b'}');
    GraphQlResponse { status: 200, body: body.into(), permit: None, bugs, reason }
}

fn error_response(problems: Vec<GraphQlError>) -> GraphQlResponse {
    // Without memory for the response the client should retry later; other errors are errors in the request.
    let is_over_capacity = problems.iter().any(|problem| problem.has_code(Code::OverCapacity));
    let mut body = b"{\"errors\":".to_vec();
    let (bugs, reason) = write_problems(problems, &mut body);
    body.push(b'}');
    // A bug is no error of the client.
    let status = match bugs.is_empty() {
        false => 500,
        true if is_over_capacity => 503,
        true => 400,
    };
    GraphQlResponse { status, body: body.into(), permit: None, bugs, reason }
}

/// Writes the errors that the client sees. Returns the bugs behind them, and the first error as text.
fn write_problems(problems: Vec<GraphQlError>, body: &mut Vec<u8>) -> (Vec<Bug>, Option<String>) {
    let (error_json, bugs): (Vec<Value>, Vec<Option<Bug>>) =
        problems.into_iter().map(GraphQlError::into_parts).unzip();
    let first = error_json.first().map(|error| (&error["extensions"]["code"], &error["message"]));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reason = first.map(|(code, message)| format!("{}: {}", text(code), text(message)));
    body.extend_from_slice(Value::Array(error_json).to_string().as_bytes());
    let mut bugs: Vec<Bug> = bugs.into_iter().flatten().collect();
    // All values that wait for the same documents fail with the same bug.
    bugs.dedup();
    (bugs, reason)
}
