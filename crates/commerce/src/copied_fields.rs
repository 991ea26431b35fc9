//! What one document has of another as it is then: the fields that both kinds have.

use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};

/// What each document has for itself.
const OF_ITSELF: [&str; 7] =
    ["id", "version", "createdAt", "lastModifiedAt", "createdBy", "lastModifiedBy", "key"];

/// What the content of a Cart, or of an Order, in another Cart is without: what was paid, how far it has come, and what
/// is worked out anew.
const OF_ONE_CART: [&str; 6] =
    ["paymentInfo", "freezeStrategy", "lock", "taxedPrice", "taxedShippingPrice", "refusedGifts"];

/// What another Cart with the content of a Cart, or of an Order, has of it.
pub(crate) fn content_of_cart(source: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    copied(source, "Cart", &OF_ONE_CART, rules)
}

/// The fields of `source` that documents of the kind `object` of the model have too, but for what each document has for
/// itself and for those named in `except`.
pub(crate) fn copied(
    source: &Document,
    object: &str,
    except: &[&str],
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let missing = || ApiError::bug(format!("the model lacks {object}"));
    let object = rules.model.object_by_name(object).ok_or_else(missing)?;
    let names = rules.model.object(object).fields.iter().map(|field| field.name.as_str());
    let meant = names.filter(|name| !OF_ITSELF.contains(name) && !except.contains(name));
    Ok(meant.filter_map(|name| Some((name.to_owned(), source.get(name)?.clone()))).collect())
}
