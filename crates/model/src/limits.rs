//! Limits that requests are held to and that descriptions of the API tell.

/// Results of a page when the request does not say (public documentation, "General Concepts").
pub const LIMIT_DEFAULT: usize = 20;
/// Most results of a page.
pub const LIMIT_MAX: usize = 500;
/// Most results that can be left out before a page.
pub const OFFSET_MAX: usize = 10_000;
/// Most update actions of one request (public documentation, "Limits").
pub const ACTIONS_MAX: usize = 500;
/// Most documents that one request changes each for itself (reference type `BulkOperationMaxItemsExceededError`).
pub const BULK_ITEMS_MAX: usize = 1_000;
/// Most actions that are done to each of them.
pub const BULK_ACTIONS_MAX: usize = 1;
/// Media types of images that can be uploaded (reference, "Upload Product image").
pub const IMAGE_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/gif"];
/// Import Containers of a Project, which are no documents of a kind. The reference names a limit without its number.
pub const IMPORT_CONTAINERS_MAX: u64 = 1_000;
