//! The searchable fields of a small shop, for tests.

use crate::{
    Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldType, FieldUse, SearchField,
    SearchableField, SearchableFields,
};
use std::sync::Arc;

/// A shop with the languages English and German.
pub(crate) struct TestFields(Vec<Arc<str>>);

impl TestFields {
    pub(crate) fn new() -> Self {
        Self(vec!["en".into(), "de-DE".into()])
    }
}

impl SearchableFields for TestFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        use Expressions as E;
        let (level, kind, expressions, rank, is_localized) = match used.name {
            "id" | "key" | "categories" => {
                (FieldLevel::Root, FieldKind::Keyword, E::Keyword, FieldRank::Resource, false)
            }
            "stores" | "productSelections" => {
                (FieldLevel::Root, FieldKind::Keyword, E::Keyword, FieldRank::Context, false)
            }
            "name" | "description" => (FieldLevel::Root, FieldKind::Text, E::Text, FieldRank::Resource, true),
            "all" => (FieldLevel::Root, FieldKind::Text, E::TextWithoutWildcard, FieldRank::Resource, false),
            "createdAt" => (FieldLevel::Root, FieldKind::Time, E::Ordered, FieldRank::Resource, false),
            "rating" => (FieldLevel::Root, FieldKind::Double, E::Ordered, FieldRank::Resource, false),
            "variants.id" | "variants.sku" => {
                (FieldLevel::Child, FieldKind::Keyword, E::Keyword, FieldRank::Resource, false)
            }
            "variants.stock" => (FieldLevel::Child, FieldKind::Long, E::Ordered, FieldRank::Resource, false),
            "variants.isOnStock" => {
                (FieldLevel::Child, FieldKind::Boolean, E::Boolean, FieldRank::Resource, false)
            }
            "variants.prices.currencyCode" => {
                (FieldLevel::Grandchild, FieldKind::Keyword, E::Keyword, FieldRank::Price, false)
            }
            "variants.prices.centAmount" => {
                (FieldLevel::Grandchild, FieldKind::Long, E::Ordered, FieldRank::Price, false)
            }
            "variants.attributes.color" => match used.field_type {
                None => return Err(FieldProblem::FieldTypeMissing),
                Some(FieldType::Text) => {
                    (FieldLevel::Child, FieldKind::Text, E::Text, FieldRank::Resource, false)
                }
                Some(_) => return Err(FieldProblem::FieldTypeWrong(Some(FieldType::Text))),
            },
            "variants.attributes.opens" => match used.field_type {
                Some(FieldType::Time) => {
                    (FieldLevel::Child, FieldKind::Keyword, E::Ordered, FieldRank::Resource, false)
                }
                _ => return Err(FieldProblem::FieldTypeMissing),
            },
            _ => return Err(FieldProblem::Unknown),
        };
        let language = if is_localized { used.language.map(Arc::from) } else { None };
        let field = SearchField { name: used.name.into(), language, level, kind };
        Ok(SearchableField { field, expressions, rank, is_localized })
    }

    fn languages(&self) -> &[Arc<str>] {
        &self.0
    }
}
