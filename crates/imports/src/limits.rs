//! Limits of the Import API.

/// Maximum number of resources in one Import Request (reference, `maxItems` of the Import Requests).
pub(crate) const RESOURCES_MAX: usize = 20;
/// The default lifetime of a container, in hours (reference type `RetentionPolicy`).
pub(crate) const CONTAINER_HOURS_DEFAULT: i64 = 72;
/// The shortest lifetime of a container, in minutes (reference type `TimeToLiveConfig`).
pub(crate) const CONTAINER_MINUTES_MIN: i64 = 60;
/// The longest lifetime of a container, in minutes: 30 days.
pub(crate) const CONTAINER_MINUTES_MAX: i64 = 30 * 24 * 60;
/// The lifetime of an operation after its creation, in hours (public documentation, "Import API").
pub(crate) const OPERATION_HOURS: i64 = 48;
/// Maximum number of attempts for an operation that fails because of a server error.
pub(crate) const ATTEMPTS_MAX: u32 = 5;
/// Maximum number of operations taken from the queue at once.
pub(crate) const BATCH_MAX: usize = 512;
/// Maximum number of concurrently processed resources.
pub(crate) const PARALLEL: usize = 32;
/// Number of operations read at once for a page.
pub(crate) const READ_TOGETHER: usize = 64;
/// Memory that an operation takes while a page is built, in bytes for each byte of its text (approximately).
pub(crate) const HELD_BYTES_PER_BYTE: usize = 2;
