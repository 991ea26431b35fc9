//! Resolves the names in the model: the first pass of the reader.

use super::ModelReader;
use super::directives::Directives;
use super::scalars::{self, LimitedShape};
use crate::Model;
use crate::id::{EnumId, KindId, MessageId, ObjectId, UnionId};
use crate::kind::{Addressing, Kind, Message};
use crate::shape::{Enum, Object, ReferenceKinds, Shape, Union, ValueLimits};
use apollo_compiler::Node;
use apollo_compiler::ast::{Definition, InterfaceTypeDefinition};
use std::cell::RefCell;
use std::collections::HashMap;

/// Directives of types that are not objects, but lists of declarations.
const NO_OBJECTS: [&str; 4] = ["actions", "endpoints", "lists", "service"];

/// The declared names of all files.
#[derive(Default)]
pub(super) struct DeclaredNames {
    shapes: HashMap<String, LimitedShape>,
    objects: Vec<Object>,
    kinds: Vec<Kind>,
    kind_by_name: HashMap<String, KindId>,
    unions: Vec<String>,
    enums: Vec<String>,
    messages: Vec<String>,
    /// The sets of staged actions, each with the kind of the documents that they change.
    staged: HashMap<String, String>,
    resource: Option<Node<InterfaceTypeDefinition>>,
    /// Unions whose members are resources; resolved on first use.
    reference_unions: RefCell<HashMap<String, Vec<String>>>,
}

impl DeclaredNames {
    /// Gives a declaration its index (first pass).
    pub(super) fn declare(&mut self, definition: &Definition, reader: &mut ModelReader) {
        let Some(name) = definition.name() else { return };
        let text = name.to_string();
        match definition {
            Definition::InterfaceTypeDefinition(interface) => self.resource = Some(interface.clone()),
            Definition::ObjectTypeDefinition(object)
                if NO_OBJECTS.iter().any(|name| object.directives.has(name)) => {}
            Definition::ObjectTypeDefinition(object) if object.directives.has("message") => {
                self.messages.push(text);
            }
            Definition::ObjectTypeDefinition(object) if object.directives.has("staged") => {
                let of =
                    object.directives.get("staged").and_then(|given| given.specified_argument_by_name("of"));
                let of = of.and_then(|of| of.as_str()).unwrap_or_default().to_owned();
                let union = union_name(&text);
                let id = UnionId::new(self.unions.len());
                self.unions.push(union.clone());
                self.add(&union, Shape::Union(id), name, reader);
                self.staged.insert(text, of);
            }
            Definition::ObjectTypeDefinition(object) => {
                let id = self.add_object(&text, false);
                let is_kind = object.directives.has("resource") || object.directives.has("later");
                if is_kind {
                    let kind = KindId::new(self.kinds.len());
                    self.kinds.push(unread_kind(&text, id));
                    self.kind_by_name.insert(text.clone(), kind);
                    let targets = ReferenceKinds::Kinds(vec![kind]);
                    self.shapes.insert(
                        format!("{text}ResourceIdentifier"),
                        (Shape::Identifier(targets.clone()), ValueLimits::default()),
                    );
                    self.shapes.insert(
                        format!("{text}KeyReference"),
                        (Shape::KeyReference(targets.clone()), ValueLimits::default()),
                    );
                    self.add(&text, Shape::Reference(targets), name, reader);
                } else {
                    self.add(&text, Shape::Object(id), name, reader);
                }
            }
            Definition::InputObjectTypeDefinition(_) => {
                let id = self.add_object(&text, true);
                self.add(&text, Shape::Object(id), name, reader);
            }
            Definition::UnionTypeDefinition(union) if union.directives.has("union") => {
                let id = UnionId::new(self.unions.len());
                self.unions.push(text.clone());
                self.add(&text, Shape::Union(id), name, reader);
            }
            Definition::UnionTypeDefinition(union) => {
                let members = union.members.iter().map(ToString::to_string).collect();
                self.reference_unions.borrow_mut().insert(text, members);
            }
            Definition::EnumTypeDefinition(_) => {
                let id = EnumId::new(self.enums.len());
                self.enums.push(text.clone());
                self.add(&text, Shape::Enum(id), name, reader);
            }
            Definition::ScalarTypeDefinition(scalar) => {
                let (shape, limits) = scalars::read(scalar, reader);
                self.shapes.insert(text, (shape, limits));
            }
            other => reader.problem(
                other.location(),
                "the model knows type, input, union, enum, scalar and the interface Resource".to_owned(),
            ),
        }
    }

    fn add(&mut self, text: &str, shape: Shape, name: &apollo_compiler::Name, reader: &mut ModelReader) {
        if self.shapes.insert(text.to_owned(), (shape, ValueLimits::default())).is_some() {
            reader.problem(name.location(), format!("'{text}' is declared twice"));
        }
    }

    fn add_object(&mut self, name: &str, is_input: bool) -> ObjectId {
        let id = ObjectId::new(self.objects.len());
        self.objects.push(Object::new(name.to_owned(), String::new(), is_input));
        id
    }

    /// Returns a model with an empty entry for everything that is declared.
    pub(super) fn empty_model(&self) -> Model {
        Model {
            kinds: self.kinds.clone(),
            kind_by_name: self.kind_by_name.clone(),
            objects: self.objects.clone(),
            // If several have the same name, it refers to the first one.
            object_by_name: (self.objects.iter().enumerate().rev())
                .map(|(index, object)| (object.name.clone(), ObjectId::new(index)))
                .collect(),
            unions: self
                .unions
                .iter()
                .map(|name| Union {
                    name: name.clone(),
                    doc: String::new(),
                    by: String::new(),
                    default: None,
                    is_kept_as_sent: false,
                    members: Vec::new(),
                })
                .collect(),
            enums: self
                .enums
                .iter()
                .map(|name| Enum { name: name.clone(), doc: String::new(), values: Vec::new() })
                .collect(),
            messages: self
                .messages
                .iter()
                .map(|name| Message {
                    name: name.clone(),
                    doc: String::new(),
                    resource: String::new(),
                    fields: Vec::new(),
                    masked: Vec::new(),
                })
                .collect(),
            ..Model::default()
        }
    }

    /// Returns the shape of values of a type name.
    pub(super) fn shape(&self, name: &str) -> Option<LimitedShape> {
        if let Some(found) = self.shapes.get(name) {
            return Some(found.clone());
        }
        if let Some(kind) = self.staged.get(name).and_then(|of| self.kind(of)) {
            return Some((Shape::Object(self.kinds[kind.index()].object), ValueLimits::default()));
        }
        let unions = self.reference_unions.borrow();
        let (members, is_identifier) = match name.strip_suffix("ResourceIdentifier") {
            Some(union) => (unions.get(union)?, true),
            None => (unions.get(name)?, false),
        };
        let kinds: Vec<_> = members.iter().filter_map(|member| self.kind(member)).collect();
        let targets = ReferenceKinds::Kinds(kinds);
        let shape = if is_identifier { Shape::Identifier(targets) } else { Shape::Reference(targets) };
        Some((shape, ValueLimits::default()))
    }

    pub(super) fn kind(&self, name: &str) -> Option<KindId> {
        self.kind_by_name.get(name).copied()
    }

    pub(super) fn object(&self, name: &str) -> Option<ObjectId> {
        self.objects.iter().position(|object| object.name == name).map(ObjectId::new)
    }

    pub(super) fn message(&self, name: &str) -> Option<MessageId> {
        self.messages.iter().position(|message| message == name).map(MessageId::new)
    }

    pub(super) fn union(&self, name: &str) -> Option<UnionId> {
        self.unions.iter().position(|union| union == name).map(UnionId::new)
    }

    pub(super) fn enumeration(&self, name: &str) -> Option<EnumId> {
        self.enums.iter().position(|values| values == name).map(EnumId::new)
    }

    /// The interface with the fields that every resource has.
    pub(super) fn resource(&self) -> Option<&InterfaceTypeDefinition> {
        self.resource.as_deref()
    }
}

fn unread_kind(name: &str, object: ObjectId) -> Kind {
    Kind {
        name: name.to_owned(),
        doc: String::new(),
        type_id: String::new(),
        path: String::new(),
        has_path: false,
        is_served: false,
        operations: Vec::new(),
        addressing: Addressing::Id { by_key: false },
        key_field: "key".to_owned(),
        deletes_any_version: false,
        erasure: false,
        exports_stored: false,
        plain_head: false,
        created_beside: None,
        create_path: None,
        service: None,
        external_store: None,
        counts_by_default: true,
        limit: None,
        view_scopes: Vec::new(),
        query_scopes: Vec::new(),
        manage_scopes: Vec::new(),
        object,
        draft: None,
        actions: Vec::new(),
        endpoints: Vec::new(),
        lists: Vec::new(),
        views: Vec::new(),
        bulk: Vec::new(),
        unique: Vec::new(),
        indexed: Vec::new(),
        custom_fields: Vec::new(),
        pairs: Vec::new(),
        lowercased: Vec::new(),
        provided_identifiers: Vec::new(),
        masked: Vec::new(),
        created: None,
        deleted: None,
        is_store: false,
        is_open: false,
        owned_by: Vec::new(),
        in_store: None,
        mine: None,
        associates: None,
        projection: None,
        search: None,
        parameter_search: None,
        parameters: Vec::new(),
        overrides: Vec::new(),
        expires: None,
    }
}

/// Returns the name of an action's arguments, e.g. `StateChangeKeyAction` for `State` and `changeKey`, like the
/// reference.
pub(super) fn object_name(kind: &str, action: &str) -> String {
    let mut letters = action.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter();
    format!("{kind}{}Action", first.chain(letters).collect::<String>())
}

/// Returns the name of the union with the actions of a staged set.
pub(super) fn union_name(name: &str) -> String {
    format!("{name}UpdateAction")
}

/// Returns the messages of `@emits`; undeclared ones are reported.
pub(super) fn read_message_names(
    directives: &Directives<'_>,
    names: &DeclaredNames,
    reader: &mut ModelReader,
) -> Vec<MessageId> {
    let Some(given) = directives.get("emits") else { return Vec::new() };
    let mut emitted = Vec::new();
    for name in given.only_texts(reader) {
        match names.message(&name) {
            Some(id) => emitted.push(id),
            None => reader.problem(given.location(), format!("message '{name}' is not declared")),
        }
    }
    emitted
}
