//! Business Unit Search: the table of indexed fields. Source: Document B, "Business Unit Search".

use super::flat::Content::{Keyword, Long, Moment, Text};
use super::flat::{Column, FlatSearch, Table};

/// The version of the conversion into entries; increase it with every change of the result.
const CODE: u64 = 1;

const TABLE: Table = Table {
    columns: &[&[
        Column::new("createdAt", &["createdAt"], Moment),
        Column::new("lastModifiedAt", &["lastModifiedAt"], Moment),
        Column::new("version", &["version"], Long),
        Column::new("unitType", &["unitType"], Keyword),
        Column::new("status", &["status"], Keyword),
        Column::new("storeMode", &["storeMode"], Keyword),
        Column::new("stores.key", &["stores", "key"], Keyword),
        Column::new("inheritedStores.key", &["inheritedStores", "key"], Keyword),
        Column::new("key", &["key"], Text),
        Column::new("name", &["name"], Text),
        Column::new("contactEmail", &["contactEmail"], Text),
        Column::new("topLevelUnitKey", &["topLevelUnit", "key"], Text),
        Column::new("parentUnitKey", &["parentUnit", "key"], Text),
        Column::new("addresses.city", &["addresses", "city"], Text),
        Column::new("addresses.company", &["addresses", "company"], Text),
        Column::new("addresses.country", &["addresses", "country"], Text),
        Column::new("addresses.firstName", &["addresses", "firstName"], Text),
        Column::new("addresses.lastName", &["addresses", "lastName"], Text),
        Column::new("addresses.mobile", &["addresses", "mobile"], Text),
        Column::new("addresses.phone", &["addresses", "phone"], Text),
        Column::new("addresses.postalCode", &["addresses", "postalCode"], Text),
        Column::new("addresses.streetName", &["addresses", "streetName"], Text),
        Column::new("addresses.streetNumber", &["addresses", "streetNumber"], Text),
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
