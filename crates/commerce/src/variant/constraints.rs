//! In what the Variants of a Product must differ, where they are resources of their own.

use super::{BOTH, PRODUCT_ID, VARIANT, as_of_product, product_of};
use crate::attribute::{check_differences, has_differences};
use crate::sides::STAGED;
use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};

/// Checks the sides whose Attributes changed against the other Variants of the Product, which must be the same when
/// the change is written. `SameForAll` is not asked for: no action changes several Variants at once, so that no value
/// could ever become another one.
pub(super) fn admit(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let attributes =
        |variant: &Document, is_staged| as_of_product(variant, is_staged).shift_remove("attributes");
    let changed = |side: &str| {
        let is_staged = side == STAGED;
        before.is_none_or(|before| attributes(before, is_staged) != attributes(after, is_staged))
    };
    if !BOTH.into_iter().any(changed) {
        return Ok(());
    }
    let product = product_of(after, rules)?;
    let product_type = crate::product::type_of(&product, rules)?;
    if !has_differences(&product_type) {
        return Ok(());
    }
    let kind = rules.model.kind_by_type_id(VARIANT).ok_or_else(ApiError::internal)?;
    let of = text(after, &["product", "id"]).unwrap_or_default();
    let others = rules.others_with(kind, PRODUCT_ID, of, text(after, &["id"]))?;
    for side in BOTH.into_iter().filter(|side| changed(side)) {
        let is_staged = side == STAGED;
        let mut all: Vec<Document> = others.iter().map(|other| as_of_product(other, is_staged)).collect();
        all.push(as_of_product(after, is_staged));
        check_differences(&product_type, &all.iter().collect::<Vec<_>>())?;
    }
    Ok(())
}
