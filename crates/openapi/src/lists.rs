//! Describes lists of documents below their parent document.

use crate::envelopes::page_of;
use crate::operation::{OperationDescription, READING, operation_responses};
use crate::parameters::by_name;
use crate::schemas::{Schemas, ValueDirection};
use kontor_model::Listing;

/// Describes a list.
pub(crate) fn describe(schemas: &mut Schemas<'_>, list: &Listing) -> OperationDescription {
    let shows = schemas.model.object(list.shows).name.clone();
    let result = schemas.object(list.shows, ValueDirection::Response);
    let schema = page_of(schemas, &shows, result);
    let names = ["where", "variables", "sort", "expand", "limit", "offset", "optionalTotal"];
    OperationDescription {
        summary: if list.doc.is_empty() { format!("Query {}", list.path) } else { list.doc.clone() },
        parameters: names.map(by_name).into(),
        content: None,
        responses: operation_responses(&[(200, "A page of results.")], &schema, READING),
    }
}
