//! Copies the fields that two resource types share from one document to another.

use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};

/// Fields that belong to each document alone.
const OWN_FIELDS: [&str; 7] =
    ["id", "version", "createdAt", "lastModifiedAt", "createdBy", "lastModifiedBy", "key"];

/// Fields of a Cart or an Order that a new Cart with the same content does not copy: payments, progress, and
/// calculated fields.
const OF_ONE_CART: [&str; 6] =
    ["paymentInfo", "freezeStrategy", "lock", "taxedPrice", "taxedShippingPrice", "refusedGifts"];

/// Returns the fields of a Cart, or of an Order, for another Cart with the same content.
pub(crate) fn content_of_cart(source: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    copy_fields(source, "Cart", &OF_ONE_CART, rules)
}

/// Returns the fields of `source` that the object `object` of the model also has, without those in `except` and without
/// fields that each document has for itself, e.g. its id.
pub(crate) fn copy_fields(
    source: &Document,
    object: &str,
    except: &[&str],
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let missing = || ApiError::bug(format!("the model lacks {object}"));
    let object = rules.model.object_by_name(object).ok_or_else(missing)?;
    let names = rules.model.object(object).fields.iter().map(|field| field.name.as_str());
    let meant = names.filter(|name| !OWN_FIELDS.contains(name) && !except.contains(name));
    Ok(meant.filter_map(|name| Some((name.to_owned(), source.get(name)?.clone()))).collect())
}
