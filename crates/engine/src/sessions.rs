//! Tokens of customers, kept by the authorization service: they end with their customer, or with the password.

use crate::bounds::{Asker, Bounds};
use crate::list::ListRequest;
use crate::shop::Shop;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use std::pin::Pin;

/// Who keeps the tokens of customers.
pub trait Sessions: Send + Sync {
    /// Ends all tokens of a customer of a project. Called after the change that asks for it is on disk.
    fn end<'a>(
        &'a self,
        project_key: &'a str,
        customer_id: &'a str,
    ) -> Pin<Box<dyn Future<Output = ApiResult<()>> + Send + 'a>>;
}

impl Shop {
    /// Ends the tokens of a customer.
    pub(crate) async fn end_sessions(&self, customer_id: &str) -> ApiResult<()> {
        match &self.sessions {
            Some(sessions) => sessions.end(&self.key, customer_id).await,
            None => Ok(()),
        }
    }

    /// True for the kind whose documents are the customers themselves.
    pub(crate) fn is_who_asks(&self, kind: KindId) -> bool {
        self.model.kind_by_my_path("") == Some(kind)
    }

    /// Whether anything in the shop belongs to an anonymous session of that id.
    pub fn knows_session(&self, anonymous_id: &str) -> ApiResult<bool> {
        let bounds = Bounds { mine: Some(Asker::Session(anonymous_id.to_owned())), ..Bounds::default() };
        let request = ListRequest { bounds, limit: 1, ..ListRequest::default() };
        for (kind, entry) in self.model.kinds() {
            let has_some = entry.mine.as_ref().is_some_and(|mine| !mine.session.is_empty());
            if entry.is_served && has_some && self.exists(kind, &request)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
