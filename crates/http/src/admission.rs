//! Authorization: identifies the caller of a request and checks its scopes.

use crate::access::{
    CallerAccess, OperatorMark, RequestToken, read_token, token_grant, unknown_project_error,
};
use crate::server::Server;
use axum::http::request::Parts;
use kontor_auth::{Grant, ScopeName};
use kontor_errors::ApiResult;
use kontor_model::{OperationKind, ServedOperation};

/// A request before authentication: an operation of a project, or of one of its Stores.
#[derive(Clone, Copy)]
pub(crate) struct AccessCheck<'a> {
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
    pub(crate) access: CallerAccess,
    /// The Stores that a search is limited to; `None`: no limit.
    pub(crate) stores: Option<Vec<String>>,
    /// `Ok` if the caller may see the staged sides of documents.
    pub(crate) staged: ApiResult<()>,
}

impl<'a> AccessCheck<'a> {
    /// Returns a request for an operation of a whole project, by its position in the model's table.
    pub(crate) fn for_project(
        server: &'a Server,
        parts: &'a Parts,
        project: &'a str,
        position: usize,
    ) -> Self {
        let operation = &server.model.operations()[position];
        Self { server, parts, project, store: None, operation, position, is_staged: false }
    }

    /// Admits the request if it comes from the operator, or if its token has one of the required scopes.
    pub(crate) async fn check(self) -> ApiResult<Admission> {
        let access = match self.access_without_token()? {
            Some(access) => access,
            None => CallerAccess::Granted(token_grant(self.server, self.parts, self.project).await?),
        };
        self.authorize(access)
    }

    /// Like `admit`, without waiting; `None` if an external server must validate the token. `now_ms`: the
    /// time in the project.
    pub(crate) fn admit_at_once(self, now_ms: i64) -> ApiResult<Option<Admission>> {
        let access = match self.access_without_token()? {
            Some(access) => access,
            None => match read_token(self.server, self.parts, now_ms)? {
                RequestToken::Own(grant) => CallerAccess::Granted(grant),
                RequestToken::Foreign(_) => return Ok(None),
            },
        };
        self.authorize(access).map(Some)
    }

    /// Returns the caller, if no token is needed.
    fn access_without_token(self) -> ApiResult<Option<CallerAccess>> {
        if OperatorMark::is_on(self.parts) {
            return Ok(Some(CallerAccess::Operator));
        }
        if !self.operation.is_for_anybody {
            return Ok(None);
        }
        match unknown_project_error(self.server, self.parts, self.project) {
            Some(refusal) => Err(refusal),
            None => Ok(Some(CallerAccess::Anybody)),
        }
    }

    /// Admits an authenticated caller if its scopes allow the operation.
    fn authorize(self, access: CallerAccess) -> ApiResult<Admission> {
        let Self { server, parts, project, store, operation, position, is_staged } = self;
        let searches =
            matches!(operation.operation_kind, OperationKind::Search | OperationKind::SearchExists);
        let mut stores = store.filter(|_| searches).map(|store| vec![store.to_owned()]);
        let CallerAccess::Granted(grant) = &access else {
            return Ok(Admission { access, stores, staged: Ok(()) });
        };
        let required = server.scope_table.operation(position);
        let scopes = if is_staged { &required.staged } else { &required.scopes };
        match store {
            Some(store) => {
                let admitted = grant.require_in_store(project, store, scopes);
                admitted
                    .map_err(|refusal| unknown_project_error(server, parts, project).unwrap_or(refusal))?;
            }
            None => {
                if let Err(refusal) = grant.require(project, scopes) {
                    let refusal = unknown_project_error(server, parts, project).unwrap_or(refusal);
                    // A caller with search scopes for some Stores finds only their documents.
                    let is_of_project = searches && grant.project_key() == project;
                    stores = self.allowing_stores(grant, scopes).filter(|_| is_of_project);
                    stores.as_ref().ok_or(refusal)?;
                }
            }
        }
        let asks_late = matches!(
            operation.operation_kind,
            OperationKind::Search | OperationKind::ParameterSearch | OperationKind::Suggest
        );
        let staged = if asks_late { grant.require(project, &required.staged) } else { Ok(()) };
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
