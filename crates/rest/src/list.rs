//! Lists of documents below another one that they belong to: `/product-selections/{id}/products` and the like, by
//! the model.

use crate::admitted::Admitted;
use crate::answer::Answer;
use crate::blocking::page;
use crate::face::Rest;
use kontor_engine::{Address, document};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// Answers a list below another document: the one that the path addresses, or the Store.
pub(crate) async fn answer(rest: &Rest, admitted: &Admitted<'_>, position: usize) -> ApiResult<Answer> {
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
    page(&rest.turns, move |meter| {
        request.meter = meter.clone();
        let mut listed = shop.list_below(kind, &list, &[parent], request)?;
        for result in &mut listed.results {
            *result = shop.shown_in(&list, result)?;
        }
        Ok(listed.into_body())
    })
    .await
}
