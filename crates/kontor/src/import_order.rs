//! The order in which resource types are imported: each after those that its drafts refer to.

use crate::import_rules::{creating_actions, is_settings};
use crate::resource_paths::unit_field;
use kontor_model::{Kind, KindId, Model, ObjectId, ReferenceKinds, Shape};
use std::collections::HashSet;

/// The resource type that defines custom fields.
const TYPE: &str = "type";

/// Returns all resource types in import order: project settings first, then each type after those that its drafts refer
/// to. A cycle is cut where the traversal of the model enters it.
pub(crate) fn import_order_of_kinds(model: &Model) -> Vec<KindId> {
    let mut sequence = Vec::new();
    let mut seen = HashSet::new();
    let mut kinds: Vec<(KindId, &Kind)> = model.kinds().collect();
    kinds.sort_by_key(|(_, kind)| !is_settings(kind));
    for (kind, _) in kinds {
        visit(model, kind, &mut seen, &mut sequence);
    }
    sequence
}

/// True if documents of one resource type may refer to documents of another.
pub(crate) fn refers_to(model: &Model, kind: KindId, other: KindId) -> bool {
    let mut targets = Vec::new();
    targets_of(model, model.kind(kind).object, &mut HashSet::new(), &mut targets);
    targets.contains(&other)
}

fn visit(model: &Model, kind: KindId, seen: &mut HashSet<KindId>, sequence: &mut Vec<KindId>) {
    if !seen.insert(kind) {
        return;
    }
    let entry = model.kind(kind);
    let is_made_by_actions = !creating_actions(entry).is_empty();
    if let Some(sent) = entry.draft.or(is_made_by_actions.then_some(entry.object)) {
        let mut targets = Vec::new();
        if unit_field(entry).is_some() {
            targets.extend(model.unit_kind());
        }
        targets_of(model, sent, &mut HashSet::new(), &mut targets);
        for target in targets {
            visit(model, target, seen, sequence);
        }
    }
    sequence.push(kind);
}

fn targets_of(model: &Model, object: ObjectId, seen: &mut HashSet<ObjectId>, targets: &mut Vec<KindId>) {
    if !seen.insert(object) {
        return;
    }
    for field in &model.object(object).fields {
        shape_targets(model, &field.shape, seen, targets);
    }
}

fn shape_targets(model: &Model, shape: &Shape, seen: &mut HashSet<ObjectId>, targets: &mut Vec<KindId>) {
    match shape {
        Shape::List(inner) | Shape::Map(inner) => shape_targets(model, inner, seen, targets),
        Shape::Object(object) => targets_of(model, *object, seen, targets),
        Shape::Union(union) => {
            for (_, member) in &model.union(*union).members {
                targets_of(model, *member, seen, targets);
            }
        }
        Shape::CustomFieldsDraft | Shape::CustomFields => targets.extend(model.kind_by_type_id(TYPE)),
        Shape::Identifier(ReferenceKinds::Kinds(kinds))
        | Shape::Reference(ReferenceKinds::Kinds(kinds))
        | Shape::KeyReference(ReferenceKinds::Kinds(kinds)) => targets.extend(kinds),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_comes_after_those_that_it_refers_to() {
        let model = Model::embedded().unwrap();
        let sequence = import_order_of_kinds(&model);
        let place = |type_id: &str| {
            let kind = model.kind_by_type_id(type_id).unwrap();
            sequence.iter().position(|other| *other == kind).unwrap()
        };
        assert_eq!(sequence.len(), model.kinds().count());
        assert_eq!(place("project"), 0, "what is created depends on the settings");
        for (first, then) in [
            ("channel", "store"),
            ("type", "channel"),
            ("state", "review"),
            ("state", "payment"),
            ("business-unit", "approval-rule"),
            ("product", "product-selection-assignment"),
            ("product-selection", "product-selection-assignment"),
        ] {
            assert!(place(first) < place(then), "{first} before {then}");
        }
    }
}
