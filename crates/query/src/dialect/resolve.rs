//! Resolves the names of a dialect into paths of documents with their shapes.

use super::{About, Dialect, Named, Names, TOP};
use crate::condition::Path;
use crate::literal::Form;
use crate::scope::{FieldShape, Place, Scope};
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
pub(super) struct Way<'a> {
    pub(super) path: Path,
    pub(super) at: At<'a>,
    /// Whether there may be several values.
    pub(super) many: bool,
    /// Whether the path goes through a list of name-value pairs: an empty list has no value for any name.
    pub(super) in_pairs: bool,
    /// The `typeId`, if the value is the id of a document.
    pub(super) names: Option<&'a str>,
}

/// The end of a path.
#[derive(Debug, Clone)]
pub(super) enum At<'a> {
    /// The root of a dialect over several objects.
    Top,
    /// A value with a shape.
    Field(FieldShape<'a>),
    /// A document that a text references. Only its id and key can be used, unless it is `whole`.
    Document { type_id: &'static str, whole: bool },
}

/// The set of allowed names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The names of the dialect.
    Dialect,
    /// The names of the model, and all fields of reference targets: for paths in tables.
    Model,
}

/// The error for an unknown name: lists the allowed ones.
pub(super) struct Unknown {
    pub(super) expected: Vec<String>,
}

impl<'a> Resolver<'a> {
    /// Returns the root of predicates.
    pub(super) fn top(&self) -> Way<'a> {
        let at = match self.dialect.about {
            About::Parts(_) => At::Top,
            About::Object(name) => self.object(name).map_or(At::Top, At::Field),
        };
        Way { path: Path::new(), at, many: false, in_pairs: false, names: None }
    }

    /// Resolves a dotted name relative to a position.
    pub(super) fn resolve(&self, from: &Way<'a>, name: &str) -> Result<Vec<Way<'a>>, Unknown> {
        let mut found = Vec::new();
        let names: Vec<&str> = name.split('.').collect();
        self.walk(from.clone(), &names, By::Dialect, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Resolves a path of a table, with the names of the model.
    pub(super) fn raw(&self, from: &Way<'a>, path: &str) -> Result<Vec<Way<'a>>, Unknown> {
        let mut found = Vec::new();
        let names: Vec<&str> = path.split('.').collect();
        self.walk(from.clone(), &names, By::Model, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    fn walk<'n>(
        &self,
        way: Way<'a>,
        names: &[&'n str],
        by: By,
        before: &mut Vec<&'n str>,
        found: &mut Vec<Way<'a>>,
    ) -> Result<(), Unknown> {
        let rules = if by == By::Dialect { self.names_of(&way) } else { None };
        let row = |name: &str| rules.and_then(|rules| rules.rows.iter().find(|(row, _)| *row == name));
        let Some((name, rest)) = names.split_first() else {
            match row(TOP) {
                Some((_, paths)) => self.through(&way, paths, found)?,
                None => found.push(way),
            }
            return Ok(());
        };
        if let Some((_, paths)) = row(name) {
            let mut stands_for = Vec::new();
            self.through(&way, paths, &mut stands_for)?;
            before.push(name);
            for way in stands_for {
                self.walk(way, rest, by, &mut before.clone(), found)?;
            }
            return Ok(());
        }
        if let Some(path) = rules.and_then(|rules| rules.implied) {
            for way in self.raw(&way, path)? {
                self.walk(way, names, by, before, found)
                    .map_err(|_| self.unknown(&way_names(before), rules, None))?;
            }
            return Ok(());
        }
        let is_closed = rules.is_some_and(|rules| rules.only);
        // This is the Type of custom fields: a custom field may have the name `type`, too.
        if let (["type", part @ ("id" | "key")], At::Field(field)) = (names, &way.at)
            && *field.shape.element() == Shape::CustomFields
        {
            let path = way.path.iter().cloned().chain(std::iter::once("type".into())).collect();
            found.extend(self.of_document(&Way { path, ..way.clone() }, "type", part, false));
            return Ok(());
        }
        match self.step(&way, name, by).filter(|_| !is_closed) {
            Some(next) => {
                before.push(name);
                self.walk(next, rest, by, before, found)
            }
            None => Err(self.unknown(&way_names(before), rules, Some(&way))),
        }
    }

    fn through(&self, from: &Way<'a>, paths: &[&str], found: &mut Vec<Way<'a>>) -> Result<(), Unknown> {
        for path in paths {
            found.extend(self.raw(from, path)?);
        }
        Ok(())
    }

    /// Resolves one more name by the model.
    fn step(&self, way: &Way<'a>, name: &str, by: By) -> Option<Way<'a>> {
        let further = |names: &[&str], shape: FieldShape<'a>| Way {
            path: way.path.iter().cloned().chain(names.iter().map(|name| (*name).into())).collect(),
            many: way.many || shape.shape.is_list() || *shape.shape == Shape::Json,
            in_pairs: way.in_pairs,
            at: At::Field(shape),
            names: None,
        };
        let field = match &way.at {
            At::Top => {
                let About::Parts(parts) = self.dialect.about else { return None };
                let (_, object) = parts.iter().find(|(part, _)| *part == name)?;
                return Some(further(&[name], self.object(object)?));
            }
            At::Document { type_id, whole } => {
                let is_free = *whole || by == By::Model;
                return self.of_document(way, type_id, name, is_free);
            }
            At::Field(field) => field,
        };
        match field.shape.element() {
            Shape::Reference(targets) => {
                let type_id = targets.single().map(|kind| self.model.kind(kind).type_id.as_str());
                match (name, type_id) {
                    ("id", _) => Some(Way { names: type_id, ..further(&[name], plain(Shape::String)) }),
                    (_, Some(type_id)) => self.of_document(way, type_id, name, by == By::Model),
                    (_, None) => None,
                }
            }
            Shape::KeyReference(_) => (name == "key").then(|| further(&[name], plain(Shape::String))),
            Shape::CustomFields => Some(further(&["fields", name], plain(Shape::Json))),
            _ => {
                let scope = Scope { model: Some(self.model), ..Scope::anything() };
                let place = scope.below(field)?;
                if is_name_and_value(&place) && field.shape.is_list() {
                    return Some(Way { in_pairs: true, ..further(&[name], plain(Shape::Json)) });
                }
                match scope.field(&place, name) {
                    // A virtual field, which no document stores, exists in queries only.
                    Some(below) if below.lowercase => None,
                    Some(below) => {
                        let name = below.stored_as.clone().unwrap_or(name.into());
                        Some(Way { names: self.named_by(field, &name), ..further(&[&*name], below) })
                    }
                    None => {
                        let named = self.named_at(&place).find(|named| named.name == name)?;
                        let at = At::Document { type_id: named.type_id, whole: named.whole };
                        Some(Way { at, ..further(&[name], plain(Shape::String)) })
                    }
                }
            }
        }
    }

    /// Resolves a field of a document that a reference or a text names.
    fn of_document(&self, way: &Way<'a>, type_id: &str, name: &str, is_free: bool) -> Option<Way<'a>> {
        if !is_free && name != "id" && name != "key" {
            return None;
        }
        let kind = self.model.kind(self.model.kind_by_type_id(type_id)?);
        let scope = Scope::of_kind(self.model, kind);
        let shape = match (name, scope.field(&scope.root(), name)) {
            (_, Some(field)) if !field.lowercase => field,
            // The model has no fields of kinds that are not served yet.
            ("id" | "key", None) => plain(Shape::String),
            _ => return None,
        };
        Some(Way {
            path: way.path.iter().cloned().chain(std::iter::once(name.into())).collect(),
            many: way.many || shape.shape.is_list() || *shape.shape == Shape::Json,
            in_pairs: way.in_pairs,
            at: At::Field(shape),
            names: (name == "id").then_some(kind.type_id.as_str()),
        })
    }

    /// Returns the `typeId` of the document that an object's field `id` references, for shapes that have one.
    fn named_by(&self, field: &FieldShape<'a>, name: &str) -> Option<&'a str> {
        let Shape::Object(object) = *field.shape.element() else { return None };
        let mut kinds = self.model.kinds().filter(|_| name == "id");
        kinds.find(|(_, kind)| kind.object == object).map(|(_, kind)| kind.type_id.as_str())
    }

    fn object(&self, name: &str) -> Option<FieldShape<'a>> {
        Some(plain(Shape::Object(self.model.object_by_name(name)?)))
    }

    /// Returns the possible objects of a value at a place.
    fn objects_at(&self, way: &Way<'a>) -> Vec<&'a Object> {
        let scope = Scope { model: Some(self.model), ..Scope::anything() };
        match &way.at {
            At::Field(field) => match scope.below(field) {
                Some(Place::Objects(objects)) => objects,
                _ => Vec::new(),
            },
            At::Top | At::Document { .. } => Vec::new(),
        }
    }

    fn names_of(&self, way: &Way<'a>) -> Option<&'static Names> {
        if matches!(way.at, At::Top) {
            return self.dialect.names.iter().find(|names| names.of == TOP);
        }
        let objects = self.objects_at(way);
        self.dialect.names.iter().find(|names| objects.iter().any(|object| object.name == names.of))
    }

    fn named_at<'s>(&'s self, place: &'s Place<'a>) -> impl Iterator<Item = &'static Named> + 's {
        let has = |field: &str| match place {
            Place::Objects(objects) => objects.iter().any(|object| object.field(field).is_some()),
            _ => false,
        };
        self.dialect.named.iter().filter(move |named| has(named.field))
    }

    /// Returns how values at the end of a way compare; `None` for objects, which only contain other fields.
    pub(super) fn form(&self, way: &Way<'a>) -> Option<Form> {
        let At::Field(field) = &way.at else { return None };
        match field.shape.element() {
            Shape::Object(_) | Shape::Union(_) => {
                let objects = self.objects_at(way);
                objects.iter().all(|object| is_amount(object)).then_some(Form::Amount)
            }
            shape => Form::of(shape),
        }
    }

    fn unknown(&self, before: &str, rules: Option<&'static Names>, way: Option<&Way<'a>>) -> Unknown {
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
        Unknown { expected: names.into_iter().map(|name| format!("{before}{name}")).collect() }
    }

    fn names_by_model(&self, way: &Way<'a>) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match &way.at {
            At::Top => Vec::new(),
            At::Document { type_id, whole: true } => {
                let kind = self.model.kind_by_type_id(type_id).map(|kind| self.model.kind(kind));
                let fields = kind.iter().flat_map(|kind| &self.model.object(kind.object).fields);
                fields.map(|field| field.name.clone()).collect()
            }
            At::Document { whole: false, .. } => owned(&["id", "key"]),
            At::Field(field) => match field.shape.element() {
                Shape::Reference(_) => owned(&["id", "key"]),
                Shape::KeyReference(_) => owned(&["key"]),
                Shape::Localized | Shape::Map(_) | Shape::Json | Shape::AnyObject | Shape::CustomFields => {
                    owned(&["<name>"])
                }
                _ => {
                    let place = Place::Objects(self.objects_at(way));
                    let named = self.named_at(&place).map(|named| named.name);
                    place.known_names().into_iter().chain(named).map(str::to_owned).collect()
                }
            },
        }
    }
}

/// Returns all rows of the tables whose paths do not exist in the model.
pub(super) fn problems(dialect: &'static Dialect, model: &Model) -> Vec<String> {
    let resolver = Resolver { dialect, model };
    let mut problems = Vec::new();
    let mut check = |from: Option<Way<'_>>, of: &str, paths: &[&str]| {
        for path in paths {
            if from.as_ref().is_none_or(|from| resolver.raw(from, path).is_err()) {
                problems.push(format!("'{path}' of '{of}' leads nowhere"));
            }
        }
    };
    for names in dialect.names {
        let from = match names.of {
            TOP => Some(resolver.top()),
            of => resolver.object(of).map(|shape| Way { at: At::Field(shape), ..resolver.top() }),
        };
        for (name, paths) in names.rows {
            check(from.clone(), &format!("{}.{name}", names.of), paths);
        }
        check(from, names.of, names.implied.as_slice());
    }
    for function in dialect.functions {
        check(Some(resolver.top()), function.name, function.of);
        if let super::Gives::Sum(addend) = function.gives {
            // A sum has exactly one list.
            let element = match function.of {
                [only] => resolver.raw(&resolver.top(), only).ok().and_then(|ways| ways.into_iter().next()),
                _ => None,
            };
            check(element, function.name, &[addend]);
        }
    }
    for named in dialect.named {
        if model.kind_by_type_id(named.type_id).is_none() {
            problems.push(format!("'{}' is no typeId", named.type_id));
        }
    }
    problems
}

fn way_names(before: &[&str]) -> String {
    before.iter().map(|name| format!("{name}.")).collect()
}

fn plain<'a>(shape: Shape) -> FieldShape<'a> {
    FieldShape::of_any(Cow::Owned(shape))
}

/// Returns whether objects are pairs of a name and any value: a name below a list of them selects the value
/// of that name.
fn is_name_and_value(place: &Place<'_>) -> bool {
    let Place::Objects(objects) = place else { return false };
    objects.iter().all(|object| {
        let open = object.field("value").is_some_and(|value| value.shape == Shape::Json);
        object.fields.len() == 2 && open && object.field("name").is_some()
    })
}

/// Whether objects of this type are amounts of a currency.
fn is_amount(object: &Object) -> bool {
    object.field("currencyCode").is_some() && object.field("centAmount").is_some()
}
