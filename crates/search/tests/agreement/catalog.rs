//! Random entries, with few different words, so that random requests find some.

use kontor_search::{EntryNode, FieldKind, FieldLevel, NodeValue, SearchEntry, SearchField, SearchValue};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// All fields of the catalog: name, language, level, kind.
const FIELDS: &[(&str, Option<&str>, FieldLevel, FieldKind)] = &[
    ("key", None, FieldLevel::Root, FieldKind::Keyword),
    ("categories", None, FieldLevel::Root, FieldKind::Keyword),
    ("name", Some("en"), FieldLevel::Root, FieldKind::Text),
    ("name", Some("de-DE"), FieldLevel::Root, FieldKind::Text),
    ("all", None, FieldLevel::Root, FieldKind::Text),
    ("created", None, FieldLevel::Root, FieldKind::Time),
    ("rating", None, FieldLevel::Root, FieldKind::Double),
    ("isNew", None, FieldLevel::Root, FieldKind::Boolean),
    ("views", None, FieldLevel::Root, FieldKind::Long),
    ("variants.sku", None, FieldLevel::Child, FieldKind::Keyword),
    ("variants.color", None, FieldLevel::Child, FieldKind::Text),
    ("variants.label", Some("zh"), FieldLevel::Child, FieldKind::Text),
    ("variants.stock", None, FieldLevel::Child, FieldKind::Long),
    ("variants.width", None, FieldLevel::Child, FieldKind::Double),
    ("variants.isOnStock", None, FieldLevel::Child, FieldKind::Boolean),
    ("variants.prices.currency", None, FieldLevel::Grandchild, FieldKind::Keyword),
    ("variants.prices.channel", None, FieldLevel::Grandchild, FieldKind::Keyword),
    ("variants.prices.id", None, FieldLevel::Grandchild, FieldKind::Id),
    ("variants.prices.amount", None, FieldLevel::Grandchild, FieldKind::Long),
    ("variants.prices.from", None, FieldLevel::Grandchild, FieldKind::Time),
];

const KEYWORDS: &[&str] = &["a", "b", "ab", "abc", "B", "a*", "äb", "Äb", "a?b", "", "x y", "2", "10"];
/// Some ids have the same last four bytes, and in some these begin inside of a character.
const IDS: &[&str] =
    &["12345678", "a-12345678", "b-12345678", "B-12345678", "ä567", "ö567", "ABC", "abc", ""];
const WORDS: &[&str] = &[
    "red",
    "Red",
    "shoe",
    "shoes",
    "running",
    "run",
    "the",
    "Größe",
    "grosse",
    "Häuser",
    "Haus",
    "T-Shirt",
    "shrit",
    "a",
    "運動鞋",
    "運動",
    "鞋子",
    "…",
    "blue",
    "blues",
    "ελιά",
    "universal",
    "university",
];

pub(crate) fn field(random: &mut StdRng) -> SearchField {
    let (name, language, level, kind) = *pick(random, FIELDS);
    SearchField { name: name.into(), language: language.map(Into::into), level, kind }
}

/// Returns the field with a name.
pub(crate) fn named(wanted: &str) -> SearchField {
    let (name, language, level, kind) = *FIELDS.iter().find(|(name, ..)| *name == wanted).unwrap();
    SearchField { name: name.into(), language: language.map(Into::into), level, kind }
}

/// Returns a random field of some kinds; every kind has one.
pub(crate) fn field_of(random: &mut StdRng, kinds: &[FieldKind]) -> SearchField {
    loop {
        let field = field(random);
        if kinds.contains(&field.kind) {
            return field;
        }
    }
}

pub(crate) fn pick<'a, T>(random: &mut StdRng, all: &'a [T]) -> &'a T {
    all.choose(random).unwrap()
}

/// Returns one of `of` ids.
pub(crate) fn id(random: &mut StdRng, of: u32) -> String {
    format!("id-{}", random.random_range(0..of))
}

/// Returns a text of a few words.
pub(crate) fn text(random: &mut StdRng) -> String {
    let words: Vec<&str> = (0..random.random_range(0..4)).map(|_| *pick(random, WORDS)).collect();
    words.join(" ")
}

pub(crate) fn keyword(random: &mut StdRng) -> String {
    (*pick(random, KEYWORDS)).to_owned()
}

pub(crate) fn value(random: &mut StdRng, kind: FieldKind) -> SearchValue {
    match kind {
        FieldKind::Boolean => SearchValue::Boolean(random.random()),
        FieldKind::Long => SearchValue::Long(*pick(random, &[-5, 0, 1, 2, 3, 10, 100, 1 << 40, -(1 << 40)])),
        FieldKind::Double => SearchValue::Double(*pick(random, &[-2.5, -0.0, 0.0, 0.5, 1.0, 4.5, 1e9])),
        FieldKind::Time => SearchValue::Time(*pick(random, &[-1, 0, 1_000, 86_400_000, 1_706_659_200_000])),
        FieldKind::Keyword => SearchValue::Text(keyword(random)),
        FieldKind::Id => SearchValue::Text((*pick(random, IDS)).to_owned()),
        FieldKind::Text => SearchValue::Text(text(random)),
    }
}

/// Returns a value of an entry. Numbers of some fields are close together, like prices, and of others not: an index
/// may store these in different ways.
fn held(random: &mut StdRng, field: &str, kind: FieldKind) -> SearchValue {
    match field {
        "variants.stock" | "variants.prices.amount" => {
            SearchValue::Long(*pick(random, &[-5, 0, 1, 2, 3, 10, 100]))
        }
        "created" => SearchValue::Time(*pick(random, &[-1, 0, 1_000, 86_400_000])),
        _ => value(random, kind),
    }
}

pub(crate) fn entry(random: &mut StdRng, of: u32) -> SearchEntry {
    SearchEntry { id: id(random, of), root: node(random, FieldLevel::Root) }
}

fn node(random: &mut StdRng, level: FieldLevel) -> EntryNode {
    let mut values: Vec<NodeValue> = Vec::new();
    for (name, language, _, kind) in FIELDS.iter().copied().filter(|field| field.2 == level) {
        let field = SearchField { name: name.into(), language: language.map(Into::into), level, kind };
        for _ in 0..*pick(random, &[0, 1, 1, 1, 2]) {
            let value = NodeValue { field: field.clone(), value: held(random, name, kind) };
            // The values of a node are sets.
            if !values
                .iter()
                .any(|other| other.field == value.field && other.value.compare(&value.value).is_eq())
            {
                values.push(value);
            }
        }
    }
    let below = match level {
        FieldLevel::Root => Some(FieldLevel::Child),
        FieldLevel::Child => Some(FieldLevel::Grandchild),
        FieldLevel::Grandchild => None,
    };
    let children = match below {
        Some(below) => (0..*pick(random, &[0, 1, 1, 2, 3])).map(|_| node(random, below)).collect(),
        None => Vec::new(),
    };
    let label =
        if level == FieldLevel::Child { format!("v{}", random.random_range(0..1000)) } else { String::new() };
    EntryNode { label, values, children }
}
