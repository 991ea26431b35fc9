//! The shipping methods of the demo shop, and their rates.

use super::furniture::in_both_languages;
use kontor_json::{Value, json};

/// Zone, currency, price of delivery, cart total from which it is free, price of express; all in cents.
const RATES: &[(&str, &str, i64, i64, i64)] = &[
    ("germany", "EUR", 4900, 100_000, 9900),
    ("britain", "GBP", 4500, 90_000, 8900),
    ("america", "USD", 5900, 120_000, 12_900),
];

/// Returns the drafts of the two shipping methods, for the zones and tax categories of the shop.
pub(crate) fn drafts() -> Vec<(&'static str, Value)> {
    let money = |currency: &str, cents: i64| json!({"currencyCode": currency, "centAmount": cents});
    let zone_rate =
        |zone: &str, rate: Value| json!({"zone": {"typeId": "zone", "key": zone}, "shippingRates": [rate]});
    let by_lorry = RATES.iter().map(|(zone, currency, price, free_above, _)| {
        let rate = json!({"price": money(currency, *price), "freeAbove": money(currency, *free_above)});
        zone_rate(zone, rate)
    });
    let at_once = RATES
        .iter()
        .map(|(zone, currency, _, _, price)| zone_rate(zone, json!({"price": money(currency, *price)})));
    let taxed = json!({"typeId": "tax-category", "key": "standard"});
    vec![
        (
            "shipping-method",
            json!({"key": "delivery", "name": "Delivery", "localizedName": in_both_languages("Delivery to the room", "Lieferung bis ins Zimmer"),
                "localizedDescription": in_both_languages("Within two weeks", "Innerhalb von zwei Wochen"), "carrier": "Nordspedition",
                "taxCategory": taxed, "isDefault": true, "zoneRates": by_lorry.collect::<Vec<_>>()}),
        ),
        (
            "shipping-method",
            json!({"key": "express", "name": "Express", "localizedName": in_both_languages("Express", "Express"),
                "localizedDescription": in_both_languages("Within three days", "Innerhalb von drei Tagen"), "carrier": "Nordspedition",
                "taxCategory": taxed, "isDefault": false, "zoneRates": at_once.collect::<Vec<_>>()}),
        ),
    ]
}
