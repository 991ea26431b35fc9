//! The searchable fields of a small shop, for tests.

use crate::{Expressions, Field, FieldProblem, FieldType, FieldUse, Fields, Found, Kind, Level, Rank};
use std::sync::Arc;

/// A shop with the languages English and German.
pub(crate) struct Shop(Vec<Arc<str>>);

impl Shop {
    pub(crate) fn new() -> Self {
        Self(vec!["en".into(), "de-DE".into()])
    }
}

impl Fields for Shop {
    fn find(&self, used: &FieldUse<'_>) -> Result<Found, FieldProblem> {
        use Expressions as E;
        let (level, kind, expressions, rank, is_localized) = match used.name {
            "id" | "key" | "categories" => (Level::Root, Kind::Keyword, E::Keyword, Rank::Resource, false),
            "stores" | "productSelections" => (Level::Root, Kind::Keyword, E::Keyword, Rank::Context, false),
            "name" | "description" => (Level::Root, Kind::Text, E::Text, Rank::Resource, true),
            "all" => (Level::Root, Kind::Text, E::TextWithoutWildcard, Rank::Resource, false),
            "createdAt" => (Level::Root, Kind::Time, E::Ordered, Rank::Resource, false),
            "rating" => (Level::Root, Kind::Double, E::Ordered, Rank::Resource, false),
            "variants.id" | "variants.sku" => {
                (Level::Child, Kind::Keyword, E::Keyword, Rank::Resource, false)
            }
            "variants.stock" => (Level::Child, Kind::Long, E::Ordered, Rank::Resource, false),
            "variants.isOnStock" => (Level::Child, Kind::Boolean, E::Boolean, Rank::Resource, false),
            "variants.prices.currencyCode" => {
                (Level::Grandchild, Kind::Keyword, E::Keyword, Rank::Price, false)
            }
            "variants.prices.centAmount" => (Level::Grandchild, Kind::Long, E::Ordered, Rank::Price, false),
            "variants.attributes.color" => match used.field_type {
                None => return Err(FieldProblem::FieldTypeMissing),
                Some(FieldType::Text) => (Level::Child, Kind::Text, E::Text, Rank::Resource, false),
                Some(_) => return Err(FieldProblem::FieldTypeWrong(Some(FieldType::Text))),
            },
            "variants.attributes.opens" => match used.field_type {
                Some(FieldType::Time) => (Level::Child, Kind::Keyword, E::Ordered, Rank::Resource, false),
                _ => return Err(FieldProblem::FieldTypeMissing),
            },
            _ => return Err(FieldProblem::Unknown),
        };
        let language = if is_localized { used.language.map(Arc::from) } else { None };
        let field = Field { name: used.name.into(), language, level, kind };
        Ok(Found { field, expressions, rank, is_localized })
    }

    fn languages(&self) -> &[Arc<str>] {
        &self.0
    }
}
