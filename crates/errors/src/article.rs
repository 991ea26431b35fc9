//! The indefinite article before a name of the model, in messages that are made of names.

/// Returns the name with its article: "a Cart", "an Order".
pub fn with_article(name: &str) -> String {
    let article = if begins_with_vowel(name) { "an" } else { "a" };
    format!("{article} {name}")
}

/// A `u` is spoken as a vowel in "Unpublish…" and "Update…", and not in "Unit", "User" or "Uri".
fn begins_with_vowel(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    match lower.as_bytes() {
        [b'a' | b'e' | b'i' | b'o', ..] => true,
        [b'u', b'n', b'i', ..] => false,
        [b'u', b'n' | b'p', ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_article_that_is_spoken() {
        let expected = [
            ("Cart", "a Cart"),
            ("associate-role", "an associate-role"),
            ("IntervalUnit", "an IntervalUnit"),
            ("Order", "an Order"),
            ("UpdateType", "an UpdateType"),
            ("UnitType", "a UnitType"),
            ("User", "a User"),
            ("", "a "),
        ];
        for (name, phrase) in expected {
            assert_eq!(with_article(name), phrase);
        }
    }
}
