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
pub(super) fn lock(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    context.rules.require_scope(SCOPE)?;
    if context.document.contains_key(LOCK) {
        return Ok(());
    }
    // A Cart that an operator locks has the id of the operator: the field is required.
    let caller = context.caller;
    let client = caller.client_id.clone().or_else(|| caller.user_id.clone()).unwrap_or_default();
    context.document.insert(LOCK, json!({"createdAt": context.rules.time(), "clientId": client}));
    context.emit("CartLocked", Document::new())
}

/// `unlockCart`.
pub(super) fn unlock(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    context.rules.require_scope(SCOPE)?;
    match context.document.shift_remove(LOCK) {
        Some(_) => context.emit("CartUnlocked", Document::new()),
        None => Ok(()),
    }
}

/// Refuses changes of a locked Cart by callers without the scope for it: 403 `insufficient_scope`.
pub(super) fn admit_change(before: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if before.contains_key(LOCK) { rules.require_scope(SCOPE) } else { Ok(()) }
}
