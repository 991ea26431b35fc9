//! A cache of the Cart Discounts of Discount Codes: each is compiled once until a Cart Discount changes.

use super::compiled_cart_discount::CompiledCartDiscount;
use crate::cart_discount_epoch::{CART_DISCOUNT, EPOCH};
use kontor_engine::Rules;
use kontor_errors::ApiResult;
use std::sync::Arc;

/// The name of the cache.
const NAME: &str = "cart-discounts-of-codes";

/// Returns the Cart Discount with an id, whether or not it is active; `None` if it does not exist, or one of
/// its predicates cannot be read. A caller that applies it to a Cart must also read
/// [`ActiveCartDiscounts`](super::ActiveCartDiscounts), which adds the precondition that none changes before
/// the Cart is written.
pub(crate) fn discount_of_code(id: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<CompiledCartDiscount>>> {
    let read = || match rules.peek_now(CART_DISCOUNT, id)? {
        Some(document) => Ok(CompiledCartDiscount::compile(&document, rules)?.map(Arc::new)),
        None => Ok(None),
    };
    match rules.peek_hidden(EPOCH, EPOCH)? {
        Some(epoch) => Ok(rules.derived_value_of((NAME, id), epoch.revision, read)?.as_ref().clone()),
        None => read(),
    }
}
