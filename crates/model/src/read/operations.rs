//! Parses lists of operations on documents of a kind.

use super::ModelReader;
use crate::permissions::Operation;
use apollo_compiler::parser::SourceSpan;

/// Returns the operations listed in an argument; all of them for an empty list.
pub(super) fn operations(
    given: &[String],
    place: Option<SourceSpan>,
    reader: &mut ModelReader,
) -> Vec<Operation> {
    use Operation::{Create, Delete, Get, Head, Query, Update};
    if given.is_empty() {
        return vec![Get, Head, Query, Create, Update, Delete];
    }
    given
        .iter()
        .filter_map(|name| match name.as_str() {
            "GET" => Some(Get),
            "HEAD" => Some(Head),
            "QUERY" => Some(Query),
            "CREATE" => Some(Create),
            "UPDATE" => Some(Update),
            "DELETE" => Some(Delete),
            _ => {
                reader.problem(
                    place,
                    format!("operation '{name}': expected GET HEAD QUERY CREATE UPDATE DELETE"),
                );
                None
            }
        })
        .collect()
}
