//! Creates many documents of a kind over all connections.

use crate::document::{CONNECTIONS, VersionedDocument};
use crate::load::{LoadClient, LoadLimits, LoadRequest, LoadResult, ensure_success, run as run_load};
use crate::process::MeasuredServer;
use anyhow::ensure;
use bytes::Bytes;
use hyper::StatusCode;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Posts the draft of each number. Returns the documents in the order of the numbers, and the result of the load.
pub(crate) async fn create_documents<D: Fn(usize) -> String + 'static>(
    server: &MeasuredServer,
    target: &str,
    numbers: Range<usize>,
    time: Duration,
    draft: D,
) -> anyhow::Result<(Vec<VersionedDocument>, LoadResult)> {
    let (first, count) = (numbers.start, numbers.len());
    let all = Rc::new(BulkCreate {
        target: target.to_owned(),
        numbers,
        draft,
        next: Cell::new(first),
        documents: RefCell::default(),
    });
    let makers: Vec<_> =
        (0..CONNECTIONS).map(|_| CreateClient { all: Rc::clone(&all), number: first }).collect();
    let (measured, makers) = run_load(server, makers, LoadLimits { requests: count as u64, time }).await?;
    drop(makers);
    let mut made = all.documents.take();
    ensure!(made.len() == count, "only {} of {count} were made at {target} in time", made.len());
    made.sort_unstable_by_key(|(number, _)| *number);
    Ok((made.into_iter().map(|(_, document)| document).collect(), measured))
}

/// The state that all creating clients share.
struct BulkCreate<D> {
    target: String,
    numbers: Range<usize>,
    draft: D,
    next: Cell<usize>,
    documents: RefCell<Vec<(usize, VersionedDocument)>>,
}

struct CreateClient<D> {
    all: Rc<BulkCreate<D>>,
    /// The number of the last draft sent.
    number: usize,
}

impl<D: Fn(usize) -> String> LoadClient for CreateClient<D> {
    fn next(&mut self) -> Option<LoadRequest> {
        self.number = self.all.next.get();
        if self.number >= self.all.numbers.end {
            return None;
        }
        self.all.next.set(self.number + 1);
        Some(LoadRequest::post(self.all.target.clone(), (self.all.draft)(self.number)))
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        self.all.documents.borrow_mut().push((self.number, VersionedDocument::from_response(body)?));
        Ok(())
    }
}
