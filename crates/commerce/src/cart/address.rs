//! Converts addresses of Carts into their stored form.
//!
//! Source: reference types `BaseAddress`, `Address`.

use kontor_engine::conversion;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Returns the stored form of an address.
pub(super) fn stored_address(sent: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let model = rules.model;
    let shapes = model.object_by_name("BaseAddress").zip(model.object_by_name("Address"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    conversion::convert_object(input, output, sent.clone(), place, rules).map(Value::Object)
}
