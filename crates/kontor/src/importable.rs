//! What can be imported, and how: what imports and exports both go by.

use kontor_model::{Action, Addressing, Kind, Model, Operation, Verb};

/// Update actions of the kind below which documents of a kind are listed first, by its `typeId`: they alone make these, and
/// their arguments have the names of its fields.
const MADE_BY: [(&str, &[&str]); 1] = [("product-selection-assignment", &["addProduct", "excludeProduct"])];
/// Of documents that are numbered within others, such as Variants of a Product: the field that has the number.
pub(crate) const NUMBER: &str = "variantId";
/// The field that says within which document one is counted.
pub(crate) const WITHIN: &str = "product";
/// The setting with the searches, which actions switch on and off one by one.
pub(crate) const SEARCH_INDEXING: &str = "searchIndexing";

/// The model that this binary serves.
pub(crate) fn embedded_model() -> anyhow::Result<Model> {
    Model::embedded().map_err(|problems| anyhow::anyhow!("the model has mistakes:\n{problems}"))
}

/// The update actions that make documents of a kind; of most kinds there are none.
pub(crate) fn making_actions(kind: &Kind) -> &'static [&'static str] {
    MADE_BY.iter().find(|(of, _)| *of == kind.type_id).map_or(&[], |(_, actions)| actions)
}

/// True where documents of a kind are numbered within others.
pub(crate) fn are_numbered(model: &Model, kind: &Kind) -> bool {
    let object = model.object(kind.object);
    let is_sent = |name: &str| kind.draft.is_some_and(|draft| model.object(draft).field(name).is_some());
    object.field(NUMBER).is_some() && is_sent(WITHIN) && !is_sent(NUMBER)
}

/// True for the kind of which a project has one, which is changed and never created.
pub(crate) fn is_settings(kind: &Kind) -> bool {
    kind.addressing == Addressing::Singleton && kind.allows(Operation::Update)
}

/// The action that sets a field as a whole, and the name of its one argument.
pub(crate) fn action_for<'a>(model: &'a Model, kind: &'a Kind, field: &str) -> Option<(&'a Action, &'a str)> {
    kind.actions.iter().find_map(|action| {
        let [argument] = model.object(action.arguments).fields.as_slice() else { return None };
        (action.element.is_none() && argument.stored_path() == [field])
            .then_some((action, argument.name.as_str()))
    })
}

/// True for a field that an update action sets, as a whole or a part of it.
pub(crate) fn can_be_set(model: &Model, kind: &Kind, field: &str) -> bool {
    field == SEARCH_INDEXING
        || action_for(model, kind, field).is_some()
        || kind.actions.iter().any(|action| {
            part_of(model, action).is_some_and(|(path, _)| path.first().is_some_and(|first| *first == field))
        })
}

/// Where an action with one argument puts it, inside an object, and the name of the argument.
pub(crate) fn part_of<'a>(model: &'a Model, action: &'a Action) -> Option<(Vec<&'a str>, &'a str)> {
    let [argument] = model.object(action.arguments).fields.as_slice() else { return None };
    let Some(Verb::Set { within }) = &action.verb else { return None };
    let path: Vec<&str> = within.iter().map(String::as_str).chain(argument.stored_path()).collect();
    (action.element.is_none() && path.len() == 2).then_some((path, argument.name.as_str()))
}
