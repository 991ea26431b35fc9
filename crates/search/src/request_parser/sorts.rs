//! Parses the sort criteria. Reference type `SearchSorting`.

use super::{BodyReader, SearchShape};
use crate::json_members::{BodyPosition, choice_member, list, member, object, text};
use crate::language::{ResolvedField, find, read_ranked};
use crate::{FieldKind, FieldRank, HitSort, SortBy, SortMode, limits};
use kontor_errors::ApiResult;
use kontor_json::{Map, Value as Json};

/// The criterion that is not a field: the score of a hit.
const SCORE: &str = "score";

impl BodyReader<'_> {
    /// Parses `sort`.
    pub(super) fn parse_sorts(&self, members: &Map) -> ApiResult<Vec<HitSort>> {
        let Some(sorts) = member(members, "sort") else { return Ok(Vec::new()) };
        let place = BodyPosition::new("sort");
        let sorts = list(sorts, &place)?;
        if sorts.len() > limits::SORTS_MAX {
            return Err(place.invalid_value(format_args!(
                "a request has at most {} sort criteria, this one has {}",
                limits::SORTS_MAX,
                sorts.len()
            )));
        }
        sorts.iter().enumerate().map(|(index, sort)| self.sort(sort, &place.element(index))).collect()
    }

    fn sort(&self, sort: &Json, position: &BodyPosition) -> ApiResult<HitSort> {
        let members = object(sort, position)?;
        let descending = choice_member(members, "order", position, &[("asc", false), ("desc", true)])?;
        let descending = match self.shape {
            SearchShape::Hits => descending.unwrap_or(false),
            _ => descending.ok_or_else(|| position.member("order").missing_value())?,
        };
        let modes =
            [("min", SortMode::Min), ("max", SortMode::Max), ("avg", SortMode::Avg), ("sum", SortMode::Sum)];
        let mode = choice_member(members, "mode", position, &modes)?;
        let filter = member(members, "filter");
        if text(members, "field", position)? == Some(SCORE) {
            if filter.is_some() {
                return Err(position
                    .member("filter")
                    .invalid_value("the relevance score has no values that could be filtered"));
            }
            return Ok(HitSort { by: SortBy::Score, descending, mode: None, filter: None });
        }
        let ResolvedField { found, .. } = find(members, position, self.fields)?;
        if matches!(mode, Some(SortMode::Avg | SortMode::Sum))
            && !matches!(found.field.kind, FieldKind::Long | FieldKind::Double)
        {
            return Err(position.member("mode").invalid_value(format_args!(
                "the modes avg and sum are for numbers; the field {} has none, expected min or max",
                found.field.name
            )));
        }
        let filter = match filter {
            None => None,
            Some(filter) => {
                let position = position.member("filter");
                let (query, rank) = read_ranked(filter, &position, self.fields, self.spelling)?;
                if found.rank == FieldRank::Context || rank == Some(FieldRank::Context) {
                    return Err(position
                        .invalid_value("a sort filter cannot be used with fields of the context level"));
                }
                Some(query)
            }
        };
        Ok(HitSort { by: SortBy::Field(found.field), descending, mode, filter })
    }
}
