//! `/{projectKey}/graphql`: POST answers a query; GET shows the page for people.

use crate::access::{Access, caller};
use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use kontor_auth::ScopeName;
use kontor_errors::{ApiError, ApiResult};
use kontor_graphql::{Asking, Gate, GraphQl, Holder, accepted_languages};
use kontor_model::KindId;
use std::sync::Arc;

/// The page has its style and script in it and asks one thing, this server.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'",
);

/// The project of a path `/{projectKey}/graphql`.
pub(crate) fn project_of(path: &str) -> Option<&str> {
    path.strip_prefix('/')?
        .strip_suffix("/graphql")
        .filter(|project| !project.is_empty() && !project.contains('/'))
}

impl Face {
    /// Answers a request to the GraphQL face of a project.
    pub(crate) async fn graphql(
        self: &Arc<Self>,
        project: &str,
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        match parts.method.as_str() {
            // The page tells what the server can do, nothing of what is in it.
            "GET" if wants_html(parts) => return self.graphql_page(),
            "POST" => {}
            _ => return Err(ApiError::uri_not_found(parts.uri.path())),
        }
        let access = self.identify(parts, project).await?;
        let shop = self.shop(project).await?;
        let bytes = body::read(&parts.headers, body, body::BODY_BYTES_MAX).await?;
        let languages = parts.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let asking = Asking {
            shop,
            caller: caller(&access, &parts.headers),
            gate: Arc::new(Rights { face: Arc::clone(self), access, project: project.to_owned() }),
            languages: languages.map(accepted_languages).unwrap_or_default(),
        };
        let answer = self.graphql_face()?.answer(&bytes, asking).await;
        let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Ok(answer::json_bytes(status, answer.body))
    }

    /// Derived when it is first asked for, or by [`Face::prepare`].
    fn graphql_face(&self) -> ApiResult<Arc<GraphQl>> {
        let derive = || match GraphQl::new(&self.model) {
            Ok(face) => Some(Arc::new(face)),
            Err(problem) => {
                tracing::error!(problem, "the GraphQL schema cannot be derived from the model");
                None
            }
        };
        self.graphql.get_or_init(derive).clone().ok_or_else(ApiError::internal)
    }

    fn graphql_page(&self) -> ApiResult<Answer> {
        let page = self.graphql_face()?.schema().page();
        let mut answer = answer::text(StatusCode::OK, "text/html; charset=utf-8", page);
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
        Ok(answer)
    }

    /// Derives what requests would otherwise wait for. Takes a moment; the server can serve before.
    pub fn prepare(&self) {
        // A failure has been logged, and each request that needs the schema tells it again.
        _ = self.graphql_face();
    }
}

fn wants_html(parts: &Parts) -> bool {
    let accepted = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// What one caller may do in one project.
struct Rights {
    face: Arc<Face>,
    access: Access,
    project: String,
}

impl Rights {
    fn require(&self, scopes: &[ScopeName]) -> ApiResult<()> {
        match &self.access {
            Access::Operator => Ok(()),
            Access::Granted(grant) => grant.require(&self.project, scopes),
        }
    }
}

impl Gate for Rights {
    fn may_view(&self, kind: KindId) -> ApiResult<()> {
        self.require(self.face.view_scopes(kind))
    }

    fn may_manage(&self, kind: KindId) -> ApiResult<()> {
        self.require(self.face.manage_scopes(kind))
    }

    fn holder(&self, kind: KindId) -> Option<Arc<dyn Holder>> {
        self.face.held.for_graphql(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_path_below_a_project_is_meant() {
        assert_eq!(project_of("/shop/graphql"), Some("shop"));
        for other in ["/graphql", "//graphql", "/shop/states/graphql", "/shop/graphql/"] {
            assert_eq!(project_of(other), None, "{other}");
        }
    }
}
