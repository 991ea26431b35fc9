//! Derives output types: objects, interfaces and enums from the shapes of stored documents. Start at
//! [`SchemaDerivation::output_kind`].

use super::field::{MESSAGE_PAYLOAD, field_of, parse_table_json, sdl_type};
use super::platform::name_arguments;
use super::{SchemaDerivation, argument};
use crate::exceptions::{
    EXTRA_ENUM_VALUES, EXTRA_ENUMS, EXTRA_OUTPUTS, HIDDEN, IDENTIFIED_LISTS, INT_FIELDS, MESSAGE,
    NAMED_LISTS, NOT_EXPANDABLE, OUTPUT_ALIASES, OUTPUT_NAMES, PAGED_LISTS, PagedList, RENAMED, RETYPED,
    TEXT_ENUMS,
};
use crate::names::{named_type, upper_first};
use crate::schema_types::{
    FieldArgument, FieldValueSource, OutputField, OutputType, PageField, TypeBody, TypeResolution,
};
use apollo_compiler::collections::IndexMap;
use kontor_model::{EnumId, Field, KindId, ObjectId, ReferenceKinds, Shape, UnionId};

/// The fields of the interface `Versioned`.
const VERSIONED: &[&str] = &["id", "version", "createdAt", "lastModifiedAt", "createdBy", "lastModifiedBy"];

impl SchemaDerivation<'_> {
    /// Adds the type of the documents of a kind and returns its name.
    pub(super) fn output_kind(&mut self, kind: KindId) -> String {
        let words = self.names_of(kind);
        self.kind_object(kind, &words.object);
        words.object
    }

    /// Adds a type for the documents of a kind. A kind has two if the response of a creation has its own.
    pub(super) fn kind_object(&mut self, kind: KindId, name: &str) {
        let entry = self.model.kind(kind);
        if self.reserve(name, &entry.doc) {
            return;
        }
        let mut output = OutputType::default();
        let object = self.model.object(entry.object);
        let is_versioned = ["id", "version", "createdAt", "lastModifiedAt"]
            .iter()
            .all(|field| object.field(field).is_some());
        if is_versioned {
            output.implements.push("Versioned".to_owned());
            if !NOT_EXPANDABLE.contains(&entry.name) {
                output.implements.push("ReferenceExpandable".to_owned());
            }
        }
        output.fields = self.fields_of(entry.object, name);
        if entry.name == MESSAGE {
            self.message_payloads();
            let payload = field_of(format!("{MESSAGE_PAYLOAD}!"), FieldValueSource::Itself);
            output.fields.insert("payload".to_owned(), payload);
        }
        self.set(name, TypeBody::Output(output));
        // Interfaces of references to several kinds are completed in `join_interfaces`.
    }

    /// Adds a type for an object that is part of a document, or the response of an endpoint.
    pub(super) fn shown_object(&mut self, object: ObjectId, name: &str, doc: &str) {
        if self.reserve(name, doc) {
            return;
        }
        let fields = self.fields_of(object, name);
        let is_versioned = VERSIONED.iter().all(|field| fields.contains_key(*field));
        let implements = if is_versioned { vec!["Versioned".to_owned()] } else { Vec::new() };
        self.set(name, TypeBody::Output(OutputType { fields, implements, ..OutputType::default() }));
    }

    /// Returns the fields of an object of the model, for its GraphQL type `name`.
    fn fields_of(&mut self, object: ObjectId, name: &str) -> IndexMap<String, OutputField> {
        let mut fields = IndexMap::default();
        for field in &self.model.object(object).fields {
            if !HIDDEN.contains(&(name, field.name.as_str())) {
                self.output_field(Some(object), name, field, &mut fields);
            }
        }
        self.extra_fields(name, &mut fields);
        fields
    }

    /// Returns the kind of this name if it is served.
    pub(super) fn served_kind(&self, name: &str) -> Option<KindId> {
        self.model.kind_by_name(name).filter(|id| self.model.kind(*id).is_served)
    }

    /// Adds one field of the model. Localized strings and references become two GraphQL fields, others one.
    pub(super) fn output_field(
        &mut self,
        object: Option<ObjectId>,
        owner: &str,
        field: &Field,
        fields: &mut IndexMap<String, OutputField>,
    ) {
        let stored = field.name.clone();
        let name = RENAMED
            .find(|(of, from, _)| *of == owner && *from == field.name)
            .map_or_else(|| field.name.clone(), |(_, _, to)| (*to).to_owned());
        let mut put = |name: String, ty: String, source: FieldValueSource, arguments: Vec<FieldArgument>| {
            let field =
                OutputField { doc: field.doc.clone(), arguments, ty, source, deprecated: field.deprecated };
            fields.insert(name, field);
        };
        let required = field.required;
        match &field.shape {
            Shape::Localized => {
                put(name.clone(), "String".to_owned(), FieldValueSource::Text(stored.clone()), locales());
                let all = format!("{name}AllLocales");
                let retyped = RETYPED.find(|(of, field, ..)| *of == owner && *field == all);
                let ty = retyped.map_or_else(
                    || sdl_type("[LocalizedString!]", required),
                    |(_, _, ty, _)| (*ty).to_owned(),
                );
                let absent = retyped.and_then(|(.., absent)| absent.map(parse_table_json));
                put(all, ty, FieldValueSource::Texts(stored, absent), vec![]);
            }
            shape if let Shape::Reference(targets) | Shape::KeyReference(targets) = shape.element() => {
                let (reference, target) = self.reference_types(owner, field, &name, targets);
                put(
                    format!("{name}Ref"),
                    reference,
                    FieldValueSource::Reference(vec![stored.clone()]),
                    vec![],
                );
                if let Some(target) = target {
                    put(name, target, FieldValueSource::Target(vec![stored]), vec![]);
                }
            }
            Shape::List(element) if **element == Shape::CustomFields => {
                let arguments = vec![argument("limit", "Int", ""), argument("offset", "Int", "")];
                let ty = "InterfaceInteractionsRawResult!".to_owned();
                put(format!("{name}Raw"), ty, FieldValueSource::Window(stored, None), arguments);
            }
            Shape::List(element) if let Some(paged) = paged_list(owner, &field.name) => {
                let ty = format!("{}!", paged.result);
                put(name, ty, FieldValueSource::Window(stored, Some(paged)), arguments_of(paged));
                let element = self.output_shape(element);
                self.list_part(paged, &element);
            }
            shape => {
                let is_discriminator =
                    object.is_some_and(|object| self.discriminators.contains(&(object, stored.clone())));
                let (ty, source, arguments) = self.plain_field(owner, field, shape, is_discriminator);
                put(name, ty, source, arguments);
            }
        }
    }

    /// Returns the type, source and arguments of a field that is one field in GraphQL.
    fn plain_field(
        &mut self,
        owner: &str,
        field: &Field,
        shape: &Shape,
        is_discriminator: bool,
    ) -> (String, FieldValueSource, Vec<FieldArgument>) {
        let is_identified = IDENTIFIED_LISTS.contains(&(owner, field.name.as_str()));
        let is_named = NAMED_LISTS.contains(&(owner, field.name.as_str()));
        let (mut source, arguments) = if is_named {
            (FieldValueSource::Named(field.name.clone()), name_arguments())
        } else if is_identified {
            let arguments =
                vec![argument("id", "String", "The element with this id. Default: all elements.")];
            (FieldValueSource::Identified(field.name.clone()), arguments)
        } else {
            (FieldValueSource::Stored(field.name.clone(), None), Vec::new())
        };
        let retyped = RETYPED.find(|(of, name, ..)| *of == owner && *name == field.name);
        let ty = match retyped {
            Some((_, _, ty, absent)) => {
                if let (Some(json), FieldValueSource::Stored(_, value)) = (absent, &mut source) {
                    *value = Some(parse_table_json(json));
                }
                self.output_named(named_type(ty), shape);
                (*ty).to_owned()
            }
            None if is_discriminator => "String!".to_owned(),
            None if INT_FIELDS.contains(&field.name) => sdl_type("Int", field.required),
            None => sdl_type(&self.output_shape(shape), field.required),
        };
        (ty, source, arguments)
    }

    /// Returns the types of the fields of a reference, or of a list of them: of the reference itself, and of
    /// its target, if that is served.
    fn reference_types(
        &mut self,
        owner: &str,
        field: &Field,
        name: &str,
        targets: &ReferenceKinds,
    ) -> (String, Option<String>) {
        let (is_list, required) = (field.shape.is_list(), field.required);
        let retyped = |name: &str| {
            let found = RETYPED.find(|(of, field, ..)| *of == owner && *field == name);
            found.map(|(_, _, ty, _)| (*ty).to_owned())
        };
        let by_key = matches!(field.shape.element(), Shape::KeyReference(_));
        let reference = if by_key { "KeyReference" } else { "Reference" };
        let ty = if is_list { format!("[{reference}!]") } else { reference.to_owned() };
        let reference = retyped(&format!("{name}Ref")).unwrap_or_else(|| sdl_type(&ty, required));
        self.output_of_tables(named_type(&reference));
        let target = self.target(targets, owner, name).map(|target| match retyped(name) {
            Some(ty) => ty,
            None if is_list => sdl_type(&format!("[{target}!]"), required),
            None => target,
        });
        (reference, target)
    }

    /// Adds the type of a part of a list.
    fn list_part(&mut self, paged: &PagedList, element: &str) {
        if self.reserve(paged.result, "A part of a list.") {
            return;
        }
        let field = |ty: &str, part| field_of(ty.to_owned(), FieldValueSource::Page(part));
        let fields = IndexMap::from_iter([
            ("limit".to_owned(), field("Int", PageField::Limit)),
            ("offset".to_owned(), field("Int", PageField::Offset)),
            ("total".to_owned(), field("Int!", PageField::Total)),
            ("results".to_owned(), field(&format!("[{element}!]!"), PageField::Results)),
        ]);
        self.set(paged.result, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
    }

    /// Returns the type of a shape, without the `!` of required fields.
    pub(super) fn output_shape(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::List(element) => format!("[{}!]", self.output_shape(element)),
            Shape::String => "String".to_owned(),
            Shape::Boolean => "Boolean".to_owned(),
            Shape::Int => "Int".to_owned(),
            Shape::Long => "Long".to_owned(),
            Shape::Float => "Float".to_owned(),
            Shape::DateTime => "DateTime".to_owned(),
            Shape::Date => "Date".to_owned(),
            Shape::Time => "Time".to_owned(),
            Shape::Locale => "Locale".to_owned(),
            Shape::Country => "Country".to_owned(),
            Shape::Currency => "Currency".to_owned(),
            Shape::Enum(id) => self.add_enum(*id),
            Shape::Object(id) => {
                let model = &self.model.object(*id).name;
                let name = OUTPUT_NAMES.get(model).unwrap_or(model).to_owned();
                self.output_object(*id, &name, &[]);
                name
            }
            Shape::Union(id) if self.model.union(*id).is_kept_as_sent => self.staged_output(*id),
            Shape::Union(id) => self.output_union(*id),
            Shape::CustomFields => "CustomFieldsType".to_owned(),
            Shape::Json
            | Shape::AnyObject
            | Shape::Map(_)
            | Shape::Localized
            | Shape::CustomFieldsDraft
            | Shape::FieldContainer
            | Shape::Reference(_)
            | Shape::KeyReference(_)
            | Shape::Identifier(_) => "Json".to_owned(),
        }
    }

    /// Adds a type that a table names for a field of some shape.
    fn output_named(&mut self, name: &str, shape: &Shape) {
        if let Some(object) = OUTPUT_ALIASES.get(name).and_then(|object| self.model.object_by_name(object)) {
            self.output_object(object, name, &[]);
        } else if let Some((id, _)) = self.model.enums().find(|(_, values)| values.name == name) {
            self.add_enum(id);
        } else {
            self.output_of_tables(name);
            self.output_shape(shape);
        }
    }

    /// Adds the type `name` if it is a type that only GraphQL has.
    pub(super) fn output_of_tables(&mut self, name: &str) {
        if EXTRA_ENUMS.find(|(of, _)| *of == name).is_some()
            || EXTRA_OUTPUTS.find(|(of, _)| *of == name).is_some()
        {
            self.extra_output(name);
        }
    }

    /// Adds the type of an object of the model with its fields, and the interfaces of the unions that it is a member
    /// of.
    pub(super) fn output_object(&mut self, object: ObjectId, name: &str, implements: &[String]) {
        let doc = &self.model.object(object).doc;
        if !self.reserve(name, doc) {
            let fields = self.fields_of(object, name);
            self.set(
                name,
                TypeBody::Output(OutputType {
                    fields,
                    implements: implements.to_vec(),
                    ..OutputType::default()
                }),
            );
            let unions: Vec<UnionId> = self
                .model
                .unions()
                .filter(|(_, union)| union.members.iter().any(|(_, member)| *member == object))
                // A union of inputs may share members with the union that responses have.
                .filter(|(_, union)| {
                    union.members.iter().all(|(_, member)| !self.model.object(*member).is_input)
                })
                .map(|(id, _)| id)
                .collect();
            for union in unions {
                self.output_union(union);
            }
        }
        // The type may exist already if something other than the union leads to it.
        if let Some(TypeBody::Output(output)) = self.types.get_mut(name).map(|entry| &mut entry.body) {
            for interface in implements {
                if !output.implements.contains(interface) {
                    output.implements.push(interface.clone());
                }
            }
        }
    }

    /// Adds the interface of a union, with the fields that all members share, and returns its name.
    pub(super) fn output_union(&mut self, id: UnionId) -> String {
        let union = self.model.union(id);
        let name = OUTPUT_NAMES.get(&union.name).unwrap_or(&union.name).to_owned();
        if self.reserve(&name, &union.doc) {
            return name;
        }
        let mut types = IndexMap::default();
        for (tag, member) in &union.members {
            let model = &self.model.object(*member).name;
            let member_name = OUTPUT_NAMES.get(model).unwrap_or(model).to_owned();
            self.output_object(*member, &member_name, std::slice::from_ref(&name));
            types.insert(tag.clone(), member_name);
        }
        let fields = self.shared_fields(&name, &types);
        let interface = Some(TypeResolution::Tag { by: union.by.clone(), types });
        self.set(&name, TypeBody::Output(OutputType { interface, fields, ..OutputType::default() }));
        name
    }

    /// Returns the fields that all members of a union have with the same type.
    pub(super) fn shared_fields(
        &self,
        name: &str,
        members: &IndexMap<String, String>,
    ) -> IndexMap<String, OutputField> {
        let outputs: Vec<&OutputType> = members
            .values()
            .filter_map(|member| match &self.types.get(member)?.body {
                TypeBody::Output(output) => Some(output),
                _ => None,
            })
            .collect();
        let Some((first, others)) = outputs.split_first() else { return IndexMap::default() };
        first
            .fields
            .iter()
            .filter(|(field, _)| !HIDDEN.contains(&(name, field.as_str())))
            .filter(|(field, of_first)| {
                others
                    .iter()
                    .all(|other| other.fields.get(*field).is_some_and(|of_other| of_other.ty == of_first.ty))
            })
            .map(|(field, of_first)| {
                let copy = OutputField {
                    doc: of_first.doc.clone(),
                    ..field_of(of_first.ty.clone(), of_first.source.clone())
                };
                (field.clone(), copy)
            })
            .collect()
    }

    /// Returns the type of a reference's target; `None` if no such kind is served. Several kinds share an
    /// interface named after the type and the field.
    fn target(&mut self, targets: &ReferenceKinds, owner: &str, field: &str) -> Option<String> {
        let ReferenceKinds::Kinds(kinds) = targets else { return None };
        if let Some(kind) = targets.single() {
            return self.model.kind(kind).is_served.then(|| self.output_kind(kind));
        }
        let served: Vec<KindId> =
            kinds.iter().copied().filter(|kind| self.model.kind(*kind).is_served).collect();
        if served.is_empty() {
            return None;
        }
        let name = format!("{owner}{}", upper_first(field));
        if !self.reserve(&name, "") {
            let fields = [(
                "id".to_owned(),
                field_of("String!".to_owned(), FieldValueSource::Stored("id".to_owned(), None)),
            )];
            let interface = Some(TypeResolution::Kind);
            self.set(
                &name,
                TypeBody::Output(OutputType {
                    interface,
                    fields: IndexMap::from_iter(fields),
                    ..OutputType::default()
                }),
            );
        }
        for kind in served {
            let member = self.output_kind(kind);
            self.pending_interfaces.push((member, name.clone()));
        }
        Some(name)
    }

    /// Adds an enum and returns its type: `String` if its values are not valid GraphQL names.
    pub(super) fn add_enum(&mut self, id: EnumId) -> String {
        let values = self.model.enumeration(id);
        let is_unnamed = values.values.iter().any(|constant| constant.name != constant.value);
        if is_unnamed || TEXT_ENUMS.contains(&values.name) {
            return "String".to_owned();
        }
        let short = values.name.strip_suffix("Enum").unwrap_or(&values.name);
        let name = OUTPUT_NAMES.get(&values.name).unwrap_or(short).to_owned();
        if !self.reserve(&name, &values.doc) {
            let mut constants: Vec<(String, String)> =
                values.values.iter().map(|constant| (constant.name.clone(), constant.doc.clone())).collect();
            for (_, extra) in EXTRA_ENUM_VALUES.filter(|(owner, _)| *owner == name) {
                constants.push(((*extra).to_owned(), String::new()));
            }
            self.set(&name, TypeBody::Enum(constants));
        }
        name
    }
}

/// Returns the arguments that choose a part of a list.
fn arguments_of(paged: &PagedList) -> Vec<FieldArgument> {
    vec![
        argument(paged.arguments.0, "[String!]", "The names to include. Default: all."),
        argument(paged.arguments.1, "[String!]", "The names to exclude."),
        argument("limit", "Int", ""),
        argument("offset", "Int", ""),
        argument("sort", "[String!]", "A field and a direction, for example `key desc`."),
    ]
}

fn paged_list(owner: &str, field: &str) -> Option<&'static PagedList> {
    PAGED_LISTS.find(|paged| paged.field == (owner, field))
}

fn locales() -> Vec<FieldArgument> {
    vec![
        argument("locale", "Locale", "The text in exactly this language."),
        argument("acceptLanguage", "[Locale!]", "The text in the first of these languages that has a text."),
    ]
}
