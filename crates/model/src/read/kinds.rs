//! Parses resource types (kinds), unions and enums.

use super::allowed_directives::{ON_ENUM_VALUE, ON_UNION};
use super::directives::{DirectiveUse, Directives};
use super::names::DeclaredNames;
use super::operations::operations;
use super::{ModelReader, fields, imports, ownership, setting_overrides};
use crate::id::{KindId, MessageId};
use crate::kind::{Addressing, Kind};
use crate::permissions::Operation;
use crate::projection::Projection;
use crate::search::{ParameterSearchModel, Search, SearchedParts};
use crate::shape::EnumValue;
use crate::{Model, parse_date_time};
use apollo_compiler::ast::{EnumTypeDefinition, ObjectTypeDefinition, UnionTypeDefinition};

/// Reads the kind of an object with `@resource` or `@later`.
pub(super) fn define(
    object: &ObjectTypeDefinition,
    directives: &Directives<'_>,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some(id) = names.kind(object.name.as_str()) else { return };
    let served = directives.get("resource");
    let Some(given) = served.or_else(|| directives.get("later")) else { return };
    let unique = fields::unique(object, names, reader);
    let kind = &mut model.kinds[id.index()];
    kind.doc = fields::doc(object.description.as_ref());
    kind.is_served = served.is_some();
    describe(kind, object, given, names, reader);
    kind.addressing = if kind.has_path && kind.path.is_empty() {
        Addressing::Singleton
    } else if given.has_argument("address") {
        Addressing::Fields(given.texts("address", reader))
    } else {
        Addressing::Id { by_key: unique.iter().any(|unique| unique.field == kind.key_field) }
    };
    kind.unique = unique;
    let draft =
        format!("{}{}Draft", object.name, kind.create_path.as_deref().map(capitalized).unwrap_or_default());
    kind.draft = names.object(&draft).filter(|_| kind.operations.contains(&Operation::Create));
    if kind.is_served && kind.operations.contains(&Operation::Create) && kind.draft.is_none() {
        reader.problem(object.name.location(), format!("expected an input {draft}"));
    }
    find_by(id, given, model, reader);
    if let Some(given) = directives.get("projection") {
        projection(given, id, names, model, reader);
    }
    let kind = &mut model.kinds[id.index()];
    kind.search = directives.get("search").map(|given| search(given, &kind.path, names, reader));
    kind.parameter_search =
        directives.get("searchByParameters").map(|given| parameter_search(given, &kind.path, names, reader));
    if let Some(given) = directives.get("inStore") {
        ownership::store_access(given, id, model, reader);
    }
    if let Some(given) = directives.get("asAssociate") {
        ownership::associate_access(given, id, model, reader);
    }
}

/// Returns a segment of a path with its first letter in upper case, e.g. `Import`.
fn capitalized(segment: &str) -> String {
    let mut letters = segment.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Reads the arguments of the directive that concern the kind alone.
fn describe(
    kind: &mut Kind,
    object: &ObjectTypeDefinition,
    directive: DirectiveUse<'_>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) {
    let path = directive.text("path", reader);
    kind.has_path = path.is_some();
    kind.path = path.unwrap_or_default();
    // The project is the only kind without references to it.
    kind.type_id = directive.text("typeId", reader).unwrap_or_else(|| object.name.to_lowercase());
    kind.view_scopes = directive.texts("view", reader);
    kind.query_scopes = kind.view_scopes.iter().cloned().chain(directive.texts("query", reader)).collect();
    kind.manage_scopes = directive.texts("manage", reader);
    kind.key_field = directive.text("keyField", reader).unwrap_or_else(|| "key".to_owned());
    kind.deletes_any_version = directive.flag("deletesAnyVersion");
    kind.erasure = directive.flag("erasure");
    kind.exports_stored = directive.flag("whole");
    kind.plain_head = directive.flag("plainHead");
    kind.is_store = directive.flag("isStore");
    kind.is_open = directive.flag("open");
    kind.owned_by = directive.texts("ownedBy", reader);
    for field in
        kind.owned_by.iter().filter(|name| !object.fields.iter().any(|known| known.name == name.as_str()))
    {
        reader.problem(directive.location(), format!("ownedBy: '{field}' is no field of {}", object.name));
    }
    kind.created_beside = directive.text("createdBeside", reader).and_then(|name| {
        let found = names.kind(&name);
        if found.is_none() {
            reader.problem(directive.location(), format!("createdBeside: '{name}' is no resource"));
        }
        found
    });
    kind.create_path = directive.text("create", reader);
    kind.service = directive.text("service", reader);
    kind.external_store = directive.text("held", reader);
    kind.expires = directive.text("expires", reader);
    if let Some(field) = &kind.expires
        && !object.fields.iter().any(|known| known.name == field.as_str())
    {
        reader.problem(directive.location(), format!("expires: '{field}' is no field of {}", object.name));
    }
    kind.parameters = directive.texts("parameters", reader);
    kind.overrides = setting_overrides::read(directive, reader);
    kind.counts_by_default = !directive.flag("uncounted");
    kind.limit = directive.count("limit", reader).map(|count| count as u64);
    kind.created = message(directive.text("created", reader), directive.location(), names, reader);
    kind.deleted = message(directive.text("deleted", reader), directive.location(), names, reader);
    kind.operations = operations(&directive.texts("operations", reader), directive.location(), reader);
}

/// Registers the `typeId` of a kind, and its path if it is served there.
fn find_by(id: KindId, directive: DirectiveUse<'_>, model: &mut Model, reader: &mut ModelReader) {
    let kind = &model.kinds[id.index()];
    let (type_id, path) = (kind.type_id.clone(), kind.path.clone());
    if let Some(other) = model.kind_by_type_id.insert(type_id.clone(), id)
        && other != id
    {
        reader.problem(directive.location(), format!("typeId '{type_id}' is used twice"));
    }
    if model.kinds[id.index()].is_served
        && model.kinds[id.index()].has_path
        && let Some(other) = model.kind_by_path.insert(path.clone(), id)
        && other != id
    {
        reader.problem(directive.location(), format!("path '{path}' is used twice"));
    }
}

fn search(
    directive: DirectiveUse<'_>,
    path: &str,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Search {
    let projection = directive.text("projection", reader).and_then(|name| {
        let found = names.kind(&name);
        if found.is_none() {
            reader
                .problem(directive.location(), format!("@search(projection: …) names no resource: '{name}'"));
        }
        found
    });
    Search {
        name: path.to_owned(),
        scopes: directive.texts("scopes", reader),
        status_scopes: directive.texts("status", reader),
        parts: directive.text("parts", reader).map(SearchedParts::from_name),
        hits: directive.flag("hits"),
        projection,
    }
}

fn parameter_search(
    directive: DirectiveUse<'_>,
    path: &str,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> ParameterSearchModel {
    let named = |argument: &str, reader: &mut ModelReader| {
        let name = directive.text(argument, reader)?;
        let found = names.object(&name);
        if found.is_none() {
            let why = format!("@searchByParameters({argument}: …) names no object: '{name}'");
            reader.problem(directive.location(), why);
        }
        found
    };
    let (parameters, suggest_parameters, suggestion) =
        (named("parameters", reader), named("suggestParameters", reader), named("suggestion", reader));
    let facets = directive.text("facets", reader).and_then(|name| {
        let found = names.union(&name);
        if found.is_none() {
            reader.problem(
                directive.location(),
                format!("@searchByParameters(facets: …) names no union: '{name}'"),
            );
        }
        found
    });
    let deprecated_since = directive.text("deprecatedSince", reader).and_then(|text| {
        let time = parse_date_time(&text);
        if time.is_none() {
            reader.problem(
                directive.location(),
                format!("@searchByParameters(deprecatedSince: …) is no time: '{text}'"),
            );
        }
        Some(time?.as_second())
    });
    ParameterSearchModel {
        current: path.to_owned(),
        staged: format!("{path}-staged"),
        parameters,
        suggest_parameters,
        suggestion,
        facets,
        marks: directive.text("marks", reader).unwrap_or_default(),
        deprecated_since,
    }
}

/// Reads a projection. The places of its fields are determined when all objects are known.
fn projection(
    directive: DirectiveUse<'_>,
    id: KindId,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let of = directive.text("of", reader).unwrap_or_default();
    let Some(of) = names.kind(&of) else {
        reader.problem(directive.location(), format!("@projection(of: …) names no resource: '{of}'"));
        return;
    };
    let mut text = |name: &str| directive.text(name, reader).unwrap_or_default();
    let (within, current, staged, shown_while) =
        (text("within"), text("current"), text("staged"), text("while"));
    let staged_scopes = directive.texts("stagedView", reader);
    // Completed in `paths::derive`, when all objects are known.
    let (else_current, fields) = (false, Vec::new());
    model.kinds[id.index()].projection =
        Some(Projection { of, within, current, staged, else_current, shown_while, staged_scopes, fields });
}

fn message(
    name: Option<String>,
    place: Option<apollo_compiler::parser::SourceSpan>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Option<MessageId> {
    let name = name?;
    let id = names.message(&name);
    if id.is_none() {
        reader.problem(place, format!("message '{name}' is not declared"));
    }
    id
}

pub(super) fn define_union(
    union: &UnionTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let directives = Directives::read(&union.directives, ON_UNION, reader);
    let Some(given) = directives.get("union") else {
        for member in &union.members {
            if names.kind(member.as_str()).is_none() {
                reader.problem(
                    member.location(),
                    format!("'{member}' is no resource; a union of objects needs @union(by: …)"),
                );
            }
        }
        return;
    };
    let Some(id) = names.union(union.name.as_str()) else { return };
    if let Some(given) = directives.get("import") {
        imports::define(union.name.as_str(), given, names, model, reader);
    }
    let mut members = Vec::new();
    for member in &union.members {
        match names.object(member.as_str()) {
            Some(object) => members.push(object),
            None => reader.problem(member.location(), format!("'{member}' is not declared")),
        }
    }
    let by = given.text("by", reader).unwrap_or_default();
    let default = given.text("default", reader);
    let entry = &mut model.unions[id.index()];
    entry.doc = fields::doc(union.description.as_ref());
    entry.by = by;
    entry.default = default;
    // Tags are read with the members' own directives, which may come later: see `paths::derive`.
    entry.members = members.into_iter().map(|object| (String::new(), object)).collect();
}

pub(super) fn define_enum(
    values: &EnumTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some(id) = names.enumeration(values.name.as_str()) else { return };
    let constants = values
        .values
        .iter()
        .map(|value| {
            let directives = Directives::read(&value.directives, ON_ENUM_VALUE, reader);
            EnumValue {
                name: value.value.to_string(),
                value: directives
                    .get("value")
                    .and_then(|directive| directive.only_text(reader))
                    .unwrap_or_else(|| value.value.to_string()),
                doc: fields::doc(value.description.as_ref()),
            }
        })
        .collect();
    let entry = &mut model.enums[id.index()];
    entry.doc = fields::doc(values.description.as_ref());
    entry.values = constants;
}
