//! Imports Prices of product variants (reference: PriceImport).

use super::product_variant::{find_product_and_variant, price};
use super::{ResourceImport, version};
use crate::outcome::ImportResult;
use kontor_engine::document;
use kontor_json::Value;

pub(super) async fn import_price(import: ResourceImport<'_>) -> ImportResult<i64> {
    let key = import.text(&["productVariant", "key"])?;
    let named = document::text(import.sent, &["product", "key"]);
    let (product, variant) = find_product_and_variant(import.shop, named, key)?;
    let staged = import.flag("staged").unwrap_or(true);
    let mut sent = import.draft.clone();
    for field in ["productVariant", "product", "staged"] {
        sent.shift_remove(field);
    }
    let action = price(&variant, &Value::Object(sent), staged, &import.references);
    let actions = action.into_iter().collect();
    import.update("product", &product, actions).await.map(|after| version(&after))
}
