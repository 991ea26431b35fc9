//! The ids of the kinds that rules name, e.g. [`CART`]: constants instead of a look-up by `typeId` in each rule.
//!
//! An id is the position of the kind in the model. `cargo xtask codegen` writes a constant for each `kinds::NAME` in this
//! crate; the server refuses to start with a model that has other positions ([`differences`]).

mod generated;

pub(crate) use generated::*;

use kontor_model::Model;

/// Returns a problem for each constant that is not the id of its kind in a model.
pub(crate) fn differences(model: &Model) -> Vec<String> {
    let differs = |(name, id): &&(&str, _)| model.kind_by_name(name) != Some(*id);
    let problem = |(name, _): &(&str, _)| format!("kinds.rs has another id of {name} than the model");
    ALL.iter().filter(differs).map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_with_other_positions_is_refused() {
        assert_eq!(differences(&Model::embedded().unwrap()), Vec::<String>::new());
        assert_eq!(differences(&Model::default()).len(), ALL.len());
    }
}
