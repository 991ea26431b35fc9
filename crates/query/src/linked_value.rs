//! Documents for conditions of dialects, including the targets of their references.
//!
//! A path leads through lists, to all their elements; through references and ids, to fields of the documents
//! that they name; and in lists of names with values, to the value of a name.

use crate::amount::CurrencyAmount;
use crate::condition::Condition;
use crate::document_id_field::{DocumentIdField, DocumentLoader, TOP};
use crate::evaluate::condition_holds;
use crate::json::EvaluableJson;
use crate::value::Scalar;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value};
use std::borrow::Cow;
use std::cell::RefCell;

/// A value within documents, with access to the documents that it references.
pub(crate) struct LinkedValue<'a> {
    node: LinkedNode<'a>,
    documents: &'a LinkedDocuments<'a>,
}

enum LinkedNode<'a> {
    /// Documents by their names.
    Parts(&'a [(&'a str, &'a Map)]),
    Value(&'a Value),
    /// A computed value, or one of another document.
    Found(Value),
}

/// Access to other documents.
struct LinkedDocuments<'a> {
    id_fields: &'static [DocumentIdField],
    find: &'a DocumentLoader<'a>,
    /// The first failure of a load: the result is invalid then.
    failed: RefCell<Option<ApiError>>,
}

impl LinkedValue<'_> {
    /// Evaluates a condition on documents, each with a name that paths begin with. A single document may have the
    /// name [`TOP`], which paths omit.
    pub(crate) fn evaluate_linked(
        condition: &Condition,
        parts: &[(&str, &Map)],
        id_fields: &'static [DocumentIdField],
        find: &DocumentLoader<'_>,
    ) -> ApiResult<bool> {
        let world = LinkedDocuments { id_fields, find, failed: RefCell::default() };
        let response = condition_holds(
            condition,
            &LinkedValue { node: LinkedNode::Parts(parts), documents: &world },
            None,
        );
        match world.failed.into_inner() {
            None => Ok(response),
            Some(error) => Err(error),
        }
    }
}

impl<'a> EvaluableJson for LinkedValue<'a> {
    fn value_at(&self, path: &[Box<str>]) -> Option<Self> {
        let node = match &self.node {
            LinkedNode::Parts([(TOP, object)]) => {
                self.documents.in_object(object, path).map(LinkedNode::from)
            }
            LinkedNode::Parts(parts) => {
                let (first, rest) = path.split_first()?;
                let (_, object) = parts.iter().find(|(name, _)| *name == &**first)?;
                self.documents.in_object(object, rest).map(LinkedNode::from)
            }
            LinkedNode::Value(value) => self.documents.value_at_path(value, path).map(LinkedNode::from),
            LinkedNode::Found(value) => {
                self.documents.value_at_path(value, path).map(|found| LinkedNode::Found(found.into_owned()))
            }
        };
        node.map(|node| LinkedValue { node, documents: self.documents })
    }

    /// Enum values compare by their keys, references by their ids.
    fn scalar(&self) -> Scalar<'_> {
        match self.value() {
            Some(Value::Object(object)) => {
                let text = |name: &str| object.get(name).and_then(Value::as_str);
                match (CurrencyAmount::from_money(object), text("key").or_else(|| text("id"))) {
                    (Some(amount), _) => Scalar::Amount(amount),
                    (None, Some(text)) => Scalar::Text(Cow::Borrowed(text)),
                    (None, None) => Scalar::Other,
                }
            }
            Some(value) => scalar_of(value),
            None => Scalar::Other,
        }
    }

    fn any_element(&self, mut test: impl FnMut(&Self) -> bool) -> Option<bool> {
        let within = |node: LinkedNode<'a>| LinkedValue { node, documents: self.documents };
        match &self.node {
            LinkedNode::Value(Value::Array(items)) => {
                Some(items.iter().any(|item| test(&within(LinkedNode::Value(item)))))
            }
            LinkedNode::Found(Value::Array(items)) => {
                Some(items.iter().any(|item| test(&within(LinkedNode::Found(item.clone())))))
            }
            _ => None,
        }
    }

    fn count(&self, max: usize) -> Option<usize> {
        self.value().and_then(|value| value.count(max))
    }

    fn is_equal(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl LinkedValue<'_> {
    fn value(&self) -> Option<&Value> {
        match &self.node {
            LinkedNode::Parts(_) => None,
            LinkedNode::Value(value) => Some(value),
            LinkedNode::Found(value) => Some(value),
        }
    }
}

impl<'a> From<Cow<'a, Value>> for LinkedNode<'a> {
    fn from(found: Cow<'a, Value>) -> Self {
        match found {
            Cow::Borrowed(value) => LinkedNode::Value(value),
            Cow::Owned(value) => LinkedNode::Found(value),
        }
    }
}

/// Returns the comparable form of a value that is no object.
fn scalar_of(value: &Value) -> Scalar<'_> {
    match value {
        Value::Bool(boolean) => Scalar::Boolean(*boolean),
        Value::String(text) => Scalar::Text(Cow::Borrowed(text)),
        Value::Number(number) => crate::json::number(number),
        _ => Scalar::Other,
    }
}

impl LinkedDocuments<'_> {
    /// Returns the value at a path; `None` if it is missing or `null`.
    fn value_at_path<'v>(&self, value: &'v Value, path: &[Box<str>]) -> Option<Cow<'v, Value>> {
        match (value, path) {
            (Value::Null, _) => None,
            (_, []) => Some(Cow::Borrowed(value)),
            (Value::Object(object), _) => self.in_object(object, path),
            (Value::Array(items), _) => self.in_list(items, path).map(Cow::Owned),
            _ => None,
        }
    }

    fn in_object<'v>(&self, object: &'v Map, path: &[Box<str>]) -> Option<Cow<'v, Value>> {
        let (name, rest) = path.split_first()?;
        match object.get(&**name) {
            Some(value) => self.value_at_path(value, rest),
            None => self.elsewhere(object, path).map(Cow::Owned),
        }
    }

    /// Collects the values of all elements; an empty list if there are none.
    fn in_list(&self, items: &[Value], path: &[Box<str>]) -> Option<Value> {
        let mut all = Vec::new();
        for item in items {
            match self.in_element(item, path).map(Cow::into_owned) {
                Some(Value::Array(found)) => all.extend(found),
                Some(found) => all.push(found),
                None => {}
            }
        }
        (items.is_empty() || !all.is_empty()).then_some(Value::Array(all))
    }

    /// Returns the value of a name-value pair, or the value at a path of another element.
    fn in_element<'v>(&self, item: &'v Value, path: &[Box<str>]) -> Option<Cow<'v, Value>> {
        let pair = item.as_object().filter(|object| object.len() == 2);
        match (pair.and_then(|object| object.get("name")), pair.and_then(|object| object.get("value"))) {
            (Some(name), Some(value)) => {
                let (wanted, rest) = path.split_first()?;
                (name.as_str() == Some(&**wanted)).then(|| self.value_at_path(value, rest)).flatten()
            }
            _ => self.value_at_path(item, path),
        }
    }

    /// Returns a value that is stored in another document, which the object references.
    fn elsewhere(&self, object: &Map, path: &[Box<str>]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        let text = |field: &str| object.get(field).and_then(Value::as_str);
        if let (Some(type_id), Some(id)) = (text("typeId"), text("id")) {
            return self.in_document(type_id, id, path);
        }
        let named = self.id_fields.iter().find(|named| *named.name == **name)?;
        let Some(id) = text(named.field) else {
            let [field] = rest else { return None };
            let (_, own) = named.otherwise.iter().find(|(name, _)| *name == &**field)?;
            return object.get(*own).cloned();
        };
        match rest {
            [] => Some(id.into()),
            [field] if &**field == "id" => Some(id.into()),
            _ => self.in_document(named.type_id, id, rest),
        }
    }

    fn in_document(&self, type_id: &str, id: &str, path: &[Box<str>]) -> Option<Value> {
        match (self.find)(type_id, id) {
            Ok(found) => self.in_object(&*found?, path).map(Cow::into_owned),
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                None
            }
        }
    }
}
