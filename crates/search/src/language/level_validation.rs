//! Validates the field levels of compound expressions. Start at [`combine_levels`].
//!
//! Levels ([`FieldRank`]): fields of Stores and Product Selections have level 1, fields of Products and Variants level 2,
//! fields of Prices level 3. A compound expression may combine:
//!
//! - 1 and 2: expressions of one level each, of equal or different levels;
//! - 3 and 4: one expression of several levels with expressions of its lowest level or below.
//!
//! Not allowed:
//!
//! - 5 and 6: an expression of several levels with one above its lowest level;
//! - 7: two expressions of several levels.
//!
//! Source: document B, "Query validation (field levels)".

use crate::FieldRank;
use crate::json_members::BodyPosition;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value as Json;
use std::fmt::Write;

/// The levels of the fields in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LevelsShape {
    /// The only rank, or the lowest of several.
    pub(super) rank: FieldRank,
    /// Whether there are several ranks.
    pub(super) is_multi: bool,
}

/// A part of a compound expression.
pub(super) struct CompoundPart<'a> {
    pub(super) json: &'a Json,
    pub(super) place: BodyPosition,
    pub(super) shape: LevelsShape,
}

/// Combines the levels of the parts of a compound expression; `None` if it has no conditions.
pub(super) fn combine_levels(
    position: &BodyPosition,
    parts: &[CompoundPart<'_>],
) -> ApiResult<Option<LevelsShape>> {
    let Some(rank) = parts.iter().map(|part| part.shape.rank).min() else { return Ok(None) };
    let multi: Vec<&CompoundPart<'_>> = parts.iter().filter(|part| part.shape.is_multi).collect();
    match multi.as_slice() {
        // Rules 1 and 2.
        [] => {
            let is_multi = parts.iter().any(|part| part.shape.rank != rank);
            Ok(Some(LevelsShape { rank, is_multi }))
        }
        // Rules 3 to 6: only parts of the same or a lower rank may be combined with it.
        [one] => {
            let higher: Vec<&CompoundPart<'_>> = parts
                .iter()
                .filter(|part| !part.shape.is_multi && part.shape.rank > one.shape.rank)
                .collect();
            if higher.is_empty() {
                return Ok(Some(LevelsShape { rank, is_multi: true }));
            }
            let offending = multi.iter().copied().chain(higher);
            Err(invalid_levels_error(
                position,
                "an expression of several levels is combined with one of a higher level",
                offending,
            ))
        }
        // Rule 7.
        several => Err(invalid_levels_error(
            position,
            "two expressions of several levels are combined",
            several.iter().copied(),
        )),
    }
}

/// Rule 8: the message lists the offending expressions.
fn invalid_levels_error<'a>(
    position: &BodyPosition,
    why: &str,
    offending: impl Iterator<Item = &'a CompoundPart<'a>>,
) -> ApiError {
    let mut message =
        format!("{position}: invalid combination of field levels: {why}. Offending expressions:");
    for (index, part) in offending.enumerate() {
        let several = if part.shape.is_multi { "several levels, the lowest " } else { "level " };
        let comma = if index == 0 { "" } else { "," };
        // Writing to a String does not fail.
        let _ = write!(
            message,
            "{comma} {} {} ({several}{})",
            part.place,
            shortened(part.json),
            name(part.shape.rank)
        );
    }
    ApiError::invalid_input(message)
}

fn name(rank: FieldRank) -> &'static str {
    match rank {
        FieldRank::Context => "context",
        FieldRank::Resource => "resource",
        FieldRank::Price => "price",
    }
}
