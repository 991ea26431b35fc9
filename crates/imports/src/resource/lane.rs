//! The lane of an operation, i.e. the document that it changes: operations of one lane are processed in order, and some
//! complete what others began.

use super::BY_KEY;
use crate::operation::OperationWork;
use crate::outcome::MissingReference;
use kontor_engine::document;

/// The resource types that are a part of the Product that they name.
const OF_PRODUCT: &[&str] = &["product-variant", "product-variant-patch", "price"];

/// Returns the resource that an operation imports, in the form in which other operations wait for it.
pub(crate) fn imported_resource(work: &OperationWork) -> MissingReference {
    let type_id = match BY_KEY.iter().find(|(name, ..)| *name == work.type_name) {
        Some((_, type_id, _)) => type_id,
        None if work.type_name == "product-draft" => "product",
        None => work.type_name.as_str(),
    };
    let key = document::text_or_log(&work.operation, &["resourceKey"]);
    MissingReference { type_id: type_id.to_owned(), key: key.to_owned() }
}

/// Returns the resource that the operation completes, if any: a Product, for its product variant.
pub(crate) fn completes(work: &OperationWork) -> Option<MissingReference> {
    (work.type_name == "product-variant").then(|| named_product(work)).flatten()
}

/// Returns the document that an operation changes; operations with the same one are processed one after the other.
pub(crate) fn lane(work: &OperationWork) -> MissingReference {
    let own = imported_resource(work);
    match work.type_name.as_str() {
        name if OF_PRODUCT.contains(&name) => named_product(work).unwrap_or(own),
        "order-patch" => MissingReference { type_id: "order".to_owned(), ..own },
        _ => own,
    }
}

/// Returns the Product that an imported resource names.
fn named_product(work: &OperationWork) -> Option<MissingReference> {
    let key = work.resource["product"]["key"].as_str()?.to_owned();
    Some(MissingReference { type_id: "product".to_owned(), key })
}
