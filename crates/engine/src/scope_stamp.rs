//! Sets the fields of a new document that follow from the access scope of the request, e.g. its Store and owner.

use crate::access_scope::{AccessScope, Principal};
use crate::document::{Document, reference};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Kind, KindId};
use kontor_query::evaluate_value;

impl AccessScope {
    /// Removes the Store that a draft names: "The `store` field is always set to the Store specified in the path
    /// parameter" (reference, Shopping Lists and Product Tailoring in a Store). Not for kinds with a list of Stores,
    /// which [`admit_new`](Self::admit_new) checks.
    pub(crate) fn remove_named_store(&self, kind: KindId, drafted: &mut Document, rules: &Rules<'_>) {
        let entry = rules.model.kind(kind);
        if let (Some(_), Some(in_store)) = (&self.store, &entry.in_store)
            && let Some((name, _)) = in_store.at.split_first()
            && rules.model.object(entry.object).field(name).is_some_and(|field| !field.shape.is_list())
        {
            drafted.remove(name);
        }
    }

    /// Assigns a new document to the Store, unless it names Stores itself, and to the caller.
    pub(crate) fn stamp(&self, kind: KindId, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
        let entry = rules.model.kind(kind);
        if let (Some(store), Some(in_store)) = (&self.store, &entry.in_store)
            && let Some((field, _)) = in_store.at.split_first()
            && after.get(field).is_none_or(crate::document::is_empty)
            && let Some(store_kind) = rules.model.store_kind()
        {
            let type_id = &rules.model.kind(store_kind).type_id;
            let mut identifier = Document::new();
            identifier.insert("typeId", json!(type_id));
            identifier.insert("key", json!(store));
            rules.resolve_of_anyone(&identifier)?;
            let is_list =
                rules.model.object(entry.object).field(field).is_some_and(|field| field.shape.is_list());
            let belongs = Value::Object(identifier);
            after.insert(field, if is_list { json!([belongs]) } else { belongs });
        }
        if let (Some(asker), Some(mine)) = (&self.mine, &entry.mine) {
            let (path, id) = match asker {
                Principal::Customer(id) => (mine.customer.first(), id),
                Principal::Session(id) => (Some(&mine.session), id),
                Principal::Nobody => return Ok(()),
            };
            stamp_owner(path.map_or(&[][..], Vec::as_slice), id, entry, after, rules)?;
        }
        if let (Some(associate), Some(own)) = (&self.associate, &entry.associates)
            && let (Some(unit), Some(field)) = (&associate.unit, own.unit.first())
        {
            let unit_kind =
                rules.model.unit_kind().ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
            after.insert(field, json!({"typeId": rules.model.kind(unit_kind).type_id, "key": unit}));
            // The draft may name the owner; the default is the associate.
            if let (Some(path), Some(id)) = (own.owner.first(), &associate.id)
                && path.first().is_some_and(|field| !after.contains_key(field))
            {
                stamp_owner(path, id, entry, after, rules)?;
            }
        }
        Ok(())
    }

    /// Refuses a new document that names other Stores than that of the path.
    pub(crate) fn admit_new(&self, kind: KindId, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
        let Some(store) = &self.store else { return Ok(()) };
        let condition = self.for_any_owner().condition(rules.model, kind);
        if evaluate_value(&condition, &Value::Object(after.clone())) {
            return Ok(());
        }
        Err(ApiError::invalid_operation(format!(
            "What is created in the Store '{store}' must belong to it; the draft names other Stores."
        )))
    }
}

/// Sets the owner of a new document. A behaviour must fill a path through lists.
fn stamp_owner(
    path: &[String],
    id: &str,
    entry: &Kind,
    after: &mut Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    match path {
        [field] if field != "id" => {
            after.insert(field, json!(id));
        }
        [field, _] => {
            let Some(field) = rules.model.object(entry.object).field(field) else { return Ok(()) };
            if let kontor_model::Shape::Reference(kontor_model::ReferenceKinds::Kinds(kinds)) = &field.shape
                && let [target] = kinds.as_slice()
            {
                let owner = reference(&rules.model.kind(*target).type_id, id);
                if let Value::Object(identifier) = &owner {
                    rules.resolve_of_anyone(identifier)?;
                }
                after.insert(&field.name, owner);
            }
        }
        _ => {}
    }
    Ok(())
}
