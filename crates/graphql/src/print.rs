//! The schema in SDL.

use crate::derived::{Argument, Body, Concrete, InputField, Output, OutputField, Types};
use crate::exceptions::UNREACHED;
use crate::names::innermost;
use std::collections::BTreeSet;
use std::fmt::Write as _;

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
            Body::Scalar | Body::Enum(_) => {}
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

/// The types in SDL: `Query` and `Mutation` first, then the others by name.
pub(crate) fn print(types: &Types) -> String {
    let mut names: Vec<&String> = types.keys().collect();
    names.sort_by_key(|name| (rank(name), name.as_str()));
    let mut sdl = String::new();
    for name in names {
        if !sdl.is_empty() {
            sdl.push('\n');
        }
        let entry = &types[name];
        describe(&mut sdl, "", &entry.doc);
        match &entry.body {
            Body::Scalar => _ = writeln!(sdl, "scalar {name}"),
            Body::Enum(constants) => {
                _ = writeln!(sdl, "enum {name} {{");
                for (constant, doc) in constants {
                    describe(&mut sdl, "  ", doc);
                    _ = writeln!(sdl, "  {constant}");
                }
                sdl.push_str("}\n");
            }
            Body::Output(output) => print_output(&mut sdl, name, output),
            Body::Input(input) => {
                _ = writeln!(sdl, "input {name} {{");
                for (field, entry) in &input.fields {
                    print_input_field(&mut sdl, field, entry);
                }
                sdl.push_str("}\n");
            }
        }
    }
    sdl
}

fn rank(name: &str) -> usize {
    match name {
        "Query" => 0,
        "Mutation" => 1,
        _ => 2,
    }
}

fn print_output(sdl: &mut String, name: &str, output: &Output) {
    let keyword = if output.interface.is_some() { "interface" } else { "type" };
    _ = write!(sdl, "{keyword} {name}");
    if !output.implements.is_empty() {
        _ = write!(sdl, " implements {}", output.implements.join(" & "));
    }
    sdl.push_str(" {\n");
    for (field, entry) in &output.fields {
        print_field(sdl, field, entry);
    }
    sdl.push_str("}\n");
}

fn print_field(sdl: &mut String, name: &str, field: &OutputField) {
    describe(sdl, "  ", &field.doc);
    _ = write!(sdl, "  {name}");
    if !field.arguments.is_empty() {
        sdl.push('(');
        let are_described = field.arguments.iter().any(|argument| !argument.doc.is_empty());
        for (index, Argument { name, ty, doc }) in field.arguments.iter().enumerate() {
            if are_described {
                sdl.push('\n');
                describe(sdl, "    ", doc);
                _ = write!(sdl, "    {name}: {ty}");
            } else {
                let comma = if index == 0 { "" } else { ", " };
                _ = write!(sdl, "{comma}{name}: {ty}");
            }
        }
        sdl.push_str(if are_described { "\n  )" } else { ")" });
    }
    _ = writeln!(sdl, ": {}{}", field.ty, deprecated(field.deprecated));
}

fn print_input_field(sdl: &mut String, name: &str, field: &InputField) {
    describe(sdl, "  ", &field.doc);
    _ = writeln!(sdl, "  {name}: {}{}", field.ty, deprecated(field.deprecated));
}

fn deprecated(is: bool) -> &'static str {
    if is { " @deprecated" } else { "" }
}

/// A description, where there is one.
fn describe(sdl: &mut String, indent: &str, doc: &str) {
    if doc.is_empty() {
        return;
    }
    let doc = doc.replace('\\', "\\\\").replace("\"\"\"", "\\\"\"\"");
    if doc.contains('\n') {
        _ = writeln!(sdl, "{indent}\"\"\"");
        for line in doc.lines() {
            _ = writeln!(sdl, "{indent}{line}");
        }
        _ = writeln!(sdl, "{indent}\"\"\"");
    } else {
        _ = writeln!(sdl, "{indent}\"{}\"", doc.replace('"', "\\\""));
    }
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
            Body::Scalar | Body::Enum(_) => {}
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
