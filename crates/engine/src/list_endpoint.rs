//! Endpoints that return a page of the documents that match the values in the request.

use crate::access_scope::AccessScope;
use crate::document::Document;
use crate::list::{ListPage, ListRequest};
use crate::shop::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId, Validator};

impl Shop {
    /// Returns a page of the documents that an endpoint finds for the values `asked`, in the form that it shows.
    /// `request` has order, paging and expansion. Blocks the thread while it reads. Fails with 400 for invalid values
    /// or an invalid query, and with the errors of the endpoint's handler.
    pub fn call_list_endpoint(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        requested: Document,
        request: &ListRequest,
    ) -> ApiResult<ListPage> {
        let handler = self.behaviours.list_endpoint(kind, &endpoint.name);
        let handler =
            handler.ok_or_else(|| ApiError::bug(format!("the endpoint {} finds nothing", endpoint.name)))?;
        let mut requested = Value::Object(requested);
        Validator::new(&self.model).object(endpoint.input, &mut requested, "")?;
        let Value::Object(requested) = requested else {
            return Err(ApiError::bug("values that the model admitted are no object"));
        };
        let references = request.view_options.references.as_deref();
        let project = self.project();
        let found = self.with_rules_and_references(&request.bounds, references, &project, |rules| {
            handler(&requested, rules)
        })?;
        // The handler has already applied the access scope of the request.
        let page = ListRequest { bounds: AccessScope::default(), ..request.clone() };
        let mut listed = self.list_documents(kind, found, &page)?;
        for body in &mut listed.results {
            *body = self.render(
                kind,
                std::mem::take(body),
                &request.expand,
                &request.bounds,
                references,
                &request.meter,
            )?;
        }
        Ok(listed)
    }
}
