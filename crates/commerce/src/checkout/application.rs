//! Application of Checkout: its description is a text or a localized text (reference types `ApplicationDraft`, a text,
//! and `SetDescriptionUpdateAction`, a `LocalizedString`).

use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

const DESCRIPTION: &str = "description";

pub(crate) struct Application;

impl Behaviour for Application {
    fn resource(&self) -> &'static str {
        "Application"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        match after.get(DESCRIPTION) {
            None | Some(Value::String(_)) => Ok(()),
            Some(Value::Object(texts)) if texts.values().all(Value::is_string) => Ok(()),
            Some(other) => {
                let expected = "Expected a text, or an object with a text for each language.";
                Err(ApiError::invalid_field(DESCRIPTION, other, expected, None))
            }
        }
    }
}
