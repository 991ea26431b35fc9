//! Parses filter and facet expressions in their text form: `categories.id: subtree("x"), "y"`, `price:range (1 to
//! 5), (* to 0)`.

use super::values::{malformed_parameter, quoted_text};
use crate::limits;
use kontor_errors::{ApiError, ApiResult, Code};

/// A path with its conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterExpression {
    path: String,
    items: Vec<FilterItem>,
}

/// One of the alternatives after a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterItem {
    /// The field has this value.
    Value(String),
    /// The field has a value in this range, both ends included; `None`: no bound.
    Range(Option<String>, Option<String>),
    /// The value is this one, or a descendant of it.
    Subtree(String),
    /// The field has a value.
    Exists,
    /// The field has no value.
    Missing,
}

/// A token between blanks and brackets.
#[derive(Debug, Clone, PartialEq)]
enum FilterToken {
    Quoted(String),
    Bare(String),
}

impl FilterToken {
    fn into_text(self) -> String {
        match self {
            FilterToken::Quoted(text) | FilterToken::Bare(text) => text,
        }
    }
}

impl FilterExpression {
    /// Parses an expression of a parameter. Fails with 400 for an invalid expression or too many values.
    pub fn read(text: &str, parameter: &str) -> ApiResult<Self> {
        let (path, rest) = text.split_once(':').map_or((text, None), |(path, rest)| (path, Some(rest)));
        let path = read_path(path).ok_or_else(|| no_path(text, parameter))?;
        let Some(rest) = rest else { return Ok(Self { path, items: Vec::new() }) };
        let mut reader = ExpressionReader { rest };
        match reader.items() {
            Some(items) if items.len() <= limits::VALUES_MAX => Ok(Self { path, items }),
            _ => {
                let why = format!(
                    "{} was sent, expected values with commas between them, range (from to to), subtree(\"id\"), exists or \
                     missing behind the colon",
                    quoted_text(text)
                );
                Err(malformed_parameter(parameter, why).with_code(Code::SyntaxError))
            }
        }
    }

    /// Creates an expression for a path. Fails with 400 for an invalid path or too many values.
    pub fn new(path: &str, items: Vec<FilterItem>, parameter: &str) -> ApiResult<Self> {
        if items.len() > limits::VALUES_MAX {
            let why =
                format_args!("at most {} values are allowed, found {}", limits::VALUES_MAX, items.len());
            return Err(malformed_parameter(parameter, why.to_string()));
        }
        let path = read_path(path).ok_or_else(|| no_path(path, parameter))?;
        Ok(Self { path, items })
    }

    /// Returns the path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the alternatives for its value; none if the expression is only a path.
    pub fn items(&self) -> &[FilterItem] {
        &self.items
    }
}

fn read_path(path: &str) -> Option<String> {
    let path = path.trim().replace('`', "");
    let is_path = !path.is_empty() && !path.contains(|c: char| c.is_whitespace() || "\"(),".contains(c));
    is_path.then_some(path)
}

fn no_path(text: &str, parameter: &str) -> ApiError {
    malformed_parameter(
        parameter,
        format_args!("{} was sent, expected a field and a colon", quoted_text(text)),
    )
    .with_code(Code::SyntaxError)
}

/// Returns a value without its optional quotes.
pub fn unquote_text(text: &str) -> String {
    let mut reader = ExpressionReader { rest: text };
    match (text.starts_with('"').then(|| reader.token()).flatten(), reader.rest) {
        (Some(token), "") => token.into_text(),
        _ => text.to_owned(),
    }
}

struct ExpressionReader<'t> {
    rest: &'t str,
}

impl ExpressionReader<'_> {
    fn items(&mut self) -> Option<Vec<FilterItem>> {
        let mut items: Vec<FilterItem> = Vec::new();
        loop {
            let after_range = matches!(items.last(), Some(FilterItem::Range(..)));
            items.push(self.item(after_range)?);
            if !self.eat(',') {
                break;
            }
        }
        self.rest.trim().is_empty().then_some(items)
    }

    fn item(&mut self, after_range: bool) -> Option<FilterItem> {
        self.rest = self.rest.trim_start();
        if after_range && self.rest.starts_with('(') {
            return self.range();
        }
        let word = match self.token()? {
            FilterToken::Bare(word) => word,
            FilterToken::Quoted(text) => return Some(FilterItem::Value(text)),
        };
        // Keywords are read in any case: SDKs write `subTree` as well as `subtree`.
        match word.to_ascii_lowercase().as_str() {
            "range" if self.is_next('(') => self.range(),
            "subtree" if self.is_next('(') => {
                self.eat('(').then_some(())?;
                let id = self.token()?.into_text();
                self.eat(')').then_some(FilterItem::Subtree(id))
            }
            "exists" => Some(FilterItem::Exists),
            "missing" => Some(FilterItem::Missing),
            _ => Some(FilterItem::Value(word)),
        }
    }

    fn range(&mut self) -> Option<FilterItem> {
        self.eat('(').then_some(())?;
        let from = self.token()?;
        let between = self.token()?;
        if between != FilterToken::Bare("to".to_owned()) {
            return None;
        }
        let to = self.token()?;
        self.eat(')').then_some(())?;
        let end =
            |token: FilterToken| (token != FilterToken::Bare("*".to_owned())).then(|| token.into_text());
        Some(FilterItem::Range(end(from), end(to)))
    }

    fn token(&mut self) -> Option<FilterToken> {
        self.rest = self.rest.trim_start();
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let mut text = String::new();
            let mut letters = quoted.char_indices();
            while let Some((at, letter)) = letters.next() {
                match letter {
                    '"' => {
                        self.rest = quoted.get(at + 1..)?;
                        return Some(FilterToken::Quoted(text));
                    }
                    '\\' => text.push(letters.next()?.1),
                    letter => text.push(letter),
                }
            }
            return None;
        }
        let ends = |c: char| c.is_whitespace() || "\"(),".contains(c);
        let (word, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then(|| FilterToken::Bare(word.to_owned()))
    }

    fn is_next(&self, letter: char) -> bool {
        self.rest.trim_start().starts_with(letter)
    }

    fn eat(&mut self, letter: char) -> bool {
        let found = self.rest.trim_start().strip_prefix(letter);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }
}
