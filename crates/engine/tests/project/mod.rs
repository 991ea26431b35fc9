//! The kinds that every model of these tests has: a Project that can be renamed, and Messages.

use kontor_model::{Model, ModelFile};

/// Returns the model with these additional kinds.
pub(crate) fn model_with(kinds: &str) -> Model {
    let text = format!("{}{kinds}", include_str!("project.graphql"));
    Model::read(&[ModelFile { name: "model".into(), text: &text }]).unwrap()
}
