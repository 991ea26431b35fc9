//! Product Discount: lowers the prices that match its predicate.
//!
//! A changed price gets its discount in the same commit. A changed Product Discount is applied to prices in the
//! background, a chunk of Products and Standalone Prices at a time.
//!
//! Source: reference types `ProductDiscount`, `ProductDiscountDraft`, `ProductDiscount…Action`,
//! `ProductDiscountMatchQuery`. Conversations: `tests/api/product-discounts/`.

mod matching;

use crate::discount_value::{admit_time, complete_amounts};
use crate::discounted_price::{ACTIVE, DECISIVE, EPOCH, PRICES, YES};
use crate::sort_order;
use kontor_engine::document::{must_text, reference};
use kontor_engine::{
    Behaviour, Document, Effects, EndpointHandler, IndexValue, Limit, Precondition, Put, RefusalReason,
    Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The maximum number of active Product Discounts (public documentation, "Product Discounts").
const ACTIVE_MAX: u64 = 500;

pub(crate) struct ProductDiscount;

impl Behaviour for ProductDiscount {
    fn resource(&self) -> &'static str {
        "ProductDiscount"
    }

    fn limits(&self) -> &'static [Limit] {
        const ALL: &[Limit] = &[Limit { name: "active", most: ACTIVE_MAX, counted: Some((ACTIVE, YES)) }];
        ALL
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[("matching", matching::MATCHING)]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if !DECISIVE.iter().any(|field| is_new(field)) {
            return Ok(());
        }
        sort_order::check_sort_order(after)?;
        complete_amounts(after)?;
        admit_time(after)?;
        let predicate = PRICES.read(must_text(after, &["predicate"])?, rules.model)?;
        let named = predicate.referenced_documents().iter().map(|(type_id, id)| reference(type_id, id));
        let named = Value::Array(named.collect());
        after.insert("references", named);
        if after.get("isActive") == Some(&json!(true)) {
            rules.require(Precondition::IndexedAtMost {
                kind: "product-discount".into(),
                path: ACTIVE.into(),
                value: YES.into(),
                limit: ACTIVE_MAX,
            });
        }
        begin_epoch(effects);
        Ok(())
    }

    fn before_delete(
        &self,
        _discount: &Document,
        _rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        begin_epoch(effects);
        Ok(())
    }

    fn unique_keys(&self, discount: &Document) -> Vec<UniqueKey> {
        sort_order::unique_keys(discount)
    }

    fn index_rows(&self, discount: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let is_active = discount.get("isActive") == Some(&json!(true));
        Ok(is_active.then(|| (ACTIVE.to_owned(), IndexValue::from(YES))).into_iter().collect())
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        match refused {
            RefusalReason::Precondition(Precondition::IndexedAtMost { .. }) => {
                Some(ApiError::resource_limit_exceeded(ACTIVE_MAX, "product-discount"))
            }
            _ => None,
        }
    }
}

fn begin_epoch(effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: EPOCH.into(),
        id: EPOCH.into(),
        version: 1,
        body: "{}".into(),
        ..Put::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    #[test]
    fn a_draft_is_checked_as_a_whole() {
        let shop = TestShop::new();
        let draft = |more: Value| {
            let mut draft = json!({"name": {"en": "d"}, "value": {"type": "relative", "permyriad": 1000}, "predicate": "1 = 1", "sortOrder": "0.5", "isActive": true});
            draft.as_object_mut().unwrap().extend(object(more));
            shop.create("product-discount", draft)
        };
        let made = draft(json!({"predicate": r#"product.id = "p" and sku = "s""#})).unwrap();
        assert_eq!(made["references"], json!([{"typeId": "product", "id": "p"}]));
        let keys = ProductDiscount.unique_keys(&made);
        assert_eq!(keys, [UniqueKey::new("sortOrder", "0.5")]);
        for (more, code) in [
            (json!({"sortOrder": "1"}), Code::InvalidField),
            (json!({"sortOrder": "0.50"}), Code::InvalidField),
            (json!({"sortOrder": "0"}), Code::InvalidField),
            (json!({"sortOrder": "half"}), Code::InvalidField),
            (json!({"predicate": "sku ="}), Code::SyntaxError),
            (json!({"predicate": "colour = 1"}), Code::SemanticError),
            (json!({"value": {"type": "absolute", "money": []}}), Code::InvalidOperation),
            (
                json!({"value": {"type": "absolute", "money": [{"currencyCode": "EUR", "centAmount": 1}, {"currencyCode": "EUR", "centAmount": 2}]}}),
                Code::InvalidOperation,
            ),
            (json!({"value": {"type": "relative", "permyriad": 10001}}), Code::InvalidField),
            (
                json!({"validFrom": "2027-01-01T00:00:00Z", "validUntil": "2026-01-01T00:00:00Z"}),
                Code::InvalidField,
            ),
        ] {
            assert_eq!(draft(more.clone()).unwrap_err().code(), code, "{more}");
        }
    }
}
