//! Lists of documents below another document, as the model declares them, e.g. `/product-selections/{id}/products`.

use crate::admitted_request::AdmittedRequest;
use crate::blocking::page;
use crate::response::HttpResponse;
use crate::service::Rest;
use kontor_engine::{Address, document};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// Returns a list below the document that the path addresses, or below the Store.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    position: usize,
) -> ApiResult<HttpResponse> {
    let (shop, kind) = (Arc::clone(&admitted.shop), admitted.kind);
    let list = rest.model.kind(kind).lists.get(position).cloned();
    let list = list.ok_or_else(|| ApiError::bug(format!("there is no list {position}")))?;
    let mut request = admitted.parameters.list_request(false)?;
    let address = match admitted.store {
        Some(key) if list.inside => Address::Key(key),
        _ => admitted.address()?,
    };
    let stored = shop.must_get(list.parent, &address)?;
    let parent = document::read_stored(&stored)?;
    page(&rest.limiter, move |meter| {
        request.meter = meter.clone();
        let mut listed = shop.list_children(kind, &list, &[parent], request)?;
        for result in &mut listed.results {
            *result = shop.list_fields(&list, result)?;
        }
        Ok(listed.into_body())
    })
    .await
}
