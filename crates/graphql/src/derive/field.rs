//! Fields of output types.

use crate::derived::{OutputField, Source};
use kontor_json::Value;

/// The interface of the fields that messages have in addition to the common ones.
pub(super) const MESSAGE_PAYLOAD: &str = "MessagePayload";

/// A field without a word about it.
pub(super) fn plain(ty: String, source: Source) -> OutputField {
    OutputField { doc: String::new(), arguments: Vec::new(), ty, source, deprecated: false }
}

/// A type, with the mark of being required.
pub(super) fn nullable(ty: &str, required: bool) -> String {
    if required { format!("{ty}!") } else { ty.to_owned() }
}

/// JSON of a table. Mistakes there are found by the tests of this crate.
pub(super) fn parse(json: &str) -> Value {
    kontor_json::from_str(json).unwrap_or_default()
}
