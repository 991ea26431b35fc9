//! The body of an update request: `{version, actions}`. Start at [`parse_update`].

use super::DRY_RUN;
use crate::action_parser::parse_actions;
use crate::caller::Caller;
use crate::document::Document;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value;
use kontor_model::{KindId, Model};

/// The body of an update request.
pub(super) struct ParsedUpdate {
    pub(super) version: i64,
    pub(super) actions: Vec<(String, Document)>,
    pub(super) is_dry: bool,
}

/// Parses the body of an update request.
pub(super) fn parse_update(
    body: Value,
    kind: KindId,
    caller: &Caller,
    model: &Model,
) -> ApiResult<ParsedUpdate> {
    let Value::Object(mut body) = body else {
        return Err(ApiError::invalid_json(format!(
            "the body: expected an object with version and actions, found {}",
            shortened(&body)
        )));
    };
    let version = match body.shift_remove("version") {
        Some(version) => version.as_i64().ok_or_else(|| {
            ApiError::invalid_json(format!("version: expected a whole number, found {}", shortened(&version)))
        })?,
        None => return Err(ApiError::invalid_json("version: a value is required")),
    };
    let given = match body.shift_remove("actions") {
        Some(Value::Array(given)) => given,
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "actions: expected an array, found {}",
                shortened(&other)
            )));
        }
        None => return Err(ApiError::invalid_json("actions: a value is required")),
    };
    let is_dry = match body.shift_remove(DRY_RUN).filter(|_| model.takes_dry_run(kind)) {
        Some(Value::Bool(is_dry)) => is_dry,
        Some(Value::Null) | None => false,
        Some(other) => {
            let found = shortened(&other);
            return Err(ApiError::invalid_json(format!("{DRY_RUN}: expected true or false, found {found}")));
        }
    };
    caller.ignore_or_refuse(body.keys(), "an update has version and actions")?;
    Ok(ParsedUpdate { version, actions: parse_actions(given, kind, caller, model)?, is_dry })
}
