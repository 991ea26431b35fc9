//! Business Unit Search: the table of indexed fields. Source: Document B, "Business Unit Search".

use super::flat::ColumnContent::{Keyword, Long, Moment, Text};
use super::flat::{FlatColumn, FlatFieldTable, FlatSearch};

/// The version of the conversion into entries; increase it with every change of the result.
const CODE: u64 = 1;

const TABLE: FlatFieldTable = FlatFieldTable {
    columns: &[&[
        FlatColumn::new("createdAt", &["createdAt"], Moment),
        FlatColumn::new("lastModifiedAt", &["lastModifiedAt"], Moment),
        FlatColumn::new("version", &["version"], Long),
        FlatColumn::new("unitType", &["unitType"], Keyword),
        FlatColumn::new("status", &["status"], Keyword),
        FlatColumn::new("storeMode", &["storeMode"], Keyword),
        FlatColumn::new("stores.key", &["stores", "key"], Keyword),
        FlatColumn::new("inheritedStores.key", &["inheritedStores", "key"], Keyword),
        FlatColumn::new("key", &["key"], Text),
        FlatColumn::new("name", &["name"], Text),
        FlatColumn::new("contactEmail", &["contactEmail"], Text),
        FlatColumn::new("topLevelUnitKey", &["topLevelUnit", "key"], Text),
        FlatColumn::new("parentUnitKey", &["parentUnit", "key"], Text),
        FlatColumn::new("addresses.city", &["addresses", "city"], Text),
        FlatColumn::new("addresses.company", &["addresses", "company"], Text),
        FlatColumn::new("addresses.country", &["addresses", "country"], Text),
        FlatColumn::new("addresses.firstName", &["addresses", "firstName"], Text),
        FlatColumn::new("addresses.lastName", &["addresses", "lastName"], Text),
        FlatColumn::new("addresses.mobile", &["addresses", "mobile"], Text),
        FlatColumn::new("addresses.phone", &["addresses", "phone"], Text),
        FlatColumn::new("addresses.postalCode", &["addresses", "postalCode"], Text),
        FlatColumn::new("addresses.streetName", &["addresses", "streetName"], Text),
        FlatColumn::new("addresses.streetNumber", &["addresses", "streetNumber"], Text),
    ]],
    groups: &[("addresses.", "addresses.all")],
    localized_custom_fields: false,
    customs: &[],
};

/// The rules of Business Unit Search.
pub(super) const BUSINESS_UNITS: FlatSearch = FlatSearch {
    name: "business-units",
    setting: "businessUnits",
    kind: "business-unit",
    status_action: "changeBusinessUnitSearchStatus",
    code: CODE,
    table: &TABLE,
};
