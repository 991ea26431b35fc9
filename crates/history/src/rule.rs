//! The row types of the tables in [`crate::changes`]: how the change of a field is recorded.

use crate::told::{Name, Sides, Told, change};
use kontor_engine::Document;
use kontor_json::Value;

/// A row: how a differing field of an object is recorded.
pub(crate) struct Row {
    /// The field.
    pub(crate) field: &'static str,
    /// How it is recorded.
    pub(crate) rule: Rule,
}

/// How the change of a field is recorded.
pub(crate) enum Rule {
    /// `previousValue` and `nextValue`.
    Value(Name),
    /// `previousValue` and `nextValue` of a list, with `addedItems` and `removedItems`.
    List(Name),
    /// The fields of the object have rows of their own.
    Parts(&'static [Row]),
    /// List elements matched by an identifying value.
    Each(&'static Each),
    /// Custom fields: another Type, or one changed field.
    Custom {
        /// The Type was set, changed or removed.
        of_type: Name,
        /// One field has changed.
        field: Name,
    },
    /// A flag that is set or cleared, without values.
    Switch {
        /// The flag was set.
        on: Option<Name>,
        /// The flag was cleared.
        off: Option<Name>,
    },
    /// A Rust function, with the changes that it may record. It gets the object with the field.
    Rust(&'static [Name], fn(&Sides<'_>, &mut Told<'_>)),
    /// Not recorded: the field follows from others, or no change is documented.
    Silent,
}

/// Returns the recorded form of an element.
type Shown = fn(&Value) -> Value;

/// How changes of a list's elements are recorded.
pub(crate) struct Each {
    /// The path of the identifying value of an element; empty: the element itself.
    pub(crate) by: &'static [&'static str],
    /// An element was added: `nextValue`.
    pub(crate) added: Option<Name>,
    /// An element was removed: `previousValue`.
    pub(crate) removed: Option<Name>,
    /// Another element is at the position of an old one.
    pub(crate) replaced: Option<Name>,
    /// Elements were added or removed: the whole list is recorded.
    pub(crate) listed: Option<Name>,
    /// A field of an element without a row differs: both values of the element.
    pub(crate) changed: Option<Name>,
    /// A changed order: the recorded form of each element.
    pub(crate) arranged: Option<(Name, Shown)>,
    /// If the whole list is recorded at an addition or removal: the field for the element.
    pub(crate) beside: Option<&'static str>,
    /// Returns the fields that all changes inside of an element contain.
    pub(crate) about: fn(&Document) -> Vec<(&'static str, Value)>,
    /// The rows of an element's fields.
    pub(crate) rows: &'static [Row],
}

impl Each {
    /// Elements with an id, without recorded changes.
    pub(crate) const NOTHING: Self = Self {
        by: &["id"],
        added: None,
        removed: None,
        replaced: None,
        listed: None,
        changed: None,
        arranged: None,
        beside: None,
        about: nothing,
        rows: &[],
    };
}

fn nothing(_: &Document) -> Vec<(&'static str, Value)> {
    Vec::new()
}

/// A field whose old and new value are recorded.
pub(crate) const fn value(field: &'static str, name: Name) -> Row {
    Row { field, rule: Rule::Value(name) }
}

/// A list that is recorded as a whole.
pub(crate) const fn list(field: &'static str, name: Name) -> Row {
    Row { field, rule: Rule::List(name) }
}

/// An object with rows of its own.
pub(crate) const fn parts(field: &'static str, rows: &'static [Row]) -> Row {
    Row { field, rule: Rule::Parts(rows) }
}

/// A list whose elements are compared one by one.
pub(crate) const fn each(field: &'static str, each: &'static Each) -> Row {
    Row { field, rule: Rule::Each(each) }
}

/// Custom fields, with the changes for another Type and for a field.
pub(crate) const fn custom(field: &'static str, of_type: Name, of_field: Name) -> Row {
    Row { field, rule: Rule::Custom { of_type, field: of_field } }
}

/// The custom fields of a resource.
pub(crate) const CUSTOM: Row = custom("custom", change("setCustomType"), change("setCustomField"));

/// A field recorded by a Rust function.
pub(crate) const fn rust(
    field: &'static str,
    names: &'static [Name],
    tell: fn(&Sides<'_>, &mut Told<'_>),
) -> Row {
    Row { field, rule: Rule::Rust(names, tell) }
}

/// A field that is not recorded.
pub(crate) const fn silent(field: &'static str) -> Row {
    Row { field, rule: Rule::Silent }
}

/// Collects all changes that the rows may record.
pub(crate) fn names(rows: &'static [Row], found: &mut Vec<Name>) {
    for row in rows {
        match &row.rule {
            Rule::Value(name) | Rule::List(name) => found.push(*name),
            Rule::Parts(rows) => names(rows, found),
            Rule::Each(each) => {
                found.extend(
                    [each.added, each.removed, each.replaced, each.listed, each.changed].iter().flatten(),
                );
                found.extend(each.arranged.map(|(name, _)| name));
                names(each.rows, found);
            }
            Rule::Custom { of_type, field } => found.extend([*of_type, *field]),
            Rule::Switch { on, off } => found.extend([*on, *off].iter().flatten()),
            Rule::Rust(named, _) => found.extend(*named),
            Rule::Silent => {}
        }
    }
}
