//! Authorization: identifies the caller of a request and checks its scopes.

use crate::access::{Access, ByOperator, Token, grant, of_unknown_project, token};
use crate::server::Server;
use axum::http::request::Parts;
use kontor_auth::{Grant, ScopeName};
use kontor_errors::ApiResult;
use kontor_model::{Doing, ServedOperation};

/// A request before authentication: an operation of a project, or of one of its Stores.
#[derive(Clone, Copy)]
pub(crate) struct AskedFor<'a> {
    pub(crate) server: &'a Server,
    pub(crate) parts: &'a Parts,
    /// The key of the project.
    pub(crate) project: &'a str,
    /// The key of the Store in the path.
    pub(crate) store: Option<&'a str>,
    pub(crate) operation: &'a ServedOperation,
    /// The position of the operation in the model's table.
    pub(crate) position: usize,
    /// True for a request for the staged side.
    pub(crate) is_staged: bool,
}

/// The caller and its limits.
pub(crate) struct Admission {
    pub(crate) access: Access,
    /// The Stores that a search is limited to; `None`: no limit.
    pub(crate) stores: Option<Vec<String>>,
    /// `Ok` if the caller may see the staged sides of documents.
    pub(crate) staged: ApiResult<()>,
}

impl<'a> AskedFor<'a> {
    /// Returns a request for an operation of a whole project, by its position in the model's table.
    pub(crate) fn of_project(
        server: &'a Server,
        parts: &'a Parts,
        project: &'a str,
        position: usize,
    ) -> Self {
        let operation = &server.model.operations()[position];
        Self { server, parts, project, store: None, operation, position, is_staged: false }
    }

    /// Admits the request if it comes from the operator, or if its token has one of the required scopes.
    pub(crate) async fn admit(self) -> ApiResult<Admission> {
        let access = match self.known()? {
            Some(access) => access,
            None => Access::Granted(grant(self.server, self.parts, self.project).await?),
        };
        self.admit_as(access)
    }

    /// Like `admit`, without waiting; `None` if an external server must validate the token. `now_ms`: the
    /// time in the project.
    pub(crate) fn admit_at_once(self, now_ms: i64) -> ApiResult<Option<Admission>> {
        let access = match self.known()? {
            Some(access) => access,
            None => match token(self.server, self.parts, now_ms)? {
                Token::Own(grant) => Access::Granted(grant),
                Token::Foreign(_) => return Ok(None),
            },
        };
        self.admit_as(access).map(Some)
    }

    /// Returns the caller, if no token is needed.
    fn known(self) -> ApiResult<Option<Access>> {
        if ByOperator::sent(self.parts) {
            return Ok(Some(Access::Operator));
        }
        if !self.operation.is_for_anybody {
            return Ok(None);
        }
        match of_unknown_project(self.server, self.parts, self.project) {
            Some(refusal) => Err(refusal),
            None => Ok(Some(Access::Anybody)),
        }
    }

    /// Admits an authenticated caller if its scopes allow the operation.
    fn admit_as(self, access: Access) -> ApiResult<Admission> {
        let Self { server, parts, project, store, operation, position, is_staged } = self;
        let searches = matches!(operation.doing, Doing::Search | Doing::SearchExists);
        let mut stores = store.filter(|_| searches).map(|store| vec![store.to_owned()]);
        let Access::Granted(grant) = &access else {
            return Ok(Admission { access, stores, staged: Ok(()) });
        };
        let rights = server.rights.operation(position);
        let scopes = if is_staged { &rights.staged } else { &rights.scopes };
        match store {
            Some(store) => {
                let admitted = grant.require_in_store(project, store, scopes);
                admitted.map_err(|refusal| of_unknown_project(server, parts, project).unwrap_or(refusal))?;
            }
            None => {
                if let Err(refusal) = grant.require(project, scopes) {
                    let refusal = of_unknown_project(server, parts, project).unwrap_or(refusal);
                    // A caller with search scopes for some Stores finds only their documents.
                    let is_of_project = searches && grant.project_key() == project;
                    stores = self.allowing_stores(grant, scopes).filter(|_| is_of_project);
                    stores.as_ref().ok_or(refusal)?;
                }
            }
        }
        let asks_late = matches!(operation.doing, Doing::Search | Doing::ParameterSearch | Doing::Suggest);
        let staged = if asks_late { grant.require(project, &rights.staged) } else { Ok(()) };
        Ok(Admission { access, stores, staged })
    }

    /// Returns the Stores in which a token has one of the scopes; `None` if there is none, or documents of the kind
    /// belong to no Stores.
    fn allowing_stores(self, grant: &Grant, scopes: &[ScopeName]) -> Option<Vec<String>> {
        self.server.model.kind(self.operation.kind?).in_store.as_ref()?;
        let stores: Vec<String> = grant.scopes().stores_allowing(scopes).map(str::to_owned).collect();
        (!stores.is_empty()).then_some(stores)
    }
}
