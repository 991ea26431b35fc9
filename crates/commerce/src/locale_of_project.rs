//! Validates that a locale is one of the Project's languages.
//!
//! Source: reference types `CustomerDraft`, `Cart`, `OrderSetLocaleAction` (`locale`).

use kontor_engine::document::list;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Checks that a new `locale` is a language of the Project; an unchanged locale is not checked.
///
/// 400 `InvalidInput`, which lists the languages of the Project, as official clients expect.
pub(crate) fn admit_locale(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(locale) = after.get("locale") else { return Ok(()) };
    let languages = list(rules.project, &["languages"]);
    if before.and_then(|before| before.get("locale")) == Some(locale) || languages.contains(locale) {
        return Ok(());
    }
    let known = Value::Array(languages.to_vec());
    Err(ApiError::invalid_input(format!(
        "The locale {locale} is no language of the Project. Expected one of {known}."
    )))
}
