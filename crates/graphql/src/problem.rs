//! Errors as GraphQL tells them: a message, where in the query, where in the answer, and the error object of
//! the other face in `extensions`.

use apollo_compiler::parser::{SourceMap, SourceSpan};
use apollo_compiler::validation::DiagnosticList;
use kontor_errors::{ApiError, Code, ErrorObject};
use serde_json::{Map, Value, json};

/// One entry of `errors`.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Map<String, Value>);

impl Problem {
    /// Without a place.
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self::of(&ErrorObject { code, message: message.to_owned(), fields: Map::new() })
    }

    fn of(object: &ErrorObject) -> Self {
        let mut extensions = Map::new();
        extensions.insert("code".into(), json!(object.code.name()));
        extensions.extend(object.fields.clone());
        let mut entry = Map::new();
        entry.insert("message".into(), json!(object.message));
        entry.insert("locations".into(), json!([]));
        entry.insert("extensions".into(), Value::Object(extensions));
        Self(entry)
    }

    /// One for each error object.
    pub(crate) fn all(error: &ApiError) -> Vec<Self> {
        error.objects().iter().map(Self::of).collect()
    }

    /// Says where in the query.
    #[must_use]
    pub(crate) fn located(mut self, location: Option<SourceSpan>, sources: &SourceMap) -> Self {
        if let Some(place) = location.and_then(|location| location.line_column(sources)) {
            self.0.insert("locations".into(), json!([{"line": place.line, "column": place.column}]));
        }
        self
    }

    /// Says where in the answer.
    #[must_use]
    pub(crate) fn at(mut self, path: Vec<Value>) -> Self {
        let extensions = self.0.shift_remove("extensions");
        self.0.insert("path".into(), Value::Array(path));
        if let Some(extensions) = extensions {
            self.0.insert("extensions".into(), extensions);
        }
        self
    }

    pub(crate) fn into_json(self) -> Value {
        Value::Object(self.0)
    }
}

/// How the library begins to say that a query is too long or too deep for it.
const BEYOND_LIMITS: &[&str] = &["parser recursion limit", "token limit", "too much recursion"];

/// What is wrong with a query, as the library found it.
pub(crate) fn problems(diagnostics: &DiagnosticList, max: usize) -> Vec<Problem> {
    let is_beyond = |message: &str| BEYOND_LIMITS.iter().any(|limit| message.starts_with(limit));
    let mut found: Vec<(Code, Problem)> = diagnostics
        .iter()
        .take(max)
        .map(|diagnostic| {
            let told = diagnostic.to_json();
            let code = match told.message.as_str() {
                message if message.starts_with("syntax error") => Code::SyntaxError,
                message if is_beyond(message) => Code::QueryComplexityLimitExceeded,
                _ => Code::InvalidInput,
            };
            let mut problem = Problem::new(code, &told.message);
            let places: Vec<Value> = told
                .locations
                .iter()
                .map(|place| json!({"line": place.line, "column": place.column}))
                .collect();
            problem.0.insert("locations".into(), Value::Array(places));
            (code, problem)
        })
        .collect();
    // Where reading ended at a limit, what else is wrong is wrong because of that.
    if found.iter().any(|(code, _)| *code == Code::QueryComplexityLimitExceeded) {
        found.retain(|(code, _)| *code == Code::QueryComplexityLimitExceeded);
    }
    found.into_iter().map(|(_, problem)| problem).collect()
}
