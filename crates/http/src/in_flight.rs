//! Backpressure: limits the memory that all requests together hold, i.e. received bodies, and responses that clients
//! have not read yet. Start at [`InFlight`].
//!
//! Each request has limits of its own; this is the limit of all of them. Requests above it get a 503 with
//! `Retry-After`.

use axum::body::{Body, HttpBody};
use axum::http::request::Parts;
use bytes::Bytes;
use kontor_engine::{MemoryBudget, ResponseMeter, SlowRequestPermit};
use kontor_errors::{ApiError, Code};
use kontor_rest::response::HttpResponse;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

/// Maximum size of all bodies that are being received or processed, in bytes, whatever the memory of the process.
const BODIES_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Bodies may take this fraction (1/2) of the budget of responses.
const BODIES_PART_OF_BUDGET: usize = 2;
/// Bodies of customers, anonymous sessions and unauthenticated requests may take this fraction (1/4) of that.
const STRANGERS_PART: usize = 4;
/// Smaller responses are not counted: they are in the buffers of their sockets.
const LARGE_ANSWER_BYTES_MIN: usize = 256 * 1024;
/// Large responses are given to their sockets in pieces of this size, when the socket has room.
const PIECE_BYTES_MAX: usize = 64 * 1024;

/// The memory that all requests hold.
#[derive(Debug)]
pub(crate) struct InFlight {
    budget: Arc<MemoryBudget>,
    bodies_bytes_max: usize,
    bodies: AtomicUsize,
    of_strangers: AtomicUsize,
}

/// The memory that the body of one request holds until the response is sent. It is an extension of the request.
#[derive(Debug, Clone)]
pub(crate) struct BodyBudget(Arc<BodyBudgetState>);

#[derive(Debug)]
struct BodyBudgetState {
    all: Arc<InFlight>,
    bytes: AtomicUsize,
    /// The part that counts as unauthenticated: all of it, or 0 once the caller is known to be a client.
    bytes_of_stranger: AtomicUsize,
    is_known: AtomicBool,
    /// True if memory for the whole body was reserved before it was received.
    is_reserved: AtomicBool,
}

impl InFlight {
    /// Returns the counters for requests whose responses take memory from a budget.
    pub(crate) fn new(budget: Arc<MemoryBudget>) -> Self {
        let bodies_bytes_max = (budget.bytes_max() / BODIES_PART_OF_BUDGET).min(BODIES_BYTES_MAX);
        Self { budget, bodies_bytes_max, bodies: AtomicUsize::new(0), of_strangers: AtomicUsize::new(0) }
    }

    /// Returns the counter for the body of one request.
    pub(crate) fn body(self: &Arc<Self>) -> BodyBudget {
        BodyBudget(Arc::new(BodyBudgetState {
            all: Arc::clone(self),
            bytes: AtomicUsize::new(0),
            bytes_of_stranger: AtomicUsize::new(0),
            is_known: AtomicBool::new(false),
            is_reserved: AtomicBool::new(false),
        }))
    }

    /// Returns the response with its memory counted until it is read. Returns an error instead if the response is
    /// larger than allowed, or other responses hold the memory. Releases the permit of a slow request.
    pub(crate) fn count_response(&self, mut response: HttpResponse) -> Result<HttpResponse, ApiError> {
        let permit = response.extensions_mut().remove::<SlowRequestPermit>();
        let size = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
        let Some(bytes) = size.filter(|bytes| *bytes >= LARGE_ANSWER_BYTES_MIN) else { return Ok(response) };
        let meter = permit.map_or_else(|| self.budget.meter(), |permit| permit.meter);
        meter.settle(bytes)?;
        Ok(response.map(|body| Body::new(MeteredBody { body, left: Bytes::new(), _meter: meter })))
    }
}

impl BodyBudget {
    /// Returns the counter of a request that may have a body.
    pub(crate) fn from_parts(parts: &Parts) -> Option<&BodyBudget> {
        parts.extensions.get()
    }

    /// Marks the request as one of an API client, so that its body no longer counts as unauthenticated.
    pub(crate) fn mark_client(&self) {
        self.0.is_known.store(true, Ordering::Relaxed);
        let bytes = self.0.bytes_of_stranger.swap(0, Ordering::Relaxed);
        self.0.all.of_strangers.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Reserves memory for a body of known length; returns false if there is none.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        let is_reserved = self.take(bytes);
        self.0.is_reserved.store(is_reserved, Ordering::Relaxed);
        is_reserved
    }

    /// Takes memory for received bytes; returns false if there is none.
    pub(crate) fn try_grow(&self, bytes: usize) -> bool {
        self.0.is_reserved.load(Ordering::Relaxed) || self.take(bytes)
    }

    fn take(&self, bytes: usize) -> bool {
        let BodyBudgetState { all, .. } = &*self.0;
        if !take(&all.bodies, bytes, all.bodies_bytes_max) {
            return false;
        }
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        if self.0.is_known.load(Ordering::Relaxed) {
            return true;
        }
        // If this fails, the bytes taken above are released when the request ends.
        let has_room = take(&all.of_strangers, bytes, all.bodies_bytes_max / STRANGERS_PART);
        if has_room {
            self.0.bytes_of_stranger.fetch_add(bytes, Ordering::Relaxed);
        }
        has_room
    }
}

impl Drop for BodyBudgetState {
    fn drop(&mut self) {
        self.all.bodies.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        self.all.of_strangers.fetch_sub(*self.bytes_of_stranger.get_mut(), Ordering::Relaxed);
    }
}

fn take(used: &AtomicUsize, bytes: usize, bytes_max: usize) -> bool {
    let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= bytes_max);
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

/// Returns a 503: the server holds its maximum of memory.
pub(crate) fn over_capacity() -> ApiError {
    ApiError::new(
        Code::OverCapacity,
        "The server works on as many large requests as it has memory for. Try again later.",
    )
}

/// The body of a response whose memory is counted while it exists. It is given out in pieces, as many as the socket has
/// room for: a whole body would be held by the socket, uncounted.
struct MeteredBody {
    body: Body,
    /// Bytes taken from `body` but not given out yet.
    left: Bytes,
    /// Releases the memory when it is dropped.
    _meter: ResponseMeter,
}

impl HttpBody for MeteredBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        if self.left.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.left = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        let size = self.left.len().min(PIECE_BYTES_MAX);
        Poll::Ready(Some(Ok(http_body::Frame::data(self.left.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let (below, left) = (self.body.size_hint(), self.left.len() as u64);
        let mut all = http_body::SizeHint::new();
        if let Some(upper) = below.upper() {
            all.set_upper(upper + left);
        }
        all.set_lower(below.lower() + left);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1024 * 1024;

    fn in_flight(megabytes: usize) -> Arc<InFlight> {
        Arc::new(InFlight::new(Arc::new(MemoryBudget::with_bytes(megabytes * MB))))
    }

    #[test]
    fn unauthenticated_bodies_leave_room_for_clients() {
        let all = in_flight(1024);
        let strangers: Vec<_> =
            std::iter::repeat_with(|| all.body()).take_while(|body| body.try_grow(MB)).collect();
        assert_eq!(strangers.len(), BODIES_BYTES_MAX / STRANGERS_PART / MB);
        let client = all.body();
        client.mark_client();
        assert!(client.try_grow(16 * MB));
        assert!(!client.try_grow(BODIES_BYTES_MAX));
        // A request that turns out to be a client's makes room for others.
        strangers[0].mark_client();
        assert!(all.body().try_grow(MB));
        drop((strangers, client));
        assert_eq!(all.bodies.load(Ordering::Relaxed) + all.of_strangers.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn large_responses_are_counted_until_they_are_read() {
        let all = in_flight(64);
        let large = || HttpResponse::new(Body::from(vec![b' '; 10 * MB]));
        let used: Vec<_> = std::iter::from_fn(|| all.count_response(large()).ok()).take(20).collect();
        assert_eq!(used.len(), 5, "the sixth would leave less to others than it takes");
        assert!(all.count_response(HttpResponse::new(Body::from("{}"))).is_ok(), "small ones always go");
        drop(used);
        assert!(all.count_response(large()).is_ok());
        assert_eq!(all.budget.held_bytes(), 0);
    }

    #[test]
    fn sends_large_responses_in_pieces_and_counts_them_until_the_last() {
        let all = in_flight(64);
        let sent: Vec<u8> = (0..MB).map(|at| (at % 251) as u8).collect();
        let mut body = all.count_response(HttpResponse::new(Body::from(sent.clone()))).unwrap().into_body();
        let mut got = Vec::new();
        while got.len() < MB {
            assert_eq!(body.size_hint().exact(), Some((MB - got.len()) as u64));
            assert!(!body.is_end_stream());
            assert!(all.budget.held_bytes() >= MB / 2);
            let frame = Pin::new(&mut body).poll_frame(&mut Context::from_waker(std::task::Waker::noop()));
            let Poll::Ready(Some(Ok(frame))) = frame else { panic!("it is all there") };
            let piece = frame.into_data().unwrap();
            assert!(piece.len() <= PIECE_BYTES_MAX);
            got.extend_from_slice(&piece);
        }
        assert!(body.is_end_stream() && got == sent);
        drop(body);
        assert_eq!(all.budget.held_bytes(), 0);
    }
}
