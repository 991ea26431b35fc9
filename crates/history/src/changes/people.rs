//! Change types of Customers, Business Units, Reviews and payments.

use super::shared_rows::{
    ADDRESSES, BILLING_ADDRESS_IDS, CHANGE_NAME, DEFAULT_BILLING_ADDRESS_ID, DEFAULT_SHIPPING_ADDRESS_ID,
    KEY, SET_LOCALIZED_NAME, SHIPPING_ADDRESS_IDS, STATE, STORES, copied,
};
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change};
use crate::recording_rule::{
    CUSTOM, ElementRule, FieldRow, RecordingRule, custom, element_list, list, parts, rust, silent, value,
};
use kontor_engine::{Document, MASK};
use kontor_json::{Value, json};

pub(super) const CUSTOMER: &[FieldRow] = &[
    KEY,
    value("customerNumber", change("setCustomerNumber")),
    value("externalId", change("setExternalId")),
    value("email", change("changeEmail")),
    FieldRow {
        field: "isEmailVerified",
        rule: RecordingRule::Switch { on: Some(change("verifyEmail")), off: None },
    },
    value("firstName", change("setFirstName")),
    value("lastName", change("setLastName")),
    value("middleName", change("setMiddleName")),
    value("title", change("setTitle")),
    value("salutation", change("setSalutation")),
    value("dateOfBirth", change("setDateOfBirth")),
    value("companyName", change("setCompanyName")),
    value("vatId", change("setVatId")),
    value("locale", change("setLocale")),
    value("authenticationMode", change("setAuthenticationMode")),
    value("customerGroup", change("setCustomerGroup")),
    list("customerGroupAssignments", change("setCustomerGroupAssignments")),
    element_list("addresses", &ADDRESSES),
    SHIPPING_ADDRESS_IDS,
    BILLING_ADDRESS_IDS,
    DEFAULT_SHIPPING_ADDRESS_ID,
    DEFAULT_BILLING_ADDRESS_ID,
    STORES,
    // The value is never recorded; a Message shows that it has changed.
    silent("password"),
    CUSTOM,
];

/// Changes that Messages of a Customer show, and no field.
pub(super) const PASSWORD: &[ChangeName] = &[change("setPassword")];

pub(super) fn password(message: &str, _fields: &Document, changes: &mut ChangeCollector<'_>) {
    if message == "CustomerPasswordUpdated" {
        changes.record(PASSWORD[0], None, None);
    }
}

pub(super) const ASSOCIATE_ROLE: &[FieldRow] = &[
    value("buyerAssignable", change("changeBuyerAssignable")),
    value("name", change("setName")),
    list("permissions", change("setPermissions")),
    CUSTOM,
];

pub(super) const BUSINESS_UNIT: &[FieldRow] = &[
    value("status", change("changeStatus")),
    list("stores", change("setStores")),
    list("inheritedStores", change("setInheritedStores")),
    value("storeMode", change("setStoreMode")),
    rust("unitType", UNIT_TYPE, unit_type),
    CHANGE_NAME,
    value("contactEmail", change("setContactEmail")),
    value("associateMode", change("changeAssociateMode")),
    value("approvalRuleMode", change("changeApprovalRuleMode")),
    value("parentUnit", change("changeParentUnit")),
    value("topLevelUnit", change("changeTopLevelUnit")),
    rust("associates", ASSOCIATES, associates),
    rust("inheritedAssociates", INHERITED, inherited_associates),
    list("customerGroupAssignments", change("setCustomerGroupAssignments")),
    element_list("addresses", &ADDRESSES),
    SHIPPING_ADDRESS_IDS,
    BILLING_ADDRESS_IDS,
    DEFAULT_SHIPPING_ADDRESS_ID,
    DEFAULT_BILLING_ADDRESS_ID,
    CUSTOM,
];

const UNIT_TYPE: &[ChangeName] = &[change("setUnitType")];

fn unit_type(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("unitType");
    let parent = copied(change.after, "parentUnit");
    changes.record_with(UNIT_TYPE[0], before, after, [("parentUnit", parent)]);
}

/// The platform no longer records the last two; requests may still name them.
const ASSOCIATES: &[ChangeName] =
    &[change("setAssociates"), change("changeAssociate"), change("addAssociate"), change("removeAssociate")];
const EACH_ASSOCIATE: ElementRule = ElementRule {
    by: &["customer", "id"],
    listed: Some(ASSOCIATES[0]),
    changed: Some(ASSOCIATES[1]),
    ..ElementRule::NOTHING
};

fn associates(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("associates");
    crate::compare::elements(&EACH_ASSOCIATE, before, after, changes);
}

const INHERITED: &[ChangeName] = &[
    change("setInheritedAssociates"),
    change("addInheritedAssociate"),
    change("removeInheritedAssociate"),
    change("changeInheritedAssociate"),
];

const INHERITED_EACH: ElementRule = ElementRule {
    by: &["customer", "id"],
    added: Some(INHERITED[1]),
    removed: Some(INHERITED[2]),
    changed: Some(INHERITED[3]),
    ..ElementRule::NOTHING
};

/// Another parent replaces all inherited Associates; otherwise each is recorded.
fn inherited_associates(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("inheritedAssociates");
    if change.differ("parentUnit") || change.differ("topLevelUnit") || change.differ("associateMode") {
        crate::compare::whole_list(INHERITED[0], before, after, changes);
    } else {
        crate::compare::elements(&INHERITED_EACH, before, after, changes);
    }
}

pub(super) const REVIEW: &[FieldRow] = &[
    KEY,
    value("authorName", change("setAuthorName")),
    value("title", change("setTitle")),
    value("text", change("setText")),
    value("locale", change("setLocale")),
    value("target", change("setTarget")),
    value("rating", change("setRating")),
    value("includedInStatistics", change("changeIncludedInStatistics")),
    value("customer", change("setCustomer")),
    STATE,
    silent("uniquenessValue"),
    CUSTOM,
];

pub(super) const PAYMENT: &[FieldRow] = &[
    KEY,
    value("customer", change("setCustomer")),
    value("anonymousId", change("setAnonymousId")),
    value("externalId", change("setExternalId")),
    value("interfaceId", change("setInterfaceId")),
    value("amountPlanned", change("changeAmountPlanned")),
    value("amountAuthorized", change("changeAmountAuthorized")),
    parts("paymentMethodInfo", METHOD_INFO),
    parts("paymentStatus", PAYMENT_STATUS),
    element_list("transactions", &TRANSACTIONS),
    element_list("interfaceInteractions", &INTERACTIONS),
    CUSTOM,
];

const METHOD_INFO: &[FieldRow] = &[
    value("paymentInterface", change("setMethodInfoInterface")),
    value("method", change("setMethodInfoMethod")),
    value("name", change("setMethodInfoName")),
    rust("token", TOKEN, token),
    value("interfaceAccount", change("setMethodInfoInterfaceAccount")),
    custom("custom", change("setMethodInfoCustomType"), change("setMethodInfoCustomField")),
];

const TOKEN: &[ChangeName] = &[change("setMethodInfoToken")];

/// Records that the token has changed, without its value.
fn token(change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let masked = |token: Option<&Value>| token.map(|_| json!({"value": MASK}));
    let (before, after) = change.values("token");
    changes.record(TOKEN[0], masked(before).as_ref(), masked(after).as_ref());
}

const PAYMENT_STATUS: &[FieldRow] = &[
    value("interfaceCode", change("setStatusInterfaceCode")),
    value("interfaceText", change("setStatusInterfaceText")),
    STATE,
];

const TRANSACTIONS: ElementRule = ElementRule {
    added: Some(change("addTransaction")),
    about: about_transaction,
    rows: &[
        value("timestamp", change("changeTransactionTimestamp")),
        value("interactionId", change("changeTransactionInteractionId")),
        value("interfaceId", change("setTransactionInterfaceId")),
        value("state", change("changeTransactionState")),
        custom("custom", change("setTransactionCustomType"), change("setTransactionCustomField")),
    ],
    ..ElementRule::NOTHING
};

fn about_transaction(transaction: &Document) -> Vec<(&'static str, Value)> {
    let fields = ["id", "interactionId", "timestamp"].into_iter();
    let set = fields.filter_map(|name| Some((name.to_owned(), transaction.get(name)?.clone())));
    vec![("transaction", json!(set.collect::<Document>()))]
}

const INTERACTIONS: ElementRule =
    ElementRule { by: &[], added: Some(change("addInterfaceInteraction")), ..ElementRule::NOTHING };

pub(super) const PAYMENT_METHOD: &[FieldRow] = &[KEY, SET_LOCALIZED_NAME, CUSTOM];
