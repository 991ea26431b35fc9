//! Customer: addresses and their uses, a unique email address, and a password outside of the document.
//!
//! `password` and `token` have the data stored outside of documents; `sign_in`, `password`, `reset_password`
//! and `confirm_email` the separate endpoints.
//!
//! Source: reference types `CustomerDraft`, `Customer`, `Customer…Action`; public documentation, "Customers
//! overview" (uniqueness, case of email addresses).

mod anonymous;
mod confirm_email;
mod email;
mod password;
mod reset_password;
mod sign_in;
mod stores;
mod token;

use crate::address_book::{self as address, AddressPurpose, CUSTOMER};
use crate::cart::{self, SignInInput};
use crate::group_assignments as groups;
use crate::locale_of_project::admit_locale;
use kontor_engine::document::text;
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Document, Effects, EndpointHandler, RefusalReason, Rules,
    UniqueKey,
};
use kontor_enums::AuthenticationMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(crate) struct Customer;

impl Behaviour for Customer {
    fn resource(&self) -> &'static str {
        "Customer"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addAddress", |context, sent| address::add(context, sent, &CUSTOMER)),
            ("changeAddress", |context, sent| address::change(context, sent, &CUSTOMER)),
            ("removeAddress", |context, sent| address::remove(context, sent, &CUSTOMER)),
            ("addShippingAddressId", |context, sent| {
                address::use_for(context, sent, &CUSTOMER, AddressPurpose::Shipping)
            }),
            ("removeShippingAddressId", |context, sent| {
                address::stop_using(context, sent, &CUSTOMER, AddressPurpose::Shipping)
            }),
            ("setDefaultShippingAddress", |context, sent| {
                address::set_default(context, sent, &CUSTOMER, AddressPurpose::Shipping)
            }),
            ("addBillingAddressId", |context, sent| {
                address::use_for(context, sent, &CUSTOMER, AddressPurpose::Billing)
            }),
            ("removeBillingAddressId", |context, sent| {
                address::stop_using(context, sent, &CUSTOMER, AddressPurpose::Billing)
            }),
            ("setDefaultBillingAddress", |context, sent| {
                address::set_default(context, sent, &CUSTOMER, AddressPurpose::Billing)
            }),
            ("changeEmail", email::change),
            ("setAuthenticationMode", password::set_authentication_mode),
            ("addCustomerGroupAssignment", |context, sent| {
                groups::add(context, sent, "CustomerGroupAssignmentAdded")
            }),
            ("removeCustomerGroupAssignment", |context, sent| {
                groups::remove(context, sent, "CustomerGroupAssignmentRemoved")
            }),
            ("setCustomerNumber", set_customer_number),
            ("addStore", stores::add),
        ]
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[
            ("login", sign_in::LOGIN),
            ("myLogin", sign_in::LOGIN),
            ("changePassword", password::CHANGE),
            ("changeMyPassword", password::CHANGE_MINE),
            ("resetMyPassword", reset_password::RESET),
            ("confirmMyEmail", confirm_email::CONFIRM),
            ("createPasswordToken", reset_password::CREATE_TOKEN),
            ("withPasswordToken", reset_password::BY_TOKEN),
            ("resetPassword", reset_password::RESET),
            ("createEmailToken", confirm_email::CREATE_TOKEN),
            ("withEmailToken", confirm_email::BY_TOKEN),
            ("confirmEmail", confirm_email::CONFIRM),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        // A sign-up below `/me` cannot set these fields.
        after.entry("isEmailVerified").or_insert(Value::Bool(false));
        after.entry("authenticationMode").or_insert_with(|| json!(AuthenticationMode::Password));
        address::complete(after, draft, rules)?;
        password::complete(after, draft, effects)?;
        let session = text(draft, &["anonymousId"]).or_else(|| anonymous::anonymous_session(rules));
        if let Some(session) = session {
            anonymous::take_over(after, session, rules, effects)?;
        }
        cart::sign_in(&SignInInput { customer: after, is_new: true, input: draft, session }, rules, effects)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        email::check_email(after)?;
        email::admit_scope(before, after, rules)?;
        address::admit_keys(after)?;
        groups::remove_duplicates(after);
        stores::remove_duplicates(after);
        admit_locale(before, after, rules)?;
        if before.is_some_and(|before| before.get("email") != after.get("email")) {
            // They were sent to the address before.
            token::forget_all(after, rules, effects)?;
        }
        match before {
            Some(before) if before.get("customerGroup") != after.get("customerGroup") => {
                cart::follow_group(after, rules, effects)
            }
            _ => Ok(()),
        }
    }

    fn is_in_each_store(&self, customer: &Document) -> bool {
        email::is_global(customer)
    }

    fn stored_secret_hashes(&self, customer: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
        password::stored_hash(customer, rules)
    }

    fn before_delete(&self, customer: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        password::delete_hash(customer, rules, effects)?;
        token::forget_all(customer, rules, effects)
    }

    fn unique_keys(&self, customer: &Document) -> Vec<UniqueKey> {
        email::unique_keys(customer)
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        email::duplicate_email_error(refused)
    }
}

/// `setCustomerNumber`: once (reference type `CustomerSetCustomerNumberAction`).
fn set_customer_number(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let given = arguments.get("customerNumber");
    match (context.document.get("customerNumber"), given) {
        (None, Some(given)) => {
            context.document.insert("customerNumber", given.clone());
            Ok(())
        }
        (current, given) if current == given => Ok(()),
        _ => Err(ApiError::invalid_operation(format!(
            "{}: the customerNumber cannot be changed once it is set.",
            context.place
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;

    #[test]
    fn the_customer_number_is_set_once() {
        let shop = TestShop::new();
        let customer =
            shop.create("customer", json!({"email": "a@example.com", "password": "hash"})).unwrap();
        let set = |number: &str| json!([{"action": "setCustomerNumber", "customerNumber": number}]);
        let (customer, _) = shop.update("customer", &customer, set("c-1")).unwrap();
        assert_eq!(customer["customerNumber"], "c-1");
        assert_eq!(shop.update("customer", &customer, set("c-1")).unwrap().0, customer);
        let error = shop.update("customer", &customer, set("c-2")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
    }

    #[test]
    fn a_locale_is_a_language_of_the_project() {
        let draft = |locale: &str| json!({"email": "a@example.com", "password": "hash", "locale": locale});
        assert_eq!(TestShop::new().create("customer", draft("de")).unwrap()["locale"], "de");
        let error = TestShop::new().create("customer", draft("fr")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
    }
}
