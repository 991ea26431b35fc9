//! Limits the memory of responses, from their creation until they are sent.
//!
//! A [`MemoryBudget`] belongs to the process. Each response that may grow large has a [`ResponseMeter`], which takes
//! memory from the budget while the response grows. The meter refuses in two ways:
//! - The response alone would take more than one request ever may: 400, because sending the request again cannot
//!   succeed.
//! - The response takes more than the other responses leave: 503, and the client may send the request again.
//!
//! A response may hold at most as much as the budget has left. So the largest response is refused first: while four
//! responses hold 20 MB each of 100 MB, none of them grows further, and a response of 1 MB is still made.

use kontor_errors::{ApiError, ApiResult, Code};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Meters take memory from the budget in pieces of this size. Most responses are smaller and take nothing, so they
/// never touch the counter that all threads share.
const PIECE_BYTES: usize = 256 * 1024;
/// The divisor of the memory of a process: its responses may take one quarter. The rest is for caches, request
/// bodies, the memory that the allocator does not return, and the process itself.
const PART_OF_MEMORY: u64 = 4;
/// The minimum size of a budget, enough to read the largest document (16 MB).
const BUDGET_BYTES_MIN: usize = 64 * 1024 * 1024;
/// The maximum memory of one response, whatever the budget.
const SHARE_BYTES_MAX: usize = 640 * 1024 * 1024;
/// The memory of a process if its limit is unknown.
const MEMORY_BYTES_DEFAULT: u64 = 2 * 1024 * 1024 * 1024;

/// The memory of all responses of a process together.
#[derive(Debug)]
pub struct MemoryBudget {
    bytes_max: usize,
    used_bytes: AtomicUsize,
}

/// Meters the memory of one response, and knows whether its client still waits. Clones share one meter. Its memory
/// returns to the budget when the last clone is dropped.
///
/// The default meter belongs to no budget: it refuses nothing, and its client always waits.
#[derive(Debug, Clone, Default)]
pub struct ResponseMeter(Option<Arc<MeterState>>);

#[derive(Debug)]
struct MeterState {
    budget: Arc<MemoryBudget>,
    /// The size of the response so far, in bytes.
    charged: AtomicUsize,
    /// The bytes that were taken from the budget.
    taken: AtomicUsize,
    /// The maximum of `taken` so far.
    most_taken: AtomicUsize,
    /// The number of references that the response has expanded.
    references: AtomicUsize,
    is_abandoned: AtomicBool,
    /// Whether the response was refused because others hold the memory.
    is_crowded_out: AtomicBool,
    /// A charge was refused, for whatever reason.
    has_refused: AtomicBool,
}

/// The reason of a refused charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChargeRefusal {
    /// The response is larger than any response may be.
    TooLarge,
    /// Other responses hold the memory.
    Full,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::for_memory(MEMORY_BYTES_DEFAULT)
    }
}

impl MemoryBudget {
    /// Returns the budget of a process that may use `memory_bytes`.
    pub fn for_memory(memory_bytes: u64) -> Self {
        let part = usize::try_from(memory_bytes / PART_OF_MEMORY).unwrap_or(usize::MAX);
        Self::with_bytes(part.max(BUDGET_BYTES_MIN))
    }

    /// Returns a budget of exactly `bytes_max`.
    pub fn with_bytes(bytes_max: usize) -> Self {
        Self { bytes_max, used_bytes: AtomicUsize::new(0) }
    }

    /// Returns the maximum size of all responses together, in bytes.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Returns the current size of all responses together, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Returns the maximum size of one response, in bytes. It leaves as much memory to all others.
    pub fn share_bytes_max(&self) -> usize {
        (self.bytes_max / 2).min(SHARE_BYTES_MAX)
    }

    /// Returns a meter for a response.
    pub fn meter(self: &Arc<Self>) -> ResponseMeter {
        ResponseMeter(Some(Arc::new(MeterState {
            budget: Arc::clone(self),
            charged: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            most_taken: AtomicUsize::new(0),
            references: AtomicUsize::new(0),
            is_abandoned: AtomicBool::new(false),
            is_crowded_out: AtomicBool::new(false),
            has_refused: AtomicBool::new(false),
        })))
    }

    /// Takes `bytes` for a response that already holds `own`.
    fn take(&self, own: usize, bytes: usize) -> Result<(), ChargeRefusal> {
        let own = own.saturating_add(bytes);
        if own > self.share_bytes_max() {
            return Err(ChargeRefusal::TooLarge);
        }
        let more = |used_bytes: usize| {
            let used_bytes = used_bytes.checked_add(bytes)?;
            (own <= self.bytes_max.checked_sub(used_bytes)?).then_some(used_bytes)
        };
        let taken = self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|_| ChargeRefusal::Full)
    }
}

impl MeterState {
    fn charge(&self, bytes: usize) -> Result<(), ChargeRefusal> {
        let charged = self.charged.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let taken = self.taken.load(Ordering::Relaxed);
        let Some(missing) = charged.checked_sub(taken).filter(|missing| *missing > PIECE_BYTES) else {
            return Ok(());
        };
        let piece = missing.next_multiple_of(PIECE_BYTES);
        match self.budget.take(taken, piece) {
            Ok(()) => {
                let taken = self.taken.fetch_add(piece, Ordering::Relaxed) + piece;
                self.most_taken.fetch_max(taken, Ordering::Relaxed);
                metrics::gauge!("kontor_memory_held_bytes").set(self.budget.held_bytes() as f64);
                Ok(())
            }
            Err(refusal) => {
                self.charged.fetch_sub(bytes, Ordering::Relaxed);
                Err(refusal)
            }
        }
    }

    fn refund(&self, bytes: usize) {
        let less = |charged: usize| Some(charged.saturating_sub(bytes));
        let before = self.charged.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        let charged = before.unwrap_or_else(|before| before).saturating_sub(bytes);
        let taken = self.taken.load(Ordering::Relaxed);
        // One piece stays reserved, so that alternating refunds and charges do not touch the shared counter.
        let kept = charged.next_multiple_of(PIECE_BYTES) + PIECE_BYTES;
        if taken > kept {
            self.taken.fetch_sub(taken - kept, Ordering::Relaxed);
            self.budget.used_bytes.fetch_sub(taken - kept, Ordering::Relaxed);
        }
    }
}

impl Drop for MeterState {
    fn drop(&mut self) {
        let most_taken = *self.most_taken.get_mut();
        if most_taken > 0 {
            let taken = *self.taken.get_mut();
            let used_bytes = self.budget.used_bytes.fetch_sub(taken, Ordering::Relaxed) - taken;
            metrics::gauge!("kontor_memory_held_bytes").set(used_bytes as f64);
            metrics::counter!("kontor_memory_taken_bytes_total").increment(most_taken as u64);
        }
    }
}

impl ResponseMeter {
    /// Returns a meter for work that belongs to no response, and may take at most `bytes_max`.
    pub fn with_limit(bytes_max: usize) -> Self {
        Arc::new(MemoryBudget::with_bytes(bytes_max.saturating_mul(2))).meter()
    }

    /// Charges for bytes by which the response grows.
    ///
    /// # Errors
    /// 400 `InvalidInput` if no request may have a response that large; 503 `OverCapacity` if other responses hold
    /// the memory.
    pub fn charge(&self, bytes: usize) -> ApiResult<()> {
        self.charge_or(bytes, || {
            ApiError::invalid_input(format!(
                "The response takes more memory than one request may use ({} MB). Request less at once.",
                self.share_bytes_max() >> 20
            ))
        })
    }

    /// Like [`Self::charge`], with the caller's error for a response that is too large.
    ///
    /// # Errors
    /// `too_large()`, or 503 `OverCapacity`.
    pub fn charge_or(&self, bytes: usize, too_large: impl FnOnce() -> ApiError) -> ApiResult<()> {
        let Some(metered) = &self.0 else { return Ok(()) };
        metered.charge(bytes).inspect_err(|_| metered.has_refused.store(true, Ordering::Relaxed)).map_err(
            |refusal| match refusal {
                ChargeRefusal::TooLarge => too_large(),
                ChargeRefusal::Full => {
                    metered.is_crowded_out.store(true, Ordering::Relaxed);
                    metrics::counter!("kontor_memory_refused_total").increment(1);
                    over_capacity()
                }
            },
        )
    }

    /// Fails if an earlier charge failed because other responses hold the memory: for a response that reports errors
    /// of its parts, and must be refused as a whole then.
    ///
    /// # Errors
    /// 503 `OverCapacity`.
    pub fn must_have_room(&self) -> ApiResult<()> {
        let is_crowded_out =
            self.0.as_ref().is_some_and(|metered| metered.is_crowded_out.load(Ordering::Relaxed));
        if is_crowded_out { Err(over_capacity()) } else { Ok(()) }
    }

    /// True where a charge failed before: whatever else belongs to the response would fail too.
    pub fn has_refused(&self) -> bool {
        self.0.as_ref().is_some_and(|metered| metered.has_refused.load(Ordering::Relaxed))
    }

    /// Returns charged memory, because its bytes were dropped.
    pub fn refund(&self, bytes: usize) {
        if let Some(metered) = &self.0 {
            metered.refund(bytes);
        }
    }

    /// Sets the charge to exactly `bytes`: the response is complete, and has this size.
    ///
    /// # Errors
    /// Those of [`Self::charge`], if the response is larger than the charge so far.
    pub fn settle(&self, bytes: usize) -> ApiResult<()> {
        let charged = self.charged_bytes();
        match bytes.checked_sub(charged) {
            Some(more) => self.charge(more),
            None => {
                self.refund(charged - bytes);
                Ok(())
            }
        }
    }

    /// Returns the size of the response so far, in bytes.
    pub fn charged_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |metered| metered.charged.load(Ordering::Relaxed))
    }

    /// Returns the size that the response may always reach while no other response holds memory, in bytes.
    pub fn share_bytes_max(&self) -> usize {
        let share = |metered: &Arc<MeterState>| metered.budget.share_bytes_max().saturating_sub(PIECE_BYTES);
        self.0.as_ref().map_or(usize::MAX, share)
    }

    /// Counts an expanded reference of the response. Returns how many it has; 0 without a budget.
    pub fn count_reference(&self) -> usize {
        self.0.as_ref().map_or(0, |metered| metered.references.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// True while a client waits for the response.
    pub fn is_client_waiting(&self) -> bool {
        self.0.as_ref().is_none_or(|metered| !metered.is_abandoned.load(Ordering::Relaxed))
    }

    /// Fails if the client has disconnected; so no client gets the error.
    pub fn must_have_client(&self) -> ApiResult<()> {
        let gone = || ApiError::new(Code::OverCapacity, "The client has disconnected.");
        self.is_client_waiting().then_some(()).ok_or_else(gone)
    }

    /// Marks the response as abandoned by its client.
    pub(crate) fn abandon(&self) {
        if let Some(metered) = &self.0 {
            metered.is_abandoned.store(true, Ordering::Relaxed);
        }
    }
}

/// 503: other responses hold the memory that this one needs.
pub(crate) fn over_capacity() -> ApiError {
    ApiError::new(
        Code::OverCapacity,
        "The server works on as many large requests as it has memory for. Try again later.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1024 * 1024;

    fn budget(bytes_max: usize) -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget::with_bytes(bytes_max))
    }

    #[test]
    fn refuses_the_largest_response_first() {
        let budget = budget(100 * MB);
        let large: Vec<ResponseMeter> = (0..4).map(|_| budget.meter()).collect();
        large.iter().for_each(|meter| meter.charge(20 * MB).unwrap());
        for meter in &large {
            assert_eq!(meter.charge(MB).unwrap_err().code(), Code::OverCapacity);
        }
        let small = budget.meter();
        small.charge(5 * MB).unwrap();
        drop(large);
        small.charge(40 * MB).unwrap();
    }

    #[test]
    fn responds_400_to_impossible_responses() {
        let budget = budget(100 * MB);
        let meter = budget.meter();
        assert!(!meter.has_refused());
        assert_eq!(meter.charge(51 * MB).unwrap_err().code(), Code::InvalidInput);
        assert!(meter.has_refused());
        // Retrying would be in vain, even after other responses have released memory.
        let other = budget.meter();
        other.charge(40 * MB).unwrap();
        assert_eq!(meter.charge(51 * MB).unwrap_err().code(), Code::InvalidInput);
        assert_eq!(meter.charge(41 * MB).unwrap_err().code(), Code::OverCapacity);
    }

    #[test]
    fn returns_all_memory() {
        let budget = budget(100 * MB);
        let meter = budget.meter();
        meter.charge(PIECE_BYTES).unwrap();
        assert_eq!(budget.held_bytes(), 0, "small responses take nothing");
        meter.charge(10 * MB).unwrap();
        assert!((10 * MB..12 * MB).contains(&budget.held_bytes()));
        meter.refund(9 * MB);
        assert!((MB..3 * MB).contains(&budget.held_bytes()), "{}", budget.held_bytes());
        meter.settle(20 * MB).unwrap();
        assert_eq!(meter.charged_bytes(), 20 * MB);
        _ = meter.charge(60 * MB);
        assert_eq!(meter.charged_bytes(), 20 * MB, "a refused charge is none");
        drop(meter.clone());
        assert!(budget.held_bytes() >= 19 * MB);
        drop(meter);
        assert_eq!(budget.held_bytes(), 0);
    }

    #[test]
    fn stays_within_the_budget_with_many_threads() {
        let budget = budget(50 * MB);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..200 {
                        let meter = budget.meter();
                        while meter.charge(MB / 3 + round).is_ok() {
                            assert!(budget.held_bytes() <= budget.bytes_max());
                        }
                    }
                });
            }
        });
        assert_eq!(budget.held_bytes(), 0);
    }

    #[test]
    fn sizes_the_budget_by_the_memory() {
        assert_eq!(MemoryBudget::for_memory(512 * MB as u64).bytes_max(), 128 * MB);
        assert_eq!(MemoryBudget::for_memory(1).share_bytes_max(), 32 * MB);
        assert_eq!(MemoryBudget::for_memory(u64::MAX).share_bytes_max(), SHARE_BYTES_MAX);
    }
}
