//! Tests that `model/README.md` describes the whole language: a heading for each directive, a line for each
//! argument, an example each.

use super::{actions, allowed_directives, directives::DirectiveRule, endpoints, lists, services};
use crate::embedded;
use std::collections::{BTreeMap, BTreeSet};

const README: &str = include_str!("../../../../model/README.md");

/// The section of a directive.
#[derive(Debug, Default)]
struct DirectiveSection {
    arguments: BTreeSet<String>,
    /// The lines of the examples, trimmed.
    example: Vec<String>,
}

/// Returns the directives with a heading in the text.
fn described_directives() -> BTreeMap<String, DirectiveSection> {
    let mut found: BTreeMap<String, DirectiveSection> = BTreeMap::new();
    let (mut directive, mut is_example) = (None::<String>, false);
    for line in README.lines() {
        if line.starts_with("```") {
            is_example = line == "```graphql";
        } else if line.starts_with('#') && !is_example {
            directive = line.strip_prefix("### `@").map(|name| name.trim_end_matches('`').to_owned());
            if let Some(name) = &directive {
                assert!(
                    found.insert(name.clone(), DirectiveSection::default()).is_none(),
                    "@{name} is described twice"
                );
            }
        } else if let Some(entry) = directive.as_ref().and_then(|name| found.get_mut(name)) {
            match line.strip_prefix("- `").and_then(|rest| rest.split_once("`: ")) {
                _ if is_example => entry.example.push(line.trim().to_owned()),
                Some((argument, _)) => {
                    assert!(
                        entry.arguments.insert(argument.to_owned()),
                        "{directive:?}: {argument} is described twice"
                    );
                }
                None => {}
            }
        }
    }
    found
}

/// Returns the directives that the reader knows for any declaration, with all their arguments.
fn known_directives() -> BTreeMap<String, BTreeSet<String>> {
    let tables: [&[DirectiveRule]; 10] = [
        allowed_directives::ON_TYPE,
        allowed_directives::ON_INPUT,
        allowed_directives::ON_UNION,
        allowed_directives::ON_SCALAR,
        allowed_directives::ON_ENUM_VALUE,
        allowed_directives::ON_FIELD,
        actions::ON_ACTION,
        endpoints::ON_ENDPOINT,
        lists::ON_LIST,
        services::ON_CALL,
    ];
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for rule in tables.into_iter().flatten() {
        known.entry(rule.name.to_owned()).or_default().extend(rule.arguments.iter().map(ToString::to_string));
    }
    known
}

#[test]
fn describes_exactly_the_known_directives() {
    let described: BTreeMap<_, _> =
        described_directives().into_iter().map(|(name, described)| (name, described.arguments)).collect();
    assert_eq!(described, known_directives());
}

#[test]
fn takes_examples_from_the_model() {
    let lines: BTreeSet<&str> =
        embedded::sources().iter().flat_map(|source| source.text.lines()).map(str::trim).collect();
    for (name, DirectiveSection { example, .. }) in described_directives() {
        assert!(example.iter().any(|line| line.contains(&format!("@{name}"))), "@{name} has an example");
        for line in example {
            assert!(lines.contains(line.as_str()), "@{name}: no file has the line {line}");
        }
    }
}
