//! Shapes: the structure and the limits of JSON values.
//!
//! Start at [`Shape`]; objects are [`Object`], their fields [`Field`].

use crate::id::{EnumId, KindId, ObjectId, UnionId};
use kontor_errors::Code;
use kontor_json::Value;
use regex::Regex;
use std::collections::HashMap;

/// The effect of deleting the target of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The deletion is refused with ReferenceExists.
    Block,
    /// The field is removed soon after.
    Clear,
    /// The reference stays, and has no target any more.
    Dangle,
}

/// The structure of a JSON value, sent or stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Text.
    String,
    /// `true` or `false`.
    Boolean,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// Any number.
    Float,
    /// ISO 8601 in UTC; stored with milliseconds, so that text order is time order.
    DateTime,
    /// `2027-01-31`.
    Date,
    /// `14:30:00.000`.
    Time,
    /// An IETF language tag.
    Locale,
    /// ISO 3166-1, two letters.
    Country,
    /// ISO 4217, three letters.
    Currency,
    /// An object of locales to texts.
    Localized,
    /// Any JSON value.
    Json,
    /// Any JSON object.
    AnyObject,
    /// Stored custom fields: `{type, fields}`.
    CustomFields,
    /// Custom fields as sent: the type by id or key.
    CustomFieldsDraft,
    /// Values of custom fields, by name.
    FieldContainer,
    /// One of several fixed texts.
    Enum(EnumId),
    /// An object with known fields.
    Object(ObjectId),
    /// One of several objects, distinguished by a field.
    Union(UnionId),
    /// `{typeId, id}`.
    Reference(ReferenceKinds),
    /// `{typeId, key}`.
    KeyReference(ReferenceKinds),
    /// A sent identifier: `{typeId?, id}` or `{typeId?, key}`.
    Identifier(ReferenceKinds),
    /// An array.
    List(Box<Shape>),
    /// An object with free keys.
    Map(Box<Shape>),
}

impl Shape {
    /// The shape inside lists: `[[X]]` gives `X`.
    pub fn element(&self) -> &Shape {
        match self {
            Shape::List(inner) => inner.element(),
            shape => shape,
        }
    }

    /// True for an array.
    pub fn is_list(&self) -> bool {
        matches!(self, Shape::List(_))
    }
}

/// The kinds that a reference may point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceKinds {
    /// Any kind, which `typeId` names.
    Any,
    /// One of these kinds. If there is only one, input may omit `typeId`.
    Kinds(Vec<KindId>),
}

impl ReferenceKinds {
    /// Returns the only possible kind, if there is only one.
    pub fn single(&self) -> Option<KindId> {
        match self {
            ReferenceKinds::Kinds(kinds) if kinds.len() == 1 => kinds.first().copied(),
            _ => None,
        }
    }

    /// True if a reference may point to `kind`.
    pub fn allows(&self, kind: KindId) -> bool {
        match self {
            ReferenceKinds::Any => true,
            ReferenceKinds::Kinds(kinds) => kinds.contains(&kind),
        }
    }
}

/// The limits of a value.
#[derive(Debug, Clone, Default)]
pub struct ValueLimits {
    /// The smallest number.
    pub min: Option<f64>,
    /// The largest number.
    pub max: Option<f64>,
    /// The minimum number of characters.
    pub length_min: Option<usize>,
    /// The maximum number of characters.
    pub length_max: Option<usize>,
    /// The minimum number of elements, or of languages of a localized text.
    pub items_min: Option<usize>,
    /// The maximum number of elements.
    pub items_max: Option<usize>,
    /// The pattern that the text must match.
    pub pattern: Option<Regex>,
    /// The pattern that the text must match on a strict server: the reference states it, but the platform accepts
    /// other text.
    pub strict_pattern: Option<Regex>,
    /// The error of a whole number that is too large for its type.
    pub overflow: Option<Code>,
    /// Whether the names in a map are language tags.
    pub named_by_locale: bool,
}

/// Another document, from which a field is shown under the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOrigin {
    /// The field that refers to that document.
    pub field: String,
    /// The kind under which it shows it.
    pub kind: KindId,
}

/// The part of a secret value that documents show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownInPart {
    /// Its end at most.
    Secret,
    /// Of an address all but its credentials.
    Address,
}

/// A field of an object, or an argument of an action.
#[derive(Debug, Clone)]
pub struct Field {
    /// The name in JSON.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The shape of the value.
    pub shape: Shape,
    /// Whether a value is required.
    pub required: bool,
    /// The value if none is sent.
    pub default: Option<Value>,
    /// The value in documents that lack the field, because an earlier release wrote them.
    pub if_absent: Option<Value>,
    /// The limits of the value.
    pub limits: ValueLimits,
    /// The path at which the value is stored, if that is not its own name.
    pub to: Option<Vec<String>>,
    /// Whether it is an id that the server generates.
    pub generated: bool,
    /// Whether a behaviour calculates it.
    pub derived: bool,
    /// Whether it is never stored, but added to responses for the caller. Then it is also `derived`.
    pub spliced: bool,
    /// Whether it is a copy of an earlier state of another document: not indexed, not updated, and no obstacle to a
    /// deletion.
    pub snapshot: bool,
    /// The document in which predicates look it up.
    pub from: Option<FieldOrigin>,
    /// Whether predicates may omit its name.
    pub implied: bool,
    /// For a field of a draft: whether it names the document from which the new one is created.
    pub source: bool,
    /// Whether it is sent in plain text and hashed before any rule sees it; it is never stored in a document.
    pub secret: bool,
    /// Whether it is only shown when the document itself is read, and masked everywhere else.
    pub masked: bool,
    /// A secret, or an address that may have credentials: documents and errors show a part of it.
    pub shown_in_part: Option<ShownInPart>,
    /// For a Message: whether it is a secret, which is stored encrypted and decrypted by the storage.
    pub sealed: bool,
    /// Whether it is personal data, which is left out of the Message of a deletion with erasure.
    pub personal: bool,
    /// For positions in place of ids: the path at which the ids are stored, and the path of the list with the
    /// positions.
    pub positions: Option<(String, String)>,
    /// Whether it has index rows.
    pub indexed: bool,
    /// For a text: the name for its lower-case form in predicates and sort expressions. No document has it.
    pub lowercase: Option<String>,
    /// The effect of deleting the target of the reference.
    pub on_delete: OnDelete,
    /// The kinds of targets that `on_delete` applies to; empty: all.
    pub on_delete_of: Vec<KindId>,
    /// For custom fields: the `ResourceTypeId`, e.g. `customer`.
    pub custom: Option<String>,
    /// Whether it is in public beta.
    pub beta: bool,
    /// Whether it is deprecated, but still served.
    pub deprecated: bool,
    /// Whether it is a field of the interface that every resource has.
    pub inherited: bool,
}

impl Field {
    /// Returns the path at which the value is stored.
    pub fn stored_path(&self) -> Vec<&str> {
        match &self.to {
            Some(path) => path.iter().map(String::as_str).collect(),
            None => vec![self.name.as_str()],
        }
    }
}

/// An object with known fields: stored, sent, or the arguments of an action.
#[derive(Debug, Clone)]
pub struct Object {
    /// The name in the model.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The fields in the order of the model, which is their order in responses.
    pub fields: Vec<Field>,
    /// True for an `input`.
    pub is_input: bool,
    /// The value of the discriminator field in a union.
    pub tag: Option<String>,
    /// The Rust function that completes and checks values of this object.
    pub complete: Option<String>,
    /// Whether a field is stored elsewhere than under its own name.
    moves: bool,
    /// A fixed hash is safe: only the model has these names, no client.
    by_name: HashMap<String, usize, foldhash::fast::FixedState>,
}

impl Object {
    pub(crate) fn new(name: String, doc: String, is_input: bool) -> Self {
        Self {
            name,
            doc,
            fields: Vec::new(),
            is_input,
            tag: None,
            complete: None,
            moves: false,
            by_name: HashMap::default(),
        }
    }

    pub(crate) fn push(&mut self, field: Field) {
        self.by_name.insert(field.name.clone(), self.fields.len());
        self.moves |= field.to.is_some();
        self.fields.push(field);
    }

    /// The field with a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|place| &self.fields[place])
    }

    /// The position of a field.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// True if a field is stored elsewhere than under its own name ([`Field::to`]).
    pub fn moves_fields(&self) -> bool {
        self.moves
    }
}

/// One of several objects, distinguished by the value of one field.
#[derive(Debug, Clone)]
pub struct Union {
    /// The name in the model.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The discriminator field.
    pub by: String,
    /// The value of the discriminator field if none is sent.
    pub default: Option<String>,
    /// Whether values are stored without a conversion: identifiers in them are resolved when they are used.
    pub is_kept_as_sent: bool,
    /// The values of the discriminator field, each with its object.
    pub members: Vec<(String, ObjectId)>,
}

impl Union {
    /// Returns the member for a value of the discriminating field.
    pub fn member(&self, tag: &str) -> Option<ObjectId> {
        self.members.iter().find(|(value, _)| value == tag).map(|(_, object)| *object)
    }
}

/// A set of fixed texts.
#[derive(Debug, Clone)]
pub struct Enum {
    /// The name in the model.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The values, in the order of the model.
    pub values: Vec<EnumValue>,
}

impl Enum {
    /// True if the text is one of the values.
    pub fn contains(&self, text: &str) -> bool {
        self.values.iter().any(|constant| constant.value == text)
    }
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct EnumValue {
    /// The name in the model.
    pub name: String,
    /// The text in JSON.
    pub value: String,
    /// The description for people.
    pub doc: String,
}
