//! Zone: a location belongs to one Zone at most.
//!
//! Source: reference type `Location`.

use kontor_engine::document::{field_or_log, list};
use kontor_engine::{Behaviour, Document, Effects, RefusalReason, Rules, UniqueKey};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The path of the unique keys that locations are.
const LOCATIONS: &str = "locations";
/// Separates country and state in a unique key. No country has it, so the first one ends the country.
const SEPARATOR: char = '/';

pub(crate) struct Zone;

impl Behaviour for Zone {
    fn resource(&self) -> &'static str {
        "Zone"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let mut seen = HashSet::new();
        match list(after, &[LOCATIONS]).iter().find(|location| !seen.insert(key_of(location))) {
            Some(twice) => Err(ApiError::duplicate_field(LOCATIONS, twice.clone())),
            None => Ok(()),
        }
    }

    fn unique_keys(&self, document: &Document) -> Vec<UniqueKey> {
        list(document, &[LOCATIONS])
            .iter()
            .map(|location| UniqueKey::new(LOCATIONS, key_of(location)))
            .collect()
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Duplicate { path: LOCATIONS, value, .. } => {
                Some(ApiError::duplicate_field(LOCATIONS, location_of(value)))
            }
            _ => None,
        }
    }
}

fn key_of(location: &Value) -> String {
    let country = field_or_log(location, "country");
    match location["state"].as_str() {
        Some(state) => format!("{country}{SEPARATOR}{state}"),
        None => country.to_owned(),
    }
}

fn location_of(key: &str) -> Value {
    match key.split_once(SEPARATOR) {
        Some((country, state)) => json!({"country": country, "state": state}),
        None => json!({"country": key}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;

    #[test]
    fn refuses_duplicate_locations_in_a_zone() {
        let shop = TestShop::new();
        let create = |locations: Value| shop.create("zone", json!({"name": "North", "locations": locations}));
        create(json!([{"country": "US"}, {"country": "US", "state": "Alaska"}, {"country": "DE"}])).unwrap();
        let error = create(json!([{"country": "DE"}, {"country": "DE"}])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }

    #[test]
    fn a_place_of_another_zone_is_a_duplicate() {
        for location in [json!({"country": "DE"}), json!({"country": "US", "state": "North/South"})] {
            let mut zone = Document::new();
            zone.insert("locations", json!([location]));
            let [UniqueKey { path, value }] = &Zone.unique_keys(&zone)[..] else {
                panic!("one key a location")
            };
            let error =
                Zone.refusal_error(RefusalReason::Duplicate { path, value, holder: "other" }).unwrap();
            assert_eq!(error.code(), Code::DuplicateField);
            assert_eq!(error.objects()[0].to_json()["duplicateValue"], location);
        }
    }
}
