//! Tests single values, without an index.

use crate::analysis::{QueryTerm, Term, fold_case, fuzziness, query_terms, terms};
use crate::{LeafTest, SearchValue, ValueBounds, WildcardPattern};
use std::cmp::Ordering;
use std::ops::Bound;

/// Whether the values of a field in a node, in a language, pass a test.
pub(super) fn values_match(values: &[&SearchValue], language: Option<&str>, test: &LeafTest) -> bool {
    let has = || -> Vec<Term> {
        let texts = values
            .iter()
            .filter_map(|value| if let SearchValue::Text(text) = value { Some(text) } else { None });
        texts.flat_map(|text| terms(language, text)).collect()
    };
    match test {
        LeafTest::FullText { text, all } => {
            let has = has();
            terms_match(&query_terms(language, text), *all, |_, requested| {
                has.iter().any(|term| term.text == requested.stem)
            })
        }
        LeafTest::FullTextPrefix { text, all } => {
            let (has, requested) = (has(), query_terms(language, text));
            let last = requested.len().saturating_sub(1);
            terms_match(&requested, *all, |index, requested| {
                has.iter().any(|term| {
                    term.text == requested.stem
                        || (index == last && term.text.starts_with(&requested.surface))
                })
            })
        }
        LeafTest::Fuzzy { text, level, all } => {
            let has = has();
            terms_match(&query_terms(language, text), *all, |_, requested| {
                has.iter().any(|term| is_like(term, requested, *level))
            })
        }
        LeafTest::Lacks { values: requested } => {
            let is_asked =
                |value: &&SearchValue| requested.iter().any(|requested| is_same(value, requested, false));
            !values.is_empty() && !values.iter().any(is_asked)
        }
        _ => values.iter().any(|value| value_matches(value, test)),
    }
}

/// Whether one value passes a test other than full text.
fn value_matches(value: &SearchValue, test: &LeafTest) -> bool {
    match (test, value) {
        (LeafTest::Exists, _) => true,
        (LeafTest::Exact { values, case_insensitive }, _) => {
            values.iter().any(|requested| is_same(value, requested, *case_insensitive))
        }
        (LeafTest::Range(bounds), _) => lies_within(value, bounds),
        (LeafTest::Prefix { text, case_insensitive: true }, SearchValue::Text(value)) => {
            fold_case(value).starts_with(&fold_case(text))
        }
        (LeafTest::Prefix { text, case_insensitive: false }, SearchValue::Text(value)) => {
            value.starts_with(text)
        }
        (LeafTest::Wildcard { pattern, case_insensitive }, SearchValue::Text(value)) => {
            WildcardPattern::new(pattern, *case_insensitive).matches(value)
        }
        _ => false,
    }
}

/// Whether all terms pass, or any; false without terms.
fn terms_match(request: &[QueryTerm], all: bool, passes: impl Fn(usize, &QueryTerm) -> bool) -> bool {
    let mut each = request.iter().enumerate();
    if all {
        !request.is_empty() && each.all(|(index, term)| passes(index, term))
    } else {
        each.any(|(index, term)| passes(index, term))
    }
}

fn is_same(value: &SearchValue, requested: &SearchValue, case_insensitive: bool) -> bool {
    match (value, requested) {
        (SearchValue::Text(value), SearchValue::Text(requested)) if case_insensitive => {
            fold_case(value) == fold_case(requested)
        }
        _ => value.compare(requested) == Ordering::Equal,
    }
}

fn lies_within(value: &SearchValue, (lower, upper): &ValueBounds) -> bool {
    let is_above = match lower {
        Bound::Unbounded => true,
        Bound::Included(from) => value.compare(from) != Ordering::Less,
        Bound::Excluded(from) => value.compare(from) == Ordering::Greater,
    };
    let is_below = match upper {
        Bound::Unbounded => true,
        Bound::Included(to) => value.compare(to) != Ordering::Greater,
        Bound::Excluded(to) => value.compare(to) == Ordering::Less,
    };
    is_above && is_below
}

fn is_like(term: &Term, request: &QueryTerm, level: u8) -> bool {
    let level = usize::from(fuzziness(level, &request.surface));
    distance(&term.text, &request.surface) <= level || distance(&term.text, &request.stem) <= level
}

/// Returns the edit distance: insertions, deletions and replacements of a character, and swaps of neighbours.
fn distance(one: &str, two: &str) -> usize {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in two.iter().enumerate() {
            let mut least =
                (last[column] + usize::from(letter != other)).min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && one[row - 1] == *other && two[column - 1] == *letter {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (one, two, edits) in [
            ("shurt", "shirt", 1),
            ("shrit", "shirt", 1),
            ("", "ab", 2),
            ("ca", "abc", 3),
            ("same", "same", 0),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(one, two), edits, "{one} {two}");
            assert_eq!(distance(two, one), edits, "{two} {one}");
        }
    }
}
