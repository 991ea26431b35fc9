//! Selects the Zone of a Shipping Method for a destination.
//!
//! A Zone with the state comes before one with the whole country. The latter also contains the states that no Zone of
//! the Shipping Method has.
//!
//! Source: reference types `Zone`, `Location`, `ZoneRate`.

use crate::destination::Destination;
use kontor_engine::document::{list, must_field};
use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;

/// How well a location fits a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LocationFit {
    Country,
    Exact,
}

/// Returns the index of the zone rate for a destination: that of the Zone that fits it best.
pub(super) fn zone_rate_for(
    method: &Document,
    to: Destination<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Option<usize>> {
    let mut best: Option<(LocationFit, usize)> = None;
    for (position, zone_rate) in list(method, &["zoneRates"]).iter().enumerate() {
        let id = must_field(&zone_rate["zone"], "id")?;
        let Some(zone) = rules.peek_type("zone", id)? else { continue };
        if let Some(fit) = fit(&zone, to)
            && best.is_none_or(|(other, _)| other < fit)
        {
            best = Some((fit, position));
        }
    }
    Ok(best.map(|(_, position)| position))
}

fn fit(zone: &Document, to: Destination<'_>) -> Option<LocationFit> {
    let locations = list(zone, &["locations"]).iter();
    let of_country = locations.filter(|location| location["country"] == to.country);
    of_country
        .filter_map(|location| match location["state"].as_str() {
            state if state == to.state => Some(LocationFit::Exact),
            None => Some(LocationFit::Country),
            Some(_) => None,
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_json::json;

    #[test]
    fn a_state_comes_before_its_country() {
        let shop = TestShop::new()
            .with_document("zone", json!({"id": "us", "locations": [{"country": "US"}, {"country": "CA"}]}))
            .with_document("zone", json!({"id": "ak", "locations": [{"country": "US", "state": "Alaska"}]}));
        let zone_rate = |id: &str| json!({"zone": {"typeId": "zone", "id": id}, "shippingRates": []});
        let found = |zones: &[&str], country, state| {
            let method =
                object(json!({"zoneRates": zones.iter().map(|id| zone_rate(id)).collect::<Vec<_>>()}));
            shop.rules(|rules| zone_rate_for(&method, Destination { country, state }, rules)).unwrap()
        };
        assert_eq!(found(&["us", "ak"], "US", Some("Alaska")), Some(1));
        assert_eq!(found(&["ak", "us"], "US", Some("Alaska")), Some(0));
        assert_eq!(found(&["ak", "us"], "US", Some("Iowa")), Some(1));
        assert_eq!(found(&["ak", "us"], "US", None), Some(1));
        assert_eq!(found(&["us"], "US", Some("Alaska")), Some(0));
        assert_eq!(found(&["ak"], "US", None), None, "a state is not the whole country");
        assert_eq!(found(&["us", "ak"], "DE", None), None);
    }
}
