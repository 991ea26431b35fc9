//! Errors of searches that are off or not ready.

use kontor_errors::{ApiError, Code};
use kontor_indexing::NotReady;
use kontor_model::Search;

/// Document B, "Errors": storefront searches are not found, back-office searches are not ready.
pub(crate) fn by_query(why: NotReady, search: &Search) -> ApiError {
    if search.parts.is_some() || search.hits {
        // Documented in these words (reference type `ObjectNotFoundError`).
        return ApiError::new(Code::ObjectNotFound, "No index found for project");
    }
    // The documented message (reference type `SearchNotReadyError`), followed by the reason.
    let state = match why {
        NotReady::Off => "it is deactivated",
        NotReady::Indexing => "it is being indexed",
    };
    let message = format!(
        "Search of {} is not ready. Check the indexing-status endpoint and that the feature has been activated in the project \
         settings: {state}.",
        search.name
    );
    ApiError::new(Code::SearchNotReady, message)
}

/// Documented in these words (reference types `SearchDeactivatedError`, `SearchIndexingInProgressError`).
pub(crate) fn by_parameters(why: NotReady) -> ApiError {
    match why {
        NotReady::Off => ApiError::new(
            Code::SearchDeactivated,
            "The endpoint is deactivated for this project. Please enable it via the Project endpoint, via the \
             Merchant Center in the Project settings, or reach out to Support to enable it.",
        ),
        NotReady::Indexing => ApiError::new(
            Code::SearchIndexingInProgress,
            "The indexing is currently in progress. Please wait until the status is \"Activated\" to execute \
             search requests.",
        ),
    }
}
