//! Lists of scopes as clients sent them: their own spelling in their own order.

use std::collections::HashSet;

/// Returns the words of a list of scopes, each once, separated by one blank.
pub(crate) fn normalize_scopes(text: &str) -> String {
    let mut seen = HashSet::new();
    let words: Vec<_> = text.split_whitespace().filter(|word| seen.insert(*word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sequence_stays_and_repetition_goes() {
        assert_eq!(
            super::normalize_scopes("  view_states:a\tmanage_orders:a  view_states:a "),
            "view_states:a manage_orders:a"
        );
        assert_eq!(super::normalize_scopes(" "), "");
    }
}
