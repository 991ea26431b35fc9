//! Maps the field names of Product Projection Search to those of Product Search, and adds its own fields. Start at
//! [`ProjectionFields`].
//!
//! A name ends with its language (`name.en`); Attributes of product variants are `variants.attributes.…`,
//! those of Products are not supported (reference type `AttributeDefinition`, `isSearchable`).
//!
//! Source: public documentation, Product Projection Search, "Filters".

use super::fields::{OF_PRODUCT, OF_VARIANT, ProductFields, standard_field};
use kontor_engine::Rules;
use kontor_errors::ApiResult;
use kontor_search::{
    Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldType, FieldUse, Leaf, LeafTest,
    SearchField, SearchQuery, SearchValue, SearchableField, SearchableFields,
};
use std::sync::Arc;

/// The words of a Product, in a language or in none.
pub(super) const TEXT: &str = "text";
/// The field of suggestions, in a language.
const SUGGESTION: &str = kontor_search::suggestions::FIELD;
/// The scope of a price: currency, country, Customer Group and Channel.
const SCOPE: &str = "variants.prices.scope";
/// The prefix of fields from the inventory of a variant.
const AVAILABILITY: &str = "variants.availability.";
/// The number of days until a variant is back in stock.
pub(super) const RESTOCKABLE: &str = "restockableInDays";
/// The scopes of prices of the same variant that a selection admitting both would prefer to a price.
const TAKEN_BEFORE: &str = "variants.prices.takenBefore";
/// Whether the price that is selected is discounted.
const SCOPED_DISCOUNTED: &str = "variants.scopedPriceDiscounted";
/// The price that is selected.
const SCOPED: &str = "variants.scopedPrice";
/// The prefixes of price fields in requests. Conditions on fields of the selected price must hold for one price of each
/// variant.
const OF_PRICES: [&str; 4] = [SCOPED, "variants.prices", "variants.price", "price"];

/// Names that differ from Product Search.
const ALIASES: [(&str, &str); 10] = [
    ("categories.id", "categories"),
    ("categories.id.subtree", "categoriesSubTree"),
    ("productType.id", "productType"),
    ("taxCategory.id", "taxCategory"),
    ("state.id", "state"),
    ("price", "variants.prices.centAmount"),
    ("variants.price", "variants.prices.centAmount"),
    ("variants.prices", "variants.prices.id"),
    ("variants.scopedPrice", "variants.prices.currentCentAmount"),
    ("variants.availability.isOnStockInChannels", "variants.availability.isOnStockForChannel"),
];

/// Paths within a price that have another name in the index.
const PRICE_ALIASES: [(&str, &str); 10] = [
    ("value", "centAmount"),
    ("value.centAmount", "centAmount"),
    ("value.currencyCode", "currencyCode"),
    ("currentValue", "currentCentAmount"),
    ("currentValue.centAmount", "currentCentAmount"),
    ("currentValue.currencyCode", "currencyCode"),
    ("channel.id", "channel"),
    ("customerGroup.id", "customerGroup"),
    ("discounted", "discounted.value.centAmount"),
    ("discounted.value", "discounted.value.centAmount"),
];

/// A field of prices that this search alone has.
pub(super) struct PriceField {
    /// The part after `variants.prices.`.
    name: &'static str,
    kind: FieldKind,
}

impl PriceField {
    /// Whether the price is discounted.
    pub(super) const IS_DISCOUNTED: Self = Self { name: "isDiscounted", kind: FieldKind::Boolean };
    /// The current amount of a discounted price, in cents.
    pub(super) const DISCOUNTED_AMOUNT: Self =
        Self { name: "discounted.value.centAmount", kind: FieldKind::Long };
    /// Its currency.
    pub(super) const DISCOUNTED_CURRENCY: Self =
        Self { name: "discounted.value.currencyCode", kind: FieldKind::Keyword };
    /// The id of its discount.
    pub(super) const DISCOUNT: Self = Self { name: "discounted.discount.id", kind: FieldKind::Keyword };
    /// The kind of its discount.
    pub(super) const DISCOUNT_TYPE: Self =
        Self { name: "discounted.discount.typeId", kind: FieldKind::Keyword };

    /// The fields that a request can name.
    const NAMED: [Self; 4] =
        [Self::DISCOUNTED_AMOUNT, Self::DISCOUNTED_CURRENCY, Self::DISCOUNT, Self::DISCOUNT_TYPE];

    /// The field of the index.
    pub(super) fn field(&self) -> SearchField {
        let name = Arc::from(format!("variants.prices.{}", self.name));
        SearchField { name, language: None, level: FieldLevel::Grandchild, kind: self.kind }
    }

    fn searchable_field(&self) -> SearchableField {
        let expressions = match self.kind {
            FieldKind::Boolean => Expressions::Boolean,
            FieldKind::Long => Expressions::Ordered,
            _ => Expressions::Keyword,
        };
        SearchableField { field: self.field(), expressions, rank: FieldRank::Price, is_localized: false }
    }
}

/// The path within a price that a name leads to, e.g. `country` of `variants.scopedPrice.country`.
fn in_price(name: &str) -> Option<&str> {
    let rest = OF_PRICES.iter().find_map(|of| name.strip_prefix(of)?.strip_prefix('.'))?;
    Some(PRICE_ALIASES.iter().find(|(alias, _)| *alias == rest).map_or(rest, |(_, meant)| *meant))
}

/// The field of all texts of a Product in a language.
pub(super) fn text_field(language: Option<Arc<str>>) -> SearchField {
    SearchField { name: Arc::from(TEXT), language, level: FieldLevel::Root, kind: FieldKind::Text }
}

/// Returns the field of suggestions: a word in lower case, a separator, and the keyword that it leads to.
pub(super) fn suggestion_field(language: Option<Arc<str>>) -> SearchField {
    SearchField { name: Arc::from(SUGGESTION), language, level: FieldLevel::Root, kind: FieldKind::Keyword }
}

/// Whether the Inventory has a figure of this name for each Channel.
pub(super) fn is_stock_figure(name: &str) -> bool {
    ["isOnStock", "availableQuantity", RESTOCKABLE].contains(&name)
}

/// The field of a figure of the Inventory: of the Variant, or of a Channel with `channels.{id}.` as `of`.
pub(super) fn stock_figure(of: &str, figure: &str) -> SearchField {
    let kind = if figure == "isOnStock" { FieldKind::Boolean } else { FieldKind::Long };
    SearchField {
        name: Arc::from(format!("{AVAILABILITY}{of}{figure}")),
        language: None,
        level: FieldLevel::Child,
        kind,
    }
}

/// Finds fields of stock and prices that only Product Projection Search has.
fn projection_search_field(name: &str) -> Option<SearchableField> {
    if name == SCOPED_DISCOUNTED {
        return Some(PriceField::IS_DISCOUNTED.searchable_field());
    }
    if let Some(path) = in_price(name) {
        return PriceField::NAMED.iter().find(|field| field.name == path).map(PriceField::searchable_field);
    }
    let rest = name.strip_prefix(AVAILABILITY)?;
    let field = match rest.strip_prefix("channels.") {
        Some(of_channel) => {
            let (channel, figure) = of_channel.split_once('.')?;
            let is_known = !channel.is_empty() && is_stock_figure(figure);
            is_known.then(|| stock_figure(&format!("channels.{channel}."), figure))?
        }
        None => (rest == RESTOCKABLE).then(|| stock_figure("", RESTOCKABLE))?,
    };
    let expressions =
        if field.kind == FieldKind::Boolean { Expressions::Boolean } else { Expressions::Ordered };
    Some(SearchableField { field, expressions, rank: FieldRank::Resource, is_localized: false })
}

/// The field of the scopes of prices.
pub(super) fn scope_field() -> SearchField {
    SearchField {
        name: Arc::from(SCOPE),
        language: None,
        level: FieldLevel::Grandchild,
        kind: FieldKind::Keyword,
    }
}

/// Returns the field with the scopes of preferred prices. Every price has a value of it.
pub(super) fn taken_before_field() -> SearchField {
    SearchField { name: Arc::from(TAKEN_BEFORE), ..scope_field() }
}

/// A scope as a value.
pub(super) fn scope_value(currency: &str, country: &str, group: &str, channel: &str) -> String {
    [currency, country, group, channel].join("|")
}

/// The searchable fields of a Project's Product Projections.
pub(super) struct ProjectionFields(ProductFields);

impl ProjectionFields {
    /// Returns the current fields of the Project.
    pub(super) fn load(rules: &Rules<'_>) -> ApiResult<Self> {
        ProductFields::load(rules).map(Self)
    }

    /// Returns a language in the spelling of the Project, whatever case was sent.
    fn project_spelling<'s>(&'s self, language: &'s str) -> &'s str {
        self.0
            .languages()
            .iter()
            .find(|known| known.eq_ignore_ascii_case(language))
            .map_or(language, |known| known)
    }

    fn find_product_field(
        &self,
        name: &str,
        language: Option<&str>,
        used: &FieldUse<'_>,
    ) -> Result<SearchableField, FieldProblem> {
        if let Some(rest) = name.strip_prefix(OF_VARIANT) {
            let (attribute, _) = rest.split_once('.').unwrap_or((rest, ""));
            let field_type = self.0.type_of(FieldLevel::Child, attribute).ok_or(FieldProblem::Unknown)?;
            // A caller that passes a type checks whether the field has it.
            let field_type = Some(used.field_type.unwrap_or(field_type));
            return self.0.find(&FieldUse { name, language, field_type });
        }
        if name.starts_with(OF_PRODUCT) {
            return Err(FieldProblem::Unknown);
        }
        let price = in_price(name).map(|path| format!("variants.prices.{path}"));
        let alias = ALIASES.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant);
        let name = price.as_deref().or(alias).unwrap_or(name);
        self.0.find(&FieldUse { name, language, field_type: None })
    }
}

impl SearchableFields for ProjectionFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        if used.name == TEXT {
            return Ok(SearchableField {
                field: text_field(used.language.map(|language| Arc::from(self.project_spelling(language)))),
                expressions: Expressions::Text,
                rank: FieldRank::Resource,
                is_localized: false,
            });
        }
        if used.name == SUGGESTION {
            return Ok(SearchableField {
                field: suggestion_field(
                    used.language.map(|language| Arc::from(self.project_spelling(language))),
                ),
                expressions: Expressions::Keyword,
                rank: FieldRank::Resource,
                is_localized: true,
            });
        }
        if let Some(found) = projection_search_field(used.name) {
            return Ok(found);
        }
        let name = used.name.strip_suffix(".text").filter(|name| name.starts_with("searchKeywords."));
        let name = name.unwrap_or(used.name);
        match self.find_product_field(name, None, used) {
            Err(FieldProblem::Unknown) => {}
            other => return other,
        }
        let (name, language) = name.rsplit_once('.').ok_or(FieldProblem::Unknown)?;
        let found = self.find_product_field(name, Some(self.project_spelling(language)), used)?;
        if found.is_localized { Ok(found) } else { Err(FieldProblem::Unknown) }
    }

    fn find_internal(&self, name: &str) -> Option<SearchField> {
        self.0.find_internal(name)
    }

    fn languages(&self) -> &[Arc<str>] {
        self.0.languages()
    }

    fn holds_days(&self, name: &str) -> bool {
        let as_days = FieldUse { name, language: None, field_type: Some(FieldType::Date) };
        // Other fields have one type, whatever type the caller passes.
        name.starts_with(OF_VARIANT) && self.find(&as_days).is_ok()
    }

    /// Returns the condition on the selected price: its scope is admitted by the selection, and the variant has no
    /// price in the admitted scopes that is preferred to it.
    fn scope_condition(&self, name: &str, parameters: &[(String, String)]) -> Option<SearchQuery> {
        let rest = name.strip_prefix(SCOPED)?;
        if name != SCOPED_DISCOUNTED && !rest.is_empty() && !rest.starts_with('.') {
            return None;
        }
        let all = |wanted: &[&str]| -> Vec<&str> {
            let sent = parameters.iter().filter(|(name, _)| wanted.contains(&name.as_str()));
            sent.map(|(_, value)| value.as_str()).collect()
        };
        let or_none = |wanted: &[&str]| [all(wanted), vec![""]].concat();
        let countries = or_none(&["priceCountry"]);
        let groups = or_none(&["priceCustomerGroup", "priceCustomerGroupAssignments"]);
        let channels = or_none(&["priceChannel"]);
        let mut values = Vec::new();
        for currency in all(&["priceCurrency"]) {
            for country in &countries {
                for group in &groups {
                    for channel in &channels {
                        values.push(SearchValue::Text(scope_value(currency, country, group, channel)));
                    }
                }
            }
        }
        let leaf = |field, test| SearchQuery::Leaf(Leaf { field, boost: 1.0, test });
        if values.is_empty() {
            return Some(leaf(scope_field(), LeafTest::Never));
        }
        let admitted =
            leaf(scope_field(), LeafTest::Exact { values: values.clone(), case_insensitive: false });
        if values.len() == 1 {
            // A Variant has one price of a scope.
            return Some(admitted);
        }
        Some(SearchQuery::And(vec![admitted, leaf(taken_before_field(), LeafTest::Lacks { values })]))
    }
}

/// Whether a field of the index is the standard field with this name.
pub(super) fn is_standard_field(field: &SearchField, name: &str) -> bool {
    standard_field(name).is_some_and(|known| known.name == field.name)
}
