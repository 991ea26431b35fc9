//! [`WildcardPattern`]: wildcard patterns.

use crate::analysis::fold_case;

/// A parsed wildcard pattern: `*` matches any characters or none, `?` one, and a backslash escapes the next
/// character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WildcardPattern {
    pieces: Vec<PatternPiece>,
    case_insensitive: bool,
    /// Minimum length of a matching text, in characters.
    chars_min: usize,
    /// The texts between the stars, if there is no `?`.
    texts: Option<Vec<String>>,
}

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternPiece {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// Any characters, or none. Two of these are never adjacent.
    Any,
}

impl WildcardPattern {
    /// Parses a pattern; every text is valid. With `case_insensitive`, its letters are folded by [`fold_case`].
    pub fn new(text: &str, case_insensitive: bool) -> Self {
        let folded = if case_insensitive { fold_case(text) } else { text.to_owned() };
        let mut pieces = Vec::new();
        let mut letters = folded.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '*' if pieces.last() == Some(&PatternPiece::Any) => {}
                '*' => pieces.push(PatternPiece::Any),
                '?' => pieces.push(PatternPiece::One),
                '\\' => pieces.push(PatternPiece::Char(letters.next().unwrap_or('\\'))),
                other => pieces.push(PatternPiece::Char(other)),
            }
        }
        let chars_min = pieces.iter().filter(|piece| **piece != PatternPiece::Any).count();
        let texts = texts(&pieces);
        Self { pieces, case_insensitive, chars_min, texts }
    }

    /// Returns its pieces, folded.
    pub fn pieces(&self) -> &[PatternPiece] {
        &self.pieces
    }

    /// Returns the longest text that every match contains; the first of equally long ones. Empty if there is none.
    pub fn longest_text(&self) -> String {
        let texts = self.pieces.split(|piece| !matches!(piece, PatternPiece::Char(_)));
        let longest = texts.rev().max_by_key(|text| text.len()).unwrap_or_default();
        longest
            .iter()
            .filter_map(|piece| if let PatternPiece::Char(letter) = piece { Some(*letter) } else { None })
            .collect()
    }

    /// Whether a whole text matches. Takes at most as many steps as the product of both lengths.
    pub fn matches(&self, text: &str) -> bool {
        // A text has at least as many bytes as characters; folding may add characters.
        if !self.case_insensitive && text.len() < self.chars_min {
            return false;
        }
        if !self.case_insensitive
            && let Some(texts) = &self.texts
        {
            return matches_in_order(texts, text);
        }
        let text: Vec<char> =
            if self.case_insensitive { fold_case(text).chars().collect() } else { text.chars().collect() };
        let (mut at, mut piece) = (0, 0);
        // The position of the last `*`, and how much of the text it has consumed.
        let mut last_any: Option<(usize, usize)> = None;
        while at < text.len() {
            let fits = match self.pieces.get(piece) {
                Some(PatternPiece::Char(letter)) => text.get(at) == Some(letter),
                Some(PatternPiece::One) => true,
                Some(PatternPiece::Any) => {
                    last_any = Some((piece, at));
                    piece += 1;
                    continue;
                }
                None => false,
            };
            if fits {
                at += 1;
                piece += 1;
            } else if let Some((any, swallowed)) = last_any {
                last_any = Some((any, swallowed + 1));
                at = swallowed + 1;
                piece = any + 1;
            } else {
                return false;
            }
        }
        self.pieces.iter().skip(piece).all(|rest| *rest == PatternPiece::Any)
    }
}

/// Returns the texts around and between the stars of a pattern, one more than there are stars. `None` if it contains a
/// question mark.
fn texts(pieces: &[PatternPiece]) -> Option<Vec<String>> {
    let between = pieces.split(|piece| *piece == PatternPiece::Any);
    let text = |pieces: &[PatternPiece]| {
        let letter =
            |piece: &PatternPiece| if let PatternPiece::Char(letter) = piece { Some(*letter) } else { None };
        pieces.iter().map(letter).collect()
    };
    between.map(text).collect()
}

/// Whether a text begins with the first of these, ends with the last, and contains the others in between, in order.
fn matches_in_order(texts: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = texts else { return texts.first().is_some_and(|only| only == text) };
    let inner = text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
    let behind = |rest: &str, wanted: &String| Some(rest.find(wanted.as_str())? + wanted.len());
    let after = inner
        .and_then(|inner| middle.iter().try_fold(inner, |rest, wanted| rest.get(behind(rest, wanted)?..)));
    after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        WildcardPattern::new(pattern, false).matches(text)
    }

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text) in [
            ("*", ""),
            ("a*c", "abbc"),
            ("a?c", "abc"),
            ("*b*", "abc"),
            ("a\\*", "a*"),
            ("a*b*c", "a-b-b-c"),
            ("ab", "ab"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("", "a"), ("a?c", "ac"), ("a\\*", "ab"), ("*b", "abc"), ("a*", "ba"), ("A", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(WildcardPattern::new("ÄB*", true).matches("äbc"));
        assert_eq!(WildcardPattern::new("*a?bcd*efg", false).longest_text(), "bcd");
        assert_eq!(WildcardPattern::new("*?", false).longest_text(), "");
    }

    #[test]
    fn patterns_without_question_marks_match_as_their_letters_do() {
        // The same pattern, matched letter by letter like patterns with question marks.
        let by_letters = |pattern: &str, text: &str| {
            WildcardPattern { texts: None, ..WildcardPattern::new(pattern, false) }.matches(text)
        };
        let of = |letters: &str, length: u32| {
            let letters: Vec<char> = letters.chars().collect();
            let count = letters.len();
            let nth = move |number: usize| -> String {
                (0..length).map(|at| letters[number / count.pow(at) % count]).collect()
            };
            (0..count.pow(length)).map(nth).collect::<Vec<_>>()
        };
        let texts: Vec<String> = (0..5).flat_map(|length| of("aä", length)).collect();
        for pattern in (0..6).flat_map(|length| of("aä*", length)) {
            for text in &texts {
                assert_eq!(matches(&pattern, text), by_letters(&pattern, text), "{pattern:?} {text:?}");
            }
        }
    }

    #[test]
    fn thousands_of_stars_take_no_time() {
        let pattern = WildcardPattern::new(&"*a".repeat(10_000), false);
        assert!(!pattern.matches(&"a".repeat(5_000)));
        assert_eq!(WildcardPattern::new(&"*".repeat(10_000), false).pieces(), [PatternPiece::Any]);
    }
}
