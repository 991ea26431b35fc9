//! Imports products that are older than the catalog model `Modular` of their project.
//!
//! A project can switch to that model at any time, and its products keep their variants. In such a project no product
//! with variants can be created, and in others no variant resource. So the import creates products with variants first,
//! together with all other resources, then switches the catalog model, then creates the rest.

use super::draft_files::DraftBatch;
use super::import_report::DraftImportReport;
use super::project_settings_import::{self, SettingField};
use super::{ImportItem, Importer, must_not_be_server_error};
use crate::import_rules::{NUMBER_PARENT, are_numbered, is_settings};
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::{Value, json};

/// The name of the setting.
const CATALOG_MODEL: &str = "productCatalogModel";
const MODULAR: &str = "Modular";
const CLASSIC: &str = "Classic";
/// The draft fields of products with variants.
const OWN_VARIANTS: [&str; 2] = ["masterVariant", "variants"];

/// The part of an import that needs the catalog model `Modular`.
pub(super) struct ModularImport {
    /// The catalog model, with the item of the settings that it was in.
    pub(super) settings: Vec<(ImportItem, SettingField)>,
    pub(super) batches: Vec<DraftBatch>,
}

/// Removes the part of the import that must come later from `batches`. Returns `None` if the order does not matter.
pub(super) async fn split_off_modular(
    importer: &Importer<'_>,
    batches: &mut Vec<DraftBatch>,
) -> anyhow::Result<Option<ModularImport>> {
    let model = importer.model;
    let older: Vec<&ImportItem> = batches
        .iter()
        .flat_map(|batch| &batch.items)
        .filter(|item| has_own_variants(importer, item))
        .collect();
    let settings = batches.iter().filter(|batch| is_settings(model.kind(batch.kind)));
    let is_modular = settings.flat_map(|batch| &batch.items).any(|item| item.draft[CATALOG_MODEL] == MODULAR);
    if older.is_empty() || !is_modular {
        return Ok(None);
    }
    if !are_all_there(importer, &older).await? {
        // An interrupted import has switched the model already.
        set_model(importer, CLASSIC).await?;
    }
    let mut later = ModularImport { settings: Vec::new(), batches: Vec::new() };
    for batch in batches {
        let kind = model.kind(batch.kind);
        if is_settings(kind) {
            for item in &mut batch.items {
                let taken = item.draft.as_object_mut().and_then(|fields| fields.shift_remove(CATALOG_MODEL));
                if let Some(value) = taken {
                    later.settings.push((item.clone(), (item.index, CATALOG_MODEL.to_owned(), value)));
                }
            }
            continue;
        }
        let needs_model = |item: &ImportItem| {
            are_numbered(model, kind) || (kind.type_id == NUMBER_PARENT && !has_own_variants(importer, item))
        };
        let (taken, left) = std::mem::take(&mut batch.items).into_iter().partition(needs_model);
        batch.items = left;
        later.batches.push(DraftBatch { file: batch.file.clone(), kind: batch.kind, items: taken });
    }
    later.batches.retain(|batch| !batch.items.is_empty());
    Ok(Some(later))
}

/// Switches the project to its catalog model.
pub(super) async fn set_catalog_models(
    importer: &Importer<'_>,
    settings: Vec<(ImportItem, SettingField)>,
    report: &mut DraftImportReport,
) -> anyhow::Result<()> {
    for (item, setting) in settings {
        project_settings_import::apply(importer, &item, vec![setting], true, report).await?;
    }
    Ok(())
}

/// True for the draft of a product with variants.
fn has_own_variants(importer: &Importer<'_>, item: &ImportItem) -> bool {
    let has = |name: &&str| item.draft.get(name).is_some_and(|value| *value != json!([]));
    importer.model.kind(item.kind).type_id == NUMBER_PARENT && OWN_VARIANTS.iter().any(has)
}

async fn are_all_there(importer: &Importer<'_>, items: &[&ImportItem]) -> anyhow::Result<bool> {
    for item in items {
        if importer.find(importer.model.kind(item.kind), item).await?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn set_model(importer: &Importer<'_>, to: &str) -> anyhow::Result<()> {
    let path = format!("/{}", percent_encoded(importer.project));
    let current =
        must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?.accepted()?;
    if current[CATALOG_MODEL] != MODULAR {
        return Ok(());
    }
    let action: Value = json!({"action": "setProductCatalogModel", CATALOG_MODEL: to});
    let update = json!({"version": current["version"], "actions": [action]});
    must_not_be_server_error(importer.operator.send(Method::POST, &path, Some(&update)).await?)?
        .accepted()?;
    Ok(())
}
