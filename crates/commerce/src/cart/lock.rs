//! A locked Cart can be changed only by a client with a separate scope.
//!
//! Source: reference types `CartLockCartAction`, `CartUnlockCartAction`, `CartLock`. The reference does not
//! say whether locking a locked Cart is refused: here it changes nothing.

use kontor_engine::{ActionContext, Document, Rules};
use kontor_errors::ApiResult;
use kontor_json::json;

const LOCK: &str = "lock";
/// The scope for locking, unlocking, and every change of a locked Cart.
const SCOPE: &str = "manage_locked_carts";

/// `lockCart`.
pub(super) fn lock(acting: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    acting.rules.require_scope(SCOPE)?;
    if acting.document.contains_key(LOCK) {
        return Ok(());
    }
    // A Cart that an operator locks has the id of the operator: the field is required.
    let caller = acting.caller;
    let client = caller.client_id.clone().or_else(|| caller.user_id.clone()).unwrap_or_default();
    acting.document.insert(LOCK, json!({"createdAt": acting.rules.time(), "clientId": client}));
    acting.emit("CartLocked", Document::new())
}

/// `unlockCart`.
pub(super) fn unlock(acting: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    acting.rules.require_scope(SCOPE)?;
    match acting.document.shift_remove(LOCK) {
        Some(_) => acting.emit("CartUnlocked", Document::new()),
        None => Ok(()),
    }
}

/// Refuses changes of a locked Cart by callers without the scope for it: 403 `insufficient_scope`.
pub(super) fn admit_change(before: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if before.contains_key(LOCK) { rules.require_scope(SCOPE) } else { Ok(()) }
}
