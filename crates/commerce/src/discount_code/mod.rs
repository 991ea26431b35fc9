//! Discount Code: a text that a customer enters to get Cart Discounts.
//!
//! Source: reference types `DiscountCode`, `DiscountCodeDraft`, `DiscountCode…Action`. Conversations:
//! `tests/api/discount-codes/`.

use crate::cart_discount_epoch::CART_DISCOUNT;
use crate::discount_predicate::CARTS;
use crate::discount_value::admit_time;
use kontor_engine::document::{list, reference, set, text};
use kontor_engine::{
    Behaviour, ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Effects,
    Rules,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) struct DiscountCode;

impl Behaviour for DiscountCode {
    fn resource(&self) -> &'static str {
        "DiscountCode"
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        // A customer could not enter it. Official clients expect this message.
        if before.is_none() && text(after, &["code"]) == Some("") {
            return Err(ApiError::invalid_operation("'code' should not be empty."));
        }
        // Clients remove a predicate by an empty one.
        if text(after, &["cartPredicate"]) == Some("") {
            after.shift_remove("cartPredicate");
        }
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if is_new("validFrom") || is_new("validUntil") {
            admit_time(after)?;
        }
        for field in ["maxApplications", "maxApplicationsPerCustomer"] {
            let most = after.get(field).and_then(Value::as_i64);
            if let Some(most) = most.filter(|most| *most < 0) {
                return Err(ApiError::invalid_field(field, &json!(most), "Expected 0 or more.", None));
            }
        }
        let (is_new_predicate, are_new_discounts) = (is_new("cartPredicate"), is_new("cartDiscounts"));
        if is_new_predicate {
            let references = match text(after, &["cartPredicate"]) {
                Some(predicate) => {
                    let predicate = CARTS.read(predicate, rules.model)?;
                    predicate
                        .referenced_documents()
                        .iter()
                        .map(|(type_id, id)| reference(type_id, id))
                        .collect()
                }
                None => Vec::new(),
            };
            set(after, &["references"], Some(Value::Array(references)));
        }
        if are_new_discounts {
            follow_stores(after, |id| rules.peek_type(CART_DISCOUNT, id))?;
        }
        Ok(())
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "stores",
            source: "CartDiscount",
            dependents: Dependents::ReferringAt {
                path: "cartDiscounts.id",
                when: ChangeFilter::Fields(&["stores"]),
            },
            derive: |code, sources: &dyn DerivationSources| {
                follow_stores(code, |id| sources.document(CART_DISCOUNT, id))?;
                Ok(DeriveOutcome::Keep)
            },
        }];
        ALL
    }
}

/// Sets the Stores of a code to those of its Cart Discounts, each once.
fn follow_stores(
    code: &mut Document,
    discount: impl Fn(&str) -> ApiResult<Option<Arc<Document>>>,
) -> ApiResult<()> {
    let mut keys = BTreeSet::new();
    for reference in list(code, &["cartDiscounts"]) {
        let Some(id) = reference["id"].as_str() else { continue };
        if let Some(discount) = discount(id)? {
            let stores = list(&discount, &["stores"]);
            keys.extend(stores.iter().filter_map(|store| store["key"].as_str().map(str::to_owned)));
        }
    }
    let stores = keys.into_iter().map(|key| json!({"typeId": "store", "key": key})).collect();
    set(code, &["stores"], Some(Value::Array(stores)));
    Ok(())
}
