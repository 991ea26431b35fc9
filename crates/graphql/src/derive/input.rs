//! Derives input types from the model: drafts, update actions, and the objects in them. Start at
//! [`SchemaDerivation::add_draft`].

use super::{GraphQlNames, SchemaDerivation};
use crate::exceptions::{
    ACTION_ALIASES, ACTION_NAMES, ACTION_SPLITS, ACTION_SYNONYMS, BARE_ACTIONS, BARE_MEMBERS,
    DEFAULT_MEMBER_INPUTS, EXTRA_INPUTS, ExtraInput, FLAT_UNIONS, ForwardedPart, HIDDEN_ACTIONS,
    HIDDEN_INPUTS, HIDDEN_MEMBERS, IGNORED_INPUTS, INPUT_ALIASES, INPUT_NAMES, INT_FIELDS, MAP_INPUTS,
    MEMBER_INPUTS, MapInput, OWN_ACTIONS, RENAMED, RETYPED_INPUTS, SHOWN_DEFAULTS,
};
use crate::names::{action_input, named_type};
use crate::schema_types::{Conversion, InputField, InputForm, InputType, TypeBody};
use apollo_compiler::collections::IndexMap;
use kontor_model::{Action, Field, KindId, ObjectId, Shape, UnionId};

/// The name of the only field of inputs that would be empty: GraphQL forbids input objects without fields.
const NOTHING: &str = "dummy";

impl SchemaDerivation<'_> {
    /// Adds the draft of a kind and returns its name; `None` if documents of the kind cannot be created.
    pub(super) fn add_draft(&mut self, kind: KindId) -> Option<String> {
        let object = self.model.kind(kind).draft?;
        let name = self.names_of(kind).draft;
        self.input_object(object, &name, None);
        Some(name)
    }

    /// Adds the draft of a kind below `me`, e.g. `MyCartDraft`, and returns its name.
    pub(super) fn my_draft(&mut self, kind: KindId, words: &GraphQlNames) -> Option<String> {
        let object = self.model.kind(kind).mine.as_ref()?.draft?;
        self.input_object(object, &words.draft, None);
        Some(words.draft.clone())
    }

    /// Adds the input with a field for each update action below `me`, and returns its name. Actions with the same
    /// arguments as outside of `me` share their inputs.
    pub(super) fn my_actions(&mut self, kind: KindId) -> String {
        let entry = self.model.kind(kind);
        let Some(mine) = &entry.mine else { return self.add_actions(kind) };
        let name = format!("{}UpdateAction", mine.name);
        if self.reserve(&name, "One update action: exactly one field must be given.") {
            return name;
        }
        let words = self.names_of(kind);
        let mut fields = IndexMap::default();
        for action in &mine.actions {
            if HIDDEN_ACTIONS.contains(&(mine.name.as_str(), action.name.as_str())) {
                continue;
            }
            let is_shared =
                entry.action(&action.name).is_some_and(|shared| shared.arguments == action.arguments)
                    && !OWN_ACTIONS.contains(&mine.name);
            let input = if is_shared {
                action_name(&entry.name, &words.actions, &action.name)
            } else {
                action_name(&mine.name, &mine.name, &action.name)
            };
            self.input_object(action.arguments, &input, None);
            fields.insert(action.name.clone(), action_field(action, input));
        }
        self.set(&name, TypeBody::Input(InputType { meaning: InputForm::Action, fields }));
        name
    }

    /// Adds the input with a field for each update action of a kind, and returns its name.
    pub(super) fn add_actions(&mut self, kind: KindId) -> String {
        let entry = self.model.kind(kind);
        let words = self.names_of(kind);
        let name = format!("{}UpdateAction", words.actions);
        if self.reserve(&name, "One update action: exactly one field must be given.") {
            return name;
        }
        let mut fields = IndexMap::default();
        for action in &entry.actions {
            if HIDDEN_ACTIONS.contains(&(entry.name.as_str(), action.name.as_str())) {
                continue;
            }
            let input = action_name(&entry.name, &words.actions, &action.name);
            self.input_object(action.arguments, &input, None);
            fields.insert(action.name.clone(), action_field(action, input));
        }
        for (_, name, input, action) in ACTION_SYNONYMS.filter(|(of, ..)| *of == entry.name) {
            if let Some(action) = entry.action(action) {
                self.input_object(action.arguments, input, None);
                fields.insert((*name).to_owned(), action_field(action, (*input).to_owned()));
            }
        }
        for split in ACTION_SPLITS.filter(|split| split.kind == entry.name) {
            self.reserve(split.input, "");
            let parts = split.actions.iter().filter_map(|action| entry.action(action));
            let of_parts = parts.flat_map(|part| &self.model.object(part.arguments).fields);
            let all: Vec<&Field> = of_parts.collect();
            let inner = all.into_iter().map(|field| self.input_field(split.input, field)).collect();
            self.set(split.input, TypeBody::Input(InputType { meaning: InputForm::Object, fields: inner }));
            let mut field = unconverted(split.name, split.input);
            field.conversion = Conversion::Object(split.input.to_owned());
            fields.insert(split.name.to_owned(), field);
        }
        for alias in ACTION_ALIASES.filter(|alias| alias.kind == entry.name) {
            let input = action_input(&words.actions, alias.name);
            let (field, ty) = alias.field;
            let to = alias.to.iter().map(|step| (*step).to_owned()).collect();
            let inner = InputField { to, ..unconverted(field, ty) };
            self.reserve(&input, "");
            let fields_ = IndexMap::from_iter([(field.to_owned(), inner)]);
            self.set(&input, TypeBody::Input(InputType { meaning: InputForm::Object, fields: fields_ }));
            let mut field = unconverted(alias.action, &input);
            field.conversion = Conversion::Object(input);
            fields.insert(alias.name.to_owned(), field);
        }
        self.set(&name, TypeBody::Input(InputType { meaning: InputForm::Action, fields }));
        name
    }

    /// Returns the name of the input of an update action of a kind.
    pub(super) fn action_name_of(&self, kind: KindId, action: &str) -> String {
        action_name(&self.model.kind(kind).name, &self.names_of(kind).actions, action)
    }

    /// Adds an input for an object of the model. `without` is the discriminator of a union, which inputs do not have.
    pub(super) fn input_object(&mut self, object: ObjectId, name: &str, without: Option<&str>) {
        self.input_object_like(object, (name, name), without);
    }

    /// Like [`Self::input_object`], for an input named `own` with the exceptions of the input `name`.
    pub(super) fn input_object_like(
        &mut self,
        object: ObjectId,
        (own, name): (&str, &str),
        without: Option<&str>,
    ) {
        let entry = self.model.object(object);
        if self.reserve(own, &entry.doc) {
            return;
        }
        let has_type_and_fields = entry.fields.iter().any(|field| field.shape == Shape::FieldContainer);
        let mut fields = IndexMap::default();
        for field in &entry.fields {
            // Only REST clients may send calculated fields, because they send back documents that they have read.
            let is_hidden = field.derived || HIDDEN_INPUTS.contains(&(name, field.name.as_str()));
            if is_hidden || Some(field.name.as_str()) == without {
                continue;
            }
            if has_type_and_fields && field.name == "type" {
                // The Type of custom fields can be given in three ways.
                for (name, ty, conversion) in [
                    ("typeId", "String", Conversion::CustomTypeId),
                    ("typeKey", "String", Conversion::CustomTypeKey),
                    ("type", "ResourceIdentifierInput", Conversion::Same),
                ] {
                    fields.insert(name.to_owned(), InputField { conversion, ..unconverted("type", ty) });
                }
                continue;
            }
            let has_own = RETYPED_INPUTS.find(|(of, known, _)| *of == own && *known == field.name).is_some();
            let (name, field) = self.input_field(if has_own { own } else { name }, field);
            fields.insert(name, field);
        }
        for (_, field, ty) in IGNORED_INPUTS.filter(|(owner, ..)| *owner == name) {
            fields.insert(
                (*field).to_owned(),
                InputField { conversion: Conversion::Ignored, ..unconverted(field, ty) },
            );
        }
        for row in EXTRA_INPUTS.filter(|row| row.input == name) {
            let field = self.extra_input(row);
            fields.insert(row.field.to_owned(), field);
        }
        if fields.is_empty() {
            let nothing = InputField { conversion: Conversion::Ignored, ..unconverted(NOTHING, "String") };
            fields.insert(NOTHING.to_owned(), nothing);
        }
        self.set(own, TypeBody::Input(InputType { meaning: InputForm::Object, fields }));
    }

    /// Returns an input field that only GraphQL has.
    fn extra_input(&mut self, row: &ExtraInput) -> InputField {
        let named = named_type(row.ty);
        let known = INPUT_ALIASES.get(named).or_else(|| self.model.object_by_name(named).map(|_| named));
        if let Some(of) = known {
            self.input_alias(named, of);
        }
        let conversion = match (row.what, known) {
            (ForwardedPart::Field(field), _) => {
                Conversion::Field { of: named.to_owned(), field: field.to_owned() }
            }
            (ForwardedPart::Listed, _) => Conversion::Listed,
            (ForwardedPart::Whole, Some(_)) => Conversion::Object(named.to_owned()),
            (ForwardedPart::Whole, None) => Conversion::Same,
        };
        let to = row.to.iter().map(|step| (*step).to_owned()).collect();
        InputField { conversion, to, ..unconverted(row.field, row.ty) }
    }

    /// Returns the name and the input field for a field of the model, in the input `owner`.
    pub(super) fn input_field(&mut self, owner: &str, field: &Field) -> (String, InputField) {
        let name = RENAMED
            .find(|(of, from, _)| *of == owner && *from == field.name)
            .map_or(field.name.as_str(), |(_, _, to)| to);
        let retyped = RETYPED_INPUTS.find(|(of, from, _)| *of == owner && *from == field.name);
        let (mut ty, mut conversion) = self.input_shape(&field.shape);
        if field.required && field.default.is_none() {
            ty.push('!');
        }
        if INT_FIELDS.contains(&field.name) {
            ty = ty.replace("Long", "Int");
        }
        if let Some((_, default)) = SHOWN_DEFAULTS.find(|(of, _)| *of == field.name)
            && field.shape == Shape::Boolean
            && field.default.is_some()
        {
            ty = format!("{ty} = {default}");
        }
        if let Some((_, _, to)) = retyped {
            ty = (*to).to_owned();
            let named = named_type(to);
            if let Some(other) = INPUT_ALIASES.get(named) {
                self.input_alias(named, other);
                conversion = Conversion::Object(named.to_owned());
            } else if let Conversion::Object(input) = &mut conversion {
                named.clone_into(input);
            }
        }
        if let Some(map) =
            MAP_INPUTS.find(|map| map.field == field.name && matches!(field.shape, Shape::Map(_)))
        {
            let mark = if field.required { "!" } else { "" };
            ty = format!("[{}!]{mark}", map.input);
            self.map_input(map, &field.shape);
            conversion = Conversion::Map {
                of: map.input.to_owned(),
                name: map.name.0.to_owned(),
                value: map.value.to_owned(),
            };
        }
        let derived = InputField { doc: field.doc.clone(), conversion, ..unconverted(&field.name, &ty) };
        (name.to_owned(), derived)
    }

    /// Adds the input for one entry of an object with free names.
    fn map_input(&mut self, map: &MapInput, shape: &Shape) {
        if self.reserve(map.input, "") {
            return;
        }
        let Shape::Map(inner) = shape else { return };
        let (ty, conversion) = self.input_shape(inner);
        let fields = IndexMap::from_iter([
            (map.name.0.to_owned(), unconverted(map.name.0, map.name.1)),
            (map.value.to_owned(), InputField { conversion, ..unconverted(map.value, &format!("{ty}!")) }),
        ]);
        self.set(map.input, TypeBody::Input(InputType { meaning: InputForm::Object, fields }));
    }

    fn input_alias(&mut self, name: &str, of: &str) {
        if let Some((id, _)) = self.model.unions().find(|(_, union)| union.name == of) {
            self.input_union_as(id, name);
        } else if let Some(object) = self.model.object_by_name(of) {
            self.input_object(object, name, None);
        }
    }

    fn input_shape(&mut self, shape: &Shape) -> (String, Conversion) {
        let scalar = |name: &str| (name.to_owned(), Conversion::Same);
        match shape {
            Shape::List(element) if **element == Shape::Localized => scalar("Json"),
            Shape::List(element) => {
                let (ty, conversion) = self.input_shape(element);
                (format!("[{ty}!]"), conversion)
            }
            Shape::String => scalar("String"),
            Shape::Boolean => scalar("Boolean"),
            Shape::Int => scalar("Int"),
            Shape::Long => scalar("Long"),
            Shape::Float => scalar("Float"),
            Shape::DateTime => scalar("DateTime"),
            Shape::Date => scalar("Date"),
            Shape::Time => scalar("Time"),
            Shape::Locale => scalar("Locale"),
            Shape::Country => scalar("Country"),
            Shape::Currency => scalar("Currency"),
            Shape::Localized => ("[LocalizedStringItemInputType!]".to_owned(), Conversion::Texts),
            Shape::Json | Shape::AnyObject | Shape::Map(_) => ("String".to_owned(), Conversion::Json),
            Shape::CustomFields | Shape::CustomFieldsDraft => {
                ("CustomFieldsDraft".to_owned(), Conversion::Object("CustomFieldsDraft".to_owned()))
            }
            Shape::FieldContainer => ("[CustomFieldInput!]".to_owned(), Conversion::Entries),
            Shape::Enum(id) => (self.add_enum(*id), Conversion::Same),
            Shape::Object(id) => {
                let entry = self.model.object(*id);
                let own = if entry.is_input { entry.name.clone() } else { format!("{}Input", entry.name) };
                let name = INPUT_NAMES.get(&entry.name).map_or(own, str::to_owned);
                self.input_object(*id, &name, None);
                (name.clone(), Conversion::Object(name))
            }
            Shape::Union(id) if self.model.union(*id).is_kept_as_sent => {
                let name = self.staged_input(*id);
                (name.clone(), Conversion::Object(name))
            }
            Shape::Union(id) => {
                let union = self.model.union(*id);
                let name = INPUT_NAMES
                    .get(&union.name)
                    .map_or_else(|| format!("{}Input", union.name), str::to_owned);
                self.input_union_as(*id, &name);
                (name.clone(), Conversion::Object(name))
            }
            Shape::Reference(targets) | Shape::KeyReference(targets) | Shape::Identifier(targets) => {
                // A reference to exactly one kind need not name it.
                scalar(if targets.single().is_some() {
                    "ResourceIdentifierInput"
                } else {
                    "TargetReferenceInput"
                })
            }
        }
    }

    /// Adds the input of a union: it has a field for each member, and exactly one of them is given.
    fn input_union_as(&mut self, id: UnionId, name: &str) {
        let union = self.model.union(id);
        if self.reserve(name, &union.doc) {
            return;
        }
        let mut fields = IndexMap::default();
        if FLAT_UNIONS.contains(&union.name) {
            for (_, member) in &union.members {
                for field in &self.model.object(*member).fields {
                    let (name, mut field) = self.input_field(name, field);
                    if name != union.by {
                        field.ty = field.ty.trim_end_matches('!').to_owned();
                    }
                    fields.entry(name).or_insert(field);
                }
            }
            self.set(name, TypeBody::Input(InputType { meaning: InputForm::Object, fields }));
            return;
        }
        for (tag, member) in &union.members {
            if HIDDEN_MEMBERS.contains(&(name, tag.as_str())) {
                continue;
            }
            if self.member_inputs(name, tag, *member, &union.by, &mut fields) {
                continue;
            }
            let model = &self.model.object(*member).name;
            let input = INPUT_NAMES.get(model).map_or_else(|| format!("{model}Input"), str::to_owned);
            if BARE_MEMBERS.contains(name)
                && let [field] = &self
                    .model
                    .object(*member)
                    .fields
                    .iter()
                    .filter(|field| field.name != union.by)
                    .collect::<Vec<_>>()[..]
            {
                let (ty, _) = self.input_shape(&field.shape);
                let conversion = Conversion::Only(field.name.clone());
                fields.insert(tag.clone(), InputField { conversion, ..unconverted(tag, &ty) });
                continue;
            }
            self.input_object(*member, &input, Some(&union.by));
            let field =
                InputField { conversion: Conversion::Object(input.clone()), ..unconverted(tag, &input) };
            fields.insert(tag.clone(), field);
        }
        for (_, field, ty) in DEFAULT_MEMBER_INPUTS.filter(|(owner, ..)| *owner == name) {
            let conversion = Conversion::OfDefaultMember;
            fields.insert((*field).to_owned(), InputField { conversion, ..unconverted(field, ty) });
        }
        self.set(name, TypeBody::Input(InputType { meaning: InputForm::Member(union.by.clone()), fields }));
    }

    /// Adds the fields of a union's member that has GraphQL names of its own; returns false if it has none.
    fn member_inputs(
        &mut self,
        union: &str,
        tag: &str,
        member: ObjectId,
        by: &str,
        fields: &mut IndexMap<String, InputField>,
    ) -> bool {
        let mut has_some = false;
        for (_, field, _, input) in MEMBER_INPUTS.filter(|(of, _, known, _)| *of == union && *known == tag) {
            self.input_object(member, input, Some(by));
            let conversion = Conversion::Object((*input).to_owned());
            fields.insert((*field).to_owned(), InputField { conversion, ..unconverted(tag, input) });
            has_some = true;
        }
        has_some
    }
}

/// Returns the name of an update action's input. `words` is the kind's name in action names, which may differ from
/// `kind`.
fn action_name(kind: &str, words: &str, action: &str) -> String {
    let is_bare = BARE_ACTIONS.contains(kind);
    ACTION_NAMES
        .find(|(of, from, _)| *of == kind && *from == action)
        .map(|(_, _, to)| (*to).to_owned())
        .or_else(|| is_bare.then(|| action.to_owned()))
        .unwrap_or_else(|| action_input(words, action))
}

fn action_field(action: &Action, input: String) -> InputField {
    InputField {
        doc: action.doc.clone(),
        ty: input.clone(),
        to: vec![action.name.clone()],
        conversion: Conversion::Object(input),
    }
}

fn unconverted(name: &str, ty: &str) -> InputField {
    InputField {
        doc: String::new(),
        ty: ty.to_owned(),
        to: vec![name.to_owned()],
        conversion: Conversion::Same,
    }
}
