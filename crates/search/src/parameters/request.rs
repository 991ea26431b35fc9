//! Converts a [`ParameterSearchRequest`] into a request to an index.

use super::facets::{self, RequestedFacet};
use super::filters::{Filters, and_query};
use super::values::{bounded_number, check_count, malformed_parameter, quoted_text};
use super::{ParameterSearchRequest, ParameterSort, full_text};
use crate::{HitSort, IndexRequest, SearchableFields, SortBy, limits};
use kontor_errors::ApiResult;

impl ParameterSearchRequest {
    /// Returns the request to the index, with the requested facets, each of which needs several facets of the index.
    /// `shown`: the parameters for the presentation of documents; those that select a price also decide which
    /// price is filtered. Fails with 400 for an unknown field, an invalid value, or a limit or offset that is too
    /// large.
    pub fn request(
        &self,
        fields: &dyn SearchableFields,
        shown: &[(String, String)],
    ) -> ApiResult<(IndexRequest, Vec<RequestedFacet>)> {
        let reader = Filters { fields, shown };
        let mut query = full_text::read(self, fields)?;
        query.extend(reader.convert_all(&self.query_filters, "filter.query")?);
        let mut post = reader.convert_all(&self.filters, "filter")?;
        let (facets, counted) = facets::read(self, &reader)?;
        if counted.is_empty() {
            // Without facets, filters before and after counting are the same, and matching children must match both.
            query.append(&mut post);
        }
        let request = IndexRequest {
            query: and_query(query),
            post_filter: and_query(post),
            sort: self.sorts(&reader)?,
            facets: counted,
            offset: bounded_number("offset", self.offset, limits::WINDOW, 0)?,
            limit: bounded_number("limit", self.limit, limits::PARAMETER_LIMIT_MAX, limits::HITS_DEFAULT)?,
            mark_matching: self.mark_matching,
        };
        Ok((request, facets))
    }

    fn sorts(&self, reader: &Filters<'_>) -> ApiResult<Vec<HitSort>> {
        check_count(self.sorts.len(), "sort")?;
        let sort = |ParameterSort { path, descending, mode }: &ParameterSort| {
            if path == "score" {
                return Ok(HitSort { by: SortBy::Score, descending: *descending, mode: None, filter: None });
            }
            let found = reader.must_find_field(path, "sort")?;
            if found.is_localized && found.field.language.is_none() {
                return Err(malformed_parameter(
                    "sort",
                    format_args!("the field {} needs a language", quoted_text(path)),
                ));
            }
            let filter = reader.fields.scope_condition(path, reader.shown);
            Ok(HitSort { by: SortBy::Field(found.field), descending: *descending, mode: *mode, filter })
        };
        self.sorts.iter().map(sort).collect()
    }
}
