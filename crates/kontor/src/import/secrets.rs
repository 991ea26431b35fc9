//! Secrets of people, such as passwords: hashes that came along with an export, or new ones that nobody knows.

use kontor_json::{Map, Value};
use kontor_model::{Kind, Model};
use rand::distr::{Alphanumeric, SampleString as _};
use serde::Deserialize;

/// Characters of a secret that nobody knows.
const SECRET_CHARS: usize = 32;

/// What a line says that only the operator can give and take.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptLine {
    pub(super) id: String,
    pub(super) version: i64,
    /// Hashes, by the fields of the draft.
    #[serde(default)]
    pub(super) secrets: Map,
}

/// The fields of a draft that hold a secret: exports have none.
fn fields<'m>(model: &'m Model, kind: &Kind) -> impl Iterator<Item = &'m str> {
    let fields = kind.draft.map(|draft| model.object(draft).fields.as_slice()).unwrap_or_default();
    fields.iter().filter(|field| field.secret).map(|field| field.name.as_str())
}

pub(super) fn are_missing(model: &Model, kind: &Kind, draft: &Value) -> bool {
    fields(model, kind).any(|secret| draft.get(secret).is_none())
}

/// Secrets that nobody knows, in the place of those that are missing.
pub(super) fn add_random(model: &Model, kind: &Kind, draft: &mut Value) {
    let Some(draft) = draft.as_object_mut() else { return };
    for secret in fields(model, kind) {
        draft
            .entry(secret)
            .or_insert_with(|| Alphanumeric.sample_string(&mut rand::rng(), SECRET_CHARS).into());
    }
}
