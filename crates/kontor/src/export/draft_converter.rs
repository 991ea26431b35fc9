//! Converts a stored document back to a draft, by the model: keeps the fields that the draft has, and turns references
//! into resource identifiers by key. The inverse of creation in the engine. Start at [`DraftConverter::convert`].

mod staged_changes;

use crate::import_rules::creating_actions;
use crate::resource_paths::unit_field;
use kontor_json::{Map, Value, json};
use kontor_model::{Field, Kind, Model, Object, ObjectId, Shape, UnionId};
use staged_changes::SidesLayout;
use std::collections::HashMap;

/// Referenced resources that were looked up, by `typeId` and id.
pub(crate) type ExportReferences = HashMap<(String, String), ExportReference>;

/// A referenced resource.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExportReference {
    /// The key; `None` if it has none and references to it stay by id.
    pub(crate) key: Option<String>,
    /// True for a discount whose discounted prices the platform calculates; they are not part of drafts.
    pub(crate) is_applied: bool,
}

/// The field with a discounted price. The platform calculates it, unless the discount is `external`.
const DISCOUNTED: &str = "discounted";

/// Converts ids of list elements (or one id) to their positions in the list.
fn positions(document: &Map, ids: &str, list: &str) -> Option<Value> {
    let elements = document.get(list)?.as_array()?;
    // A map, because a document may name all of its elements.
    let places: HashMap<&str, usize> =
        elements.iter().enumerate().filter_map(|(at, element)| Some((element["id"].as_str()?, at))).collect();
    let position = |id: &Value| places.get(id.as_str()?).map(|at| json!(at));
    match document.get(ids)? {
        Value::Array(ids) => Some(ids.iter().filter_map(position).collect()),
        id => position(id),
    }
}

/// A draft and the update actions that recreate a document.
pub(crate) struct DraftWithActions {
    pub(crate) draft: Value,
    /// The update actions to send after creation, for data that no draft can have.
    pub(crate) actions: Vec<Value>,
}

/// The conversion of one document.
pub(crate) struct DraftConverter<'a> {
    pub(super) model: &'a Model,
    targets: &'a ExportReferences,
    /// The object type that itself has `current` and `staged` data: its draft has the fields of the current data.
    sides: Option<ObjectId>,
    /// Include the ids of list elements, where drafts can have them.
    pub(super) with_ids: bool,
    /// References to look up. While there are any, the draft is incomplete: look them up and convert again.
    pub(crate) unknown: Vec<(String, String)>,
    /// Number of references whose target has no key.
    pub(crate) by_id: usize,
    /// Number of differences that neither the draft nor an action can express.
    pub(crate) unsupported: usize,
}

impl<'a> DraftConverter<'a> {
    pub(crate) fn new(model: &'a Model, targets: &'a ExportReferences) -> Self {
        Self { model, targets, sides: None, with_ids: false, unknown: Vec::new(), by_id: 0, unsupported: 0 }
    }

    /// Converts a document. The draft is null if the resource type has no drafts.
    pub(crate) fn convert(&mut self, kind: &Kind, document: &Value) -> DraftWithActions {
        let (draft, actions) = match (kind.draft, document) {
            (Some(draft), Value::Object(document)) => match SidesLayout::find(self.model, kind) {
                None => (self.convert_whole(draft, kind, document), Vec::new()),
                Some(sides) => {
                    let (base, actions) = sides.split(kind, document, self);
                    self.sides = sides.are_in_document().then_some(kind.object);
                    (self.convert_whole(draft, kind, &base), actions)
                }
            },
            (None, Value::Object(document)) if !creating_actions(kind).is_empty() => {
                (self.fields(kind.object, document), Vec::new())
            }
            _ => (Value::Null, Vec::new()),
        };
        DraftWithActions { draft, actions }
    }

    fn convert_whole(&mut self, draft: ObjectId, kind: &Kind, document: &Map) -> Value {
        let mut draft = self.object(draft, kind.object, document);
        // For resources that exist only in business units, the draft must name the unit.
        if let (Some(field), Some(fields)) = (unit_field(kind), draft.as_object_mut())
            && let Some(unit) = document.get(field)
        {
            fields.insert(field, unit.clone());
        }
        draft
    }

    pub(super) fn object(&mut self, sent: ObjectId, stored: ObjectId, document: &Map) -> Value {
        let model = self.model;
        let mut draft = Map::new();
        for field in &model.object(sent).fields {
            if field.secret {
                continue;
            }
            if let Some((ids, list)) = &field.positions {
                draft.extend(positions(document, ids, list).map(|value| (field.name.clone(), value)));
                continue;
            }
            let found = stored_value_at(model, model.object(stored), document, &field.stored_path())
                .or_else(|| self.kept_id(field, stored, document));
            let Some((shape, value)) = found.or_else(|| self.on_current_side(field, stored, document)) else {
                continue;
            };
            if field.name == DISCOUNTED && self.is_calculated_price(value) {
                continue;
            }
            draft.insert(field.name.clone(), self.value(&field.shape, shape, value));
        }
        Value::Object(draft)
    }

    /// Returns the id of a list element, if ids are included.
    fn kept_id<'d>(
        &self,
        field: &Field,
        stored: ObjectId,
        document: &'d Map,
    ) -> Option<(&'a Shape, &'d Value)> {
        let own = self.model.object(stored).field(&field.name)?;
        // Some drafts may have an id that is ignored.
        let is_read = !field.derived && field.to.is_none();
        let is_kept = self.with_ids && is_read && own.generated && !own.inherited;
        is_kept.then_some(())?;
        Some((&own.shape, document.get(&field.name)?))
    }

    fn is_calculated_price(&mut self, discounted: &Value) -> bool {
        let discount = &discounted["discount"];
        let (Some(type_id), Some(id)) = (discount["typeId"].as_str(), discount["id"].as_str()) else {
            return false;
        };
        let target = (type_id.to_owned(), id.to_owned());
        match self.targets.get(&target) {
            Some(target) => target.is_applied,
            None => {
                self.unknown.push(target);
                false
            }
        }
    }

    /// Finds the value of a draft field in the current data of a document that itself has `current` and `staged` data.
    fn on_current_side<'d>(
        &self,
        field: &Field,
        stored: ObjectId,
        document: &'d Map,
    ) -> Option<(&'a Shape, &'d Value)> {
        let model = self.model;
        let holder =
            Some(stored).filter(|stored| self.sides == Some(*stored)).map(|stored| model.object(stored))?;
        if field.name == "publish" {
            return Some((&holder.field("published")?.shape, document.get("published")?));
        }
        stored_value_at(model, holder, document, &["current", &field.name])
    }

    /// Returns the own fields of a document without a draft type, with references as resource identifiers.
    fn fields(&mut self, stored: ObjectId, document: &Map) -> Value {
        let own = self.model.object(stored).fields.iter().filter(|field| !field.inherited);
        let mut draft = Map::new();
        for (field, value) in own.filter_map(|field| Some((field, document.get(&field.name)?))) {
            let value = match (&field.shape, value) {
                (Shape::Reference(_), Value::Object(reference)) => self.identifier(reference),
                _ => value.clone(),
            };
            draft.insert(field.name.clone(), value);
        }
        Value::Object(draft)
    }

    pub(super) fn value(&mut self, sent: &Shape, stored: &Shape, value: &Value) -> Value {
        match (sent, stored, value) {
            (Shape::List(sent), Shape::List(stored), Value::Array(items)) => {
                items.iter().map(|item| self.value(sent, stored, item)).collect()
            }
            (Shape::Map(sent), Shape::Map(stored), Value::Object(entries)) => entries
                .iter()
                .map(|(name, entry)| (name.clone(), self.value(sent, stored, entry)))
                .collect::<Map>()
                .into(),
            (
                Shape::Identifier(_),
                Shape::Reference(_) | Shape::KeyReference(_),
                Value::Object(reference),
            ) => self.identifier(reference),
            (Shape::CustomFieldsDraft, Shape::CustomFields, Value::Object(custom)) => self.custom(custom),
            (Shape::Object(sent), Shape::Object(stored), Value::Object(document)) => {
                self.object(*sent, *stored, document)
            }
            (Shape::Object(sent), Shape::Union(union), Value::Object(document)) => {
                match self.member(*union, document) {
                    Some((_, stored)) => self.object(*sent, stored, document),
                    None => value.clone(),
                }
            }
            (Shape::Union(sent), Shape::Union(stored), Value::Object(document)) => {
                self.union(*sent, *stored, document)
            }
            _ => value.clone(),
        }
    }

    fn union(&mut self, sent: UnionId, stored: UnionId, document: &Map) -> Value {
        let model = self.model;
        let found = self
            .member(stored, document)
            .and_then(|(tag, stored)| Some((tag, model.union(sent).member(tag)?, stored)));
        let Some((tag, sent_member, stored_member)) = found else { return Value::Object(document.clone()) };
        let mut draft = self.object(sent_member, stored_member, document);
        if let Some(draft) = draft.as_object_mut()
            && !draft.contains_key(&model.union(sent).by)
        {
            draft.shift_insert(0, model.union(sent).by.clone(), json!(tag));
        }
        draft
    }

    fn member<'d>(&self, union: UnionId, document: &'d Map) -> Option<(&'d str, ObjectId)> {
        let union = self.model.union(union);
        let tag = document.get(&union.by)?.as_str()?;
        Some((tag, union.member(tag)?))
    }

    /// Converts a stored reference to a resource identifier.
    pub(super) fn identifier_of(&mut self, reference: &Value) -> Value {
        reference.as_object().map(|reference| self.identifier(reference)).unwrap_or_default()
    }

    pub(super) fn identifier(&mut self, reference: &Map) -> Value {
        let text = |name: &str| reference.get(name).and_then(Value::as_str).map(str::to_owned);
        let (Some(type_id), Some(id)) = (text("typeId"), text("id")) else {
            // It is by key already.
            return Value::Object(reference.clone());
        };
        let target = (type_id, id);
        match self.targets.get(&target) {
            Some(ExportReference { key: Some(key), .. }) => json!({"typeId": target.0, "key": key}),
            Some(ExportReference { key: None, .. }) => {
                self.by_id += 1;
                json!({"typeId": target.0, "id": target.1})
            }
            None => {
                self.unknown.push(target);
                Value::Null
            }
        }
    }

    /// Converts custom fields. Their values have no shape in the model: an object with `typeId` and `id` is a
    /// reference.
    fn custom(&mut self, custom: &Map) -> Value {
        let mut draft = Map::new();
        if let Some(Value::Object(defined_by)) = custom.get("type") {
            draft.insert("type", self.identifier(defined_by));
        }
        if let Some(fields) = custom.get("fields") {
            draft.insert("fields", self.custom_value(fields));
        }
        Value::Object(draft)
    }

    fn custom_value(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(object)
                if object.len() == 2 && object.contains_key("typeId") && object.contains_key("id") =>
            {
                self.identifier(object)
            }
            Value::Object(object) => object
                .iter()
                .map(|(name, value)| (name.clone(), self.custom_value(value)))
                .collect::<Map>()
                .into(),
            Value::Array(items) => items.iter().map(|item| self.custom_value(item)).collect(),
            scalar => scalar.clone(),
        }
    }
}

/// Returns the shape and the value at a path of a stored object; `None` for values that the platform generates.
fn stored_value_at<'m, 'd>(
    model: &'m Model,
    object: &'m Object,
    document: &'d Map,
    path: &[&str],
) -> Option<(&'m Shape, &'d Value)> {
    let (first, rest) = path.split_first()?;
    let field = object.field(first)?;
    let value = document.get(*first)?;
    if rest.is_empty() {
        let is_own = !(field.inherited || field.derived || field.generated);
        return is_own.then_some((&field.shape, value));
    }
    match (&field.shape, value) {
        (Shape::Object(inner), Value::Object(document)) => {
            stored_value_at(model, model.object(*inner), document, rest)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft_of(type_id: &str, document: Value, keys: &ExportReferences) -> (Value, Vec<(String, String)>) {
        let model = Model::embedded().unwrap();
        let kind = model.kind(model.kind_by_type_id(type_id).unwrap());
        let mut conversion = DraftConverter::new(&model, keys);
        let made = conversion.convert(kind, &document);
        (made.draft, conversion.unknown)
    }

    fn export_reference(key: Option<&str>) -> ExportReference {
        ExportReference { key: key.map(str::to_owned), is_applied: false }
    }

    fn target(type_id: &str, id: &str) -> (String, String) {
        (type_id.to_owned(), id.to_owned())
    }

    #[test]
    fn omits_generated_fields_and_uses_draft_names() {
        let document = json!({"id": "1", "version": 3, "createdAt": "2027-01-01T00:00:00.000Z", "key": "b2b", "name": "B2B"});
        let (draft, _) = draft_of("customer-group", document, &ExportReferences::default());
        assert_eq!(draft, json!({"key": "b2b", "groupName": "B2B"}));
        let document =
            json!({"id": "1", "version": 3, "container": "c", "key": "k", "value": {"version": 1}});
        let (draft, _) = draft_of("key-value-document", document, &ExportReferences::default());
        assert_eq!(draft, json!({"container": "c", "key": "k", "value": {"version": 1}}));
    }

    #[test]
    fn references_go_by_key_where_there_is_one() {
        let document = json!({"key": "open", "type": "ReviewState", "initial": true,
            "transitions": [{"typeId": "state", "id": "1"}, {"typeId": "state", "id": "2"}]});
        let (_, unknown) = draft_of("state", document.clone(), &ExportReferences::default());
        assert_eq!(unknown, [target("state", "1"), target("state", "2")]);
        let keys = ExportReferences::from([
            (target("state", "1"), export_reference(Some("done"))),
            (target("state", "2"), export_reference(None)),
        ]);
        let (draft, unknown) = draft_of("state", document, &keys);
        assert_eq!(unknown, []);
        assert_eq!(
            draft["transitions"],
            json!([{"typeId": "state", "key": "done"}, {"typeId": "state", "id": "2"}])
        );
    }

    #[test]
    fn amounts_and_custom_fields_are_those_of_drafts() {
        let keys = ExportReferences::from([
            (target("type", "t"), export_reference(Some("extra"))),
            (target("channel", "c"), export_reference(Some("berlin"))),
        ]);
        let document = json!({
            "key": "p",
            "amountPlanned": {"type": "centPrecision", "currencyCode": "EUR", "centAmount": 5, "fractionDigits": 2},
            "custom": {"type": {"typeId": "type", "id": "t"}, "fields": {"from": [{"typeId": "channel", "id": "c"}], "n": 1}},
        });
        let (draft, unknown) = draft_of("payment", document, &keys);
        assert_eq!(unknown, []);
        assert_eq!(draft["amountPlanned"]["centAmount"], 5);
        assert_eq!(draft["amountPlanned"].get("fractionDigits"), None);
        assert_eq!(
            draft["custom"],
            json!({"type": {"typeId": "type", "key": "extra"}, "fields": {"from": [{"typeId": "channel", "key": "berlin"}], "n": 1}})
        );
    }
}
