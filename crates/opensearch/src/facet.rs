//! Converts facets into aggregations, and aggregations into facet results.
//!
//! A facet consists of several aggregations, each at the end of a chain ([`crate::chain`]), whose results are added up.
//! Start at [`plan`].

use crate::cases::cases;
use crate::chain::{self, Chain, chains};
use crate::column::{self, Column, Columns};
use crate::formula::{below, simplified};
use kontor_json::{Map, Value as Json, json};
use kontor_search::{
    Bucket, BucketOrder, Counted, Facet, FacetKind, FacetResult, Field, IndexError, Kind, Leaf, Level, Query,
    Scope, Stats, Test, Value,
};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Maximum number of buckets of all facets of a request: OpenSearch returns no more than 65,535.
const BUCKETS_READ_MAX: usize = 60_000;
/// Maximum number of buckets of one aggregation.
const BUCKETS_OF_ONE_MAX: usize = 10_000;

/// The OpenSearch form of a facet.
pub(crate) struct Plan<'a> {
    facet: &'a Facet,
    number: usize,
    /// The aggregations. The name of each is the number of the facet followed by its index.
    asked: Vec<Asked>,
}

struct Asked {
    what: What,
    chain: Chain,
    last: Option<Json>,
}

/// The value of the facet to which the result of an aggregation is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// Entries or children.
    Things,
    /// Entries or children with a value.
    WithValue,
    /// Those in the range with this index.
    Range(usize),
    /// Buckets, and the position of the count in each.
    Buckets(Counts),
    /// Statistics of a field.
    Stats,
}

/// The position of a bucket's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// In the bucket itself.
    Here,
    /// In the result after this many nested aggregations.
    Within(usize),
}

/// Returns the plan of a facet; `None` if OpenSearch cannot express it. `number` is the index of the facet among the
/// `facets` of a request.
pub(crate) fn plan<'a>(
    (number, facets): (usize, usize),
    facet: &'a Facet,
    query: Option<&Query>,
    columns: &Columns,
    all_entries: &Json,
) -> Result<Option<Plan<'a>>, IndexError> {
    let begin = match facet.scope {
        Scope::Query => Vec::new(),
        Scope::All => vec![json!({"global": {}}), json!({"filter": all_entries})],
    };
    let rows = match (facet.counted, facet.scope) {
        (Counted::Children, Scope::Query) => joined(query.cloned().into_iter().chain(facet.filter.clone())),
        _ => joined(facet.filter.clone().into_iter()),
    };
    let planning = Planning {
        facet,
        begin,
        rows,
        columns,
        buckets_max: (BUCKETS_READ_MAX / facets.max(1)).min(BUCKETS_OF_ONE_MAX),
    };
    Ok(planning.asked()?.map(|asked| Plan { facet, number, asked }))
}

struct Planning<'a> {
    facet: &'a Facet,
    begin: Vec<Json>,
    /// The query for rows that count.
    rows: Query,
    columns: &'a Columns,
    buckets_max: usize,
}

impl Planning<'_> {
    fn asked(&self) -> Result<Option<Vec<Asked>>, IndexError> {
        let mut asked = Vec::new();
        let is_told = match &self.facet.kind {
            FacetKind::Count => self.count(What::Things, &[], &mut asked)?,
            FacetKind::Ranges { field, ranges } => {
                let mut is_told = true;
                for (number, range) in ranges.iter().enumerate() {
                    let bound = |value: &Option<Value>, make: fn(Value) -> Bound<Value>| {
                        value.clone().map_or(Bound::Unbounded, make)
                    };
                    let test =
                        Test::Range((bound(&range.from, Bound::Included), bound(&range.to, Bound::Excluded)));
                    is_told &= self.count(What::Range(number), &[leaf(field, test)], &mut asked)?;
                }
                is_told
            }
            FacetKind::Distinct { field, missing, .. } => {
                let mut is_told = true;
                if missing.is_some() {
                    is_told &= self.count(What::Things, &[], &mut asked)?;
                    is_told &= self.count(What::WithValue, &[leaf(field, Test::Exists)], &mut asked)?;
                }
                is_told && self.buckets(field, &mut asked)?
            }
            FacetKind::Stats { field } => self.stats(field, &mut asked)?,
        };
        Ok(is_told.then_some(asked))
    }

    /// Adds counts of things with a counted row that also matches `more`. Returns false if that cannot be expressed.
    fn count(&self, what: What, more: &[Query], asked: &mut Vec<Asked>) -> Result<bool, IndexError> {
        let rows = joined(std::iter::once(self.rows.clone()).chain(more.iter().cloned()));
        let Some(chains) = chains(&rows, level_of(self.facet.counted), &self.begin)? else {
            return Ok(false);
        };
        asked.extend(chains.into_iter().map(|chain| Asked { what, chain, last: None }));
        Ok(true)
    }

    /// Adds counts of things by their values. Returns false if that cannot be expressed.
    fn buckets(&self, field: &Field, asked: &mut Vec<Asked>) -> Result<bool, IndexError> {
        let path = match self.columns.find(field) {
            Column::At(path) => path,
            Column::Empty => return Ok(true),
            Column::Missing => return Ok(false),
        };
        let level = level_of(self.facet.counted);
        let by_terms =
            json!({"terms": {"field": path, "size": self.buckets_max, "shard_size": self.buckets_max}});
        if field.level < level {
            return self.buckets_above(field, &by_terms, asked);
        }
        let Some(chains) = chains(&self.rows, field.level, &self.begin)? else { return Ok(false) };
        if level == Level::Root && chains.iter().any(|chain| chain.meets_others) {
            // An entry with a value in two cases would be counted twice.
            return Ok(false);
        }
        let (last, counts) = match field.level == level {
            true => (self.in_sequence(by_terms, None), Counts::Here),
            false => (
                chain::with_inner(self.in_sequence(by_terms, Some("inner")), chain::up(level)),
                Counts::Within(1),
            ),
        };
        asked.extend(chains.into_iter().map(|chain| Asked {
            what: What::Buckets(counts),
            chain,
            last: Some(last.clone()),
        }));
        Ok(true)
    }

    /// Counts children by the values of their entry: the chain continues in each bucket.
    fn buckets_above(
        &self,
        field: &Field,
        by_terms: &Json,
        asked: &mut Vec<Asked>,
    ) -> Result<bool, IndexError> {
        let Some(cases) = cases(&simplified(&self.rows), field.level)? else { return Ok(false) };
        for case in cases {
            let chain = Chain::of_entries(&self.begin, case.nodes);
            let children = json!({"filter": below(&case.rest, Level::Child)?});
            let within = chain::with_inner(chain::down(Level::Child), children);
            let last = chain::with_inner(by_terms.clone(), within);
            asked.push(Asked { what: What::Buckets(Counts::Within(2)), chain, last: Some(last) });
        }
        Ok(true)
    }

    /// Sorts buckets in the order of the response, so that the needed ones are returned.
    fn in_sequence(&self, mut by_terms: Json, count: Option<&str>) -> Json {
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

    fn stats(&self, field: &Field, asked: &mut Vec<Asked>) -> Result<bool, IndexError> {
        if matches!(field.kind, Kind::Keyword | Kind::Id | Kind::Text) {
            return Ok(false);
        }
        let path = match self.columns.find(field) {
            Column::At(path) => path,
            Column::Empty => return Ok(true),
            Column::Missing => return Ok(false),
        };
        let Some(chains) = chains(&self.rows, field.level, &self.begin)? else { return Ok(false) };
        let last = json!({"stats": {"field": path}});
        asked.extend(chains.into_iter().map(|chain| Asked {
            what: What::Stats,
            chain,
            last: Some(last.clone()),
        }));
        Ok(true)
    }
}

impl Plan<'_> {
    /// Adds the aggregations to a request.
    pub(crate) fn ask(&self, aggregations: &mut Map) {
        for (at, asked) in self.asked.iter().enumerate() {
            aggregations.insert(self.name(at), asked.chain.around(asked.last.clone()));
        }
    }

    fn name(&self, at: usize) -> String {
        format!("{}-{at}", self.number)
    }

    /// Returns the result of the facet from the aggregations of a response.
    pub(crate) fn read(&self, aggregations: &Json) -> FacetResult {
        let answers = self.asked.iter().enumerate().map(|(at, asked)| {
            let answer = aggregations.get(self.name(at)).unwrap_or(&Json::Null);
            (asked.what, asked.chain.end(answer, asked.last.is_some()))
        });
        let answers: Vec<(What, &Json)> = answers.collect();
        let sum = |what: What| {
            answers.iter().filter(|(of, _)| *of == what).map(|(_, answer)| count(answer)).sum::<u64>()
        };
        match &self.facet.kind {
            FacetKind::Count => FacetResult::Count(sum(What::Things)),
            FacetKind::Ranges { ranges, .. } => {
                let ranges = ranges.iter().enumerate();
                let buckets = ranges.map(|(number, range)| Bucket {
                    key: range.key.clone(),
                    count: sum(What::Range(number)),
                });
                FacetResult::Buckets(buckets.collect())
            }
            FacetKind::Distinct { field, .. } => {
                let missing = sum(What::Things).saturating_sub(sum(What::WithValue));
                FacetResult::Buckets(distinct(&self.facet.kind, field, &answers, missing))
            }
            FacetKind::Stats { field } => {
                let stats = answers.iter().map(|(_, answer)| *answer);
                FacetResult::Stats(stats.fold(Stats::default(), |sum, one| added(sum, field, one)))
            }
        }
    }
}

fn count(answer: &Json) -> u64 {
    answer.get("doc_count").and_then(Json::as_u64).unwrap_or(0)
}

/// The value of a bucket and its count; `None` for missing values.
struct Counting {
    value: Option<Value>,
    count: u64,
}

fn distinct(kind: &FacetKind, field: &Field, answers: &[(What, &Json)], without: u64) -> Vec<Bucket> {
    let FacetKind::Distinct { includes, order, descending, limit, missing, .. } = kind else {
        return Vec::new();
    };
    let mut buckets: BTreeMap<String, Counting> = BTreeMap::new();
    for (what, answer) in answers {
        let What::Buckets(counts) = what else { continue };
        for bucket in answer.get("buckets").and_then(Json::as_array).into_iter().flatten() {
            let Some(value) = bucket.get("key").and_then(|key| column::value(field.kind, key)) else {
                continue;
            };
            let counted = match counts {
                Counts::Here => count(bucket),
                Counts::Within(steps) => count((0..*steps).fold(bucket, |at, _| chain::inner(at))),
            };
            if counted > 0 {
                let bucket = buckets.entry(value.key()).or_insert(Counting { value: None, count: 0 });
                bucket.count += counted;
                bucket.value = Some(value);
            }
        }
    }
    if let (Some(missing), 1..) = (missing, without) {
        buckets.entry(missing.clone()).or_insert(Counting { value: None, count: 0 }).count += without;
    }
    let mut buckets: Vec<(String, Counting)> = buckets.into_iter().collect();
    buckets.retain(|(key, _)| includes.as_ref().is_none_or(|keys| keys.contains(key)));
    let turn = |order: Ordering| if *descending { order.reverse() } else { order };
    buckets.sort_by(|(one_key, one), (two_key, two)| {
        let by = match order {
            BucketOrder::Count => turn(one.count.cmp(&two.count)),
            BucketOrder::Key => match (&one.value, &two.value) {
                (Some(one), Some(two)) => turn(one.compare(two)),
                (one, two) => two.is_some().cmp(&one.is_some()),
            },
        };
        by.then_with(|| one_key.cmp(two_key))
    });
    buckets.truncate(*limit);
    buckets.into_iter().map(|(key, counting)| Bucket { key, count: counting.count }).collect()
}

/// Adds the statistics of some nodes to those of others.
fn added(sum: Stats, field: &Field, answer: &Json) -> Stats {
    let count = answer.get("count").and_then(Json::as_u64).unwrap_or(0);
    if count == 0 {
        return sum;
    }
    let value = |name: &str| answer.get(name).and_then(|found| column::value(field.kind, found));
    let either = |one: Option<Value>, two: Option<Value>, wanted: Ordering| match (one, two) {
        (Some(one), Some(two)) => Some(if one.compare(&two) == wanted { one } else { two }),
        (one, two) => one.or(two),
    };
    let count = sum.count + count;
    let adds_up = matches!(field.kind, Kind::Long | Kind::Double);
    let total = answer
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

fn level_of(counted: Counted) -> Level {
    match counted {
        Counted::Entries => Level::Root,
        Counted::Children => Level::Child,
    }
}

fn leaf(field: &Field, test: Test) -> Query {
    Query::Leaf(Leaf { field: field.clone(), boost: 1.0, test })
}

fn joined(parts: impl Iterator<Item = Query>) -> Query {
    Query::And(parts.collect())
}
