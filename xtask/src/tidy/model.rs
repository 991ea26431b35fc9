//! The directives of the model's files, with their arguments, as far as the rules of `tidy` need them.
//!
//! This module reads tokens only, so that `cargo xtask tidy` need not compile the server's crates. `kontor-model` resolves
//! the model and reports its mistakes.

use apollo_parser::{Lexer, Token, TokenKind};
use std::path::Path;

/// A directive as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// The file, below the root.
    pub(super) path: String,
    /// The type that it belongs to.
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) line: usize,
    /// Where it is a text.
    pub(super) text: Option<String>,
}

impl Directive {
    /// The text of an argument.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|argument| argument.name == name)?.text.as_deref()
    }
}

/// Returns all directives of the model, in the order of its files. Fails if a file cannot be read.
pub(super) fn read_all(root: &Path, folder: &str) -> Result<Vec<Directive>, String> {
    let mut all = Vec::new();
    for path in files(root, folder)? {
        let text = std::fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        all.extend(read(&path, &text));
    }
    Ok(all)
}

/// Returns the paths of the model's files below the root, sorted. Fails if a folder cannot be read.
pub(super) fn files(root: &Path, folder: &str) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{folder}: {error}"))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let below = format!("{folder}/{name}");
            if path.is_dir() {
                open.push(below);
            } else if name.ends_with(".graphql") {
                paths.push(below);
            }
        }
    }
    paths.sort();
    Ok(paths)
}

/// The directives of a file's text.
pub(super) fn read(path: &str, text: &str) -> Vec<Directive> {
    let tokens: Vec<Token<'_>> = Lexer::new(text)
        .filter_map(Result::ok)
        .filter(|token| {
            !matches!(token.kind(), TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma)
        })
        .collect();
    let mut all = Vec::new();
    let mut owner = "";
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind() {
            TokenKind::LCurly => depth += 1,
            TokenKind::RCurly => depth = depth.saturating_sub(1),
            TokenKind::Name if depth == 0 && matches!(token.data(), "type" | "input" | "union" | "enum") => {
                owner = tokens.get(at).map_or("", Token::data);
            }
            TokenKind::At => {
                let name = tokens.get(at).map_or("", Token::data).to_owned();
                at += 1;
                let (arguments, end) = arguments(text, &tokens, at);
                at = end;
                all.push(Directive { path: path.to_owned(), owner: owner.to_owned(), name, arguments });
            }
            _ => {}
        }
    }
    all
}

/// The arguments that begin at a token, and the token behind them.
fn arguments(text: &str, tokens: &[Token<'_>], start: usize) -> (Vec<Argument>, usize) {
    let mut found = Vec::new();
    if tokens.get(start).map(Token::kind) != Some(TokenKind::LParen) {
        return (found, start);
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.kind() {
            TokenKind::LParen | TokenKind::LCurly | TokenKind::LBracket => depth += 1,
            TokenKind::RParen | TokenKind::RCurly | TokenKind::RBracket => depth -= 1,
            TokenKind::Name
                if depth == 1 && tokens.get(at + 1).map(Token::kind) == Some(TokenKind::Colon) =>
            {
                let value = tokens.get(at + 2).filter(|value| value.kind() == TokenKind::StringValue);
                found.push(Argument {
                    name: token.data().to_owned(),
                    line: text.get(..token.index()).map_or(0, |before| before.matches('\n').count()) + 1,
                    text: value.map(|value| value.data().trim_matches('"').to_owned()),
                });
            }
            _ => {}
        }
        if depth == 0 {
            return (found, at + 1);
        }
    }
    (found, tokens.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_have_an_owner_and_arguments() {
        let text = "# type No @no\n\"A zone. @no(a: 1)\"\ntype Zone @resource(path: \"zones\", view: [\"a\", \"b\"],\n few: true) {\n  name(of: Int @deep(to: {x: 1})): Text @set\n}\n";
        let found = read("model/zone.graphql", text);
        let shown: Vec<String> = found
            .iter()
            .map(|directive| {
                let arguments = directive.arguments.iter().map(|one| format!("{}:{}", one.name, one.line));
                format!("{} {} {}", directive.owner, directive.name, arguments.collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(shown, ["Zone resource path:3 view:3 few:4", "Zone deep to:5", "Zone set "]);
        assert_eq!(found[0].text("path"), Some("zones"));
        assert_eq!(found[0].text("few"), None);
    }
}
