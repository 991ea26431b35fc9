//! The text of a query parameter, and errors with a position in it.

use kontor_errors::ApiError;

/// A range of the source: byte offsets, the end excluded.
///
/// All spans compare as equal: two predicates are equal if they differ in white space only.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

/// The value of a query parameter (`where`, `sort`, `expand`), and its name in messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParameterText<'a> {
    pub(crate) text: &'a str,
    pub(crate) parameter: &'a str,
}

/// Maximum number of characters of a long line that a message repeats on each side of the position.
const EXCERPT_CHARS_MAX: usize = 80;

impl ParameterText<'_> {
    /// Returns 400 `InvalidInput`: the text at byte `at` is not one of `expected`.
    pub(crate) fn syntax_error(&self, at: usize, expected: &[&str]) -> ApiError {
        let found = match self.text[at..].chars().next() {
            None => "Unexpected end of input".to_owned(),
            Some(_) => format!("Invalid input '{}'", self.word_at(at)),
        };
        self.error_at(at, &format!("{found}, expected {}", join_with_or(expected)))
    }

    /// Returns 400 `InvalidInput` in the form of a syntax error, with another sentence.
    pub(crate) fn error_at(&self, at: usize, sentence: &str) -> ApiError {
        let (line, column) = self.position(at);
        let (excerpt, caret) = self.excerpt(at);
        ApiError::invalid_input(format!(
            "Malformed parameter: {name}: Syntax error while parsing '{name}'. {sentence} (line {line}, \
             column {column}):\n{excerpt}\n{:caret$}^",
            "",
            name = self.parameter,
        ))
    }

    /// Returns 400 `InvalidInput`: the source is well-formed, but the text at byte `at` is not valid here.
    pub(crate) fn refuse(&self, at: usize, sentence: &str) -> ApiError {
        let (line, column) = self.position(at);
        ApiError::invalid_input(format!(
            "Malformed parameter: {}: {sentence} (line {line}, column {column})",
            self.parameter
        ))
    }

    /// Returns line and column of a byte offset, both counted from one, columns in characters.
    fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// Returns the line around `at`, shortened if it is long, and the number of its characters before `at`.
    fn excerpt(&self, at: usize) -> (String, usize) {
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        let mut before: String = self.text[start..at].chars().rev().take(EXCERPT_CHARS_MAX).collect();
        before = before.chars().rev().collect();
        let after: String = self.text[at..end].chars().take(EXCERPT_CHARS_MAX).collect();
        let caret = before.chars().count();
        (before + &after, caret)
    }

    /// Returns the word, or the one character, at `at`.
    fn word_at(&self, at: usize) -> String {
        let rest = &self.text[at..];
        let word: String = rest.chars().take_while(|&c| is_name_char(c)).take(EXCERPT_CHARS_MAX).collect();
        if word.is_empty() { rest.chars().take(1).collect() } else { word }
    }
}

/// Returns whether a field name without backticks may contain a character.
pub(crate) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Joins names: "a", "a or b", "a, b or c".
pub(crate) fn join_with_or(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_line_and_points_into_it() {
        let source = ParameterText { text: "a = 1\nand b = ?", parameter: "where" };
        assert_eq!(
            source.syntax_error(14, &["x", "y", "z"]).message(),
            "Malformed parameter: where: Syntax error while parsing 'where'. Invalid input '?', expected x, y \
             or z (line 2, column 9):\nand b = ?\n        ^"
        );
    }

    #[test]
    fn a_message_about_a_long_line_repeats_only_what_is_near() {
        let text = format!("{} ? {}", "ä".repeat(50_000), "b".repeat(50_000));
        let source = ParameterText { text: &text, parameter: "where" };
        let message = source.syntax_error(100_001, &["x"]).message().to_owned();
        assert!(message.len() < 600, "{}", message.len());
        assert!(message.contains("(line 1, column 50002)"), "{message}");
    }
}
