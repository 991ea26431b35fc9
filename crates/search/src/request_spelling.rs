//! The spelling differences of search requests between REST and GraphQL.

use crate::FacetScope;
use crate::json_members::{BodyPosition, object};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value as Json;

/// The differences in the JSON of a search. The default is that of document B.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestSpelling<'a> {
    /// The names of value types that wrap the bounds of a `range` and the `ranges` of a facet. Empty: the bounds are
    /// not wrapped.
    pub range_kinds: &'a [&'a str],
    /// The default scope of a count facet.
    pub count_scope: FacetScope,
}

impl RequestSpelling<'_> {
    /// Returns the bounds of a range, or a list of ranges, with their position.
    pub(crate) fn range<'j>(
        &self,
        sent: &'j Json,
        position: BodyPosition,
    ) -> ApiResult<(BodyPosition, &'j Json)> {
        if self.range_kinds.is_empty() {
            return Ok((position, sent));
        }
        let mut given = object(sent, &position)?.iter().filter(|(_, value)| !value.is_null());
        match (given.next(), given.next()) {
            (Some((kind, range)), None) if self.range_kinds.contains(&kind.as_str()) => {
                Ok((position.member(kind), range))
            }
            _ => Err(ApiError::invalid_input(format!(
                "{position}: exactly one of {} is expected.",
                self.range_kinds.join(", ")
            ))),
        }
    }
}
