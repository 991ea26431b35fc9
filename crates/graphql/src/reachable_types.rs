//! Finds types that no root field reaches, and names without a type.

use crate::exceptions::UNREACHED;
use crate::names::named_type;
use crate::schema_types::{SchemaTypes, TypeBody, TypeResolution};
use std::collections::BTreeSet;

/// GraphQL's built-in types.
pub(crate) const BUILT_IN: &[&str] = &["String", "Boolean", "Int", "Float", "ID"];

/// Removes types that no query and no mutation reaches, except those of the table [`UNREACHED`].
pub(crate) fn retain_reachable(types: &mut SchemaTypes) {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut next = vec!["Query".to_owned(), "Mutation".to_owned()];
    next.extend(UNREACHED.iter().map(|row| row.name.to_owned()));
    while let Some(name) = next.pop() {
        let Some(entry) = types.get(&name) else { continue };
        if !reached.insert(name) {
            continue;
        }
        match &entry.body {
            TypeBody::Scalar(_) | TypeBody::Enum(_) => {}
            TypeBody::Output(output) => {
                next.extend(output.implements.iter().cloned());
                if let Some(TypeResolution::Tag { types, .. } | TypeResolution::PresentField(types)) =
                    &output.interface
                {
                    next.extend(types.values().cloned());
                }
                for field in output.fields.values() {
                    next.push(named_type(&field.ty).to_owned());
                    next.extend(field.arguments.iter().map(|argument| named_type(&argument.ty).to_owned()));
                }
            }
            TypeBody::Input(input) => {
                next.extend(input.fields.values().map(|field| named_type(&field.ty).to_owned()))
            }
        }
    }
    types.retain(|name, _| reached.contains(name));
}

/// Returns an error for each type name that fields use but that has no type: a mistake in the tables.
pub(crate) fn unknown_names(types: &SchemaTypes) -> Vec<String> {
    let mut unknown = BTreeSet::new();
    let mut check = |ty: &str, place: String| {
        let name = named_type(ty);
        if !BUILT_IN.contains(&name) && !types.contains_key(name) {
            unknown.insert(format!("{place}: unknown type {name}"));
        }
    };
    for (name, entry) in types {
        match &entry.body {
            TypeBody::Scalar(_) | TypeBody::Enum(_) => {}
            TypeBody::Output(output) => {
                for (field, entry) in &output.fields {
                    check(&entry.ty, format!("{name}.{field}"));
                    for argument in &entry.arguments {
                        check(&argument.ty, format!("{name}.{field}({})", argument.name));
                    }
                }
            }
            TypeBody::Input(input) => {
                for (field, entry) in &input.fields {
                    check(&entry.ty, format!("{name}.{field}"));
                }
            }
        }
    }
    unknown.into_iter().collect()
}
