//! Customer Search: the table of indexed fields. Source: public documentation, "Customer Search"; where it is
//! incomplete, the fields of the Customer.

use super::flat::ColumnContent::{Boolean, Day, Keyword, Long, Moment, Text};
use super::flat::{FlatColumn, FlatFieldTable, FlatSearch};

/// The version of the conversion into entries; increase it with every change of the result.
const CODE: u64 = 2;

const TABLE: FlatFieldTable = FlatFieldTable {
    columns: &[&[
        FlatColumn::new("id", &["id"], Keyword),
        FlatColumn::new("key", &["key"], Text),
        FlatColumn::new("version", &["version"], Long),
        FlatColumn::new("createdAt", &["createdAt"], Moment),
        FlatColumn::new("lastModifiedAt", &["lastModifiedAt"], Moment),
        FlatColumn::new("dateOfBirth", &["dateOfBirth"], Day),
        FlatColumn::new("isEmailVerified", &["isEmailVerified"], Boolean),
        FlatColumn::new("authenticationMode", &["authenticationMode"], Keyword),
        FlatColumn::new("locale", &["locale"], Keyword),
        FlatColumn::new("customerNumber", &["customerNumber"], Text),
        FlatColumn::new("externalId", &["externalId"], Text),
        FlatColumn::new("email", &["email"], Text),
        FlatColumn::new("firstName", &["firstName"], Text),
        FlatColumn::new("middleName", &["middleName"], Text),
        FlatColumn::new("lastName", &["lastName"], Text),
        FlatColumn::new("title", &["title"], Text),
        FlatColumn::new("salutation", &["salutation"], Text),
        FlatColumn::new("companyName", &["companyName"], Text),
        FlatColumn::new("vatId", &["vatId"], Text),
        FlatColumn::new("customerGroup.id", &["customerGroup", "id"], Keyword),
        FlatColumn::new(
            "customerGroupAssignments.customerGroup.id",
            &["customerGroupAssignments", "customerGroup", "id"],
            Keyword,
        ),
        FlatColumn::new("stores.key", &["stores", "key"], Keyword),
        FlatColumn::new("addresses.id", &["addresses", "id"], Keyword),
        FlatColumn::new("addresses.key", &["addresses", "key"], Text),
        FlatColumn::new("addresses.title", &["addresses", "title"], Text),
        FlatColumn::new("addresses.salutation", &["addresses", "salutation"], Text),
        FlatColumn::new("addresses.firstName", &["addresses", "firstName"], Text),
        FlatColumn::new("addresses.lastName", &["addresses", "lastName"], Text),
        FlatColumn::new("addresses.streetName", &["addresses", "streetName"], Text),
        FlatColumn::new("addresses.streetNumber", &["addresses", "streetNumber"], Text),
        FlatColumn::new("addresses.additionalStreetInfo", &["addresses", "additionalStreetInfo"], Text),
        FlatColumn::new("addresses.postalCode", &["addresses", "postalCode"], Text),
        FlatColumn::new("addresses.city", &["addresses", "city"], Text),
        FlatColumn::new("addresses.region", &["addresses", "region"], Text),
        FlatColumn::new("addresses.state", &["addresses", "state"], Text),
        FlatColumn::new("addresses.country", &["addresses", "country"], Text),
        FlatColumn::new("addresses.company", &["addresses", "company"], Text),
        FlatColumn::new("addresses.department", &["addresses", "department"], Text),
        FlatColumn::new("addresses.building", &["addresses", "building"], Text),
        FlatColumn::new("addresses.apartment", &["addresses", "apartment"], Text),
        FlatColumn::new("addresses.pOBox", &["addresses", "pOBox"], Text),
        FlatColumn::new("addresses.phone", &["addresses", "phone"], Text),
        FlatColumn::new("addresses.mobile", &["addresses", "mobile"], Text),
        FlatColumn::new("addresses.fax", &["addresses", "fax"], Text),
        FlatColumn::new("addresses.externalId", &["addresses", "externalId"], Text),
        FlatColumn::new("addresses.additionalAddressInfo", &["addresses", "additionalAddressInfo"], Text),
        FlatColumn::new("addresses.email", &["addresses", "email"], Text),
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
