//! Computes the update actions that bring a document to the state of an import resource. Start at [`Difference`].
//!
//! An import resource is complete: optional fields that it lacks are removed, unless the API has no action
//! for that. Without a difference there are no actions, and the document keeps its version.

use crate::outcome::{ImportFailure, ImportResult};
use crate::references::References;
use kontor_engine::{Document, document};
use kontor_json::{Map, Value, json};

/// A field, the update action that sets it, and the action's argument.
pub(crate) type Setter = (&'static str, &'static str, &'static str);

/// The difference between a document and a draft.
pub(crate) struct Difference<'a> {
    pub(crate) before: &'a Document,
    pub(crate) draft: &'a Document,
    pub(crate) references: &'a References,
    pub(crate) actions: Vec<Value>,
    /// Immutable fields that were sent with other values.
    fixed: Vec<String>,
}

static NULL: Value = Value::Null;

impl<'a> Difference<'a> {
    /// Starts a comparison without any fields.
    pub(crate) fn new(before: &'a Document, draft: &'a Document, references: &'a References) -> Self {
        Self { before, draft, references, actions: Vec::new(), fixed: Vec::new() }
    }

    /// Returns the stored and the imported value of a field; null if it is absent.
    fn pair(&self, field: &str) -> (&'a Value, &'a Value) {
        (self.before.get(field).unwrap_or(&NULL), self.draft.get(field).unwrap_or(&NULL))
    }

    /// Whether a field already has the imported value.
    pub(crate) fn is_same(&self, field: &str) -> bool {
        let (before, sent) = self.pair(field);
        is_same_value(before, sent, self.references)
    }

    /// Compares fields that are removed if the import lacks them.
    pub(crate) fn compare_fields(&mut self, setters: &[Setter]) {
        for (field, action, argument) in setters {
            if !self.is_same(field) {
                let mut action = json!({"action": action});
                if let Some(value) = self.draft.get(*field) {
                    action[argument] = value.clone();
                }
                self.actions.push(action);
            }
        }
    }

    /// Compares lists that are emptied if the import lacks them.
    pub(crate) fn compare_lists(&mut self, setters: &[Setter]) {
        for (field, action, argument) in setters {
            let list = |value: &'a Value| value.as_array().map(Vec::as_slice).unwrap_or_default();
            let (before, sent) = self.pair(field);
            if !same_lists(list(before), list(sent), self.references) {
                self.actions.push(json!({"action": action, *argument: list(sent)}));
            }
        }
    }

    /// Compares fields that stay if the import lacks them.
    pub(crate) fn compare_optional_fields(&mut self, setters: &[Setter]) {
        for (field, action, argument) in setters {
            if let Some(value) = self.draft.get(*field)
                && !self.is_same(field)
            {
                self.actions.push(json!({"action": action, *argument: value}));
            }
        }
    }

    /// Checks immutable fields. Optional ones are compared if they are imported.
    pub(crate) fn compare_immutable_fields(&mut self, fields: &[&str]) {
        for field in fields {
            if self.draft.contains_key(*field) && !self.is_same(field) {
                self.fixed.push((*field).to_owned());
            }
        }
    }

    /// Records that an immutable field was sent with another value.
    pub(crate) fn refuse(&mut self, field: &str) {
        self.fixed.push(field.to_owned());
    }

    /// Compares all custom fields, which one action replaces together.
    pub(crate) fn compare_custom_fields(&mut self) {
        if !self.is_same("custom") {
            self.actions.push(custom_type("setCustomType", self.draft.get("custom"), Map::new()));
        }
    }

    /// Compares the validity period of a price or a discount code.
    pub(crate) fn compare_validity(&mut self) {
        if !self.is_same("validFrom") || !self.is_same("validUntil") {
            let mut action = json!({"action": "setValidFromAndUntil"});
            for field in ["validFrom", "validUntil"] {
                if let Some(value) = self.draft.get(field) {
                    action[field] = value.clone();
                }
            }
            self.actions.push(action);
        }
    }

    /// Returns all actions. Fails if an immutable field would change.
    pub(crate) fn into_actions(self) -> ImportResult<Vec<Value>> {
        if self.fixed.is_empty() {
            Ok(self.actions)
        } else {
            Err(ImportFailure::immutable_fields(&self.fixed))
        }
    }
}

/// Returns an action that sets or removes the Type of custom fields.
pub(crate) fn custom_type(action: &str, custom: Option<&Value>, also: Map) -> Value {
    let mut made = json!({"action": action});
    if let Value::Object(made) = &mut made {
        made.extend(also);
        if let Some(Value::Object(custom)) = custom {
            made.extend(custom.clone());
        }
    }
    made
}

/// Fields of stored values that drafts may lack: the platform computes them or has a default.
const WORKED_OUT: [&str; 3] = ["id", "type", "fractionDigits"];

/// Returns whether a stored value equals the imported one, apart from fields that the platform adds.
pub(crate) fn is_same_value(before: &Value, sent: &Value, references: &References) -> bool {
    match (before, sent) {
        (Value::Object(before), Value::Object(sent)) => {
            if let Some(is_same) = same_reference(before, sent, references) {
                return is_same;
            }
            sent.iter().all(|(name, value)| match before.get(name) {
                Some(before) => is_same_value(before, value, references),
                // Sent with the default value, and stored without.
                None => WORKED_OUT.contains(&name.as_str()) || is_empty(value),
            }) && before.iter().all(|(name, value)| {
                sent.contains_key(name) || WORKED_OUT.contains(&name.as_str()) || is_empty(value)
            })
        }
        (Value::Array(before), Value::Array(sent)) => same_lists(before, sent, references),
        (Value::Number(before), Value::Number(sent)) => before.as_f64() == sent.as_f64(),
        (before, sent) => before == sent || (is_empty(before) && is_empty(sent)),
    }
}

/// Whether a stored reference has the target that was sent by its key; `None` if no key was sent.
fn same_reference(before: &Document, sent: &Document, references: &References) -> Option<bool> {
    let (type_id, key) = text(sent, "typeId").zip(text(sent, "key")).filter(|_| !sent.contains_key("id"))?;
    Some(match text(before, "key") {
        Some(known) => known == key,
        None => {
            let id = references.id((type_id, key, text(sent, "container")));
            id.is_some() && id == text(before, "id")
        }
    })
}

/// Returns whether a stored value contains everything of the imported one. Elements of a document have
/// additional ids.
pub(crate) fn contains_value(before: &Value, sent: &Value, references: &References) -> bool {
    match (before, sent) {
        (Value::Object(before), Value::Object(sent)) => same_reference(before, sent, references)
            .unwrap_or_else(|| {
                let is_part = !sent.contains_key("typeId");
                sent.iter().all(|(name, value)| match before.get(name) {
                    Some(_) if name == "id" && is_part => true,
                    Some(before) => contains_value(before, value, references),
                    None => WORKED_OUT.contains(&name.as_str()) || is_empty(value),
                })
            }),
        (Value::Array(before), Value::Array(sent)) => {
            before.len() == sent.len()
                && before.iter().zip(sent).all(|(one, sent)| contains_value(one, sent, references))
        }
        (before, sent) => is_same_value(before, sent, references),
    }
}

fn same_lists(before: &[Value], sent: &[Value], references: &References) -> bool {
    before.len() == sent.len()
        && before.iter().zip(sent).all(|(before, sent)| is_same_value(before, sent, references))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

fn text<'v>(object: &'v Map, name: &str) -> Option<&'v str> {
    document::text(object, &[name])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(before: Value, sent: Value) -> bool {
        is_same_value(&before, &sent, &References::default())
    }

    #[test]
    fn ignores_fields_that_the_platform_adds() {
        let money =
            json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": 1, "fractionDigits": 2});
        assert!(is_same(money.clone(), json!({"currencyCode": "EUR", "centAmount": 1})));
        assert!(!is_same(money, json!({"currencyCode": "EUR", "centAmount": 2})));
        assert!(is_same(json!({"id": "x", "name": "a"}), json!({"name": "a"})));
        assert!(is_same(Value::Null, json!([])));
        assert!(!is_same(json!([1]), json!([])));
        assert!(!is_same(json!({"name": "a", "title": "b"}), json!({"name": "a"})));
        assert!(is_same(json!({"typeId": "store", "key": "a"}), json!({"typeId": "store", "key": "a"})));
        assert!(!is_same(json!({"typeId": "channel", "id": "1"}), json!({"typeId": "channel", "key": "a"})));
    }

    #[test]
    fn a_stored_value_may_have_more_fields_than_the_sent_one() {
        let holds = |before: Value, sent: Value| contains_value(&before, &sent, &References::default());
        let line = json!({"id": "x", "quantity": 2, "state": [{"quantity": 2}], "addedAt": "2020"});
        assert!(holds(line.clone(), json!({"quantity": 2})));
        assert!(holds(line.clone(), json!({"id": "other", "quantity": 2, "state": [{"quantity": 2}]})));
        assert!(!holds(line.clone(), json!({"quantity": 3})));
        assert!(!holds(line.clone(), json!({"quantity": 2, "custom": {"a": 1}})));
        assert!(!holds(json!([line]), json!([])));
        let reference = |id: &str| json!({"typeId": "channel", "id": id});
        assert!(!holds(reference("1"), reference("2")));
    }
}
