//! A cache of parsed documents that many changes read, e.g. a Product, a Tax Category, the Cart Discounts.
//!
//! The key of an entry is the memory address of the document's bytes, which the cache keeps alive. So no
//! entry needs to be invalidated: a changed document has another address.

use crate::document::{Document, read_stored};
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_storage::StoredDocument;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum size of the text of all cached documents, in bytes. Parsed, they take up to about six times as much.
const KEPT_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Larger documents are not cached: one would displace many small ones.
const PARSED_BYTES_MAX: usize = 64 * 1024;
/// The expected number of cached documents.
const KEPT_USUAL: usize = 256;
/// Number of slots for the addresses of documents that were read once.
const SEEN: usize = 1024;

/// The memory address and length of a document's bytes.
type BytesAddress = (usize, usize);

/// The cache of parsed documents, by the addresses of their bytes.
pub(crate) struct ParsedDocumentCache {
    kept: Cache<BytesAddress, ParsedDocument, BodyLength>,
    /// Addresses of documents that were read once: most documents change before their next read, e.g. Carts.
    seen: Box<[AtomicUsize]>,
}

/// A parsed document, with its bytes, which keep the address in use.
#[derive(Clone)]
struct ParsedDocument {
    stored: Bytes,
    document: Arc<Document>,
}

#[derive(Clone)]
struct BodyLength;

impl Weighter<BytesAddress, ParsedDocument> for BodyLength {
    fn weight(&self, _: &BytesAddress, kept: &ParsedDocument) -> u64 {
        kept.stored.len() as u64
    }
}

impl Default for ParsedDocumentCache {
    fn default() -> Self {
        Self {
            kept: Cache::with_weighter(KEPT_USUAL, KEPT_BYTES_MAX, BodyLength),
            seen: std::iter::repeat_with(AtomicUsize::default).take(SEEN).collect(),
        }
    }
}

impl ParsedDocumentCache {
    /// Returns a stored document, parsed.
    ///
    /// # Errors
    /// Those of [`read_stored`].
    pub(crate) fn read(&self, stored: &StoredDocument) -> ApiResult<Arc<Document>> {
        let place = (stored.body.as_ptr().addr(), stored.body.len());
        if let Some(kept) = self.kept.get(&place) {
            debug_assert_eq!(kept.stored, stored.body, "{} has the same address", stored.id);
            return Ok(kept.document);
        }
        let document = Arc::new(read_stored(stored)?);
        if stored.body.len() <= PARSED_BYTES_MAX && self.was_seen(place.0) {
            self.kept.insert(
                place,
                ParsedDocument { stored: stored.body.clone(), document: Arc::clone(&document) },
            );
        }
        Ok(document)
    }

    /// Records an address. Returns whether it was recorded before.
    fn was_seen(&self, place: usize) -> bool {
        // Addresses are multiples of 16.
        let slot = &self.seen[(place >> 4) % SEEN];
        slot.swap(place, Ordering::Relaxed) == place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(body: &Bytes) -> StoredDocument {
        StoredDocument { id: "some".to_owned(), version: 1, revision: 1, sequence: 0, body: body.clone() }
    }

    #[test]
    fn parses_an_unchanged_document_twice_at_most() {
        let parsed = ParsedDocumentCache::default();
        let body = Bytes::from(r#"{"key":"a"}"#.to_owned());
        let read = || parsed.read(&stored(&body)).unwrap();
        let (once, twice) = (read(), read());
        assert!(!Arc::ptr_eq(&once, &twice));
        assert!(Arc::ptr_eq(&twice, &read()));
    }

    #[test]
    fn parses_changed_documents_again() {
        let parsed = ParsedDocumentCache::default();
        for version in 0..10_000 {
            let body = Bytes::from(format!(r#"{{"version":{version}}}"#));
            for _ in 0..3 {
                assert_eq!(parsed.read(&stored(&body)).unwrap()["version"], version);
            }
        }
    }

    #[test]
    fn stays_within_the_size_limit() {
        let parsed = ParsedDocumentCache::default();
        let body = |size: usize| Bytes::from(format!(r#"{{"name":"{}"}}"#, "x".repeat(size)));
        for _ in 0..1_000 {
            let body = body(10_000);
            (0..3).for_each(|_| drop(parsed.read(&stored(&body)).unwrap()));
        }
        assert!(parsed.kept.weight() <= KEPT_BYTES_MAX);
        let large = body(PARSED_BYTES_MAX);
        let read = || parsed.read(&stored(&large)).unwrap();
        assert!(!Arc::ptr_eq(&[read(), read(), read()][1], &read()));
    }
}
