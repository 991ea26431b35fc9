//! Parses facets. Document B, "Facets"; reference types `ProductSearchFacet…`.

use super::{BodyReader, SearchShape};
use crate::json_members::{BodyPosition, choice_member, integer_member, list, member, object, text};
use crate::language::{ResolvedField, find, read_query, typed_value};
use crate::{
    BucketOrder, CountedNodes, Expressions, Facet, FacetKind, FacetRange, FacetScope, FieldKind, FieldType,
    SearchValue, SearchableField, limits,
};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::{Map, Value as Json};
use std::cmp::Ordering;

const KINDS: [&str; 4] = ["count", "distinct", "ranges", "stats"];

impl BodyReader<'_> {
    /// Parses one facet: an object with one property, its kind.
    pub(super) fn parse_facet(&self, facet: &Json, position: &BodyPosition) -> ApiResult<Facet> {
        let mut kinds = object(facet, position)?.iter().filter(|(_, value)| !value.is_null());
        let (Some((kind, body)), None) = (kinds.next(), kinds.next()) else {
            return Err(
                position.unexpected_value(&format!("a facet with one of {}", KINDS.join(", ")), facet)
            );
        };
        let position = &position.member(kind);
        if !KINDS.contains(&kind.as_str()) {
            return Err(ApiError::invalid_json(format!(
                "{position}: unknown facet; expected one of {}",
                KINDS.join(", ")
            )));
        }
        let members = object(body, position)?;
        let name = text(members, "name", position)?
            .ok_or_else(|| position.member("name").missing_value())?
            .to_owned();
        let scope = choice_member(
            members,
            "scope",
            position,
            &[("query", FacetScope::Query), ("all", FacetScope::All)],
        )?;
        let filter = match member(members, "filter") {
            Some(filter) => {
                let position = position.member("filter").to_string();
                Some(read_query(filter, &position, self.fields, self.spelling)?)
            }
            None => None,
        };
        let mut holds_days = false;
        let mut field = || -> ApiResult<SearchableField> {
            let ResolvedField { found, field_type, .. } = find(members, position, self.fields)?;
            holds_days = matches!(field_type, Some(FieldType::Date | FieldType::SetDate));
            Ok(found)
        };
        let kind_of_facet = match kind.as_str() {
            "count" => FacetKind::Count,
            "distinct" => distinct(field()?, members, position)?,
            "ranges" => self.ranges(ordered(field()?, position)?, members, position)?,
            _ => FacetKind::Stats { field: ordered(field()?, position)?.field },
        };
        let counted = match kind_of_facet {
            FacetKind::Stats { .. } => CountedNodes::Entries,
            _ => self.level(members, position)?,
        };
        let scope = match kind_of_facet {
            FacetKind::Count => scope.unwrap_or(self.spelling.count_scope),
            _ => scope.unwrap_or_default(),
        };
        Ok(Facet { name, scope, filter, counted, kind: kind_of_facet, holds_days })
    }

    /// Parses `level`, which document B calls `count` on facets with buckets. Both are accepted.
    fn level(&self, members: &Map, position: &BodyPosition) -> ApiResult<CountedNodes> {
        let SearchShape::Storefront { entries, children, .. } = self.shape else {
            return Ok(CountedNodes::default());
        };
        let words = [(entries, CountedNodes::Entries), (children, CountedNodes::Children)];
        let level = choice_member(members, "level", position, &words)?;
        let count = choice_member(members, "count", position, &words)?;
        if level.is_some() && count.is_some() && level != count {
            return Err(
                position.invalid_value("level and count say the same thing, and here different things")
            );
        }
        Ok(level.or(count).unwrap_or_default())
    }

    fn ranges(
        &self,
        searchable_field: SearchableField,
        members: &Map,
        position: &BodyPosition,
    ) -> ApiResult<FacetKind> {
        let position = position.member("ranges");
        let ranges = member(members, "ranges").ok_or_else(|| position.missing_value())?;
        let (position, ranges) = self.spelling.range(ranges, position)?;
        let ranges = list(ranges, &position)?;
        not_too_many(ranges.len(), &position)?;
        let ranges = ranges.iter().enumerate();
        let ranges = ranges
            .map(|(index, range)| one_range(range, &searchable_field, &position.element(index)))
            .collect::<ApiResult<_>>()?;
        Ok(FacetKind::Ranges { field: searchable_field.field, ranges })
    }
}

fn distinct(
    searchable_field: SearchableField,
    members: &Map,
    position: &BodyPosition,
) -> ApiResult<FacetKind> {
    let (order, descending) = match member(members, "sort") {
        None => (BucketOrder::Count, true),
        Some(sort) => {
            let position = &position.member("sort");
            let members = object(sort, position)?;
            let by = choice_member(
                members,
                "by",
                position,
                &[("count", BucketOrder::Count), ("key", BucketOrder::Key)],
            )?;
            let by = by.ok_or_else(|| position.member("by").missing_value())?;
            let descending = choice_member(members, "order", position, &[("asc", false), ("desc", true)])?;
            (by, descending.ok_or_else(|| position.member("order").missing_value())?)
        }
    };
    let limit = integer_member(members, "limit", position)?;
    let limit = match limit.map(usize::try_from) {
        None => limits::BUCKETS_DEFAULT,
        Some(Ok(limit)) if limit <= limits::BUCKETS_MAX => limit,
        Some(_) => {
            return Err(position.member("limit").invalid_value(format_args!(
                "expected a number from 0 to {}, found {}",
                limits::BUCKETS_MAX,
                limit.unwrap_or_default()
            )));
        }
    };
    let includes = match member(members, "includes") {
        None => None,
        Some(includes) => Some(keys(includes, &position.member("includes"))?),
    };
    let missing = text(members, "missing", position)?.map(str::to_owned);
    Ok(FacetKind::Distinct { field: searchable_field.field, includes, order, descending, limit, missing })
}

fn keys(includes: &Json, position: &BodyPosition) -> ApiResult<Vec<String>> {
    let keys = list(includes, position)?;
    not_too_many(keys.len(), position)?;
    let keys = keys.iter().enumerate();
    keys.map(|(index, key)| {
        key.as_str()
            .map(str::to_owned)
            .ok_or_else(|| position.element(index).unexpected_value("a string", key))
    })
    .collect()
}

fn one_range(
    range: &Json,
    searchable_field: &SearchableField,
    position: &BodyPosition,
) -> ApiResult<FacetRange> {
    let members = object(range, position)?;
    let end = |name: &str| -> ApiResult<Option<SearchValue>> {
        let Some(json) = member(members, name) else { return Ok(None) };
        // Both ends are thresholds for integers greater than or equal to them, so a fraction is rounded up.
        match json
            .as_f64()
            .filter(|number| searchable_field.field.kind == FieldKind::Long && number.fract() != 0.0)
        {
            Some(number) => Ok(Some(SearchValue::Long(number.ceil() as i64))),
            None => typed_value(json, searchable_field, &position.member(name)).map(Some),
        }
    };
    let (from, to) = (end("from")?, end("to")?);
    if let (Some(from), Some(to)) = (&from, &to)
        && from.compare(to) == Ordering::Greater
    {
        return Err(position.invalid_value(format_args!("from is beyond to: {}", shortened(range))));
    }
    let sent = |name: &str| match member(members, name) {
        None => "*".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let key = match text(members, "key", position)? {
        Some(key) => key.to_owned(),
        None => format!("{}-{}", sent("from"), sent("to")),
    };
    Ok(FacetRange { key, from, to })
}

/// Returns the field of a facet that requires numbers or times.
fn ordered(searchable_field: SearchableField, position: &BodyPosition) -> ApiResult<SearchableField> {
    let is_number_or_moment =
        matches!(searchable_field.field.kind, FieldKind::Long | FieldKind::Double | FieldKind::Time);
    if searchable_field.expressions == Expressions::Ordered && is_number_or_moment {
        return Ok(searchable_field);
    }
    Err(position.member("field").invalid_value(format_args!(
        "expected a field of numbers, dates or dates and times; {} is none",
        searchable_field.field.name
    )))
}

fn not_too_many(count: usize, position: &BodyPosition) -> ApiResult<()> {
    if count > limits::FACET_VALUES_MAX {
        return Err(position
            .invalid_value(format_args!("expected at most {}, found {count}", limits::FACET_VALUES_MAX)));
    }
    Ok(())
}
