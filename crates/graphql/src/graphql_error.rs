//! Errors in GraphQL's form: the message, the place in the query, the path in the response, and the error object of
//! REST in `extensions`.

use apollo_compiler::parser::{SourceMap, SourceSpan};
use apollo_compiler::validation::DiagnosticList;
use kontor_errors::{ApiError, Bug, Code, ErrorObject};
use kontor_json::{Map, Value, json};

/// One entry of `errors`.
#[derive(Debug, Clone)]
pub(crate) struct GraphQlError {
    entry: Map,
    /// The bug behind the error, which is logged but not shown to the client.
    bug: Option<Bug>,
}

impl GraphQlError {
    /// Returns an error without a place.
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self::from_object(&ErrorObject::new(code, message.to_owned()))
    }

    fn from_object(object: &ErrorObject) -> Self {
        let mut extensions = Map::new();
        extensions.insert("code", json!(object.code.name()));
        extensions.extend(object.fields.clone());
        let mut entry = Map::new();
        entry.insert("message", json!(object.message));
        entry.insert("locations", json!([]));
        entry.insert("extensions", Value::Object(extensions));
        Self { entry, bug: None }
    }

    /// Returns an entry for each error object.
    pub(crate) fn from_api_error(error: &ApiError) -> Vec<Self> {
        let mut all: Vec<Self> = error.objects().iter().map(Self::from_object).collect();
        if let (Some(first), Some(bug)) = (all.first_mut(), error.broken()) {
            first.bug = Some(bug.clone());
        }
        all
    }

    /// Adds the place in the query.
    #[must_use]
    pub(crate) fn with_location(mut self, location: Option<SourceSpan>, sources: &SourceMap) -> Self {
        if let Some(place) = location.and_then(|location| location.line_column(sources)) {
            self.entry.insert("locations", json!([{"line": place.line, "column": place.column}]));
        }
        self
    }

    /// Adds the path in the response.
    #[must_use]
    pub(crate) fn with_path(mut self, path: Vec<Value>) -> Self {
        let extensions = self.entry.shift_remove("extensions");
        self.entry.insert("path", Value::Array(path));
        if let Some(extensions) = extensions {
            self.entry.insert("extensions", extensions);
        }
        self
    }

    /// Returns whether it has a code.
    pub(crate) fn has_code(&self, code: Code) -> bool {
        let error_json = self.entry.get("extensions").and_then(|extensions| extensions.get("code"));
        error_json.and_then(Value::as_str) == Some(code.name())
    }

    /// Returns the entry for the response, and the bug for the log.
    pub(crate) fn into_parts(self) -> (Value, Option<Bug>) {
        (Value::Object(self.entry), self.bug)
    }
}

/// How messages of the library begin when a query is too long or too deep for it.
const BEYOND_LIMITS: &[&str] = &["parser recursion limit", "token limit", "too much recursion"];

/// Converts the errors that the library found in a query, at most `max` of them.
pub(crate) fn query_errors(diagnostics: &DiagnosticList, max: usize) -> Vec<GraphQlError> {
    let is_beyond = |message: &str| BEYOND_LIMITS.iter().any(|limit| message.starts_with(limit));
    let mut found: Vec<(Code, GraphQlError)> = diagnostics
        .iter()
        .take(max)
        .map(|diagnostic| {
            let error_json = diagnostic.to_json();
            let code = match error_json.message.as_str() {
                message if message.starts_with("syntax error") => Code::SyntaxError,
                message if is_beyond(message) => Code::QueryComplexityLimitExceeded,
                _ => Code::InvalidInput,
            };
            let mut problem = GraphQlError::new(code, &error_json.message);
            let places: Vec<Value> = error_json
                .locations
                .iter()
                .map(|place| json!({"line": place.line, "column": place.column}))
                .collect();
            problem.entry.insert("locations", Value::Array(places));
            (code, problem)
        })
        .collect();
    // When the parser stopped at a limit, the other errors are consequences of that.
    if found.iter().any(|(code, _)| *code == Code::QueryComplexityLimitExceeded) {
        found.retain(|(code, _)| *code == Code::QueryComplexityLimitExceeded);
    }
    found.into_iter().map(|(_, problem)| problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_are_logged_and_not_shown() {
        let [problem] =
            GraphQlError::from_api_error(&ApiError::bug("no Project is there")).try_into().unwrap();
        let (message_fields, bug) = problem.with_path(vec![json!("me")]).into_parts();
        assert!(bug.unwrap().to_string().starts_with("no Project is there"));
        assert!(!message_fields.to_string().contains("no Project is there"), "{message_fields}");
        let [problem] = GraphQlError::from_api_error(&ApiError::invalid_input("x")).try_into().unwrap();
        assert_eq!(problem.into_parts().1, None);
    }
}
