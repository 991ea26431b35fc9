//! Parses the resource types of the Import API.

use super::ModelReader;
use super::directives::DirectiveUse;
use super::names::DeclaredNames;
use crate::Model;
use crate::import_type::ImportType;

/// The default name of the field with the resources of an Import Request.
const LIST_USUAL: &str = "resources";

/// Adds the import of an object or a union with `@import`.
pub(super) fn define(
    name: &str,
    directive: DirectiveUse<'_>,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some((shape, _)) = names.shape(name) else { return };
    let type_name = directive.text("type", reader).unwrap_or_default();
    if model.imports.iter().any(|other| other.type_name == type_name) {
        reader.problem(directive.location(), format!("'{type_name}' is imported twice"));
    }
    model.imports.push(ImportType {
        name: name.to_owned(),
        type_name,
        path: directive.text("path", reader).unwrap_or_default(),
        scopes: directive.texts("scopes", reader),
        list: directive.text("list", reader).unwrap_or_else(|| LIST_USUAL.to_owned()),
        shape,
    });
}
