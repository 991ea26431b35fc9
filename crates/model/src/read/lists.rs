//! Parses lists of documents below a parent document.

use super::ModelReader;
use super::directives::{DirectiveRule, Directives};
use super::fields;
use super::names::DeclaredNames;
use crate::Model;
use crate::kind::Listing;
use crate::shape::Shape;
use apollo_compiler::ast::ObjectTypeDefinition;

pub(super) const ON_LIST: &[DirectiveRule] =
    &[DirectiveRule { name: "below", arguments: &["kind", "path", "by", "inside"] }];

pub(super) fn define(
    declared: &ObjectTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some(directive) = declared.directives.get("lists") else { return };
    let of = directive.specified_argument_by_name("of").and_then(|value| value.as_str()).unwrap_or_default();
    let Some(kind) = names.kind(of) else {
        reader.problem(declared.name.location(), format!("@lists(of: …) names no resource: '{of}'"));
        return;
    };
    for field in &declared.fields {
        let directives = Directives::read(&field.directives, ON_LIST, reader);
        let Some(given) = directives.get("below") else {
            reader.problem(field.location(), "a list has @below(kind: …, path: …, by: …)");
            continue;
        };
        let (parent, by) = (given.text("kind", reader), given.text("by", reader));
        let parent = parent.and_then(|name| names.kind(&name));
        let by = by.filter(|by| model.object(model.kinds[kind.index()].object).field(by).is_some());
        let shows = names.shape(field.ty.inner_named_type().as_str());
        let (Some(parent), Some(by), Some(path), Some((Shape::Object(shows), _))) =
            (parent, by, given.text("path", reader), shows)
        else {
            reader.problem(
                field.location(),
                "a list returns an object, below a resource, by a field of the documents",
            );
            continue;
        };
        model.kinds[kind.index()].lists.push(Listing {
            name: field.name.to_string(),
            doc: fields::doc(field.description.as_ref()),
            parent,
            path,
            by,
            inside: given.flag("inside"),
            shows,
        });
    }
}
