//! Fields that documents of earlier releases lack (`@ifAbsent`), and their values in such documents. Start at
//! [`AbsentFields::of`].
//!
//! A document that needs nothing is recognized without being parsed: by the names in its text. A document that this
//! release wrote has all of these fields, since it was read with them or converted from a draft.

use crate::document::{self, Document};
use bytes::Bytes;
use kontor_json::Value;
use kontor_model::{Field, Model, ObjectId, Shape};
use kontor_storage::ReadTransform;
use memchr::memmem::Finder;
use std::collections::HashMap;
use std::sync::Arc;

/// The kinds with fields that documents may lack.
pub(crate) struct AbsentFields {
    model: Arc<Model>,
    /// Whether an object of the model, or one below it, has such fields; by the index of the object.
    concerned: Vec<bool>,
    /// By the `typeId` of the kind.
    kinds: HashMap<String, AbsentFieldsOfKind>,
}

/// The fields of one kind.
struct AbsentFieldsOfKind {
    object: ObjectId,
    /// Fields of the document itself: the text of each, which every complete document contains.
    own: Vec<Finder<'static>>,
    /// Fields of objects in the document.
    inner: Vec<InnerFields>,
}

/// Fields of objects inside of documents.
struct InnerFields {
    /// The text of each field.
    fields: Vec<Finder<'static>>,
    /// The text of the fields that hold such objects: a document without them lacks nothing.
    holders: Vec<Finder<'static>>,
}

impl AbsentFields {
    /// Returns the fields of a model; `None` if it has none.
    pub(crate) fn from_model(model: &Arc<Model>) -> Option<Self> {
        let concerned = concerned_objects(model);
        let mut kinds = HashMap::new();
        for (_, kind) in model.kinds() {
            if kind.projection.is_none() && concerned[kind.object.index()] {
                let fields = AbsentFieldsOfKind::new(kind.object, &concerned, model);
                kinds.insert(kind.type_id.clone(), fields);
            }
        }
        (!kinds.is_empty()).then(|| Self { model: Arc::clone(model), concerned, kinds })
    }

    /// Adds absent fields to an object, and to objects in it. Returns whether it lacked any.
    fn complete(&self, object: &mut Document, shape: ObjectId) -> bool {
        let fields = &self.model.object(shape).fields;
        let (mut is_changed, mut lacks) = (false, false);
        for field in fields {
            if let Some(value) = &field.if_absent
                && !object.contains_key(&field.name)
            {
                object.insert(&field.name, value.clone());
                lacks = true;
            } else if self.is_concerned(&field.shape)
                && let Some(value) = object.get_mut(&field.name)
            {
                is_changed |= self.complete_value(value, &field.shape);
            }
        }
        if lacks {
            sort_fields(object, fields);
        }
        is_changed || lacks
    }

    fn complete_value(&self, value: &mut Value, shape: &Shape) -> bool {
        match (shape, value) {
            (Shape::List(inner), Value::Array(items)) => {
                let mut is_changed = false;
                for item in items {
                    is_changed |= self.complete_value(item, inner);
                }
                is_changed
            }
            (Shape::Object(inner), Value::Object(object)) => self.complete(object, *inner),
            (Shape::Union(union), Value::Object(object)) => {
                let union = self.model.union(*union);
                let tag = object.get(&union.by).and_then(Value::as_str).or(union.default.as_deref());
                match tag.and_then(|tag| union.member(tag)) {
                    Some(member) => self.complete(object, member),
                    None => false,
                }
            }
            _ => false,
        }
    }

    fn is_concerned(&self, shape: &Shape) -> bool {
        objects_of(shape, &self.model).iter().any(|object| self.concerned[object.index()])
    }
}

impl ReadTransform for AbsentFields {
    fn may_transform(&self, kind: &str) -> bool {
        self.kinds.contains_key(kind)
    }

    /// Adds the fields that a document lacks. A damaged document is left to its reader.
    fn transform(&self, kind: &str, body: &[u8]) -> Option<Bytes> {
        let fields = self.kinds.get(kind)?;
        if fields.are_in(body) {
            return None;
        }
        let mut document = document::read_borrowed(body).ok()?;
        self.complete(&mut document, fields.object).then(|| Bytes::from(Value::Object(document).to_string()))
    }
}

impl AbsentFieldsOfKind {
    fn new(kind: ObjectId, concerned: &[bool], model: &Model) -> Self {
        let own = finders(model.object(kind).fields.iter().filter(|field| field.if_absent.is_some()));
        let (mut left, mut seen) = (vec![kind], vec![kind]);
        let mut holders: Vec<(ObjectId, Vec<&Field>)> = Vec::new();
        while let Some(object) = left.pop() {
            for field in &model.object(object).fields {
                for inner in objects_of(&field.shape, model) {
                    if !concerned[inner.index()] {
                        continue;
                    }
                    match holders.iter_mut().find(|(known, _)| *known == inner) {
                        Some((_, fields)) => fields.push(field),
                        None => holders.push((inner, vec![field])),
                    }
                    if !seen.contains(&inner) {
                        seen.push(inner);
                        left.push(inner);
                    }
                }
            }
        }
        let inner = holders.into_iter().filter_map(|(object, holders)| {
            let fields =
                finders(model.object(object).fields.iter().filter(|field| field.if_absent.is_some()));
            (!fields.is_empty()).then(|| InnerFields { fields, holders: finders(holders.into_iter()) })
        });
        Self { object: kind, own, inner: inner.collect() }
    }

    /// Whether a document has all of the fields, as far as it has objects for them.
    fn are_in(&self, body: &[u8]) -> bool {
        let has = |name: &Finder<'_>| name.find(body).is_some();
        let is_complete =
            |inner: &InnerFields| inner.fields.iter().all(has) || !inner.holders.iter().any(has);
        self.own.iter().all(has) && self.inner.iter().all(is_complete)
    }
}

/// Returns searches for fields in the text of documents. In a string, the quotes of such a text would be escaped.
fn finders<'m>(fields: impl Iterator<Item = &'m Field>) -> Vec<Finder<'static>> {
    let mut names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Finder::new(format!("\"{name}\":").as_bytes()).into_owned()).collect()
}

/// Returns for each object whether it, or an object below it, has such fields.
fn concerned_objects(model: &Model) -> Vec<bool> {
    let objects: Vec<(ObjectId, _)> = model.objects().collect();
    let mut concerned = vec![false; objects.len()];
    loop {
        let before = concerned.clone();
        for (id, object) in objects.iter().filter(|(_, object)| !object.is_input) {
            concerned[id.index()] |= object.fields.iter().any(|field| {
                let below = objects_of(&field.shape, model);
                field.if_absent.is_some() || below.iter().any(|inner| before[inner.index()])
            });
        }
        if concerned == before {
            return concerned;
        }
    }
}

/// Returns the objects that a value of a shape may be, or contain as an element.
fn objects_of(shape: &Shape, model: &Model) -> Vec<ObjectId> {
    match shape {
        Shape::List(inner) => objects_of(inner, model),
        Shape::Object(object) => vec![*object],
        Shape::Union(union) => model.union(*union).members.iter().map(|(_, object)| *object).collect(),
        _ => Vec::new(),
    }
}

/// Sorts the fields of an object in the order of the model; other fields come last.
fn sort_fields(object: &mut Document, fields: &[Field]) {
    let mut sorted = Document::with_capacity(object.len());
    for field in fields {
        sorted.extend(object.remove_entry(&field.name));
    }
    sorted.extend(std::mem::take(object));
    *object = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn absent_fields() -> AbsentFields {
        AbsentFields::from_model(&Arc::new(Model::embedded().unwrap())).unwrap()
    }

    fn completed(kind: &str, document: &Value) -> Option<Value> {
        let text = document.to_string();
        let completed = absent_fields().transform(kind, text.as_bytes())?;
        Some(Value::Object(document::read(&completed).unwrap()))
    }

    #[test]
    fn documents_of_earlier_releases_get_the_fields_in_the_order_of_the_model() {
        let rate = json!({"id": "a", "name": "full", "amount": 0.19, "country": "DE", "subRates": []});
        let category = json!({"id": "c", "name": "Goods", "rates": [rate, rate], "more": 1});
        let completed = completed("tax-category", &category).unwrap();
        let rate = json!({"id": "a", "name": "full", "amount": 0.19, "country": "DE", "subRates": [], "taxRoundingTarget": "Net"});
        assert_eq!(completed["rates"], json!([rate, rate]));
        assert_eq!(completed.to_string().find("\"more\""), completed.to_string().rfind(",").map(|at| at + 1));
    }

    #[test]
    fn complete_documents_are_left_as_they_are() {
        let rate = json!({"name": "full", "taxRoundingTarget": "Tax"});
        for (kind, document) in [
            ("tax-category", json!({"rates": [rate]})),
            ("tax-category", json!({"name": "Without rates"})),
            ("tax-category", json!({"rates": []})),
            ("cart", json!({"directDiscountsIgnoreCartDiscounts": false, "lineItems": [{"taxRate": rate}]})),
            ("cart", json!({"directDiscountsIgnoreCartDiscounts": true, "lineItems": []})),
            ("zone", json!({"name": "A kind without such fields"})),
        ] {
            assert_eq!(completed(kind, &document), None, "{document}");
        }
    }

    #[test]
    fn names_in_texts_are_no_fields() {
        let cart = json!({"key": "\"directDiscountsIgnoreCartDiscounts\":"});
        assert_eq!(completed("cart", &cart).unwrap()["directDiscountsIgnoreCartDiscounts"], json!(true));
        let damaged = absent_fields().transform("cart", b"{\"lineItems\":[");
        assert_eq!(damaged, None);
    }
}
