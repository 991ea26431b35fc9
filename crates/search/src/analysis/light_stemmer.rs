//! Light stemmers, by the endings of nouns and adjectives, for languages without a well-maintained stemmer.

use std::borrow::Cow;

/// Minimum length of a stem, in characters.
const STEM_CHARS_MIN: usize = 3;

/// Latvian: the endings of the declensions, the longest first.
pub(super) fn stem_latvian(word: &str) -> Cow<'_, str> {
    without_ending(
        word,
        &[
            "ajiem", "ajām", "ajam", "ajos", "ajās", "iem", "ais", "ajā", "ies", "iņš", "īte", "īši", "ām",
            "am", "ēm", "em", "īm", "im", "um", "us", "as", "es", "os", "ij", "is", "is", "ei", "ai", "ie",
            "ās", "ēs", "īs", "ūs", "ij", "ju", "ja", "ji", "jā", "u", "a", "ā", "e", "ē", "i", "ī", "ū",
            "o", "s", "š",
        ],
    )
}

/// Slovak: the endings of the declensions, the longest first.
pub(super) fn stem_slovak(word: &str) -> Cow<'_, str> {
    without_ending(
        word,
        &[
            "ejšieho", "ejšiemu", "ejších", "ejšími", "atami", "iami", "ieho", "iemu", "ého", "ému", "och",
            "ach", "ami", "ovi", "ovia", "iach", "iam", "ými", "ých", "ich", "ími", "ích", "ech", "ejší",
            "ejšia", "ejšie", "ách", "om", "am", "ám", "ou", "ov", "iu", "ie", "ia", "ej", "ém", "ým", "ím",
            "mi", "at", "á", "é", "í", "ý", "ú", "ó", "a", "e", "i", "o", "u", "y",
        ],
    )
}

/// Removes the first matching ending, if enough of the word is left.
fn without_ending<'a>(word: &'a str, endings: &[&str]) -> Cow<'a, str> {
    let stem = endings
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.chars().count() >= STEM_CHARS_MIN);
    Cow::Borrowed(stem.unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_fall_away_where_enough_is_left() {
        assert_eq!(stem_latvian("krēsliem"), "krēsl");
        assert_eq!(stem_latvian("rokas"), "rok");
        assert_eq!(stem_slovak("stoličkami"), "stoličk");
        assert_eq!(stem_slovak("oko"), "oko");
    }
}
