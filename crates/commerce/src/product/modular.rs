//! Rules for Projects with the catalog model `Modular`, where variants are resources of their own.
//!
//! Source: reference types `ProductCatalogModel`, `ProjectSetProductCatalogModelAction`, `ProductDraft`,
//! `ProductSetDefaultVariantAction`, `ProductPriceModeEnum`.

use super::sides::{BOTH, compare, data_mut, set_or_remove, sides_of_action};
use crate::catalog_model::{finds_resources, has_embedded_variants};
use crate::published_variants::VARIANT;
use kontor_engine::document::{list, text};
use kontor_engine::{
    ActionContext, ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Rules,
};
use kontor_errors::{ApiError, ApiResult};

/// A draft has no variants there.
pub(super) fn admit_draft(draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if !has_embedded_variants(rules)
        && (draft.contains_key("masterVariant") || !list(draft, &["variants"]).is_empty())
    {
        let name = if draft.contains_key("masterVariant") { "masterVariant" } else { "variants" };
        return Err(ApiError::invalid_operation(format!(
            "{name}: must not be sent: the Project has the productCatalogModel 'Modular', where variants are created \
             as resources of their own."
        )));
    }
    Ok(())
}

/// Refuses an action on variants, or on the price mode, that would have an effect. All others find no variant.
pub(super) fn admit_classic(context: &ActionContext<'_, '_>) -> ApiResult<()> {
    if !has_embedded_variants(context.rules) {
        return Err(ApiError::invalid_operation(format!(
            "{}: '{}' is not available in Projects with the productCatalogModel 'Modular'.",
            context.place, context.action.name
        )));
    }
    Ok(())
}

/// Removes a deleted Variant from `defaultVariant`.
pub(super) const fn follow_end_of_variant(name: &'static str, path: &'static str) -> Derivation {
    Derivation {
        name,
        source: "Variant",
        // An id never changes; it is gone with the document.
        dependents: Dependents::ReferringAt { path, when: ChangeFilter::Fields(&["id"]) },
        derive: leave_those_gone,
    }
}

fn leave_those_gone(product: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    for side in BOTH {
        let data = data_mut(product, side)?;
        if let Some(id) = text(data, &["defaultVariant", "id"])
            && sources.document(VARIANT, id)?.is_none()
        {
            data.shift_remove("defaultVariant");
        }
    }
    compare(product);
    Ok(DeriveOutcome::Keep)
}

/// `setDefaultVariant`.
pub(super) fn set_default_variant(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let rules = context.rules;
    if !finds_resources(rules) {
        return Err(ApiError::invalid_operation(format!(
            "{}: default variants are for Projects with the productCatalogModel 'InMigration' or 'Modular'.",
            context.place
        )));
    }
    if let Some(id) = text(arguments, &["variant", "id"]) {
        let variant = rules.peek_type(VARIANT, id)?;
        let of = variant.as_deref().and_then(|variant| text(variant, &["product", "id"]));
        if of != text(context.document, &["id"]) {
            return Err(ApiError::invalid_operation(format!(
                "{}.variant: the Variant with ID '{id}' belongs to another Product.",
                context.place
            )));
        }
    }
    for side in sides_of_action(arguments) {
        set_or_remove(data_mut(context.document, side)?, "defaultVariant", arguments.get("variant"));
    }
    Ok(())
}
