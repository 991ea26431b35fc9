//! Random requests for the random catalogs.

use crate::catalog::{field, field_of, keyword, named, pick, text, value};
use kontor_search::{
    BucketOrder, CountedNodes, Facet, FacetKind, FacetRange, FacetScope, FieldKind, FieldLevel, HitSort,
    IndexRequest, Leaf, LeafTest, SearchField, SearchQuery, SearchValue, SortBy, SortMode,
};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Bound;

pub(crate) fn request(random: &mut StdRng) -> IndexRequest {
    let sort: Vec<HitSort> = (0..*pick(random, &[0, 1, 1, 2, 3])).map(|_| sort(random)).collect();
    let is_by_score = sort.is_empty() || sort.iter().any(|sort| sort.by == SortBy::Score);
    let (offset, limit) =
        if is_by_score { (0, 1000) } else { (random.random_range(0..5), random.random_range(0..20)) };
    IndexRequest {
        query: optional(random, 0.8, |random| query(random, 3)),
        post_filter: optional(random, 0.2, |random| query(random, 2)),
        sort,
        facets: (0..random.random_range(0..4)).map(|number| facet(random, number)).collect(),
        offset,
        limit,
        mark_matching: random.random(),
    }
}

fn optional<T>(random: &mut StdRng, chance: f64, make: impl Fn(&mut StdRng) -> T) -> Option<T> {
    random.random_bool(chance).then(|| make(random))
}

fn query(random: &mut StdRng, depth: usize) -> SearchQuery {
    if random.random_bool(0.08) {
        return market(random);
    }
    if depth == 0 || random.random_bool(0.35) {
        return SearchQuery::Leaf(leaf(random));
    }
    let parts = (0..*pick(random, &[0, 1, 2, 2, 2, 3])).map(|_| query(random, depth - 1)).collect();
    match random.random_range(0..6) {
        0 | 1 => SearchQuery::And(parts),
        2 | 3 => SearchQuery::Or(parts),
        4 => SearchQuery::Not(parts),
        _ => SearchQuery::Filter(parts),
    }
}

/// Returns a query for prices of a market, most often with a range of their amounts.
fn market(random: &mut StdRng) -> SearchQuery {
    let leaf = |name: &str, test: LeafTest| SearchQuery::Leaf(Leaf { field: named(name), boost: 1.0, test });
    let is = |random: &mut StdRng| LeafTest::Exact {
        values: vec![SearchValue::Text(keyword(random))],
        case_insensitive: false,
    };
    let mut parts = vec![leaf("variants.prices.currency", is(random))];
    parts.extend(optional(random, 0.2, |random| leaf("variants.prices.channel", is(random))));
    let range = optional(random, 0.8, |random| LeafTest::Range(bounds(random, FieldKind::Long)));
    parts.extend(range.map(|range| leaf("variants.prices.amount", range)));
    SearchQuery::And(parts)
}

fn leaf(random: &mut StdRng) -> Leaf {
    let field = match random.random_range(0..30) {
        // A field that no entry has.
        0 => SearchField { name: "nowhere".into(), ..field(random) },
        _ => field(random),
    };
    let test = test(random, field.kind);
    Leaf { field, boost: *pick(random, &[1.0, 0.0, 2.5]), test }
}

fn test(random: &mut StdRng, kind: FieldKind) -> LeafTest {
    match random.random_range(0..12) {
        0 => return LeafTest::Exists,
        1..4 => {
            let values = (0..random.random_range(1..4)).map(|_| value(random, kind)).collect();
            return match random.random_bool(0.25) {
                true => LeafTest::Lacks { values },
                false => LeafTest::Exact { values, case_insensitive: random.random() },
            };
        }
        4 if random.random_bool(0.2) => return LeafTest::Never,
        _ => {}
    }
    match kind {
        FieldKind::Text if random.random_bool(0.8) => {
            let (text, all) = (text(random), random.random());
            match random.random_range(0..3) {
                0 => LeafTest::FullText { text, all },
                1 => LeafTest::FullTextPrefix { text: beginning(random, &text), all },
                _ => LeafTest::Fuzzy { text, level: random.random_range(0..3), all },
            }
        }
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => {
            let whole = match value(random, kind) {
                SearchValue::Text(whole) => whole,
                _ => keyword(random),
            };
            let begun = beginning(random, &whole);
            let case_insensitive = random.random();
            match random.random_range(0..5) {
                0 | 1 => LeafTest::Prefix { text: begun, case_insensitive },
                2 | 3 => LeafTest::Wildcard { pattern: pattern(random, &begun), case_insensitive },
                _ => LeafTest::Range(bounds(random, kind)),
            }
        }
        FieldKind::Boolean => LeafTest::Exists,
        FieldKind::Long | FieldKind::Double | FieldKind::Time => LeafTest::Range(bounds(random, kind)),
    }
}

fn beginning(random: &mut StdRng, text: &str) -> String {
    let letters = text.chars().count();
    text.chars().take(random.random_range(0..=letters)).collect()
}

fn pattern(random: &mut StdRng, text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        match random.random_range(0..8) {
            0 => pattern.push('*'),
            1 => pattern.push('?'),
            2 => pattern.extend(['\\', letter]),
            _ => pattern.push(letter),
        }
    }
    let end: &&str = pick(random, &["", "*", "?", "\\", "**"]);
    pattern.push_str(end);
    pattern
}

fn bounds(random: &mut StdRng, kind: FieldKind) -> (Bound<SearchValue>, Bound<SearchValue>) {
    let mut bound = || match random.random_range(0..3) {
        0 => Bound::Unbounded,
        1 => Bound::Included(value(random, kind)),
        _ => Bound::Excluded(value(random, kind)),
    };
    (bound(), bound())
}

fn sort(random: &mut StdRng) -> HitSort {
    if random.random_bool(0.1) {
        return HitSort { by: SortBy::Score, descending: random.random(), mode: None, filter: None };
    }
    let field = if random.random_bool(0.15) { named("variants.prices.amount") } else { field(random) };
    let is_number = matches!(field.kind, FieldKind::Long | FieldKind::Double);
    let modes = [SortMode::Min, SortMode::Max, SortMode::Avg, SortMode::Sum];
    let modes = if is_number { &modes } else { &modes[..2] };
    let mode = optional(random, 0.5, |random| *pick(random, modes));
    let filter = optional(random, 0.4, |random| {
        if field.level == FieldLevel::Grandchild && random.random() {
            market(random)
        } else {
            query(random, 2)
        }
    });
    HitSort { by: SortBy::Field(field), descending: random.random(), mode, filter }
}

fn facet(random: &mut StdRng, number: usize) -> Facet {
    let kind = match random.random_range(0..6) {
        0 => FacetKind::Count,
        1 | 2 => FacetKind::Distinct {
            field: field(random),
            includes: optional(random, 0.2, |random| {
                vec![keyword(random), "red".into(), "true".into(), "1".into()]
            }),
            order: *pick(random, &[BucketOrder::Count, BucketOrder::Key]),
            descending: random.random(),
            limit: *pick(random, &[0, 1, 3, 10, 200]),
            missing: optional(random, 0.4, |random| pick(random, &["none", "a", "1"]).to_string()),
        },
        3 | 4 => {
            let field = field_of(random, &[FieldKind::Long, FieldKind::Double, FieldKind::Time]);
            let kind = field.kind;
            let range = |number: usize, random: &mut StdRng| FacetRange {
                key: format!("range-{number}"),
                from: optional(random, 0.7, |random| value(random, kind)),
                to: optional(random, 0.7, |random| value(random, kind)),
            };
            let ranges = (0..random.random_range(0..4)).map(|number| range(number, random)).collect();
            FacetKind::Ranges { field, ranges }
        }
        _ => FacetKind::Stats {
            field: field_of(random, &[FieldKind::Long, FieldKind::Double, FieldKind::Time]),
        },
    };
    let counted = match kind {
        FacetKind::Stats { .. } => CountedNodes::Entries,
        _ => *pick(random, &[CountedNodes::Entries, CountedNodes::Children]),
    };
    Facet {
        name: format!("facet-{number}"),
        scope: *pick(random, &[FacetScope::Query, FacetScope::Query, FacetScope::All]),
        filter: optional(random, 0.4, |random| query(random, 2)),
        counted,
        kind,
        holds_days: false,
    }
}
