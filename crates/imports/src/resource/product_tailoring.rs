//! Imports Product Tailoring (reference: ProductTailoringImport). Its variants are matched by SKU.

use super::sides::{self, action, is_true, list, publication};
use super::{ResourceImport, asset, version};
use crate::difference::Difference;
use crate::outcome::ImportResult;
use crate::references;
use kontor_engine::document;
use kontor_json::{Map, Value, json};

pub(super) async fn import_product_tailoring(import: ResourceImport<'_>) -> ImportResult<i64> {
    let Some(before) = references::find_by_key(import.shop, "product-tailoring", import.text(&["key"])?)?
    else {
        let created = import.create("product-tailoring", import.draft.clone()).await?;
        return Ok(version(&created));
    };
    let side = document::get(&before, &["staged"]).or_else(|| before.get("current"));
    let mut flat = side.and_then(Value::as_object).cloned().unwrap_or_default();
    for field in ["store", "product"] {
        flat.extend(before.get(field).map(|value| (field.to_owned(), value.clone())));
    }
    let references = &import.references;
    let mut difference = Difference::new(&flat, &import.draft, references);
    difference.compare_immutable_fields(&["store", "product"]);
    difference.compare_fields(&[
        ("name", "setName", "name"),
        ("slug", "setSlug", "slug"),
        ("description", "setDescription", "description"),
        ("metaTitle", "setMetaTitle", "metaTitle"),
        ("metaDescription", "setMetaDescription", "metaDescription"),
        ("metaKeywords", "setMetaKeywords", "metaKeywords"),
    ]);
    let mut actions = difference.into_actions()?;
    let (old, new) = (flat.get("attributes"), import.draft.get("attributes"));
    actions.extend(sides::attributes("setProductAttribute", &Map::new(), old, new, references));
    let (old, new) = (list(flat.get("variants")), list(import.draft.get("variants")));
    let product = references::find_by_key(import.shop, "product", import.text(&["product", "key"])?)?;
    // Tailored variants contain only the id.
    let sold =
        product.map(|product| ["staged", "current"].map(|side| sides::variants(&product, side)).concat());
    let sold = sold.unwrap_or_default();
    let id_of = |sku: &Value| sold.iter().find(|one| one["sku"] == *sku).map(|one| one["id"].clone());
    let ids: Vec<Value> = new.iter().map(|variant| id_of(&variant["sku"]).unwrap_or_default()).collect();
    for gone in old.iter().filter(|old| !ids.contains(&old["id"])) {
        actions.push(json!({"action": "removeVariant", "id": gone["id"]}));
    }
    for (variant, id) in new.iter().zip(&ids) {
        let Some(known) = old.iter().find(|old| old["id"] == *id) else {
            actions.push(action("addVariant", &Map::new(), variant.clone()));
            continue;
        };
        let also = Map::from_iter([("variantId".to_owned(), known["id"].clone())]);
        actions.extend(sides::images(&also, known.get("images"), variant.get("images")));
        let (old, new) = (known.get("attributes"), variant.get("attributes"));
        actions.extend(sides::attributes("setAttribute", &also, old, new, references));
        actions.extend(asset::actions(known.get("assets"), variant.get("assets"), &also, references));
    }
    let has_staged = is_true(&before, &["hasStagedChanges"]);
    publication(import.flag("publish"), is_true(&before, &["published"]), has_staged, &mut actions);
    import.update("product-tailoring", &before, actions).await.map(|after| version(&after))
}
