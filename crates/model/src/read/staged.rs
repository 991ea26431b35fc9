//! Parses `@staged`: sets of update actions, built from existing kinds, that documents store.

use super::directives::DirectiveUse;
use super::names::{DeclaredNames, object_name, union_name};
use super::{ModelReader, fields};
use crate::Model;
use crate::action::Action;
use crate::id::ObjectId;
use crate::staged_actions::StagedActionSet;
use apollo_compiler::ast::ObjectTypeDefinition;

/// The discriminator of stored actions.
const BY: &str = "action";

/// Adds a set of actions, which [`derive()`] completes.
pub(super) fn define(
    declared: &ObjectTypeDefinition,
    directive: DirectiveUse<'_>,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let name = declared.name.to_string();
    let mut kind = |argument: &str| {
        let wanted = directive.text(argument, reader)?;
        let found = names.kind(&wanted);
        if found.is_none() {
            reader.problem(
                directive.location(),
                format!("@staged({argument}: …) names no resource: '{wanted}'"),
            );
        }
        found
    };
    let (of, also) = (kind("of"), kind("also"));
    let (Some(of), Some(union)) = (of, names.union(&union_name(&name))) else { return };
    let doc = fields::doc(declared.description.as_ref());
    let entry = &mut model.unions[union.index()];
    (entry.doc, entry.by, entry.is_kept_as_sent) = (doc.clone(), BY.to_owned(), true);
    let taken = directive.texts("actions", reader);
    model.unread_staged.push(StagedActionSet { name, doc, of, also, union, actions: Vec::new(), taken });
}

/// Returns the set with a name, among those whose actions are not read yet.
pub(super) fn position(name: &str, model: &Model) -> Option<usize> {
    model.unread_staged.iter().position(|staged| staged.name == name)
}

/// Adds an action that only a set has.
pub(super) fn add(position: usize, action: Action, model: &mut Model) {
    model.unread_staged[position].actions.push(action);
}

/// Returns the kind of the documents that the actions of a set change.
pub(super) fn kind_of(position: usize, model: &Model) -> crate::id::KindId {
    model.unread_staged[position].of
}

/// Completes the sets, when all actions are read.
pub(super) fn derive(model: &mut Model, reader: &mut ModelReader) {
    for mut staged in std::mem::take(&mut model.unread_staged) {
        let mut actions = Vec::new();
        for action in &model.kind(staged.of).actions {
            let is_own = staged.action(&action.name).is_some() || staged.taken.contains(&action.name);
            if !is_own {
                actions.push(action.clone());
            }
        }
        for name in &staged.taken {
            let also = staged.also.map(|also| model.kind(also));
            match also.and_then(|also| also.action(name)) {
                Some(action) => actions.push(action.clone()),
                None => reader.problem(None, format!("@staged(actions: …): there is no action '{name}'")),
            }
        }
        actions.append(&mut staged.actions);
        actions.sort_by(|one, other| one.name.cmp(&other.name));
        for action in &mut actions {
            action.arguments = kept_arguments(&staged.name, action, model);
        }
        let members = actions.iter().map(|action| (action.name.clone(), action.arguments)).collect();
        model.unions[staged.union.index()].members = members;
        staged.actions = actions;
        model.staged.push(staged);
    }
}

/// Returns the arguments of an action as a separate object, which includes the action's name in its stored form.
fn kept_arguments(set: &str, action: &Action, model: &mut Model) -> ObjectId {
    let mut object = model.object(action.arguments).clone();
    object.name = object_name(set, &action.name);
    object.tag = Some(action.name.clone());
    model.add_object(object)
}
