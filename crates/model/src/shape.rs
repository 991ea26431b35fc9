//! Shapes: what a JSON value may look like.

use crate::id::{EnumId, KindId, ObjectId, UnionId};
use kontor_errors::Code;
use kontor_json::Value;
use regex::Regex;
use std::collections::HashMap;

/// What deleting the target of a reference does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// Refused with ReferenceExists.
    Block,
    /// The field is removed soon after.
    Clear,
    /// Nothing.
    Dangle,
}

/// What a value may look like. Inputs and stored values share these shapes.
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
    /// One of fixed texts.
    Enum(EnumId),
    /// An object with known fields.
    Object(ObjectId),
    /// One of several objects, told apart by a field.
    Union(UnionId),
    /// `{typeId, id}`.
    Reference(Targets),
    /// `{typeId, key}`.
    KeyReference(Targets),
    /// As sent: `{typeId?, id}` or `{typeId?, key}`.
    Identifier(Targets),
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

    /// True for arrays.
    pub fn is_list(&self) -> bool {
        matches!(self, Shape::List(_))
    }
}

/// The kinds that a reference may point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Any kind; `typeId` says which.
    Any,
    /// These. With one, `typeId` may be left out on input.
    Kinds(Vec<KindId>),
}

impl Targets {
    /// The only possible kind, if there is only one.
    pub fn single(&self) -> Option<KindId> {
        match self {
            Targets::Kinds(kinds) if kinds.len() == 1 => kinds.first().copied(),
            _ => None,
        }
    }

    /// True where a reference may point to `kind`.
    pub fn admit(&self, kind: KindId) -> bool {
        match self {
            Targets::Any => true,
            Targets::Kinds(kinds) => kinds.contains(&kind),
        }
    }
}

/// Bounds of a value.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Smallest number.
    pub min: Option<f64>,
    /// Largest number.
    pub max: Option<f64>,
    /// Fewest characters.
    pub length_min: Option<usize>,
    /// Most characters.
    pub length_max: Option<usize>,
    /// Fewest elements, or languages of a localized text.
    pub items_min: Option<usize>,
    /// Most elements.
    pub items_max: Option<usize>,
    /// What the text must match.
    pub pattern: Option<Regex>,
    /// What the text must match on a strict server: the reference names it in words, and the platform accepts other text.
    pub strict_pattern: Option<Regex>,
    /// The error of a whole number that is too large for its type.
    pub overflow: Option<Code>,
    /// The names in a map are language tags.
    pub named_by_locale: bool,
}

/// That a field shows what another document has under the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The field that refers to that document.
    pub field: String,
    /// The kind as which it shows.
    pub kind: KindId,
}

/// A field of an object, or an argument of an action.
#[derive(Debug, Clone)]
pub struct Field {
    /// As in JSON.
    pub name: String,
    /// For people.
    pub doc: String,
    /// What the value looks like.
    pub shape: Shape,
    /// Must be there.
    pub required: bool,
    /// Elements of the list may not be `null`, and the list has this many levels of that.
    pub default: Option<Value>,
    /// Bounds.
    pub limits: Limits,
    /// Where the value is stored, when not under its own name: a path of names.
    pub to: Option<Vec<String>>,
    /// An id made by the platform.
    pub generated: bool,
    /// Worked out in Rust.
    pub derived: bool,
    /// Never stored: put into answers, for who asks. Also `derived`.
    pub spliced: bool,
    /// As it was elsewhere at some time: nothing in it is indexed, followed, or kept from being deleted.
    pub snapshot: bool,
    /// Predicates ask for it in another document.
    pub from: Option<Elsewhere>,
    /// Predicates may leave its name out.
    pub implied: bool,
    /// Of a field of a draft: names the document that the new one is made from.
    pub source: bool,
    /// Sent as it is and hashed before any rule sees it; never stored in a document.
    pub secret: bool,
    /// Shown where its document is asked for, and masked wherever else that is shown.
    pub masked: bool,
    /// Of a Message: a secret that is stored encrypted where the storage can open it again.
    pub sealed: bool,
    /// Tells something of a person: left out of the Message of a deletion that erases.
    pub personal: bool,
    /// Positions in a list (the second path) stand for the ids that are stored at the first path.
    pub positions: Option<(String, String)>,
    /// Has an index row.
    pub indexed: bool,
    /// Of a text: the name by which predicates and sorts ask for it in lower case. No document has it.
    pub lowercase: Option<String>,
    /// What deleting the target of the reference does.
    pub on_delete: OnDelete,
    /// The kinds of targets that this is so for; none: all.
    pub on_delete_of: Vec<KindId>,
    /// For custom fields: the `ResourceTypeId`.
    pub custom: Option<String>,
    /// Belongs to a public beta.
    pub beta: bool,
    /// Still served, no longer recommended.
    pub deprecated: bool,
    /// From the interface that every resource has.
    pub inherited: bool,
}

impl Field {
    /// The path at which the value is stored.
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
    /// Name in the model.
    pub name: String,
    /// For people.
    pub doc: String,
    /// In the sequence of the model, which is the sequence in answers.
    pub fields: Vec<Field>,
    /// True for `input`.
    pub is_input: bool,
    /// The value of the field that tells it apart in a union.
    pub tag: Option<String>,
    /// The Rust function that completes and checks values of this object.
    pub complete: Option<String>,
    /// True where a field is stored elsewhere than under its own name.
    moves: bool,
    /// Nobody but the model says which names there are.
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

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.place(name).map(|place| &self.fields[place])
    }

    /// Where among the fields the one of a name stands.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// True where a field is stored elsewhere than under its own name ([`Field::to`]).
    pub fn moves_fields(&self) -> bool {
        self.moves
    }
}

/// One of several objects, told apart by the value of one field.
#[derive(Debug, Clone)]
pub struct Union {
    /// Name in the model.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The field that tells members apart.
    pub by: String,
    /// The member that a value without that field is.
    pub default: Option<String>,
    /// Its members are kept as they are sent: identifiers in them are looked up when they are made use of.
    pub is_kept_as_sent: bool,
    /// Value of that field to object.
    pub members: Vec<(String, ObjectId)>,
}

impl Union {
    /// The member for a value of the discriminating field.
    pub fn member(&self, tag: &str) -> Option<ObjectId> {
        self.members.iter().find(|(value, _)| value == tag).map(|(_, object)| *object)
    }
}

/// Fixed texts.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Name in the model.
    pub name: String,
    /// For people.
    pub doc: String,
    /// In the sequence of the model.
    pub values: Vec<Constant>,
}

impl Enum {
    /// True for an allowed text.
    pub fn admits(&self, text: &str) -> bool {
        self.values.iter().any(|constant| constant.value == text)
    }
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct Constant {
    /// Name in the model.
    pub name: String,
    /// Text in JSON.
    pub value: String,
    /// For people.
    pub doc: String,
}
