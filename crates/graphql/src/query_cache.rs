//! A cache of validated queries by their text, because clients send the same queries again and again.

use crate::complexity;
use crate::graphql_error::{GraphQlError, query_errors};
use crate::limits::{
    ERRORS_MAX, PARSER_DEPTH_MAX, QUERIES_KEPT, QUERIES_KEPT_BYTES, QUERY_BYTES_MAX, QUERY_KEPT_BYTES_MAX,
    QUERY_TOKENS_MAX,
};
use crate::scalars::literal_errors;
use crate::schema::Schema;
use crate::schema_types::{FieldValueSource, RootOperation};
use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::Operation;
use apollo_compiler::parser::Parser;
use apollo_compiler::validation::{Valid, WithErrors};
use kontor_errors::Code;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// A query that is valid for the schema.
pub(crate) struct ValidatedQuery {
    pub(crate) document: Valid<ExecutableDocument>,
    /// True if an operation requests the schema itself.
    pub(crate) introspects: bool,
    /// True if its complexity is allowed for any variables.
    pub(crate) admits_always: bool,
    /// True if an operation reads pages, which may take long.
    pub(crate) reads_for_long: bool,
}

/// A validated query, shared by the requests that send it.
pub(crate) type SharedQuery = Arc<ValidatedQuery>;

/// The cache.
pub(crate) struct QueryCache(Cache<String, SharedQuery, TextLength>);

#[derive(Clone)]
struct TextLength;

impl Weighter<String, SharedQuery> for TextLength {
    fn weight(&self, text: &String, _: &SharedQuery) -> u64 {
        text.len() as u64
    }
}

impl QueryCache {
    pub(crate) fn new() -> Self {
        Self(Cache::with_weighter(QUERIES_KEPT, QUERIES_KEPT_BYTES, TextLength))
    }

    /// Returns the query for a text from the cache, or parses and validates it.
    pub(crate) fn get(&self, text: &str, schema: &Schema) -> Result<SharedQuery, Vec<GraphQlError>> {
        if let Some(checked) = self.0.get(text) {
            return Ok(checked);
        }
        if text.len() > QUERY_BYTES_MAX {
            let message = format!(
                "The query has {} bytes, more than {QUERY_BYTES_MAX}. Values belong into variables.",
                text.len()
            );
            return Err(vec![GraphQlError::new(Code::QueryComplexityLimitExceeded, &message)]);
        }
        let parsed = Parser::new()
            .recursion_limit(PARSER_DEPTH_MAX)
            .token_limit(QUERY_TOKENS_MAX)
            .parse_executable(&schema.compiled, text, "query");
        let error_json = |invalid: WithErrors<ExecutableDocument>| query_errors(&invalid.errors, ERRORS_MAX);
        let document = parsed.map_err(error_json)?.validate(&schema.compiled).map_err(error_json)?;
        let wrong = literal_errors(schema, &document);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let asks = |test: &dyn Fn(&Operation, &str) -> bool| {
            document.operations.iter().any(|operation| {
                operation.root_fields(&document).any(|field| test(operation, field.name.as_str()))
            })
        };
        let introspects = asks(&|_, field| matches!(field, "__schema" | "__type"));
        let reads_for_long = asks(&|operation, field| {
            let output = schema.output_field(operation.object_type(), field);
            output.is_some_and(|output| {
                matches!(
                    output.source,
                    FieldValueSource::Root(
                        RootOperation::Many(_)
                            | RootOperation::Search(_)
                            | RootOperation::FindByParameters(..)
                            | RootOperation::Suggest(_)
                            | RootOperation::Matching(..)
                            | RootOperation::Shown(..)
                            | RootOperation::Stores
                            | RootOperation::Me
                            | RootOperation::Associate
                    )
                )
            })
        });
        let admits_always = complexity::is_always_admitted(schema, &document);
        let checked = Arc::new(ValidatedQuery { introspects, admits_always, reads_for_long, document });
        if text.len() <= QUERY_KEPT_BYTES_MAX {
            self.0.insert(text.to_owned(), Arc::clone(&checked));
        }
        Ok(checked)
    }
}
