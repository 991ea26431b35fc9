//! Lists of documents below their parent document.

use crate::address::Address;
use crate::document::{self, Document};
use crate::document_writes::joined_key;
use crate::list::{ListPage, ListRequest};
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, Listing};

impl Shop {
    /// Returns a page of the documents of a kind that belong to any of `parents`, with all their fields. Blocks the
    /// thread while it reads. Fails like [`list`](Self::list).
    pub fn list_children(
        &self,
        kind: KindId,
        list: &Listing,
        parents: &[Document],
        mut request: ListRequest,
    ) -> ApiResult<ListPage> {
        let ids: Vec<String> =
            parents.iter().flat_map(|parent| self.listed_ids(kind, list, parent)).collect();
        if ids.is_empty() {
            let total = request.with_total.then_some(0);
            // An invalid query is refused even if there are no documents.
            self.plan_list(kind, &request)?;
            return Ok(ListPage { limit: request.limit, offset: request.offset, total, results: Vec::new() });
        }
        let quoted: Vec<String> = ids.iter().map(|id| Value::from(id.as_str()).to_string()).collect();
        request.wheres.insert(0, format!("{}(id in ({}))", list.by, quoted.join(", ")));
        self.list(kind, &request)
    }

    /// Returns the id of the document in a Store that belongs to another document. Fails with 404 ResourceNotFound if
    /// either is missing.
    pub fn id_in_store(
        &self,
        kind: KindId,
        store: &str,
        parent: KindId,
        address: &Address<'_>,
    ) -> ApiResult<String> {
        let entry = self.model.kind(kind);
        let through = entry.in_store.as_ref().and_then(|in_store| in_store.through.as_deref());
        let target = self.must_get(parent, address)?;
        let key = joined_key(&[store, &target.id]);
        let found = self.storage.find_unique(&entry.type_id, through.unwrap_or_default(), &key);
        let missing = || ApiError::resource_not_found(&format!("of '{}' in the Store '{store}'", target.id));
        found.map_err(storage_failure)?.ok_or_else(missing)
    }

    fn listed_ids(&self, kind: KindId, list: &Listing, parent: &Document) -> Vec<String> {
        let named =
            self.behaviours.get(kind).and_then(|behaviour| behaviour.list_parent_ids(&list.name, parent));
        named.unwrap_or_else(|| document::text(parent, &["id"]).map(str::to_owned).into_iter().collect())
    }

    /// Returns the fields of a document that a list shows. Fails with an internal error if the body is not a JSON
    /// object.
    pub fn list_fields(&self, list: &Listing, body: &Bytes) -> ApiResult<Bytes> {
        let mut whole = document::read(body)?;
        let mut part = Document::new();
        for field in &self.model.object(list.shows).fields {
            if let Some(value) = whole.shift_remove(&field.name) {
                part.insert(&field.name, value);
            }
        }
        Ok(Value::Object(part).to_string().into())
    }
}
