//! Limits the documents and bytes that one query reads.
//!
//! The complexity of a query is estimated before it is executed, but lists may turn out longer than expected. So the
//! actual reads are limited too.

use super::document_loader::{DocumentPage, LevelBytes, LoadedValue, ValueDependency};
use crate::complexity::too_complex;
use crate::limits::{DOCUMENTS_READ_MAX, PAGE_DOCUMENTS, READ_BYTES_MAX};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};

/// The documents and bytes that one query has read.
#[derive(Debug, Default)]
pub(super) struct ReadCounter {
    documents: usize,
    bytes: usize,
}

impl ReadCounter {
    /// Adds what a root field has read.
    ///
    /// # Errors
    /// `QueryComplexityLimitExceeded` when the query has read too much.
    pub(super) fn add_wanted(&mut self, dependency: &ValueDependency) -> ApiResult<()> {
        match dependency {
            ValueDependency::Loaded(
                LoadedValue::Page(DocumentPage { results, .. }) | LoadedValue::SearchResults { results, .. },
            ) => {
                self.documents += PAGE_DOCUMENTS;
                self.add(results)
            }
            ValueDependency::Loaded(LoadedValue::List(bodies)) => self.add(bodies),
            ValueDependency::Loaded(LoadedValue::Document(body)) => self.add([body]),
            _ => Ok(()),
        }
    }

    /// Adds the documents of a level.
    ///
    /// # Errors
    /// Like [`ReadCounter::add_wanted`].
    pub(super) fn add_level(&mut self, level: &LevelBytes<'_>) -> ApiResult<()> {
        self.add(level.bodies())
    }

    fn add<'b>(&mut self, bodies: impl IntoIterator<Item = &'b Bytes>) -> ApiResult<()> {
        for body in bodies {
            self.documents += 1;
            self.bytes += body.len();
        }
        if self.documents > DOCUMENTS_READ_MAX || self.bytes > READ_BYTES_MAX {
            return Err(too_much());
        }
        Ok(())
    }
}

fn too_much() -> ApiError {
    too_complex(format!(
        "The query reads more than {DOCUMENTS_READ_MAX} documents or {READ_BYTES_MAX} bytes of them. Request less at once."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_actual_reads() {
        let page = |results: usize| {
            let results = vec![Bytes::from_static(b"{}"); results];
            ValueDependency::Loaded(LoadedValue::Page(DocumentPage { results, ..DocumentPage::default() }))
        };
        let mut reads = ReadCounter::default();
        let pages = (0..).take_while(|_| reads.add_wanted(&page(480)).is_ok()).count();
        assert_eq!(pages, DOCUMENTS_READ_MAX / 500);
        let large = Bytes::from(vec![b' '; READ_BYTES_MAX / 2]);
        let twice = ValueDependency::Loaded(LoadedValue::List(vec![large.clone(), large]));
        let mut reads = ReadCounter::default();
        assert!(reads.add_wanted(&twice).is_ok());
        assert!(reads.add_wanted(&page(1)).is_err());
    }
}
