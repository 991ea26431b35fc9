//! Describes lists of documents below their parent document.

use crate::envelopes::page_of;
use crate::operation::{Described, READING, answers};
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use kontor_model::Listing;

/// Describes a list.
pub(crate) fn described(schemas: &mut Schemas<'_>, list: &Listing) -> Described {
    let shows = schemas.model.object(list.shows).name.clone();
    let result = schemas.object(list.shows, Way::Answered);
    let schema = page_of(schemas, &shows, result);
    let names = ["where", "variables", "sort", "expand", "limit", "offset", "optionalTotal"];
    Described {
        summary: if list.doc.is_empty() { format!("Query {}", list.path) } else { list.doc.clone() },
        parameters: names.map(by_name).into(),
        content: None,
        responses: answers(&[(200, "A page of results.")], &schema, READING),
    }
}
