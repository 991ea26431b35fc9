//! Imports Variants of Projects with a modular catalog (reference: VariantImport).

use super::sides::{is_true, publication};
use super::{ResourceImport, version};
use crate::difference::Difference;
use crate::outcome::ImportResult;
use crate::references;
use kontor_json::Value;

pub(super) async fn import_variant(import: ResourceImport<'_>) -> ImportResult<i64> {
    let Some(before) = references::find_by_key(import.shop, "variant", import.text(&["key"])?)? else {
        let created = import.create("variant", import.draft.clone()).await?;
        return Ok(version(&created));
    };
    let side = before.get("staged").or_else(|| before.get("current"));
    let mut flat = side.and_then(Value::as_object).cloned().unwrap_or_default();
    flat.extend(before.get("product").map(|product| ("product".to_owned(), product.clone())));
    let mut difference = Difference::new(&flat, &import.draft, &import.references);
    difference.compare_immutable_fields(&["product"]);
    difference.compare_fields(&[("sku", "setSku", "sku")]);
    difference.compare_lists(&[
        ("images", "setImages", "images"),
        ("attributes", "setAttributes", "attributes"),
        ("assets", "setAssets", "assets"),
    ]);
    let mut actions = difference.into_actions()?;
    let has_staged = before.contains_key("staged");
    publication(import.flag("publish"), is_true(&before, &["published"]), has_staged, &mut actions);
    import.update("variant", &before, actions).await.map(|after| version(&after))
}
