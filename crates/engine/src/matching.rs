//! Endpoints that answer many documents: those that match what they are asked with.

use crate::bounds::Bounds;
use crate::document::Document;
use crate::list::{ListRequest, Listed};
use crate::shop::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId, Validator};

impl Shop {
    /// The documents that an endpoint finds for the values that it is asked with, as it shows them. `request` says how they
    /// are sorted and paged, and what is expanded. Holds the thread as long as it reads.
    pub fn list_matching(
        &self,
        kind: KindId,
        endpoint: &Endpoint,
        asked: Document,
        request: &ListRequest,
    ) -> ApiResult<Listed> {
        let handler = self.behaviours.matching(kind, &endpoint.name);
        let handler =
            handler.ok_or_else(|| ApiError::bug(format!("the endpoint {} finds nothing", endpoint.name)))?;
        let mut asked = Value::Object(asked);
        Validator::new(&self.model).object(endpoint.input, &mut asked, "")?;
        let Value::Object(asked) = asked else {
            return Err(ApiError::bug("values that the model admitted are no object"));
        };
        let references = request.sight.references.as_deref();
        let project = self.project();
        let found =
            self.with_rules_referring(&request.bounds, references, &project, |rules| handler(&asked, rules))?;
        // Whom the request is limited to, the handler knows; what it found is there for them.
        let page = ListRequest { bounds: Bounds::default(), ..request.clone() };
        let mut listed = self.list_documents(kind, found, &page)?;
        for body in &mut listed.results {
            *body = self.shown(
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
