//! Customer Search: the table of indexed fields. Source: public documentation, "Customer Search"; where it is
//! incomplete, the fields of the Customer.

use super::flat::Content::{Boolean, Day, Keyword, Long, Moment, Text};
use super::flat::{Column, FlatSearch, Table};

/// The version of the conversion into entries; increase it with every change of the result.
const CODE: u64 = 2;

const TABLE: Table = Table {
    columns: &[&[
        Column::new("id", &["id"], Keyword),
        Column::new("key", &["key"], Text),
        Column::new("version", &["version"], Long),
        Column::new("createdAt", &["createdAt"], Moment),
        Column::new("lastModifiedAt", &["lastModifiedAt"], Moment),
        Column::new("dateOfBirth", &["dateOfBirth"], Day),
        Column::new("isEmailVerified", &["isEmailVerified"], Boolean),
        Column::new("authenticationMode", &["authenticationMode"], Keyword),
        Column::new("locale", &["locale"], Keyword),
        Column::new("customerNumber", &["customerNumber"], Text),
        Column::new("externalId", &["externalId"], Text),
        Column::new("email", &["email"], Text),
        Column::new("firstName", &["firstName"], Text),
        Column::new("middleName", &["middleName"], Text),
        Column::new("lastName", &["lastName"], Text),
        Column::new("title", &["title"], Text),
        Column::new("salutation", &["salutation"], Text),
        Column::new("companyName", &["companyName"], Text),
        Column::new("vatId", &["vatId"], Text),
        Column::new("customerGroup.id", &["customerGroup", "id"], Keyword),
        Column::new(
            "customerGroupAssignments.customerGroup.id",
            &["customerGroupAssignments", "customerGroup", "id"],
            Keyword,
        ),
        Column::new("stores.key", &["stores", "key"], Keyword),
        Column::new("addresses.id", &["addresses", "id"], Keyword),
        Column::new("addresses.key", &["addresses", "key"], Text),
        Column::new("addresses.title", &["addresses", "title"], Text),
        Column::new("addresses.salutation", &["addresses", "salutation"], Text),
        Column::new("addresses.firstName", &["addresses", "firstName"], Text),
        Column::new("addresses.lastName", &["addresses", "lastName"], Text),
        Column::new("addresses.streetName", &["addresses", "streetName"], Text),
        Column::new("addresses.streetNumber", &["addresses", "streetNumber"], Text),
        Column::new("addresses.additionalStreetInfo", &["addresses", "additionalStreetInfo"], Text),
        Column::new("addresses.postalCode", &["addresses", "postalCode"], Text),
        Column::new("addresses.city", &["addresses", "city"], Text),
        Column::new("addresses.region", &["addresses", "region"], Text),
        Column::new("addresses.state", &["addresses", "state"], Text),
        Column::new("addresses.country", &["addresses", "country"], Text),
        Column::new("addresses.company", &["addresses", "company"], Text),
        Column::new("addresses.department", &["addresses", "department"], Text),
        Column::new("addresses.building", &["addresses", "building"], Text),
        Column::new("addresses.apartment", &["addresses", "apartment"], Text),
        Column::new("addresses.pOBox", &["addresses", "pOBox"], Text),
        Column::new("addresses.phone", &["addresses", "phone"], Text),
        Column::new("addresses.mobile", &["addresses", "mobile"], Text),
        Column::new("addresses.fax", &["addresses", "fax"], Text),
        Column::new("addresses.externalId", &["addresses", "externalId"], Text),
        Column::new("addresses.additionalAddressInfo", &["addresses", "additionalAddressInfo"], Text),
        Column::new("addresses.email", &["addresses", "email"], Text),
    ]],
    groups: &[("addresses.", "addresses.all")],
    localized_custom_fields: true,
    customs: &[],
};

/// The rules of Customer Search.
pub(super) const CUSTOMERS: FlatSearch = FlatSearch {
    name: "customers",
    setting: "customers",
    kind: "customer",
    status_action: "changeCustomerSearchStatus",
    code: CODE,
    table: &TABLE,
};
