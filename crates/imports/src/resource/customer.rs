//! Customers (reference: CustomerImport). Passwords, and whether an email is verified, are of new Customers only.

use super::address;
use crate::difference::Difference;
use crate::outcome::Result;

pub(super) fn differ(difference: &mut Difference<'_>) -> Result<()> {
    // A number that is set once stays.
    difference.keep(&[
        ("email", "changeEmail", "email"),
        ("customerNumber", "setCustomerNumber", "customerNumber"),
    ]);
    difference.set(&[
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
    difference.set_lists(&[("stores", "setStores", "stores")]);
    address::differ(difference);
    difference.custom();
    Ok(())
}
