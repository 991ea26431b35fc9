//! Search entries from a fixed seed: products of four variants of four prices, or resources without children.

use kontor_search::{EntryNode, FieldKind, FieldLevel, NodeValue, SearchEntry, SearchField, SearchValue};

/// The number of different words in names and descriptions; words of low number are more frequent.
const WORDS: u64 = 8_000;
const CATEGORIES: u64 = 200;
const BRANDS: u64 = 120;
pub(crate) const COLORS: u64 = 24;
const SIZES: u64 = 16;
/// Currency and country of the prices of a variant.
pub(crate) const MARKETS: [(&str, &str); 4] = [("EUR", "DE"), ("EUR", "FR"), ("USD", "US"), ("GBP", "GB")];
const VARIANTS: u64 = 4;

/// The shape of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CatalogShape {
    Products,
    OneLevel,
}

impl CatalogShape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::OneLevel => "one-level entries",
        }
    }
}

/// The fields, and entries by number.
pub(crate) struct Catalog {
    pub(super) shape: CatalogShape,
    pub(super) name: SearchField,
    pub(super) description: SearchField,
    pub(super) categories: SearchField,
    pub(super) brand: SearchField,
    pub(super) created: SearchField,
    pub(super) sku: SearchField,
    pub(super) color: SearchField,
    pub(super) size: SearchField,
    pub(super) on_stock: SearchField,
    pub(super) currency: SearchField,
    pub(super) country: SearchField,
    pub(super) cents: SearchField,
}

/// A pseudo-random generator with a fixed seed.
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1))
    }

    pub(crate) fn next_below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % most
    }

    /// Returns a number below `most`; small numbers are more frequent.
    pub(crate) fn skewed(&mut self, most: u64) -> u64 {
        let (one, other) = (self.next_below(most), self.next_below(most));
        one * other / most * self.next_below(most) / most
    }
}

/// A word that looks like one.
pub(crate) fn word(mut number: u64) -> String {
    let syllables = ["ka", "lo", "mi", "ru", "te", "sa", "no", "vi", "da", "pe"];
    let mut word = String::from("w");
    loop {
        word.push_str(syllables[(number % 10) as usize]);
        number /= 10;
        if number == 0 {
            return word;
        }
    }
}

fn words(chance: &mut SeededRandom, count: u64) -> String {
    let words: Vec<String> = (0..count).map(|_| word(chance.skewed(WORDS))).collect();
    words.join(" ")
}

pub(crate) fn category(number: u64) -> String {
    format!("category-{number:04}")
}

/// The names of all categories.
pub(crate) fn categories() -> impl Iterator<Item = String> {
    (0..CATEGORIES).map(category)
}

impl Catalog {
    pub(crate) fn new(shape: CatalogShape) -> Self {
        let field = |name: &str, level, kind| SearchField { name: name.into(), language: None, level, kind };
        let text = |name: &str| SearchField {
            language: Some("en".into()),
            ..field(name, FieldLevel::Root, FieldKind::Text)
        };
        let keyword = |name: &str, level| field(name, level, FieldKind::Keyword);
        Self {
            shape,
            name: text("name"),
            description: text("description"),
            categories: keyword("categories", FieldLevel::Root),
            brand: keyword("attributes.brand", FieldLevel::Root),
            created: field("createdAt", FieldLevel::Root, FieldKind::Time),
            sku: keyword("variants.sku", FieldLevel::Child),
            color: keyword("variants.attributes.color", FieldLevel::Child),
            size: keyword("variants.attributes.size", FieldLevel::Child),
            on_stock: field("variants.availability.isOnStock", FieldLevel::Child, FieldKind::Boolean),
            currency: keyword("variants.prices.currencyCode", FieldLevel::Grandchild),
            country: keyword("variants.prices.country", FieldLevel::Grandchild),
            cents: field("variants.prices.centAmount", FieldLevel::Grandchild, FieldKind::Long),
        }
    }

    /// The entry of a number, in one of its versions.
    pub(crate) fn entry(&self, number: usize, version: u64) -> SearchEntry {
        let chance = &mut SeededRandom::new(number as u64 + 1 + (version << 32));
        let value = |field: &SearchField, value| NodeValue { field: field.clone(), value };
        let text = |field: &SearchField, text: String| value(field, SearchValue::Text(text));
        let long = 5 + chance.next_below(30);
        let mut values = vec![
            text(&self.name, words(chance, 4)),
            text(&self.description, words(chance, long)),
            text(&self.brand, format!("brand-{}", chance.skewed(BRANDS))),
            value(
                &self.created,
                SearchValue::Time(1_700_000_000_000 + chance.next_below(90_000_000) as i64 * 1000),
            ),
        ];
        for _ in 0..=chance.next_below(2) {
            values.push(text(&self.categories, category(chance.skewed(CATEGORIES))));
        }
        let id = format!(
            "{:08x}-0000-4000-8000-{number:012x}",
            SeededRandom::new(number as u64).next_below(1 << 32)
        );
        let variants = if self.shape == CatalogShape::Products { VARIANTS } else { 0 };
        let children = (0..variants).map(|variant| {
            let base = 500 + chance.skewed(50_000) as i64;
            let prices = MARKETS.iter().map(|(currency, country)| EntryNode {
                values: vec![
                    text(&self.currency, (*currency).to_owned()),
                    text(&self.country, (*country).to_owned()),
                    value(&self.cents, SearchValue::Long(base + chance.next_below(400) as i64)),
                ],
                ..EntryNode::default()
            });
            let prices = prices.collect();
            EntryNode {
                label: format!("{{\"id\":{},\"sku\":\"s-{number}-{variant}\"}}", variant + 1),
                values: vec![
                    text(&self.sku, format!("s-{number}-{variant}")),
                    text(&self.color, format!("color-{}", chance.next_below(COLORS))),
                    text(&self.size, format!("size-{}", chance.next_below(SIZES))),
                    value(&self.on_stock, SearchValue::Boolean(chance.next_below(4) > 0)),
                ],
                children: prices,
            }
        });
        let children = children.collect();
        SearchEntry { id, root: EntryNode { label: String::new(), values, children } }
    }
}
