//! Customers (reference: CustomerImport). Passwords, and whether an email is verified, are of new Customers only.

use super::address;
use crate::difference::Difference;
use crate::outcome::Result;

pub(super) fn differ(difference: &mut Difference<'_>) -> Result<()> {
    difference.keep(&[("email", "changeEmail", "email")]);
    difference.set(&[
        ("customerNumber", "setCustomerNumber", "customerNumber"),
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
