//! How much memory the responses of a process may take while they are made and until they are sent.
//!
//! A [`MemoryBudget`] belongs to the process. Each response that may grow large has a [`ResponseMeter`], which takes memory from the
//! budget while the response grows. The meter refuses in two ways:
//! - The response alone would take more than one request ever may: 400, because sending the request again cannot succeed.
//! - The response takes more than the other responses leave: 503, and the client may send the request again.
//!
//! A response may hold at most as much as the budget has left. So the largest response is refused first: while four responses
//! hold 20 MB each of 100 MB, none of them grows further, and a response of 1 MB is still made.

use kontor_errors::{ApiError, ApiResult, Code};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A meter takes memory from its budget in pieces of this size. Smaller responses take nothing: most responses never touch the
/// counter that all threads share.
const PIECE_BYTES: usize = 256 * 1024;
/// The part of the memory of a process that its responses may take: one quarter. The rest is for the process itself, its caches,
/// request bodies, and for what an allocator keeps.
const PART_OF_MEMORY: u64 = 4;
/// A budget is at least this large. The largest document (16 MB) can be read with it.
const BUDGET_BYTES_MIN: usize = 64 * 1024 * 1024;
/// One response takes at most this much, whatever the budget.
const SHARE_BYTES_MAX: usize = 640 * 1024 * 1024;
/// The memory of a process for which nothing is known.
const MEMORY_BYTES_DEFAULT: u64 = 2 * 1024 * 1024 * 1024;

/// The memory that all responses of a process take together.
#[derive(Debug)]
pub struct MemoryBudget {
    bytes_max: usize,
    held: AtomicUsize,
}

/// The memory of one response, and whether a client still waits for it. Clones are the same meter. What the meter took returns to
/// the budget when the last clone is dropped.
///
/// The default meter belongs to no budget: it refuses nothing, and somebody always waits.
#[derive(Debug, Clone, Default)]
pub struct ResponseMeter(Option<Arc<Metered>>);

#[derive(Debug)]
struct Metered {
    budget: Arc<MemoryBudget>,
    /// What the response takes, in bytes.
    charged: AtomicUsize,
    /// What was taken from the budget for it.
    taken: AtomicUsize,
    /// The most that was taken at a time.
    most_taken: AtomicUsize,
    /// References that the response has expanded.
    references: AtomicUsize,
    is_abandoned: AtomicBool,
    /// The response was refused because others hold the memory.
    is_crowded_out: AtomicBool,
}

/// Why a meter refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// The response is larger than one response may be.
    TooLarge,
    /// Other responses hold the memory.
    Full,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::of_memory(MEMORY_BYTES_DEFAULT)
    }
}

impl MemoryBudget {
    /// The budget of a process that may use `memory_bytes`.
    pub fn of_memory(memory_bytes: u64) -> Self {
        let part = usize::try_from(memory_bytes / PART_OF_MEMORY).unwrap_or(usize::MAX);
        Self::of_bytes(part.max(BUDGET_BYTES_MIN))
    }

    /// A budget of exactly `bytes_max`.
    pub fn of_bytes(bytes_max: usize) -> Self {
        Self { bytes_max, held: AtomicUsize::new(0) }
    }

    /// What all responses may take together, in bytes.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// What they take at present, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The most that one response may take, in bytes. With this much it leaves as much to all others.
    pub fn share_bytes_max(&self) -> usize {
        (self.bytes_max / 2).min(SHARE_BYTES_MAX)
    }

    /// A meter for a response.
    pub fn meter(self: &Arc<Self>) -> ResponseMeter {
        ResponseMeter(Some(Arc::new(Metered {
            budget: Arc::clone(self),
            charged: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            most_taken: AtomicUsize::new(0),
            references: AtomicUsize::new(0),
            is_abandoned: AtomicBool::new(false),
            is_crowded_out: AtomicBool::new(false),
        })))
    }

    /// Takes `bytes` for a response that has taken `own` before.
    fn take(&self, own: usize, bytes: usize) -> Result<(), Refusal> {
        let own = own.saturating_add(bytes);
        if own > self.share_bytes_max() {
            return Err(Refusal::TooLarge);
        }
        let more = |held: usize| {
            let held = held.checked_add(bytes)?;
            (own <= self.bytes_max.checked_sub(held)?).then_some(held)
        };
        let taken = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|_| Refusal::Full)
    }
}

impl Metered {
    fn charge(&self, bytes: usize) -> Result<(), Refusal> {
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
        // A piece is kept, so that what is refunded and charged again does not touch the shared counter.
        let kept = charged.next_multiple_of(PIECE_BYTES) + PIECE_BYTES;
        if taken > kept {
            self.taken.fetch_sub(taken - kept, Ordering::Relaxed);
            self.budget.held.fetch_sub(taken - kept, Ordering::Relaxed);
        }
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        let most_taken = *self.most_taken.get_mut();
        if most_taken > 0 {
            let taken = *self.taken.get_mut();
            let held = self.budget.held.fetch_sub(taken, Ordering::Relaxed) - taken;
            metrics::gauge!("kontor_memory_held_bytes").set(held as f64);
            metrics::counter!("kontor_memory_taken_bytes_total").increment(most_taken as u64);
        }
    }
}

impl ResponseMeter {
    /// A meter of its own for work that belongs to no response, and may take at most `bytes_max`.
    pub fn bounded(bytes_max: usize) -> Self {
        Arc::new(MemoryBudget::of_bytes(bytes_max.saturating_mul(2))).meter()
    }

    /// Takes memory for bytes by which the response grows.
    ///
    /// # Errors
    /// 400 `InvalidInput` where no request may have a response that large; 503 `OverCapacity` where other responses hold the memory.
    pub fn charge(&self, bytes: usize) -> ApiResult<()> {
        self.charge_or(bytes, || {
            ApiError::invalid_input(format!(
                "The response takes more memory than one request may use ({} MB). Ask for less at once.",
                self.share_bytes_max() >> 20
            ))
        })
    }

    /// As [`Self::charge`], with an error of the caller's for a response that is too large.
    ///
    /// # Errors
    /// `too_large()`, or 503 `OverCapacity`.
    pub fn charge_or(&self, bytes: usize, too_large: impl FnOnce() -> ApiError) -> ApiResult<()> {
        let Some(metered) = &self.0 else { return Ok(()) };
        metered.charge(bytes).map_err(|refusal| match refusal {
            Refusal::TooLarge => too_large(),
            Refusal::Full => {
                metered.is_crowded_out.store(true, Ordering::Relaxed);
                metrics::counter!("kontor_memory_refused_total").increment(1);
                over_capacity()
            }
        })
    }

    /// Fails where a charge failed before because other responses hold the memory: for a response that tells errors of its parts,
    /// and is to be refused as a whole.
    ///
    /// # Errors
    /// 503 `OverCapacity`.
    pub fn must_have_room(&self) -> ApiResult<()> {
        let is_crowded_out =
            self.0.as_ref().is_some_and(|metered| metered.is_crowded_out.load(Ordering::Relaxed));
        if is_crowded_out { Err(over_capacity()) } else { Ok(()) }
    }

    /// Gives memory back that was charged, because its bytes were dropped.
    pub fn refund(&self, bytes: usize) {
        if let Some(metered) = &self.0 {
            metered.refund(bytes);
        }
    }

    /// Charges exactly `bytes` from here on: the response is complete, and has this size.
    ///
    /// # Errors
    /// Those of [`Self::charge`], where the response is larger than what was charged for it.
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

    /// What the response takes, in bytes.
    pub fn charged_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |metered| metered.charged.load(Ordering::Relaxed))
    }

    /// What the response may take in any case where no others hold memory, in bytes.
    pub fn share_bytes_max(&self) -> usize {
        let share = |metered: &Arc<Metered>| metered.budget.share_bytes_max().saturating_sub(PIECE_BYTES);
        self.0.as_ref().map_or(usize::MAX, share)
    }

    /// Counts a reference that the response expands. Returns how many it has expanded; 0 without a budget.
    pub fn count_reference(&self) -> usize {
        self.0.as_ref().map_or(0, |metered| metered.references.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// True as long as a client waits for the response.
    pub fn is_awaited(&self) -> bool {
        self.0.as_ref().is_none_or(|metered| !metered.is_abandoned.load(Ordering::Relaxed))
    }

    /// Fails where no client waits any more; so no client gets the error.
    pub fn must_be_awaited(&self) -> ApiResult<()> {
        let gone = || ApiError::new(Code::OverCapacity, "Nobody waits for the answer any more.");
        self.is_awaited().then_some(()).ok_or_else(gone)
    }

    /// Says that no client waits any more.
    pub(crate) fn abandon(&self) {
        if let Some(metered) = &self.0 {
            metered.is_abandoned.store(true, Ordering::Relaxed);
        }
    }
}

/// 503: other requests hold the memory that this one needs.
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
        Arc::new(MemoryBudget::of_bytes(bytes_max))
    }

    #[test]
    fn the_largest_response_is_refused_first() {
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
    fn a_response_that_can_never_be_made_is_not_to_be_asked_for_again() {
        let budget = budget(100 * MB);
        let meter = budget.meter();
        assert_eq!(meter.charge(51 * MB).unwrap_err().code(), Code::InvalidInput);
        // Also while others hold memory: to ask again would be in vain.
        let other = budget.meter();
        other.charge(40 * MB).unwrap();
        assert_eq!(meter.charge(51 * MB).unwrap_err().code(), Code::InvalidInput);
        assert_eq!(meter.charge(41 * MB).unwrap_err().code(), Code::OverCapacity);
    }

    #[test]
    fn all_that_was_taken_returns() {
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
    fn many_threads_never_hold_more_than_the_budget() {
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
    fn a_budget_is_a_part_of_the_memory_and_never_too_small() {
        assert_eq!(MemoryBudget::of_memory(512 * MB as u64).bytes_max(), 128 * MB);
        assert_eq!(MemoryBudget::of_memory(1).share_bytes_max(), 32 * MB);
        assert_eq!(MemoryBudget::of_memory(u64::MAX).share_bytes_max(), SHARE_BYTES_MAX);
    }
}
