//! The catalog of the demo shop: a product type, products with prices in three currencies, inventory, and customers.

use super::furniture::{SERIES, THINGS, WOODS, in_both_languages, product_key, slug};
use super::product_images::Pictures;
use kontor_json::{Value, json};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

/// The seed of the random generator: each start creates the same catalog.
const SEED: u64 = 20_270_102;
/// The password of the demo customers.
pub(crate) const PASSWORD: &str = "elm-and-tide";

/// Customers who can sign in: email address, first and last name.
pub(crate) const CUSTOMERS: &[(&str, &str, &str)] = &[
    ("ada@example.com", "Ada", "Arndt"),
    ("ben@example.com", "Ben", "Bennett"),
    ("clara@example.com", "Clara", "Carver"),
    ("farid@example.com", "Farid", "Fischer"),
];

/// Returns all drafts with their resource types, in an order in which they can be created.
pub(crate) fn drafts(pictures: &Pictures) -> Vec<(&'static str, Value)> {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut all = vec![("product-type", furniture())];
    for (number, series) in SERIES.iter().enumerate() {
        for thing in THINGS {
            product(number, series, thing, pictures, &mut random, &mut all);
        }
    }
    all.push(("product-tailoring", tailored()));
    all.extend(CUSTOMERS.iter().map(|customer| ("customer", account(customer))));
    all.push(("shopping-list", wish_list()));
    all
}

/// The shopping list of the first customer: a table with four chairs, and a text line item that no product matches.
fn wish_list() -> Value {
    let sku = |en: &str| format!("{}-{}", product_key(SERIES[0], en), WOODS[0].0);
    json!({
        "key": "first-home", "name": in_both_languages("First home", "Erste Wohnung"),
        "customer": {"typeId": "customer", "key": slug(CUSTOMERS[0].1)},
        "lineItems": [{"key": "table", "sku": sku("Table")}, {"key": "chairs", "sku": sku("Chair"), "quantity": 4}],
        "textLineItems": [{"key": "sea-view", "name": in_both_languages("A window with a view of the sea", "Ein Fenster mit Blick aufs Meer")}],
    })
}

/// Returns the key of the product that is created last.
pub(crate) fn last_product_key() -> String {
    let (series, thing) = (SERIES[SERIES.len() - 1], THINGS[THINGS.len() - 1].1);
    product_key(series, thing)
}

fn furniture() -> Value {
    let woods: Vec<Value> =
        WOODS.iter().map(|wood| json!({"key": wood.0, "label": in_both_languages(wood.1, wood.2)})).collect();
    let attribute = |name: &str, en: &str, de: &str, kind: Value, more: Value| {
        let mut definition = json!({"name": name, "label": in_both_languages(en, de), "type": kind, "isRequired": false, "isSearchable": true});
        if let (Value::Object(definition), Value::Object(more)) = (&mut definition, more) {
            definition.extend(more);
        }
        definition
    };
    json!({
        "key": "furniture", "name": "Furniture", "description": "What stands in rooms",
        "attributes": [
            attribute("wood", "Wood", "Holz", json!({"name": "lenum", "values": woods}), json!({"attributeConstraint": "CombinationUnique"})),
            attribute("series", "Series", "Serie", json!({"name": "text"}), json!({"attributeConstraint": "SameForAll"})),
            attribute("width", "Width in cm", "Breite in cm", json!({"name": "number"}), json!({})),
            attribute("handmade", "Made by hand", "Handarbeit", json!({"name": "boolean"}), json!({})),
        ],
    })
}

fn product(
    number: usize,
    series: &str,
    (category, en, de, euros): &(&str, &str, &str, i64),
    pictures: &Pictures,
    random: &mut StdRng,
    all: &mut Vec<(&'static str, Value)>,
) {
    let key = product_key(series, en);
    // Later series cost more.
    let euros = euros * (90 + number as i64 * 2) / 100;
    // Every product is available in oak.
    let count = random.random_range(1..WOODS.len());
    let mut woods = vec![&WOODS[0]];
    woods.extend(WOODS[1..].choose_multiple(random, count));
    let handmade = random.random_bool(0.3);
    let mut variants = Vec::new();
    for (wood, _, _, percent) in woods {
        let sku = format!("{key}-{wood}");
        let cents = euros * percent;
        let width = random.random_range(6..24) * 10;
        variants.push(json!({
            "sku": sku, "key": sku,
            "attributes": [
                {"name": "wood", "value": wood},
                {"name": "series", "value": series},
                {"name": "width", "value": width},
                {"name": "handmade", "value": handmade},
            ],
            "prices": prices(cents),
            "images": pictures.images_of(en, wood),
        }));
        let quantity: i64 = random.random_range(0..40);
        all.push((
            "inventory-entry",
            json!({"key": format!("{sku}-warehouse"), "sku": sku, "quantityOnStock": quantity,
                "supplyChannel": {"typeId": "channel", "key": "warehouse"}, "restockableInDays": random.random_range(5..60),
                "stockLevels": {"reorderPoint": 5}}),
        ));
    }
    let master = variants.remove(0);
    all.push((
        "product",
        json!({
            "key": key,
            "productType": {"typeId": "product-type", "key": "furniture"},
            "name": in_both_languages(&format!("{series} {en}"), &format!("{de} {series}")),
            "slug": in_both_languages(&key, &key),
            "description": in_both_languages(
                &format!("The {en} of the series {series}: solid wood, oiled, made to be repaired."),
                &format!("{de} der Serie {series}: massives Holz, geölt, zum Reparieren gebaut."),
            ),
            "categories": [{"typeId": "category", "key": category}],
            "taxCategory": {"typeId": "tax-category", "key": "standard"},
            "masterVariant": master, "variants": variants, "publish": true,
        }),
    ));
}

/// Returns a price without conditions, prices per country, and one for the customer group of the trade.
fn prices(cents: i64) -> Value {
    let money =
        |currency: &str, cents: i64| json!({"currencyCode": currency, "centAmount": cents / 100 * 100 - 1});
    json!([
        {"value": money("EUR", cents)},
        {"value": money("EUR", cents * 98 / 100), "country": "DE"},
        {"value": money("EUR", cents * 85 / 100), "country": "DE", "customerGroup": {"typeId": "customer-group", "key": "trade"}},
        {"value": money("GBP", cents * 88 / 100), "country": "GB"},
        {"value": money("USD", cents * 112 / 100), "country": "US"},
    ])
}

/// A product tailoring: other texts for one product in the store of Great Britain.
fn tailored() -> Value {
    json!({
        "key": "britain-alster-sofa",
        "store": {"typeId": "store", "key": "britain"},
        "product": {"typeId": "product", "key": product_key("Alster", "sofa")},
        "name": in_both_languages("Alster settee", "Alster Settee"),
        "description": in_both_languages("A settee of solid wood for rooms that are not large.", "Ein Sofa für kleine Räume."),
        "publish": true,
    })
}

/// Returns the key of the customer with this first name.
pub(crate) fn customer_key(first: &str) -> String {
    slug(first)
}

fn account((email, first, last): &(&str, &str, &str)) -> Value {
    json!({
        "key": customer_key(first), "email": email, "password": PASSWORD, "firstName": first, "lastName": last,
        "isEmailVerified": true, "addresses": [{"country": "DE", "city": "Hamburg", "firstName": first, "lastName": last}],
        "defaultShippingAddress": 0, "defaultBillingAddress": 0,
    })
}
