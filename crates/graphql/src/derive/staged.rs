//! Update actions that documents keep to be done later: an input with a field for each, and what is answered of them, which
//! shows what was sent.

use super::Deriving;
use super::field::{nullable, plain};
use crate::derived::{Body, Concrete, Conversion, Input, InputField, Meaning, Output, OutputField, Source};
use crate::exceptions::{HIDDEN_ACTIONS, INPUT_NAMES, INT_FIELDS, KEPT_DRAFTS, OUTPUT_NAMES};
use crate::names::action_input;
use apollo_compiler::collections::IndexMap;
use kontor_model::{Field, ObjectId, Shape, Staged, UnionId};

/// What stands for custom fields as they were sent, and for a reference by id or key.
const CUSTOM: &str = "CustomFieldsCommand";
const IDENTIFIER: &str = "ResourceIdentifier";

impl<'m> Deriving<'m> {
    fn staged_of(&self, union: UnionId) -> Option<&'m Staged> {
        self.model.staged().iter().find(|staged| staged.union == union)
    }

    /// The input of a set: exactly one field is given. Each action is sent as on the kind that it comes from.
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
                deprecated: action.deprecated,
            };
            fields.insert(action.name.clone(), field);
        }
        let meaning = Meaning::Member(self.model.union(union).by.clone());
        self.set(&name, Body::Input(Input { meaning, fields }));
        name
    }

    /// The interface of what is answered of a set.
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
                None => self.kept_fields(action.arguments, &mut fields),
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

    /// An object as it was sent.
    fn kept_object(&mut self, object: ObjectId, name: &str) {
        if self.has(name, &self.model.object(object).doc) {
            return;
        }
        let mut fields = IndexMap::default();
        self.kept_fields(object, &mut fields);
        self.set(name, Body::Output(Output { fields, ..Output::default() }));
    }

    fn kept_fields(&mut self, object: ObjectId, fields: &mut IndexMap<String, OutputField>) {
        let of = &self.model.object(object).fields;
        let holds_custom = of.iter().any(|field| field.shape == Shape::FieldContainer);
        for field in of {
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
                    self.extra_output(IDENTIFIER);
                    let ty = nullable(IDENTIFIER, field.required);
                    let source = Source::Stored(field.name.clone(), None);
                    fields.insert(format!("{}ResId", field.name), plain(ty, source));
                }
                shape => {
                    let ty = self.kept_type(shape, field);
                    let source = Source::Stored(field.name.clone(), None);
                    fields.insert(field.name.clone(), plain(ty, source));
                }
            }
        }
        if fields.is_empty() {
            fields.insert("type".to_owned(), plain("String".to_owned(), Source::Constant("".into())));
        }
    }

    fn kept_type(&mut self, shape: &Shape, field: &Field) -> String {
        let is_required = field.required || (field.default.is_some() && shape.is_list());
        let ty = self.kept_shape(shape);
        let ty = if INT_FIELDS.contains(&field.name) { ty.replace("Long", "Int") } else { ty };
        nullable(&ty, is_required)
    }

    fn kept_shape(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::List(inner) => format!("[{}!]", self.kept_shape(inner)),
            Shape::CustomFieldsDraft => {
                self.extra_output(CUSTOM);
                CUSTOM.to_owned()
            }
            // What tells sorts of amounts apart need not be sent.
            Shape::Object(id) if self.model.object(*id).field("centAmount").is_some() => "Json".to_owned(),
            Shape::Object(id) if self.model.object(*id).is_input => {
                let model = &self.model.object(*id).name;
                let name = INPUT_NAMES.of(model).unwrap_or(model);
                let name = OUTPUT_NAMES.of(model).map_or_else(|| format!("{name}Output"), str::to_owned);
                self.kept_object(*id, &name);
                name
            }
            Shape::Union(id)
                if self
                    .model
                    .union(*id)
                    .members
                    .iter()
                    .any(|(_, member)| self.model.object(*member).is_input) =>
            {
                "Json".to_owned()
            }
            shape => self.output_shape(shape),
        }
    }
}
