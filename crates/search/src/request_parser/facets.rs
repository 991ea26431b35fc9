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
    pub(super) fn parse_facet(&self, facet: &Json, place: &BodyPosition) -> ApiResult<Facet> {
        let mut kinds = object(facet, place)?.iter().filter(|(_, value)| !value.is_null());
        let (Some((kind, body)), None) = (kinds.next(), kinds.next()) else {
            return Err(place.unexpected_value(&format!("a facet with one of {}", KINDS.join(", ")), facet));
        };
        let place = &place.member(kind);
        if !KINDS.contains(&kind.as_str()) {
            return Err(ApiError::invalid_json(format!(
                "{place}: unknown facet; expected one of {}",
                KINDS.join(", ")
            )));
        }
        let members = object(body, place)?;
        let name =
            text(members, "name", place)?.ok_or_else(|| place.member("name").missing_value())?.to_owned();
        let scope = choice_member(
            members,
            "scope",
            place,
            &[("query", FacetScope::Query), ("all", FacetScope::All)],
        )?;
        let filter = match member(members, "filter") {
            Some(filter) => {
                let place = place.member("filter").to_string();
                Some(read_query(filter, &place, self.fields, self.spelling)?)
            }
            None => None,
        };
        let mut holds_days = false;
        let mut field = || -> ApiResult<SearchableField> {
            let ResolvedField { found, field_type, .. } = find(members, place, self.fields)?;
            holds_days = matches!(field_type, Some(FieldType::Date | FieldType::SetDate));
            Ok(found)
        };
        let kind_of_facet = match kind.as_str() {
            "count" => FacetKind::Count,
            "distinct" => distinct(field()?, members, place)?,
            "ranges" => self.ranges(ordered(field()?, place)?, members, place)?,
            _ => FacetKind::Stats { field: ordered(field()?, place)?.field },
        };
        let counted = match kind_of_facet {
            FacetKind::Stats { .. } => CountedNodes::Entries,
            _ => self.level(members, place)?,
        };
        let scope = match kind_of_facet {
            FacetKind::Count => scope.unwrap_or(self.spelling.count_scope),
            _ => scope.unwrap_or_default(),
        };
        Ok(Facet { name, scope, filter, counted, kind: kind_of_facet, holds_days })
    }

    /// Parses `level`, which document B calls `count` on facets with buckets. Both are accepted.
    fn level(&self, members: &Map, place: &BodyPosition) -> ApiResult<CountedNodes> {
        let SearchShape::Storefront { entries, children, .. } = self.shape else {
            return Ok(CountedNodes::default());
        };
        let words = [(entries, CountedNodes::Entries), (children, CountedNodes::Children)];
        let level = choice_member(members, "level", place, &words)?;
        let count = choice_member(members, "count", place, &words)?;
        if level.is_some() && count.is_some() && level != count {
            return Err(place.invalid_value("level and count say the same thing, and here different things"));
        }
        Ok(level.or(count).unwrap_or_default())
    }

    fn ranges(&self, found: SearchableField, members: &Map, place: &BodyPosition) -> ApiResult<FacetKind> {
        let place = place.member("ranges");
        let ranges = member(members, "ranges").ok_or_else(|| place.missing_value())?;
        let (place, ranges) = self.spelling.range(ranges, place)?;
        let ranges = list(ranges, &place)?;
        not_too_many(ranges.len(), &place)?;
        let ranges = ranges.iter().enumerate();
        let ranges = ranges
            .map(|(index, range)| one_range(range, &found, &place.element(index)))
            .collect::<ApiResult<_>>()?;
        Ok(FacetKind::Ranges { field: found.field, ranges })
    }
}

fn distinct(found: SearchableField, members: &Map, place: &BodyPosition) -> ApiResult<FacetKind> {
    let (order, descending) = match member(members, "sort") {
        None => (BucketOrder::Count, true),
        Some(sort) => {
            let place = &place.member("sort");
            let members = object(sort, place)?;
            let by = choice_member(
                members,
                "by",
                place,
                &[("count", BucketOrder::Count), ("key", BucketOrder::Key)],
            )?;
            let by = by.ok_or_else(|| place.member("by").missing_value())?;
            let descending = choice_member(members, "order", place, &[("asc", false), ("desc", true)])?;
            (by, descending.ok_or_else(|| place.member("order").missing_value())?)
        }
    };
    let limit = integer_member(members, "limit", place)?;
    let limit = match limit.map(usize::try_from) {
        None => limits::BUCKETS_DEFAULT,
        Some(Ok(limit)) if limit <= limits::BUCKETS_MAX => limit,
        Some(_) => {
            return Err(place.member("limit").invalid_value(format_args!(
                "expected a number from 0 to {}, found {}",
                limits::BUCKETS_MAX,
                limit.unwrap_or_default()
            )));
        }
    };
    let includes = match member(members, "includes") {
        None => None,
        Some(includes) => Some(keys(includes, &place.member("includes"))?),
    };
    let missing = text(members, "missing", place)?.map(str::to_owned);
    Ok(FacetKind::Distinct { field: found.field, includes, order, descending, limit, missing })
}

fn keys(includes: &Json, place: &BodyPosition) -> ApiResult<Vec<String>> {
    let keys = list(includes, place)?;
    not_too_many(keys.len(), place)?;
    let keys = keys.iter().enumerate();
    keys.map(|(index, key)| {
        key.as_str().map(str::to_owned).ok_or_else(|| place.element(index).unexpected_value("a string", key))
    })
    .collect()
}

fn one_range(range: &Json, found: &SearchableField, place: &BodyPosition) -> ApiResult<FacetRange> {
    let members = object(range, place)?;
    let end = |name: &str| -> ApiResult<Option<SearchValue>> {
        let Some(json) = member(members, name) else { return Ok(None) };
        // Both ends are thresholds for integers greater than or equal to them, so a fraction is rounded up.
        match json.as_f64().filter(|number| found.field.kind == FieldKind::Long && number.fract() != 0.0) {
            Some(number) => Ok(Some(SearchValue::Long(number.ceil() as i64))),
            None => typed_value(json, found, &place.member(name)).map(Some),
        }
    };
    let (from, to) = (end("from")?, end("to")?);
    if let (Some(from), Some(to)) = (&from, &to)
        && from.compare(to) == Ordering::Greater
    {
        return Err(place.invalid_value(format_args!("from is beyond to: {}", shortened(range))));
    }
    let sent = |name: &str| match member(members, name) {
        None => "*".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let key = match text(members, "key", place)? {
        Some(key) => key.to_owned(),
        None => format!("{}-{}", sent("from"), sent("to")),
    };
    Ok(FacetRange { key, from, to })
}

/// Returns the field of a facet that requires numbers or times.
fn ordered(found: SearchableField, place: &BodyPosition) -> ApiResult<SearchableField> {
    let is_number_or_moment =
        matches!(found.field.kind, FieldKind::Long | FieldKind::Double | FieldKind::Time);
    if found.expressions == Expressions::Ordered && is_number_or_moment {
        return Ok(found);
    }
    Err(place.member("field").invalid_value(format_args!(
        "expected a field of numbers, dates or dates and times; {} is none",
        found.field.name
    )))
}

fn not_too_many(count: usize, place: &BodyPosition) -> ApiResult<()> {
    if count > limits::FACET_VALUES_MAX {
        return Err(
            place.invalid_value(format_args!("expected at most {}, found {count}", limits::FACET_VALUES_MAX))
        );
    }
    Ok(())
}
