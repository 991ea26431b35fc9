//! The Product Selections and Stores of a Product, and the variants in each. Start at [`Assortment::for_product`].
//!
//! `productSelections` are those that a Product was added to. A Store contains the union of its active
//! Product Selections; without Product Selections it contains all Products. Source: reference types `Store`
//! (`productSelections`), `ProductSelectionMode`.

use crate::product_selection::{ASSIGNMENT, AssignedVariants, assigned_variants};
use crate::search::digest::known_as;
use kontor_engine::document::{has_enum, list, must_field, must_text, text, text_or_log};
use kontor_engine::{Document, Rules};
use kontor_enums::ProductSelectionMode;
use kontor_errors::ApiResult;
use kontor_json::json;
use kontor_search::limits::{SELECTIONS_MAX, STORES_MAX};
use std::collections::{BTreeMap, BTreeSet};

const SELECTION: &str = "product-selection";
const STORE: &str = "store";
/// The path of the Product Selections of a Store.
const OF_STORE: &str = "productSelections.productSelection.id";

/// The Product Selections and Stores that contain a Product, by id.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Assortment {
    /// The Product Selections that it was added to.
    pub(super) selections: BTreeMap<String, Vec<AssignedVariants>>,
    /// The Stores that have it.
    pub(super) stores: BTreeMap<String, Vec<AssignedVariants>>,
    /// The Stores that have nearly all Products, whether or not they have this one.
    pub(super) open: Vec<OpenStore>,
}

/// The maximum number of Product Selections and Stores that are indexed for a Product. Document B, "Limits", does not
/// determine which ones are indexed beyond it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssortmentLimits {
    pub(super) selections: usize,
    pub(super) stores: usize,
}

impl AssortmentLimits {
    /// The limits of the index.
    pub(super) const INDEXED: Self = Self { selections: SELECTIONS_MAX, stores: STORES_MAX };
}

impl Assortment {
    /// Returns the assortment of a Product within the limits of the index.
    pub(super) fn for_product(product: &str, rules: &Rules<'_>) -> ApiResult<Self> {
        Self::for_product_within(AssortmentLimits::INDEXED, product, rules)
    }

    /// Returns the assortment of a Product within the given limits.
    pub(super) fn for_product_within(
        most: AssortmentLimits,
        product: &str,
        rules: &Rules<'_>,
    ) -> ApiResult<Self> {
        let mut assortment = Self::default();
        let assignments = rules.peek_by_value(ASSIGNMENT, "product.id", product)?;
        let assigned = |selection: &str| {
            let mut documents = assignments.iter().map(|found| &*found.document);
            documents.find(|document| text(document, &["productSelection", "id"]) == Some(selection))
        };
        for found in assignments.iter().take(most.selections) {
            let id = must_text(&found.document, &["productSelection", "id"])?;
            if excludes(id, rules)? != Some(false) {
                continue;
            }
            let has = assigned_variants(false, Some(&found.document));
            for store in rules.peek_all_with(STORE, OF_STORE, id)?.iter() {
                if active(store).any(|active| active == id) {
                    add(&mut assortment.stores, must_text(store, &["id"])?, has.clone(), most);
                }
            }
            assortment.selections.entry(id.to_owned()).or_default().push(has);
        }
        assortment.open = open_stores(rules)?;
        for open in &assortment.open {
            if open.active.is_empty() {
                add(&mut assortment.stores, &open.id, AssignedVariants::AllBut(Vec::new()), most);
            }
            for selection in &open.excluding {
                let has = assigned_variants(true, assigned(selection));
                if has != AssignedVariants::Nothing {
                    add(&mut assortment.stores, &open.id, has, most);
                }
            }
        }
        Ok(assortment)
    }
}

fn add(
    stores: &mut BTreeMap<String, Vec<AssignedVariants>>,
    id: &str,
    has: AssignedVariants,
    most: AssortmentLimits,
) {
    if stores.len() < most.stores || stores.contains_key(id) {
        stores.entry(id.to_owned()).or_default().push(has);
    }
}

/// Whether a Product Selection lists excluded Products; `None` if it was deleted.
fn excludes(id: &str, rules: &Rules<'_>) -> ApiResult<Option<bool>> {
    let selection = rules.peek_type(SELECTION, id)?;
    Ok(selection.map(|selection| has_enum(&selection, &["mode"], ProductSelectionMode::IndividualExclusion)))
}

/// The ids of the active Product Selections of a Store.
fn active(store: &Document) -> impl Iterator<Item = &str> {
    let settings = list(store, &["productSelections"]).iter();
    let active = settings.filter(|setting| setting["active"] == json!(true));
    active.filter_map(|setting| setting["productSelection"]["id"].as_str())
}

/// A Store that also has Products that none of its Product Selections lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpenStore {
    id: String,
    /// All active Product Selections; if empty, the Store has everything.
    active: BTreeSet<String>,
    /// The Product Selections that list excluded Products.
    excluding: BTreeSet<String>,
}

impl OpenStore {
    /// A Store, as if it were one.
    pub(super) fn from_store(store: &Document) -> Self {
        Self {
            id: text_or_log(store, &["id"]).to_owned(),
            active: active(store).map(str::to_owned).collect(),
            excluding: BTreeSet::new(),
        }
    }

    /// Returns the id of the Store.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns a short text for the settings that decide its Products: equal if these are equal.
    pub(super) fn line(&self) -> String {
        known_as(&self.id, &self.active)
    }
}

/// Returns all of them in the order of their ids. They contain nearly all Products, so every entry checks
/// each.
fn open_stores(rules: &Rules<'_>) -> ApiResult<Vec<OpenStore>> {
    let mut open = BTreeMap::new();
    for store in rules.peek_all_with(STORE, crate::store::ASSORTMENT, crate::store::NONE_ACTIVE)?.iter() {
        if has_everything(store, rules)? {
            insert(&mut open, store, None);
        }
    }
    for selection in
        rules.peek_all_with(SELECTION, "mode", ProductSelectionMode::IndividualExclusion.as_str())?.iter()
    {
        let id = must_text(selection, &["id"])?;
        for store in rules.peek_all_with(STORE, OF_STORE, id)?.iter() {
            if active(store).any(|active| active == id) {
                insert(&mut open, store, Some(id));
            }
        }
    }
    Ok(open.into_values().collect())
}

fn insert(open: &mut BTreeMap<String, OpenStore>, store: &Document, excluding: Option<&str>) {
    let id = text_or_log(store, &["id"]);
    let known = open.entry(id.to_owned()).or_insert_with(|| OpenStore::from_store(store));
    known.excluding.extend(excluding.map(str::to_owned));
}

/// Whether a Store without an active Product Selection has all Products: inactive ones do not restrict it, unless one
/// of them adds Products; then the Store has none.
fn has_everything(store: &Document, rules: &Rules<'_>) -> ApiResult<bool> {
    for setting in list(store, &["productSelections"]) {
        let id = must_field(&setting["productSelection"], "id")?;
        if excludes(id, rules)? == Some(false) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The Products that a Store has by name. `None` for a Store that has others too: [`open_stores`].
pub(super) fn listed_products(store: &Document, rules: &Rules<'_>) -> ApiResult<Option<ListedProducts>> {
    let mut named = ListedProducts::default();
    let mut any_active = false;
    for selection in active(store) {
        any_active = true;
        if excludes(selection, rules)? == Some(true) {
            return Ok(None);
        }
        for found in rules.peek_by_value(ASSIGNMENT, crate::product_selection::BY_SELECTION, selection)? {
            named.is_whole &= !found.document.contains_key("variantSelection");
            let product = text(&found.document, &["product", "id"]);
            named.products.extend(product.map(str::to_owned));
        }
    }
    if !any_active && has_everything(store, rules)? {
        return Ok(None);
    }
    Ok(Some(named))
}

/// Products of a Store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedProducts {
    /// Their ids.
    pub(super) products: BTreeSet<String>,
    /// Whether the Store has each with all its variants.
    pub(super) is_whole: bool,
}

impl Default for ListedProducts {
    fn default() -> Self {
        Self { products: BTreeSet::new(), is_whole: true }
    }
}
