//! [`NameScope`]: the fields that a predicate, sort expression or expansion path may use at each place of a document, and
//! their shapes.

use crate::condition::{Condition, ValueCheck};
use kontor_model::{Field, Kind, Model, Object, ObjectId, ReferenceKinds, Shape, canonical_locale};
use std::borrow::Cow;

/// Access to the custom fields that a project's Types define.
pub trait FieldSource {
    /// Returns the shape of the custom field `name` on resources of the `ResourceTypeId` `of`; `None` if no Type of
    /// the project for these resources has such a field.
    fn custom_field(&self, of: &str, name: &str) -> Option<Shape>;
}

/// Resolves the names in a predicate, sort expression or expansion path.
#[derive(Clone, Copy)]
pub struct NameScope<'a> {
    pub(crate) model: Option<&'a Model>,
    pub(crate) object: Option<ObjectId>,
    pub(crate) custom_fields: Option<&'a dyn FieldSource>,
    pub(crate) asks_for_changes: bool,
    pub(crate) scalars_only: bool,
    pub(crate) names_need_values: bool,
    pub(crate) admits_any_name: bool,
    pub(crate) hides_masked: bool,
}

impl<'a> NameScope<'a> {
    /// Resolves names in documents of a kind of the model.
    pub fn of_kind(model: &'a Model, kind: &Kind) -> Self {
        Self::of_object(model, kind.object)
    }

    /// Resolves names in objects of the model.
    pub fn of_object(model: &'a Model, object: ObjectId) -> Self {
        NameScope { model: Some(model), object: Some(object), ..Self::anything() }
    }

    /// Resolves names in any JSON: every name is valid, and values have the type in which they are written.
    pub fn anything() -> Self {
        NameScope {
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

    /// Checks custom fields against the project's Types. Without it, every custom field is valid.
    #[must_use]
    pub fn with_custom_fields(self, source: &'a dyn FieldSource) -> Self {
        NameScope { custom_fields: Some(source), ..self }
    }

    /// Allows `has changed`, for conditions of API Extensions.
    #[must_use]
    pub fn with_changes(self) -> Self {
        NameScope { asks_for_changes: true, ..self }
    }

    /// Refuses all fields but text, enum, boolean, number, date, time and date-time: the predicate of a HEAD request
    /// may use no others.
    #[must_use]
    pub fn with_scalars_only(self) -> Self {
        NameScope { scalars_only: true, ..self }
    }

    /// Refuses names of Attributes without a value. A value without a name is always refused.
    #[must_use]
    pub fn with_valued_names(self) -> Self {
        NameScope { names_need_values: true, ..self }
    }

    /// Allows names that the model does not know: such fields are missing in every document.
    #[must_use]
    pub fn with_any_name(self) -> Self {
        NameScope { admits_any_name: true, ..self }
    }

    /// Refuses fields whose values are masked for the caller: comparisons would reveal the values.
    #[must_use]
    pub fn without_masked(self) -> Self {
        NameScope { hides_masked: true, ..self }
    }

    /// Returns the root of a document.
    pub(crate) fn root(&self) -> ScopePlace<'a> {
        match (self.model, self.object) {
            (Some(model), Some(object)) => ScopePlace::Objects(vec![model.object(object)]),
            _ => ScopePlace::Open,
        }
    }

    /// Returns the fields below a field of `shape`; `None` if it has none. The fields of a list are those of its
    /// elements.
    pub(crate) fn nested_place(&self, field: &FieldShape<'a>) -> Option<ScopePlace<'a>> {
        Some(match (field.shape.element(), self.model) {
            (Shape::Object(object), Some(model)) => ScopePlace::Objects(vec![model.object(*object)]),
            (Shape::Union(union), Some(model)) => {
                let union = model.union(*union);
                ScopePlace::Objects(union.members.iter().map(|(_, object)| model.object(*object)).collect())
            }
            (Shape::Reference(_), _) => ScopePlace::Reference { by: "id" },
            (Shape::KeyReference(_), _) => ScopePlace::Reference { by: "key" },
            (
                Shape::Identifier(_) | Shape::Json | Shape::AnyObject | Shape::Object(_) | Shape::Union(_),
                _,
            ) => ScopePlace::Open,
            (Shape::Localized, _) => ScopePlace::Map { values: Cow::Owned(Shape::String), by_locale: true },
            (Shape::Map(inner), _) => {
                ScopePlace::Map { values: Cow::Owned((**inner).clone()), by_locale: field.by_locale }
            }
            (Shape::CustomFields | Shape::CustomFieldsDraft, _) => ScopePlace::Custom { of: field.custom },
            (Shape::FieldContainer, _) => ScopePlace::CustomValues { of: field.custom },
            _ => return None,
        })
    }

    /// Returns the field `name` at a place; `None` if there is none.
    pub(crate) fn field(&self, place: &ScopePlace<'a>, name: &str) -> Option<FieldShape<'a>> {
        let plain = |shape: Shape| Some(FieldShape::new(Cow::Owned(shape)));
        match place {
            ScopePlace::Open => plain(Shape::Json),
            ScopePlace::Map { values, by_locale } => {
                // The case of a language tag does not matter.
                let stored_as = if *by_locale { canonical_locale(name) } else { None };
                Some(FieldShape { stored_as: stored_as.map(Cow::Owned), ..FieldShape::new(values.clone()) })
            }
            ScopePlace::Reference { by } if name == *by || name == "typeId" => plain(Shape::String),
            ScopePlace::Reference { .. } => None,
            ScopePlace::Custom { of } => match name {
                "type" => plain(Shape::Reference(ReferenceKinds::Any)),
                "fields" => {
                    Some(FieldShape { custom: *of, ..FieldShape::new(Cow::Owned(Shape::FieldContainer)) })
                }
                _ => None,
            },
            ScopePlace::CustomValues { of } => match (self.custom_fields, of) {
                // A field that no Type defines is missing in all documents, and may be tested.
                (Some(source), Some(of)) => plain(source.custom_field(of, name).unwrap_or(Shape::Json)),
                _ => plain(Shape::Json),
            },
            ScopePlace::Objects(objects) => {
                if let Some(field) = objects.iter().find_map(|object| lowercased(object, name)) {
                    return Some(FieldShape {
                        stored_as: Some(Cow::Borrowed(&field.name)),
                        lowercase: true,
                        ..FieldShape::new(Cow::Borrowed(&field.shape))
                    });
                }
                let is_known = |field: &&Field| is_queryable(field) && !(self.hides_masked && field.masked);
                let mut found = objects.iter().filter_map(|object| object.field(name)).filter(is_known);
                let Some(first) = found.next() else {
                    return self.is_discriminator(objects, name).then(|| plain(Shape::String)).flatten();
                };
                if found.all(|other| other.shape == first.shape) {
                    Some(FieldShape {
                        custom: first.custom.as_deref(),
                        by_locale: first.limits.named_by_locale,
                        ..FieldShape::new(Cow::Borrowed(&first.shape))
                    })
                } else {
                    // The members of a union have the field in different shapes, and each of them is possible.
                    plain(Shape::Json)
                }
            }
        }
    }

    /// Whether a field is the discriminator of a union, which its members need not declare themselves.
    fn is_discriminator(&self, objects: &[&'a Object], name: &str) -> bool {
        let Some(model) = self.model else { return false };
        let is_here = |member: &Object| objects.iter().any(|object| std::ptr::eq(*object, member));
        let mut unions = model.unions().filter(|(_, union)| union.by == name);
        unions.any(|(_, union)| union.members.iter().all(|(_, member)| is_here(model.object(*member))))
    }

    /// Whether documents store a field at a place themselves, so that they can be sorted by it.
    pub(crate) fn is_stored(&self, place: &ScopePlace<'a>, name: &str) -> bool {
        let ScopePlace::Objects(objects) = place else { return true };
        objects.iter().filter_map(|object| object.field(name)).all(|field| !field.spliced)
    }

    /// Returns the fields at a place whose names may be omitted, each with its own fields.
    pub(crate) fn implied(&self, place: &ScopePlace<'a>) -> Vec<(&'a str, ScopePlace<'a>)> {
        let (ScopePlace::Objects(objects), Some(model)) = (place, self.model) else { return Vec::new() };
        let implied = objects.iter().flat_map(|object| &object.fields).filter(|field| field.implied);
        let below = implied.filter_map(|field| match field.shape {
            Shape::Object(object) => {
                Some((field.name.as_str(), ScopePlace::Objects(vec![model.object(object)])))
            }
            _ => None,
        });
        below.collect()
    }
}

/// Whether predicates may use a field. Fields that are only added to responses are not stored, so they cannot be
/// tested, unless their value comes from another document.
fn is_queryable(field: &Field) -> bool {
    !field.spliced || field.from.is_some()
}

/// A place in a document: the fields that a pair of parentheses can contain.
#[derive(Debug, Clone)]
pub(crate) enum ScopePlace<'a> {
    /// An object; if there are several, a member of a union, which may have the fields of any of them.
    Objects(Vec<&'a Object>),
    /// A map: names are free, or language tags; all values have one shape.
    Map { values: Cow<'a, Shape>, by_locale: bool },
    /// `{typeId, id}` or `{typeId, key}`.
    Reference { by: &'static str },
    /// `{type, fields}`.
    Custom { of: Option<&'a str> },
    /// Values of custom fields.
    CustomValues { of: Option<&'a str> },
    /// Open JSON.
    Open,
}

/// The shape of a field, and for custom fields the type of resource that they belong to.
#[derive(Debug, Clone)]
pub(crate) struct FieldShape<'a> {
    pub(crate) shape: Cow<'a, Shape>,
    pub(crate) custom: Option<&'a str>,
    /// Whether a map's names are language tags.
    pub(crate) by_locale: bool,
    /// The name in documents, if it differs from the written one.
    pub(crate) stored_as: Option<Cow<'a, str>>,
    /// Whether the field is the text in lower case.
    pub(crate) lowercase: bool,
}

impl<'a> FieldShape<'a> {
    /// Returns a field of which only the shape is known.
    pub(crate) fn new(shape: Cow<'a, Shape>) -> Self {
        FieldShape { shape, custom: None, by_locale: false, stored_as: None, lowercase: false }
    }

    /// Returns the name in documents of the field that was written as `name`.
    pub(crate) fn stored_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.stored_as.as_deref().unwrap_or(name)
    }

    /// Returns a check of the field that was written as `name`.
    pub(crate) fn checked(&self, name: &str, check: ValueCheck) -> Condition {
        match check {
            check if self.lowercase && check != ValueCheck::Defined => {
                Condition::check(self.stored_name(name), ValueCheck::Lowercase(Box::new(check)))
            }
            check => Condition::check(self.stored_name(name), check),
        }
    }
}

/// Returns the text field that `name` denotes in lower case.
fn lowercased<'a>(object: &'a Object, name: &str) -> Option<&'a Field> {
    object.fields.iter().find(|field| field.lowercase.as_deref() == Some(name))
}

impl ScopePlace<'_> {
    /// Returns the field names that a message can suggest for an unknown one.
    pub(crate) fn known_names(&self) -> Vec<&str> {
        match self {
            ScopePlace::Objects(objects) => {
                let mut names: Vec<&str> = objects
                    .iter()
                    .flat_map(|object| &object.fields)
                    .filter(|field| is_queryable(field))
                    .flat_map(|field| [Some(field.name.as_str()), field.lowercase.as_deref()])
                    .flatten()
                    .collect();
                names.sort_unstable();
                names.dedup();
                names
            }
            ScopePlace::Reference { by } => vec![by, "typeId"],
            ScopePlace::Custom { .. } => vec!["fields", "type"],
            ScopePlace::Map { .. } | ScopePlace::CustomValues { .. } | ScopePlace::Open => Vec::new(),
        }
    }
}
