//! Checks that the model has everything that a derivation names.

use super::{ChangeFilter, Dependents, Derivation};
use kontor_model::{Field, Kind, Model, Shape};

/// Returns a sentence for each name that the model lacks.
pub(super) fn problems(model: &Model, holder: &Kind, derivation: &Derivation) -> Vec<String> {
    let mut check = DerivationCheck { model, problems: Vec::new() };
    let Some(source) = check.kind("source", derivation.source) else { return check.problems };
    match derivation.dependents {
        Dependents::ReferringAt { path, when } => {
            check.check_index(holder, path);
            check.check_filter(source, when);
        }
        Dependents::ReferredAt { path, when } => {
            check.check_path(source, path);
            check.check_fields(source, when);
        }
        Dependents::Sharing { value, paths, when } => {
            check.check_path(source, value);
            paths.iter().for_each(|path| check.check_index(holder, path));
            check.check_fields(source, when);
        }
        Dependents::Holding { path, when, .. } => {
            check.check_index(holder, path);
            check.check_filter(source, when);
        }
        Dependents::Through { hops, path, when, .. } => {
            if hops.is_empty() {
                check.problems.push("it goes through no hop".to_owned());
            }
            for hop in hops {
                if let Some(kind) = check.kind("hop", hop.kind) {
                    check.check_index(kind, hop.at);
                }
            }
            check.check_index(holder, path);
            check.check_filter(source, when);
        }
        Dependents::WithCustomFields { when } => {
            if holder.custom_fields.is_empty() {
                check.problems.push(format!("{} has no custom fields", holder.name));
            }
            check.check_fields(source, when);
        }
        Dependents::All { when, at, epoch } => {
            check.check_fields(source, when);
            at.iter().for_each(|field| check.time(source, field));
            epoch.iter().for_each(|epoch| check.epoch(epoch));
        }
    }
    check.problems
}

struct DerivationCheck<'m> {
    model: &'m Model,
    problems: Vec<String>,
}

impl<'m> DerivationCheck<'m> {
    fn kind(&mut self, role: &str, name: &str) -> Option<&'m Kind> {
        let kind = self.model.kind_by_name(name).map(|id| self.model.kind(id));
        if kind.is_none() {
            self.problems.push(format!("the {role} {name} is no kind of the model"));
        }
        kind
    }

    fn check_index(&mut self, kind: &Kind, path: &str) {
        if !kind.indexed.iter().any(|steps| steps.iter().map(String::as_str).eq(path.split('.'))) {
            self.problems.push(format!("{} has no index at {path}", kind.name));
        }
    }

    fn check_filter(&mut self, kind: &Kind, when: ChangeFilter) {
        if let ChangeFilter::Fields(fields) = when {
            self.check_fields(kind, fields);
        }
    }

    fn check_fields(&mut self, kind: &Kind, names: &[&str]) {
        names.iter().for_each(|name| self.check_path(kind, &[name]));
    }

    fn check_path(&mut self, kind: &Kind, path: &[&str]) {
        if !self.path_exists(kind, path) {
            self.problems.push(format!("{} has no field {}", kind.name, path.join(".")));
        }
    }

    fn time(&mut self, kind: &Kind, name: &str) {
        if self.field(kind, name).is_none_or(|field| field.shape != Shape::DateTime) {
            self.problems.push(format!("{} has no time {name}", kind.name));
        }
    }

    fn epoch(&mut self, type_id: &str) {
        if self.model.kind_by_type_id(type_id).is_some() {
            self.problems.push(format!("the epoch {type_id} is a kind of the model, which the API shows"));
        }
    }

    fn field(&self, kind: &Kind, name: &str) -> Option<&'m Field> {
        self.model.object(kind.object).field(name)
    }

    fn path_exists(&self, kind: &Kind, path: &[&str]) -> bool {
        // Each stored document has an id, though not every kind shows it.
        if path == ["id"] {
            return true;
        }
        let Some((first, rest)) = path.split_first() else { return false };
        let mut shape = self.field(kind, first).map(|field| &field.shape);
        for step in rest {
            shape = match (shape, *step) {
                (Some(Shape::Object(object)), step) => {
                    self.model.object(*object).field(step).map(|field| &field.shape)
                }
                (Some(Shape::Reference(_)), "id") | (Some(Shape::KeyReference(_)), "key") => {
                    Some(&Shape::String)
                }
                _ => None,
            };
        }
        shape.is_some()
    }
}
