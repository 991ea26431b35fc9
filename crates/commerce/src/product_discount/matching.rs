//! The endpoint `matching`: returns the Product Discount that would apply to a given price of a product variant.
//!
//! Source: reference types `ProductDiscountMatchQuery`, `QueryPrice`, `NoMatchingProductDiscountFoundError`.

use crate::discounted_price::{PriceInContext, ValidProductDiscounts};
use crate::product::variant_on;
use crate::sides::{CURRENT, STAGED};
use crate::variant::{as_product_variant, find_by_number};
use kontor_engine::conversion::convert_object;
use kontor_engine::document::{get, must_integer, must_text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

pub(super) const MATCHING: EndpointHandler = EndpointHandler { find, act: respond };

fn find(query: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let product_id = must_text(query, &["productId"])?;
    let missing = || ApiError::referenced_resource_not_found("product", Some(product_id), None);
    let product = rules.peek_type("product", product_id)?.ok_or_else(missing)?;
    let price = price_of(query, rules)?;
    let is_staged = query.get("staged") == Some(&json!(true));
    let variant_id = must_integer(query, &["variantId"])?;
    let within = variant_on(&product, is_staged, |variant| variant["id"] == variant_id);
    let resource = match within {
        Some(_) => None,
        None => find_by_number(product_id, variant_id, rules)?.map(|it| as_product_variant(&it, is_staged)),
    };
    let side = get(&product, &["masterData", if is_staged { STAGED } else { CURRENT }]);
    let meant = within.or_else(|| side.and_then(Value::as_object).zip(resource.as_ref()));
    let id = match meant {
        Some((data, variant)) => {
            let priced = PriceInContext { product: &product, data, variant, price: &price, look_up: rules };
            let discounted = ValidProductDiscounts::now(rules)?.discounted_value(&priced)?;
            discounted.and_then(|discounted| discounted["discount"]["id"].as_str().map(str::to_owned))
        }
        None => None,
    };
    let id = id.ok_or_else(|| {
        ApiError::new(
            Code::NoMatchingProductDiscountFound,
            format!(
                "Couldn't find a matching product discount for: productId={product_id}, variantId={variant_id}, \
                 price={}.",
                query.get("price").unwrap_or(&Value::Null)
            ),
        )
    })?;
    Ok(EndpointTarget { id, ..EndpointTarget::default() })
}

/// The price of the query as one would be stored.
fn price_of(query: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let shapes = rules.model.object_by_name("QueryPrice").zip(rules.model.object_by_name("Price"));
    match (query.get("price"), shapes) {
        (Some(Value::Object(price)), Some((sent, stored))) => {
            convert_object(sent, stored, price.clone(), "price", rules)
        }
        _ => Err(ApiError::bug("a query without a price, or a model without its shapes")),
    }
}

fn respond(_serving: &mut EndpointContext<'_, '_>, _query: &Document) -> ApiResult<EndpointReply> {
    Ok(EndpointReply::Document)
}
