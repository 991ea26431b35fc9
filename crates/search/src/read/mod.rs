//! Whole search requests: JSON to a [`Request`].

mod facets;
mod sorts;

use crate::language::{Place, flag, list, member, object, read_query, whole};
use crate::{Fields, Request, limits};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Map, Value as Json};

/// What the request of a kind of resource may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// What facets can count: the name of entries and that of their children, `products` and `variants`. None: there are
    /// no facets and no `postFilter`.
    pub counted: Option<(&'static str, &'static str)>,
    /// The property that asks which children match: `markMatchingVariants`.
    pub mark_matching: Option<&'static str>,
    /// The least `limit`: 0 where facets alone can be asked for, or else 1.
    pub limit_min: usize,
    /// The greatest `offset`.
    pub offset_max: usize,
}

/// Reads the body of a search. Properties that are not named here are left to the caller.
///
/// Reference types `ProductSearchRequest`, `BusinessUnitSearchRequest` and their like.
pub fn read(body: &Json, shape: Shape, fields: &dyn Fields) -> ApiResult<Request> {
    let place = Place::new("");
    let members = object(body, &place)?;
    let mut request = Request { sort: sorts::read(members, fields)?, ..Request::default() };
    if let Some(query) = member(members, "query") {
        request.query = Some(read_query(query, "query", fields)?);
    }
    if let Some(counted) = shape.counted {
        if let Some(filter) = member(members, "postFilter") {
            request.post_filter = Some(read_query(filter, "postFilter", fields)?);
        }
        if let Some(facets) = member(members, "facets") {
            let place = place.member("facets");
            let facets = list(facets, &place)?;
            if facets.len() > limits::FACETS_MAX {
                return Err(place.refused(format_args!(
                    "a request has at most {} facets, this one has {}",
                    limits::FACETS_MAX,
                    facets.len()
                )));
            }
            let facets = facets.iter().enumerate();
            request.facets = facets
                .map(|(index, facet)| facets::read(facet, &place.element(index), counted, fields))
                .collect::<ApiResult<_>>()?;
        }
    }
    if let Some(name) = shape.mark_matching {
        request.mark_matching = flag(members, name, &place)?;
    }
    (request.offset, request.limit) = page(members, shape)?;
    Ok(request)
}

/// `offset` and `limit`. Document B, "Limits".
fn page(members: &Map<String, Json>, shape: Shape) -> ApiResult<(usize, usize)> {
    let place = Place::new("");
    let limit =
        bounded(members, "limit", shape.limit_min, limits::LIMIT_MAX)?.unwrap_or(limits::LIMIT_DEFAULT);
    let offset = whole(members, "offset", &place)?.unwrap_or(0);
    let reached = usize::try_from(offset).map(|offset| offset.saturating_add(limit));
    match reached {
        Ok(reached) if reached > limits::WINDOW => Err(ApiError::invalid_input(format!(
            "offset: pagination cannot fetch more than the first {} results; the offset {offset} and the limit {limit} reach \
             {reached}.",
            limits::WINDOW,
        ))),
        _ => Ok((bounded(members, "offset", 0, shape.offset_max)?.unwrap_or(0), limit)),
    }
}

/// A number within limits.
fn bounded(members: &Map<String, Json>, name: &str, min: usize, max: usize) -> ApiResult<Option<usize>> {
    let place = Place::new("");
    let Some(sent) = whole(members, name, &place)? else { return Ok(None) };
    let number = usize::try_from(sent).ok().filter(|number| (min..=max).contains(number));
    number.map(Some).ok_or_else(|| {
        place.member(name).refused(format_args!("expected a number from {min} to {max}, found {sent}"))
    })
}

#[cfg(test)]
mod tests;
