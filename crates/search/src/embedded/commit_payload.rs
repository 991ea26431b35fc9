//! The payload of a commit: the position in the change log, as JSON.

use super::schema::SCHEMA_FORMAT;
use crate::{IndexError, IndexPosition};
use kontor_json::{Value, json};

/// Serializes a position.
pub(super) fn write(position: IndexPosition) -> String {
    json!({
        "format": SCHEMA_FORMAT,
        "epoch": position.epoch,
        "seq": position.seq,
        "generation": position.generation,
        "isComplete": position.is_complete,
    })
    .to_string()
}

/// Parses a position; an error if another format wrote it.
pub(super) fn read(text: &str) -> Result<IndexPosition, IndexError> {
    let read = || {
        let json: Value = kontor_json::from_str(text).ok()?;
        let number = |name: &str| json.get(name)?.as_u64();
        (number("format")? == SCHEMA_FORMAT).then_some(())?;
        Some(IndexPosition {
            epoch: number("epoch")?,
            seq: number("seq")?,
            generation: number("generation")?,
            is_complete: json.get("isComplete")?.as_bool()?,
        })
    };
    read().ok_or_else(|| {
        IndexError::Failed(format!("its commit says {text}, which this version does not know"))
    })
}
