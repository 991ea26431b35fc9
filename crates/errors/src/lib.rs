//! The errors of the API: one table of codes, statuses and fields.
//!
//! An [`ApiError`] is the error of every layer below REST and GraphQL when a request cannot be served. It contains
//! everything in the documented body; the upper layers add nothing to it:
//!
//! ```json
//! {"statusCode": 400, "message": "…", "errors": [{"code": "InvalidInput", "message": "…"}]}
//! ```
//!
//! Source: reference types `ErrorResponse`, `AuthErrorResponse` and the `…Error` types.

mod article;
mod bug;
mod checkout;
mod code;
mod panic;

pub use article::with_article;
pub use bug::Bug;
pub use code::Code;
pub use panic::{Panic, catch_panic, catch_panic_of, report_panics};

use kontor_json::{Map, Value, json};
use std::fmt;

/// The error of a refused request: an HTTP status, and one or more error objects.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    errors: Vec<ErrorObject>,
    bug: Option<Box<Bug>>,
}

/// One entry of `errors`: the code, a sentence for people, and the fields that the code documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorObject {
    /// The documented code.
    pub code: Code,
    /// The sent value, its place, and the expected value, in a sentence for people.
    pub message: String,
    /// Further documented fields, for example `currentVersion`.
    pub fields: Map,
    /// Additional facts, which only the Checkout API has as fields.
    pub facts: Map,
}

/// A result that fails with an [`ApiError`].
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// An error of `code` with a message and no further fields.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { errors: vec![ErrorObject::new(code, message.into())], bug: None }
    }

    /// Adds a documented field to the (last) error object. `None` adds nothing.
    #[must_use]
    pub fn with_field(mut self, field: &str, value: impl Into<Option<Value>>) -> Self {
        if let (Some(object), Some(value)) = (self.errors.last_mut(), value.into()) {
            object.fields.insert(field, value);
        }
        self
    }

    /// Adds a documented field to each error object that does not have it.
    #[must_use]
    pub fn with_default_field(mut self, field: &str, value: &Value) -> Self {
        for object in self.errors.iter_mut().filter(|object| !object.fields.contains_key(field)) {
            object.fields.insert(field, value.clone());
        }
        self
    }

    /// Adds a fact to the (last) error object that only the Checkout API has as a field.
    fn with_fact(mut self, name: &str, value: Value) -> Self {
        if let Some(object) = self.errors.last_mut() {
            object.facts.insert(name, value);
        }
        self
    }

    /// Combines the errors of one request. They share the status of the first one.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.errors.extend(other.errors);
        self.bug = self.bug.or(other.bug);
        self
    }

    /// Replaces the message of the (last) error object, for cases in which the platform words it differently.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        if let Some(object) = self.errors.last_mut() {
            object.message = message.into();
        }
        self
    }

    /// Replaces the code `InvalidInput` by another one: errors in predicates that are not queries have codes of their
    /// own.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Self {
        if let Some(object) = self.errors.last_mut().filter(|object| object.code == Code::InvalidInput) {
            object.code = code;
        }
        self
    }

    /// Adds the place of the cause in the body to the messages, for errors whose `field` names something else.
    #[must_use]
    pub fn with_location(mut self, place: &str) -> Self {
        for object in &mut self.errors {
            object.message = format!("{} (at {place})", object.message);
        }
        self
    }

    /// Returns the HTTP status, from the first code.
    pub fn status(&self) -> u16 {
        self.errors.first().map_or(500, |error| error.code.status())
    }

    /// Returns the code of the first error object.
    pub fn code(&self) -> Code {
        self.errors.first().map_or(Code::General, |error| error.code)
    }

    /// Returns the message of the first error object.
    pub fn message(&self) -> &str {
        self.errors.first().map_or("", |error| &error.message)
    }

    /// Returns all error objects, for APIs with another body (GraphQL).
    pub fn objects(&self) -> &[ErrorObject] {
        &self.errors
    }

    /// Returns the documented body.
    pub fn body(&self) -> Value {
        // The error of a method that no path supports has no list of errors (recorded of the platform).
        let listed = self.errors.iter().filter(|error| error.code != Code::MethodNotAllowed);
        let errors: Vec<Value> = listed.map(ErrorObject::to_json).collect();
        let mut body = Map::new();
        body.insert("statusCode", json!(self.status()));
        body.insert("message", json!(self.message()));
        body.insert("errors", Value::Array(errors));
        if matches!(self.status(), 401 | 403) && self.code() != Code::AssociateMissingPermission {
            // Reference type `AuthErrorResponse`: the two fields of OAuth in addition to the platform's list.
            body.insert("error", json!(self.code().name()));
            body.insert("error_description", json!(self.message()));
        }
        Value::Object(body)
    }

    /// 400 `InvalidJsonInput`: `detail` says where in the body the error is, and what was expected.
    pub fn invalid_json(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::new(Code::InvalidJsonInput, "Request body does not contain valid JSON.")
            .with_field("detailedErrorMessage", json!(detail))
    }

    /// 400 `InvalidJsonInput`: the shape requires a value at the JSON path `field`. If a rule requires it instead,
    /// use [`required_field`](Self::required_field).
    pub fn missing_value(field: &str) -> Self {
        Self::invalid_json(format!("{field}: a value is required")).with_fact(checkout::MISSING, json!(field))
    }

    /// 400 `InvalidInput` with this message.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }

    /// 400 `InvalidOperation` with this message.
    pub fn invalid_operation(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidOperation, message)
    }

    /// 400 `RequiredField`: the JSON path `field` has no value.
    pub fn required_field(field: &str) -> Self {
        Self { errors: vec![ErrorObject::required_field(field)], bug: None }
    }

    /// 400 `InvalidField`: `value` is not allowed at the JSON path `field`; `expected` describes allowed values.
    pub fn invalid_field(field: &str, value: &Value, expected: &str, allowed: Option<Value>) -> Self {
        let message =
            format!("The value '{}' is not valid for field '{field}'. {expected}", shortened(value));
        Self::new(Code::InvalidField, message.trim_end().to_owned())
            .with_field("field", json!(field))
            .with_field("invalidValue", value.clone())
            .with_field("allowedValues", allowed)
    }

    /// 400 `DuplicateField`: another resource has the same unique `value` at the JSON path `field`.
    pub fn duplicate_field(field: &str, value: Value) -> Self {
        Self::new(
            Code::DuplicateField,
            format!("A duplicate value '{}' exists for field '{field}'.", shortened(&value)),
        )
        .with_field("field", json!(field))
        .with_field("duplicateValue", value)
    }

    /// 400 `InvalidOperation`: the document already has the value of the update action in `field`. For actions that
    /// refuse that.
    pub fn no_changes(field: &str) -> Self {
        Self::invalid_operation(format!("'{field}' has no changes."))
    }

    /// 400 `MaxResourceLimitExceeded`: the project already has the maximum number of resources of a type.
    pub fn resource_limit_exceeded(limit: u64, type_id: &str) -> Self {
        let message = format!("You have exceeded the limit of {limit} resources of type {type_id}.");
        Self::new(Code::MaxResourceLimitExceeded, message)
            .with_field(checkout::EXCEEDED_RESOURCE, json!(type_id))
            .with_fact("limit", json!(limit))
    }

    /// 409 `ConcurrentModification`: the caller's version is not the current one.
    pub fn concurrent_modification(id: &str, expected: i64, current: i64) -> Self {
        Self::new(
            Code::ConcurrentModification,
            format!(
                "Object {id} has a different version than expected. Expected: {expected} - Actual: {current}."
            ),
        )
        .with_field("currentVersion", json!(current))
        .with_fact("resourceId", json!(id))
        .with_fact("expectedVersion", json!(expected))
    }

    /// 404 `ResourceNotFound`: no document is stored at the address; `what` completes the sentence ("with ID …",
    /// "with key …").
    pub fn resource_not_found(what: &str) -> Self {
        Self::not_found(&format!("Resource {what}"))
    }

    /// 404 `ResourceNotFound` for something that is no resource of a project: "operator with ID …".
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::ResourceNotFound, format!("The {what} was not found."))
    }

    /// 404 for a path that is no operation.
    pub fn uri_not_found(path: &str) -> Self {
        Self::new(Code::ResourceNotFound, format!("URI not found: {path}"))
    }

    /// 400 `ReferencedResourceNotFound` for an identifier by id or by key.
    pub fn referenced_resource_not_found(type_id: &str, id: Option<&str>, key: Option<&str>) -> Self {
        let by = match (id, key) {
            (Some(id), _) => format!("with identifier '{id}'"),
            (None, Some(key)) => format!("with key '{key}'"),
            (None, None) => "without identifier".to_owned(),
        };
        Self::new(
            Code::ReferencedResourceNotFound,
            format!(
                "The referenced object of type '{type_id}' {by} was not found. It either doesn't exist, or it \
                 can't be accessed from this endpoint (e.g., if the endpoint filters by store or customer account)."
            ),
        )
        .with_field("typeId", json!(type_id))
        .with_field("id", id.map(|id| json!(id)))
        .with_field("key", key.map(|key| json!(key)))
    }

    /// 400 `ReferenceExists`: a resource that others refer to cannot be deleted.
    pub fn reference_exists(type_id: &str, referenced_by: &str) -> Self {
        Self::new(
            Code::ReferenceExists,
            format!(
                "Can not delete {} while it is referenced by at least one {referenced_by}.",
                with_article(type_id)
            ),
        )
        .with_field("referencedBy", json!(referenced_by))
    }

    /// 500 `General`: an invariant of the server is broken, whatever the request. `broken` describes it for the log,
    /// which also has the line of the caller. The client sees neither.
    #[track_caller]
    pub fn bug(broken: impl Into<String>) -> Self {
        let bug = Bug::from_caller(broken.into());
        Self { bug: Some(Box::new(bug)), ..Self::internal() }
    }

    /// Returns the same error; if it is about a broken document, with the kind and the id of the document.
    #[must_use]
    pub fn of_document(mut self, kind: Option<&str>, id: &str) -> Self {
        if let Some(bug) = &mut self.bug {
            bug.say_document(kind, id);
        }
        self
    }

    /// Returns the broken invariant, if the error is not the client's fault. The layer that sends the response logs it
    /// once, with the correlation id of the request.
    pub fn broken(&self) -> Option<&Bug> {
        self.bug.as_deref()
    }

    /// 500 `General`, for an error that was already logged where it occurred (e.g. by a disk or a thread). For a
    /// broken invariant, use [`bug`](Self::bug).
    pub fn internal() -> Self {
        Self::new(Code::General, "The request could not be completed because of an internal error.")
    }
}

impl ErrorObject {
    /// An object without further fields.
    pub fn new(code: Code, message: String) -> Self {
        Self { code, message, fields: Map::new(), facts: Map::new() }
    }

    fn required_field(field: &str) -> Self {
        let mut object = Self::new(Code::RequiredField, format!("A value is required for field '{field}'."));
        object.fields.insert("field", json!(field));
        object
    }

    /// Returns the object in the form of the list `errors`.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code", json!(self.code.name()));
        object.insert("message", json!(self.message));
        object.extend(self.fields.clone());
        Value::Object(object)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status(), self.code().name(), self.message())
    }
}

impl std::error::Error for ApiError {}

/// Maximum length of a client's value in a message, in characters.
const QUOTED_VALUE_CHARS_MAX: usize = 200;

/// Returns `value` as JSON, shortened so that a message never repeats a megabyte.
pub fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(QUOTED_VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_documented_body() {
        let error = ApiError::concurrent_modification("a1", 3, 5);
        assert_eq!(
            error.body(),
            json!({
                "statusCode": 409,
                "message": "Object a1 has a different version than expected. Expected: 3 - Actual: 5.",
                "errors": [{
                    "code": "ConcurrentModification",
                    "message": "Object a1 has a different version than expected. Expected: 3 - Actual: 5.",
                    "currentVersion": 5,
                }],
            })
        );
    }

    #[test]
    fn adds_oauth_fields_to_refused_tokens() {
        let body = ApiError::new(Code::InvalidToken, "invalid_token").body();
        assert_eq!(body["statusCode"], 401);
        assert_eq!(body["error"], "invalid_token");
        assert_eq!(body["errors"][0]["code"], "invalid_token");
    }

    #[test]
    fn shortens_long_values_in_messages() {
        let error = ApiError::invalid_field("key", &json!("ä".repeat(1_000_000)), "", None);
        assert!(error.message().len() < 1_000);
    }

    #[test]
    fn hides_broken_invariants_from_clients() {
        let error = ApiError::bug("a State without a key");
        let told = error.broken().map(ToString::to_string).unwrap_or_default();
        assert!(told.starts_with("a State without a key (noticed at "), "{told}");
        assert!(told.contains("lib.rs:"), "the place is that of the caller: {told}");
        assert!(!error.body().to_string().contains("State"));
    }
}
