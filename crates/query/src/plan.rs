//! Plans a query: the index lookup, and the condition to check on each found document.
//!
//! Only conditions that all matches must meet can be looked up: the members of the outermost `and`. [`plan`] chooses
//! one lookup; everything else stays in the filter, so a plan gives the result of a scan.

use crate::condition::{Check, Condition, Path, Range};
use crate::indexed_paths::{Indexed, IndexedPaths, Occurrence, UniqueKey};
use crate::lookup::{self, Fact, Facts, Lookup, Lookups};
use crate::value::Value;
use std::ops::Bound;

/// How the matches of a condition are found.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How the candidates are found.
    pub access: Access,
    /// The condition to check on each candidate; `Constant(true)` if the lookup is exact.
    pub filter: Condition,
}

/// How candidates are found: a superset of the matches.
#[derive(Debug, Clone, PartialEq)]
pub enum Access {
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
        keys: Vec<Vec<Value>>,
    },
    /// Documents that have one of these values at an indexed path.
    Index {
        /// The path.
        path: Path,
        /// Sorted, each once.
        values: Vec<Value>,
    },
    /// Documents that at least one of these lookups finds. Their paths are different.
    AnyOf(Vec<Lookup>),
    /// Documents that have a value between these bounds at an indexed path.
    IndexRange {
        /// The path.
        path: Path,
        /// The lower bound.
        from: Bound<Value>,
        /// The upper bound.
        to: Bound<Value>,
    },
    /// All documents of the kind.
    Scan,
}

/// Chooses the lookup for `condition` from the indexes of `paths`.
pub fn plan(condition: Condition, paths: &IndexedPaths) -> Plan {
    if condition == Condition::Constant(false) {
        return Plan { access: Access::Nothing, filter: condition };
    }
    let mut members = match condition {
        Condition::All(members) => members,
        other => vec![other],
    };
    let mut facts = Facts::default();
    for (index, member) in members.iter().enumerate() {
        facts.collect(member, index);
    }
    let (access, answered) = choose(&facts, paths).unwrap_or((Access::Scan, Vec::new()));
    debug_assert!(paths.lead_to(&access), "there are no rows for {access:?}");
    let mut index = 0;
    members.retain(|_| {
        index += 1;
        !answered.contains(&(index - 1))
    });
    Plan { access, filter: Condition::all(members) }
}

impl IndexedPaths {
    /// Whether the storage has the index that an access uses.
    fn lead_to(&self, access: &Access) -> bool {
        let has_rows = |path: &Path| {
            let mut others = self.pairs.iter().map(|pairs| &pairs.rows).chain(self.lowercased.values());
            self.indexed.contains_key(path) || others.any(|other| other == path)
        };
        match access {
            Access::Nothing | Access::Scan | Access::Ids(_) => true,
            Access::Unique { fields, keys } => keys.iter().all(|key| key.len() == fields.len()),
            Access::Index { path, .. } | Access::IndexRange { path, .. } => has_rows(path),
            Access::AnyOf(lookups) => lookups.iter().all(|lookup| has_rows(&lookup.path)),
        }
    }
}

/// Returns the best access, and the members that it checks completely.
fn choose(found: &Facts<'_>, paths: &IndexedPaths) -> Option<(Access, Vec<usize>)> {
    let facts = &found.facts[..];
    by_id(facts)
        .or_else(|| paths.unique.iter().find_map(|key| by_unique_key(facts, key)))
        .or_else(|| by_lookup(found, paths))
        .or_else(|| by_range(facts, paths))
}

fn by_id(facts: &[Fact<'_>]) -> Option<(Access, Vec<usize>)> {
    let fact = facts.iter().find(|fact| matches!(&fact.path[..], [name] if &**name == "id"))?;
    let ids = fact.values()?.into_iter().filter_map(|value| match value {
        Value::Text(text) => Some(text),
        _ => None,
    });
    Some((Access::Ids(ids.collect()), fact.answers()))
}

fn by_unique_key(facts: &[Fact<'_>], key: &UniqueKey) -> Option<(Access, Vec<usize>)> {
    let is_key = |path: &Path| match &path[..] {
        [field] => !key.localized && *field == key.field,
        [field, _locale] => key.localized && *field == key.field,
        _ => false,
    };
    let fact = facts.iter().find(|fact| is_key(&fact.path) && fact.values().is_some())?;
    let mut fields = vec![fact.path.clone()];
    let mut fixed = Vec::new();
    let mut answered = fact.answers();
    for name in &key.with {
        let (other, value) = facts.iter().find_map(|other| match (&other.path[..], other.check) {
            ([field], Check::Equals(value)) if field == name => Some((other, value)),
            _ => None,
        })?;
        fields.push(other.path.clone());
        fixed.push(value.clone());
        answered.extend(other.answers());
    }
    let keys = fact.values()?.into_iter().map(|value| std::iter::once(value).chain(fixed.clone()).collect());
    Some((Access::Unique { fields, keys: keys.collect() }, answered))
}

fn by_lookup(facts: &Facts<'_>, paths: &IndexedPaths) -> Option<(Access, Vec<usize>)> {
    let Lookups { mut lookups, answers, .. } = lookup::best(facts, paths)?;
    let access = match lookups.len() {
        1 => {
            let Lookup { path, values } = lookups.swap_remove(0);
            Access::Index { path, values }
        }
        _ => Access::AnyOf(lookups),
    };
    Some((access, answers))
}

/// Returns a range lookup on an indexed path. If the path occurs once, all bounds on it are combined.
fn by_range(facts: &[Fact<'_>], paths: &IndexedPaths) -> Option<(Access, Vec<usize>)> {
    let mut best: Option<(usize, Access, Vec<usize>)> = None;
    for (path, Indexed { occurrence, .. }) in &paths.indexed {
        let mut interval = Interval { from: Bound::Unbounded, to: Bound::Unbounded };
        let mut answered = Vec::new();
        for fact in facts.iter().filter(|fact| fact.path == *path) {
            let Check::Range(range, value) = fact.check else { continue };
            if interval.narrow(*range, value) {
                answered.extend(fact.answers());
            }
            if *occurrence == Occurrence::Often {
                break;
            }
        }
        let bounds = interval.bounds();
        if bounds > best.as_ref().map_or(0, |(bounds, ..)| *bounds) {
            let Interval { from, to } = interval;
            best = Some((bounds, Access::IndexRange { path: path.clone(), from, to }, answered));
        }
    }
    best.map(|(_, access, answered)| (access, answered))
}

struct Interval {
    from: Bound<Value>,
    to: Bound<Value>,
}

impl Interval {
    /// Narrows the range by a further bound. False if that bound has another type than the earlier
    /// ones, and must be left to the filter.
    fn narrow(&mut self, range: Range, value: &Value) -> bool {
        let same_shape = |bound: &Bound<Value>| match bound {
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
    fn bounds(&self) -> usize {
        [&self.from, &self.to].into_iter().filter(|bound| !matches!(bound, Bound::Unbounded)).count()
    }
}

fn is_narrower(new: &Bound<Value>, old: &Bound<Value>, is_upper: bool) -> bool {
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
