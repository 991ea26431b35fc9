//! The recorded kinds, and the change type of each of their fields: the tables of Change History, in one
//! place. Start at [`KINDS`].
//!
//! A row maps a field of the document to a change type (reference: the `…Change` types). Changes follow from
//! the document before and after; update actions matter only if two of them have the same effect.

mod buying;
mod catalog;
mod line_item;
mod order;
mod people;
mod prices;
mod settings;
mod shared_rows;
mod shipping;

use crate::compare::document;
use crate::diff::ChangeCollector;
use crate::diff::ChangeName;
use crate::json_writer::JsonListWriter;
use crate::label::Label;
use crate::recording_rule::{FieldRow, names};
use kontor_engine::{Document, RecordedChange};

/// A kind whose changes are recorded.
pub(crate) struct RecordedKind {
    /// Its name in references (reference type `ChangeHistoryResourceType`).
    pub(crate) type_id: &'static str,
    /// Its name in paths.
    pub(crate) path: &'static str,
    /// The label of a document.
    pub(crate) label: Label,
    rows: &'static [FieldRow],
    /// Changes that Messages show, and no field, with the function that records them.
    message_changes: Option<(&'static [ChangeName], MessageRecorder)>,
}

/// Records the changes of a Message with its fields.
type MessageRecorder = fn(&str, &Document, &mut ChangeCollector<'_>);

impl RecordedKind {
    /// Returns the changes of a document of the kind. Derived changes are recorded only if they are
    /// documented.
    pub(crate) fn changes(&self, change: &RecordedChange<'_>) -> JsonListWriter {
        let (Some(before), Some(after)) = (change.before, change.after) else { return JsonListWriter::new() };
        let mut told = ChangeCollector::new(crate::diff::ObjectChange { before, after }, change.actions);
        if change.is_derived {
            told = told.with_allowed_changes(&PLATFORM_INITIATED);
        }
        document(self.rows, &mut told);
        if let Some((_, tell)) = self.message_changes {
            change.messages().for_each(|(message, fields)| tell(message, fields, &mut told));
        }
        told.changes
    }

    /// Returns the possible values of `change`.
    pub(crate) fn change_names(&self) -> Vec<&'static str> {
        self.recorded_changes().into_iter().map(|name| name.change).collect()
    }

    /// Returns all changes that are recorded.
    fn recorded_changes(&self) -> Vec<ChangeName> {
        let mut found = Vec::new();
        names(self.rows, &mut found);
        found.extend(self.message_changes.iter().flat_map(|(names, _)| names.iter()));
        found
    }
}

const fn kind(
    type_id: &'static str,
    path: &'static str,
    label: Label,
    rows: &'static [FieldRow],
) -> RecordedKind {
    RecordedKind { type_id, path, label, rows, message_changes: None }
}

const fn with_messages(
    kind: RecordedKind,
    names: &'static [ChangeName],
    tell: MessageRecorder,
) -> RecordedKind {
    let RecordedKind { type_id, path, label, rows, .. } = kind;
    RecordedKind { type_id, path, label, rows, message_changes: Some((names, tell)) }
}

const NAME: Label = Label::Localized("name");
const PLAIN_NAME: Label = Label::Text("name");

/// All recorded kinds.
#[rustfmt::skip] // A table.
pub(crate) static KINDS: &[RecordedKind] = &[
    kind("associate-role", "associate-roles", Label::Fields("AssociateRoleLabel", &["key", "name"]), people::ASSOCIATE_ROLE),
    kind("business-unit", "business-units", Label::Fields("BusinessUnitLabel", &["key", "name"]), people::BUSINESS_UNIT),
    kind("cart-discount", "cart-discounts", NAME, prices::CART_DISCOUNT),
    kind("category", "categories", NAME, catalog::CATEGORY),
    kind("channel", "channels", NAME, settings::CHANNEL),
    with_messages(
        kind("customer", "customers", Label::Fields("CustomerLabel", &["firstName", "lastName", "customerNumber"]), people::CUSTOMER),
        people::PASSWORD, people::password,
    ),
    kind("customer-group", "customer-groups", PLAIN_NAME, shared_rows::GROUP),
    kind("discount-code", "discount-codes", Label::Text("code"), prices::DISCOUNT_CODE),
    kind("inventory-entry", "inventory", Label::Text("sku"), prices::INVENTORY_ENTRY),
    kind("key-value-document", "custom-objects", Label::Fields("CustomObjectLabel", &["key", "container"]), buying::CUSTOM_OBJECT),
    kind("order", "orders", Label::Fields("OrderLabel", &["customerEmail", "orderNumber"]), order::ORDER),
    kind("payment", "payments", Label::Fields("PaymentLabel", &["key", "amountPlanned"]), people::PAYMENT),
    kind("payment-method", "payment-methods", NAME, people::PAYMENT_METHOD),
    kind("product", "products", Label::Product, catalog::PRODUCT),
    kind("product-discount", "product-discounts", NAME, prices::PRODUCT_DISCOUNT),
    with_messages(
        kind("product-selection", "product-selections", NAME, catalog::PRODUCT_SELECTION),
        catalog::PRODUCTS_OF_SELECTION, catalog::products_of_selection,
    ),
    kind("product-type", "product-types", PLAIN_NAME, settings::PRODUCT_TYPE),
    kind("quote", "quotes", Label::Fields("QuoteLabel", &["key", "customer", "stagedQuote", "quoteRequest"]), buying::QUOTE),
    kind("quote-request", "quote-requests", Label::Fields("QuoteRequestLabel", &["key", "customer"]), buying::QUOTE_REQUEST),
    kind("review", "reviews", Label::Fields("ReviewLabel", &["key", "title"]), people::REVIEW),
    kind("shipping-method", "shipping-methods", Label::Fields("ShippingMethodLabel", &["key", "name"]), settings::SHIPPING_METHOD),
    kind("shopping-list", "shopping-lists", NAME, buying::SHOPPING_LIST),
    kind("staged-quote", "staged-quotes", Label::Fields("StagedQuoteLabel", &["key", "customer", "quoteRequest"]), buying::STAGED_QUOTE),
    kind("standalone-price", "standalone-prices", Label::Fields("StandalonePriceLabel", &["key", "sku"]), prices::STANDALONE_PRICE),
    kind("state", "states", NAME, settings::STATE),
    kind("store", "stores", NAME, settings::STORE),
    kind("tax-category", "tax-categories", PLAIN_NAME, settings::TAX_CATEGORY),
    kind("type", "types", NAME, settings::TYPE),
    kind("zone", "zones", PLAIN_NAME, settings::ZONE),
];

/// Returns the recorded kind with a `typeId`.
pub(crate) fn by_type_id(type_id: &str) -> Option<&'static RecordedKind> {
    KINDS.iter().find(|kind| kind.type_id == type_id)
}

/// Changes that can be queried (reference type `UpdateType`), and that no record has: the reference has no types for them.
pub(crate) const NOT_RECORDED: [&str; 2] = ["changeAttributeName", "changeEnumKey"];

/// Changes that the platform derives from other changes (reference type `PlatformInitiatedChange`).
pub(crate) const PLATFORM_INITIATED: [&str; 18] = [
    "addInheritedAssociate",
    "changeIncludedInStatistics",
    "changeInheritedAssociate",
    "changeLastVariantId",
    "changeLineItemName",
    "changeLineItemPublished",
    "changeReviewRatingStatistics",
    "changeTopLevelUnit",
    "removeInheritedAssociate",
    "setAncestors",
    "setApplicationVersion",
    "setInheritedAssociates",
    "setInheritedStores",
    "setIsValid",
    "setLineItemDeactivatedAt",
    "setProductCount",
    "setReservations",
    "setVariantAvailability",
];

#[cfg(test)]
mod tests;
