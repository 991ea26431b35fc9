//! The searches of the comparison with OpenSearch: each in Kontor's query language, for the mapping with the structure
//! of the Product, and for the mapping tuned by hand.

use super::products::{
    CATEGORIES, COLORS, MARKETS, SIZES, WEIGHT_MAX, color, market_field, name_word, size, some_word,
};
use crate::search::SeededRandom;
use kontor_json::{Value, json};

/// Hits of a page.
const PAGE: usize = 20;

/// One search in the three forms.
pub(super) struct SearchVariants {
    pub(super) kontor: Value,
    pub(super) plain: Value,
    pub(super) tuned: Value,
    /// Whether all systems must return the same hits in the same order, i.e. nothing depends on scores and ties.
    pub(super) has_sequence: bool,
}

/// A kind of search: its name, the target ratio of its CPU to that of the better mapping, and a function that makes
/// one.
pub(super) type ComparedSearch =
    (&'static str, Option<f64>, fn(&mut SeededRandom, &[String]) -> SearchVariants);

pub(super) const QUESTIONS: [ComparedSearch; 17] = [
    ("text, 1 word", Some(0.2), |chance, _| text(chance, 1)),
    ("text, 2 words", Some(0.2), |chance, _| text(chance, 2)),
    ("text, 3 words", Some(0.2), |chance, _| text(chance, 3)),
    ("text and 3 facets", Some(0.2), |chance, _| text(chance, 1).with_facets(&FACETS[..3])),
    ("a Category", None, |chance, ids| {
        let of = ids.get(chance.next_below(CATEGORIES) as usize).cloned().unwrap_or_default();
        first_page(is("categories", &of), filter(term("categories", &of)))
    }),
    ("a SKU", None, |chance, _| {
        let sku = format!("s-{}-{}", chance.next_below(10_000), chance.next_below(4));
        first_page(is("variants.sku", &sku), filter(nested("variants", term("variants.sku", &sku))))
    }),
    ("colour and size of one Variant", Some(0.3), |chance, _| {
        let (color, size) = (color(chance.next_below(COLORS)), size(chance.next_below(SIZES)));
        let theirs = filter(of_variant(&[term("variants.color", &color), term("variants.size", &size)]));
        first_page(
            json!({"and": [attribute("variants.attributes.color", &color), attribute("variants.attributes.size", &size)]}),
            theirs,
        )
    }),
    ("1 % price range, sorted by price", Some(0.8), |chance, _| {
        let from = 8_000 + chance.next_below(500);
        priced(chance, from, from + 85)
    }),
    ("25 % price range, sorted by price", Some(0.8), |chance, _| {
        let from = 8_000 + chance.next_below(500);
        priced(chance, from, from + 2_400)
    }),
    ("colour and price of one Variant", None, |chance, _| {
        let (color, market) = (color(chance.next_below(COLORS)), MARKETS[chance.next_below(9) as usize]);
        let (from, to) = (1_000, 4_000 + chance.next_below(1_000));
        let mut request = first_page(
            json!({"and": [attribute("variants.attributes.color", &color), price(market, from, to)]}),
            json!(null),
        );
        let is_color = term("variants.color", &color);
        request.plain["query"] = filter(of_variant(&[is_color.clone(), nested_price(market, from, to)]));
        let cents = range(&format!("variants.{}", market_field(market)), from, to);
        request.tuned["query"] = filter(of_variant(&[is_color, cents]));
        request
    }),
    ("text, 20 Categories, weight, 3 facets", Some(0.4), |chance, ids| {
        let word = some_word(chance);
        let first = chance.next_below(CATEGORIES - 20) as usize;
        let some = &ids[first..first + 20];
        let weight = chance.next_below(WEIGHT_MAX / 2);
        let ours = json!({"and": [
            full_text_query(&word),
            {"exact": {"field": "categories", "values": some}},
            {"range": {"field": "attributes.weight", "fieldType": "number", "gte": weight, "lt": weight + WEIGHT_MAX / 2}},
        ]});
        let theirs = json!({"bool": {
            "must": [matches(&word)],
            "filter": [{"terms": {"categories": some}}, range("weight", weight, weight + WEIGHT_MAX / 2)],
        }});
        first_page(ours, theirs).with_facets(&FACETS[..3])
    }),
    ("everything, 5 facets", Some(0.5), |_, _| {
        first_page(json!(null), json!({"match_all": {}})).with_facets(&FACETS)
    }),
    ("wildcard *x* in a name", Some(1.0), |chance, _| {
        let word = name_word(100 + chance.next_below(900));
        let pattern = format!("*{}*", &word[1..word.len() - 1]);
        let ours = json!({"wildcard": {"field": "name", "language": "en", "value": pattern}});
        first_page(ours, filter(json!({"wildcard": {"name.raw": {"value": pattern}}})))
    }),
    ("fuzzy, one letter", Some(0.8), |chance, _| {
        let mut word = name_word(100 + chance.next_below(900));
        word.remove(3);
        let ours = json!({"fuzzy": {"field": "name", "language": "en", "value": word, "level": 1}});
        first_page(ours, json!({"match": {"name": {"query": word, "fuzziness": 1, "max_expansions": 1000}}}))
    }),
    ("words that begin so", None, |chance, _| {
        let word = name_word(100 + chance.next_below(900));
        let beginning = &word[..word.len() - 2];
        let ours = json!({"prefix": {"field": "name", "language": "en", "value": beginning}});
        first_page(ours, filter(json!({"prefix": {"name.raw": {"value": beginning}}})))
    }),
    ("offset 5,000, sorted by key", Some(0.8), |chance, _| {
        let mut request = first_page(json!(null), json!({"match_all": {}}));
        let offset = 4_900 + chance.next_below(100);
        request.kontor["sort"] = json!([{"field": "key", "order": "asc"}]);
        request.kontor["offset"] = json!(offset);
        for theirs in [&mut request.plain, &mut request.tuned] {
            theirs["sort"] = json!([{"key": "asc"}]);
            theirs["from"] = json!(offset);
        }
        SearchVariants { has_sequence: true, ..request }
    }),
    ("not a Category, sorted by key", None, |chance, ids| {
        let of = ids.get(chance.next_below(CATEGORIES) as usize).cloned().unwrap_or_default();
        let theirs = json!({"bool": {"must_not": [term("categories", &of)]}});
        let mut request = first_page(json!({"not": [is("categories", &of)]}), theirs);
        request.kontor["sort"] = json!([{"field": "key", "order": "asc"}]);
        request.plain["sort"] = json!([{"key": "asc"}]);
        request.tuned["sort"] = json!([{"key": "asc"}]);
        SearchVariants { has_sequence: true, ..request }
    }),
];

/// A facet: its name, its field here, in one mapping and in the other. Fields below `variants` are nested in the first.
const FACETS: [(&str, &str, &str, &str); 5] = [
    ("brand", "attributes.brand", "brand", "brand"),
    ("color", "variants.attributes.color", "variants.color", "colors"),
    ("categories", "categories", "categories", "categories"),
    ("size", "variants.attributes.size", "variants.size", "sizes"),
    ("material", "attributes.material", "material", "material"),
];

impl SearchVariants {
    fn with_facets(mut self, facets: &[(&str, &str, &str, &str)]) -> Self {
        let ours = facets.iter().map(|(name, field, ..)| {
            let mut facet = json!({"name": name, "field": field});
            if field.contains("attributes.") {
                facet["fieldType"] = json!("text");
            }
            json!({"distinct": facet})
        });
        self.kontor["facets"] = ours.collect();
        for (name, _, plain, tuned) in facets {
            let values = |field: &str| json!({"terms": {"field": field, "size": 10}});
            self.tuned["aggs"][name] = values(tuned);
            self.plain["aggs"][name] = match plain.starts_with("variants.") {
                false => values(plain),
                true => {
                    let order = json!([{"products": "desc"}, {"_key": "asc"}]);
                    let values = json!({
                        "terms": {"field": plain, "size": 10, "order": order},
                        "aggs": {"products": {"reverse_nested": {}}},
                    });
                    json!({"nested": {"path": "variants"}, "aggs": {"values": values}})
                }
            };
        }
        self
    }
}

/// A search for the first page of the hits of a query.
fn first_page(ours: Value, theirs: Value) -> SearchVariants {
    let kontor = match ours.is_null() {
        true => json!({"limit": PAGE}),
        false => json!({"query": ours, "limit": PAGE}),
    };
    let plain = json!({"query": theirs, "size": PAGE, "_source": false, "track_total_hits": true});
    SearchVariants { kontor, tuned: plain.clone(), plain, has_sequence: false }
}

/// Products with all of some words in their names.
fn text(chance: &mut SeededRandom, words: usize) -> SearchVariants {
    // Words that are in many names: together they are in some.
    let words: Vec<String> =
        (0..words).map(|_| name_word(chance.next_below(if words == 1 { 200 } else { 8 }))).collect();
    let words = words.join(" ");
    first_page(full_text_query(&words), matches(&words))
}

fn full_text_query(words: &str) -> Value {
    json!({"fullText": {"field": "name", "language": "en", "value": words}})
}

fn matches(words: &str) -> Value {
    json!({"match": {"name": {"query": words, "operator": "and"}}})
}

/// Products with a price of a market within bounds, the cheapest of it first.
fn priced(chance: &mut SeededRandom, from: u64, to: u64) -> SearchVariants {
    let market = MARKETS[chance.next_below(9) as usize];
    let mut request = first_page(price(market, from, to), json!(null));
    let of_market = json!({"and": of_market(market)});
    let sort =
        json!({"field": "variants.prices.centAmount", "order": "asc", "mode": "min", "filter": of_market});
    request.kontor["sort"] = json!([sort, {"field": "key", "order": "asc"}]);
    request.plain["query"] = filter(nested("variants", nested_price(market, from, to)));
    let within = json!({"path": "variants", "nested": {"path": "variants.prices", "filter": {"bool": {"filter": terms_of(market)}}}});
    request.plain["sort"] =
        json!([{"variants.prices.cents": {"order": "asc", "mode": "min", "nested": within}}, {"key": "asc"}]);
    let field = market_field(market);
    request.tuned["query"] = filter(range(&field, from, to));
    request.tuned["sort"] = json!([{&field: {"order": "asc", "mode": "min"}}, {"key": "asc"}]);
    SearchVariants { has_sequence: true, ..request }
}

fn of_market((currency, country): (&str, &str)) -> [Value; 2] {
    [is("variants.prices.currencyCode", currency), is("variants.prices.country", country)]
}

fn price(market: (&str, &str), from: u64, to: u64) -> Value {
    let [currency, country] = of_market(market);
    json!({"and": [currency, country, {"range": {"field": "variants.prices.centAmount", "gte": from, "lt": to}}]})
}

fn terms_of((currency, country): (&str, &str)) -> [Value; 2] {
    [term("variants.prices.currency", currency), term("variants.prices.country", country)]
}

fn nested_price(market: (&str, &str), from: u64, to: u64) -> Value {
    let [currency, country] = terms_of(market);
    let all = json!([currency, country, range("variants.prices.cents", from, to)]);
    nested("variants.prices", json!({"bool": {"filter": all}}))
}

fn is(field: &str, value: &str) -> Value {
    json!({"exact": {"field": field, "value": value}})
}

fn attribute(field: &str, value: &str) -> Value {
    json!({"exact": {"field": field, "fieldType": "text", "value": value}})
}

fn term(field: &str, value: &str) -> Value {
    json!({"term": {field: value}})
}

fn range(field: &str, from: u64, to: u64) -> Value {
    json!({"range": {field: {"gte": from, "lt": to}}})
}

fn nested(path: &str, query: Value) -> Value {
    json!({"nested": {"path": path, "query": query, "score_mode": "none"}})
}

fn of_variant(all: &[Value]) -> Value {
    nested("variants", json!({"bool": {"filter": all}}))
}

/// Wraps a query so that it adds nothing to scores.
fn filter(query: Value) -> Value {
    json!({"bool": {"filter": [query]}})
}
