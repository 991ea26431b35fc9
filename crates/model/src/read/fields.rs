//! Parses fields, arguments, limits and default values.

use super::ModelReader;
use super::allowed_directives::ON_FIELD;
use super::directives::{DirectiveUse, Directives};
use super::names::DeclaredNames;
use super::scalars::pattern;
use crate::id::KindId;
use crate::kind::{UniqueField, is_reference};
use crate::shape::OnDelete;
use crate::shape::{Field, FieldOrigin, Shape, ShownInPart};
use apollo_compiler::Node;
use apollo_compiler::ast::{FieldDefinition, InputValueDefinition, ObjectTypeDefinition, Type, Value};
use kontor_errors::Code;
use kontor_json::json;

/// Returns a description as one line.
pub(super) fn doc(description: Option<&Node<str>>) -> String {
    description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

pub(super) fn of_type(
    object: &ObjectTypeDefinition,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<Field> {
    of_definitions(&object.fields, names, reader)
}

pub(super) fn of_definitions(
    fields: &[Node<FieldDefinition>],
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<Field> {
    fields
        .iter()
        .filter_map(|field| {
            let directives = Directives::read(&field.directives, ON_FIELD, reader);
            let mut read = read_field(field.name.as_str(), &field.ty, &directives, names, reader)?;
            read.doc = doc(field.description.as_ref());
            Some(read)
        })
        .collect()
}

/// Returns the fields that a resource inherits: those in the list, or all.
pub(super) fn inherited(only: &[String], names: &DeclaredNames, reader: &mut ModelReader) -> Vec<Field> {
    let Some(resource) = names.resource() else { return Vec::new() };
    let mut fields = of_definitions(&resource.fields, names, reader);
    fields.retain(|field| only.is_empty() || only.contains(&field.name));
    for field in &mut fields {
        field.inherited = true;
    }
    fields
}

pub(super) fn of_input(
    fields: &[Node<InputValueDefinition>],
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<Field> {
    fields
        .iter()
        .filter_map(|field| {
            let directives = Directives::read(&field.directives, ON_FIELD, reader);
            let mut read = read_field(field.name.as_str(), &field.ty, &directives, names, reader)?;
            read.doc = doc(field.description.as_ref());
            read.default = field.default_value.as_ref().and_then(|value| {
                let constant = constant(value);
                if constant.is_none() {
                    reader.problem(value.location(), "a default must be a constant");
                }
                constant
            });
            Some(read)
        })
        .collect()
}

/// Returns the unique keys that a resource's own fields declare.
pub(super) fn unique(
    object: &ObjectTypeDefinition,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<UniqueField> {
    let mut found = Vec::new();
    for field in &object.fields {
        if let Some(directive) = Directives::read(&field.directives, ON_FIELD, reader).get("unique") {
            let shape = names.shape(field.ty.inner_named_type().as_str());
            found.push(UniqueField {
                field: field.name.to_string(),
                with: directive.texts("with", reader),
                localized: matches!(shape, Some((Shape::Localized, _))),
            });
        }
    }
    found
}

/// Returns the effect of deleting the target of a field's reference.
fn on_delete(directives: &Directives<'_>, shape: &Shape, reader: &mut ModelReader) -> OnDelete {
    let Some(directive) = directives.get("onDelete") else { return OnDelete::Dangle };
    if !is_reference(shape) {
        reader.problem(directive.location(), "@onDelete is for references only");
    }
    match directive.text("does", reader).as_deref() {
        Some("BLOCK") => OnDelete::Block,
        Some("CLEAR") => OnDelete::Clear,
        Some("DANGLE") => OnDelete::Dangle,
        _ => {
            reader.problem(directive.location(), "@onDelete does BLOCK, CLEAR or DANGLE");
            OnDelete::Dangle
        }
    }
}

/// Whether the names in a map are language tags: `@map(names: LOCALE)`.
fn named_by_locale(map: DirectiveUse<'_>, reader: &mut ModelReader) -> bool {
    match map.text("names", reader).as_deref() {
        None => false,
        Some("LOCALE") => true,
        Some(_) => {
            reader.problem(map.location(), "@map(names: …) is LOCALE");
            false
        }
    }
}

/// Returns the kinds of targets in `@onDelete(of: …)`.
fn on_delete_of(directives: &Directives<'_>, names: &DeclaredNames, reader: &mut ModelReader) -> Vec<KindId> {
    let Some(directive) = directives.get("onDelete") else { return Vec::new() };
    let named = directive.texts("of", reader);
    let kinds: Vec<KindId> = named.iter().filter_map(|name| names.kind(name)).collect();
    if kinds.len() != named.len() {
        reader.problem(directive.location(), "@onDelete(of: …) names resources");
    }
    kinds
}

/// The value of a field with `@ifAbsent`: `true`, `false`, or a text.
fn value_if_absent(directive: DirectiveUse<'_>, reader: &mut ModelReader) -> Option<kontor_json::Value> {
    let value = directive.text("value", reader);
    if value.is_none() {
        reader.problem(directive.location(), "@ifAbsent needs a value");
    }
    Some(match value?.as_str() {
        "true" => json!(true),
        "false" => json!(false),
        text => json!(text),
    })
}

/// The part of a value with `@shownInPart` that documents show.
fn shown_in_part(directive: DirectiveUse<'_>, reader: &mut ModelReader) -> ShownInPart {
    let is_address = directive.text("as", reader).is_some_and(|shown| shown == "address");
    if is_address { ShownInPart::Address } else { ShownInPart::Secret }
}

/// Returns the document from which a field is shown (`@from`).
fn read_origin(
    directive: DirectiveUse<'_>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Option<FieldOrigin> {
    let (field, kind) = (directive.text("field", reader), directive.text("as", reader));
    let kind = kind.and_then(|name| names.kind(&name));
    if field.is_none() || kind.is_none() {
        reader.problem(directive.location(), "@from names a field and a resource");
    }
    Some(FieldOrigin { field: field?, kind: kind? })
}

fn read_field(
    name: &str,
    written: &Type,
    directives: &Directives<'_>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Option<Field> {
    let named = written.inner_named_type();
    let Some((inner, mut limits)) = names.shape(named.as_str()) else {
        reader.problem(named.location(), format!("'{named}' is not declared"));
        return None;
    };
    let inner = match inner {
        Shape::Reference(targets) if directives.contains("keyReference") => Shape::KeyReference(targets),
        shape => shape,
    };
    let mut shape = nested(written, inner);
    if let Some(map) = directives.get("map") {
        shape = Shape::Map(Box::new(shape));
        limits.named_by_locale = named_by_locale(map, reader);
    }
    if let Some(bounds) = directives.get("limits") {
        limits.min = bounds.number("min", reader).or(limits.min);
        limits.max = bounds.number("max", reader).or(limits.max);
        limits.length_min = bounds.count("minLength", reader).or(limits.length_min);
        limits.length_max = bounds.count("maxLength", reader).or(limits.length_max);
        limits.items_min = bounds.count("minItems", reader).or(limits.items_min);
        limits.items_max = bounds.count("maxItems", reader).or(limits.items_max);
        limits.pattern =
            pattern(bounds.text("pattern", reader), bounds.location(), reader).or(limits.pattern);
        limits.strict_pattern = pattern(bounds.text("strictPattern", reader), bounds.location(), reader);
        limits.overflow = overflow(bounds.text("overflow", reader), bounds.location(), reader);
    }
    Some(Field {
        name: name.to_owned(),
        doc: String::new(),
        on_delete: on_delete(directives, &shape, reader),
        on_delete_of: on_delete_of(directives, names, reader),
        shape,
        required: written.is_non_null(),
        default: None,
        if_absent: directives.get("ifAbsent").and_then(|directive| value_if_absent(directive, reader)),
        limits,
        to: directives
            .get("to")
            .and_then(|directive| directive.text("path", reader))
            .map(|path| path.split('.').map(str::to_owned).collect()),
        generated: directives.contains("generated"),
        derived: directives.contains("derived") || directives.contains("spliced"),
        spliced: directives.contains("spliced"),
        snapshot: directives.contains("snapshot"),
        from: directives.get("from").and_then(|directive| read_origin(directive, names, reader)),
        implied: directives.contains("implied"),
        source: directives.contains("source"),
        secret: directives.contains("secret"),
        masked: directives.contains("masked"),
        shown_in_part: directives.get("shownInPart").map(|directive| shown_in_part(directive, reader)),
        sealed: directives.contains("sealed"),
        personal: directives.contains("personal"),
        positions: directives
            .get("positions")
            .and_then(|directive| directive.text("of", reader).zip(directive.text("in", reader))),
        indexed: directives.contains("index"),
        lowercase: directives.get("index").and_then(|directive| directive.text("lowercase", reader)),
        custom: directives.get("custom").and_then(|directive| directive.text("of", reader)),
        beta: directives.contains("beta"),
        deprecated: directives.contains("deprecated"),
        inherited: false,
    })
}

fn nested(written: &Type, inner: Shape) -> Shape {
    match written {
        Type::Named(_) | Type::NonNullNamed(_) => inner,
        Type::List(item) | Type::NonNullList(item) => Shape::List(Box::new(nested(item, inner))),
    }
}

fn overflow(
    name: Option<String>,
    place: Option<apollo_compiler::parser::SourceSpan>,
    reader: &mut ModelReader,
) -> Option<Code> {
    let name = name?;
    let code = Code::ALL.iter().copied().find(|code| code.name() == name);
    if code.is_none() {
        reader.problem(place, format!("'{name}' is no error code"));
    }
    code
}

fn constant(value: &Value) -> Option<kontor_json::Value> {
    Some(match value {
        Value::Null => kontor_json::Value::Null,
        Value::Enum(name) => json!(name.as_str()),
        Value::String(text) => json!(text),
        Value::Float(_) => json!(value.to_f64()?),
        Value::Int(number) => json!(number.as_str().parse::<i64>().ok()?),
        Value::Boolean(flag) => json!(flag),
        Value::List(items) => {
            kontor_json::Value::Array(items.iter().map(|item| constant(item)).collect::<Option<_>>()?)
        }
        Value::Object(fields) => kontor_json::Value::Object(
            fields
                .iter()
                .map(|(name, item)| Some((name.to_string(), constant(item)?)))
                .collect::<Option<_>>()?,
        ),
        Value::Variable(_) => return None,
    })
}
