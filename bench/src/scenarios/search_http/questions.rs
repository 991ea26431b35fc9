//! Measures the searches of a storefront, one request after the other.

use crate::kontor::path;
use crate::load::LoadRequest;
use crate::process::MeasuredServer;
use crate::scenarios::{Bench, load_limits, measure};
use crate::search::{COLORS, MARKETS, SeededRandom, category, word};
use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
use kontor_json::{Value, json};
use std::collections::HashMap;

/// The number of searches in a round, with different values.
const ASKED: u64 = 400;
/// Seconds after which a round ends.
const ROUND_SECONDS_MAX: u64 = 10;

type MakesBody = fn(&mut SeededRandom, &HashMap<String, String>) -> Value;

const QUESTIONS: [(&str, MakesBody); 11] = [
    (
        "text, category and 3 facets",
        |chance, ids| json!({"query": {"and": [full_text_query(chance), in_category(chance, ids)]}, "facets": three_facets()}),
    ),
    ("range on one price", |chance, _| json!({"query": cheap(chance)})),
    (
        "range on one price, post-filter on color, 3 facets",
        |chance, _| json!({"query": cheap(chance), "postFilter": of_color(chance), "facets": three_facets()}),
    ),
    ("category, sorted by the price of a market", |chance, ids| {
        let (currency, country) = MARKETS[chance.next_below(4) as usize];
        let filter = json!({"and": [is("variants.prices.currencyCode", currency), is("variants.prices.country", country)]});
        let sort =
            json!({"field": "variants.prices.centAmount", "order": "asc", "mode": "min", "filter": filter});
        json!({"query": in_category(chance, ids), "sort": [sort]})
    }),
    ("not a category", |chance, ids| json!({"query": {"not": [in_category(chance, ids)]}})),
    (
        "text and price of one color, matching variants marked",
        |chance, _| json!({"query": {"and": [full_text_query(chance), of_color(chance), cheap(chance)]}, "markMatchingVariants": true}),
    ),
    ("everything, offset 9,900", |_, _| json!({"offset": 9_900})),
    ("a broad range on one price, 3 facets", |chance, _| {
        let (currency, country) = MARKETS[chance.next_below(4) as usize];
        let broad = json!({"and": [
            is("variants.prices.currencyCode", currency), is("variants.prices.country", country),
            {"range": {"field": "variants.prices.centAmount", "lt": 20_000 + chance.next_below(100)}},
        ]});
        json!({"query": broad, "facets": three_facets()})
    }),
    ("a wildcard that begins with a star", |chance, _| {
        let value = format!("*{}*", word(100 + chance.next_below(1_000)));
        json!({"query": {"wildcard": {"field": "name", "language": "en", "value": value}}})
    }),
    ("fuzzy, two letters wrong", |chance, _| {
        let value = word(1_000 + chance.next_below(1_000));
        json!({"query": {"fuzzy": {"field": "description", "language": "en", "value": value, "level": 2}}})
    }),
    (
        "text, with projections of 20 products",
        |chance, _| json!({"query": full_text_query(chance), "productProjectionParameters": {"priceCurrency": "EUR", "priceCountry": "DE"}}),
    ),
];

fn is(field: &str, value: &str) -> Value {
    json!({"exact": {"field": field, "value": value}})
}

fn full_text_query(chance: &mut SeededRandom) -> Value {
    json!({"fullText": {"field": "name", "language": "en", "value": word(chance.next_below(60))}})
}

fn in_category(chance: &mut SeededRandom, ids: &HashMap<String, String>) -> Value {
    let id = ids.get(&category(chance.next_below(8))).map_or("", String::as_str);
    is("categories", id)
}

fn of_color(chance: &mut SeededRandom) -> Value {
    let color = format!("color-{}", chance.next_below(COLORS));
    json!({"exact": {"field": "variants.attributes.color", "fieldType": "text", "value": color}})
}

/// A price of one market below an amount.
fn cheap(chance: &mut SeededRandom) -> Value {
    let (currency, country) = MARKETS[chance.next_below(4) as usize];
    json!({"and": [
        is("variants.prices.currencyCode", currency), is("variants.prices.country", country),
        {"range": {"field": "variants.prices.centAmount", "lt": 1_000 + chance.next_below(4_000)}},
    ]})
}

fn three_facets() -> Value {
    json!([
        {"distinct": {"name": "brand", "field": "attributes.brand", "fieldType": "text"}},
        {"distinct": {"name": "color", "field": "variants.attributes.color", "fieldType": "text"}},
        {"distinct": {"name": "categories", "field": "categories"}},
    ])
}

pub(super) async fn measure_searches(
    bench: &mut Bench,
    server: &MeasuredServer,
    categories: &HashMap<String, String>,
    what: &str,
) -> anyhow::Result<()> {
    for (name, question) in QUESTIONS {
        let mut chance = SeededRandom::new(42);
        let bodies: Vec<String> = (0..ASKED).map(|_| question(&mut chance, categories).to_string()).collect();
        let mut at = 0;
        let asker = move || {
            at += 1;
            LoadRequest::post(path("products/search"), bodies[at % bodies.len()].clone())
        };
        let measured = measure(server, vec![asker], load_limits(ASKED, ROUND_SECONDS_MAX))
            .await
            .with_context(|| format!("the question {name:?}"))?;
        bench.table.add(BenchRow {
            name: format!("{what}: {name}: p99"),
            value: measured.percentile_ms(99.0),
            unit: " ms",
            target: BenchTarget::None,
            kontor: measured.line(),
            comparison: "-".into(),
        });
    }
    Ok(())
}
