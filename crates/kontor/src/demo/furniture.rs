//! The goods of the demo shop: names, keys and prices of furniture, series and woods.

use kontor_json::{Value, json};

/// A piece of furniture: key of its category, English and German name, price in euros.
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

/// The names of the series. Each series has every piece of furniture.
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

/// A wood: key, English and German name, and the factor of the price in percent.
pub(crate) const WOODS: &[(&str, &str, &str, i64)] = &[
    ("oak", "Oak", "Eiche", 100),
    ("ash", "Ash", "Esche", 95),
    ("walnut", "Walnut", "Nussbaum", 130),
    ("pine", "Pine", "Kiefer", 70),
];

/// Returns the key of a product, from its series and its English name.
pub(crate) fn product_key(series: &str, en: &str) -> String {
    format!("{}-{}", slug(&series.replace('ö', "oe").replace('ü', "ue")), slug(en))
}

/// Returns a localized string in English and German.
pub(crate) fn in_both_languages(en: &str, de: &str) -> Value {
    json!({"en": en, "de": de})
}

/// Returns a text in lower case with dashes instead of spaces.
pub(crate) fn slug(text: &str) -> String {
    text.to_lowercase().replace(' ', "-")
}
