//! Finds index lookups that return all documents matching a condition, and picks the best one.

use crate::condition::{Condition, Path, ValueCheck};
use crate::indexed_paths::{IndexedPaths, PairedPath};
use crate::limits::{INDEXED_TEXT_BYTES_MAX, LIST_VALUES_MAX};
use crate::pair::{any_value_row, pair_row};
use crate::value::ConditionValue;
use std::collections::BTreeMap;

/// A lookup of documents that have one of these values at an indexed path. If the path is that of rows of name-value
/// pairs ([`PairIndex::rows`](kontor_model::PairIndex)), each value is a [`pair_row`] or an [`any_value_row`].
#[derive(Debug, Clone, PartialEq)]
pub struct IndexLookup {
    /// The path.
    pub path: Path,
    /// Sorted, each once.
    pub values: Vec<ConditionValue>,
}

/// Checks that every match of a condition must pass.
#[derive(Default)]
pub(crate) struct Facts<'c> {
    pub(crate) facts: Vec<Fact<'c>>,
    choices: Vec<OrCondition<'c>>,
    /// The number of list elements seen so far, including those around these facts.
    lists: usize,
}

/// One check that every match must pass.
pub(crate) struct Fact<'c> {
    pub(crate) path: Path,
    pub(crate) check: &'c ValueCheck,
    /// The index of its member of the outermost `and`.
    member: usize,
    /// Whether the member consists of this check only.
    is_whole_member: bool,
    /// The list elements that it applies to, from the outermost to the innermost.
    elements: Vec<ListElement>,
}

/// An element of a list. Conditions with the same `ListElement` apply to the same element.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ListElement {
    /// The length of the list's path.
    depth: usize,
    number: usize,
}

/// An `or`: every match meets one of these conditions.
struct OrCondition<'c> {
    branches: &'c [Condition],
    place: PairPlace,
}

/// The place of a condition in documents: a path, and the list elements around it.
#[derive(Clone, Default)]
struct PairPlace {
    path: Path,
    elements: Vec<ListElement>,
}

/// Lookups that together return all matches.
pub(crate) struct LookupSet {
    /// Their paths are different.
    pub(crate) lookups: Vec<IndexLookup>,
    /// The members that need no further check.
    pub(crate) responses: Vec<usize>,
    is_telling: bool,
}

impl<'c> Facts<'c> {
    /// Collects the checks of `condition`, a member of the outermost `and`.
    pub(crate) fn collect(&mut self, condition: &'c Condition, member: usize) {
        self.collect_at(condition, &PairPlace::default(), member, true);
    }

    fn collect_at(
        &mut self,
        condition: &'c Condition,
        place: &PairPlace,
        member: usize,
        is_whole_member: bool,
    ) {
        let below = |path: &Path| PairPlace {
            path: place.path.iter().chain(path).cloned().collect(),
            elements: place.elements.clone(),
        };
        match condition {
            Condition::Check { path, check } => {
                let PairPlace { path, elements } = below(path);
                self.facts.push(Fact { path, check, member, is_whole_member, elements });
            }
            Condition::Nested { path, condition } => {
                self.collect_at(condition, &below(path), member, is_whole_member);
            }
            Condition::Element { path, condition } => {
                let mut inner = below(path);
                self.lists += 1;
                inner.elements.push(ListElement { depth: inner.path.len(), number: self.lists });
                self.collect_at(condition, &inner, member, is_whole_member);
            }
            Condition::All(members) => {
                for inner in members {
                    self.collect_at(inner, place, member, false);
                }
            }
            Condition::Any(branches) => self.choices.push(OrCondition { branches, place: place.clone() }),
            Condition::Constant(_)
            | Condition::Not(_)
            | Condition::Sum { .. }
            | Condition::Changed { .. } => {}
        }
    }
}

impl Fact<'_> {
    /// Returns the values of which a match must have one.
    pub(crate) fn values(&self) -> Option<Vec<ConditionValue>> {
        values_of(self.check)
    }

    /// Returns the member that needs no further check after a lookup of `values` or of a range.
    pub(crate) fn fully_checked_members(&self) -> Vec<usize> {
        let is_partial = matches!(self.check, ValueCheck::ContainsAll(values) if values.len() > 1);
        if self.is_whole_member && !is_partial { vec![self.member] } else { Vec::new() }
    }
}

/// Returns the values of which a document must have one to pass a check.
fn values_of(check: &ValueCheck) -> Option<Vec<ConditionValue>> {
    match check {
        ValueCheck::Equals(value) => Some(vec![value.clone()]),
        ValueCheck::OneOf(values) => Some(values.to_vec()),
        // A list that contains all of them contains the first.
        ValueCheck::ContainsAll(values) => values.first().map(|value| vec![value.clone()]),
        _ => None,
    }
}

/// Returns the lookups that probably find the fewest documents: those in selective indexes first, then those of the
/// fewest values.
pub(crate) fn best(facts: &Facts<'_>, paths: &IndexedPaths) -> Option<LookupSet> {
    best_within(facts, &[], paths)
}

/// Like [`best`], with the facts `around` known too.
fn best_within(facts: &Facts<'_>, around: &[&Fact<'_>], paths: &IndexedPaths) -> Option<LookupSet> {
    let known: Vec<&Fact<'_>> = around.iter().copied().chain(&facts.facts).collect();
    let single = facts.facts.iter().filter_map(|fact| of_value(fact, paths));
    let paired = facts.facts.iter().filter_map(|fact| of_pair(fact, &known, paths));
    let chosen = facts.choices.iter().filter_map(|choice| of_choice(choice, facts.lists, &known, paths));
    single.chain(paired).chain(chosen).min_by_key(|found| {
        let values: usize = found.lookups.iter().map(|lookup| lookup.values.len()).sum();
        (!found.is_telling, values)
    })
}

fn of_value(fact: &Fact<'_>, paths: &IndexedPaths) -> Option<LookupSet> {
    let (path, check) = match fact.check {
        ValueCheck::Lowercase(check) => (paths.lowercased(&fact.path)?, &**check),
        check => (&fact.path, check),
    };
    let is_telling = paths.is_selective(&fact.path)?;
    let values = values_of(check)?;
    // Longer texts have no index row.
    let is_short = |value: &ConditionValue| !matches!(value, ConditionValue::Text(text) if text.len() > INDEXED_TEXT_BYTES_MAX);
    values.iter().all(is_short).then(|| LookupSet {
        lookups: vec![IndexLookup { path: path.clone(), values }],
        responses: fact.fully_checked_members(),
        is_telling,
    })
}

/// Returns the lookup of a pair of name and value. Other values may share a row, so every found document is
/// checked.
fn of_pair(fact: &Fact<'_>, facts: &[&Fact<'_>], paths: &IndexedPaths) -> Option<LookupSet> {
    let values = fact.values()?;
    paths.pairs.iter().find_map(|PairedPath { path, rows: place, fields }| {
        let (names, member) = match (fact.path.strip_prefix(&path[..])?, fields) {
            ([name], None) => (vec![name.clone()], None),
            ([name, member], None) => (vec![name.clone()], Some(member)),
            ([field, member @ ..], Some((name, value))) if field == value && member.len() < 2 => {
                (names_of_same_object(fact, path, name, facts)?, member.first())
            }
            _ => return None,
        };
        if names.len().saturating_mul(values.len()) > LIST_VALUES_MAX {
            return None;
        }
        let member = member.map(AsRef::as_ref);
        let row = |name, value| ConditionValue::text(&pair_row(name, member, value));
        let rows = names.iter().flat_map(|name| values.iter().map(move |value| row(name, value)));
        let rows = rows.chain(names.iter().map(|name| ConditionValue::text(&any_value_row(name))));
        let lookups = vec![IndexLookup { path: place.clone(), values: sorted(rows.collect()) }];
        Some(LookupSet { lookups, responses: Vec::new(), is_telling: true })
    })
}

/// Returns the names of which the object of `fact` at `path` must have one.
fn names_of_same_object(
    fact: &Fact<'_>,
    path: &Path,
    name: &str,
    facts: &[&Fact<'_>],
) -> Option<Vec<Box<str>>> {
    let element = |fact: &Fact<'_>| {
        fact.elements.iter().find(|element| element.depth == path.len()).map(|element| element.number)
    };
    let own = element(fact)?;
    facts.iter().find_map(|other| match other.path.strip_prefix(&path[..])? {
        [field] if **field == *name && element(other) == Some(own) => {
            let texts = other.values()?.into_iter().map(|value| match value {
                ConditionValue::Text(text) => Some(text),
                _ => None,
            });
            texts.collect()
        }
        _ => None,
    })
}

/// Returns lookups for all branches of an `or`: a document that matches a branch is found by its lookups.
fn of_choice(
    choice: &OrCondition<'_>,
    lists: usize,
    around: &[&Fact<'_>],
    paths: &IndexedPaths,
) -> Option<LookupSet> {
    let mut values: BTreeMap<Path, Vec<ConditionValue>> = BTreeMap::new();
    let mut is_telling = true;
    for branch in choice.branches {
        let mut facts = Facts { lists, ..Facts::default() };
        facts.collect_at(branch, &choice.place, 0, false);
        let found = best_within(&facts, around, paths)?;
        is_telling &= found.is_telling;
        for lookup in found.lookups {
            values.entry(lookup.path).or_default().extend(lookup.values);
        }
    }
    let lookups = values.into_iter().map(|(path, values)| IndexLookup { path, values: sorted(values) });
    Some(LookupSet { lookups: lookups.collect(), responses: Vec::new(), is_telling })
}

fn sorted(mut values: Vec<ConditionValue>) -> Vec<ConditionValue> {
    values.sort_unstable();
    values.dedup();
    values
}
