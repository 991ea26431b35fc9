//! Secrets of customers, such as passwords: hashes from an export, or new random ones.

use kontor_json::{Map, Value};
use kontor_model::{Kind, Model};
use rand::distr::{Alphanumeric, SampleString as _};
use serde::Deserialize;

/// Length of a random secret.
const SECRET_CHARS: usize = 32;

/// The preserved metadata of a line, which only the operator can read and set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportedMetadata {
    pub(super) id: String,
    pub(super) version: i64,
    /// Hashes, by the names of draft fields.
    #[serde(default)]
    pub(super) secrets: Map,
}

/// Returns the names of draft fields with a secret. Exports do not have these fields.
fn secret_fields<'m>(model: &'m Model, kind: &Kind) -> impl Iterator<Item = &'m str> {
    let fields = kind.draft.map(|draft| model.object(draft).fields.as_slice()).unwrap_or_default();
    fields.iter().filter(|field| field.secret).map(|field| field.name.as_str())
}

pub(super) fn are_missing(model: &Model, kind: &Kind, draft: &Value) -> bool {
    secret_fields(model, kind).any(|secret| draft.get(secret).is_none())
}

/// Adds random secrets to a draft where they are missing.
pub(super) fn add_random(model: &Model, kind: &Kind, draft: &mut Value) {
    let Some(draft) = draft.as_object_mut() else { return };
    for secret in secret_fields(model, kind) {
        draft
            .entry(secret)
            .or_insert_with(|| Alphanumeric.sample_string(&mut rand::rng(), SECRET_CHARS).into());
    }
}
