//! Parses endpoints: operations with a path and a body of their own.

use super::directives::{DirectiveRule, DirectiveUse, Directives};
use super::names::DeclaredNames;
use super::{ModelReader, fields, ownership};
use crate::Model;
use crate::endpoint::{Endpoint, EndpointAccount, PathSegment};
use crate::id::{KindId, ObjectId};
use crate::shape::{Field, Object, ReferenceKinds, Shape};
use apollo_compiler::ast::{FieldDefinition, ObjectTypeDefinition};

/// The prefix of paths below `me`.
const ME: &str = "me";

pub(super) const ON_ENDPOINT: &[DirectiveRule] = &[
    DirectiveRule { name: "get", arguments: &["path", "head", "byParameter", "inStore", "anybody"] },
    DirectiveRule {
        name: "post",
        arguments: &[
            "path",
            "as",
            "asAssociate",
            "inStore",
            "open",
            "signsIn",
            "endsTokens",
            "reads",
            "creates",
        ],
    },
    DirectiveRule { name: "emits", arguments: &["messages"] },
    DirectiveRule { name: "guarded", arguments: &["account"] },
    DirectiveRule { name: "needs", arguments: &["permission"] },
];

pub(super) fn define(
    declared: &ObjectTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some(directive) = declared.directives.get("endpoints") else { return };
    let of = directive.specified_argument_by_name("of").and_then(|value| value.as_str()).unwrap_or_default();
    let mine = ownership::kind_of_mine(of, model);
    let Some(kind) = names.kind(of).or(mine) else {
        reader.problem(declared.name.location(), format!("@endpoints(of: …) names no resource: '{of}'"));
        return;
    };
    for field in &declared.fields {
        let Some(mut endpoint) = read(field, kind, names, model, reader) else { continue };
        if mine.is_some() {
            endpoint.mine = true;
            let me = PathSegment::Fixed(ME.to_owned());
            if !endpoint.path.contains(&me) {
                endpoint.path.insert(0, me);
            }
        }
        if !matches!(endpoint.path.first(), Some(PathSegment::Fixed(_))) {
            reader.problem(field.location(), "the path of an endpoint begins with a fixed segment");
        }
        model.kinds[kind.index()].endpoints.push(endpoint);
    }
}

fn read(
    field: &FieldDefinition,
    kind: KindId,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) -> Option<Endpoint> {
    let directives = Directives::read(&field.directives, ON_ENDPOINT, reader);
    let (given, writes): (DirectiveUse<'_>, bool) = match (directives.get("get"), directives.get("post")) {
        (Some(given), None) => (given, false),
        (None, Some(given)) => (given, true),
        _ => {
            reader.problem(field.name.location(), "an endpoint has @get or @post");
            return None;
        }
    };
    let path: Vec<PathSegment> = given.text("path", reader)?.split('/').map(segment).collect();
    let emits = super::names::read_message_names(&directives, names, reader);
    let arguments = fields::of_input(&field.arguments, names, reader);
    let input =
        if writes { body(field, &arguments, reader)? } else { values_in_path(field, arguments, kind, model) };
    let (output, creates) = response_shape(field, kind, given.flag("creates"), names, reader)?;
    let many = field.ty.is_list();
    if many && (writes || output.is_some()) {
        reader.problem(
            field.name.location(),
            "an endpoint that returns a list has @get and finds documents of its kind",
        );
    }
    let account =
        directives.get("guarded").map(|given| account(given, writes.then_some(input), model, reader));
    Some(Endpoint {
        name: field.name.to_string(),
        doc: fields::doc(field.description.as_ref()),
        writes,
        reads: !writes || given.flag("reads"),
        path,
        mine: false,
        open: given.flag("open"),
        anybody: given.flag("anybody"),
        in_store: given.flag("inStore"),
        as_associate: given.flag("asAssociate"),
        signs_in: given.flag("signsIn"),
        input,
        head: given.flag("head"),
        by_parameter: given.flag("byParameter"),
        output,
        many,
        creates,
        answered_as: given.text("as", reader),
        needs: directives.get("needs").map(|given| ownership::permissions(given, "permission", reader)),
        emits,
        ends_tokens: given.flag("endsTokens"),
        account,
    })
}

/// Returns the shape of the request body of an endpoint.
fn body(field: &FieldDefinition, arguments: &[Field], reader: &mut ModelReader) -> Option<ObjectId> {
    let [body] = arguments else {
        reader.problem(field.name.location(), "an endpoint with @post has one argument, its body");
        return None;
    };
    let Shape::Object(input) = body.shape else {
        reader.problem(field.name.location(), "the body of an endpoint is an input");
        return None;
    };
    Some(input)
}

/// Returns the values in the path or the query of a read-only endpoint, as an object of their own.
fn values_in_path(field: &FieldDefinition, values: Vec<Field>, kind: KindId, model: &mut Model) -> ObjectId {
    let doc = fields::doc(field.description.as_ref());
    let name = format!("{}{}Path", model.kinds[kind.index()].name, field.name);
    let mut object = Object::new(name, doc, true);
    for value in values {
        object.push(value);
    }
    model.add_object(object)
}

/// Returns the object of the response (`None` for a document of the kind), and the kind of the created document.
fn response_shape(
    field: &FieldDefinition,
    kind: KindId,
    creates: bool,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Option<(Option<ObjectId>, Option<KindId>)> {
    match names.shape(field.ty.inner_named_type().as_str()) {
        Some((Shape::Reference(targets), _)) if creates => Some((None, targets.single())),
        Some((Shape::Object(output), _)) => Some((Some(output), None)),
        Some((Shape::Reference(ReferenceKinds::Kinds(kinds)), _)) if kinds == [kind] => Some((None, None)),
        _ => {
            reader.problem(field.name.location(), "an endpoint returns a document of its kind or an object");
            None
        }
    }
}

/// Returns the account of a guarded endpoint; `body` is its request body.
fn account(
    directive: DirectiveUse<'_>,
    body: Option<ObjectId>,
    model: &Model,
    reader: &mut ModelReader,
) -> EndpointAccount {
    let Some(field) = directive.text("account", reader) else { return EndpointAccount::Asker };
    if body.is_none_or(|body| model.objects[body.index()].field(&field).is_none()) {
        reader.problem(directive.location(), format!("@guarded names no field of the body: '{field}'"));
    }
    EndpointAccount::Field(field)
}

/// Parses a segment: `email-token={token}` is a prefix with a value, a text without braces is fixed.
fn segment(text: &str) -> PathSegment {
    match text.split_once('{') {
        Some((prefix, rest)) => {
            PathSegment::Value { prefix: prefix.to_owned(), name: rest.trim_end_matches('}').to_owned() }
        }
        None => PathSegment::Fixed(text.to_owned()),
    }
}
