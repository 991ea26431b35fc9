//! The Business Unit of a buyer's document: a Cart, a Shopping List.
//!
//! Source: reference types `CartDraft`, `ShoppingListDraft` (the Customer is an Associate of the Business
//! Unit), `BusinessUnit` (`stores`: a document of the unit belongs to one of its Stores, or to none if the
//! unit has none), `CartSetBusinessUnitAction` and `ShoppingListSetBusinessUnitAction` (the document has a
//! unit already, and the new one has access to the Store).

use crate::kinds;
use kontor_engine::document::{list, must_text, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// A kind of documents that can belong to Business Units.
pub(crate) struct UnitDocumentKind {
    /// The noun in error messages: `Shopping List`.
    pub(crate) noun: &'static str,
    /// Leads to the id of the Customer.
    pub(crate) customer: &'static [&'static str],
}

/// `setBusinessUnit`.
pub(crate) fn set(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    owned: &UnitDocumentKind,
) -> ApiResult<()> {
    if !context.document.contains_key("businessUnit") {
        return Err(ApiError::invalid_operation(format!(
            "{}: the {} belongs to no Business Unit that could be changed.",
            context.place, owned.noun
        )));
    }
    let id = must_text(arguments, &["businessUnit", "id"])?;
    let unit = context
        .rules
        .peek_type("business-unit", id)?
        .ok_or_else(|| ApiError::bug("an Associate in a Business Unit that is gone"))?;
    let key = must_text(&unit, &["key"])?;
    let mut reference = Document::new();
    reference.insert("typeId", "business-unit".into());
    reference.insert("key", key.into());
    context.document.insert("businessUnit", reference.into());
    Ok(())
}

/// Checks that a document of a Business Unit respects the Stores and Associates of the unit.
pub(crate) fn check_unit(
    before: Option<&Document>,
    after: &Document,
    owned: &UnitDocumentKind,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(key) = text(after, &["businessUnit", "key"]) else { return Ok(()) };
    let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
    let customer = owned.customer.first().copied().unwrap_or("");
    let (store, customer) = (is_new("store"), is_new(customer));
    if is_new("businessUnit") || store {
        admit_store(key, after, owned.noun, rules)?;
    }
    if is_new("businessUnit") || customer {
        admit_customer(key, after, owned, rules)?;
    }
    Ok(())
}

/// Checks, before a document is ordered, that its Store still belongs to its Business Unit (reference type
/// `BusinessUnitRemoveStoreAction`). `what` names the document in the error: `Cart`.
///
/// 400 `InvalidOperation`.
pub(crate) fn admit_ordered(what: &'static str, document: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    match text(document, &["businessUnit", "key"]) {
        Some(key) => admit_store(key, document, what, rules),
        None => Ok(()),
    }
}

/// Checks that the Business Unit has the Store, if it has Stores.
fn admit_store(key: &str, after: &Document, what: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(unit) = with_key(key, rules)? else { return Ok(()) };
    let mut stores = ["stores", "inheritedStores"]
        .iter()
        .flat_map(|field| list(&unit, &[field]))
        .filter_map(|store| store["key"].as_str())
        .peekable();
    match text(after, &["store", "key"]) {
        None if stores.peek().is_none() => Ok(()),
        None => Err(ApiError::invalid_operation(format!(
            "The {what} of the Business Unit '{key}' must belong to one of its Stores: {}.",
            stores.collect::<Vec<_>>().join(", ")
        ))),
        Some(store) if stores.any(|other| other == store) => Ok(()),
        Some(store) => Err(ApiError::invalid_operation(format!(
            "The Business Unit '{key}' has no access to the Store '{store}' of the {what}."
        ))),
    }
}

/// The Customer is one of the Associates of the Business Unit.
fn admit_customer(key: &str, after: &Document, owned: &UnitDocumentKind, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(customer) = text(after, owned.customer) else { return Ok(()) };
    let Some(unit) = with_key(key, rules)? else { return Ok(()) };
    let mut associates = ["associates", "inheritedAssociates"].iter().flat_map(|field| list(&unit, &[field]));
    if !associates.any(|associate| associate["customer"]["id"] == customer) {
        return Err(ApiError::invalid_operation(format!(
            "The Customer '{customer}' of the {} is no Associate of the Business Unit '{key}'.",
            owned.noun
        )));
    }
    Ok(())
}

fn with_key(key: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    rules.find_key(kinds::BUSINESS_UNIT, key)
}
