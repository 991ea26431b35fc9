//! The Cart Discounts that Discount Codes bring: each is read once for as long as no Cart Discount changes.

use super::ready::ReadyDiscount;
use crate::cart_discount_epoch::{CART_DISCOUNT, EPOCH};
use kontor_engine::Rules;
use kontor_errors::ApiResult;
use std::sync::Arc;

/// Under which they are kept.
const NAME: &str = "cart-discounts-of-codes";

/// The Cart Discount with an id, whether or not it is active; `None` where there is none, or one of its predicates cannot be
/// read. Whoever lets it count for a Cart asks for [`ActiveCartDiscounts`](super::ActiveCartDiscounts), too: those require
/// that none changes before the Cart is written.
pub(crate) fn discount_of_code(id: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<ReadyDiscount>>> {
    let read = || match rules.peek_now(CART_DISCOUNT, id)? {
        Some(document) => Ok(ReadyDiscount::of(&document, rules)?.map(Arc::new)),
        None => Ok(None),
    };
    match rules.peek_hidden(EPOCH, EPOCH)? {
        Some(epoch) => Ok(rules.worked_out_each((NAME, id), epoch.revision, read)?.as_ref().clone()),
        None => read(),
    }
}
