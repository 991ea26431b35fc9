//! Converts facets into aggregations, and aggregations into facet results.
//!
//! A facet consists of several aggregations, each at the end of a chain ([`crate::chain`]), whose results are added up.
//! Start at [`plan`].

use crate::cases::cases;
use crate::chain::{self, AggregationChain, chains};
use crate::column::{self, ColumnSet, FieldColumn};
use crate::formula::{nodes_query, simplify};
use kontor_json::{Map, Value as Json, json};
use kontor_search::{
    Bucket, BucketOrder, CountedNodes, Facet, FacetKind, FacetResult, FacetScope, FieldKind, FieldLevel,
    IndexError, Leaf, LeafTest, SearchField, SearchQuery, SearchValue, Stats,
};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Maximum number of buckets of all facets of a request: OpenSearch returns no more than 65,535.
const BUCKETS_READ_MAX: usize = 60_000;
/// Maximum number of buckets of one aggregation.
const BUCKETS_OF_ONE_MAX: usize = 10_000;

/// The OpenSearch form of a facet.
pub(crate) struct FacetPlan<'a> {
    facet: &'a Facet,
    number: usize,
    /// The aggregations. The name of each is the number of the facet followed by its index.
    aggregations: Vec<FacetAggregation>,
}

struct FacetAggregation {
    what: FacetTarget,
    chain: AggregationChain,
    last: Option<Json>,
}

/// The value of the facet to which the result of an aggregation is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FacetTarget {
    /// Entries or children.
    Items,
    /// Entries or children with a value.
    WithValue,
    /// Those in the range with this index.
    Range(usize),
    /// Buckets, and the position of the count in each.
    Buckets(BucketCountPath),
    /// Statistics of a field.
    Stats,
}

/// The position of a bucket's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BucketCountPath {
    /// In the bucket itself.
    Bucket,
    /// In the result after this many nested aggregations.
    Nested(usize),
}

/// Returns the plan of a facet; `None` if OpenSearch cannot express it. `number` is the index of the facet among the
/// `facets` of a request.
pub(crate) fn plan<'a>(
    (number, facets): (usize, usize),
    facet: &'a Facet,
    query: Option<&SearchQuery>,
    columns: &ColumnSet,
    all_entries: &Json,
) -> Result<Option<FacetPlan<'a>>, IndexError> {
    let begin = match facet.scope {
        FacetScope::Query => Vec::new(),
        FacetScope::All => vec![json!({"global": {}}), json!({"filter": all_entries})],
    };
    let rows = match (facet.counted, facet.scope) {
        (CountedNodes::Children, FacetScope::Query) => {
            and_all(query.cloned().into_iter().chain(facet.filter.clone()))
        }
        _ => and_all(facet.filter.clone().into_iter()),
    };
    let planning = FacetPlanner {
        facet,
        begin,
        rows,
        columns,
        buckets_max: (BUCKETS_READ_MAX / facets.max(1)).min(BUCKETS_OF_ONE_MAX),
    };
    Ok(planning.aggregations()?.map(|requested| FacetPlan { facet, number, aggregations: requested }))
}

struct FacetPlanner<'a> {
    facet: &'a Facet,
    begin: Vec<Json>,
    /// The query for rows that count.
    rows: SearchQuery,
    columns: &'a ColumnSet,
    buckets_max: usize,
}

impl FacetPlanner<'_> {
    fn aggregations(&self) -> Result<Option<Vec<FacetAggregation>>, IndexError> {
        let mut requested = Vec::new();
        let is_told = match &self.facet.kind {
            FacetKind::Count => self.count(FacetTarget::Items, &[], &mut requested)?,
            FacetKind::Ranges { field, ranges } => {
                let mut is_told = true;
                for (number, range) in ranges.iter().enumerate() {
                    let bound = |value: &Option<SearchValue>, make: fn(SearchValue) -> Bound<SearchValue>| {
                        value.clone().map_or(Bound::Unbounded, make)
                    };
                    let test = LeafTest::Range((
                        bound(&range.from, Bound::Included),
                        bound(&range.to, Bound::Excluded),
                    ));
                    is_told &=
                        self.count(FacetTarget::Range(number), &[leaf(field, test)], &mut requested)?;
                }
                is_told
            }
            FacetKind::Distinct { field, missing, .. } => {
                let mut is_told = true;
                if missing.is_some() {
                    is_told &= self.count(FacetTarget::Items, &[], &mut requested)?;
                    is_told &=
                        self.count(FacetTarget::WithValue, &[leaf(field, LeafTest::Exists)], &mut requested)?;
                }
                is_told && self.buckets(field, &mut requested)?
            }
            FacetKind::Stats { field } => self.stats(field, &mut requested)?,
        };
        Ok(is_told.then_some(requested))
    }

    /// Adds counts of things with a counted row that also matches `more`. Returns false if that cannot be expressed.
    fn count(
        &self,
        what: FacetTarget,
        more: &[SearchQuery],
        requested: &mut Vec<FacetAggregation>,
    ) -> Result<bool, IndexError> {
        let rows = and_all(std::iter::once(self.rows.clone()).chain(more.iter().cloned()));
        let Some(chains) = chains(&rows, level_of(self.facet.counted), &self.begin)? else {
            return Ok(false);
        };
        requested.extend(chains.into_iter().map(|chain| FacetAggregation { what, chain, last: None }));
        Ok(true)
    }

    /// Adds counts of things by their values. Returns false if that cannot be expressed.
    fn buckets(
        &self,
        field: &SearchField,
        requested: &mut Vec<FacetAggregation>,
    ) -> Result<bool, IndexError> {
        let path = match self.columns.find(field) {
            FieldColumn::At(path) => path,
            FieldColumn::Empty => return Ok(true),
            FieldColumn::Missing => return Ok(false),
        };
        let level = level_of(self.facet.counted);
        let by_terms =
            json!({"terms": {"field": path, "size": self.buckets_max, "shard_size": self.buckets_max}});
        if field.level < level {
            return self.buckets_above(field, &by_terms, requested);
        }
        let Some(chains) = chains(&self.rows, field.level, &self.begin)? else { return Ok(false) };
        if level == FieldLevel::Root && chains.iter().any(|chain| chain.meets_others) {
            // An entry with a value in two cases would be counted twice.
            return Ok(false);
        }
        let (last, counts) = match field.level == level {
            true => (self.in_response_order(by_terms, None), BucketCountPath::Bucket),
            false => (
                chain::with_inner(
                    self.in_response_order(by_terms, Some("inner")),
                    chain::reverse_nested_aggregation(level),
                ),
                BucketCountPath::Nested(1),
            ),
        };
        requested.extend(chains.into_iter().map(|chain| FacetAggregation {
            what: FacetTarget::Buckets(counts),
            chain,
            last: Some(last.clone()),
        }));
        Ok(true)
    }

    /// Counts children by the values of their entry: the chain continues in each bucket.
    fn buckets_above(
        &self,
        field: &SearchField,
        by_terms: &Json,
        asked: &mut Vec<FacetAggregation>,
    ) -> Result<bool, IndexError> {
        let Some(cases) = cases(&simplify(&self.rows), field.level)? else { return Ok(false) };
        for case in cases {
            let chain = AggregationChain::from_entries(&self.begin, case.nodes);
            let children = json!({"filter": nodes_query(&case.rest, FieldLevel::Child)?});
            let within = chain::with_inner(chain::nested_aggregation(FieldLevel::Child), children);
            let last = chain::with_inner(by_terms.clone(), within);
            asked.push(FacetAggregation {
                what: FacetTarget::Buckets(BucketCountPath::Nested(2)),
                chain,
                last: Some(last),
            });
        }
        Ok(true)
    }

    /// Sorts buckets in the order of the response, so that the needed ones are returned.
    fn in_response_order(&self, mut by_terms: Json, count: Option<&str>) -> Json {
        if let FacetKind::Distinct { order, descending, .. } = &self.facet.kind {
            let direction = if *descending { "desc" } else { "asc" };
            let key = |direction: &str| json!({"_key": direction});
            by_terms["terms"]["order"] = match order {
                BucketOrder::Key => json!([key(direction)]),
                BucketOrder::Count => json!([{count.unwrap_or("_count"): direction}, key("asc")]),
            };
        }
        by_terms
    }

    fn stats(&self, field: &SearchField, asked: &mut Vec<FacetAggregation>) -> Result<bool, IndexError> {
        if matches!(field.kind, FieldKind::Keyword | FieldKind::Id | FieldKind::Text) {
            return Ok(false);
        }
        let path = match self.columns.find(field) {
            FieldColumn::At(path) => path,
            FieldColumn::Empty => return Ok(true),
            FieldColumn::Missing => return Ok(false),
        };
        let Some(chains) = chains(&self.rows, field.level, &self.begin)? else { return Ok(false) };
        let last = json!({"stats": {"field": path}});
        asked.extend(chains.into_iter().map(|chain| FacetAggregation {
            what: FacetTarget::Stats,
            chain,
            last: Some(last.clone()),
        }));
        Ok(true)
    }
}

impl FacetPlan<'_> {
    /// Adds the aggregations to a request.
    pub(crate) fn add_aggregations(&self, aggregations: &mut Map) {
        for (at, requested) in self.aggregations.iter().enumerate() {
            aggregations.insert(self.name(at), requested.chain.build(requested.last.clone()));
        }
    }

    fn name(&self, at: usize) -> String {
        format!("{}-{at}", self.number)
    }

    /// Returns the result of the facet from the aggregations of a response.
    pub(crate) fn read(&self, aggregations: &Json) -> FacetResult {
        let responses = self.aggregations.iter().enumerate().map(|(at, requested)| {
            let response = aggregations.get(self.name(at)).unwrap_or(&Json::Null);
            (requested.what, requested.chain.result(response, requested.last.is_some()))
        });
        let responses: Vec<(FacetTarget, &Json)> = responses.collect();
        let sum = |what: FacetTarget| {
            responses.iter().filter(|(of, _)| *of == what).map(|(_, response)| count(response)).sum::<u64>()
        };
        match &self.facet.kind {
            FacetKind::Count => FacetResult::Count(sum(FacetTarget::Items)),
            FacetKind::Ranges { ranges, .. } => {
                let ranges = ranges.iter().enumerate();
                let buckets = ranges.map(|(number, range)| Bucket {
                    key: range.key.clone(),
                    count: sum(FacetTarget::Range(number)),
                });
                FacetResult::Buckets(buckets.collect())
            }
            FacetKind::Distinct { field, .. } => {
                let missing = sum(FacetTarget::Items).saturating_sub(sum(FacetTarget::WithValue));
                FacetResult::Buckets(distinct(&self.facet.kind, field, &responses, missing))
            }
            FacetKind::Stats { field } => {
                let stats = responses.iter().map(|(_, response)| *response);
                FacetResult::Stats(stats.fold(Stats::default(), |sum, one| add_stats(sum, field, one)))
            }
        }
    }
}

fn count(reply: &Json) -> u64 {
    reply.get("doc_count").and_then(Json::as_u64).unwrap_or(0)
}

/// The value of a bucket and its count; `None` for missing values.
struct CountedBucket {
    value: Option<SearchValue>,
    count: u64,
}

fn distinct(
    kind: &FacetKind,
    field: &SearchField,
    responses: &[(FacetTarget, &Json)],
    without: u64,
) -> Vec<Bucket> {
    let FacetKind::Distinct { includes, order, descending, limit, missing, .. } = kind else {
        return Vec::new();
    };
    let mut buckets: BTreeMap<String, CountedBucket> = BTreeMap::new();
    for (what, response) in responses {
        let FacetTarget::Buckets(counts) = what else { continue };
        for bucket in response.get("buckets").and_then(Json::as_array).into_iter().flatten() {
            let Some(value) = bucket.get("key").and_then(|key| column::value(field.kind, key)) else {
                continue;
            };
            let counted = match counts {
                BucketCountPath::Bucket => count(bucket),
                BucketCountPath::Nested(steps) => count((0..*steps).fold(bucket, |at, _| chain::inner(at))),
            };
            if counted > 0 {
                let bucket = buckets.entry(value.key()).or_insert(CountedBucket { value: None, count: 0 });
                bucket.count += counted;
                bucket.value = Some(value);
            }
        }
    }
    if let (Some(missing), 1..) = (missing, without) {
        buckets.entry(missing.clone()).or_insert(CountedBucket { value: None, count: 0 }).count += without;
    }
    let mut buckets: Vec<(String, CountedBucket)> = buckets.into_iter().collect();
    buckets.retain(|(key, _)| includes.as_ref().is_none_or(|keys| keys.contains(key)));
    let directed = |order: Ordering| if *descending { order.reverse() } else { order };
    buckets.sort_by(|(one_key, one), (two_key, two)| {
        let by = match order {
            BucketOrder::Count => directed(one.count.cmp(&two.count)),
            BucketOrder::Key => match (&one.value, &two.value) {
                (Some(one), Some(two)) => directed(one.compare(two)),
                (one, two) => two.is_some().cmp(&one.is_some()),
            },
        };
        by.then_with(|| one_key.cmp(two_key))
    });
    buckets.truncate(*limit);
    buckets.into_iter().map(|(key, counting)| Bucket { key, count: counting.count }).collect()
}

/// Adds the statistics of some nodes to those of others.
fn add_stats(sum: Stats, field: &SearchField, reply: &Json) -> Stats {
    let count = reply.get("count").and_then(Json::as_u64).unwrap_or(0);
    if count == 0 {
        return sum;
    }
    let value = |name: &str| reply.get(name).and_then(|found| column::value(field.kind, found));
    let either = |one: Option<SearchValue>, two: Option<SearchValue>, wanted: Ordering| match (one, two) {
        (Some(one), Some(two)) => Some(if one.compare(&two) == wanted { one } else { two }),
        (one, two) => one.or(two),
    };
    let count = sum.count + count;
    let adds_up = matches!(field.kind, FieldKind::Long | FieldKind::Double);
    let total = reply
        .get("sum")
        .and_then(Json::as_f64)
        .filter(|_| adds_up)
        .map(|found| found + sum.sum.unwrap_or(0.0));
    Stats {
        count,
        min: either(sum.min, value("min"), Ordering::Less),
        max: either(sum.max, value("max"), Ordering::Greater),
        mean: total.map(|total| total / count as f64),
        sum: total,
    }
}

fn level_of(counted: CountedNodes) -> FieldLevel {
    match counted {
        CountedNodes::Entries => FieldLevel::Root,
        CountedNodes::Children => FieldLevel::Child,
    }
}

fn leaf(field: &SearchField, test: LeafTest) -> SearchQuery {
    SearchQuery::Leaf(Leaf { field: field.clone(), boost: 1.0, test })
}

fn and_all(parts: impl Iterator<Item = SearchQuery>) -> SearchQuery {
    SearchQuery::And(parts.collect())
}
