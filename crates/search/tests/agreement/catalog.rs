//! Random entries, with few different words, so that random requests find some.

use kontor_search::{Entry, Field, Kind, Level, Node, NodeValue, Value};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// All fields of the catalog: name, language, level, kind.
const FIELDS: &[(&str, Option<&str>, Level, Kind)] = &[
    ("key", None, Level::Root, Kind::Keyword),
    ("categories", None, Level::Root, Kind::Keyword),
    ("name", Some("en"), Level::Root, Kind::Text),
    ("name", Some("de-DE"), Level::Root, Kind::Text),
    ("all", None, Level::Root, Kind::Text),
    ("created", None, Level::Root, Kind::Time),
    ("rating", None, Level::Root, Kind::Double),
    ("isNew", None, Level::Root, Kind::Boolean),
    ("views", None, Level::Root, Kind::Long),
    ("variants.sku", None, Level::Child, Kind::Keyword),
    ("variants.color", None, Level::Child, Kind::Text),
    ("variants.label", Some("zh"), Level::Child, Kind::Text),
    ("variants.stock", None, Level::Child, Kind::Long),
    ("variants.width", None, Level::Child, Kind::Double),
    ("variants.isOnStock", None, Level::Child, Kind::Boolean),
    ("variants.prices.currency", None, Level::Grandchild, Kind::Keyword),
    ("variants.prices.channel", None, Level::Grandchild, Kind::Keyword),
    ("variants.prices.id", None, Level::Grandchild, Kind::Id),
    ("variants.prices.amount", None, Level::Grandchild, Kind::Long),
    ("variants.prices.from", None, Level::Grandchild, Kind::Time),
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

pub(crate) fn field(random: &mut StdRng) -> Field {
    let (name, language, level, kind) = *pick(random, FIELDS);
    Field { name: name.into(), language: language.map(Into::into), level, kind }
}

/// Returns the field with a name.
pub(crate) fn named(wanted: &str) -> Field {
    let (name, language, level, kind) = *FIELDS.iter().find(|(name, ..)| *name == wanted).unwrap();
    Field { name: name.into(), language: language.map(Into::into), level, kind }
}

/// Returns a random field of some kinds; every kind has one.
pub(crate) fn field_of(random: &mut StdRng, kinds: &[Kind]) -> Field {
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

pub(crate) fn value(random: &mut StdRng, kind: Kind) -> Value {
    match kind {
        Kind::Boolean => Value::Boolean(random.random()),
        Kind::Long => Value::Long(*pick(random, &[-5, 0, 1, 2, 3, 10, 100, 1 << 40, -(1 << 40)])),
        Kind::Double => Value::Double(*pick(random, &[-2.5, -0.0, 0.0, 0.5, 1.0, 4.5, 1e9])),
        Kind::Time => Value::Time(*pick(random, &[-1, 0, 1_000, 86_400_000, 1_706_659_200_000])),
        Kind::Keyword => Value::Text(keyword(random)),
        Kind::Id => Value::Text((*pick(random, IDS)).to_owned()),
        Kind::Text => Value::Text(text(random)),
    }
}

/// Returns a value of an entry. Numbers of some fields are close together, like prices, and of others not: an index
/// may store these in different ways.
fn held(random: &mut StdRng, field: &str, kind: Kind) -> Value {
    match field {
        "variants.stock" | "variants.prices.amount" => Value::Long(*pick(random, &[-5, 0, 1, 2, 3, 10, 100])),
        "created" => Value::Time(*pick(random, &[-1, 0, 1_000, 86_400_000])),
        _ => value(random, kind),
    }
}

pub(crate) fn entry(random: &mut StdRng, of: u32) -> Entry {
    Entry { id: id(random, of), root: node(random, Level::Root) }
}

fn node(random: &mut StdRng, level: Level) -> Node {
    let mut values: Vec<NodeValue> = Vec::new();
    for (name, language, _, kind) in FIELDS.iter().copied().filter(|field| field.2 == level) {
        let field = Field { name: name.into(), language: language.map(Into::into), level, kind };
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
        Level::Root => Some(Level::Child),
        Level::Child => Some(Level::Grandchild),
        Level::Grandchild => None,
    };
    let children = match below {
        Some(below) => (0..*pick(random, &[0, 1, 1, 2, 3])).map(|_| node(random, below)).collect(),
        None => Vec::new(),
    };
    let label =
        if level == Level::Child { format!("v{}", random.random_range(0..1000)) } else { String::new() };
    Node { label, values, children }
}
