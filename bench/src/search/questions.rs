//! The searches of the comparison with the flat index, and their measurement.

use super::catalog::{Catalog, CatalogShape, MARKETS, SeededRandom, category, word};
use super::flat::{Flat, FlatIndexSearch};
use super::{QUESTION_TIME, ROUNDS, print, thread_cpu};
use crate::table::{BenchRow, BenchTarget};
use kontor_search::{
    BucketOrder, CountedNodes, EmbeddedIndex, Facet, FacetKind, FacetScope, HitSort, IndexRequest, Leaf,
    LeafTest, SearchField, SearchIndex as _, SearchQuery, SearchValue, SortBy,
};
use std::ops::Bound;
use std::time::{Duration, Instant};

/// Waits until merges are done and the writer is closed, as on a server that was up for a while.
pub(super) fn settle(index: &EmbeddedIndex, catalog: &Catalog, size: usize) -> anyhow::Result<()> {
    index.apply(kontor_search::IndexBatch {
        put: vec![catalog.entry(0, 0)],
        position: super::position(size, true),
        ..kontor_search::IndexBatch::default()
    })?;
    std::thread::sleep(Duration::from_secs(12));
    Ok(())
}

fn leaf(field: &SearchField, test: LeafTest) -> SearchQuery {
    SearchQuery::Leaf(Leaf { field: field.clone(), boost: 1.0, test })
}

fn is(field: &SearchField, value: &str) -> SearchQuery {
    leaf(
        field,
        LeafTest::Exact { values: vec![SearchValue::Text(value.to_owned())], case_insensitive: false },
    )
}

fn facet(field: &SearchField) -> Facet {
    Facet {
        name: field.name.to_string(),
        scope: FacetScope::Query,
        filter: None,
        counted: CountedNodes::Entries,
        holds_days: false,
        kind: FacetKind::Distinct {
            field: field.clone(),
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: 10,
            missing: None,
        },
    }
}

/// A search in both forms.
type SearchPair = (IndexRequest, FlatIndexSearch);

/// A kind of search: its name, its target ratio, and a function that makes one.
type BenchSearchKind<'a> = (&'static str, Option<f64>, Box<dyn Fn(&mut SeededRandom) -> SearchPair + 'a>);

/// Returns all kinds of searches of a catalog.
fn kinds(catalog: &Catalog) -> Vec<BenchSearchKind<'_>> {
    let mut kinds = of_any_shape(catalog);
    if catalog.shape != CatalogShape::OneLevel {
        kinds.extend(of_prices(catalog));
        kinds.extend(of_variants(catalog));
    }
    kinds
}

/// Searches that work in a catalog of one level too.
fn of_any_shape(catalog: &Catalog) -> Vec<BenchSearchKind<'_>> {
    vec![
        (
            "text, category and 3 facets",
            Some(4.0),
            Box::new(move |chance| {
                let (text, category) = (text(chance), in_category(chance));
                let query = SearchQuery::And(vec![
                    catalog.full_text_query(&text),
                    is(&catalog.categories, &category),
                ]);
                let question = FlatIndexSearch {
                    text: Some(text),
                    category: Some(category),
                    facets: true,
                    ..FlatIndexSearch::default()
                };
                (IndexRequest { facets: catalog.three_facets(), ..page(query) }, question)
            }),
        ),
        (
            "text and category",
            None,
            Box::new(move |chance| {
                let (text, category) = (text(chance), in_category(chance));
                let query = SearchQuery::And(vec![
                    catalog.full_text_query(&text),
                    is(&catalog.categories, &category),
                ]);
                (
                    page(query),
                    FlatIndexSearch {
                        text: Some(text),
                        category: Some(category),
                        ..FlatIndexSearch::default()
                    },
                )
            }),
        ),
        (
            "everything, 3 facets",
            None,
            Box::new(move |_| {
                let request =
                    IndexRequest { facets: catalog.three_facets(), limit: 20, ..IndexRequest::default() };
                (request, FlatIndexSearch { facets: true, ..FlatIndexSearch::default() })
            }),
        ),
        (
            "everything, offset 9,900",
            None,
            Box::new(move |_| {
                let request = IndexRequest { offset: 9_900, limit: 20, ..IndexRequest::default() };
                (request, FlatIndexSearch { offset: 9_900, ..FlatIndexSearch::default() })
            }),
        ),
        (
            "not a category",
            None,
            Box::new(move |chance| {
                let query = SearchQuery::Not(vec![is(&catalog.categories, &in_category(chance))]);
                (page(query), FlatIndexSearch::default())
            }),
        ),
    ]
}

/// Searches with several conditions on one price.
fn of_prices(catalog: &Catalog) -> Vec<BenchSearchKind<'_>> {
    vec![
        (
            "range on one price",
            Some(10.0),
            Box::new(move |chance| {
                let most = price(chance);
                (page(catalog.cheap(most, chance.next_below(4) as usize)), flat_range(most))
            }),
        ),
        (
            "range on one price, post-filter on color, 3 facets",
            None,
            Box::new(move |chance| {
                let (most, color) = (price(chance), color(chance));
                let request = IndexRequest {
                    post_filter: Some(is(&catalog.color, &color)),
                    facets: catalog.three_facets(),
                    ..page(catalog.cheap(most, chance.next_below(4) as usize))
                };
                (request, FlatIndexSearch { facets: true, ..flat_range(most) })
            }),
        ),
        (
            "category, sorted by the price of a market",
            None,
            Box::new(move |chance| {
                let category = in_category(chance);
                let (currency, country) = MARKETS[chance.next_below(4) as usize];
                let filter =
                    SearchQuery::And(vec![is(&catalog.currency, currency), is(&catalog.country, country)]);
                let by = SortBy::Field(catalog.cents.clone());
                let sort = vec![HitSort { by, descending: false, mode: None, filter: Some(filter) }];
                let request = IndexRequest { sort, ..page(is(&catalog.categories, &category)) };
                (
                    request,
                    FlatIndexSearch {
                        category: Some(category),
                        sort_by_cents: true,
                        ..FlatIndexSearch::default()
                    },
                )
            }),
        ),
    ]
}

/// Searches with several conditions on one variant.
fn of_variants(catalog: &Catalog) -> Vec<BenchSearchKind<'_>> {
    vec![(
        "text and price of one color, matching variants marked",
        None,
        Box::new(move |chance| {
            let (text, most) = (text(chance), price(chance));
            let is_color = is(&catalog.color, &color(chance));
            let query =
                SearchQuery::And(vec![catalog.full_text_query(&text), is_color, catalog.cheap(most, 0)]);
            let request = IndexRequest { mark_matching: true, ..page(query) };
            (request, FlatIndexSearch { text: Some(text), ..flat_range(most) })
        }),
    )]
}

impl Catalog {
    fn full_text_query(&self, text: &str) -> SearchQuery {
        leaf(&self.name, LeafTest::FullText { text: text.to_owned(), all: true })
    }

    fn three_facets(&self) -> Vec<Facet> {
        vec![facet(&self.brand), facet(&self.color), facet(&self.categories)]
    }

    /// A price of a market below a bound.
    fn cheap(&self, most: i64, market: usize) -> SearchQuery {
        SearchQuery::And(vec![
            is(&self.currency, MARKETS[market].0),
            is(&self.country, MARKETS[market].1),
            leaf(&self.cents, LeafTest::Range((Bound::Unbounded, Bound::Excluded(SearchValue::Long(most))))),
        ])
    }
}

fn page(query: SearchQuery) -> IndexRequest {
    IndexRequest { query: Some(query), limit: 20, ..IndexRequest::default() }
}

fn flat_range(most: i64) -> FlatIndexSearch {
    FlatIndexSearch { cents_below: Some(most), ..FlatIndexSearch::default() }
}

fn text(chance: &mut SeededRandom) -> String {
    word(chance.next_below(60))
}

fn in_category(chance: &mut SeededRandom) -> String {
    category(chance.next_below(8))
}

fn price(chance: &mut SeededRandom) -> i64 {
    1_000 + chance.next_below(4_000) as i64
}

fn color(chance: &mut SeededRandom) -> String {
    format!("color-{}", chance.next_below(super::catalog::COLORS))
}

/// Runs all searches in turns and prints a row for each kind.
pub(super) fn measure_searches(
    index: &EmbeddedIndex,
    flat: &Flat,
    catalog: &Catalog,
    what: &str,
) -> anyhow::Result<()> {
    for (name, most, question) in kinds(catalog) {
        let mut chance = SeededRandom::new(42);
        let questions: Vec<SearchPair> = (0..ROUNDS).map(|_| question(&mut chance)).collect();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let (mut our_cpu, mut their_cpu) = (Duration::ZERO, Duration::ZERO);
        let mut hits: Vec<u64> = Vec::new();
        let begun = Instant::now();
        // Whole passes in turns: the system counts the CPU of a thread in ticks that are longer than a search.
        while begun.elapsed() < QUESTION_TIME {
            let start = thread_cpu()?;
            for (request, _) in &questions {
                let requested = Instant::now();
                hits.push(index.search(request)?.total);
                ours.push(requested.elapsed());
            }
            let middle = thread_cpu()?;
            for (_, question) in &questions {
                let requested = Instant::now();
                flat.search(question)?;
                theirs.push(requested.elapsed());
            }
            our_cpu += middle - start;
            their_cpu += thread_cpu()? - middle;
        }
        hits.sort_unstable();
        let figures = |times: &mut Vec<Duration>, cpu: Duration| {
            times.sort();
            let us = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
            let mean = cpu.as_secs_f64() * 1e6 / times.len() as f64;
            format!("{mean:.0} µs CPU, p50 {:.0} µs, p99 {:.0} µs", us(0.5), us(0.99))
        };
        print(&BenchRow {
            name: format!("search, {what}: {name}: CPU"),
            value: our_cpu.as_secs_f64() / their_cpu.as_secs_f64().max(1e-6),
            unit: "×",
            target: most.map_or(BenchTarget::None, BenchTarget::AtMost),
            kontor: format!("{}, {} hits", figures(&mut ours, our_cpu), hits[hits.len() / 2]),
            comparison: format!("flat: {}", figures(&mut theirs, their_cpu)),
        })?;
    }
    Ok(())
}
