//! Whose something is that buyers have: a Customer's, or that of a visitor with an anonymous session.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};

/// One of both, or nobody's. Who has become known is no visitor any more. `what` is the document, for people: `A Payment`;
/// `customer` its field with the Customer.
///
/// 400 `InvalidOperation`: it would be of both.
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
