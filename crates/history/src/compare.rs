//! Compares two states of a document by the rows of its kind, and records the differences. Start at [`document`].

use crate::diff::{ChangeCollector, ChangeName, ObjectChange, items, typed};
use crate::list_index::{IndexedList, missing_in, value_at};
use crate::recording_rule::{ElementRule, FieldRow, RecordingRule};
use kontor_engine::Document;
use kontor_json::{Value, json};
use std::sync::LazyLock;

/// Fields that change with every write of a document, and are not recorded.
const TECHNICAL: [&str; 7] = [
    "id",
    "version",
    "createdAt",
    "createdBy",
    "lastModifiedAt",
    "lastModifiedBy",
    "lastMessageSequenceNumber",
];

/// Records all differing fields of a document, also those without a row.
pub(crate) fn document(rows: &'static [FieldRow], changes: &mut ChangeCollector<'_>) {
    let sides = changes.document;
    let mut differing = sides.differing();
    differing.retain(|field| !TECHNICAL.contains(field));
    if differing.is_empty() {
        return;
    }
    for row in rows.iter().filter(|row| differing.contains(&row.field)) {
        field(row, &sides, changes);
    }
    for unknown in differing.into_iter().filter(|field| rows.iter().all(|row| row.field != *field)) {
        let (before, after) = sides.values(unknown);
        changes.record(UNKNOWN, before, after);
    }
}

/// The change of a field without a row (reference type `UnknownChange`).
pub(crate) const UNKNOWN: ChangeName = typed("unknown", "Unknown");

/// Records the differing fields of an object.
pub(crate) fn object(
    rows: &'static [FieldRow],
    change: &ObjectChange<'_>,
    changes: &mut ChangeCollector<'_>,
) {
    for row in rows.iter().filter(|row| change.differ(row.field)) {
        field(row, change, changes);
    }
}

/// Records a differing field.
fn field(row: &'static FieldRow, change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values(row.field);
    match &row.rule {
        RecordingRule::Value(name) => changes.record(*name, before, after),
        RecordingRule::List(name) => whole_list(*name, before, after, changes),
        RecordingRule::Parts(rows) => {
            object(rows, &ObjectChange { before: fields_of(before), after: fields_of(after) }, changes);
        }
        RecordingRule::Each(each) => elements(each, before, after, changes),
        RecordingRule::Custom { of_type, field } => custom_fields(*of_type, *field, before, after, changes),
        RecordingRule::Switch { on, off } => {
            let name = if after == Some(&Value::Bool(true)) { on } else { off };
            if let Some(name) = name {
                changes.record(*name, None, None);
            }
        }
        RecordingRule::Rust(_, tell) => tell(change, changes),
        RecordingRule::Silent => {}
    }
}

/// Records custom fields: a different Type as a whole, otherwise each field.
pub(crate) fn custom_fields(
    of_type: ChangeName,
    of_field: ChangeName,
    before: Option<&Value>,
    after: Option<&Value>,
    changes: &mut ChangeCollector<'_>,
) {
    let type_id = |custom: Option<&Value>| custom.and_then(|custom| custom.pointer("/type/id").cloned());
    let (Some(before), Some(after), true) = (before, after, type_id(before) == type_id(after)) else {
        changes.record(of_type, before, after);
        return;
    };
    let sides =
        ObjectChange { before: fields_of(before.get("fields")), after: fields_of(after.get("fields")) };
    for name in sides.names() {
        let (previous, next) = sides.values(name);
        if previous != next {
            let customized = type_id(Some(after)).unwrap_or_default();
            changes.record_with(
                of_field,
                previous,
                next,
                [("name", json!(name)), ("customTypeId", customized)],
            );
        }
    }
}

/// Records a list as a whole, with its added and removed elements.
pub(crate) fn whole_list(
    name: ChangeName,
    before: Option<&Value>,
    after: Option<&Value>,
    changes: &mut ChangeCollector<'_>,
) {
    let (old, new) = (items(before), items(after));
    let missing = |these, those| -> Value { missing_in(these, those).into_iter().cloned().collect() };
    let (added, removed) = (missing(new, old), missing(old, new));
    changes.record_with(name, before, after, [("addedItems", added), ("removedItems", removed)]);
}

/// Records the changes of a list's elements.
pub(crate) fn elements(
    rule: &'static ElementRule,
    before: Option<&Value>,
    after: Option<&Value>,
    changes: &mut ChangeCollector<'_>,
) {
    let (old, new) = (items(before), items(after));
    let (in_old, in_new) = (IndexedList::new(old, rule.by), IndexedList::new(new, rule.by));
    let gone: Vec<usize> = (0..old.len()).filter(|at| in_new.position(&old[*at], *at).is_none()).collect();
    let come: Vec<usize> = (0..new.len()).filter(|at| in_old.position(&new[*at], *at).is_none()).collect();
    let is_one = |place: &usize, of: &[usize]| of.binary_search(place).is_ok();
    let is_replaced = |place: &usize| rule.replaced.is_some() && is_one(place, &gone) && is_one(place, &come);
    if let Some(name) = rule.listed.filter(|_| !gone.is_empty() || !come.is_empty()) {
        let all = |places: &[usize], of: &[Value]| -> Value {
            places.iter().map(|place| of[*place].clone()).collect()
        };
        let (added, removed) = (all(&come, new), all(&gone, old));
        changes.record_with(name, before, after, [("addedItems", added), ("removedItems", removed)]);
    }
    for place in &gone {
        match (rule.replaced, rule.removed) {
            (Some(name), _) if is_replaced(place) => changes.record(name, old.get(*place), new.get(*place)),
            (_, Some(name)) => {
                record_element(rule, name, (Some(&old[*place]), None), (before, after), changes)
            }
            _ => {}
        }
    }
    for (place, one) in new.iter().enumerate() {
        match in_old.position(one, place) {
            Some(was) if old[was] != *one => element(rule, &old[was], one, changes),
            Some(_) => {}
            None if is_replaced(&place) => {}
            None => {
                if let Some(name) = rule.added {
                    record_element(rule, name, (None, Some(one)), (before, after), changes);
                }
            }
        }
    }
    if let Some((name, shown)) = rule.arranged {
        let staying = |list: &[Value], without: &[usize]| -> Vec<Option<Value>> {
            let stays = list.iter().enumerate().filter(|(place, _)| !is_one(place, without));
            stays.map(|(_, one)| value_at(one, rule.by).cloned()).collect()
        };
        if staying(old, &gone) != staying(new, &come) {
            let all = |list: &[Value]| -> Value { list.iter().map(shown).collect() };
            changes.record(name, Some(&all(old)), Some(&all(new)));
        }
    }
}

/// Records an added or removed element.
fn record_element(
    rule: &'static ElementRule,
    name: ChangeName,
    (old, new): (Option<&Value>, Option<&Value>),
    (before, after): (Option<&Value>, Option<&Value>),
    changes: &mut ChangeCollector<'_>,
) {
    match (rule.element_field, old.or(new)) {
        (Some(field), Some(one)) => changes.record_with(name, before, after, [(field, one.clone())]),
        _ => changes.record(name, old, new),
    }
}

/// Records a differing element.
fn element(rule: &'static ElementRule, old: &Value, new: &Value, changes: &mut ChangeCollector<'_>) {
    let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else { return };
    let sides = ObjectChange { before, after };
    if let Some(name) = rule.changed {
        let is_told_elsewhere = |field: &kontor_json::Name| rule.rows.iter().any(|row| row.field == field);
        let fields = before.keys().chain(after.keys());
        if fields.filter(|field| !is_told_elsewhere(field)).any(|field| sides.differ(field)) {
            let about = (rule.about)(after);
            changes.with_context(about, |changes| changes.record(name, Some(old), Some(new)));
        }
    }
    changes.with_context((rule.about)(after), |changes| object(rule.rows, &sides, changes));
}

/// Returns the fields of an object; none for another value.
fn fields_of(value: Option<&Value>) -> &Document {
    static NOTHING: LazyLock<Document> = LazyLock::new(Document::new);
    value.and_then(Value::as_object).unwrap_or(&NOTHING)
}
