//! Parses whole search requests: JSON into a [`IndexRequest`].

mod facets;
mod sorts;

use crate::json_members::{BodyPosition, bool_member, integer_member, list, member};
use crate::language::read_query;
use crate::{Facet, IndexRequest, RequestSpelling, SearchQuery, SearchableFields, limits};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Map;

/// The form of search requests for a resource type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchShape<'a> {
    /// Query, sort and page. Document B, `BusinessUnitSearchRequest`.
    BackOffice,
    /// Like `BackOffice`, but the query is required, sorts are ascending by default, and the default page is shorter.
    /// Reference types `OrderSearchRequest`, `OrderSearchSorting`.
    Hits,
    /// Like `BackOffice`, with facets, a post-filter, and the matching children. Document B,
    /// `ProductSearchRequest`.
    Storefront {
        /// The name of entries in facets: `products`.
        entries: &'a str,
        /// The name of the children of entries in facets: `variants`.
        children: &'a str,
        /// The property that requests the matching children: `markMatchingVariants`.
        mark: &'a str,
    },
}

impl SearchShape<'_> {
    /// Returns the smallest `limit`: 0 if a request may be for the total (or facets) only, otherwise 1.
    pub fn limit_min(self) -> usize {
        match self {
            Self::BackOffice => 1,
            Self::Hits | Self::Storefront { .. } => 0,
        }
    }

    /// Returns the default `limit`.
    pub fn limit_default(self) -> usize {
        match self {
            Self::Hits => limits::SHORT_PAGE_HITS,
            Self::BackOffice | Self::Storefront { .. } => limits::HITS_DEFAULT,
        }
    }

    /// Returns the greatest `offset`.
    pub fn offset_max(self) -> usize {
        match self {
            Self::BackOffice => limits::WINDOW - limits::HITS_MAX,
            Self::Hits | Self::Storefront { .. } => limits::WINDOW,
        }
    }
}

/// The context for parsing a request.
struct BodyReader<'a> {
    shape: SearchShape<'a>,
    spelling: &'a RequestSpelling<'a>,
    fields: &'a dyn SearchableFields,
}

/// Parses the JSON of a search. Unknown properties are left to the caller.
///
/// Reference types `ProductSearchRequest`, `BusinessUnitSearchRequest` etc. Fails with 400 for an invalid property, at
/// its position in the body.
pub fn read(
    sent: &Map,
    shape: SearchShape<'_>,
    spelling: &RequestSpelling<'_>,
    fields: &dyn SearchableFields,
) -> ApiResult<IndexRequest> {
    BodyReader { shape, spelling, fields }.request(sent)
}

impl BodyReader<'_> {
    fn request(&self, sent: &Map) -> ApiResult<IndexRequest> {
        let mut request = IndexRequest { sort: self.parse_sorts(sent)?, ..IndexRequest::default() };
        request.query = self.query(sent, "query")?;
        if self.shape == SearchShape::Hits && request.query.is_none() {
            return Err(BodyPosition::new("query").missing_value());
        }
        if let SearchShape::Storefront { mark, .. } = self.shape {
            request.post_filter = self.query(sent, "postFilter")?;
            request.facets = self.facets(sent)?;
            request.mark_matching = bool_member(sent, mark, &BodyPosition::new(""))?;
        }
        (request.offset, request.limit) = page(sent, self.shape)?;
        Ok(request)
    }

    fn query(&self, sent: &Map, name: &str) -> ApiResult<Option<SearchQuery>> {
        let query = member(sent, name);
        query.map(|query| read_query(query, name, self.fields, self.spelling)).transpose()
    }

    fn facets(&self, sent: &Map) -> ApiResult<Vec<Facet>> {
        let Some(facets) = member(sent, "facets") else { return Ok(Vec::new()) };
        let place = BodyPosition::new("facets");
        let facets = list(facets, &place)?;
        if facets.len() > limits::FACETS_MAX {
            return Err(place.invalid_value(format_args!(
                "a request has at most {} facets, this one has {}",
                limits::FACETS_MAX,
                facets.len()
            )));
        }
        let facets = facets.iter().enumerate();
        facets.map(|(index, facet)| self.parse_facet(facet, &place.element(index))).collect()
    }
}

/// Parses `offset` and `limit`. Document B, "Limits".
fn page(members: &Map, shape: SearchShape<'_>) -> ApiResult<(usize, usize)> {
    let place = BodyPosition::new("");
    let limit =
        bounded(members, "limit", shape.limit_min(), limits::HITS_MAX)?.unwrap_or(shape.limit_default());
    let offset = integer_member(members, "offset", &place)?.unwrap_or(0);
    let reached = usize::try_from(offset).map(|offset| offset.saturating_add(limit));
    match reached {
        Ok(reached) if shape != SearchShape::Hits && reached > limits::WINDOW => {
            Err(ApiError::invalid_input(format!(
                "offset: pagination cannot fetch more than the first {} results; the offset {offset} and the limit {limit} reach \
             {reached}.",
                limits::WINDOW,
            )))
        }
        _ => Ok((bounded(members, "offset", 0, shape.offset_max())?.unwrap_or(0), limit)),
    }
}

/// Parses a number within limits.
fn bounded(members: &Map, name: &str, min: usize, max: usize) -> ApiResult<Option<usize>> {
    let place = BodyPosition::new("");
    let Some(sent) = integer_member(members, name, &place)? else { return Ok(None) };
    let number = usize::try_from(sent).ok().filter(|number| (min..=max).contains(number));
    number.map(Some).ok_or_else(|| {
        place.member(name).invalid_value(format_args!("expected a number from {min} to {max}, found {sent}"))
    })
}

#[cfg(test)]
mod tests;
