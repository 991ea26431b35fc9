//! The Products of the comparison with OpenSearch, from a fixed seed: four Product Variants with five Attributes and
//! nine prices each, and five Attributes of the Product.

use crate::search::{SeededRandom, word};
use kontor_json::{Value, json};

/// The prices of a Product Variant.
pub(super) const MARKETS: [(&str, &str); 9] = [
    ("EUR", "DE"),
    ("EUR", "FR"),
    ("EUR", "IT"),
    ("EUR", "ES"),
    ("EUR", "AT"),
    ("USD", "US"),
    ("GBP", "GB"),
    ("CHF", "CH"),
    ("SEK", "SE"),
];
/// The number of Categories.
pub(super) const CATEGORIES: u64 = 200;
pub(super) const COLORS: u64 = 24;
pub(super) const SIZES: u64 = 16;
/// Grams, at most.
pub(super) const WEIGHT_MAX: u64 = 5_000;
/// Prices are below: most of them far below.
const CENTS_MAX: u64 = 60_000;
/// The number of different words in names; words of low number are more frequent.
const WORDS: u64 = 8_000;
const VARIANTS: u64 = 4;

pub(super) struct SampleProduct {
    pub(super) key: String,
    pub(super) name: String,
    description: String,
    /// Their numbers.
    categories: Vec<u64>,
    /// Attributes of the Product that are texts.
    texts: Vec<(&'static str, String)>,
    weight: u64,
    variants: Vec<SampleVariant>,
}

struct SampleVariant {
    sku: String,
    /// Attributes that are texts.
    texts: Vec<(&'static str, String)>,
    length: u64,
    /// Cents, as [`MARKETS`] are listed.
    prices: Vec<u64>,
}

/// Returns a word for names. No language's stemmer shortens it.
pub(super) fn name_word(number: u64) -> String {
    format!("{}x", word(number))
}

/// Returns a random word for names; words of low number are more frequent.
pub(super) fn some_word(chance: &mut SeededRandom) -> String {
    name_word(chance.skewed(WORDS))
}

pub(super) fn color(number: u64) -> String {
    format!("color-{number:02}")
}

pub(super) fn size(number: u64) -> String {
    format!("size-{number:02}")
}

pub(super) fn category(number: u64) -> String {
    format!("category-{number:03}")
}

impl SampleProduct {
    /// That of a number.
    pub(super) fn new(number: usize) -> Self {
        let chance = &mut SeededRandom::new(number as u64 + 1);
        let words = |chance: &mut SeededRandom, count: u64| {
            (0..count).map(|_| some_word(chance)).collect::<Vec<_>>().join(" ")
        };
        let long = 5 + chance.next_below(30);
        Self {
            key: format!("p{number:07}"),
            name: words(chance, 4),
            description: words(chance, long),
            categories: vec![chance.skewed(CATEGORIES), chance.next_below(CATEGORIES)],
            texts: vec![
                ("brand", format!("brand-{:03}", chance.skewed(120))),
                ("material", format!("material-{:02}", chance.next_below(30))),
                ("season", format!("season-{}", chance.next_below(4))),
                ("gender", format!("gender-{}", chance.next_below(3))),
            ],
            weight: chance.next_below(WEIGHT_MAX),
            variants: (0..VARIANTS).map(|variant| SampleVariant::new(number, variant, chance)).collect(),
        }
    }

    /// Returns the ProductDraft for Kontor.
    pub(super) fn draft(&self) -> Value {
        let mut variants = self.variants.iter().map(SampleVariant::draft);
        let master = variants.next();
        let mut attributes: Vec<Value> = self.texts.iter().map(attribute).collect();
        attributes.push(json!({"name": "weight", "value": self.weight}));
        let mut categories = self.categories.clone();
        categories.dedup();
        let categories: Vec<Value> =
            categories.iter().map(|number| json!({"key": category(*number)})).collect();
        json!({
            "key": self.key,
            "productType": {"key": "bench"},
            "name": {"en": self.name},
            "slug": {"en": self.key},
            "description": {"en": self.description},
            "categories": categories,
            "attributes": attributes,
            "masterVariant": master,
            "variants": variants.collect::<Vec<_>>(),
            "publish": true,
        })
    }

    /// Returns the document for OpenSearch: with nested variants and prices, or (`is_tuned`) with a price field for
    /// each market and facet fields at the root.
    pub(super) fn document(&self, category_ids: &[String], is_tuned: bool) -> Value {
        let categories: Vec<&String> =
            self.categories.iter().filter_map(|number| category_ids.get(*number as usize)).collect();
        let mut document = json!({
            "key": self.key, "name": self.name, "description": self.description, "categories": categories,
            "weight": self.weight,
        });
        for (name, value) in &self.texts {
            document[*name] = json!(value);
        }
        document["variants"] = self.variants.iter().map(|variant| variant.document(is_tuned)).collect();
        if is_tuned {
            for (at, field) in ["colors", "sizes"].into_iter().enumerate() {
                let mut values: Vec<&String> =
                    self.variants.iter().map(|variant| &variant.texts[at].1).collect();
                values.sort_unstable();
                values.dedup();
                document[field] = json!(values);
            }
            for (at, market) in MARKETS.iter().enumerate() {
                let cents: Vec<u64> = self.variants.iter().map(|variant| variant.prices[at]).collect();
                document[market_field(*market)] = json!(cents);
            }
        }
        document
    }
}

/// The field of a market's prices in a mapping that was tuned.
pub(super) fn market_field((currency, country): (&str, &str)) -> String {
    format!("cents_{currency}_{country}")
}

fn attribute((name, value): &(&'static str, String)) -> Value {
    json!({"name": name, "value": value})
}

impl SampleVariant {
    fn new(number: usize, variant: u64, chance: &mut SeededRandom) -> Self {
        let base = 500 + chance.skewed(CENTS_MAX - 1_000);
        Self {
            sku: format!("s-{number}-{variant}"),
            texts: vec![
                ("color", color(chance.next_below(COLORS))),
                ("size", size(chance.next_below(SIZES))),
                ("fit", format!("fit-{}", chance.next_below(5))),
                ("pattern", format!("pattern-{}", chance.next_below(12))),
            ],
            length: chance.next_below(200),
            prices: MARKETS.iter().map(|_| base + chance.next_below(400)).collect(),
        }
    }

    fn draft(&self) -> Value {
        let prices = MARKETS.iter().zip(&self.prices).map(|((currency, country), cents)| {
            json!({"value": {"currencyCode": currency, "centAmount": cents}, "country": country})
        });
        let mut attributes: Vec<Value> = self.texts.iter().map(attribute).collect();
        attributes.push(json!({"name": "length", "value": self.length}));
        json!({"sku": self.sku, "attributes": attributes, "prices": prices.collect::<Vec<_>>()})
    }

    fn document(&self, is_tuned: bool) -> Value {
        let mut document = json!({"sku": self.sku, "length": self.length});
        for (name, value) in &self.texts {
            document[*name] = json!(value);
        }
        for (market, cents) in MARKETS.iter().zip(&self.prices) {
            match is_tuned {
                true => document[market_field(*market)] = json!(cents),
                false => {
                    let price = json!({"currency": market.0, "country": market.1, "cents": cents});
                    match document["prices"].as_array_mut() {
                        Some(prices) => prices.push(price),
                        None => document["prices"] = json!([price]),
                    }
                }
            }
        }
        document
    }
}

/// The draft of the Product Type of all Products.
pub(super) fn product_type() -> Value {
    let attribute = |name: &str, kind: &str, level: &str| {
        json!({"name": name, "label": {"en": name}, "type": {"name": kind}, "level": level, "isRequired": false,
               "isSearchable": true})
    };
    let attributes = [
        attribute("brand", "text", "Product"),
        attribute("material", "text", "Product"),
        attribute("season", "text", "Product"),
        attribute("gender", "text", "Product"),
        attribute("weight", "number", "Product"),
        attribute("color", "text", "Variant"),
        attribute("size", "text", "Variant"),
        attribute("fit", "text", "Variant"),
        attribute("pattern", "text", "Variant"),
        attribute("length", "number", "Variant"),
    ];
    json!({"key": "bench", "name": "Bench", "description": "Measured", "attributes": attributes})
}
