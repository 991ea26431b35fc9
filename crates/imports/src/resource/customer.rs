//! Imports Customers (reference: CustomerImport). Passwords and verified emails are set only when a Customer is
//! created.

use super::address;
use crate::difference::Difference;
use crate::outcome::ImportResult;
use kontor_engine::{Document, document};
use kontor_errors::{ApiError, ApiResult};

/// Validates a Customer: a new one needs a password to sign in with, and each address its key.
pub(super) fn check(fields: &Document) -> ApiResult<()> {
    let needs_password = document::text(fields, &["authenticationMode"]) != Some("ExternalAuth");
    if needs_password && document::text(fields, &["password"]).is_none_or(str::is_empty) {
        return Err(ApiError::required_field("password"));
    }
    for (index, address) in document::list(fields, &["addresses"]).iter().enumerate() {
        if address.get("key").is_none() {
            return Err(ApiError::required_field(&format!("addresses[{index}].key")));
        }
        // Only addresses of Customers have this rule (reference type `CustomerAddress`).
        if let Some(id) = address.get("id") {
            let field = format!("addresses[{index}].id");
            return Err(ApiError::invalid_field(&field, id, "CustomerAddress has no such field.", None));
        }
    }
    Ok(())
}

pub(super) fn differ(difference: &mut Difference<'_>) -> ImportResult<()> {
    // A customer number cannot be changed once it is set.
    difference.compare_optional_fields(&[
        ("email", "changeEmail", "email"),
        ("customerNumber", "setCustomerNumber", "customerNumber"),
    ]);
    difference.compare_fields(&[
        ("firstName", "setFirstName", "firstName"),
        ("lastName", "setLastName", "lastName"),
        ("middleName", "setMiddleName", "middleName"),
        ("title", "setTitle", "title"),
        ("salutation", "setSalutation", "salutation"),
        ("externalId", "setExternalId", "externalId"),
        ("dateOfBirth", "setDateOfBirth", "dateOfBirth"),
        ("companyName", "setCompanyName", "companyName"),
        ("vatId", "setVatId", "vatId"),
        ("locale", "setLocale", "locale"),
        ("customerGroup", "setCustomerGroup", "customerGroup"),
    ]);
    difference.compare_lists(&[("stores", "setStores", "stores")]);
    address::differ(difference);
    difference.compare_custom_fields();
    Ok(())
}
