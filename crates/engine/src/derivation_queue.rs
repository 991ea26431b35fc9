//! Creates the work items of a change: derived fields of other documents that must be updated.
//!
//! They are written in the same commit as the change. [`crate::derive`] processes them.

use crate::derivation::{ChangeFilter, Dependents, Hop, JoinedDerivation};
use crate::document::{self, Document};
use crate::rules::Rules;
use kontor_json::json;
use kontor_model::KindId;
use kontor_storage::{Commit, IndexValue, Put, Write};

/// The kind under which work items are stored. It is no kind of the model, so no API shows it.
pub(crate) const WORK: &str = "derivation";
/// The kind of work items that are due later.
pub(crate) const LATER: &str = "derivation-later";
/// The indexed path of the time at which such an item is due.
pub(crate) const AT: &str = "at";
/// The id of a work item for all documents of a kind.
pub(crate) const ALL: &str = "*";

/// Returns the work items of a changed document.
pub(crate) fn work_items_of(
    kind: KindId,
    before: Option<&Document>,
    after: Option<&Document>,
    rules: &Rules<'_>,
) -> Vec<Put> {
    let derivations = rules.behaviours.derivations_from(kind);
    let followed: Vec<&JoinedDerivation> =
        derivations.filter(|joined| matters_to(&joined.derivation.dependents, before, after)).collect();
    let between: Vec<&str> = followed.iter().flat_map(|joined| kinds_between(joined, rules)).collect();
    rules.look_up_presence(&between);
    let mut items = Vec::new();
    for joined in followed {
        if !kinds_between(joined, rules).all(|kind| rules.may_have_documents(kind)) {
            continue;
        }
        match joined.derivation.dependents {
            Dependents::ReferringAt { .. }
            | Dependents::WithCustomFields { .. }
            | Dependents::Through { .. } => {
                let id = before.and_then(|before| document::text(before, &["id"]));
                items.extend(id.map(|id| work_item(joined, id)));
            }
            Dependents::ReferredAt { path, .. } | Dependents::Sharing { value: path, .. } => {
                let sides = [before, after].into_iter().flatten();
                items.extend(
                    sides.filter_map(|side| document::text(side, path)).map(|id| work_item(joined, id)),
                );
            }
            Dependents::Holding { values, .. } => {
                let of = |side: Option<&Document>| side.map(values).unwrap_or_default();
                let mut values = of(before);
                values.extend(of(after));
                values.sort_unstable();
                values.dedup();
                if !values.is_empty() {
                    items.push(value_item(joined, &rules.new_id(), &values));
                }
            }
            Dependents::All { when, at, .. } => {
                if differ_in_fields(before, after, when) {
                    items.push(work_item(joined, ALL));
                }
                items.extend(at.iter().filter_map(|field| later_item(joined, field, after?, rules)));
            }
        }
    }
    items.dedup_by(|a, b| a.id == b.id);
    items
}

/// Whether a change affects dependents.
fn matters_to(dependents: &Dependents, before: Option<&Document>, after: Option<&Document>) -> bool {
    match *dependents {
        // A new document has no references to it yet.
        Dependents::ReferringAt { when, .. } | Dependents::Through { when, .. } => {
            before.is_some() && matters(when, before, after)
        }
        Dependents::WithCustomFields { when } => before.is_some() && differ_in_fields(before, after, when),
        Dependents::ReferredAt { when, .. } | Dependents::Sharing { when, .. } => {
            differ_in_fields(before, after, when)
        }
        Dependents::Holding { when, .. } => matters(when, before, after),
        // Derivations that wait for a time need an item after any change.
        Dependents::All { .. } => true,
    }
}

/// Returns the names of the intermediate kinds; without documents of them there are no dependents.
fn kinds_between<'r>(joined: &'r JoinedDerivation, rules: &Rules<'r>) -> impl Iterator<Item = &'r str> {
    let hops: &[Hop] = match joined.derivation.dependents {
        Dependents::Through { hops, .. } => hops,
        _ => &[],
    };
    let holder = match joined.derivation.dependents {
        Dependents::ReferringAt { .. } | Dependents::Through { .. } | Dependents::Holding { .. } => {
            Some(rules.model.kind(joined.holder).name.as_str())
        }
        _ => None,
    };
    hops.iter().map(|hop| hop.kind).chain(holder)
}

/// Whether one of the fields has changed.
fn differ_in_fields(before: Option<&Document>, after: Option<&Document>, fields: &[&str]) -> bool {
    fields.iter().any(|field| {
        before.and_then(|before| before.get(*field)) != after.and_then(|after| after.get(*field))
    })
}

/// Whether a change matters. A creation or deletion matters if the document has one of the fields.
fn matters(when: ChangeFilter, before: Option<&Document>, after: Option<&Document>) -> bool {
    match (when, before, after) {
        (ChangeFilter::Fields(fields), ..) => differ_in_fields(before, after, fields),
        (ChangeFilter::Differs(differs), Some(before), Some(after)) => differs(before, after),
        (ChangeFilter::Differs(_), ..) => true,
    }
}

/// Returns the work item for documents with one of `values`. Each change has an item of its own, so that none
/// replaces the values of another.
fn value_item(joined: &JoinedDerivation, id: &str, values: &[String]) -> Put {
    let body = json!({"derivation": joined.name, "id": id, "values": values});
    Put { body: body.to_string().into(), ..work_item(joined, id) }
}

/// Returns the work item for all documents at a time in the future.
fn later_item(joined: &JoinedDerivation, field: &str, source: &Document, rules: &Rules<'_>) -> Option<Put> {
    let time = document::text(source, &[field])?;
    if time <= rules.time() {
        return None;
    }
    let id = document::text(source, &["id"])?;
    Some(Put {
        kind: LATER.to_owned(),
        id: format!("{}:{id}:{field}", joined.name),
        indexed: vec![(AT.to_owned(), IndexValue::Text(time.to_owned()))],
        ..work_item(joined, ALL)
    })
}

/// True for a commit that writes work items.
pub(crate) fn has_work_items(commit: &Commit) -> bool {
    commit.writes.iter().any(|write| matches!(write, Write::Put(put) if put.kind == WORK))
}

/// Returns the work item for the documents that follow from one document, or from [`ALL`].
pub(crate) fn work_item(joined: &JoinedDerivation, id: &str) -> Put {
    Put {
        kind: WORK.to_owned(),
        id: format!("{}:{id}", joined.name),
        version: 1,
        body: json!({"derivation": joined.name, "id": id}).to_string().into(),
        ..Put::default()
    }
}
