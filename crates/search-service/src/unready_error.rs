//! Errors of searches that are off or not ready.

use kontor_errors::{ApiError, Code};
use kontor_indexing::UnreadyReason;
use kontor_model::Search;

/// Document B, "Errors": storefront searches are not found, back-office searches are not ready.
pub(crate) fn query_search_error(why: UnreadyReason, search: &Search) -> ApiError {
    if search.parts.is_some() || search.hits {
        // Documented in these words (reference type `ObjectNotFoundError`).
        return ApiError::new(Code::ObjectNotFound, "No index found for project");
    }
    // The documented message (reference type `SearchNotReadyError`), followed by the reason.
    let state = match why {
        UnreadyReason::Off => "it is deactivated",
        UnreadyReason::Indexing => "it is being indexed",
    };
    let message = format!(
        "Search of {} is not ready. Check the indexing-status endpoint and that the feature has been activated in the project \
         settings: {state}.",
        search.name
    );
    ApiError::new(Code::SearchNotReady, message)
}

/// Documented in these words (reference types `SearchDeactivatedError`, `SearchIndexingInProgressError`).
pub(crate) fn parameter_search_error(why: UnreadyReason) -> ApiError {
    match why {
        UnreadyReason::Off => ApiError::new(
            Code::SearchDeactivated,
            "The endpoint is deactivated for this project. Please enable it via the Project endpoint, via the \
             Merchant Center in the Project settings, or reach out to Support to enable it.",
        ),
        UnreadyReason::Indexing => ApiError::new(
            Code::SearchIndexingInProgress,
            "The indexing is currently in progress. Please wait until the status is \"Activated\" to execute \
             search requests.",
        ),
    }
}
