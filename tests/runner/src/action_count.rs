//! Counts which update actions the conversations exercise.
//!
//! A simple scan of `model/*.graphql` gives the list of all actions, so that the count needs no code of the server.

use std::collections::{BTreeMap, BTreeSet};

/// The update actions exercised, by the path of the resource and the name of the action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActionCount {
    entries: BTreeMap<(String, String), BTreeSet<ActionOutcome>>,
}

/// How an action was exercised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActionOutcome {
    /// It changed the resource, and the conversation has an expectation of the response body.
    Done,
    /// The server refused it.
    Refused,
}

impl ActionCount {
    /// Records that the action `name` of the resource at `path` was exercised. The path of the project itself is `""`.
    pub fn enter(&mut self, path: &str, name: &str, outcome: ActionOutcome) {
        self.entries.entry((path.to_owned(), name.to_owned())).or_default().insert(outcome);
    }

    /// Adds the entries of another count.
    pub fn add(&mut self, other: Self) {
        for (action, outcomes) in other.entries {
            self.entries.entry(action).or_default().extend(outcomes);
        }
    }

    /// Returns the outcomes of `all` actions that were not exercised, one line each: `states changeKey done`,
    /// `states changeKey refused`.
    pub fn missing_outcomes(&self, all: &BTreeSet<(String, String)>) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        for action in all {
            let outcomes = self.entries.get(action);
            for (outcome, word) in [(ActionOutcome::Done, "done"), (ActionOutcome::Refused, "refused")] {
                if !outcomes.is_some_and(|outcomes| outcomes.contains(&outcome)) {
                    let path = if action.0.is_empty() { "project" } else { &action.0 };
                    lines.insert(format!("{path} {} {word}", action.1));
                }
            }
        }
        lines
    }

    /// Returns three numbers for each path: its actions that were done, that were refused, and all.
    pub fn summary(&self, all: &BTreeSet<(String, String)>) -> BTreeMap<String, [usize; 3]> {
        let mut summary: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        for action in all {
            let path = if action.0.is_empty() { "project" } else { &action.0 };
            let row = summary.entry(path.to_owned()).or_default();
            row[2] += 1;
            if let Some(outcomes) = self.entries.get(action) {
                row[0] += usize::from(outcomes.contains(&ActionOutcome::Done));
                row[1] += usize::from(outcomes.contains(&ActionOutcome::Refused));
            }
        }
        summary
    }

    /// Returns all actions of the model files in `sources`, as (path, name).
    pub fn actions_of_model<'a>(
        sources: impl Iterator<Item = &'a str> + Clone,
    ) -> BTreeSet<(String, String)> {
        let mut paths: BTreeMap<String, String> = BTreeMap::new();
        for block in sources.clone().flat_map(type_blocks) {
            if let Some(start) = block.head.find("@resource(") {
                let arguments = &block.head[start..];
                let path = arguments.split_once("path:").map_or("", |(_, rest)| quoted(rest));
                paths.insert(block.name.clone(), path.to_owned());
            }
        }
        let mut all = BTreeSet::new();
        for block in sources.flat_map(type_blocks) {
            let Some((_, rest)) = block.head.split_once("@actions(of:") else { continue };
            let Some(path) = paths.get(quoted(rest)) else { continue };
            all.extend(block.fields.into_iter().map(|name| (path.clone(), name)));
        }
        all
    }
}

/// A `type … { … }` of the schema language.
struct TypeBlock {
    name: String,
    /// Everything between the name and the opening brace.
    head: String,
    /// The field names.
    fields: Vec<String>,
}

/// Returns the type definitions of one file. It understands strings, comments and nesting, nothing else.
fn type_blocks(source: &str) -> Vec<TypeBlock> {
    let mut blocks = Vec::new();
    let mut rest = source;
    let mut outside = String::new();
    while let Some(character) = rest.chars().next() {
        if let Some(length) = skipped(rest) {
            // Strings outside of bodies are arguments of directives, so keep them.
            if character == '"' && outside.contains("type ") {
                outside.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        } else if character == '{' {
            let (fields, length) = fields(&rest[1..]);
            if let Some((_, head)) = outside.rsplit_once("type ") {
                let name = head.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                blocks.push(TypeBlock { name: name.to_owned(), head: head.to_owned(), fields });
            }
            outside.clear();
            rest = &rest[1 + length..];
        } else {
            outside.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    blocks
}

/// Returns the field names up to the closing brace, and the length of the text up to there in bytes.
fn fields(body: &str) -> (Vec<String>, usize) {
    let (mut names, mut word, mut depth, mut at) = (Vec::new(), String::new(), 0_usize, 0);
    while let Some(character) = body[at..].chars().next() {
        if let Some(length) = skipped(&body[at..]) {
            at += length;
            word.clear();
            continue;
        }
        at += character.len_utf8();
        match character {
            '}' if depth == 0 => break,
            // A name before `(` or `:` outside of parentheses is a field, unless it is a directive.
            '(' | ':' if depth == 0 && !word.is_empty() && !word.starts_with('@') => {
                names.push(std::mem::take(&mut word));
            }
            _ => {}
        }
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if character.is_alphanumeric() || character == '_' || character == '@' {
            word.push(character);
        } else {
            word.clear();
        }
    }
    (names, at)
}

/// Returns the length of the string or comment that `text` begins with, or `None`.
fn skipped(text: &str) -> Option<usize> {
    if text.starts_with('#') {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if let Some(rest) = text.strip_prefix("\"\"\"") {
        return Some(rest.find("\"\"\"").map_or(text.len(), |end| end + 6));
    }
    let rest = text.strip_prefix('"')?;
    let mut escaped = false;
    for (index, character) in rest.char_indices() {
        match character {
            '"' if !escaped => return Some(index + 2),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Some(text.len())
}

/// Returns the first quoted text.
fn quoted(text: &str) -> &str {
    text.split('"').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"
"A step (of a {workflow}: see changeKey) of the type of"
type State @resource(
  path: "states"
  typeId: "state" # changeNothing(x: Int)
) {
  key: String! @unique
  transitions: [State!]
}
type StateActions @actions(of: "State") {
  changeKey(key: String!): State @set(same: REFUSE, empty: REFUSE)
  "Left out: removes(the field)."
  setTransitions(transitions: [StateResourceIdentifier!]): State
    @set(same: REFUSE)
}
type Project @resource(path: "") { key: String! }
type ProjectActions @actions(of: "Project") { changeName(name: String!): Project @set }
"#;

    fn action(path: &str, name: &str) -> (String, String) {
        (path.to_owned(), name.to_owned())
    }

    #[test]
    fn the_model_names_all_actions() {
        let all = ActionCount::actions_of_model(std::iter::once(MODEL));
        let expected =
            [action("", "changeName"), action("states", "changeKey"), action("states", "setTransitions")];
        assert_eq!(all, expected.into());
    }

    #[test]
    fn lists_actions_never_done_or_never_refused() {
        let all = [action("", "changeName"), action("states", "changeKey")].into();
        let mut count = ActionCount::default();
        count.enter("states", "changeKey", ActionOutcome::Done);
        let missing: Vec<String> = count.missing_outcomes(&all).into_iter().collect();
        assert_eq!(
            missing,
            ["project changeName done", "project changeName refused", "states changeKey refused"]
        );
        assert_eq!(count.summary(&all)["states"], [1, 0, 1]);
    }
}
