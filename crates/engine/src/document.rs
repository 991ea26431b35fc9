//! Documents, and access to their fields by paths of names.

use crate::missing_field_log;
use bytes::Bytes;
use kontor_enums::ModelEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value};
use kontor_storage::StoredDocument;
use std::collections::HashSet;

/// The kind under which the settings of a project are stored.
pub(crate) const PROJECT: &str = "project";
/// The kind under which Messages are stored.
pub const MESSAGE: &str = "message";

/// One resource as JSON. Its fields are in the order of responses.
pub type Document = Map;

/// Parses a document, or a side of one, that this server wrote. Unchanged parts keep their text when it is
/// written again.
///
/// # Errors [`ApiError::bug`] if the text is no JSON object.
#[track_caller]
pub fn read(body: &Bytes) -> ApiResult<Document> {
    object(kontor_json::read(body), "a document")
}

/// Like [`read`], for a stored document, whose id is in the error.
///
/// # Errors
/// Those of [`read`].
#[track_caller]
pub fn read_stored(stored: &StoredDocument) -> ApiResult<Document> {
    object(kontor_json::read(&stored.body), &stored.id).map_err(|error| error.of_document(None, &stored.id))
}

/// Like [`read`], without the value at this path (which may remain), for callers that do not need it.
///
/// # Errors
/// Those of [`read`].
#[track_caller]
pub fn read_without(path: &[&str], body: &Bytes) -> ApiResult<Document> {
    object(kontor_json::read_without(path, body), "a document")
}

/// Like [`read`], for bytes that are borrowed during a scan: the result does not refer to them.
#[track_caller]
pub(crate) fn read_borrowed(body: &[u8]) -> ApiResult<Document> {
    match kontor_json::parse(body) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(ApiError::bug("a document is JSON, but no object")),
        Err(error) => object(Err(error), "a document"),
    }
}

#[track_caller]
fn object(read: Result<Document, kontor_json::Error>, which: &str) -> ApiResult<Document> {
    match read {
        Ok(document) => Ok(document),
        Err(error) => Err(ApiError::bug(format!("{which} is no JSON object: {error}"))),
    }
}

/// The version that the API shows.
#[track_caller]
pub(crate) fn version_of(document: &Document) -> i64 {
    integer_or_log(document, &["version"])
}

/// Returns the id of a document, or the key of a singleton.
#[track_caller]
pub(crate) fn id_of(document: &Document) -> &str {
    match text(document, &["id"]) {
        Some(id) => id,
        None => text_or_log(document, &["key"]),
    }
}

/// The value at a path of names, through objects only.
pub fn get<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = document.get(first.as_ref())?;
    if rest.is_empty() { Some(value) } else { get(value.as_object()?, rest) }
}

/// The text at a path of names.
pub fn text<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> Option<&'a str> {
    match path {
        [] => None,
        [last] => document.text_at(last.as_ref()),
        [first, rest @ ..] => text(document.get(first.as_ref())?.as_object()?, rest),
    }
}

/// Returns the text at a path where the model requires one. Fails with [`ApiError::bug`] without it.
#[track_caller]
pub fn must_text<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> ApiResult<&'a str> {
    match text(document, path) {
        Some(text) => Ok(text),
        None => Err(ApiError::bug(format!("a document without the text {}", path_text(path)))),
    }
}

/// True if the text at a path is this value of an enum.
pub fn has_enum(document: &Document, path: &[impl AsRef<str>], value: impl ModelEnum) -> bool {
    text(document, path) == Some(value.as_str())
}

/// Returns the value of an enum at a path; `None` without one. Fails with [`ApiError::bug`] for a text that is no value of
/// the enum: it was validated when it was written.
#[track_caller]
pub fn enum_at<E: ModelEnum>(document: &Document, path: &[impl AsRef<str>]) -> ApiResult<Option<E>> {
    match text(document, path) {
        Some(text) => parse_enum(text).map(Some),
        None => Ok(None),
    }
}

/// Returns the value of an enum at a path where the model requires one. Fails as [`enum_at`] does, and without a value.
#[track_caller]
pub fn must_enum<E: ModelEnum>(document: &Document, path: &[impl AsRef<str>]) -> ApiResult<E> {
    match must_text(document, path) {
        Ok(text) => parse_enum(text),
        Err(error) => Err(error),
    }
}

/// Returns the value of an enum in a field of an element; `None` without one. Fails as [`enum_at`] does.
#[track_caller]
pub fn enum_in<E: ModelEnum>(element: &Value, field: &str) -> ApiResult<Option<E>> {
    match element[field].as_str() {
        Some(text) => parse_enum(text).map(Some),
        None => Ok(None),
    }
}

/// Returns the value of an enum that an element must have in a field. Fails as [`enum_at`] does, and without a value.
#[track_caller]
pub fn must_enum_in<E: ModelEnum>(element: &Value, field: &str) -> ApiResult<E> {
    match must_field(element, field) {
        Ok(text) => parse_enum(text),
        Err(error) => Err(error),
    }
}

#[track_caller]
fn parse_enum<E: ModelEnum>(text: &str) -> ApiResult<E> {
    match E::try_from(text) {
        Ok(value) => Ok(value),
        Err(unknown) => Err(ApiError::bug(unknown.to_string())),
    }
}

/// [`must_enum`] for code that cannot return an error: a missing or unknown text is logged and read as `None`.
#[track_caller]
pub fn enum_or_log<E: ModelEnum>(document: &Document, path: &[impl AsRef<str>]) -> Option<E> {
    some_or_log(must_enum(document, path))
}

/// [`must_enum_in`] for code that cannot return an error: a missing or unknown text is logged and read as `None`.
#[track_caller]
pub fn enum_in_or_log<E: ModelEnum>(element: &Value, field: &str) -> Option<E> {
    some_or_log(must_enum_in(element, field))
}

/// Returns the value at a path where the model requires one. Fails with [`ApiError::bug`] without it.
#[track_caller]
pub fn must_get<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> ApiResult<&'a Value> {
    match get(document, path) {
        Some(value) => Ok(value),
        None => Err(ApiError::bug(format!("a document without {}", path_text(path)))),
    }
}

/// Returns the text that an element of a document must have in a field, e.g. the `id` of a reference. Fails with
/// [`ApiError::bug`] without it.
#[track_caller]
pub fn must_field<'a>(element: &'a Value, field: &str) -> ApiResult<&'a str> {
    match element[field].as_str() {
        Some(text) => Ok(text),
        None => Err(ApiError::bug(format!("an element without the text {field}"))),
    }
}

/// Returns the whole number at a path where the model requires one. Fails with [`ApiError::bug`] without it.
#[track_caller]
pub fn must_integer(document: &Document, path: &[impl AsRef<str>]) -> ApiResult<i64> {
    match get(document, path).and_then(Value::as_i64) {
        Some(number) => Ok(number),
        None => Err(ApiError::bug(format!("a document without the whole number {}", path_text(path)))),
    }
}

/// Returns the whole number that an element of a document must have in a field. Fails with [`ApiError::bug`] without
/// it.
#[track_caller]
pub fn must_integer_field(element: &Value, field: &str) -> ApiResult<i64> {
    match element[field].as_i64() {
        Some(number) => Ok(number),
        None => Err(ApiError::bug(format!("an element without the whole number {field}"))),
    }
}

/// [`must_text`] for code that cannot return an error, such as a comparison: a missing field is logged and
/// read as empty.
#[track_caller]
pub fn text_or_log<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> &'a str {
    or_log(must_text(document, path))
}

/// [`must_field`] for code that cannot return an error: a missing field is logged and read as empty.
#[track_caller]
pub fn field_or_log<'a>(element: &'a Value, field: &str) -> &'a str {
    or_log(must_field(element, field))
}

/// [`must_integer`] for code that cannot return an error: a missing field is logged and read as 0.
#[track_caller]
pub fn integer_or_log(document: &Document, path: &[impl AsRef<str>]) -> i64 {
    or_log(must_integer(document, path))
}

/// [`must_integer_field`] for code that cannot return an error: a missing field is logged and read as 0.
#[track_caller]
pub fn integer_field_or_log(element: &Value, field: &str) -> i64 {
    or_log(must_integer_field(element, field))
}

fn or_log<T: Default>(read: ApiResult<T>) -> T {
    some_or_log(read).unwrap_or_default()
}

fn some_or_log<T>(read: ApiResult<T>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(error) => {
            let bug = error.broken().map(ToString::to_string);
            missing_field_log::log_missing_field(&bug.unwrap_or_default());
            None
        }
    }
}

/// Returns the text at a path; empty if there is none.
pub fn text_or_empty<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> &'a str {
    text(document, path).unwrap_or_default()
}

/// Returns the whole number at a path; 0 if there is none.
pub fn integer_or_zero(document: &Document, path: &[impl AsRef<str>]) -> i64 {
    get(document, path).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns a copy of the object at a path; empty if there is none.
pub fn object_or_empty(document: &Document, path: &[impl AsRef<str>]) -> Document {
    get(document, path).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Returns the list in a field of an element; empty if there is none.
pub fn list_in<'a>(element: &'a Value, field: &str) -> &'a [Value] {
    element[field].as_array().map_or(&[], Vec::as_slice)
}

/// Formats a path for a message, e.g. `address.country`.
fn path_text(path: &[impl AsRef<str>]) -> String {
    path.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(".")
}

/// Returns an object of fields, e.g. those of a message, without the fields that have no value.
pub fn fields<'n>(named: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Document {
    named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns an object without the fields that are `null`. Any other value becomes an empty object.
pub fn without_nulls(written: Value) -> Document {
    let Value::Object(mut fields) = written else { return Document::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}

/// Returns the id of a document, as the lookup value for documents that refer to it.
pub fn own_id(document: &Document) -> Vec<String> {
    text(document, &["id"]).map(str::to_owned).into_iter().collect()
}

/// Returns the list at a path; empty if there is none.
pub fn list<'a>(document: &'a Document, path: &[impl AsRef<str>]) -> &'a [Value] {
    get(document, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Sets or removes the value at a path. Setting creates missing objects on the path; removing keeps them.
pub fn set(document: &mut Document, path: &[impl AsRef<str>], value: Option<Value>) {
    let Some((first, rest)) = path.split_first() else { return };
    let name = first.as_ref();
    if rest.is_empty() {
        match value {
            Some(value) => {
                document.insert(name, value);
            }
            None => {
                document.shift_remove(name);
            }
        }
        return;
    }
    if value.is_none() && !document.contains_key(name) {
        return;
    }
    let inner = document.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        set(inner, rest, value);
    }
}

/// Collects all scalars at a path, through objects and lists: the values of an index.
pub fn scalars_at<'a>(value: &'a Value, path: &[impl AsRef<str>], found: &mut Vec<&'a Value>) {
    match (value, path.split_first()) {
        (Value::Array(items), _) => {
            for item in items {
                scalars_at(item, path, found);
            }
        }
        (Value::Object(entries), Some((first, rest))) => {
            if let Some(inner) = entries.get(first.as_ref()) {
                scalars_at(inner, rest, found);
            }
        }
        (Value::Object(_) | Value::Null, _) | (_, Some(_)) => {}
        (scalar, None) => found.push(scalar),
    }
}

/// True for what the API calls an empty value: no text, no element, no entry.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Returns the values without duplicates, in the order of their first occurrences.
pub fn without_duplicates(mut values: Vec<Value>) -> Vec<Value> {
    let mut seen = HashSet::with_capacity(values.len());
    let firsts: Vec<bool> = values.iter().map(|value| seen.insert(value)).collect();
    let mut firsts = firsts.into_iter();
    values.retain(|_| firsts.next() == Some(true));
    values
}

/// `{typeId, id}`.
pub fn reference(type_id: &str, id: &str) -> Value {
    kontor_json::json!({"typeId": type_id, "id": id})
}

#[cfg(test)]
mod tests;
