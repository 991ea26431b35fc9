//! Derivations joined with the model: each has a unique name, and all names in it exist.

use super::follow_type::FOLLOW_TYPE;
use super::{Derivation, check};
use kontor_json::Value;
use kontor_model::{KindId, Model};
use std::collections::HashMap;

/// All derivations, with lookups by name and by source kind.
#[derive(Default)]
pub(crate) struct Derivations {
    all: Vec<JoinedDerivation>,
    by_source: HashMap<KindId, Vec<usize>>,
    by_name: HashMap<String, usize>,
    numbered: &'static [&'static str],
}

/// A derivation, with the kind whose behaviour has it.
pub(crate) struct JoinedDerivation {
    /// The names of kind and derivation, e.g. `Category.ancestors`. It is unique.
    pub(crate) name: String,
    /// The kind that holds the derived fields.
    pub(crate) holder: KindId,
    pub(crate) derivation: &'static Derivation,
}

impl Derivations {
    /// Adds a derivation, and a problem for each name in it that the model does not know.
    pub(crate) fn add(
        &mut self,
        model: &Model,
        holder: KindId,
        derivation: &'static Derivation,
        problems: &mut Vec<String>,
    ) {
        let kind = model.kind(holder);
        let name = format!("{}.{}", kind.name, derivation.name);
        let mut found = check::problems(model, kind, derivation);
        if self.by_name.insert(name.clone(), self.all.len()).is_some() {
            found.push("there are two of this name".to_owned());
        }
        problems.extend(found.into_iter().map(|problem| format!("derivation {name}: {problem}")));
        if let Some(source) = model.kind_by_name(derivation.source) {
            self.by_source.entry(source).or_default().push(self.all.len());
        }
        self.all.push(JoinedDerivation { name, holder, derivation });
    }

    /// Adds the derivation of the custom fields of a kind from their Types. Work items of earlier releases
    /// contain a name for each place in documents; these names are still known.
    pub(crate) fn add_custom_fields(&mut self, model: &Model, holder: KindId, problems: &mut Vec<String>) {
        let kind = model.kind(holder);
        if kind.custom_fields.is_empty() {
            return;
        }
        let index = self.all.len();
        self.add(model, holder, &FOLLOW_TYPE, problems);
        for path in &kind.custom_fields {
            self.by_name.insert(format!("{}.{}", kind.name, path.join(".")), index);
        }
    }

    /// Sets the names of the positions that work items of earlier releases contain.
    pub(crate) fn set_numbered_names(&mut self, names: &'static [&'static str]) {
        self.numbered = names;
    }

    /// Returns the derivations that may have work when a document of `source` was written.
    pub(crate) fn from(&self, source: KindId) -> impl Iterator<Item = &JoinedDerivation> {
        self.by_source.get(&source).into_iter().flatten().filter_map(|index| self.all.get(*index))
    }

    /// Returns the derivation of a work item: by its name or, for an item of an earlier release, by its
    /// position.
    pub(crate) fn find(&self, said: &Value) -> Option<&JoinedDerivation> {
        let name = match said {
            Value::String(name) => name.as_str(),
            said => self.numbered.get(usize::try_from(said.as_u64()?).ok()?)?,
        };
        self.all.get(*self.by_name.get(name)?)
    }
}
