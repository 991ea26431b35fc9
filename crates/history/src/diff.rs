//! [`ObjectChange`]: an object before and after a change. [`ChangeCollector`]: the collector of the recorded changes.

use crate::json_writer::JsonListWriter;
use kontor_engine::Document;
use kontor_json::Value;
use std::borrow::Cow;

/// The name of a change (reference types `UpdateType` and `…Change`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangeName {
    /// The value of `change`.
    pub(crate) change: &'static str,
    /// The value of `type` without its suffix `Change`, if it differs from the name of the change.
    own_type: Option<&'static str>,
}

/// A change whose `type` follows from its name.
pub(crate) const fn change(change: &'static str) -> ChangeName {
    ChangeName { change, own_type: None }
}

/// A change whose `type` has another name, given without its suffix `Change`.
pub(crate) const fn typed(change: &'static str, own_type: &'static str) -> ChangeName {
    ChangeName { change, own_type: Some(own_type) }
}

impl ChangeName {
    /// Returns the value of `type` without its suffix `Change`: the capitalized name of the change, unless it has its
    /// own.
    pub(crate) fn own_type(self) -> Cow<'static, str> {
        match self.own_type {
            Some(own) => own.into(),
            None => {
                let mut name = self.change.to_owned();
                if let Some(first) = name.get_mut(..1) {
                    first.make_ascii_uppercase();
                }
                name.into()
            }
        }
    }
}

/// An object before and after a change.
#[derive(Clone, Copy)]
pub(crate) struct ObjectChange<'a> {
    pub(crate) before: &'a Document,
    pub(crate) after: &'a Document,
}

impl<'a> ObjectChange<'a> {
    /// Returns a field on both sides. Null counts as missing.
    pub(crate) fn values(&self, field: &str) -> (Option<&'a Value>, Option<&'a Value>) {
        let value = |object: &'a Document| object.get(field).filter(|value| !value.is_null());
        (value(self.before), value(self.after))
    }

    /// Returns the names of all fields, each once.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let Self { before, after } = *self;
        before.keys().chain(after.keys().filter(|name| !before.contains_key(*name))).map(|name| name.as_str())
    }

    /// Returns the names of the fields that differ.
    pub(crate) fn differing(&self) -> Vec<&'a str> {
        let Self { before, after } = *self;
        let mut differing = Vec::new();
        let mut others = after.iter().peekable();
        let mut in_both = 0;
        for (name, previous) in before {
            // Most fields are at the same position on both sides.
            let next = match others.next_if(|(other, _)| *other == name) {
                Some((_, next)) => Some(next),
                None => after.get(name),
            };
            in_both += usize::from(next.is_some());
            if next.unwrap_or(&Value::Null) != previous {
                differing.push(name.as_str());
            }
        }
        if in_both < after.len() {
            let is_new = |(name, next): &(&'a kontor_json::Name, &'a Value)| {
                !next.is_null() && !before.contains_key(*name)
            };
            differing.extend(after.iter().filter(is_new).map(|(name, _)| name.as_str()));
        }
        differing
    }

    /// Whether a field differs.
    pub(crate) fn differ(&self, field: &str) -> bool {
        let (before, after) = self.values(field);
        before != after
    }

    /// Returns the objects of a field, if both sides have one.
    pub(crate) fn objects(&self, field: &str) -> Option<ObjectChange<'a>> {
        let (before, after) = self.values(field);
        Some(ObjectChange { before: before?.as_object()?, after: after?.as_object()? })
    }

    /// Returns the lists of a field; a missing list is empty.
    pub(crate) fn lists(&self, field: &str) -> (&'a [Value], &'a [Value]) {
        let (before, after) = self.values(field);
        (items(before), items(after))
    }
}

/// Collects the changes of a document as JSON.
pub(crate) struct ChangeCollector<'a> {
    pub(crate) changes: JsonListWriter,
    /// The whole document.
    pub(crate) document: ObjectChange<'a>,
    /// The names of the requested update actions.
    pub(crate) actions: &'a [String],
    /// If set, only these changes are recorded.
    allowed_changes: Option<&'static [&'static str]>,
    /// Fields that all changes of the current part have.
    context: Vec<(&'static str, Value)>,
}

impl<'a> ChangeCollector<'a> {
    pub(crate) fn new(document: ObjectChange<'a>, actions: &'a [String]) -> Self {
        Self { changes: JsonListWriter::new(), document, actions, allowed_changes: None, context: Vec::new() }
    }

    /// Returns a collector that records only these changes.
    pub(crate) fn with_allowed_changes(self, names: &'static [&'static str]) -> Self {
        Self { allowed_changes: Some(names), ..self }
    }

    /// Whether the request contains an update action.
    pub(crate) fn has_action(&self, action: &str) -> bool {
        self.actions.iter().any(|name| name == action)
    }

    /// Records a change.
    pub(crate) fn record(&mut self, name: ChangeName, previous: Option<&Value>, next: Option<&Value>) {
        self.record_with(name, previous, next, []);
    }

    /// Records a change, with further fields.
    pub(crate) fn record_with<const N: usize>(
        &mut self,
        name: ChangeName,
        previous: Option<&Value>,
        next: Option<&Value>,
        further: [(&str, Value); N],
    ) {
        if self.allowed_changes.is_some_and(|only| !only.contains(&name.change)) {
            return;
        }
        let context = &self.context;
        self.changes.push(|change| {
            change.word("type", &name.own_type(), "Change");
            change.word("change", name.change, "");
            for (field, value) in context {
                change.value(field, value);
            }
            for (field, value) in further.iter().filter(|(_, value)| !value.is_null()) {
                change.value(field, value);
            }
            for (field, value) in [("previousValue", previous), ("nextValue", next)] {
                if let Some(value) = value {
                    change.value(field, value);
                }
            }
        });
    }

    /// Records the changes of `tell` with these additional fields.
    pub(crate) fn with_context(
        &mut self,
        fields: Vec<(&'static str, Value)>,
        record: impl FnOnce(&mut Self),
    ) {
        let outside = self.context.len();
        self.context.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
        record(self);
        self.context.truncate(outside);
    }
}

/// Returns the elements of a list; a missing list is empty.
pub(crate) fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn derives_the_type_from_the_change_by_default() {
        assert_eq!(change("setKey").own_type(), "SetKey");
        assert_eq!(typed("addRoles", "AddChannelRoles").own_type(), "AddChannelRoles");
    }

    #[test]
    fn finds_differing_fields_in_any_order() {
        let object = |value: Value| match value {
            Value::Object(object) => object,
            other => panic!("{other} is no object"),
        };
        let before = object(json!({"a": 1, "gone": 2, "b": 3, "null": null, "nothing": 4, "c": 5}));
        let after = object(json!({"b": 3, "a": 1, "nothing": null, "c": 6, "new": 7, "empty": null}));
        let sides = ObjectChange { before: &before, after: &after };
        assert_eq!(sides.differing(), ["gone", "nothing", "c", "new"]);
        for name in sides.names() {
            assert_eq!(sides.differing().contains(&name), sides.differ(name), "{name}");
        }
    }
}
