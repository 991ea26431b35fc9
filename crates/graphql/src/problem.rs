//! Errors as GraphQL tells them: a message, where in the query, where in the answer, and the error object of
//! the other face in `extensions`.

use apollo_compiler::parser::{SourceMap, SourceSpan};
use apollo_compiler::validation::DiagnosticList;
use kontor_errors::{ApiError, Bug, Code, ErrorObject};
use kontor_json::{Map, Value, json};

/// One entry of `errors`.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    entry: Map,
    /// What is broken, where it is no fault of the client. Callers are not told.
    bug: Option<Bug>,
}

impl Problem {
    /// Without a place.
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self::of(&ErrorObject::new(code, message.to_owned()))
    }

    fn of(object: &ErrorObject) -> Self {
        let mut extensions = Map::new();
        extensions.insert("code", json!(object.code.name()));
        extensions.extend(object.fields.clone());
        let mut entry = Map::new();
        entry.insert("message", json!(object.message));
        entry.insert("locations", json!([]));
        entry.insert("extensions", Value::Object(extensions));
        Self { entry, bug: None }
    }

    /// One for each error object.
    pub(crate) fn all(error: &ApiError) -> Vec<Self> {
        let mut all: Vec<Self> = error.objects().iter().map(Self::of).collect();
        if let (Some(first), Some(bug)) = (all.first_mut(), error.broken()) {
            first.bug = Some(bug.clone());
        }
        all
    }

    /// Says where in the query.
    #[must_use]
    pub(crate) fn located(mut self, location: Option<SourceSpan>, sources: &SourceMap) -> Self {
        if let Some(place) = location.and_then(|location| location.line_column(sources)) {
            self.entry.insert("locations", json!([{"line": place.line, "column": place.column}]));
        }
        self
    }

    /// Says where in the answer.
    #[must_use]
    pub(crate) fn at(mut self, path: Vec<Value>) -> Self {
        let extensions = self.entry.shift_remove("extensions");
        self.entry.insert("path", Value::Array(path));
        if let Some(extensions) = extensions {
            self.entry.insert("extensions", extensions);
        }
        self
    }

    /// Whether it has a code.
    pub(crate) fn is(&self, code: Code) -> bool {
        let told = self.entry.get("extensions").and_then(|extensions| extensions.get("code"));
        told.and_then(Value::as_str) == Some(code.name())
    }

    /// What is told of it, and what is logged.
    pub(crate) fn into_parts(self) -> (Value, Option<Bug>) {
        (Value::Object(self.entry), self.bug)
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
            problem.entry.insert("locations", Value::Array(places));
            (code, problem)
        })
        .collect();
    // Where reading ended at a limit, what else is wrong is wrong because of that.
    if found.iter().any(|(code, _)| *code == Code::QueryComplexityLimitExceeded) {
        found.retain(|(code, _)| *code == Code::QueryComplexityLimitExceeded);
    }
    found.into_iter().map(|(_, problem)| problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_logged_and_not_told() {
        let [problem] = Problem::all(&ApiError::bug("no Project is there")).try_into().unwrap();
        let (told, bug) = problem.at(vec![json!("me")]).into_parts();
        assert!(bug.unwrap().to_string().starts_with("no Project is there"));
        assert!(!told.to_string().contains("no Project is there"), "{told}");
        let [problem] = Problem::all(&ApiError::invalid_input("x")).try_into().unwrap();
        assert_eq!(problem.into_parts().1, None);
    }
}
