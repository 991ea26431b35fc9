//! The searchable fields of Products. Start at [`ProductFields`].
//!
//! Source: Document B, "Searchable Product fields".

use crate::search::attribute::{AttributeKind, searchable_attributes, unsearchable_attributes};
use crate::search::languages::indexed_languages;
use kontor_engine::{Document, Rules};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::ApiResult;
use kontor_search::{
    Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldType, FieldUse, SearchField,
    SearchableField, SearchableFields,
};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// Before the names of Attributes of Products.
pub(super) const OF_PRODUCT: &str = "attributes.";
/// Before the names of Attributes of Product Variants.
pub(super) const OF_VARIANT: &str = "variants.attributes.";
/// Before the ids of Categories.
pub(super) const ORDER_HINT: &str = "categoryOrderHints.";

/// The Stores with nearly all Products at the time of the entry: their ids, and the settings that decide which Products
/// they have. Internal: it shows which entries must be rebuilt when such a Store changes.
pub(super) const OPEN_STORES: &str = "openStores";

/// The field of [`OPEN_STORES`].
pub(super) fn open_stores_field() -> SearchField {
    SearchField {
        name: Arc::from(OPEN_STORES),
        language: None,
        level: FieldLevel::Root,
        kind: FieldKind::Keyword,
    }
}

/// The Product Type at the time of the entry: its id and its searchable Attributes. Internal: it shows which entries
/// must be rebuilt when Attributes change.
pub(super) const ATTRIBUTES_OF: &str = "attributesOf";

/// The field of [`ATTRIBUTES_OF`].
pub(super) fn attributes_of_field() -> SearchField {
    SearchField {
        name: Arc::from(ATTRIBUTES_OF),
        language: None,
        level: FieldLevel::Root,
        kind: FieldKind::Keyword,
    }
}

/// The InventoryEntries of Variant resources, by id, for internal use: a deleted InventoryEntry no longer
/// names its SKU.
pub(super) const STOCK: &str = "variants.stock";

/// The field of [`STOCK`].
pub(super) fn stock_field() -> SearchField {
    SearchField { name: Arc::from(STOCK), language: None, level: FieldLevel::Child, kind: FieldKind::Keyword }
}

/// A field that every Product may have.
struct StandardField {
    field: SearchField,
    expressions: Expressions,
    rank: FieldRank,
    is_localized: bool,
}

static STANDARD: LazyLock<HashMap<&'static str, StandardField>> = LazyLock::new(|| {
    use FieldLevel::{Child, Grandchild, Root};
    let mut all = HashMap::new();
    let mut add = |level, kind, expressions, names: &[&'static str]| {
        for name in names {
            let rank = match level {
                Grandchild => FieldRank::Price,
                _ if ["stores", "productSelections"].contains(name) => FieldRank::Context,
                _ => FieldRank::Resource,
            };
            let field = SearchField { name: Arc::from(*name), language: None, level, kind };
            let is_localized = kind == FieldKind::Text;
            all.insert(*name, StandardField { field, expressions, rank, is_localized });
        }
    };
    add(Child, FieldKind::Boolean, Expressions::Boolean, &["variants.availability.isOnStock"]);
    add(
        Root,
        FieldKind::Double,
        Expressions::Ordered,
        &[
            "reviewRatingStatistics.averageRating",
            "reviewRatingStatistics.highestRating",
            "reviewRatingStatistics.lowestRating",
        ],
    );
    add(Root, FieldKind::Long, Expressions::Ordered, &["reviewRatingStatistics.count"]);
    add(Root, FieldKind::Time, Expressions::Ordered, &["createdAt", "lastModifiedAt"]);
    add(Child, FieldKind::Long, Expressions::Ordered, &["variants.availability.availableQuantity"]);
    let amounts = ["variants.prices.centAmount", "variants.prices.currentCentAmount"];
    add(Grandchild, FieldKind::Long, Expressions::Ordered, &amounts);
    let periods = ["variants.prices.validFrom", "variants.prices.validUntil"];
    add(Grandchild, FieldKind::Time, Expressions::Ordered, &periods);
    add(
        Root,
        FieldKind::Keyword,
        Expressions::Keyword,
        &[
            "id",
            "key",
            "productType",
            "taxCategory",
            "state",
            "categories",
            "categoriesSubTree",
            "stores",
            "productSelections",
        ],
    );
    add(
        Child,
        FieldKind::Keyword,
        Expressions::Keyword,
        &[
            "variants.id",
            "variants.key",
            "variants.sku",
            "variants.availability.isOnStockForChannel",
            "variants.availability.hasInventoryEntryForChannel",
            "variants.stores",
            "variants.productSelections",
        ],
    );
    add(
        Grandchild,
        FieldKind::Keyword,
        Expressions::Keyword,
        &[
            "variants.prices.currencyCode",
            "variants.prices.country",
            "variants.prices.customerGroup",
            "variants.prices.channel",
        ],
    );
    add(Grandchild, FieldKind::Id, Expressions::Keyword, &["variants.prices.id"]);
    add(Root, FieldKind::Text, Expressions::Text, &["name", "slug", "description", "searchKeywords"]);
    all
});

/// Returns the standard field with a name; `None` if there is none.
pub(super) fn standard_field(name: &str) -> Option<&'static SearchField> {
    STANDARD.get(name).map(|standard| &standard.field)
}

/// The field of the place in a Category.
pub(super) fn order_hint(category: &str) -> SearchField {
    let name = Arc::from(format!("{ORDER_HINT}{category}"));
    SearchField { name, language: None, level: FieldLevel::Root, kind: FieldKind::Keyword }
}

/// The searchable fields of a Project's Products.
pub(super) struct ProductFields {
    languages: Vec<Arc<str>>,
    of_product: HashMap<String, AttributeKind>,
    of_variant: HashMap<String, AttributeKind>,
}

impl ProductFields {
    /// Returns the current fields of the Project. An Attribute that is not searchable in one Product Type is
    /// searchable in none (reference type `AttributeDefinition`, `isSearchable`).
    pub(super) fn load(rules: &Rules<'_>) -> ApiResult<Self> {
        let product_types = rules.peek_all("product-type")?;
        let hidden: HashSet<&str> =
            product_types.iter().flat_map(|product_type| unsearchable_attributes(product_type)).collect();
        let of_level = |level: AttributeLevelEnum| -> HashMap<String, AttributeKind> {
            let all = product_types.iter().flat_map(|product_type| attributes(product_type, level));
            all.filter(|(name, _)| !hidden.contains(name.as_str())).collect()
        };
        Ok(Self {
            languages: indexed_languages(rules.project),
            of_product: of_level(AttributeLevelEnum::Product),
            of_variant: of_level(AttributeLevelEnum::Variant),
        })
    }

    /// Returns the type of a searchable Attribute of a level, or `None`.
    pub(super) fn type_of(&self, level: FieldLevel, name: &str) -> Option<FieldType> {
        let known = if level == FieldLevel::Root { &self.of_product } else { &self.of_variant };
        known.get(name)?.field_type()
    }

    fn attribute(
        &self,
        level: FieldLevel,
        rest: &str,
        used: &FieldUse<'_>,
    ) -> Result<SearchableField, FieldProblem> {
        let (prefix, known) = match level {
            FieldLevel::Root => (OF_PRODUCT, &self.of_product),
            _ => (OF_VARIANT, &self.of_variant),
        };
        let (name, part) = rest.split_once('.').unwrap_or((rest, ""));
        let kind = known.get(name).ok_or(FieldProblem::Unknown)?;
        let sent = used.field_type.ok_or(FieldProblem::FieldTypeMissing)?;
        let part = kind.part_meant(part, used.language.is_some()).ok_or(FieldProblem::Unknown)?;
        if !kind.fits_field_type(sent, part.name) {
            return Err(FieldProblem::FieldTypeWrong(kind.field_type()));
        }
        let language = used.language.filter(|_| part.is_localized).map(Arc::from);
        Ok(SearchableField {
            field: SearchField { language, ..part.field(prefix, name, level) },
            expressions: part.expressions,
            rank: FieldRank::Resource,
            is_localized: part.is_localized,
        })
    }
}

fn attributes(product_type: &Document, level: AttributeLevelEnum) -> Vec<(String, AttributeKind)> {
    searchable_attributes(product_type, level).map(|(name, kind)| (name.to_owned(), kind)).collect()
}

impl SearchableFields for ProductFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        if let Some(standard) = STANDARD.get(used.name) {
            let language = used.language.filter(|_| standard.is_localized).map(Arc::from);
            return Ok(SearchableField {
                field: SearchField { language, ..standard.field.clone() },
                expressions: standard.expressions,
                rank: standard.rank,
                is_localized: standard.is_localized,
            });
        }
        if let Some(rest) = used.name.strip_prefix(OF_VARIANT) {
            return self.attribute(FieldLevel::Child, rest, used);
        }
        if let Some(rest) = used.name.strip_prefix(OF_PRODUCT) {
            return self.attribute(FieldLevel::Root, rest, used);
        }
        match used.name.strip_prefix(ORDER_HINT) {
            Some(category) if !category.is_empty() => Ok(SearchableField {
                field: order_hint(category),
                expressions: Expressions::Keyword,
                rank: FieldRank::Resource,
                is_localized: false,
            }),
            _ => Err(FieldProblem::Unknown),
        }
    }

    fn languages(&self) -> &[Arc<str>] {
        &self.languages
    }

    fn find_internal(&self, name: &str) -> Option<SearchField> {
        match name {
            OPEN_STORES => Some(open_stores_field()),
            STOCK => Some(stock_field()),
            ATTRIBUTES_OF => Some(attributes_of_field()),
            _ => None,
        }
    }
}
