//! The stored documents that derivations read.

use crate::derivation::DerivationSources;
use crate::document::{Document, read_borrowed, read_stored};
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use jiff::Timestamp;
use kontor_errors::ApiResult;
use kontor_model::Model;
use kontor_storage::{IndexPage, IndexRange};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

/// Documents that were read, by kind and id; `None` for missing ones.
type DocumentsRead = HashMap<(String, String), Option<Arc<Document>>>;

/// Stored documents, each read once.
pub(super) struct StoredSources<'a> {
    shop: &'a Shop,
    read: RefCell<DocumentsRead>,
    shared: RefCell<HashMap<&'static str, Rc<dyn Any>>>,
}

impl<'a> StoredSources<'a> {
    /// Creates an empty set for a shop.
    pub(super) fn new(shop: &'a Shop) -> Self {
        Self { shop, read: RefCell::default(), shared: RefCell::default() }
    }
}

impl DerivationSources for StoredSources<'_> {
    fn has_key(&self, type_id: &str, key: &str) -> ApiResult<bool> {
        Ok(self.shop.storage.find_unique(type_id, "key", key).map_err(storage_failure)?.is_some())
    }

    fn count(&self, type_id: &str, path: &str, value: &str) -> ApiResult<u64> {
        self.shop
            .storage
            .count_indexed(type_id, path, &IndexRange::equal(value), u64::MAX)
            .map_err(storage_failure)
    }

    fn model(&self) -> &Model {
        self.shop.model()
    }

    fn now(&self) -> Timestamp {
        self.shop.clock.now()
    }

    fn shared(
        &self,
        name: &'static str,
        make: &mut dyn FnMut() -> ApiResult<Rc<dyn Any>>,
    ) -> ApiResult<Rc<dyn Any>> {
        if let Some(made) = self.shared.borrow().get(name) {
            return Ok(Rc::clone(made));
        }
        let made = make()?;
        self.shared.borrow_mut().insert(name, Rc::clone(&made));
        Ok(made)
    }

    fn unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Document>> {
        let stored = self.shop.storage.get_by_unique(type_id, path, value).map_err(storage_failure)?;
        stored.as_ref().map(read_stored).transpose()
    }

    fn document(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        let place = (type_id.to_owned(), id.to_owned());
        if let Some(known) = self.read.borrow().get(&place) {
            return Ok(known.clone());
        }
        let stored = self.shop.storage.get(type_id, id).map_err(storage_failure)?;
        let document = stored.as_ref().map(read_stored).transpose()?.map(Arc::new);
        self.read.borrow_mut().insert(place, document.clone());
        Ok(document)
    }

    fn visit_indexed(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(&Document),
    ) -> ApiResult<()> {
        let mut failed = None;
        self.shop
            .storage
            .visit_indexed(type_id, path, &IndexRange::equal(value), &IndexPage::default(), &mut |stored| {
                match read_borrowed(stored.body) {
                    Ok(document) => {
                        visit(&document);
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            })
            .map_err(storage_failure)?;
        failed.map_or(Ok(()), Err)
    }
}
