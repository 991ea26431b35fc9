//! Limits of the Import API.

/// Resources of one Import Request (reference, `maxItems` of the Import Requests).
pub(crate) const RESOURCES_MAX: usize = 20;
/// How long a container stays unless it says so (reference type `RetentionPolicy`).
pub(crate) const CONTAINER_HOURS_DEFAULT: i64 = 72;
/// The shortest time that a container may ask for (reference type `TimeToLiveConfig`).
pub(crate) const CONTAINER_MINUTES_MIN: i64 = 60;
/// The longest one, 30 days.
pub(crate) const CONTAINER_MINUTES_MAX: i64 = 30 * 24 * 60;
/// How long an operation stays behind its creation (public documentation, "Import API").
pub(crate) const OPERATION_HOURS: i64 = 48;
/// How often an operation is tried that failed for reasons of the server.
pub(crate) const ATTEMPTS_MAX: u32 = 5;
/// Operations that are taken into work together.
pub(crate) const BATCH_MAX: usize = 512;
/// Maximum number of concurrently processed resources.
pub(crate) const PARALLEL: usize = 32;
/// Operations that are read at once for a page.
pub(crate) const READ_TOGETHER: usize = 64;
/// How much an operation takes of memory while a page is made, for each byte of its text, about.
pub(crate) const HELD_BYTES_PER_BYTE: usize = 2;
