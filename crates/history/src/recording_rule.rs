//! The row types of the tables in [`crate::changes`]: how the change of a field is recorded.

use crate::diff::{ChangeCollector, ChangeName, ObjectChange, change};
use kontor_engine::Document;
use kontor_json::Value;

/// A row: how a differing field of an object is recorded.
pub(crate) struct FieldRow {
    /// The field.
    pub(crate) field: &'static str,
    /// How it is recorded.
    pub(crate) rule: RecordingRule,
}

/// How the change of a field is recorded.
pub(crate) enum RecordingRule {
    /// `previousValue` and `nextValue`.
    Value(ChangeName),
    /// `previousValue` and `nextValue` of a list, with `addedItems` and `removedItems`.
    List(ChangeName),
    /// The fields of the object have rows of their own.
    Parts(&'static [FieldRow]),
    /// List elements matched by an identifying value.
    Each(&'static ElementRule),
    /// Custom fields: another Type, or one changed field.
    Custom {
        /// The Type was set, changed or removed.
        of_type: ChangeName,
        /// One field has changed.
        field: ChangeName,
    },
    /// A flag that is set or cleared, without values.
    Switch {
        /// The flag was set.
        on: Option<ChangeName>,
        /// The flag was cleared.
        off: Option<ChangeName>,
    },
    /// A Rust function, with the changes that it may record. It gets the object with the field.
    Rust(&'static [ChangeName], fn(&ObjectChange<'_>, &mut ChangeCollector<'_>)),
    /// Not recorded: the field follows from others, or no change is documented.
    Silent,
}

/// Returns the recorded form of an element.
type ElementForm = fn(&Value) -> Value;

/// How changes of a list's elements are recorded.
pub(crate) struct ElementRule {
    /// The path of the identifying value of an element; empty: the element itself.
    pub(crate) by: &'static [&'static str],
    /// An element was added: `nextValue`.
    pub(crate) added: Option<ChangeName>,
    /// An element was removed: `previousValue`.
    pub(crate) removed: Option<ChangeName>,
    /// Another element is at the position of an old one.
    pub(crate) replaced: Option<ChangeName>,
    /// Elements were added or removed: the whole list is recorded.
    pub(crate) listed: Option<ChangeName>,
    /// A field of an element without a row differs: both values of the element.
    pub(crate) changed: Option<ChangeName>,
    /// A changed order: the recorded form of each element.
    pub(crate) arranged: Option<(ChangeName, ElementForm)>,
    /// If the whole list is recorded at an addition or removal: the field for the element.
    pub(crate) element_field: Option<&'static str>,
    /// Returns the fields that all changes inside of an element contain.
    pub(crate) about: fn(&Document) -> Vec<(&'static str, Value)>,
    /// The rows of an element's fields.
    pub(crate) rows: &'static [FieldRow],
}

impl ElementRule {
    /// Elements with an id, without recorded changes.
    pub(crate) const NOTHING: Self = Self {
        by: &["id"],
        added: None,
        removed: None,
        replaced: None,
        listed: None,
        changed: None,
        arranged: None,
        element_field: None,
        about: no_fields,
        rows: &[],
    };
}

fn no_fields(_: &Document) -> Vec<(&'static str, Value)> {
    Vec::new()
}

/// A field whose old and new value are recorded.
pub(crate) const fn value(field: &'static str, name: ChangeName) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Value(name) }
}

/// A list that is recorded as a whole.
pub(crate) const fn list(field: &'static str, name: ChangeName) -> FieldRow {
    FieldRow { field, rule: RecordingRule::List(name) }
}

/// An object with rows of its own.
pub(crate) const fn parts(field: &'static str, rows: &'static [FieldRow]) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Parts(rows) }
}

/// A list whose elements are compared one by one.
pub(crate) const fn element_list(field: &'static str, each: &'static ElementRule) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Each(each) }
}

/// Custom fields, with the changes for another Type and for a field.
pub(crate) const fn custom(field: &'static str, of_type: ChangeName, of_field: ChangeName) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Custom { of_type, field: of_field } }
}

/// The custom fields of a resource.
pub(crate) const CUSTOM: FieldRow = custom("custom", change("setCustomType"), change("setCustomField"));

/// A field recorded by a Rust function.
pub(crate) const fn rust(
    field: &'static str,
    names: &'static [ChangeName],
    tell: fn(&ObjectChange<'_>, &mut ChangeCollector<'_>),
) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Rust(names, tell) }
}

/// A field that is not recorded.
pub(crate) const fn silent(field: &'static str) -> FieldRow {
    FieldRow { field, rule: RecordingRule::Silent }
}

/// Collects all changes that the rows may record.
pub(crate) fn names(rows: &'static [FieldRow], found: &mut Vec<ChangeName>) {
    for row in rows {
        match &row.rule {
            RecordingRule::Value(name) | RecordingRule::List(name) => found.push(*name),
            RecordingRule::Parts(rows) => names(rows, found),
            RecordingRule::Each(each) => {
                found.extend(
                    [each.added, each.removed, each.replaced, each.listed, each.changed].iter().flatten(),
                );
                found.extend(each.arranged.map(|(name, _)| name));
                names(each.rows, found);
            }
            RecordingRule::Custom { of_type, field } => found.extend([*of_type, *field]),
            RecordingRule::Switch { on, off } => found.extend([*on, *off].iter().flatten()),
            RecordingRule::Rust(named, _) => found.extend(*named),
            RecordingRule::Silent => {}
        }
    }
}
