//! That a locale is one of the Project's languages.
//!
//! Source: reference types `CustomerDraft`, `Cart`, `OrderSetLocaleAction` (`locale`).

use kontor_engine::document::list;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use serde_json::json;

/// Whether a new `locale` is a language of the Project. One that was there before stays.
///
/// 400 `InvalidField` with the languages that there are.
pub(crate) fn admit_locale(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(locale) = after.get("locale") else { return Ok(()) };
    let languages = list(rules.project, &["languages"]);
    if before.and_then(|before| before.get("locale")) == Some(locale) || languages.contains(locale) {
        return Ok(());
    }
    let expected = "It must be a language of the Project.";
    Err(ApiError::invalid_field("locale", locale, expected, Some(json!(languages))))
}
