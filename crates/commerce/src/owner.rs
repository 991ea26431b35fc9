//! The owner of a buyer's document: a Customer, or an anonymous session.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};

/// Checks that a document has one owner at most, and removes the session once a Customer is known. `what`
/// names the document in the error: `A Payment`; `customer` is its field with the Customer.
///
/// 400 `InvalidOperation`: the document would have both.
pub(crate) fn admit_owner(
    what: &str,
    customer: &str,
    before: Option<&Document>,
    after: &mut Document,
) -> ApiResult<()> {
    if !after.contains_key(customer) || !after.contains_key("anonymousId") {
        return Ok(());
    }
    if before.is_some_and(|before| !before.contains_key(customer)) {
        after.shift_remove("anonymousId");
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{what} is of a customer or of an anonymous session, not of both."
    )))
}
