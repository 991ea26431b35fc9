//! Derives data of the model after parsing: union tags, indexed paths, references between kinds, masked values.

use super::names::DeclaredNames;
use crate::Model;
use crate::id::{KindId, ObjectId};
use crate::kind::{PROVIDED_IDENTIFIERS, PairIndex, Referrer};
use crate::projection::ProjectionPlace;
use crate::shape::{Field, OnDelete, ReferenceKinds, Shape};

/// Maximum depth of indexed paths; objects may contain themselves.
const INDEX_DEPTH_MAX: usize = 6;

pub(super) fn derive(_names: &DeclaredNames, model: &mut Model) {
    for index in 0..model.unions.len() {
        let members = model.unions[index].members.clone();
        model.unions[index].members = members
            .into_iter()
            .map(|(_, object)| {
                let entry = model.object(object);
                (entry.tag.clone().unwrap_or_else(|| entry.name.clone()), object)
            })
            .collect();
    }
    model.referrers.resize(model.kinds.len(), Vec::new());
    for index in 0..model.kinds.len() {
        if !model.kinds[index].is_served {
            continue;
        }
        // Projections are not stored: they have no index and block no deletion.
        if model.kinds[index].projection.is_some() {
            project(model, index);
            continue;
        }
        let mut found = CollectedPaths::default();
        collect(model, model.kinds[index].object, &mut Vec::new(), &mut found);
        model.kinds[index].indexed = found.indexed;
        model.kinds[index].lowercased = found.lowercased;
        model.kinds[index].masked = masked_in(model, &model.object(model.kinds[index].object).fields, 0);
        model.kinds[index].custom_fields = found.custom_fields;
        model.kinds[index].provided_identifiers = identifiers_in(model, model.kinds[index].object);
        model.kinds[index].pairs = found.pairs;
        for (target, path, on_delete) in found.references {
            model.referrers[target.index()].push(Referrer { kind: KindId::new(index), path, on_delete });
        }
        // Recorded of the platform: a Type is not deleted while documents have Custom Fields of it.
        if let Some(custom_type) = model.kind_by_type_id("type") {
            for path in model.kinds[index].custom_fields.clone() {
                let kind = KindId::new(index);
                model.referrers[custom_type.index()].push(Referrer {
                    kind,
                    path,
                    on_delete: OnDelete::Block,
                });
            }
        }
    }
    mask_messages(model);
}

/// Returns the fields of an object that are user-provided identifiers.
fn identifiers_in(model: &Model, object: ObjectId) -> Vec<String> {
    let names = model.object_by_name(PROVIDED_IDENTIFIERS).map(|names| &model.object(names).fields[..]);
    let fields = names.unwrap_or_default().iter().map(|field| field.name.clone());
    fields.filter(|name| model.object(object).field(name).is_some()).collect()
}

/// Returns the paths of masked values below these fields. A field of a Message may contain a whole document.
fn masked_in(model: &Model, fields: &[Field], depth: usize) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for field in fields.iter().filter(|_| depth < INDEX_DEPTH_MAX) {
        let below = match &field.shape {
            _ if field.masked => vec![Vec::new()],
            Shape::Object(inner) if !field.inherited => {
                masked_in(model, &model.object(*inner).fields, depth + 1)
            }
            _ => Vec::new(),
        };
        found.extend(below.into_iter().map(|rest| [vec![field.name.clone()], rest].concat()));
    }
    found
}

/// Sets the paths of masked values in Messages: in their own fields, and in the documents that they contain.
fn mask_messages(model: &mut Model) {
    for index in 0..model.messages.len() {
        let message = &model.messages[index];
        let mut masked = masked_in(model, &message.fields, 0);
        if let Some(kind) = model.kinds.iter().find(|kind| kind.type_id == message.resource) {
            let whole = |path: &Vec<String>| [vec![kind.camel_name()], path.clone()].concat();
            masked.extend(kind.masked.iter().map(whole));
        }
        model.messages[index].masked = masked;
    }
}

/// Finds the places of a projection's fields in the stored documents.
fn project(model: &mut Model, index: usize) {
    let Some(projection) = &model.kinds[index].projection else { return };
    let object_at = |object: ObjectId, name: &str| match model.object(object).field(name)?.shape {
        Shape::Object(inner) => Some(inner),
        _ => None,
    };
    let of = model.kind(projection.of).object;
    let is_beside = projection.within.is_empty();
    let within = if is_beside { Some(of) } else { object_at(of, &projection.within) };
    let side = within.and_then(|within| object_at(within, &projection.current));
    let has = |object: Option<ObjectId>, name: &str| {
        object.is_some_and(|object| model.object(object).field(name).is_some())
    };
    let staged = within.and_then(|within| model.object(within).field(&projection.staged));
    let else_current = staged.is_some_and(|staged| !staged.required);
    let fields = model.object(model.kinds[index].object).fields.iter().map(|field| {
        let place = match &field.name {
            name if has(side, name) => ProjectionPlace::Side,
            name if !is_beside && has(within, name) => ProjectionPlace::Within,
            _ => ProjectionPlace::Document,
        };
        (field.name.clone(), place)
    });
    let fields = fields.collect();
    if let Some(projection) = &mut model.kinds[index].projection {
        projection.fields = fields;
        projection.else_current = else_current;
    }
}

/// The paths in the documents of one kind.
#[derive(Default)]
struct CollectedPaths {
    indexed: Vec<Vec<String>>,
    custom_fields: Vec<Vec<String>>,
    /// Paths of name-value pairs.
    pairs: Vec<PairIndex>,
    /// Paths of texts with a lower-case index, and the path of that index.
    lowercased: Vec<(Vec<String>, Vec<String>)>,
    /// References to known kinds, with their indexed paths.
    references: Vec<(KindId, Vec<String>, OnDelete)>,
}

impl CollectedPaths {
    /// Adds a path once: members of a union may lead to the same one.
    fn index(&mut self, path: Vec<String>) {
        if !self.indexed.contains(&path) {
            self.indexed.push(path);
        }
    }
}

fn collect(model: &Model, object: ObjectId, path: &mut Vec<String>, found: &mut CollectedPaths) {
    if path.len() >= INDEX_DEPTH_MAX {
        return;
    }
    for field in &model.object(object).fields {
        // Fields that are never stored have no index rows, and neither do snapshots of other documents.
        if field.spliced || field.snapshot {
            continue;
        }
        path.push(field.name.clone());
        let below = |ends: &[&str]| -> Vec<String> {
            path.iter().map(String::as_str).chain(ends.iter().copied()).map(str::to_owned).collect()
        };
        match field.shape.element() {
            shape @ (Shape::Reference(targets) | Shape::KeyReference(targets))
                if field.indexed || !field.inherited =>
            {
                let end = if matches!(shape, Shape::KeyReference(_)) { "key" } else { "id" };
                if let ReferenceKinds::Kinds(kinds) = targets {
                    for kind in kinds {
                        let is_meant = field.on_delete_of.is_empty() || field.on_delete_of.contains(kind);
                        let on_delete = if is_meant { field.on_delete } else { OnDelete::Dangle };
                        let reference = (*kind, below(&[end]), on_delete);
                        if !found.references.contains(&reference) {
                            found.references.push(reference);
                        }
                    }
                }
                found.index(below(&[end]));
            }
            // Documents with custom fields of a Type are looked up when the Type changes.
            Shape::CustomFields => {
                let path = below(&["type", "id"]);
                // Members of a union may lead to the same path.
                if !found.custom_fields.contains(&path) {
                    found.custom_fields.push(path.clone());
                }
                found.index(path);
            }
            // Inherited fields (e.g. `createdBy`) are not worth a row per document.
            Shape::Object(inner) if !field.inherited => collect(model, *inner, path, found),
            Shape::Union(union) if !field.inherited => {
                for (_, member) in &model.union(*union).members {
                    collect(model, *member, path, found);
                }
            }
            Shape::Localized | Shape::Map(_) if field.indexed => {
                let rows = format!("{}.{}", model.object(object).name, field.name);
                found.pairs.push(PairIndex { path: path.clone(), rows, fields: None });
            }
            _ if field.indexed => {
                if let Some(name) = &field.lowercase {
                    let beside = path.iter().rev().skip(1).rev().chain([name]).cloned().collect();
                    found.lowercased.push((path.clone(), beside));
                }
                found.index(path.clone());
            }
            _ => {}
        }
        path.pop();
    }
}
