//! The prose of the repository, cut into blocks: comments of Rust files, descriptions of the model, paragraphs of guides.
//!
//! [`read_all`] returns all blocks; `plain_words` applies its rules to each. A block of a Rust file is a run of comment lines
//! of one kind (`//`, `///` or `//!`); one of the model is a description or a comment; one of a Markdown page is a
//! paragraph, a list item or a table row. Code blocks are skipped.

use super::links::Pages;
use super::model;
use super::source::rust_files;
use apollo_parser::{Lexer, TokenKind};
use std::path::Path;

/// A run of words that belong together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The file, below the root.
    pub(super) path: String,
    /// Its first line, from one.
    pub(super) line: usize,
    /// Its words, with one space where a line ended.
    pub(super) text: String,
    /// Whether users of the API read it as the description of a kind, field or operation.
    pub(super) is_description: bool,
}

/// Shorter paragraphs, e.g. table rules, are no sentences.
const PARAGRAPH_WORDS_MIN: usize = 4;

/// Returns the blocks of the Rust files below `folders`, of the model and of all pages. Fails if a file cannot be read.
pub(super) fn read_all(
    root: &Path,
    folders: &[&str],
    model: &str,
    pages: &Pages,
) -> Result<Vec<Block>, String> {
    let read =
        |path: &str| std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"));
    let mut blocks = Vec::new();
    for folder in folders {
        let mut paths = rust_files(&root.join(folder))?;
        paths.sort();
        for path in paths {
            let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            blocks.extend(of_rust(&path, &read(&path)?));
        }
    }
    for path in model::files(root, model)? {
        blocks.extend(of_model(&path, &read(&path)?));
    }
    blocks.extend(pages.iter().flat_map(|(path, text)| of_page(path, text)));
    Ok(blocks)
}

/// The comments of a Rust file.
pub(super) fn of_rust(path: &str, text: &str) -> Vec<Block> {
    let mut run = Run::new(path);
    let mut kind = "";
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let own = ["//!", "///", "//"].into_iter().find(|mark| line.starts_with(mark));
        let Some(own) = own.filter(|_| !line.starts_with("////")) else {
            run.end();
            continue;
        };
        if own != kind {
            run.end();
            kind = own;
        }
        run.add(index + 1, &line[own.len()..]);
    }
    run.blocks()
}

/// The descriptions and comments of a file of the model.
pub(super) fn of_model(path: &str, text: &str) -> Vec<Block> {
    let tokens =
        Lexer::new(text).filter_map(Result::ok).filter(|token| token.kind() != TokenKind::Whitespace);
    let mut is_value = false;
    let words = tokens.filter_map(|token| {
        // Texts that follow these are arguments and elements, e.g. of directives.
        let is_argument = is_value;
        is_value =
            matches!(token.kind(), TokenKind::Colon | TokenKind::Comma | TokenKind::LBracket | TokenKind::Eq);
        let (text, is_description) = match token.kind() {
            TokenKind::StringValue => (token.data().trim_matches('"'), !is_argument),
            TokenKind::Comment => (token.data().trim_start_matches('#'), false),
            _ => return None,
        };
        // Arguments of directives are strings of one word.
        text.trim()
            .contains(' ')
            .then(|| (token.index(), text.split_whitespace().collect::<Vec<_>>().join(" "), is_description))
    });
    words
        .map(|(start, words, is_description)| Block {
            path: path.to_owned(),
            line: text[..start].matches('\n').count() + 1,
            text: words,
            is_description,
        })
        .collect()
}

/// The paragraphs, list items and table rows of a Markdown page.
pub(super) fn of_page(path: &str, text: &str) -> Vec<Block> {
    let mut run = Run::new(path);
    let mut is_code = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        if is_fence || is_code || line.is_empty() || line.starts_with('#') {
            run.end();
            continue;
        }
        let item = without_bullet(line);
        if item.is_some() || line.starts_with('|') {
            run.end();
        }
        run.add(index + 1, item.unwrap_or(line));
    }
    let blocks = run.blocks();
    let is_prose = |block: &Block| block.text.split_whitespace().filter(|word| is_word(word)).count();
    blocks.into_iter().filter(|block| is_prose(block) >= PARAGRAPH_WORDS_MIN).collect()
}

/// The text of a list item.
fn without_bullet(line: &str) -> Option<&str> {
    let mark = line.split(' ').next()?;
    let number =
        mark.strip_suffix('.').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    (matches!(mark, "-" | "*" | "+") || (number && mark.len() > 1)).then(|| line[mark.len()..].trim_start())
}

fn is_word(word: &str) -> bool {
    word.chars().filter(char::is_ascii_alphabetic).count() > 1
}

/// Collects lines until the block that they belong to ends.
struct Run<'p> {
    path: &'p str,
    open: Option<Block>,
    done: Vec<Block>,
}

impl<'p> Run<'p> {
    fn new(path: &'p str) -> Self {
        Self { path, open: None, done: Vec::new() }
    }

    fn add(&mut self, line: usize, text: &str) {
        let block = self.open.get_or_insert_with(|| Block {
            path: self.path.to_owned(),
            line,
            text: String::new(),
            is_description: false,
        });
        if !block.text.is_empty() {
            block.text.push(' ');
        }
        block.text.push_str(text.trim());
    }

    fn end(&mut self) {
        self.done.extend(self.open.take().filter(|block| block.text.split_whitespace().any(is_word)));
    }

    fn blocks(mut self) -> Vec<Block> {
        self.end();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(blocks: Vec<Block>) -> Vec<(usize, String)> {
        blocks.into_iter().map(|block| (block.line, block.text)).collect()
    }

    #[test]
    fn splits_comments_by_kind_and_by_code_between_them() {
        let text = "//! Head,\n//! two lines.\n/// Item.\nfn a() {\n    // Why.\n}\n//// a ruler\n";
        let expected = [(1, "Head, two lines."), (3, "Item."), (5, "Why.")];
        assert_eq!(texts(of_rust("a.rs", text)), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn reads_descriptions_and_comments_of_the_model() {
        let text = "\"One line.\"\ntype A {\n  \"\"\"\n  Two\n  lines.\n  \"\"\"\n  a: Int # A note.\n}\n\"\"\"So short.\"\"\"\n";
        let expected = [(1, "One line."), (3, "Two lines."), (7, "A note."), (9, "So short.")];
        assert_eq!(texts(of_model("a.graphql", text)), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn splits_pages_into_paragraphs_items_and_rows() {
        let text = "# Head\nOne long\nparagraph of words.\n- an item of four words\n1. another item with words\n```\ncode that is not prose\n```\n| --- |\n";
        let lines: Vec<usize> = of_page("a.md", text).iter().map(|block| block.line).collect();
        assert_eq!(lines, [2, 4, 5]);
    }
}
