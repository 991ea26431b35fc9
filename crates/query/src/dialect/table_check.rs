//! Compares the tables of a dialect with the model ([`problems`]), so that a renamed field is noticed by a test.

use super::resolve::{PathEnd, ResolvedPath, Resolver};
use super::{Dialect, FunctionResult, TOP};
use kontor_model::Model;

/// Returns all rows of the tables whose paths do not exist in the model.
pub(super) fn problems(dialect: &'static Dialect, model: &Model) -> Vec<String> {
    let resolver = Resolver { dialect, model };
    let mut problems = Vec::new();
    let mut check = |from: Option<ResolvedPath<'_>>, of: &str, paths: &[&str]| {
        for path in paths {
            if from.as_ref().is_none_or(|from| resolver.raw(from, path).is_err()) {
                problems.push(format!("'{path}' of '{of}' leads nowhere"));
            }
        }
    };
    for names in dialect.names {
        let from = match names.of {
            TOP => Some(resolver.top()),
            of => {
                resolver.object(of).map(|shape| ResolvedPath { at: PathEnd::Field(shape), ..resolver.top() })
            }
        };
        for (name, paths) in names.rows {
            check(from.clone(), &format!("{}.{name}", names.of), paths);
        }
        check(from, names.of, names.implied.as_slice());
    }
    for function in dialect.functions {
        check(Some(resolver.top()), function.name, function.of);
        if let FunctionResult::Sum(addend) = function.gives {
            // A sum has exactly one list.
            let element = match function.of {
                [only] => resolver.raw(&resolver.top(), only).ok().and_then(|ways| ways.into_iter().next()),
                _ => None,
            };
            check(element, function.name, &[addend]);
        }
    }
    for named in dialect.id_fields {
        if model.kind_by_type_id(named.type_id).is_none() {
            problems.push(format!("'{}' is no typeId", named.type_id));
        }
    }
    problems
}
