//! Parts of texts in patterns: `<~frozen>` matches every text that contains `frozen`. Begin at [`contains_parts`].
//!
//! `<~frozen><~the Cart>` matches a text that contains both, in any order. A part may contain names:
//! `<~with ID '<cart>'>`. Other angle brackets are not possible in a part.

use crate::names::BoundNames;
use regex::Regex;
use std::sync::LazyLock;

#[allow(clippy::expect_used)] // The expressions are constants that the tests below compile.
static PARTS: LazyLock<Regex> = LazyLock::new(|| Regex::new("^(?:<~[^<>]+>)+$").expect("a valid expression"));
#[allow(clippy::expect_used)]
static PART: LazyLock<Regex> = LazyLock::new(|| Regex::new("<~([^<>]+)>").expect("a valid expression"));
#[allow(clippy::expect_used)]
static NAME_IN_PART: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("<[a-z][A-Za-z0-9-]*(?:\\+[0-9]+)?>").expect("a valid expression"));

/// Whether a text of a pattern consists of parts.
pub(crate) fn is_parts(text: &str) -> bool {
    text.starts_with("<~") && PARTS.is_match(&NAME_IN_PART.replace_all(text, "name"))
}

/// Whether `value` contains each part of `text`. A name without a value, or whose value has angle brackets, is in no
/// text.
pub(crate) fn contains_parts(text: &str, value: &str, names: &BoundNames) -> bool {
    let Ok(filled) = names.fill_text(text) else { return false };
    PARTS.is_match(&filled) && PART.captures_iter(&filled).all(|part| value.contains(&part[1]))
}

/// Returns the pattern of a text that contains `part`, or `None` if the pattern cannot express it.
pub(crate) fn part_pattern(part: &str) -> Option<String> {
    let pattern = format!("<~{part}>");
    is_parts(&pattern).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn names() -> BoundNames {
        let mut names = BoundNames::default();
        names.bind("cart", json!("a1"));
        names
    }

    #[test]
    fn a_part_is_anywhere_in_the_text() {
        let names = names();
        for value in ["frozen", "The Cart is frozen.", "frozen Carts"] {
            assert!(contains_parts("<~frozen>", value, &names), "{value}");
        }
        assert!(!contains_parts("<~frozen>", "Frozen", &names));
    }

    #[test]
    fn several_parts_are_all_in_the_text_in_any_order() {
        let names = names();
        assert!(contains_parts("<~frozen><~Cart>", "The Cart is frozen.", &names));
        assert!(!contains_parts("<~frozen><~Order>", "The Cart is frozen.", &names));
    }

    #[test]
    fn a_part_may_contain_names() {
        let names = names();
        assert!(is_parts("<~with ID '<cart>'><~<cart>>"));
        assert!(contains_parts("<~with ID '<cart>'>", "The Resource with ID 'a1' was not found.", &names));
        assert!(!contains_parts("<~with ID '<cart>'>", "The Resource with ID 'a2' was not found.", &names));
        assert!(!contains_parts("<~<order>>", "anything", &names), "the name has no value");
    }

    #[test]
    fn other_texts_are_no_parts() {
        for text in ["frozen", "<~>", "<~a> b", "a <~b>", "<~a < b>", "<~a", "<name>", "<*>"] {
            assert!(!is_parts(text), "{text}");
        }
        assert_eq!(part_pattern("a > b"), None);
        assert_eq!(part_pattern("key:"), Some("<~key:>".to_owned()));
    }
}
