//! Limits of requests, which are enforced and described in the documents of the API.

/// The default number of results on a page (public documentation, "General Concepts").
pub const LIMIT_DEFAULT: usize = 20;
/// The maximum number of results on a page.
pub const LIMIT_MAX: usize = 500;
/// The maximum number of skipped results before a page.
pub const OFFSET_MAX: usize = 10_000;
/// The maximum number of update actions in one request (public documentation, "Limits").
pub const ACTIONS_MAX: usize = 500;
/// The maximum number of documents in one bulk request (reference type `BulkOperationMaxItemsExceededError`).
pub const BULK_ITEMS_MAX: usize = 1_000;
/// The maximum number of actions in one bulk request.
pub const BULK_ACTIONS_MAX: usize = 1;
/// Maximum number of ids in `resourceIds` and in `userIds` of Change History (release note of 21 September 2026).
pub const HISTORY_IDS_MAX: usize = 20;
/// The media types of images that can be uploaded (reference, "Upload Product image").
pub const IMAGE_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/gif"];
/// The maximum number of Import Containers in a Project, which are no documents of a kind. The reference mentions a
/// limit without its number.
pub const IMPORT_CONTAINERS_MAX: u64 = 1_000;
