//! The catalog model of the Project: whether variants are part of their Products or resources of their own. In a Project
//! `InMigration` Products have variants, and everything that refers to a variant finds the resources.
//!
//! The header `x-catalog-model` replaces the model for one request.
//!
//! Source: reference type `ProductCatalogModel`; release notes of 18 September 2026.

use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_enums::ProductCatalogModel;

const IN_MIGRATION: &str = ProductCatalogModel::InMigration.as_str();
const MODULAR: &str = ProductCatalogModel::Modular.as_str();

/// Whether Products have variants (`Classic` and `InMigration`).
pub(crate) fn has_embedded_variants(rules: &Rules<'_>) -> bool {
    model(rules) != Some(MODULAR)
}

/// Whether line items, Shopping Lists and Tailorings find variants that are resources (`InMigration` and `Modular`), and
/// not those in Products.
pub(crate) fn finds_resources(rules: &Rules<'_>) -> bool {
    matches!(model(rules), Some(IN_MIGRATION | MODULAR))
}

/// Whether the Project moves from the one to the other.
pub(crate) fn is_in_migration(project: &Document) -> bool {
    model_of(project) == Some(IN_MIGRATION)
}

fn model<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    model_of(rules.project)
}

fn model_of(project: &Document) -> Option<&str> {
    text(project, &["productCatalogModel"])
}
