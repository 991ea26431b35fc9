//! Derives the types of staged update actions: an input with a field for each action, and outputs that show the sent
//! values. Start at [`SchemaDerivation::staged_input`].

use super::SchemaDerivation;
use super::field::{field_of, sdl_type};
use crate::exceptions::{
    HIDDEN, HIDDEN_ACTIONS, INPUT_NAMES, INT_FIELDS, KEPT_DRAFTS, KEPT_TYPES, OUTPUT_NAMES, RENAMED, RETYPED,
};
use crate::names::{action_input, named_type};
use crate::schema_types::{
    Conversion, FieldValueSource, InputField, InputForm, InputType, OutputField, OutputType, TypeBody,
    TypeResolution,
};
use apollo_compiler::collections::IndexMap;
use kontor_model::{ObjectId, Shape, StagedActionSet, UnionId};

/// The types of custom fields in the form of an update action, and of a reference by id or key.
const CUSTOM: &str = "CustomFieldsCommand";
const IDENTIFIER: &str = "ResourceIdentifier";

impl<'m> SchemaDerivation<'m> {
    fn staged_of(&self, union: UnionId) -> Option<&'m StagedActionSet> {
        self.model.staged().iter().find(|staged| staged.union == union)
    }

    /// Adds the input of a set of actions, of which exactly one is given. Each action is sent as on the kind that it
    /// comes from.
    pub(super) fn staged_input(&mut self, union: UnionId) -> String {
        let name = self.model.union(union).name.clone();
        let Some(set) = self.staged_of(union) else { return name };
        if self.reserve(&name, "One update action: exactly one field must be given.") {
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
        let meaning = InputForm::Member(self.model.union(union).by.clone());
        self.set(&name, TypeBody::Input(InputType { meaning, fields }));
        name
    }

    /// Adds the output interface of a set of actions.
    pub(super) fn staged_output(&mut self, union: UnionId) -> String {
        let union_ = self.model.union(union);
        let name = format!("{}Output", union_.name);
        let Some(set) = self.staged_of(union) else { return name };
        if self.reserve(&name, &union_.doc) {
            return name;
        }
        let tag = || field_of("String!".to_owned(), FieldValueSource::Stored(union_.by.clone(), None));
        let mut types = IndexMap::default();
        for action in &set.actions {
            let ty = format!("{}Output", action_input(&set.name, &action.name));
            self.reserve(&ty, &action.doc);
            let mut fields = IndexMap::from_iter([("type".to_owned(), tag())]);
            match KEPT_DRAFTS.get(&action.name) {
                Some(draft) => {
                    self.sent_object(action.arguments, draft);
                    fields
                        .insert("draft".to_owned(), field_of(format!("{draft}!"), FieldValueSource::Itself));
                }
                None => self.sent_fields(action.arguments, &ty, &mut fields),
            }
            let output = OutputType { fields, implements: vec![name.clone()], ..OutputType::default() };
            self.set(&ty, TypeBody::Output(output));
            types.insert(action.name.clone(), ty);
        }
        let fields = IndexMap::from_iter([("type".to_owned(), tag())]);
        let interface = Some(TypeResolution::Tag { by: union_.by.clone(), types });
        self.set(&name, TypeBody::Output(OutputType { interface, fields, ..OutputType::default() }));
        name
    }

    /// Adds the type of an object in its sent form.
    fn sent_object(&mut self, object: ObjectId, name: &str) {
        if self.reserve(name, &self.model.object(object).doc) {
            return;
        }
        let mut fields = IndexMap::default();
        self.sent_fields(object, name, &mut fields);
        self.set(name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
    }

    fn sent_fields(&mut self, object: ObjectId, owner: &str, fields: &mut IndexMap<String, OutputField>) {
        let of = &self.model.object(object).fields;
        let holds_custom = of.iter().any(|field| field.shape == Shape::FieldContainer);
        for field in of.iter().filter(|field| !HIDDEN.contains(&(owner, field.name.as_str()))) {
            match &field.shape {
                Shape::FieldContainer => {
                    self.extra_output(CUSTOM);
                    fields.insert(
                        "custom".to_owned(),
                        field_of(format!("{CUSTOM}!"), FieldValueSource::Itself),
                    );
                }
                Shape::Identifier(_) if holds_custom && field.name == "type" => {}
                Shape::Localized => {
                    self.output_field(None, "", field, fields);
                }
                Shape::Identifier(_) => {
                    let named = format!("{}ResId", field.name);
                    let name = renamed(owner, &named).map_or_else(|| named.clone(), str::to_owned);
                    let ty = retyped(owner, &named).unwrap_or_else(|| sdl_type(IDENTIFIER, field.required));
                    self.extra_output(named_type(&ty));
                    fields.insert(name, field_of(ty, FieldValueSource::Stored(field.name.clone(), None)));
                }
                shape => {
                    let kept = self.sent_type(shape);
                    let is_required = field.required || field.default.is_some();
                    let ty =
                        if INT_FIELDS.contains(&field.name) { kept.replace("Long", "Int") } else { kept };
                    let ty = retyped(owner, &field.name).unwrap_or_else(|| sdl_type(&ty, is_required));
                    let absent = field.default.clone().filter(|_| ty.ends_with('!'));
                    fields.insert(
                        field.name.clone(),
                        field_of(ty, FieldValueSource::SentForm(field.name.clone(), absent)),
                    );
                }
            }
        }
        self.extra_fields(owner, fields);
        if fields.is_empty() {
            fields.insert(
                "type".to_owned(),
                field_of("String".to_owned(), FieldValueSource::Constant("".into())),
            );
        }
    }

    /// Returns the output type of a shape in its sent form, nullable.
    fn sent_type(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::List(inner) => format!("[{}!]", self.sent_type(inner)),
            Shape::CustomFieldsDraft => {
                self.extra_output(CUSTOM);
                CUSTOM.to_owned()
            }
            Shape::Object(id) => {
                let entry = self.model.object(*id);
                if let Some(becomes) = KEPT_TYPES.get(&entry.name) {
                    return self.response_type(becomes);
                }
                if !entry.is_input {
                    return self.output_shape(shape);
                }
                let name = INPUT_NAMES.get(&entry.name).unwrap_or(&entry.name);
                let name =
                    OUTPUT_NAMES.get(&entry.name).map_or_else(|| format!("{name}Output"), str::to_owned);
                self.sent_object(*id, &name);
                name
            }
            Shape::Union(id) => {
                let union = self.model.union(*id);
                if let Some(becomes) = KEPT_TYPES.get(&union.name) {
                    return self.response_type(becomes);
                }
                let is_sent = |(_, member): &(String, ObjectId)| self.model.object(*member).is_input;
                if union.members.iter().any(is_sent) {
                    self.sent_union(*id)
                } else {
                    self.output_shape(shape)
                }
            }
            shape => self.output_shape(shape),
        }
    }

    /// Adds the type that an object or union of the model has in responses, and returns its name.
    fn response_type(&mut self, name: &str) -> String {
        let union = self.model.unions().find(|(_, union)| union.name == name).map(|(id, _)| Shape::Union(id));
        match union.or_else(|| self.model.object_by_name(name).map(Shape::Object)) {
            Some(shape) => self.output_shape(&shape),
            None => "Json".to_owned(),
        }
    }

    /// Adds the type of a union in its sent form: an interface of its members.
    fn sent_union(&mut self, id: UnionId) -> String {
        let union = self.model.union(id);
        let kept_name = |model: &str| format!("{}Output", INPUT_NAMES.get(model).unwrap_or(model));
        let name = kept_name(&union.name);
        if self.reserve(&name, &union.doc) {
            return name;
        }
        let mut types = IndexMap::default();
        for (tag, member) in &union.members {
            let member_name = kept_name(&self.model.object(*member).name);
            self.sent_object(*member, &member_name);
            self.pending_interfaces.push((member_name.clone(), name.clone()));
            types.insert(tag.clone(), member_name);
        }
        let tag = field_of("String!".to_owned(), FieldValueSource::Stored(union.by.clone(), None));
        let fields = IndexMap::from_iter([(union.by.clone(), tag)]);
        let interface = Some(TypeResolution::Tag { by: union.by.clone(), types });
        self.set(&name, TypeBody::Output(OutputType { interface, fields, ..OutputType::default() }));
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
