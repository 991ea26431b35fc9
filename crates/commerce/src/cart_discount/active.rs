//! A cache of the Cart Discounts that need no code; it is valid until one of them changes.

use super::active_limits::{WITHOUT_CODE, YES};
use super::compiled_cart_discount::CompiledCartDiscount;
use crate::cart_discount_epoch::{CART_DISCOUNT, EPOCH};
use jiff::Timestamp;
use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use std::collections::HashMap;
use std::sync::Arc;

/// The name of the cache.
const NAME: &str = "cart-discounts";

/// The Cart Discounts with `isActive`, whatever their validity period.
#[derive(Debug, Default)]
pub(crate) struct ActiveCartDiscounts {
    everywhere: Vec<Arc<CompiledCartDiscount>>,
    /// Discounts by the key of the Store.
    in_store: HashMap<String, Vec<Arc<CompiledCartDiscount>>>,
}

impl ActiveCartDiscounts {
    /// Returns the Cart Discounts of the shop. If a Cart Discount or Discount Group changes before the
    /// caller's commit, the commit is refused and retried.
    pub(crate) fn now(rules: &Rules<'_>) -> ApiResult<Arc<Self>> {
        let Some(epoch) = rules.hidden_document(EPOCH, EPOCH)? else {
            // There has never been a discount.
            return Ok(Arc::default());
        };
        rules.derived_value(NAME, epoch.revision, || {
            let mut active = Self::default();
            for found in rules.peek_by_value(CART_DISCOUNT, WITHOUT_CODE, YES)? {
                let discount = CompiledCartDiscount::compile(&found.document, rules)?;
                if let Some(discount) = discount.filter(CompiledCartDiscount::is_active) {
                    active.add(&Arc::new(discount));
                }
            }
            Ok(active)
        })
    }

    fn add(&mut self, discount: &Arc<CompiledCartDiscount>) {
        if discount.stores().is_empty() {
            self.everywhere.push(Arc::clone(discount));
        }
        for store in discount.stores() {
            self.in_store.entry(store.clone()).or_default().push(Arc::clone(discount));
        }
    }

    /// Returns the discounts that are valid at a time for a Cart.
    pub(crate) fn valid_at<'s>(
        &'s self,
        cart: &'s Document,
        at: Timestamp,
    ) -> impl Iterator<Item = &'s Arc<CompiledCartDiscount>> {
        let in_store = text(cart, &["store", "key"]).and_then(|store| self.in_store.get(store));
        let all = self.everywhere.iter().chain(in_store.into_iter().flatten());
        all.filter(move |discount| discount.is_valid(at) && discount.is_for(cart))
    }
}
