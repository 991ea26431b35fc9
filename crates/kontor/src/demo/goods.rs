//! What there is to sell: things, series and woods, and what they are called.

use kontor_json::{Value, json};

/// A thing: key of its Category, names in English and German, price in euros, of one piece.
pub(crate) const THINGS: &[(&str, &str, &str, i64)] = &[
    ("sofas", "sofa", "Sofa", 1290),
    ("armchairs", "armchair", "Sessel", 690),
    ("shelves", "shelf", "Regal", 240),
    ("tables", "table", "Tisch", 890),
    ("chairs", "chair", "Stuhl", 180),
    ("benches", "bench", "Bank", 320),
    ("beds", "bed", "Bett", 990),
    ("wardrobes", "wardrobe", "Schrank", 1150),
    ("desks", "desk", "Schreibtisch", 640),
    ("lamps", "lamp", "Leuchte", 120),
    ("cabinets", "cabinet", "Kommode", 560),
];

/// Names of series. Each has one of every thing.
pub(crate) const SERIES: &[&str] = &[
    "Alster",
    "Borkum",
    "Cuxhaven",
    "Dornum",
    "Elbe",
    "Fehmarn",
    "Greetsiel",
    "Husum",
    "Ilmenau",
    "Jade",
    "Kappeln",
    "Lister",
    "Marsch",
    "Norden",
    "Oste",
    "Plön",
    "Rügen",
    "Sylt",
    "Trave",
    "Usedom",
    "Vareler",
    "Weser",
    "Zingst",
    "Amrum",
];

/// Key, English, German, factor of the price in percent.
pub(crate) const WOODS: &[(&str, &str, &str, i64)] = &[
    ("oak", "Oak", "Eiche", 100),
    ("ash", "Ash", "Esche", 95),
    ("walnut", "Walnut", "Nussbaum", 130),
    ("pine", "Pine", "Kiefer", 70),
];

/// The key of a Product, from its series and what it is in English.
pub(crate) fn product_key(series: &str, en: &str) -> String {
    format!("{}-{}", slug(&series.replace('ö', "oe").replace('ü', "ue")), slug(en))
}

/// A text in both languages.
pub(crate) fn both(en: &str, de: &str) -> Value {
    json!({"en": en, "de": de})
}

/// Lower-case letters and dashes.
pub(crate) fn slug(text: &str) -> String {
    text.to_lowercase().replace(' ', "-")
}
