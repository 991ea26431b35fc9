//! Parses the JSON value of a row about operators.

use kontor_json::Value;

use crate::{Error, Result, store::OperatorRow};

/// Parses the value of a row.
pub(super) fn parse(row: &OperatorRow) -> Result<Value> {
    kontor_json::from_str(&row.value).map_err(|error| {
        let kind = row.kind.as_str();
        Error::Server(format!("the row {kind}/{} of an operator is damaged: {error}", row.key).into())
    })
}
