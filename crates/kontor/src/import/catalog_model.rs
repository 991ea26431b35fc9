//! Products that are older than the catalog model `Modular` of their project.
//!
//! A project can get that model at any time, and its Products keep the variants that they have. A Product with variants cannot be
//! created in such a project, and a Variant of its own in no other. So Products with variants are created first, with everything
//! else; then the project gets its model, and what needs that follows.

use super::report::Report;
use super::settings::{self, Setting};
use super::source::Batch;
use super::{Importer, Item, answered};
use crate::importable::{WITHIN, are_numbered, is_settings};
use crate::resource::encoded;
use axum::http::Method;
use kontor_json::{Value, json};

/// The setting.
const CATALOG_MODEL: &str = "productCatalogModel";
const MODULAR: &str = "Modular";
const CLASSIC: &str = "Classic";
/// What the draft of a Product has that has variants.
const OWN_VARIANTS: [&str; 2] = ["masterVariant", "variants"];

/// What comes when the project has its catalog model.
pub(super) struct Later {
    /// The setting, with the settings that it stood in.
    pub(super) settings: Vec<(Item, Setting)>,
    pub(super) batches: Vec<Batch>,
}

/// Takes out what comes later; `None`: everything can be imported at once.
pub(super) async fn apart(
    importer: &Importer<'_>,
    batches: &mut Vec<Batch>,
) -> anyhow::Result<Option<Later>> {
    let model = importer.model;
    let older: Vec<&Item> =
        batches.iter().flat_map(|batch| &batch.items).filter(|item| is_older(importer, item)).collect();
    let settings = batches.iter().filter(|batch| is_settings(model.kind(batch.kind)));
    let is_modular = settings.flat_map(|batch| &batch.items).any(|item| item.draft[CATALOG_MODEL] == MODULAR);
    if older.is_empty() || !is_modular {
        return Ok(None);
    }
    if !are_all_there(importer, &older).await? {
        // An import that was cut off has set it already.
        set_model(importer, CLASSIC).await?;
    }
    let mut later = Later { settings: Vec::new(), batches: Vec::new() };
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
        let needs_model =
            |item: &Item| are_numbered(model, kind) || (kind.type_id == WITHIN && !is_older(importer, item));
        let (taken, left) = std::mem::take(&mut batch.items).into_iter().partition(needs_model);
        batch.items = left;
        later.batches.push(Batch { file: batch.file.clone(), kind: batch.kind, items: taken });
    }
    later.batches.retain(|batch| !batch.items.is_empty());
    Ok(Some(later))
}

/// Gives the project its model.
pub(super) async fn set(
    importer: &Importer<'_>,
    settings: Vec<(Item, Setting)>,
    report: &mut Report,
) -> anyhow::Result<()> {
    for (item, setting) in settings {
        settings::apply(importer, &item, vec![setting], true, report).await?;
    }
    Ok(())
}

/// True for the draft of a Product that has variants.
fn is_older(importer: &Importer<'_>, item: &Item) -> bool {
    let has = |name: &&str| item.draft.get(name).is_some_and(|value| *value != json!([]));
    importer.model.kind(item.kind).type_id == WITHIN && OWN_VARIANTS.iter().any(has)
}

async fn are_all_there(importer: &Importer<'_>, items: &[&Item]) -> anyhow::Result<bool> {
    for item in items {
        if importer.find(importer.model.kind(item.kind), item).await?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn set_model(importer: &Importer<'_>, to: &str) -> anyhow::Result<()> {
    let path = format!("/{}", encoded(importer.project));
    let current = answered(importer.operator.send(Method::GET, &path, None).await?)?.accepted()?;
    if current[CATALOG_MODEL] != MODULAR {
        return Ok(());
    }
    let action: Value = json!({"action": "setProductCatalogModel", CATALOG_MODEL: to});
    let update = json!({"version": current["version"], "actions": [action]});
    answered(importer.operator.send(Method::POST, &path, Some(&update)).await?)?.accepted()?;
    Ok(())
}
