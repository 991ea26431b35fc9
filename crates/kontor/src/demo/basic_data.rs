//! Basic data of the demo shop, a furniture maker: states, taxes, zones, types, channels, stores, categories, reviews
//! and payments. Each start creates the same.

use super::furniture::{in_both_languages, slug};
use kontor_json::{Value, json};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

/// The name of the shop.
pub(crate) const NAME: &str = "Elm & Tide";

/// The seed of the random generator.
const SEED: u64 = 20_270_101;
/// Number of reviews and of payments.
const REVIEWS: usize = 60;
const PAYMENTS: usize = 40;

/// Country, standard tax rate and reduced tax rate.
const TAXES: &[(&str, f64, f64)] = &[("DE", 0.19, 0.07), ("GB", 0.2, 0.05), ("US", 0.0, 0.0)];

/// Key, city, street, country, longitude and latitude of the physical shops.
const SHOPS: &[(&str, &str, &str, &str, f64, f64)] = &[
    ("hamburg", "Hamburg", "Große Elbstraße", "DE", 9.9411, 53.5451),
    ("leipzig", "Leipzig", "Karl-Heine-Straße", "DE", 12.3308, 51.3331),
    ("bristol", "Bristol", "Park Street", "GB", -2.6038, 51.4545),
    ("leeds", "Leeds", "Briggate", "GB", -1.5437, 53.7974),
    ("portland", "Portland", "Alder Street", "US", -122.6765, 45.5202),
];

/// A name in English and German.
type BilingualName = (&'static str, &'static str);

/// The rooms with their furniture: two levels of categories.
const ROOMS: &[(BilingualName, &[BilingualName])] = &[
    (("Living room", "Wohnzimmer"), &[("Sofas", "Sofas"), ("Armchairs", "Sessel"), ("Shelves", "Regale")]),
    (("Dining room", "Esszimmer"), &[("Tables", "Tische"), ("Chairs", "Stühle"), ("Benches", "Bänke")]),
    (("Bedroom", "Schlafzimmer"), &[("Beds", "Betten"), ("Wardrobes", "Schränke")]),
    (
        ("Study", "Arbeitszimmer"),
        &[("Desks", "Schreibtische"), ("Lamps", "Leuchten"), ("Cabinets", "Kommoden")],
    ),
];

const FIRST_NAMES: &[&str] =
    &["Ada", "Bela", "Clara", "Daniel", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kim", "Lena"];
const FAMILY_NAMES: &[&str] =
    &["Arndt", "Bennett", "Carver", "Dressler", "Ellis", "Fischer", "Grant", "Hartmann", "Irving", "Jansen"];
const PRAISE: &[&str] =
    &["Friendly people", "Lovely rooms", "Good advice", "Quick and kind", "Worth the trip"];
const BLAME: &[&str] = &["Hard to park", "A long wait", "Few sofas to try", "Closed at noon"];

/// Returns all drafts with their resource types, in an order in which they can be created.
pub(crate) fn drafts() -> Vec<(&'static str, Value)> {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut all = Vec::new();
    all.extend(states());
    all.extend(taxes_and_zones());
    all.extend(types());
    all.extend(channels(&mut random));
    all.extend(super::assortment::selections());
    all.extend(stores());
    all.extend(customer_groups());
    all.extend(categories());
    all.extend(custom_objects());
    all.extend(reviews(&mut random));
    all.extend(payments(&mut random));
    all
}

fn state(key: &str, of: &str, en: &str, de: &str, then: &[&str]) -> (&'static str, Value) {
    let transitions: Vec<Value> = then.iter().map(|key| json!({"typeId": "state", "key": key})).collect();
    let draft = json!({"key": key, "type": of, "name": in_both_languages(en, de), "initial": false, "transitions": transitions});
    ("state", draft)
}

/// Returns the states of two workflows, the final states first, because transitions refer to existing states.
fn states() -> Vec<(&'static str, Value)> {
    let payment = "PaymentState";
    let mut states = vec![
        state("payment-settled", payment, "Settled", "Beglichen", &[]),
        state("payment-failed", payment, "Failed", "Gescheitert", &[]),
        state("payment-reminded", payment, "Reminded", "Angemahnt", &["payment-settled", "payment-failed"]),
        state(
            "payment-open",
            payment,
            "Open",
            "Offen",
            &["payment-settled", "payment-reminded", "payment-failed"],
        ),
        state("review-rejected", "ReviewState", "Rejected", "Abgelehnt", &[]),
        state("review-published", "ReviewState", "Published", "Veröffentlicht", &["review-rejected"]),
        state("review-new", "ReviewState", "New", "Neu", &["review-published", "review-rejected"]),
    ];
    for (_, draft) in &mut states {
        if draft["key"] == "payment-open" || draft["key"] == "review-new" {
            draft["initial"] = json!(true);
        }
        if draft["key"] == "review-published" {
            draft["roles"] = json!(["ReviewIncludedInStatistics"]);
        }
    }
    states
}

fn taxes_and_zones() -> Vec<(&'static str, Value)> {
    let rates = |choose: fn(&(&str, f64, f64)) -> f64| -> Vec<Value> {
        let rate = |tax: &(&str, f64, f64)| {
            json!({"key": tax.0.to_lowercase(), "name": format!("{} {:.0} %", tax.0, choose(tax) * 100.0),
                "amount": choose(tax), "includedInPrice": tax.0 != "US", "country": tax.0})
        };
        TAXES.iter().map(rate).collect()
    };
    let mut drafts = vec![
        ("tax-category", json!({"key": "standard", "name": "Standard", "rates": rates(|tax| tax.1)})),
        (
            "tax-category",
            json!({"key": "reduced", "name": "Reduced", "description": "Books, for example", "rates": rates(|tax| tax.2)}),
        ),
    ];
    for (key, name, country) in
        [("germany", "Germany", "DE"), ("britain", "Great Britain", "GB"), ("america", "United States", "US")]
    {
        drafts.push(("zone", json!({"key": key, "name": name, "locations": [{"country": country}]})));
    }
    drafts
}

fn types() -> Vec<(&'static str, Value)> {
    let text = |name: &str, en: &str, de: &str| json!({"name": name, "label": in_both_languages(en, de), "required": false, "type": {"name": "String"}});
    let floors = json!({"name": "floors", "label": in_both_languages("Floors", "Etagen"), "required": false, "type": {"name": "Number"}});
    let services = json!({"name": "services", "label": in_both_languages("Services", "Leistungen"), "required": false, "type": {"name": "Set",
        "elementType": {"name": "Enum", "values": [{"key": "cafe", "label": "Café"}, {"key": "repairs", "label": "Repairs"}, {"key": "delivery", "label": "Delivery"}]}}});
    vec![
        (
            "type",
            json!({"key": "shop-details", "name": in_both_languages("Shop details", "Angaben zum Laden"), "resourceTypeIds": ["channel"],
            "fieldDefinitions": [text("openingHours", "Opening hours", "Öffnungszeiten"), floors, services]}),
        ),
        (
            "type",
            json!({"key": "review-details", "name": in_both_languages("Review details", "Angaben zur Bewertung"), "resourceTypeIds": ["review"],
            "fieldDefinitions": [text("visit", "Month of the visit", "Monat des Besuchs")]}),
        ),
    ]
}

fn channels(random: &mut StdRng) -> Vec<(&'static str, Value)> {
    let mut channels = vec![(
        "channel",
        json!({"key": "warehouse", "roles": ["InventorySupply"], "name": in_both_languages("Warehouse", "Lager"),
            "address": {"country": "DE", "city": "Bremen"}}),
    )];
    for (key, city, street, country, longitude, latitude) in SHOPS {
        let services: Vec<&str> =
            ["cafe", "repairs", "delivery"].into_iter().filter(|_| random.random_bool(0.6)).collect();
        channels.push((
            "channel",
            json!({
                "key": key,
                "roles": ["ProductDistribution", "InventorySupply"],
                "name": in_both_languages(&format!("{NAME} {city}"), &format!("{NAME} {city}")),
                "address": {"country": country, "city": city, "streetName": street, "streetNumber": random.random_range(1..120).to_string()},
                "geoLocation": {"type": "Point", "coordinates": [longitude, latitude]},
                "custom": {"type": {"typeId": "type", "key": "shop-details"}, "fields": {
                    "openingHours": format!("Mon-Sat {}:00-{}:00", random.random_range(8..11), random.random_range(17..21)),
                    "floors": random.random_range(1..4),
                    "services": services,
                }},
            }),
        ));
    }
    channels
}

fn stores() -> Vec<(&'static str, Value)> {
    let store = |key: &str, en: &str, de: &str, languages: &[&str], country: &str| {
        let channels: Vec<Value> = SHOPS
            .iter()
            .filter(|shop| shop.3 == country)
            .map(|shop| json!({"typeId": "channel", "key": shop.0}))
            .collect();
        let draft = json!({"key": key, "name": in_both_languages(en, de), "languages": languages, "countries": [{"code": country}],
            "distributionChannels": channels, "supplyChannels": [{"typeId": "channel", "key": "warehouse"}],
            "productSelections": [{"productSelection": {"typeId": "product-selection", "key": key}, "active": true}]});
        ("store", draft)
    };
    vec![
        store("germany", "Germany", "Deutschland", &["de", "en"], "DE"),
        store("britain", "Great Britain", "Großbritannien", &["en"], "GB"),
        store("america", "United States", "Vereinigte Staaten", &["en"], "US"),
    ]
}

fn customer_groups() -> Vec<(&'static str, Value)> {
    ["Trade", "Regulars", "Staff"]
        .into_iter()
        .map(|name| ("customer-group", json!({"key": slug(name), "groupName": name})))
        .collect()
}

fn categories() -> Vec<(&'static str, Value)> {
    let mut categories = Vec::new();
    for (room, ((en, de), things)) in ROOMS.iter().enumerate() {
        let parent = slug(en);
        let hint = |position: usize| format!("0.{:02}", position + 1);
        categories.push((
            "category",
            json!({"key": parent, "name": in_both_languages(en, de), "slug": in_both_languages(&parent, &parent), "orderHint": hint(room)}),
        ));
        for (thing, (en, de)) in things.iter().enumerate() {
            let slug = slug(en);
            categories.push((
                "category",
                json!({"key": slug, "name": in_both_languages(en, de), "slug": in_both_languages(&slug, &slug), "orderHint": hint(thing),
                    "parent": {"typeId": "category", "key": parent}}),
            ));
        }
    }
    categories
}

fn custom_objects() -> Vec<(&'static str, Value)> {
    vec![
        (
            "key-value-document",
            json!({"container": "storefront", "key": "banner",
            "value": {"text": in_both_languages("Oiled oak, half a year's wait", "Geöltes Eichenholz, ein halbes Jahr Wartezeit"), "visible": true}}),
        ),
        (
            "key-value-document",
            json!({"container": "storefront", "key": "opening-days", "value": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]}),
        ),
    ]
}

fn reviews(random: &mut StdRng) -> Vec<(&'static str, Value)> {
    let mut reviews = Vec::new();
    for number in 1..=REVIEWS {
        let shop = SHOPS[random.random_range(0..SHOPS.len())];
        let stars: i64 = *[1, 2, 3, 3, 4, 4, 4, 5, 5, 5].choose(random).unwrap_or(&4);
        let titles = if stars > 2 { PRAISE } else { BLAME };
        let state = *["review-published", "review-published", "review-new", "review-rejected"]
            .choose(random)
            .unwrap_or(&"review-new");
        reviews.push((
            "review",
            json!({
                "key": format!("review-{number}"),
                "authorName": person(random),
                "title": titles.choose(random).unwrap_or(&""),
                "rating": stars,
                "locale": if shop.3 == "DE" { "de" } else { "en" },
                "target": {"typeId": "channel", "key": shop.0},
                "state": {"typeId": "state", "key": state},
                "custom": {"type": {"typeId": "type", "key": "review-details"},
                    "fields": {"visit": format!("2026-{:02}", random.random_range(1..13))}},
            }),
        ));
    }
    reviews
}

fn payments(random: &mut StdRng) -> Vec<(&'static str, Value)> {
    let mut payments = Vec::new();
    for number in 1..=PAYMENTS {
        let currency = *["EUR", "EUR", "GBP", "USD"].choose(random).unwrap_or(&"EUR");
        let amount =
            json!({"currencyCode": currency, "centAmount": random.random_range(40..4_000) * 100 + 95});
        let (state, transactions) = match random.random_range(0..4) {
            0 => ("payment-open", json!([])),
            1 => ("payment-failed", json!([{"type": "Charge", "amount": amount, "state": "Failure"}])),
            _ => (
                "payment-settled",
                json!([
                    {"type": "Authorization", "amount": amount, "state": "Success"},
                    {"type": "Charge", "amount": amount, "state": "Success"},
                ]),
            ),
        };
        let (method, en, de) = *[("card", "Card", "Karte"), ("invoice", "Invoice", "Rechnung")]
            .choose(random)
            .unwrap_or(&("card", "Card", "Karte"));
        payments.push((
            "payment",
            json!({
                "key": format!("payment-{number}"),
                "interfaceId": format!("tx-{:06}", 100_000 + number),
                "amountPlanned": amount,
                "paymentMethodInfo": {"paymentInterface": "demo-pay", "method": method, "name": in_both_languages(en, de)},
                "paymentStatus": {"state": {"typeId": "state", "key": state}},
                "transactions": transactions,
            }),
        ));
    }
    payments
}

fn person(random: &mut StdRng) -> String {
    let first = FIRST_NAMES.choose(random).unwrap_or(&"");
    let family = FAMILY_NAMES.choose(random).unwrap_or(&"");
    format!("{first} {family}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_the_same_shop_each_time() {
        assert_eq!(drafts(), drafts());
    }
}
