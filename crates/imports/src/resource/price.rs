//! Imports Prices of product variants (reference: PriceImport).

use super::product_variant::{holding, price};
use super::{Bringing, version};
use crate::outcome::Result;
use kontor_engine::document;
use kontor_json::Value;

pub(super) async fn bring(bringing: Bringing<'_>) -> Result<i64> {
    let key = bringing.text(&["productVariant", "key"])?;
    let named = document::text(bringing.sent, &["product", "key"]);
    let (product, variant) = holding(bringing.shop, named, key)?;
    let staged = bringing.flag("staged").unwrap_or(true);
    let mut sent = bringing.draft.clone();
    for field in ["productVariant", "product", "staged"] {
        sent.shift_remove(field);
    }
    let action = price(&variant, &Value::Object(sent), staged, &bringing.references);
    let actions = action.into_iter().collect();
    bringing.update("product", &product, actions).await.map(|after| version(&after))
}
