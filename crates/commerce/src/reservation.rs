//! Reservation: stock of an InventoryEntry that is reserved for a line item of a Cart. Start at [`create_reservation`].
//!
//! `availableQuantity` of the entry excludes the quantities of active Reservations. A Reservation and its
//! InventoryEntry always change in the same commit, so that nothing is sold twice.
//!
//! Source: reference types `Reservation`, `ReservationState`, `InventoryConfiguration`.

use crate::inventory_entry::INVENTORY;
use crate::kinds;
use jiff::SignedDuration;
use kontor_engine::document::{get, has_enum, integer_or_log, must_text, set, text};
use kontor_engine::{Behaviour, Document, DueOutcome, DueRule, Effects, Rules, format_time};
use kontor_enums::ReservationState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::KindId;
use std::sync::Arc;

/// The `typeId` of Reservations.
pub(crate) const RESERVATION: &str = "reservation";
const STATE: &str = "state";
const EXPIRES_AT: &str = "expiresAt";
/// Marks an expired Reservation in a Project that does not release expired ones: it has no due time any more.
const KEPT: &str = "isKept";
/// The validity of Reservations, a setting of the Project and of entries.
const MINUTES: &str = "reservationExpirationInMinutes";

pub(crate) struct Reservation;

impl Behaviour for Reservation {
    fn resource(&self) -> &'static str {
        "Reservation"
    }

    fn due_rule(&self) -> Option<DueRule> {
        Some(DueRule { at: stored_expiry_time, act: expire })
    }
}

fn stored_expiry_time(reservation: &Document) -> Option<String> {
    let waits = is_active(reservation) && !reservation.contains_key(KEPT);
    text(reservation, &[EXPIRES_AT]).filter(|_| waits).map(str::to_owned)
}

fn expire(reservation: &mut Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<DueOutcome> {
    if get(rules.project, &["inventory", "releaseExpiredReservations"]) == Some(&Value::Bool(false)) {
        reservation.insert(KEPT, Value::Bool(true));
        return Ok(DueOutcome { is_new_version: false, messages: Vec::new() });
    }
    reservation.insert(STATE, json!(ReservationState::Expired));
    give_back(reservation, rules, effects)?;
    Ok(DueOutcome { is_new_version: true, messages: Vec::new() })
}

/// Whether it still reserves stock.
pub(crate) fn is_active(reservation: &Document) -> bool {
    has_enum(reservation, &[STATE], ReservationState::Created)
        || has_enum(reservation, &[STATE], ReservationState::Updated)
}

/// Returns a document, including changes by this request. An unchanged document becomes a precondition of the commit.
fn current(kind: KindId, id: &str, rules: &Rules<'_>, effects: &Effects) -> ApiResult<Option<Document>> {
    match effects.changed_document(kind, id) {
        Some(changed) => Ok(Some(changed.clone())),
        None => Ok(rules.find(kind, id)?.map(|found| (*found).clone())),
    }
}

/// Returns the Reservation with an id; `None` if it no longer reserves stock.
pub(crate) fn active_reservation(
    id: &str,
    rules: &Rules<'_>,
    effects: &Effects,
) -> ApiResult<Option<Document>> {
    Ok(current(kinds::RESERVATION, id, rules, effects)?.filter(is_active))
}

/// Returns the InventoryEntry of a supply Channel among those of a SKU; without a channel, the one without a Channel.
pub(crate) fn entry_in_channel<'e>(
    entries: &'e [Arc<Document>],
    channel: Option<&str>,
) -> Option<&'e Arc<Document>> {
    entries.iter().find(|entry| text(entry, &["supplyChannel", "id"]) == channel)
}

/// The InventoryEntry of a SKU and a supply Channel, or of none.
pub(crate) fn entry_of(
    (sku, channel): (&str, Option<&str>),
    rules: &Rules<'_>,
    effects: &Effects,
) -> ApiResult<Option<Document>> {
    let kind = kinds::INVENTORY_ENTRY;
    let entries = rules.find_others(kind, "sku", sku, None)?;
    let Some(entry) = entry_in_channel(&entries, channel) else { return Ok(None) };
    current(kinds::INVENTORY_ENTRY, must_text(entry, &["id"])?, rules, effects)
}

/// Reduces the available quantity of an entry; returns false if it does not suffice. A negative quantity is returned to
/// the stock.
pub(crate) fn reduce_available(mut entry: Document, quantity: i64, effects: &mut Effects) -> bool {
    let left = number(&entry, "availableQuantity").saturating_sub(quantity);
    if left < 0 && quantity > 0 {
        return false;
    }
    set(&mut entry, &["availableQuantity"], Some(json!(left)));
    effects.change_further(kinds::INVENTORY_ENTRY, entry);
    true
}

pub(crate) fn number(entry: &Document, field: &str) -> i64 {
    integer_or_log(entry, &[field])
}

/// Returns the reserved quantity to the available stock, if the entry still exists.
fn give_back(reservation: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let id = must_text(reservation, &["inventoryEntry", "id"])?;
    if let Some(entry) = current(kinds::INVENTORY_ENTRY, id, rules, effects)? {
        reduce_available(entry, -number(reservation, "quantity"), effects);
    }
    Ok(())
}

/// Returns the expiry time of a Reservation that is created or updated now: by the entry's setting, else the Project's.
///
/// 400 `InvalidOperation`: the Project has no setting.
pub(crate) fn expiry_time(entry: &Document, rules: &Rules<'_>) -> ApiResult<String> {
    let minutes = |document: &Document, path: &[&str]| get(document, path).and_then(Value::as_i64);
    let of_project = minutes(rules.project, &["inventory", MINUTES]).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "The inventory mode ReserveOnCart needs inventory.{MINUTES} of the Project."
        ))
    })?;
    in_minutes(minutes(entry, &[MINUTES]).unwrap_or(of_project), rules)
}

fn in_minutes(minutes: i64, rules: &Rules<'_>) -> ApiResult<String> {
    let until = rules.now.checked_add(SignedDuration::from_mins(minutes));
    until.map(format_time).map_err(|error| ApiError::bug(format!("the time of a Reservation: {error}")))
}

/// The fields of a new Reservation.
pub(crate) struct NewReservation<'a> {
    pub(crate) cart: &'a str,
    pub(crate) line: &'a str,
    pub(crate) quantity: i64,
}

/// Creates a Reservation for a quantity that was taken from an entry; returns its id.
pub(crate) fn create_reservation(
    wanted: &NewReservation<'_>,
    entry: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<String> {
    let id = rules.new_id();
    let made = json!({
        "id": id,
        EXPIRES_AT: expiry_time(entry, rules)?,
        "inventoryEntry": {"typeId": INVENTORY, "id": must_text(entry, &["id"])?},
        "quantity": wanted.quantity,
        "owner": {"typeId": "cart", "id": wanted.cart},
        "lineItemId": wanted.line,
        STATE: ReservationState::Created,
    });
    if let Value::Object(made) = made {
        effects.create(kinds::RESERVATION, made, None);
    }
    Ok(id)
}

/// Changes the reserved quantity, and extends the Reservation like a new one; returns false if the stock does not
/// suffice.
pub(crate) fn become_quantity(
    mut reservation: Document,
    quantity: i64,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<bool> {
    let id = must_text(&reservation, &["inventoryEntry", "id"])?;
    let Some(entry) = current(kinds::INVENTORY_ENTRY, id, rules, effects)? else { return Ok(false) };
    let until = expiry_time(&entry, rules)?;
    if !reduce_available(entry, quantity - number(&reservation, "quantity"), effects) {
        return Ok(false);
    }
    reservation.insert("quantity", json!(quantity));
    reservation.insert(EXPIRES_AT, json!(until));
    change(reservation, ReservationState::Updated, effects);
    Ok(true)
}

/// Sets the expiry of a Reservation to some minutes from now.
pub(crate) fn end_in(
    mut reservation: Document,
    minutes: i64,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    reservation.insert(EXPIRES_AT, json!(in_minutes(minutes, rules)?));
    change(reservation, ReservationState::Updated, effects);
    Ok(())
}

/// Releases a Reservation that is still active.
pub(crate) fn release(id: &str, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let Some(reservation) = active_reservation(id, rules, effects)? else { return Ok(()) };
    give_back(&reservation, rules, effects)?;
    change(reservation, ReservationState::Released, effects);
    Ok(())
}

/// Converts a Reservation into a sale: reduces the stock by its quantity. Returns false if it is no longer active.
pub(crate) fn commit(id: &str, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<bool> {
    let Some(reservation) = active_reservation(id, rules, effects)? else { return Ok(false) };
    let entry =
        current(kinds::INVENTORY_ENTRY, must_text(&reservation, &["inventoryEntry", "id"])?, rules, effects)?;
    if let Some(mut entry) = entry {
        let left = number(&entry, "quantityOnStock").saturating_sub(number(&reservation, "quantity"));
        entry.insert("quantityOnStock", json!(left));
        effects.change_within_version(kinds::INVENTORY_ENTRY, entry);
    }
    change(reservation, ReservationState::Committed, effects);
    Ok(true)
}

fn change(mut reservation: Document, state: ReservationState, effects: &mut Effects) {
    reservation.insert(STATE, json!(state));
    effects.change_further(kinds::RESERVATION, reservation);
}
