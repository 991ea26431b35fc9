//! What is derived when all objects are known: union tags, indexed paths.

use super::names::Names;
use crate::Model;
use crate::kind::is_reference;
use crate::shape::{ObjectId, Shape};
use std::collections::HashSet;

/// How deep indexed paths are looked for; objects may contain themselves.
const INDEX_DEPTH_MAX: usize = 4;

pub(super) fn derive(_names: &Names, model: &mut Model) {
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
    for index in 0..model.kinds.len() {
        if !model.kinds[index].is_served {
            continue;
        }
        let mut found = Vec::new();
        collect(model, model.kinds[index].object, &mut Vec::new(), &mut found);
        // Members of a union may lead to the same path.
        let mut seen = HashSet::new();
        found.retain(|path| seen.insert(path.clone()));
        model.kinds[index].indexed = found;
    }
    model.referrers.resize(model.kinds.len(), Vec::new());
}

fn collect(model: &Model, object: ObjectId, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    if path.len() >= INDEX_DEPTH_MAX {
        return;
    }
    for field in &model.object(object).fields {
        path.push(field.name.clone());
        match field.shape.element() {
            shape if is_reference(shape) && (field.indexed || !field.inherited) => {
                let end = if matches!(shape, Shape::KeyReference(_)) { "key" } else { "id" };
                found.push(path.iter().cloned().chain([end.to_owned()]).collect());
            }
            // Whoever has custom fields of a Type is looked for when the Type changes.
            Shape::CustomFields => {
                found
                    .push(path.iter().map(String::as_str).chain(["type", "id"]).map(str::to_owned).collect());
            }
            // What every resource inherits (who created it) is not worth a row a document.
            Shape::Object(inner) if !field.inherited => collect(model, *inner, path, found),
            Shape::Union(union) if !field.inherited => {
                for (_, member) in &model.union(*union).members {
                    collect(model, *member, path, found);
                }
            }
            _ if field.indexed => found.push(path.clone()),
            _ => {}
        }
        path.pop();
    }
}
