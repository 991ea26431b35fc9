//! Chooses the language of a localized string.

use crate::borrowed_json::BorrowedJson;
use kontor_json::{Map, Value};
use std::borrow::Cow;

/// Texts by locale.
type TextsByLocale<'d> = &'d [(Cow<'d, str>, BorrowedJson<'d>)];

/// Returns the locale and the text that the arguments `locale` and `acceptLanguage` of a field choose.
///
/// `locale` chooses exactly that language. `acceptLanguage` chooses the first listed language that has a text,
/// otherwise the first whose general form has one (e.g. `de` for `de-AT`). Without arguments `preferred` chooses in the
/// same way (the header `Accept-Language`, then the languages of the project), and finally any text.
pub(crate) fn choose_text<'d, 'p>(
    texts: TextsByLocale<'d>,
    arguments: &Map,
    preferred: impl FnOnce() -> &'p [String],
) -> Option<(&'d str, &'d str)> {
    if let Some(locale) = arguments.get("locale").and_then(Value::as_str) {
        return text_in(texts, locale);
    }
    if let Some(Value::Array(wanted)) = arguments.get("acceptLanguage") {
        return first_of(texts, wanted.iter().filter_map(Value::as_str));
    }
    first_of(texts, preferred().iter().map(String::as_str))
        .or_else(|| texts.iter().find_map(|(locale, text)| Some((&**locale, text.as_str()?))))
}

fn first_of<'d, 'w>(
    texts: TextsByLocale<'d>,
    wanted: impl Iterator<Item = &'w str> + Clone,
) -> Option<(&'d str, &'d str)> {
    wanted.clone().find_map(|locale| text_in(texts, locale)).or_else(|| {
        wanted.filter_map(|locale| locale.split_once('-')).find_map(|(language, _)| text_in(texts, language))
    })
}

fn text_in<'d>(texts: TextsByLocale<'d>, locale: &str) -> Option<(&'d str, &'d str)> {
    texts
        .iter()
        .find(|(there, _)| there.eq_ignore_ascii_case(locale))
        .and_then(|(locale, text)| Some((&**locale, text.as_str()?)))
}

/// Returns the languages of a header `Accept-Language` by weight, the most preferred first.
pub fn accepted_languages(header: &str) -> Vec<String> {
    let mut wanted: Vec<(f32, &str)> = header
        .split(',')
        .take(LANGUAGES_MAX)
        .filter_map(|part| {
            let (language, weight) = part.split_once(";q=").unwrap_or((part, "1"));
            let language = language.trim();
            let weight: f32 = weight.trim().parse().ok()?;
            (!language.is_empty() && language != "*" && weight > 0.0).then_some((weight, language))
        })
        .collect();
    wanted.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    wanted.into_iter().map(|(_, language)| language.to_owned()).collect()
}

/// Number of languages in a header that are considered.
const LANGUAGES_MAX: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn choose_color(arguments: Value, preferred: &[&str]) -> Option<String> {
        let texts = json!({"en": "red", "de": "rot", "de-AT": "rout"});
        let preferred: Vec<String> = preferred.iter().map(|language| (*language).to_owned()).collect();
        choose_text(BorrowedJson::from(&texts).as_object().unwrap(), arguments.as_object().unwrap(), || {
            &preferred
        })
        .map(|(_, text)| text.to_owned())
    }

    #[test]
    fn a_locale_means_exactly_that_text() {
        assert_eq!(choose_color(json!({"locale": "de"}), &[]).as_deref(), Some("rot"));
        assert_eq!(choose_color(json!({"locale": "DE-at"}), &[]).as_deref(), Some("rout"));
        assert_eq!(choose_color(json!({"locale": "fr"}), &["en"]), None);
    }

    #[test]
    fn languages_are_tried_in_order_then_by_general_form() {
        assert_eq!(choose_color(json!({"acceptLanguage": ["fr", "de"]}), &["en"]).as_deref(), Some("rot"));
        assert_eq!(choose_color(json!({"acceptLanguage": ["fr", "de-CH"]}), &["en"]).as_deref(), Some("rot"));
        assert_eq!(choose_color(json!({"acceptLanguage": ["fr"]}), &["en"]), None);
    }

    #[test]
    fn without_arguments_the_preferred_languages_count() {
        assert_eq!(choose_color(json!({}), &["de-CH", "en"]).as_deref(), Some("red"));
        assert_eq!(choose_color(json!({}), &["fr"]).as_deref(), Some("red"));
    }

    #[test]
    fn headers_are_read_by_weight() {
        assert_eq!(accepted_languages("en;q=0.5, de-AT, *;q=0.1, fr;q=0"), ["de-AT", "en"]);
    }
}
