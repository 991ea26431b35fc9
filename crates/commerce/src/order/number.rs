//! `setOrderNumber`: sets the order number once.
//!
//! Source: reference type `OrderSetOrderNumberAction`.

use super::invalid_operation;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;

const NUMBER: &str = "orderNumber";

/// `setOrderNumber`: once.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let sent = arguments.get(NUMBER);
    match (context.document.get(NUMBER), sent) {
        (None, Some(sent)) => {
            context.document.insert(NUMBER, sent.clone());
            Ok(())
        }
        (there, sent) if there == sent => Ok(()),
        _ => Err(invalid_operation(context, "the orderNumber cannot be changed once it is set.")),
    }
}
