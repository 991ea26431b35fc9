//! Wildcard patterns.

use crate::analysis::fold_case;

/// A wildcard pattern, read: `*` stands for any characters or none, `?` for one, and a backslash takes the meaning of
/// what follows away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    case_insensitive: bool,
    /// How many characters a text has at least that looks so.
    chars_min: usize,
}

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// This character.
    Char(char),
    /// One character, whichever.
    One,
    /// Any characters, or none. Two of them never follow each other.
    Any,
}

impl Pattern {
    /// Reads a pattern; every text is one. With `case_insensitive`, its letters are folded by [`fold_case`].
    pub fn new(text: &str, case_insensitive: bool) -> Self {
        let folded = if case_insensitive { fold_case(text) } else { text.to_owned() };
        let mut pieces = Vec::new();
        let mut letters = folded.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '*' if pieces.last() == Some(&Piece::Any) => {}
                '*' => pieces.push(Piece::Any),
                '?' => pieces.push(Piece::One),
                '\\' => pieces.push(Piece::Char(letters.next().unwrap_or('\\'))),
                other => pieces.push(Piece::Char(other)),
            }
        }
        let chars_min = pieces.iter().filter(|piece| **piece != Piece::Any).count();
        Self { pieces, case_insensitive, chars_min }
    }

    /// Its parts, folded.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether a text looks so, as a whole. Takes at most as many steps as both have characters, multiplied.
    pub fn matches(&self, text: &str) -> bool {
        // No text has more characters than bytes; folding may add some.
        if !self.case_insensitive && text.len() < self.chars_min {
            return false;
        }
        let text: Vec<char> =
            if self.case_insensitive { fold_case(text).chars().collect() } else { text.chars().collect() };
        let (mut at, mut piece) = (0, 0);
        // Where the last `*` stood, and how far it has swallowed.
        let mut last_any: Option<(usize, usize)> = None;
        while at < text.len() {
            let fits = match self.pieces.get(piece) {
                Some(Piece::Char(letter)) => text.get(at) == Some(letter),
                Some(Piece::One) => true,
                Some(Piece::Any) => {
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
        self.pieces.iter().skip(piece).all(|rest| *rest == Piece::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern, false).matches(text)
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
        assert!(Pattern::new("ÄB*", true).matches("äbc"));
    }

    #[test]
    fn thousands_of_stars_take_no_time() {
        let pattern = Pattern::new(&"*a".repeat(10_000), false);
        assert!(!pattern.matches(&"a".repeat(5_000)));
        assert_eq!(Pattern::new(&"*".repeat(10_000), false).pieces(), [Piece::Any]);
    }
}
