//! Maps the field names of Product Projection Search to those of Product Search, and adds its own fields.
//!
//! A name ends with its language (`name.en`); Attributes of product variants are `variants.attributes.…`,
//! those of Products are not supported (reference type `AttributeDefinition`, `isSearchable`).
//!
//! Source: public documentation, Product Projection Search, "Filters".

use super::fields::{OF_PRODUCT, OF_VARIANT, ProductFields, standard};
use kontor_engine::Rules;
use kontor_errors::ApiResult;
use kontor_search::{
    Expressions, Field, FieldProblem, FieldType, FieldUse, Fields, Found, Kind, Leaf, Level, Query, Rank,
    Test, Value,
};
use std::sync::Arc;

/// The words of a Product, in a language or in none.
pub(super) const TEXT: &str = "text";
/// The field of suggestions, in a language.
const SUGGESTION: &str = kontor_search::suggestions::FIELD;
/// The scope of a price: currency, country, Customer Group and Channel.
const SCOPE: &str = "variants.prices.scope";
/// Before what the Inventory says of a Variant.
const AVAILABILITY: &str = "variants.availability.";
/// In how many days a Variant is there again.
pub(super) const RESTOCKABLE: &str = "restockableInDays";
/// Whether a price is discounted.
const DISCOUNTED: &str = "variants.prices.discounted";
/// Whether the price that is selected is discounted.
const SCOPED_DISCOUNTED: &str = "variants.scopedPriceDiscounted";
/// Before the fields of the price that is selected.
const SCOPED: &str = "variants.scopedPrice.";
/// The prefix of the fields of that price's discount: its current value if it is discounted.
const SCOPED_DISCOUNT: &str = "variants.scopedPrice.discounted.";

/// Names that differ from Product Search.
const ALIASES: [(&str, &str); 24] = [
    ("categories.id", "categories"),
    ("categories.id.subtree", "categoriesSubTree"),
    ("productType.id", "productType"),
    ("taxCategory.id", "taxCategory"),
    ("state.id", "state"),
    ("price", "variants.prices.centAmount"),
    ("variants.price", "variants.prices.centAmount"),
    ("variants.price.centAmount", "variants.prices.centAmount"),
    ("variants.price.value.centAmount", "variants.prices.centAmount"),
    ("variants.price.currencyCode", "variants.prices.currencyCode"),
    ("variants.prices", "variants.prices.id"),
    ("variants.prices.value.centAmount", "variants.prices.centAmount"),
    ("variants.prices.value.currencyCode", "variants.prices.currencyCode"),
    ("variants.prices.channel.id", "variants.prices.channel"),
    ("variants.prices.customerGroup.id", "variants.prices.customerGroup"),
    ("variants.scopedPrice", "variants.prices.currentCentAmount"),
    ("variants.scopedPrice.id", "variants.prices.id"),
    ("variants.scopedPrice.value.centAmount", "variants.prices.centAmount"),
    ("variants.scopedPrice.value.currencyCode", "variants.prices.currencyCode"),
    ("variants.scopedPrice.currentValue.centAmount", "variants.prices.currentCentAmount"),
    ("variants.scopedPrice.discounted.value.centAmount", "variants.prices.currentCentAmount"),
    ("variants.scopedPrice.discounted.value.currencyCode", "variants.prices.currencyCode"),
    ("variants.scopedPrice.country", "variants.prices.country"),
    ("variants.availability.isOnStockInChannels", "variants.availability.isOnStockForChannel"),
];

/// The field of all texts of a Product in a language.
pub(super) fn text_field(language: Option<Arc<str>>) -> Field {
    Field { name: Arc::from(TEXT), language, level: Level::Root, kind: Kind::Text }
}

/// Returns the field of suggestions: a word in lower case, a separator, and the keyword that it leads to.
pub(super) fn suggestion_field(language: Option<Arc<str>>) -> Field {
    Field { name: Arc::from(SUGGESTION), language, level: Level::Root, kind: Kind::Keyword }
}

/// Whether the Inventory has a figure of this name for each Channel.
pub(super) fn is_stock_figure(name: &str) -> bool {
    ["isOnStock", "availableQuantity", RESTOCKABLE].contains(&name)
}

/// The field of a figure of the Inventory: of the Variant, or of a Channel with `channels.{id}.` as `of`.
pub(super) fn stock_figure(of: &str, figure: &str) -> Field {
    let kind = if figure == "isOnStock" { Kind::Boolean } else { Kind::Long };
    Field {
        name: Arc::from(format!("{AVAILABILITY}{of}{figure}")),
        language: None,
        level: Level::Child,
        kind,
    }
}

/// The field of prices that says whether they are discounted.
pub(super) fn discounted_field() -> Field {
    Field { name: Arc::from(DISCOUNTED), language: None, level: Level::Grandchild, kind: Kind::Boolean }
}

/// Finds fields of stock and prices that only Product Projection Search has.
fn found_here(name: &str) -> Option<Found> {
    if name == SCOPED_DISCOUNTED {
        return Some(Found {
            field: discounted_field(),
            expressions: Expressions::Boolean,
            rank: Rank::Price,
            is_localized: false,
        });
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
    let expressions = if field.kind == Kind::Boolean { Expressions::Boolean } else { Expressions::Ordered };
    Some(Found { field, expressions, rank: Rank::Resource, is_localized: false })
}

/// The field of the scopes of prices.
pub(super) fn scope_field() -> Field {
    Field { name: Arc::from(SCOPE), language: None, level: Level::Grandchild, kind: Kind::Keyword }
}

/// A scope as a value.
pub(super) fn scope(currency: &str, country: &str, group: &str, channel: &str) -> String {
    [currency, country, group, channel].join("|")
}

/// The searchable fields of a Project's Product Projections.
pub(super) struct ProjectionFields(ProductFields);

impl ProjectionFields {
    /// Returns the current fields of the Project.
    pub(super) fn of(rules: &Rules<'_>) -> ApiResult<Self> {
        ProductFields::of(rules).map(Self)
    }

    /// A language as the Project has it, whatever case it was sent in.
    fn known<'s>(&'s self, language: &'s str) -> &'s str {
        self.0
            .languages()
            .iter()
            .find(|known| known.eq_ignore_ascii_case(language))
            .map_or(language, |known| known)
    }

    fn named(&self, name: &str, language: Option<&str>, used: &FieldUse<'_>) -> Result<Found, FieldProblem> {
        if let Some(rest) = name.strip_prefix(OF_VARIANT) {
            let (attribute, _) = rest.split_once('.').unwrap_or((rest, ""));
            let field_type = self.0.type_of(Level::Child, attribute).ok_or(FieldProblem::Unknown)?;
            // A caller that passes a type checks whether the field has it.
            let field_type = Some(used.field_type.unwrap_or(field_type));
            return self.0.find(&FieldUse { name, language, field_type });
        }
        if name.starts_with(OF_PRODUCT) {
            return Err(FieldProblem::Unknown);
        }
        let alias = ALIASES.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant);
        self.0.find(&FieldUse { name: alias.unwrap_or(name), language, field_type: None })
    }
}

impl Fields for ProjectionFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<Found, FieldProblem> {
        if used.name == TEXT {
            return Ok(Found {
                field: text_field(used.language.map(|language| Arc::from(self.known(language)))),
                expressions: Expressions::Text,
                rank: Rank::Resource,
                is_localized: false,
            });
        }
        if used.name == SUGGESTION {
            return Ok(Found {
                field: suggestion_field(used.language.map(|language| Arc::from(self.known(language)))),
                expressions: Expressions::Keyword,
                rank: Rank::Resource,
                is_localized: true,
            });
        }
        if let Some(found) = found_here(used.name) {
            return Ok(found);
        }
        let name = used.name.strip_suffix(".text").filter(|name| name.starts_with("searchKeywords."));
        let name = name.unwrap_or(used.name);
        match self.named(name, None, used) {
            Err(FieldProblem::Unknown) => {}
            other => return other,
        }
        let (name, language) = name.rsplit_once('.').ok_or(FieldProblem::Unknown)?;
        let found = self.named(name, Some(self.known(language)), used)?;
        if found.is_localized { Ok(found) } else { Err(FieldProblem::Unknown) }
    }

    fn own(&self, name: &str) -> Option<Field> {
        self.0.own(name)
    }

    fn languages(&self) -> &[Arc<str>] {
        self.0.languages()
    }

    fn holds_days(&self, name: &str) -> bool {
        let as_days = FieldUse { name, language: None, field_type: Some(FieldType::Date) };
        // Other fields have one type, whatever type the caller passes.
        name.starts_with(OF_VARIANT) && self.find(&as_days).is_ok()
    }

    /// Of the price that is selected: one whose scope is among those that the selection falls back to. Which of several is
    /// the best is not looked at.
    fn within(&self, name: &str, parameters: &[(String, String)]) -> Option<Query> {
        let is_scoped =
            name.starts_with(SCOPED) || name == "variants.scopedPrice" || name == SCOPED_DISCOUNTED;
        if !is_scoped {
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
                        values.push(Value::Text(scope(currency, country, group, channel)));
                    }
                }
            }
        }
        let field = scope_field();
        if values.is_empty() {
            return Some(Query::Leaf(Leaf { field, boost: 1.0, test: Test::Never }));
        }
        let leaf = |field, values| {
            Query::Leaf(Leaf { field, boost: 1.0, test: Test::Exact { values, case_insensitive: false } })
        };
        let selected = leaf(field, values);
        if !name.starts_with(SCOPED_DISCOUNT) {
            return Some(selected);
        }
        Some(Query::And(vec![selected, leaf(discounted_field(), vec![Value::Boolean(true)])]))
    }
}

/// The name of a field of the index, where it is a standard one.
pub(super) fn is(field: &Field, name: &str) -> bool {
    standard(name).is_some_and(|known| known.name == field.name)
}
