//! Drafts of realistic Products: several Variants with ten Attributes and a price in each market, with keys in random
//! order.

use crate::search::{SeededRandom, word};
use kontor_json::{Value, json};

/// The number of Categories; each Product is in one.
pub(super) const CATEGORIES: u64 = 200;
const VARIANTS: u64 = 4;
/// Currency and country of each price.
const MARKETS: [(&str, &str); 9] = [
    ("EUR", "DE"),
    ("EUR", "FR"),
    ("EUR", "AT"),
    ("USD", "US"),
    ("GBP", "GB"),
    ("CHF", "CH"),
    ("PLN", "PL"),
    ("SEK", "SE"),
    ("DKK", "DK"),
];
/// The number of different words in texts.
const WORDS: u64 = 3_000;
const WORDS_OF_NAME: u64 = 4;
const WORDS_OF_DESCRIPTION: u64 = 20;
const COLOURS: u64 = 20;
const SIZES: u64 = 12;
const TAGS: u64 = 200;
const BRANDS: u64 = 300;

/// The draft of the Product Type of all of them.
pub(super) fn product_type() -> Value {
    let values = |name: &str, count: u64| -> Vec<Value> {
        (0..count).map(|at| json!({"key": format!("{name}-{at}"), "label": format!("{name} {at}")})).collect()
    };
    let attribute = |name: &str, kind: Value| json!({"name": name, "label": {"en": name}, "type": kind, "isRequired": false, "isSearchable": true});
    let text = || json!({"name": "text"});
    let attributes = [
        attribute("colour", json!({"name": "enum", "values": values("colour", COLOURS)})),
        attribute("size", json!({"name": "enum", "values": values("size", SIZES)})),
        attribute("weight", json!({"name": "number"})),
        attribute("brand", text()),
        attribute("material", text()),
        attribute("season", text()),
        attribute("vegan", json!({"name": "boolean"})),
        attribute("gtin", text()),
        attribute("care", json!({"name": "ltext"})),
        attribute("tags", json!({"name": "set", "elementType": {"name": "text"}})),
    ];
    json!({"key": "bench", "name": "Bench", "description": "Measured", "attributes": attributes})
}

/// The draft of a Category.
pub(super) fn category(number: u64) -> Value {
    let key = format!("category-{number}");
    json!({"key": key, "name": {"en": key}, "slug": {"en": key}})
}

/// The draft of a Product. `prices` of each Variant, at most one for each market.
pub(super) fn product(number: usize, prices: usize) -> Value {
    let chance = &mut SeededRandom::new(number as u64 + 1);
    let key = key(number);
    let mut variants: Vec<Value> = (0..VARIANTS).map(|at| variant(number, at, prices, chance)).collect();
    let master = variants.remove(0);
    json!({
        "key": key,
        "productType": {"key": "bench"},
        "name": {"en": words(chance, WORDS_OF_NAME), "de": words(chance, WORDS_OF_NAME)},
        "slug": {"en": key, "de": format!("{key}-de")},
        "description": {"en": words(chance, WORDS_OF_DESCRIPTION), "de": words(chance, WORDS_OF_DESCRIPTION)},
        "categories": [{"key": format!("category-{}", chance.next_below(CATEGORIES))}],
        "masterVariant": master,
        "variants": variants,
    })
}

/// The key of a Product. They come in no sequence.
pub(super) fn key(number: usize) -> String {
    format!("{:08x}-{number}", SeededRandom::new(number as u64).next_below(1 << 32))
}

/// The SKU of a Product's first Variant.
pub(super) fn sku(number: usize) -> String {
    format!("{}-0", key(number))
}

fn variant(number: usize, at: u64, prices: usize, chance: &mut SeededRandom) -> Value {
    let base = 500 + chance.next_below(90_000);
    let price = |(currency, country): &(&str, &str), cents: u64| json!({"value": {"currencyCode": currency, "centAmount": cents}, "country": country});
    let prices = MARKETS.iter().take(prices).map(|market| price(market, base + chance.next_below(400)));
    let prices: Vec<Value> = prices.collect();
    let number_of = number as u64;
    let tags: Vec<String> = (0..3).map(|_| format!("tag-{}", chance.next_below(TAGS))).collect();
    let attribute = |name: &str, value: Value| json!({"name": name, "value": value});
    json!({
        "sku": format!("{}-{at}", key(number)),
        "prices": prices,
        "attributes": [
            attribute("colour", format!("colour-{}", chance.next_below(COLOURS)).into()),
            attribute("size", format!("size-{}", chance.next_below(SIZES)).into()),
            attribute("weight", (100 + chance.next_below(5_000)).into()),
            attribute("brand", format!("brand-{}", number_of % BRANDS).into()),
            attribute("material", format!("material {}", number_of % 40).into()),
            attribute("season", format!("SS{}", 20 + number_of % 6).into()),
            attribute("vegan", number_of.is_multiple_of(2).into()),
            attribute("gtin", format!("{:013}", chance.next_below(10_000_000_000_000)).into()),
            attribute("care", json!({"en": format!("wash at {}", 30 + number_of % 4 * 10)})),
            attribute("tags", tags.into()),
        ],
    })
}

fn words(chance: &mut SeededRandom, count: u64) -> String {
    let words: Vec<String> = (0..count).map(|_| word(chance.next_below(WORDS))).collect();
    words.join(" ")
}
