//! Prints the schema as SDL.

use apollo_compiler::ast::{DirectiveList, FieldDefinition, InputValueDefinition};
use apollo_compiler::collections::IndexSet;
use apollo_compiler::schema::{Component, ComponentName, ExtendedType};
use apollo_compiler::{Name, Node, Schema};
use std::fmt::Write as _;

/// Prints the types in their order, without GraphQL's built-in types.
pub(crate) fn print(schema: &Schema) -> String {
    let mut sdl = String::new();
    for (name, entry) in schema.types.iter().filter(|(_, entry)| !entry.is_built_in()) {
        if !sdl.is_empty() {
            sdl.push('\n');
        }
        describe(&mut sdl, "", entry.description());
        match entry {
            ExtendedType::Scalar(_) => _ = writeln!(sdl, "scalar {name}"),
            // The derived schema has no unions.
            ExtendedType::Union(_) => {}
            ExtendedType::Enum(constants) => {
                _ = writeln!(sdl, "enum {name} {{");
                for (constant, entry) in &constants.values {
                    describe(&mut sdl, "  ", entry.description.as_ref());
                    _ = writeln!(sdl, "  {constant}");
                }
                sdl.push_str("}\n");
            }
            ExtendedType::Object(object) => {
                print_output(&mut sdl, "type", name, &object.implements_interfaces, object.fields.values());
            }
            ExtendedType::Interface(object) => {
                let (implemented, fields) = (&object.implements_interfaces, object.fields.values());
                print_output(&mut sdl, "interface", name, implemented, fields);
            }
            ExtendedType::InputObject(input) => {
                _ = writeln!(sdl, "input {name} {{");
                for field in input.fields.values() {
                    describe(&mut sdl, "  ", field.description.as_ref());
                    _ = write!(sdl, "  ");
                    print_sent(&mut sdl, field);
                    _ = writeln!(sdl, "{}", deprecated(&field.directives));
                }
                sdl.push_str("}\n");
            }
        }
    }
    sdl
}

fn print_output<'s>(
    sdl: &mut String,
    keyword: &str,
    name: &Name,
    implemented: &IndexSet<ComponentName>,
    fields: impl Iterator<Item = &'s Component<FieldDefinition>>,
) {
    _ = write!(sdl, "{keyword} {name}");
    for (index, interface) in implemented.iter().enumerate() {
        let before = if index == 0 { "implements" } else { "&" };
        _ = write!(sdl, " {before} {interface}");
    }
    sdl.push_str(" {\n");
    for field in fields {
        print_field(sdl, field);
    }
    sdl.push_str("}\n");
}

fn print_field(sdl: &mut String, field: &FieldDefinition) {
    describe(sdl, "  ", field.description.as_ref());
    _ = write!(sdl, "  {}", field.name);
    if !field.arguments.is_empty() {
        sdl.push('(');
        let are_described = field.arguments.iter().any(|argument| argument.description.is_some());
        for (index, argument) in field.arguments.iter().enumerate() {
            if are_described {
                sdl.push('\n');
                describe(sdl, "    ", argument.description.as_ref());
                sdl.push_str("    ");
            } else if index > 0 {
                sdl.push_str(", ");
            }
            print_sent(sdl, argument);
        }
        sdl.push_str(if are_described { "\n  )" } else { ")" });
    }
    _ = writeln!(sdl, ": {}{}", field.ty, deprecated(&field.directives));
}

/// Prints an argument, or a field of an input object.
fn print_sent(sdl: &mut String, sent: &InputValueDefinition) {
    _ = write!(sdl, "{}: {}", sent.name, sent.ty);
    if let Some(default) = &sent.default_value {
        _ = write!(sdl, " = {default}");
    }
}

fn deprecated(directives: &DirectiveList) -> &'static str {
    if directives.has("deprecated") { " @deprecated" } else { "" }
}

/// Prints a description, if there is one.
fn describe(sdl: &mut String, indent: &str, doc: Option<&Node<str>>) {
    let Some(doc) = doc else { return };
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
