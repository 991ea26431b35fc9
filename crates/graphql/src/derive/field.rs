//! Shared functions of the derivation: a plain output field, a type in SDL, and JSON that a table holds.

use crate::schema_types::{FieldValueSource, OutputField};
use kontor_json::Value;

/// The interface for the fields that a Message type has in addition to the common ones.
pub(super) const MESSAGE_PAYLOAD: &str = "MessagePayload";

/// Returns a field without description and arguments.
pub(super) fn field_of(ty: String, source: FieldValueSource) -> OutputField {
    OutputField { doc: String::new(), arguments: Vec::new(), ty, source, deprecated: false }
}

/// Returns a type in SDL, with `!` if it is required.
pub(super) fn sdl_type(ty: &str, required: bool) -> String {
    if required { format!("{ty}!") } else { ty.to_owned() }
}

/// Parses JSON that a table holds. Invalid JSON becomes `null`, which the tests of this crate detect.
pub(super) fn parse_table_json(json: &str) -> Value {
    kontor_json::from_str(json).unwrap_or_default()
}
