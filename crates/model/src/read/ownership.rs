//! Parses the owners of documents: `@inStore`, `@me` and `@asAssociate`.

use super::directives::DirectiveUse;
use super::names::DeclaredNames;
use super::operations::operations;
use super::{ModelReader, fields};
use crate::Model;
use crate::id::{KindId, ObjectId};
use crate::ownership::{AssociateAccess, MeAccess, StoreAccess};
use crate::permissions::Permissions;
use crate::shape::Shape;
use apollo_compiler::ast::ObjectTypeDefinition;

/// Reads the access below `/in-store/key={storeKey}`. The default operations are those of the kind.
pub(super) fn store_access(
    directive: DirectiveUse<'_>,
    id: KindId,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let named = directive.texts("operations", reader);
    let operations = operations(&named, directive.location(), reader);
    let mut paths = directive.texts("at", reader).into_iter();
    let (at, also) = (steps(paths.next()), steps(paths.next()));
    if paths.next().is_some() {
        reader.problem(
            directive.location(),
            "@inStore(at: …) is one path, or two: the second names further Stores",
        );
    }
    let through = directive.text("through", reader);
    let global = directive.flag("global");
    let kind = &mut model.kinds[id.index()];
    kind.in_store = Some(StoreAccess {
        at,
        also,
        operations: if named.is_empty() { kind.operations.clone() } else { operations },
        global,
        through,
    });
}

/// Reads the access for Associates. The default operations are those of the kind.
pub(super) fn associate_access(
    directive: DirectiveUse<'_>,
    id: KindId,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let named = directive.texts("operations", reader);
    let operations = operations(&named, directive.location(), reader);
    let unit = steps(directive.text("unit", reader));
    let owner = directive.texts("owner", reader).into_iter().map(|path| steps(Some(path))).collect();
    let mut needed = |operation: &str| permissions(directive, operation, reader);
    let (view, create) = (needed("view"), needed("create"));
    let (update, delete) = (needed("update"), needed("delete"));
    let kind = &mut model.kinds[id.index()];
    let operations = if named.is_empty() { kind.operations.clone() } else { operations };
    let only = directive.flag("only");
    kind.associates = Some(AssociateAccess { unit, owner, operations, view, create, update, delete, only });
}

/// Reads permissions: one name, or one for own documents and one for those of others.
pub(super) fn permissions(
    directive: DirectiveUse<'_>,
    argument: &str,
    reader: &mut ModelReader,
) -> Permissions {
    let names = directive.texts(argument, reader);
    if names.len() > 2 {
        reader.problem(
            directive.location(),
            format!("'{argument}': a permission, or one for own and one for others"),
        );
    }
    Permissions::new(names)
}

/// Reads the access below `/me`.
pub(super) fn me_access(
    declared: &ObjectTypeDefinition,
    directive: DirectiveUse<'_>,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let of = directive.text("of", reader).unwrap_or_default();
    let Some(id) = names.kind(&of) else {
        reader.problem(directive.location(), format!("@me(of: …) names no resource: '{of}'"));
        return;
    };
    let name = declared.name.to_string();
    let listed = directive.texts("actions", reader);
    let mut unexpanded = Vec::new();
    for kind in directive.texts("unexpanded", reader) {
        match names.kind(&kind) {
            Some(kind) => unexpanded.push(kind),
            None => reader
                .problem(directive.location(), format!("@me(unexpanded: …) names no resource: '{kind}'")),
        }
    }
    let mine = MeAccess {
        unexpanded,
        doc: fields::doc(declared.description.as_ref()),
        path: directive.text("path", reader).unwrap_or_default(),
        create: directive.text("create", reader),
        customer: directive.texts("customer", reader).into_iter().map(|path| steps(Some(path))).collect(),
        session: steps(directive.text("session", reader)),
        scopes: directive.texts("scopes", reader),
        operations: operations(&directive.texts("operations", reader), directive.location(), reader),
        in_store: directive.flag("inStore"),
        by_key: directive.flag("byKey"),
        object: names.object(&name).filter(|_| !declared.fields.is_empty()),
        draft: names.object(&format!("{name}Draft")),
        actions: Vec::new(),
        name,
    };
    for path in std::iter::once(&mine.path).chain(&mine.create) {
        if model.kind_by_my_path.insert(path.clone(), id).is_some() {
            reader.problem(directive.location(), format!("path 'me/{path}' is used twice"));
        }
    }
    model.my_actions.push((id, listed));
    if model.kinds[id.index()].mine.replace(mine).is_some() {
        reader.problem(directive.location(), format!("'{of}' is served below /me twice"));
    }
}

/// Returns the kind with this name in `@me`.
pub(super) fn kind_of_mine(name: &str, model: &Model) -> Option<KindId> {
    let is_meant = |mine: &MeAccess| mine.name == name;
    model.kinds().find(|(_, kind)| kind.mine.as_ref().is_some_and(is_meant)).map(|(id, _)| id)
}

/// Completes the parts that need finished objects and actions: paths get their last step (the id or key), and actions
/// shared with the kind come before the own ones.
pub(super) fn derive(model: &mut Model, reader: &mut ModelReader) {
    for (id, listed) in std::mem::take(&mut model.my_actions) {
        let kind = &model.kinds[id.index()];
        let mut shared = Vec::new();
        for name in &listed {
            match kind.action(name) {
                Some(action) => shared.push(action.clone()),
                None => {
                    reader.problem(None, format!("@me(actions: …): {} has no action '{name}'", kind.name))
                }
            }
        }
        if let Some(mine) = &mut model.kinds[id.index()].mine {
            shared.append(&mut mine.actions);
            mine.actions = shared;
        }
    }
    for index in 0..model.kinds.len() {
        let object = model.kinds[index].object;
        let mut ended = |path: &[String]| -> Vec<String> {
            let found = with_last_step(model, object, path);
            if found.is_none() && !path.is_empty() {
                let problem = format!("{}: no id or key at '{}'", model.kinds[index].name, path.join("."));
                reader.problem(None, problem);
            }
            found.unwrap_or_default()
        };
        let store = model.kinds[index].in_store.as_ref().map(|store| (ended(&store.at), ended(&store.also)));
        let each = |paths: &[Vec<String>], ended: &mut dyn FnMut(&[String]) -> Vec<String>| {
            paths.iter().map(|path| ended(path)).filter(|path| !path.is_empty()).collect::<Vec<_>>()
        };
        let owner = model.kinds[index]
            .mine
            .as_ref()
            .map(|mine| (each(&mine.customer, &mut ended), ended(&mine.session)));
        let associates = model.kinds[index]
            .associates
            .as_ref()
            .map(|associates| (ended(&associates.unit), each(&associates.owner, &mut ended)));
        let kind = &mut model.kinds[index];
        if let (Some(own), Some((at, also))) = (&mut kind.in_store, store) {
            (own.at, own.also) = (at, also);
        }
        if let (Some(associates), Some((unit, owner))) = (&mut kind.associates, associates) {
            (associates.unit, associates.owner) = (unit, owner);
        }
        if let (Some(mine), Some((customer, session))) = (&mut kind.mine, owner) {
            (mine.customer, mine.session) = (customer, session);
        }
    }
}

/// Returns the path with its last step: the `id` of a reference, the `key` of a reference by key, or the text itself.
fn with_last_step(model: &Model, object: ObjectId, path: &[String]) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let field = model.object(object).field(first)?;
    let below = match (field.shape.element(), rest) {
        (Shape::Object(inner), rest) => with_last_step(model, *inner, rest)?,
        (Shape::Reference(_), []) => vec!["id".to_owned()],
        (Shape::KeyReference(_), []) => vec!["key".to_owned()],
        (Shape::String, []) => Vec::new(),
        _ => return None,
    };
    Some(std::iter::once(first.clone()).chain(below).collect())
}

fn steps(path: Option<String>) -> Vec<String> {
    path.map(|path| path.split('.').map(str::to_owned).collect()).unwrap_or_default()
}
