//! Derives the types of staged update actions: an input with a field for each action, and outputs that show the sent
//! values.

use super::Deriving;
use super::field::{nullable, plain};
use crate::derived::{Body, Concrete, Conversion, Input, InputField, Meaning, Output, OutputField, Source};
use crate::exceptions::{
    HIDDEN, HIDDEN_ACTIONS, INPUT_NAMES, INT_FIELDS, KEPT_DRAFTS, KEPT_TYPES, OUTPUT_NAMES, RENAMED, RETYPED,
};
use crate::names::{action_input, innermost};
use apollo_compiler::collections::IndexMap;
use kontor_model::{ObjectId, Shape, Staged, UnionId};

/// The types of custom fields in the form of an update action, and of a reference by id or key.
const CUSTOM: &str = "CustomFieldsCommand";
const IDENTIFIER: &str = "ResourceIdentifier";

impl<'m> Deriving<'m> {
    fn staged_of(&self, union: UnionId) -> Option<&'m Staged> {
        self.model.staged().iter().find(|staged| staged.union == union)
    }

    /// Adds the input of a set of actions, of which exactly one is given. Each action is sent as on the kind that it
    /// comes from.
    pub(super) fn staged_input(&mut self, union: UnionId) -> String {
        let name = self.model.union(union).name.clone();
        let Some(set) = self.staged_of(union) else { return name };
        if self.has(&name, "One update action: exactly one field is given.") {
            return name;
        }
        let mut fields = IndexMap::default();
        for action in &set.actions {
            let input = action_input(&set.name, &action.name);
            let origin = self.model.kind(set.origin(&action.name));
            if HIDDEN_ACTIONS.contains(&(origin.name.as_str(), action.name.as_str())) {
                continue;
            }
            let like = self.action_name_of(set.origin(&action.name), &action.name);
            self.input_object_like(action.arguments, (&input, &like), None);
            let field = InputField {
                doc: action.doc.clone(),
                ty: input.clone(),
                to: vec![action.name.clone()],
                conversion: Conversion::Object(input),
            };
            fields.insert(action.name.clone(), field);
        }
        let meaning = Meaning::Member(self.model.union(union).by.clone());
        self.set(&name, Body::Input(Input { meaning, fields }));
        name
    }

    /// Adds the output interface of a set of actions.
    pub(super) fn staged_output(&mut self, union: UnionId) -> String {
        let union_ = self.model.union(union);
        let name = format!("{}Output", union_.name);
        let Some(set) = self.staged_of(union) else { return name };
        if self.has(&name, &union_.doc) {
            return name;
        }
        let told = || plain("String!".to_owned(), Source::Stored(union_.by.clone(), None));
        let mut types = IndexMap::default();
        for action in &set.actions {
            let ty = format!("{}Output", action_input(&set.name, &action.name));
            self.has(&ty, &action.doc);
            let mut fields = IndexMap::from_iter([("type".to_owned(), told())]);
            match KEPT_DRAFTS.of(&action.name) {
                Some(draft) => {
                    self.kept_object(action.arguments, draft);
                    fields.insert("draft".to_owned(), plain(format!("{draft}!"), Source::Itself));
                }
                None => self.kept_fields(action.arguments, &ty, &mut fields),
            }
            let output = Output { fields, implements: vec![name.clone()], ..Output::default() };
            self.set(&ty, Body::Output(output));
            types.insert(action.name.clone(), ty);
        }
        let fields = IndexMap::from_iter([("type".to_owned(), told())]);
        let interface = Some(Concrete::Tag { by: union_.by.clone(), types });
        self.set(&name, Body::Output(Output { interface, fields, ..Output::default() }));
        name
    }

    /// Adds the type of an object in its sent form.
    fn kept_object(&mut self, object: ObjectId, name: &str) {
        if self.has(name, &self.model.object(object).doc) {
            return;
        }
        let mut fields = IndexMap::default();
        self.kept_fields(object, name, &mut fields);
        self.set(name, Body::Output(Output { fields, ..Output::default() }));
    }

    fn kept_fields(&mut self, object: ObjectId, owner: &str, fields: &mut IndexMap<String, OutputField>) {
        let of = &self.model.object(object).fields;
        let holds_custom = of.iter().any(|field| field.shape == Shape::FieldContainer);
        for field in of.iter().filter(|field| !HIDDEN.contains(&(owner, field.name.as_str()))) {
            match &field.shape {
                Shape::FieldContainer => {
                    self.extra_output(CUSTOM);
                    fields.insert("custom".to_owned(), plain(format!("{CUSTOM}!"), Source::Itself));
                }
                Shape::Identifier(_) if holds_custom && field.name == "type" => {}
                Shape::Localized => {
                    self.output_field(None, "", field, fields);
                }
                Shape::Identifier(_) => {
                    let named = format!("{}ResId", field.name);
                    let name = renamed(owner, &named).map_or_else(|| named.clone(), str::to_owned);
                    let ty = retyped(owner, &named).unwrap_or_else(|| nullable(IDENTIFIER, field.required));
                    self.extra_output(innermost(&ty));
                    fields.insert(name, plain(ty, Source::Stored(field.name.clone(), None)));
                }
                shape => {
                    let kept = self.kept_type(shape);
                    let is_required = field.required || field.default.is_some();
                    let ty =
                        if INT_FIELDS.contains(&field.name) { kept.replace("Long", "Int") } else { kept };
                    let ty = retyped(owner, &field.name).unwrap_or_else(|| nullable(&ty, is_required));
                    let absent = field.default.clone().filter(|_| ty.ends_with('!'));
                    fields.insert(field.name.clone(), plain(ty, Source::Kept(field.name.clone(), absent)));
                }
            }
        }
        self.extra_fields(owner, fields);
        if fields.is_empty() {
            fields.insert("type".to_owned(), plain("String".to_owned(), Source::Constant("".into())));
        }
    }

    /// Returns the output type of a shape in its sent form, nullable.
    fn kept_type(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::List(inner) => format!("[{}!]", self.kept_type(inner)),
            Shape::CustomFieldsDraft => {
                self.extra_output(CUSTOM);
                CUSTOM.to_owned()
            }
            Shape::Object(id) => {
                let entry = self.model.object(*id);
                if let Some(becomes) = KEPT_TYPES.of(&entry.name) {
                    return self.becomes(becomes);
                }
                if !entry.is_input {
                    return self.output_shape(shape);
                }
                let name = INPUT_NAMES.of(&entry.name).unwrap_or(&entry.name);
                let name =
                    OUTPUT_NAMES.of(&entry.name).map_or_else(|| format!("{name}Output"), str::to_owned);
                self.kept_object(*id, &name);
                name
            }
            Shape::Union(id) => {
                let union = self.model.union(*id);
                if let Some(becomes) = KEPT_TYPES.of(&union.name) {
                    return self.becomes(becomes);
                }
                let is_sent = |(_, member): &(String, ObjectId)| self.model.object(*member).is_input;
                if union.members.iter().any(is_sent) {
                    self.kept_union(*id)
                } else {
                    self.output_shape(shape)
                }
            }
            shape => self.output_shape(shape),
        }
    }

    /// Adds the type that an object or union of the model has in responses, and returns its name.
    fn becomes(&mut self, name: &str) -> String {
        let union = self.model.unions().find(|(_, union)| union.name == name).map(|(id, _)| Shape::Union(id));
        match union.or_else(|| self.model.object_by_name(name).map(Shape::Object)) {
            Some(shape) => self.output_shape(&shape),
            None => "Json".to_owned(),
        }
    }

    /// Adds the type of a union in its sent form: an interface of its members.
    fn kept_union(&mut self, id: UnionId) -> String {
        let union = self.model.union(id);
        let kept_name = |model: &str| format!("{}Output", INPUT_NAMES.of(model).unwrap_or(model));
        let name = kept_name(&union.name);
        if self.has(&name, &union.doc) {
            return name;
        }
        let mut types = IndexMap::default();
        for (tag, member) in &union.members {
            let member_name = kept_name(&self.model.object(*member).name);
            self.kept_object(*member, &member_name);
            self.pending_interfaces.push((member_name.clone(), name.clone()));
            types.insert(tag.clone(), member_name);
        }
        let told = plain("String!".to_owned(), Source::Stored(union.by.clone(), None));
        let fields = IndexMap::from_iter([(union.by.clone(), told)]);
        let interface = Some(Concrete::Tag { by: union.by.clone(), types });
        self.set(&name, Body::Output(Output { interface, fields, ..Output::default() }));
        name
    }
}

/// Returns the exceptional name of a field of a sent object.
fn renamed(owner: &str, field: &str) -> Option<&'static str> {
    RENAMED.find(|(of, from, _)| *of == owner && *from == field).map(|(_, _, to)| *to)
}

/// Returns the type that a table gives to a field of a sent object.
fn retyped(owner: &str, field: &str) -> Option<String> {
    RETYPED.find(|(of, name, ..)| *of == owner && *name == field).map(|(_, _, ty, _)| (*ty).to_owned())
}
