//! Imports Products: with their product variants and Prices (reference: ProductDraftImport), or without
//! (ProductImport).
//!
//! An import changes the staged side. `publish` publishes or unpublishes the Product; without it, its
//! publication state stays. An unpublished Product that a ProductImport changes stays unpublished.

use super::product_variant::{self, StoredVariant, StoredVariants};
use super::sides::{self, is_true, list, publication};
use super::{ResourceImport, version};
use crate::difference::{Difference, is_same_value};
use crate::outcome::{ImportFailure, ImportResult, OperationOutcome};
use crate::references;
use crate::references::References;
use kontor_engine::{Document, Shop, document};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};

/// Checks that one of the variants of a Product is its master variant.
pub(super) fn check_whole(fields: &Document) -> ApiResult<()> {
    if !document::list(fields, &["variants"]).is_empty() && !fields.contains_key("masterVariant") {
        return Err(ApiError::required_field("masterVariant"));
    }
    Ok(())
}

/// Imports a Product without its variants.
pub(super) async fn import_product(import: ResourceImport<'_>) -> ImportResult<i64> {
    let Some(before) = references::find_by_key(import.shop, "product", import.text(&["key"])?)? else {
        if needs_master_variant(import.shop, import.text(&["productType", "key"])?)? {
            return Err(ImportFailure::Waits(OperationOutcome::WaitForMasterVariant));
        }
        let created = import.create("product", import.draft.clone()).await?;
        return Ok(version(&created));
    };
    let mut actions = differ(&before, &import.draft, &import.references)?;
    match import.flag("publish") {
        // Public documentation, "Managing the published state of Products": a change with `publish` applies to both
        // sides, and an unpublished Product stays unpublished. A ProductDraftImport publishes it.
        Some(true) if !actions.is_empty() && !is_true(&before, &["masterData", "published"]) => {
            actions.iter_mut().for_each(on_both_sides);
        }
        wanted => published(&before, wanted, &mut actions),
    }
    import.update("product", &before, actions).await.map(|after| version(&after))
}

/// Imports a Product with all its variants. Missing variants and Prices are removed.
pub(super) async fn import_whole_product(import: ResourceImport<'_>) -> ImportResult<i64> {
    let Some(before) = references::find_by_key(import.shop, "product", import.text(&["key"])?)? else {
        let created = import.create("product", import.draft.clone()).await?;
        return Ok(version(&created));
    };
    let mut actions = differ(&before, &import.draft, &import.references)?;
    let sent = ImportedVariants::from_draft(&import.draft);
    let variants = StoredVariants::from_product(&before);
    actions.extend(sent.removed(&variants));
    for (position, variant) in sent.variants.iter().enumerate() {
        match sent.stored(&variants, position) {
            Some(known) => {
                actions.extend(product_variant::differ(&known, variant, true, &import.references));
                actions.extend(product_variant::prices(&known, variant, true, &import.references));
            }
            None => actions.push(sides::action("addVariant", &Map::new(), variant.clone())),
        }
    }
    let publish = import.flag("publish");
    match sent.new_master(&variants, &before) {
        NewMaster::None => {}
        NewMaster::Named(last) => actions.extend(last),
        NewMaster::Expected(last) => {
            let mut all: Vec<Value> = actions.iter().cloned().chain(last).collect();
            published(&before, publish, &mut all);
            match import.update("product", &before, all).await {
                Err(ImportFailure::Refused(error)) if error.code() == Code::InvalidOperation => {}
                updated => return updated.map(|after| version(&after)),
            }
            // The new variant has another id than the expected one: it is stored first, and then named.
            let middle = import.update("product", &before, actions).await?;
            let mut last = sent.removed(&StoredVariants::from_product(&middle));
            published(&middle, publish, &mut last);
            return import.update("product", &middle, last).await.map(|after| version(&after));
        }
    }
    published(&before, publish, &mut actions);
    import.update("product", &before, actions).await.map(|after| version(&after))
}

/// The last actions that make a new variant the Master Variant.
enum NewMaster {
    /// The Master Variant is not new, or none was sent.
    None,
    /// The variant is named by its SKU.
    Named(Vec<Value>),
    /// The variant has no SKU, and is named by the id that it should get. Ids are not reused, so it has a higher one if
    /// the Product had further variants before; the actions are refused then.
    Expected(Vec<Value>),
}

/// The Product Variants that were sent.
struct ImportedVariants {
    /// The Master Variant first, if it was sent.
    variants: Vec<Value>,
    has_master: bool,
}

impl ImportedVariants {
    fn from_draft(draft: &Document) -> Self {
        let master = draft.get("masterVariant").cloned();
        let has_master = master.is_some();
        Self { variants: master.into_iter().chain(list(draft.get("variants"))).collect(), has_master }
    }

    fn master(&self) -> Option<&Value> {
        self.variants.first().filter(|_| self.has_master)
    }

    /// The stored variant that the one at a position changes. A Master Variant that was not sent and has the SKU of the new one is
    /// that one, under another key.
    fn stored(&self, variants: &StoredVariants, position: usize) -> Option<StoredVariant> {
        let sent = self.variants.get(position)?;
        let renamed = || {
            let master = variants.0.iter().find(|variant| variant.is_master && !self.contains(variant))?;
            (sent.get("sku").is_some() && sent.get("sku") == master.staged.get("sku")).then(|| master.clone())
        };
        let known = variants.find_sent(sent);
        known.or_else(|| variants.blank_master().or_else(renamed).filter(|_| position == 0))
    }

    /// Makes the Master Variant that was sent the one of the Product if it is stored, and removes what was not sent. These are the
    /// first actions, so that a new variant may have the SKU and the unique values of one that it replaces.
    fn removed(&self, variants: &StoredVariants) -> Vec<Value> {
        let mut actions = Vec::new();
        let master =
            self.master().and_then(|sent| variants.find_sent(sent)).filter(|master| !master.is_master);
        if let Some(master) = &master {
            actions.push(json!({"action": "changeMasterVariant", "variantId": master.staged["id"]}));
        }
        for variant in &variants.0 {
            if !self.contains(variant) && (!variant.is_master || master.is_some()) {
                actions.push(json!({"action": "removeVariant", "id": variant.staged["id"]}));
            }
        }
        actions
    }

    /// Makes a new variant the Master Variant, and removes the one before if that was not sent.
    fn new_master(&self, variants: &StoredVariants, product: &Document) -> NewMaster {
        let Some(master) = self.master().filter(|_| self.stored(variants, 0).is_none()) else {
            return NewMaster::None;
        };
        let with_removal = |change: Value| {
            let before = variants.0.iter().find(|variant| variant.is_master && !self.contains(variant));
            let removal = before.map(|old| json!({"action": "removeVariant", "id": old.staged["id"]}));
            std::iter::once(change).chain(removal).collect()
        };
        match master.get("sku") {
            Some(sku) => NewMaster::Named(with_removal(json!({"action": "changeMasterVariant", "sku": sku}))),
            // The new Master Variant is the first variant that is added.
            None => {
                let id = sides::highest_variant_id(product) + 1;
                NewMaster::Expected(with_removal(json!({"action": "changeMasterVariant", "variantId": id})))
            }
        }
    }

    fn contains(&self, variant: &StoredVariant) -> bool {
        self.variants.iter().any(|sent| sent["key"] == variant.staged["key"])
    }
}

/// Makes an action change both sides of the Product. Actions on the Product itself have no sides.
fn on_both_sides(action: &mut Value) {
    const WITHOUT_SIDES: [&str; 3] = ["setPriceMode", "setTaxCategory", "transitionState"];
    if !action["action"].as_str().is_some_and(|name| WITHOUT_SIDES.contains(&name)) {
        action["staged"] = json!(false);
    }
}

fn published(before: &Document, wanted: Option<bool>, actions: &mut Vec<Value>) {
    let is_published = is_true(before, &["masterData", "published"]);
    publication(wanted, is_published, is_true(before, &["masterData", "hasStagedChanges"]), actions);
}

/// Returns the actions that bring everything but the variants to the imported state.
fn differ(before: &Document, draft: &Document, references: &References) -> ImportResult<Vec<Value>> {
    let mut flat = document::get(before, &["masterData", "staged"])
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for field in ["productType", "taxCategory", "state", "priceMode"] {
        flat.extend(before.get(field).map(|value| (field.to_owned(), value.clone())));
    }
    let mut difference = Difference::new(&flat, draft, references);
    difference.compare_immutable_fields(&["productType"]);
    difference.compare_optional_fields(&[
        ("name", "changeName", "name"),
        ("slug", "changeSlug", "slug"),
        ("priceMode", "setPriceMode", "priceMode"),
        // A Product cannot return to having no State.
        ("state", "transitionState", "state"),
    ]);
    difference.compare_fields(&[
        ("description", "setDescription", "description"),
        ("metaTitle", "setMetaTitle", "metaTitle"),
        ("metaDescription", "setMetaDescription", "metaDescription"),
        ("metaKeywords", "setMetaKeywords", "metaKeywords"),
        ("taxCategory", "setTaxCategory", "taxCategory"),
    ]);
    if !difference.is_same("searchKeywords") {
        let words = draft.get("searchKeywords").cloned().unwrap_or_else(|| json!({}));
        difference.actions.push(json!({"action": "setSearchKeywords", "searchKeywords": words}));
    }
    difference.actions.extend(categories(&flat, draft, references));
    let (old, new) = (flat.get("attributes"), draft.get("attributes"));
    difference.actions.extend(sides::attributes("setProductAttribute", &Map::new(), old, new, references));
    difference.into_actions()
}

fn categories(before: &Document, draft: &Document, references: &References) -> Vec<Value> {
    let (before, sent) = (list(before.get("categories")), list(draft.get("categories")));
    let gone = before.iter().filter(|old| !sent.iter().any(|new| is_same_value(old, new, references)));
    let gone = gone.map(|old| json!({"action": "removeFromCategory", "category": old}));
    let new = sent.iter().filter(|new| !before.iter().any(|old| is_same_value(old, new, references)));
    gone.chain(new.map(|new| json!({"action": "addToCategory", "category": new}))).collect()
}

/// Whether a Product of a Product Type cannot be created without Attributes of its master variant (reference type
/// `ProcessingState`).
fn needs_master_variant(shop: &Shop, product_type: &str) -> ApiResult<bool> {
    let product_type = references::find_by_key(shop, "product-type", product_type)?.unwrap_or_default();
    Ok(list(product_type.get("attributes"))
        .iter()
        .any(|one| one["isRequired"] == true && one["level"] != "Product"))
}
