//! What a predicate may ask of: which fields there are at a place of a document, and of which shape.

use crate::condition::{Check, Condition};
use kontor_model::{Field, Kind, Model, Object, ObjectId, Shape, Targets, canonical_locale};
use std::borrow::Cow;

/// Knows the custom fields that a project's types define.
pub trait FieldSource {
    /// The shape of the custom field `name` on what has the `ResourceTypeId` `of`; `None` if no type of
    /// the project that is meant for it has such a field.
    fn custom_field(&self, of: &str, name: &str) -> Option<Shape>;
}

/// What the names in a predicate, sort expression or expansion path refer to.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub(crate) model: Option<&'a Model>,
    pub(crate) object: Option<ObjectId>,
    pub(crate) custom_fields: Option<&'a dyn FieldSource>,
    pub(crate) asks_for_changes: bool,
    pub(crate) scalars_only: bool,
    pub(crate) names_need_values: bool,
    pub(crate) admits_any_name: bool,
    pub(crate) hides_masked: bool,
}

impl<'a> Scope<'a> {
    /// Documents of a kind of the model.
    pub fn of_kind(model: &'a Model, kind: &Kind) -> Self {
        Self::of_object(model, kind.object)
    }

    /// Objects of the model.
    pub fn of_object(model: &'a Model, object: ObjectId) -> Self {
        Scope { model: Some(model), object: Some(object), ..Self::anything() }
    }

    /// Any JSON: no name is refused, and values are compared as they are written.
    pub fn anything() -> Self {
        Scope {
            model: None,
            object: None,
            custom_fields: None,
            asks_for_changes: false,
            scalars_only: false,
            names_need_values: false,
            admits_any_name: false,
            hides_masked: false,
        }
    }

    /// Checks custom fields against the project's types. Without, any custom field is admitted.
    #[must_use]
    pub fn with_custom_fields(self, source: &'a dyn FieldSource) -> Self {
        Scope { custom_fields: Some(source), ..self }
    }

    /// Admits `has changed`, for conditions of API Extensions.
    #[must_use]
    pub fn with_changes(self) -> Self {
        Scope { asks_for_changes: true, ..self }
    }

    /// Refuses all but text, enum, boolean, number, date, time and date-time fields: what a HEAD request
    /// with a predicate may ask for.
    #[must_use]
    pub fn scalars_only(self) -> Self {
        Scope { scalars_only: true, ..self }
    }

    /// Refuses names of Attributes without a value. A value without its name is refused anyway.
    #[must_use]
    pub fn names_need_values(self) -> Self {
        Scope { names_need_values: true, ..self }
    }

    /// Admits names that the model does not know: what they name is missing in every document.
    #[must_use]
    pub fn admits_any_name(self) -> Self {
        Scope { admits_any_name: true, ..self }
    }

    /// Refuses fields whose values are masked for the caller: comparisons would tell the values.
    #[must_use]
    pub fn without_masked(self) -> Self {
        Scope { hides_masked: true, ..self }
    }

    /// The top of a document.
    pub(crate) fn root(&self) -> Place<'a> {
        match (self.model, self.object) {
            (Some(model), Some(object)) => Place::Objects(vec![model.object(object)]),
            _ => Place::Open,
        }
    }

    /// The fields below a field of `shape`; `None` where that has none. Lists are looked through.
    pub(crate) fn below(&self, field: &FieldShape<'a>) -> Option<Place<'a>> {
        Some(match (field.shape.element(), self.model) {
            (Shape::Object(object), Some(model)) => Place::Objects(vec![model.object(*object)]),
            (Shape::Union(union), Some(model)) => {
                let union = model.union(*union);
                Place::Objects(union.members.iter().map(|(_, object)| model.object(*object)).collect())
            }
            (Shape::Reference(_), _) => Place::Reference { by: "id" },
            (Shape::KeyReference(_), _) => Place::Reference { by: "key" },
            (
                Shape::Identifier(_) | Shape::Json | Shape::AnyObject | Shape::Object(_) | Shape::Union(_),
                _,
            ) => Place::Open,
            (Shape::Localized, _) => Place::Map { values: Cow::Owned(Shape::String), by_locale: true },
            (Shape::Map(inner), _) => {
                Place::Map { values: Cow::Owned((**inner).clone()), by_locale: field.by_locale }
            }
            (Shape::CustomFields | Shape::CustomFieldsDraft, _) => Place::Custom { of: field.custom },
            (Shape::FieldContainer, _) => Place::CustomValues { of: field.custom },
            _ => return None,
        })
    }

    /// The field `name` at a place; `None` if there is none.
    pub(crate) fn field(&self, place: &Place<'a>, name: &str) -> Option<FieldShape<'a>> {
        let plain = |shape: Shape| Some(FieldShape::of_any(Cow::Owned(shape)));
        match place {
            Place::Open => plain(Shape::Json),
            Place::Map { values, by_locale } => {
                // A language tag may be written in any case.
                let stored_as = if *by_locale { canonical_locale(name) } else { None };
                Some(FieldShape {
                    stored_as: stored_as.map(Cow::Owned),
                    ..FieldShape::of_any(values.clone())
                })
            }
            Place::Reference { by } if name == *by || name == "typeId" => plain(Shape::String),
            Place::Reference { .. } => None,
            Place::Custom { of } => match name {
                "type" => plain(Shape::Reference(Targets::Any)),
                "fields" => {
                    Some(FieldShape { custom: *of, ..FieldShape::of_any(Cow::Owned(Shape::FieldContainer)) })
                }
                _ => None,
            },
            Place::CustomValues { of } => match (self.custom_fields, of) {
                // What no Type has, nobody has, and that may be asked for.
                (Some(source), Some(of)) => plain(source.custom_field(of, name).unwrap_or(Shape::Json)),
                _ => plain(Shape::Json),
            },
            Place::Objects(objects) => {
                if let Some(field) = objects.iter().find_map(|object| lowercased(object, name)) {
                    return Some(FieldShape {
                        stored_as: Some(Cow::Borrowed(&field.name)),
                        lowercase: true,
                        ..FieldShape::of_any(Cow::Borrowed(&field.shape))
                    });
                }
                let is_known = |field: &&Field| is_asked(field) && !(self.hides_masked && field.masked);
                let mut found = objects.iter().filter_map(|object| object.field(name)).filter(is_known);
                let Some(first) = found.next() else {
                    return self.tells_apart(objects, name).then(|| plain(Shape::String)).flatten();
                };
                if found.all(|other| other.shape == first.shape) {
                    Some(FieldShape {
                        custom: first.custom.as_deref(),
                        by_locale: first.limits.named_by_locale,
                        ..FieldShape::of_any(Cow::Borrowed(&first.shape))
                    })
                } else {
                    // Members of a union that have the field in different shapes: any of them may be meant.
                    plain(Shape::Json)
                }
            }
        }
    }

    /// Whether a field tells the members of a union apart, which need not name it themselves.
    fn tells_apart(&self, objects: &[&'a Object], name: &str) -> bool {
        let Some(model) = self.model else { return false };
        let is_here = |member: &Object| objects.iter().any(|object| std::ptr::eq(*object, member));
        let mut unions = model.unions().filter(|(_, union)| union.by == name);
        unions.any(|(_, union)| union.members.iter().all(|(_, member)| is_here(model.object(*member))))
    }

    /// Whether documents have a field at a place themselves, so that they can be sorted by it.
    pub(crate) fn is_stored(&self, place: &Place<'a>, name: &str) -> bool {
        let Place::Objects(objects) = place else { return true };
        objects.iter().filter_map(|object| object.field(name)).all(|field| !field.spliced)
    }

    /// The fields at a place whose names may be left out, with what is below them.
    pub(crate) fn implied(&self, place: &Place<'a>) -> Vec<(&'a str, Place<'a>)> {
        let (Place::Objects(objects), Some(model)) = (place, self.model) else { return Vec::new() };
        let implied = objects.iter().flat_map(|object| &object.fields).filter(|field| field.implied);
        let below = implied.filter_map(|field| match field.shape {
            Shape::Object(object) => Some((field.name.as_str(), Place::Objects(vec![model.object(object)]))),
            _ => None,
        });
        below.collect()
    }
}

/// What is only put into answers is nowhere to be looked for, unless it comes from another document.
fn is_asked(field: &Field) -> bool {
    !field.spliced || field.from.is_some()
}

/// What is inside a pair of parentheses.
#[derive(Debug, Clone)]
pub(crate) enum Place<'a> {
    /// An object; with several, a member of a union, which may have the fields of any of them.
    Objects(Vec<&'a Object>),
    /// Names are free, or language tags; values have one shape.
    Map { values: Cow<'a, Shape>, by_locale: bool },
    /// `{typeId, id}` or `{typeId, key}`.
    Reference { by: &'static str },
    /// `{type, fields}`.
    Custom { of: Option<&'a str> },
    /// Values of custom fields.
    CustomValues { of: Option<&'a str> },
    /// Any JSON.
    Open,
}

/// The shape of a field, and for custom fields whose they are.
#[derive(Debug, Clone)]
pub(crate) struct FieldShape<'a> {
    pub(crate) shape: Cow<'a, Shape>,
    pub(crate) custom: Option<&'a str>,
    /// Of a map: its names are language tags.
    pub(crate) by_locale: bool,
    /// The name under which documents have it, where that is another one than was written.
    pub(crate) stored_as: Option<Cow<'a, str>>,
    /// Its text in lower case is meant.
    pub(crate) lowercase: bool,
}

impl<'a> FieldShape<'a> {
    /// A field of which no more is known than its shape.
    pub(crate) fn of_any(shape: Cow<'a, Shape>) -> Self {
        FieldShape { shape, custom: None, by_locale: false, stored_as: None, lowercase: false }
    }

    /// The name under which documents have the field that was written as `name`.
    pub(crate) fn named<'n>(&'n self, name: &'n str) -> &'n str {
        self.stored_as.as_deref().unwrap_or(name)
    }

    /// A check of the field that was written as `name`.
    pub(crate) fn checked(&self, name: &str, check: Check) -> Condition {
        match check {
            check if self.lowercase && check != Check::Defined => {
                Condition::check(self.named(name), Check::Lowercase(Box::new(check)))
            }
            check => Condition::check(self.named(name), check),
        }
    }
}

/// The field whose text in lower case is asked for by a name.
fn lowercased<'a>(object: &'a Object, name: &str) -> Option<&'a Field> {
    object.fields.iter().find(|field| field.lowercase.as_deref() == Some(name))
}

impl Place<'_> {
    /// The fields that a message can name, for people who mistyped one.
    pub(crate) fn known_names(&self) -> Vec<&str> {
        match self {
            Place::Objects(objects) => {
                let mut names: Vec<&str> = objects
                    .iter()
                    .flat_map(|object| &object.fields)
                    .filter(|field| is_asked(field))
                    .flat_map(|field| [Some(field.name.as_str()), field.lowercase.as_deref()])
                    .flatten()
                    .collect();
                names.sort_unstable();
                names.dedup();
                names
            }
            Place::Reference { by } => vec![by, "typeId"],
            Place::Custom { .. } => vec!["fields", "type"],
            Place::Map { .. } | Place::CustomValues { .. } | Place::Open => Vec::new(),
        }
    }
}
