//! Resolves the names of a dialect into paths of documents with their shapes.

use super::{Dialect, DialectRoot, DocumentIdField, NameMapping, TOP};
use crate::condition::Path;
use crate::literal::ComparisonForm;
use crate::scope::{FieldShape, NameScope, ScopePlace};
use kontor_model::{Model, Object, Shape};
use std::borrow::Cow;

/// The resolver of one dialect's names.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub(super) dialect: &'static Dialect,
    pub(super) model: &'a Model,
}

/// A resolved name: a path of documents, and the shape at its end.
#[derive(Debug, Clone)]
pub(super) struct ResolvedPath<'a> {
    pub(super) path: Path,
    pub(super) at: PathEnd<'a>,
    /// Whether there may be several values.
    pub(super) many: bool,
    /// Whether the path goes through a list of name-value pairs: an empty list has no value for any name.
    pub(super) in_pairs: bool,
    /// The `typeId`, if the value is the id of a document.
    pub(super) type_id: Option<&'a str>,
}

/// The end of a path.
#[derive(Debug, Clone)]
pub(super) enum PathEnd<'a> {
    /// The root of a dialect over several objects.
    Top,
    /// A value with a shape.
    Field(FieldShape<'a>),
    /// A document that a text references. Only its id and key can be used, unless it is `whole`.
    Document { type_id: &'static str, whole: bool },
}

/// The set of allowed names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameSource {
    /// The names of the dialect.
    Dialect,
    /// The names of the model, and all fields of reference targets: for paths in tables.
    Model,
}

/// The error for an unknown name: lists the allowed ones.
pub(super) struct UnknownName {
    pub(super) expected: Vec<String>,
}

impl<'a> Resolver<'a> {
    /// Returns the root of predicates.
    pub(super) fn top(&self) -> ResolvedPath<'a> {
        let at = match self.dialect.about {
            DialectRoot::Parts(_) => PathEnd::Top,
            DialectRoot::Object(name) => self.object(name).map_or(PathEnd::Top, PathEnd::Field),
        };
        ResolvedPath { path: Path::new(), at, many: false, in_pairs: false, type_id: None }
    }

    /// Resolves a dotted name relative to a position.
    pub(super) fn resolve(
        &self,
        from: &ResolvedPath<'a>,
        name: &str,
    ) -> Result<Vec<ResolvedPath<'a>>, UnknownName> {
        let mut found = Vec::new();
        let names: Vec<&str> = name.split('.').collect();
        self.walk(from.clone(), &names, NameSource::Dialect, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Resolves a path of a table, with the names of the model.
    pub(super) fn raw(
        &self,
        from: &ResolvedPath<'a>,
        path: &str,
    ) -> Result<Vec<ResolvedPath<'a>>, UnknownName> {
        let mut found = Vec::new();
        let names: Vec<&str> = path.split('.').collect();
        self.walk(from.clone(), &names, NameSource::Model, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    fn walk<'n>(
        &self,
        way: ResolvedPath<'a>,
        names: &[&'n str],
        by: NameSource,
        before: &mut Vec<&'n str>,
        found: &mut Vec<ResolvedPath<'a>>,
    ) -> Result<(), UnknownName> {
        let rules = if by == NameSource::Dialect { self.names_of(&way) } else { None };
        let row = |name: &str| rules.and_then(|rules| rules.rows.iter().find(|(row, _)| *row == name));
        let Some((name, rest)) = names.split_first() else {
            match row(TOP) {
                Some((_, paths)) => self.resolve_paths(&way, paths, found)?,
                None => found.push(way),
            }
            return Ok(());
        };
        if let Some((_, paths)) = row(name) {
            let mut stands_for = Vec::new();
            self.resolve_paths(&way, paths, &mut stands_for)?;
            before.push(name);
            for way in stands_for {
                self.walk(way, rest, by, &mut before.clone(), found)?;
            }
            return Ok(());
        }
        if let Some(path) = rules.and_then(|rules| rules.implied) {
            for way in self.raw(&way, path)? {
                self.walk(way, names, by, before, found)
                    .map_err(|_| self.unknown_name(&way_names(before), rules, None))?;
            }
            return Ok(());
        }
        let is_closed = rules.is_some_and(|rules| rules.only);
        // This is the Type of custom fields: a custom field may have the name `type`, too.
        if let (["type", part @ ("id" | "key")], PathEnd::Field(field)) = (names, &way.at)
            && *field.shape.element() == Shape::CustomFields
        {
            let path = way.path.iter().cloned().chain(std::iter::once("type".into())).collect();
            found.extend(self.of_document(&ResolvedPath { path, ..way.clone() }, "type", part, false));
            return Ok(());
        }
        match self.step(&way, name, by).filter(|_| !is_closed) {
            Some(next) => {
                before.push(name);
                self.walk(next, rest, by, before, found)
            }
            None => Err(self.unknown_name(&way_names(before), rules, Some(&way))),
        }
    }

    fn resolve_paths(
        &self,
        from: &ResolvedPath<'a>,
        paths: &[&str],
        found: &mut Vec<ResolvedPath<'a>>,
    ) -> Result<(), UnknownName> {
        for path in paths {
            found.extend(self.raw(from, path)?);
        }
        Ok(())
    }

    /// Resolves one more name by the model.
    fn step(&self, way: &ResolvedPath<'a>, name: &str, by: NameSource) -> Option<ResolvedPath<'a>> {
        let further = |names: &[&str], shape: FieldShape<'a>| ResolvedPath {
            path: way.path.iter().cloned().chain(names.iter().map(|name| (*name).into())).collect(),
            many: way.many || shape.shape.is_list() || *shape.shape == Shape::Json,
            in_pairs: way.in_pairs,
            at: PathEnd::Field(shape),
            type_id: None,
        };
        let field = match &way.at {
            PathEnd::Top => {
                let DialectRoot::Parts(parts) = self.dialect.about else { return None };
                let (_, object) = parts.iter().find(|(part, _)| *part == name)?;
                return Some(further(&[name], self.object(object)?));
            }
            PathEnd::Document { type_id, whole } => {
                let is_free = *whole || by == NameSource::Model;
                return self.of_document(way, type_id, name, is_free);
            }
            PathEnd::Field(field) => field,
        };
        match field.shape.element() {
            Shape::Reference(targets) => {
                let type_id = targets.single().map(|kind| self.model.kind(kind).type_id.as_str());
                match (name, type_id) {
                    ("id", _) => {
                        Some(ResolvedPath { type_id, ..further(&[name], field_with_shape(Shape::String)) })
                    }
                    (_, Some(type_id)) => self.of_document(way, type_id, name, by == NameSource::Model),
                    (_, None) => None,
                }
            }
            Shape::KeyReference(_) => {
                (name == "key").then(|| further(&[name], field_with_shape(Shape::String)))
            }
            Shape::CustomFields => Some(further(&["fields", name], field_with_shape(Shape::Json))),
            _ => {
                let scope = NameScope { model: Some(self.model), ..NameScope::anything() };
                let place = scope.nested_place(field)?;
                if is_name_and_value(&place) && field.shape.is_list() {
                    return Some(ResolvedPath {
                        in_pairs: true,
                        ..further(&[name], field_with_shape(Shape::Json))
                    });
                }
                match scope.field(&place, name) {
                    // A virtual field, which no document stores, exists in queries only.
                    Some(below) if below.lowercase => None,
                    Some(below) => {
                        let name = below.stored_as.clone().unwrap_or(name.into());
                        Some(ResolvedPath {
                            type_id: self.referenced_type_id(field, &name),
                            ..further(&[&*name], below)
                        })
                    }
                    None => {
                        let named = self.id_fields_at(&place).find(|named| named.name == name)?;
                        let at = PathEnd::Document { type_id: named.type_id, whole: named.has_all_fields };
                        Some(ResolvedPath { at, ..further(&[name], field_with_shape(Shape::String)) })
                    }
                }
            }
        }
    }

    /// Resolves a field of a document that a reference or a text names.
    fn of_document(
        &self,
        way: &ResolvedPath<'a>,
        type_id: &str,
        name: &str,
        is_free: bool,
    ) -> Option<ResolvedPath<'a>> {
        if !is_free && name != "id" && name != "key" {
            return None;
        }
        let kind = self.model.kind(self.model.kind_by_type_id(type_id)?);
        let scope = NameScope::of_kind(self.model, kind);
        let shape = match (name, scope.field(&scope.root(), name)) {
            (_, Some(field)) if !field.lowercase => field,
            // The model has no fields of kinds that are not served yet.
            ("id" | "key", None) => field_with_shape(Shape::String),
            _ => return None,
        };
        Some(ResolvedPath {
            path: way.path.iter().cloned().chain(std::iter::once(name.into())).collect(),
            many: way.many || shape.shape.is_list() || *shape.shape == Shape::Json,
            in_pairs: way.in_pairs,
            at: PathEnd::Field(shape),
            type_id: (name == "id").then_some(kind.type_id.as_str()),
        })
    }

    /// Returns the `typeId` of the document that an object's field `id` references, for shapes that have one.
    fn referenced_type_id(&self, field: &FieldShape<'a>, name: &str) -> Option<&'a str> {
        let Shape::Object(object) = *field.shape.element() else { return None };
        let mut kinds = self.model.kinds().filter(|_| name == "id");
        kinds.find(|(_, kind)| kind.object == object).map(|(_, kind)| kind.type_id.as_str())
    }

    pub(super) fn object(&self, name: &str) -> Option<FieldShape<'a>> {
        Some(field_with_shape(Shape::Object(self.model.object_by_name(name)?)))
    }

    /// Returns the possible objects of a value at a place.
    fn objects_at(&self, way: &ResolvedPath<'a>) -> Vec<&'a Object> {
        let scope = NameScope { model: Some(self.model), ..NameScope::anything() };
        match &way.at {
            PathEnd::Field(field) => match scope.nested_place(field) {
                Some(ScopePlace::Objects(objects)) => objects,
                _ => Vec::new(),
            },
            PathEnd::Top | PathEnd::Document { .. } => Vec::new(),
        }
    }

    fn names_of(&self, way: &ResolvedPath<'a>) -> Option<&'static NameMapping> {
        if matches!(way.at, PathEnd::Top) {
            return self.dialect.names.iter().find(|names| names.of == TOP);
        }
        let objects = self.objects_at(way);
        self.dialect.names.iter().find(|names| objects.iter().any(|object| object.name == names.of))
    }

    fn id_fields_at<'s>(
        &'s self,
        place: &'s ScopePlace<'a>,
    ) -> impl Iterator<Item = &'static DocumentIdField> + 's {
        let has = |field: &str| match place {
            ScopePlace::Objects(objects) => objects.iter().any(|object| object.field(field).is_some()),
            _ => false,
        };
        self.dialect.id_fields.iter().filter(move |named| has(named.field))
    }

    /// Returns how values at the end of a way compare; `None` for objects, which only contain other fields.
    pub(super) fn form(&self, way: &ResolvedPath<'a>) -> Option<ComparisonForm> {
        let PathEnd::Field(field) = &way.at else { return None };
        match field.shape.element() {
            Shape::Object(_) | Shape::Union(_) => {
                let objects = self.objects_at(way);
                objects.iter().all(|object| is_amount(object)).then_some(ComparisonForm::Amount)
            }
            shape => ComparisonForm::from_shape(shape),
        }
    }

    fn unknown_name(
        &self,
        before: &str,
        rules: Option<&'static NameMapping>,
        way: Option<&ResolvedPath<'a>>,
    ) -> UnknownName {
        let mut names: Vec<String> = Vec::new();
        let rows = rules.iter().flat_map(|rules| rules.rows).map(|(name, _)| *name);
        let implied = rules.and_then(|rules| rules.implied).and_then(|path| {
            let way = self.raw(&self.top(), path).ok()?.into_iter().next()?;
            self.names_of(&way)
        });
        let implied = implied.iter().flat_map(|rules| rules.rows).map(|(name, _)| *name);
        names.extend(rows.chain(implied).filter(|name| !name.is_empty()).map(str::to_owned));
        if let Some(way) = way.filter(|_| rules.is_none_or(|rules| !rules.only)) {
            names.extend(self.names_by_model(way));
        }
        names.sort_unstable();
        names.dedup();
        UnknownName { expected: names.into_iter().map(|name| format!("{before}{name}")).collect() }
    }

    fn names_by_model(&self, way: &ResolvedPath<'a>) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match &way.at {
            PathEnd::Top => Vec::new(),
            PathEnd::Document { type_id, whole: true } => {
                let kind = self.model.kind_by_type_id(type_id).map(|kind| self.model.kind(kind));
                let fields = kind.iter().flat_map(|kind| &self.model.object(kind.object).fields);
                fields.map(|field| field.name.clone()).collect()
            }
            PathEnd::Document { whole: false, .. } => owned(&["id", "key"]),
            PathEnd::Field(field) => match field.shape.element() {
                Shape::Reference(_) => owned(&["id", "key"]),
                Shape::KeyReference(_) => owned(&["key"]),
                Shape::Localized | Shape::Map(_) | Shape::Json | Shape::AnyObject | Shape::CustomFields => {
                    owned(&["<name>"])
                }
                _ => {
                    let place = ScopePlace::Objects(self.objects_at(way));
                    let named = self.id_fields_at(&place).map(|named| named.name);
                    place.known_names().into_iter().chain(named).map(str::to_owned).collect()
                }
            },
        }
    }
}

fn way_names(before: &[&str]) -> String {
    before.iter().map(|name| format!("{name}.")).collect()
}

fn field_with_shape<'a>(shape: Shape) -> FieldShape<'a> {
    FieldShape::new(Cow::Owned(shape))
}

/// Returns whether objects are pairs of a name and any value: a name below a list of them selects the value
/// of that name.
fn is_name_and_value(place: &ScopePlace<'_>) -> bool {
    let ScopePlace::Objects(objects) = place else { return false };
    objects.iter().all(|object| {
        let open = object.field("value").is_some_and(|value| value.shape == Shape::Json);
        object.fields.len() == 2 && open && object.field("name").is_some()
    })
}

/// Whether objects of this type are amounts of a currency.
fn is_amount(object: &Object) -> bool {
    object.field("currencyCode").is_some() && object.field("centAmount").is_some()
}
