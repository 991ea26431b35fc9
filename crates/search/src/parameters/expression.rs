//! Filter and facet expressions, as they are written: `categories.id: subtree("x"), "y"`, `price:range (1 to 5), (* to 0)`.

use super::{malformed, sent};
use crate::limits;
use kontor_errors::ApiResult;

/// A path, and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    pub(super) path: String,
    /// None: the path stands alone.
    pub(super) items: Vec<Item>,
}

/// One of the alternatives behind a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Value(Token),
    /// Both ends; `*` is none.
    Range(Option<Token>, Option<Token>),
    Subtree(Token),
    Exists,
    Missing,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Quoted(String),
    Bare(String),
}

impl Token {
    pub(super) fn text(&self) -> &str {
        match self {
            Token::Quoted(text) | Token::Bare(text) => text,
        }
    }
}

/// Reads an expression of a parameter.
pub(super) fn read(text: &str, parameter: &str) -> ApiResult<Expression> {
    let (path, rest) = text.split_once(':').map_or((text, None), |(path, rest)| (path, Some(rest)));
    let path = path.trim().replace('`', "");
    let is_path = !path.is_empty() && !path.contains(|c: char| c.is_whitespace() || "\"(),".contains(c));
    if !is_path {
        let why = format!("{} was sent, expected a field and a colon", sent(text));
        return Err(malformed(parameter, why));
    }
    let Some(rest) = rest else { return Ok(Expression { path, items: Vec::new() }) };
    let mut reader = Reader { rest };
    match reader.items() {
        Some(items) if items.len() <= limits::VALUES_MAX => Ok(Expression { path, items }),
        _ => {
            let why = format!(
                "{} was sent, expected values with commas between them, range (from to to), subtree(\"id\"), exists or \
                 missing behind the colon",
                sent(text)
            );
            Err(malformed(parameter, why))
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn items(&mut self) -> Option<Vec<Item>> {
        let mut items: Vec<Item> = Vec::new();
        loop {
            let after_range = matches!(items.last(), Some(Item::Range(..)));
            items.push(self.item(after_range)?);
            if !self.eat(',') {
                break;
            }
        }
        self.rest.trim().is_empty().then_some(items)
    }

    fn item(&mut self, after_range: bool) -> Option<Item> {
        self.rest = self.rest.trim_start();
        if after_range && self.rest.starts_with('(') {
            return self.range();
        }
        let token = self.token()?;
        match &token {
            Token::Bare(word) => match word.as_str() {
                "range" if self.is_next('(') => self.range(),
                "subtree" if self.is_next('(') => {
                    self.eat('(').then_some(())?;
                    let id = self.token()?;
                    self.eat(')').then_some(Item::Subtree(id))
                }
                "exists" => Some(Item::Exists),
                "missing" => Some(Item::Missing),
                _ => Some(Item::Value(token)),
            },
            Token::Quoted(_) => Some(Item::Value(token)),
        }
    }

    fn range(&mut self) -> Option<Item> {
        self.eat('(').then_some(())?;
        let from = self.token()?;
        let between = self.token()?;
        if between != Token::Bare("to".to_owned()) {
            return None;
        }
        let to = self.token()?;
        self.eat(')').then_some(())?;
        let end = |token: Token| (token != Token::Bare("*".to_owned())).then_some(token);
        Some(Item::Range(end(from), end(to)))
    }

    fn token(&mut self) -> Option<Token> {
        self.rest = self.rest.trim_start();
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let mut text = String::new();
            let mut letters = quoted.char_indices();
            while let Some((at, letter)) = letters.next() {
                match letter {
                    '"' => {
                        self.rest = quoted.get(at + 1..)?;
                        return Some(Token::Quoted(text));
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
        (!word.is_empty()).then(|| Token::Bare(word.to_owned()))
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
