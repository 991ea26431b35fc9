//! `/openapi.json` and `/openapi`, the page that shows it. Both are for everybody: they tell what the server can do,
//! nothing of what is in it.

use crate::answer::{self, Answer};
use crate::face::Face;
use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;
use std::sync::LazyLock;

/// The page has its style and script in it and reads one thing, from this server.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'",
);

static PAGE: LazyLock<String> = LazyLock::new(kontor_openapi::page);

impl Face {
    /// `GET /openapi.json`: made when it is first asked for.
    pub(crate) fn show_openapi(&self) -> Answer {
        let body = self.openapi.get_or_init(|| {
            Bytes::from(kontor_openapi::document(&self.model, "", env!("CARGO_PKG_VERSION")).to_string())
        });
        answer::json_bytes(StatusCode::OK, body.clone())
    }

    /// `GET /openapi`.
    pub(crate) fn show_openapi_page(&self) -> Answer {
        let mut answer = answer::text(StatusCode::OK, "text/html; charset=utf-8", PAGE.clone());
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
        answer
    }
}

#[cfg(test)]
mod tests {
    use crate::below::below;
    use crate::bulk::bulk;
    use crate::dispatch::served;
    use crate::endpoint::called;
    use crate::parameter_search::finding;
    use crate::parameters::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
    use crate::route::route;
    use crate::search::searching;
    use crate::upload::uploading;
    use crate::view::viewed;
    use axum::http::Method;
    use kontor_model::Model;
    use serde_json::Value;

    fn document(model: &Model) -> Value {
        kontor_openapi::document(model, "", "1")
    }

    /// What is described is served, and what is served is described.
    #[test]
    fn the_document_has_the_operations_that_requests_are_dispatched_to() {
        let model = Model::embedded().unwrap();
        let document = document(&model);
        let mut operations = 0;
        for (template, item) in document["paths"].as_object().unwrap() {
            if !template.starts_with("/{projectKey}") {
                continue;
            }
            let path = template.replace(['{', '}'], "");
            // The other face has one path, which no kind of the model has.
            if crate::graphql::project_of(&path).is_some() {
                continue;
            }
            let names = ["GET", "HEAD", "POST", "DELETE"];
            let is_called = |name: &str| {
                let method = name.parse::<Method>().unwrap();
                called(&model, &method, &path).is_some()
                    || bulk(&model, &method, &path).is_some()
                    || searching(&model, &method, &path).is_some()
                    || finding(&model, &method, &path).is_some()
            };
            // The word of an endpoint could also be the id of a resource, which nobody describes.
            let is_endpoint = names.into_iter().any(is_called);
            for name in names {
                let is_operation = route(&model, &path)
                    .is_some_and(|route| served(&model, &name.parse::<Method>().unwrap(), &route).is_some());
                let method = name.parse::<Method>().unwrap();
                let is_listed = below(&model, &method, &path).is_some()
                    || viewed(&model, &method, &path).is_some()
                    || uploading(&model, &method, &path).is_some();
                let is_served = if is_endpoint { is_called(name) } else { is_operation || is_listed };
                let is_described = item.get(name.to_lowercase()).is_some();
                assert_eq!(is_served, is_described, "{name} {template}");
                operations += usize::from(is_served);
            }
        }
        assert!(operations > model.kinds().filter(|(_, kind)| kind.is_served).count());
    }

    #[test]
    fn the_document_has_the_limits_that_requests_are_held_to() {
        let document = document(&Model::embedded().unwrap());
        let parameters = &document["components"]["parameters"];
        assert_eq!(parameters["limit"]["schema"]["maximum"], LIMIT_MAX);
        assert_eq!(parameters["limit"]["schema"]["default"], LIMIT_DEFAULT);
        assert_eq!(parameters["offset"]["schema"]["maximum"], OFFSET_MAX);
        let updates = document["components"]["schemas"].as_object().unwrap().iter();
        let mut updates = updates.filter(|(name, _)| name.ends_with("Update")).peekable();
        assert!(updates.peek().is_some());
        for (name, update) in updates {
            let limit = &update["properties"]["actions"]["maxItems"];
            assert_eq!(*limit, kontor_engine::ACTIONS_MAX, "{name}");
        }
    }
}
