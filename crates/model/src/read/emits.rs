//! The messages that an action or an endpoint emits.

use super::ModelReader;
use super::directives::Directives;
use super::names::DeclaredNames;
use crate::id::MessageId;

/// Returns the messages of `@emits`; undeclared ones are reported.
pub(super) fn read(
    directives: &Directives<'_>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<MessageId> {
    let Some(given) = directives.get("emits") else { return Vec::new() };
    let mut emitted = Vec::new();
    for name in given.only_texts(reader) {
        match names.message(&name) {
            Some(id) => emitted.push(id),
            None => reader.problem(given.location(), format!("message '{name}' is not declared")),
        }
    }
    emitted
}
