//! Questions about the model that imports and exports share: which resource types can be created, and by which actions.

use kontor_model::{Action, Addressing, Kind, Model, Operation, Verb};

/// Resource types without a draft, with the update actions of their parent that create them. The arguments of these
/// actions have the names of the document's fields.
const MADE_BY: [(&str, &[&str]); 1] = [("product-selection-assignment", &["addProduct", "excludeProduct"])];
/// The field with the number of a document that is numbered within another, e.g. of a variant within a product.
pub(crate) const NUMBER: &str = "variantId";
/// The field with the document that such numbers belong to.
pub(crate) const NUMBER_PARENT: &str = "product";
/// The setting of the searches, which update actions switch on and off one by one.
pub(crate) const SEARCH_INDEXING: &str = "searchIndexing";

/// Returns the model that this binary serves.
pub(crate) fn embedded_model() -> anyhow::Result<Model> {
    Model::embedded().map_err(|problems| anyhow::anyhow!("the model has mistakes:\n{problems}"))
}

/// Returns the update actions that create documents of a resource type; empty for most.
pub(crate) fn creating_actions(kind: &Kind) -> &'static [&'static str] {
    MADE_BY.iter().find(|(of, _)| *of == kind.type_id).map_or(&[], |(_, actions)| actions)
}

/// True if documents of a resource type are numbered within others.
pub(crate) fn are_numbered(model: &Model, kind: &Kind) -> bool {
    let object = model.object(kind.object);
    let is_sent = |name: &str| kind.draft.is_some_and(|draft| model.object(draft).field(name).is_some());
    object.field(NUMBER).is_some() && is_sent(NUMBER_PARENT) && !is_sent(NUMBER)
}

/// True for the settings of a project: a single document that is updated and never created.
pub(crate) fn is_settings(kind: &Kind) -> bool {
    kind.addressing == Addressing::Singleton && kind.allows(Operation::Update)
}

/// Returns the action that sets a whole field, and the name of its only argument.
pub(crate) fn action_for<'a>(model: &'a Model, kind: &'a Kind, field: &str) -> Option<(&'a Action, &'a str)> {
    kind.actions.iter().find_map(|action| {
        let [argument] = model.object(action.arguments).fields.as_slice() else { return None };
        (action.element.is_none() && argument.stored_path() == [field])
            .then_some((action, argument.name.as_str()))
    })
}

/// True if an update action sets the field, or a part of it.
pub(crate) fn can_be_set(model: &Model, kind: &Kind, field: &str) -> bool {
    field == SEARCH_INDEXING
        || action_for(model, kind, field).is_some()
        || kind.actions.iter().any(|action| {
            part_set_by(model, action)
                .is_some_and(|(path, _)| path.first().is_some_and(|first| *first == field))
        })
}

/// For an action with one argument that sets a part of an object: returns the path it sets, and the argument's name.
pub(crate) fn part_set_by<'a>(model: &'a Model, action: &'a Action) -> Option<(Vec<&'a str>, &'a str)> {
    let [argument] = model.object(action.arguments).fields.as_slice() else { return None };
    let Some(Verb::Set { within }) = &action.verb else { return None };
    let path: Vec<&str> = within.iter().map(String::as_str).chain(argument.stored_path()).collect();
    (action.element.is_none() && path.len() == 2).then_some((path, argument.name.as_str()))
}
