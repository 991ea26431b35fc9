//! Plans a query: the index lookup, and the condition to check on each found document.
//!
//! Only conditions that all matches must meet can be looked up: the members of the outermost `and`. [`plan`] chooses
//! one lookup; everything else stays in the filter, so a plan gives the result of a scan.

use crate::condition::{Condition, Path, Range, ValueCheck};
use crate::indexed_paths::{IndexProperties, IndexedPaths, Occurrence, UniqueKeyFields};
use crate::lookup::{self, Fact, Facts, IndexLookup, LookupSet};
use crate::value::ConditionValue;
use std::ops::Bound;

/// How the matches of a condition are found.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPlan {
    /// How the candidates are found.
    pub access: AccessPath,
    /// The condition to check on each candidate; `Constant(true)` if the lookup is exact.
    pub filter: Condition,
}

/// How candidates are found: a superset of the matches.
#[derive(Debug, Clone, PartialEq)]
pub enum AccessPath {
    /// There are none: the condition cannot match.
    Nothing,
    /// Documents with these ids.
    Ids(Vec<Box<str>>),
    /// Documents with these unique keys.
    Unique {
        /// The fields of the key: the unique field (one locale of a localized text), then the fields that it is
        /// unique together with.
        fields: Vec<Path>,
        /// The keys: for each the values of `fields`.
        keys: Vec<Vec<ConditionValue>>,
    },
    /// Documents that have one of these values at an indexed path.
    Index {
        /// The path.
        path: Path,
        /// Sorted, each once.
        values: Vec<ConditionValue>,
    },
    /// Documents that at least one of these lookups finds. Their paths are different.
    AnyOf(Vec<IndexLookup>),
    /// Documents that have a value between these bounds at an indexed path.
    IndexRange {
        /// The path.
        path: Path,
        /// The lower bound.
        from: Bound<ConditionValue>,
        /// The upper bound.
        to: Bound<ConditionValue>,
    },
    /// All documents of the kind.
    Scan,
}

/// Chooses the lookup for `condition` from the indexes of `paths`.
pub fn plan(condition: Condition, paths: &IndexedPaths) -> QueryPlan {
    if condition == Condition::Constant(false) {
        return QueryPlan { access: AccessPath::Nothing, filter: condition };
    }
    let mut members = match condition {
        Condition::All(members) => members,
        other => vec![other],
    };
    let mut facts = Facts::default();
    for (index, member) in members.iter().enumerate() {
        facts.collect(member, index);
    }
    let (access, response) = choose(&facts, paths).unwrap_or((AccessPath::Scan, Vec::new()));
    debug_assert!(paths.has_index_of(&access), "there are no rows for {access:?}");
    let mut index = 0;
    members.retain(|_| {
        index += 1;
        !response.contains(&(index - 1))
    });
    QueryPlan { access, filter: Condition::all(members) }
}

impl IndexedPaths {
    /// Whether the storage has the index that an access uses.
    fn has_index_of(&self, access: &AccessPath) -> bool {
        let has_rows = |path: &Path| {
            let mut others = self.pairs.iter().map(|pairs| &pairs.rows).chain(self.lowercased.values());
            self.indexed.contains_key(path) || others.any(|other| other == path)
        };
        match access {
            AccessPath::Nothing | AccessPath::Scan | AccessPath::Ids(_) => true,
            AccessPath::Unique { fields, keys } => keys.iter().all(|key| key.len() == fields.len()),
            AccessPath::Index { path, .. } | AccessPath::IndexRange { path, .. } => has_rows(path),
            AccessPath::AnyOf(lookups) => lookups.iter().all(|lookup| has_rows(&lookup.path)),
        }
    }
}

/// Returns the best access, and the members that it checks completely.
fn choose(found: &Facts<'_>, paths: &IndexedPaths) -> Option<(AccessPath, Vec<usize>)> {
    let facts = &found.facts[..];
    by_id(facts)
        .or_else(|| paths.unique.iter().find_map(|key| by_unique_key(facts, key)))
        .or_else(|| by_lookup(found, paths))
        .or_else(|| by_range(facts, paths))
}

fn by_id(facts: &[Fact<'_>]) -> Option<(AccessPath, Vec<usize>)> {
    let fact = facts.iter().find(|fact| matches!(&fact.path[..], [name] if &**name == "id"))?;
    let ids = fact.values()?.into_iter().filter_map(|value| match value {
        ConditionValue::Text(text) => Some(text),
        _ => None,
    });
    Some((AccessPath::Ids(ids.collect()), fact.fully_checked_members()))
}

fn by_unique_key(facts: &[Fact<'_>], key: &UniqueKeyFields) -> Option<(AccessPath, Vec<usize>)> {
    let is_key = |path: &Path| match &path[..] {
        [field] => !key.localized && *field == key.field,
        [field, _locale] => key.localized && *field == key.field,
        _ => false,
    };
    let fact = facts.iter().find(|fact| is_key(&fact.path) && fact.values().is_some())?;
    let mut fields = vec![fact.path.clone()];
    let mut fixed = Vec::new();
    let mut response = fact.fully_checked_members();
    for name in &key.with {
        let (other, value) = facts.iter().find_map(|other| match (&other.path[..], other.check) {
            ([field], ValueCheck::Equals(value)) if field == name => Some((other, value)),
            _ => None,
        })?;
        fields.push(other.path.clone());
        fixed.push(value.clone());
        response.extend(other.fully_checked_members());
    }
    let keys = fact.values()?.into_iter().map(|value| std::iter::once(value).chain(fixed.clone()).collect());
    Some((AccessPath::Unique { fields, keys: keys.collect() }, response))
}

fn by_lookup(facts: &Facts<'_>, paths: &IndexedPaths) -> Option<(AccessPath, Vec<usize>)> {
    let LookupSet { mut lookups, responses: answers, .. } = lookup::best(facts, paths)?;
    let access = match lookups.len() {
        1 => {
            let IndexLookup { path, values } = lookups.swap_remove(0);
            AccessPath::Index { path, values }
        }
        _ => AccessPath::AnyOf(lookups),
    };
    Some((access, answers))
}

/// Returns a range lookup on an indexed path. If the path occurs once, all bounds on it are combined.
fn by_range(facts: &[Fact<'_>], paths: &IndexedPaths) -> Option<(AccessPath, Vec<usize>)> {
    let mut best: Option<(usize, AccessPath, Vec<usize>)> = None;
    for (path, IndexProperties { occurrence, .. }) in &paths.indexed {
        let mut interval = Interval { from: Bound::Unbounded, to: Bound::Unbounded };
        let mut response = Vec::new();
        for fact in facts.iter().filter(|fact| fact.path == *path) {
            let ValueCheck::Range(range, value) = fact.check else { continue };
            if interval.narrow(*range, value) {
                response.extend(fact.fully_checked_members());
            }
            if *occurrence == Occurrence::Often {
                break;
            }
        }
        let bounds = interval.bound_count();
        if bounds > best.as_ref().map_or(0, |(bounds, ..)| *bounds) {
            let Interval { from, to } = interval;
            best = Some((bounds, AccessPath::IndexRange { path: path.clone(), from, to }, response));
        }
    }
    best.map(|(_, access, response)| (access, response))
}

struct Interval {
    from: Bound<ConditionValue>,
    to: Bound<ConditionValue>,
}

impl Interval {
    /// Narrows the range by a further bound. False if that bound has another type than the earlier
    /// ones, and must be left to the filter.
    fn narrow(&mut self, range: Range, value: &ConditionValue) -> bool {
        let same_shape = |bound: &Bound<ConditionValue>| match bound {
            Bound::Included(other) | Bound::Excluded(other) => value.as_scalar().compare(other).is_some(),
            Bound::Unbounded => true,
        };
        if !same_shape(&self.from) || !same_shape(&self.to) {
            return false;
        }
        let (bound, is_upper) = match range {
            Range::Less => (Bound::Excluded(value.clone()), true),
            Range::LessOrEqual => (Bound::Included(value.clone()), true),
            Range::Greater => (Bound::Excluded(value.clone()), false),
            Range::GreaterOrEqual => (Bound::Included(value.clone()), false),
        };
        let current = if is_upper { &mut self.to } else { &mut self.from };
        if is_narrower(&bound, current, is_upper) {
            *current = bound;
        }
        true
    }

    /// Returns how many sides are bounded.
    fn bound_count(&self) -> usize {
        [&self.from, &self.to].into_iter().filter(|bound| !matches!(bound, Bound::Unbounded)).count()
    }
}

fn is_narrower(new: &Bound<ConditionValue>, old: &Bound<ConditionValue>, is_upper: bool) -> bool {
    match (new, old) {
        (Bound::Unbounded, _) => false,
        (_, Bound::Unbounded) => true,
        (Bound::Included(new) | Bound::Excluded(new), Bound::Included(other) | Bound::Excluded(other))
            if new != other =>
        {
            (new < other) == is_upper
        }
        (new, old) => matches!((new, old), (Bound::Excluded(_), Bound::Included(_))),
    }
}
