//! Parses views: other forms of a document, at paths below it.

use super::allowed_directives::ON_TYPE;
use super::directives::Directives;
use super::names::DeclaredNames;
use super::{ModelReader, fields};
use crate::Model;
use crate::kind::KindView;
use apollo_compiler::ast::ObjectTypeDefinition;

pub(super) fn define(
    declared: &ObjectTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    if !declared.directives.has("shownAs") {
        return;
    }
    let directives = Directives::read(&declared.directives, ON_TYPE, reader);
    let Some(given) = directives.get("shownAs") else { return };
    let kind = given.text("of", reader).and_then(|of| names.kind(&of));
    let shows = names.object(declared.name.as_str());
    let (Some(kind), Some(path), Some(shows)) = (kind, given.text("path", reader), shows) else {
        reader.problem(
            given.location(),
            "@shownAs has the resource that is shown (of) and the last segment (path)",
        );
        return;
    };
    let parameters = given.texts("parameters", reader);
    model.kinds[kind.index()].views.push(KindView {
        name: declared.name.to_string(),
        doc: fields::doc(declared.description.as_ref()),
        path,
        parameters,
        shows,
    });
}
