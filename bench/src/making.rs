//! Creates many documents of a kind over all connections.

use crate::document::{CONNECTIONS, Document};
use crate::load::{Ask, Bounds, Client, Measured, ensure_success, run as run_load};
use crate::process::Server;
use anyhow::ensure;
use bytes::Bytes;
use hyper::StatusCode;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Posts the draft of each number. Returns the documents in the order of the numbers, and the result of the load.
pub(crate) async fn make_all<D: Fn(usize) -> String + 'static>(
    server: &Server,
    target: &str,
    numbers: Range<usize>,
    time: Duration,
    draft: D,
) -> anyhow::Result<(Vec<Document>, Measured)> {
    let (first, count) = (numbers.start, numbers.len());
    let all = Rc::new(All {
        target: target.to_owned(),
        numbers,
        draft,
        next: Cell::new(first),
        made: RefCell::default(),
    });
    let makers: Vec<_> = (0..CONNECTIONS).map(|_| Maker { all: Rc::clone(&all), number: first }).collect();
    let (measured, makers) = run_load(server, makers, Bounds { requests: count as u64, time }).await?;
    drop(makers);
    let mut made = all.made.take();
    ensure!(made.len() == count, "only {} of {count} were made at {target} in time", made.len());
    made.sort_unstable_by_key(|(number, _)| *number);
    Ok((made.into_iter().map(|(_, document)| document).collect(), measured))
}

/// The state that all creating clients share.
struct All<D> {
    target: String,
    numbers: Range<usize>,
    draft: D,
    next: Cell<usize>,
    made: RefCell<Vec<(usize, Document)>>,
}

struct Maker<D> {
    all: Rc<All<D>>,
    /// The number of the last draft sent.
    number: usize,
}

impl<D: Fn(usize) -> String> Client for Maker<D> {
    fn next(&mut self) -> Option<Ask> {
        self.number = self.all.next.get();
        if self.number >= self.all.numbers.end {
            return None;
        }
        self.all.next.set(self.number + 1);
        Some(Ask::post(self.all.target.clone(), (self.all.draft)(self.number)))
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        self.all.made.borrow_mut().push((self.number, Document::of(body)?));
        Ok(())
    }
}
