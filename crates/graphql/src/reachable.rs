//! What of the types is reached, and what is named and is none.

use crate::derived::{Body, Concrete, Types};
use crate::exceptions::UNREACHED;
use crate::names::innermost;
use std::collections::BTreeSet;

/// Types that GraphQL itself brings.
pub(crate) const BUILT_IN: &[&str] = &["String", "Boolean", "Int", "Float", "ID"];

/// Leaves out what no query and no mutation reaches, but for the types of a table.
pub(crate) fn retain_reachable(types: &mut Types) {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut next = vec!["Query".to_owned(), "Mutation".to_owned()];
    next.extend(UNREACHED.iter().map(|row| row.name.to_owned()));
    while let Some(name) = next.pop() {
        let Some(entry) = types.get(&name) else { continue };
        if !reached.insert(name) {
            continue;
        }
        match &entry.body {
            Body::Scalar(_) | Body::Enum(_) => {}
            Body::Output(output) => {
                next.extend(output.implements.iter().cloned());
                if let Some(Concrete::Tag { types, .. } | Concrete::Having(types)) = &output.interface {
                    next.extend(types.values().cloned());
                }
                for field in output.fields.values() {
                    next.push(innermost(&field.ty).to_owned());
                    next.extend(field.arguments.iter().map(|argument| innermost(&argument.ty).to_owned()));
                }
            }
            Body::Input(input) => {
                next.extend(input.fields.values().map(|field| innermost(&field.ty).to_owned()))
            }
        }
    }
    types.retain(|name, _| reached.contains(name));
}

/// Names that fields use and no type has: a mistake in the tables.
pub(crate) fn unknown_names(types: &Types) -> Vec<String> {
    let mut unknown = BTreeSet::new();
    let mut check = |ty: &str, place: String| {
        let name = innermost(ty);
        if !BUILT_IN.contains(&name) && !types.contains_key(name) {
            unknown.insert(format!("{place}: unknown type {name}"));
        }
    };
    for (name, entry) in types {
        match &entry.body {
            Body::Scalar(_) | Body::Enum(_) => {}
            Body::Output(output) => {
                for (field, entry) in &output.fields {
                    check(&entry.ty, format!("{name}.{field}"));
                    for argument in &entry.arguments {
                        check(&argument.ty, format!("{name}.{field}({})", argument.name));
                    }
                }
            }
            Body::Input(input) => {
                for (field, entry) in &input.fields {
                    check(&entry.ty, format!("{name}.{field}"));
                }
            }
        }
    }
    unknown.into_iter().collect()
}
