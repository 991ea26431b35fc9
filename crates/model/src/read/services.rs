//! Parses services: operations without documents of a kind.

use super::directives::{DirectiveRule, Directives};
use super::names::DeclaredNames;
use super::{ModelReader, fields};
use crate::Model;
use crate::id::ObjectId;
use crate::service::ServiceCall;
use crate::shape::Shape;
use apollo_compiler::ast::{FieldDefinition, ObjectTypeDefinition};

/// The argument that is the body. Other arguments are values in the path or, if they are optional, query parameters.
const BODY: &str = "body";

pub(super) const ON_CALL: &[DirectiveRule] =
    &[DirectiveRule { name: "call", arguments: &["path", "scopes"] }];

/// Adds the operations of a `@service`.
pub(super) fn define(
    declared: &ObjectTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    if !declared.directives.has("service") {
        return;
    }
    let directives = Directives::read(&declared.directives, super::allowed_directives::ON_TYPE, reader);
    let Some(given) = directives.get("service") else { return };
    let service = given.text("name", reader).unwrap_or_default();
    let at = given.text("at", reader);
    let doc = fields::doc(declared.description.as_ref());
    for field in &declared.fields {
        let Some(call) = read(field, (&service, &doc, at.as_deref()), names, reader) else { continue };
        if model.services.iter().any(|other| other.name == call.name) {
            reader.problem(field.name.location(), format!("'{}' is called twice", call.name));
        }
        model.services.push(call);
    }
}

fn read(
    field: &FieldDefinition,
    (service, service_doc, at): (&str, &str, Option<&str>),
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Option<ServiceCall> {
    let directives = Directives::read(&field.directives, ON_CALL, reader);
    let Some(given) = directives.get("call") else {
        reader.problem(field.name.location(), "an operation of a service has @call");
        return None;
    };
    let object = |name: &str, reader: &mut ModelReader| -> Option<ObjectId> {
        match names.shape(name) {
            Some((Shape::Object(id), _)) => Some(id),
            _ => {
                reader.problem(field.name.location(), "an operation of a service takes and returns objects");
                None
            }
        }
    };
    let behind = given.text("path", reader)?;
    let parameters = field.arguments.iter().filter(|argument| {
        argument.name != BODY && !argument.ty.is_non_null() && !is_in_path(&behind, &argument.name)
    });
    let parameters = fields::of_input(&parameters.cloned().collect::<Vec<_>>(), names, reader);
    let body = field.arguments.iter().find(|argument| argument.name == BODY);
    let body = match body {
        Some(argument) => Some(object(argument.ty.inner_named_type().as_str(), reader)?),
        None => None,
    };
    Some(ServiceCall {
        name: field.name.to_string(),
        doc: fields::doc(field.description.as_ref()),
        service: service.to_owned(),
        service_doc: service_doc.to_owned(),
        path: path(field, &behind, at, reader),
        scopes: given.texts("scopes", reader),
        parameters,
        body,
        response: object(field.ty.inner_named_type().as_str(), reader)?,
        many: field.ty.is_list(),
    })
}

/// Returns the whole path. Its values are the required arguments apart from the body.
fn path(field: &FieldDefinition, behind: &str, at: Option<&str>, reader: &mut ModelReader) -> String {
    let required =
        field.arguments.iter().filter(|argument| argument.name != BODY && argument.ty.is_non_null());
    for argument in required.filter(|argument| !is_in_path(behind, &argument.name)) {
        reader.problem(argument.location(), format!("'{}' is required and not in the path", argument.name));
    }
    let at = at.map(|at| format!("/{at}")).unwrap_or_default();
    format!("{at}/{{projectKey}}/{behind}")
}

fn is_in_path(path: &str, name: &str) -> bool {
    path.contains(&format!("{{{name}}}"))
}
