//! Parses directives and their arguments, and checks where they are allowed.

use super::ModelReader;
use apollo_compiler::Node;
use apollo_compiler::ast::{Directive, DirectiveList, Value};

/// The declaration of a directive: its name and its arguments.
pub(super) struct DirectiveRule {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
}

/// The directives of one declaration, all of them allowed.
pub(super) struct Directives<'a>(Vec<DirectiveUse<'a>>);

/// A directive in a model file.
#[derive(Clone, Copy)]
pub(super) struct DirectiveUse<'a>(&'a Node<Directive>);

impl<'a> Directives<'a> {
    /// Reports unknown directives, unknown arguments and repetitions.
    pub(super) fn read(list: &'a DirectiveList, known: &[DirectiveRule], reader: &mut ModelReader) -> Self {
        let mut given: Vec<DirectiveUse<'a>> = Vec::new();
        for directive in &list.0 {
            let place = directive.location();
            let Some(rule) = known.iter().find(|rule| rule.name == directive.name.as_str()) else {
                let names: Vec<_> = known.iter().map(|rule| format!("@{}", rule.name)).collect();
                reader.problem(
                    place,
                    format!("@{} is not known here; expected one of {}", directive.name, names.join(", ")),
                );
                continue;
            };
            for argument in &directive.arguments {
                if !rule.arguments.contains(&argument.name.as_str()) {
                    reader.problem(
                        argument.location(),
                        format!(
                            "@{} has no argument '{}'; expected one of {:?}",
                            rule.name, argument.name, rule.arguments
                        ),
                    );
                }
            }
            if given.iter().any(|other| other.0.name == directive.name) {
                reader.problem(place, format!("@{} is given twice", directive.name));
            }
            given.push(DirectiveUse(directive));
        }
        Self(given)
    }

    /// The directive with a name.
    pub(super) fn get(&self, name: &str) -> Option<DirectiveUse<'a>> {
        self.0.iter().find(|given| given.0.name.as_str() == name).copied()
    }

    /// True if there is a directive with this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

impl<'a> DirectiveUse<'a> {
    fn value(self, name: &str) -> Option<&'a Node<Value>> {
        self.0
            .arguments
            .iter()
            .find(|argument| argument.name.as_str() == name)
            .map(|argument| &argument.value)
    }

    /// The place of the directive, for problems.
    pub(super) fn location(self) -> Option<apollo_compiler::parser::SourceSpan> {
        self.0.location()
    }

    /// True if the argument is given.
    pub(super) fn has_argument(self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Reads a text argument; a bare name counts as text, so that `same: REFUSE` reads well.
    pub(super) fn text(self, name: &str, reader: &mut ModelReader) -> Option<String> {
        let value = self.value(name)?;
        let text = text_of(value);
        if text.is_none() {
            reader.problem(value.location(), format!("'{name}' of @{} must be a text", self.0.name));
        }
        text
    }

    /// Reads the text of a directive with a single argument, e.g. `@value("x")`, which is `@value(is: "x")` in SDL.
    pub(super) fn only_text(self, reader: &mut ModelReader) -> Option<String> {
        let argument = self.0.arguments.first();
        let text = argument.and_then(|argument| text_of(&argument.value));
        if text.is_none() {
            reader.problem(self.location(), format!("@{} needs a text", self.0.name));
        }
        text
    }

    /// Reads a list of texts; one text is a list of one.
    pub(super) fn texts(self, name: &str, reader: &mut ModelReader) -> Vec<String> {
        let Some(value) = self.value(name) else { return Vec::new() };
        self.texts_of(value, reader)
    }

    /// Reads the list of a directive with a single argument.
    pub(super) fn only_texts(self, reader: &mut ModelReader) -> Vec<String> {
        match self.0.arguments.first() {
            Some(argument) => self.texts_of(&argument.value, reader),
            None => Vec::new(),
        }
    }

    fn texts_of(self, value: &Node<Value>, reader: &mut ModelReader) -> Vec<String> {
        let items = match value.as_list() {
            Some(items) => items.iter().map(|item| text_of(item)).collect::<Option<Vec<_>>>(),
            None => text_of(value).map(|text| vec![text]),
        };
        items.unwrap_or_else(|| {
            reader.problem(value.location(), format!("@{} needs a list of texts here", self.0.name));
            Vec::new()
        })
    }

    /// Reads a number.
    pub(super) fn number(self, name: &str, reader: &mut ModelReader) -> Option<f64> {
        let value = self.value(name)?;
        let number = value.to_f64().or_else(|| value.to_i32().map(f64::from));
        if number.is_none() {
            reader.problem(value.location(), format!("'{name}' of @{} must be a number", self.0.name));
        }
        number
    }

    /// Reads a whole number that is not negative.
    pub(super) fn count(self, name: &str, reader: &mut ModelReader) -> Option<usize> {
        let number = self.number(name, reader)?;
        // Bounds in the model are small whole numbers; anything else saturates and shows in tests.
        Some(number.max(0.0) as usize)
    }

    /// True if the argument is `true`.
    pub(super) fn flag(self, name: &str) -> bool {
        self.value(name).and_then(|value| value.to_bool()).unwrap_or(false)
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Enum(name) => Some(name.to_string()),
        _ => None,
    }
}
