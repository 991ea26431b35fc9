//! Tokens of customers, stored by the authorization service: they are revoked with their customer, or with
//! the password.
//!
//! The service has a file of its own, so the change of the customer and the revocation are two commits. The
//! first writes a note, which is deleted after the second: notes found when the shop is opened are completed
//! before any request is served. On a shared database, the keeper also completes notes that stay for some seconds.

use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_json::json;
use kontor_storage::Put;
use uuid::Uuid;

/// The kind under which the notes are stored. It is no kind of the model, so no API shows it.
pub(crate) const ENDING: &str = "sessions-ending";
/// The member of a note with the id of the customer.
pub(crate) const CUSTOMER: &str = "customer";

/// The store of customers' tokens.
pub trait CustomerTokens: Send + Sync {
    /// Revokes all tokens of a customer of a project. Called after the change that requires it is on disk.
    fn revoke<'a>(&'a self, project_key: &'a str, customer_id: &'a str) -> BoxFuture<'a, ApiResult<()>>;
}

/// A pending revocation of the tokens of a customer. Its note is on disk with the change that requires it.
#[derive(Debug, Clone)]
#[must_use = "the tokens live until they are ended"]
pub(crate) struct TokenRevocation {
    pub(crate) note: String,
    pub(crate) customer: String,
}

impl TokenRevocation {
    /// Creates the revocation for a customer.
    pub(crate) fn for_customer(customer_id: &str) -> Self {
        // Each change has a note of its own, so that deleting one does not delete another.
        TokenRevocation { note: Uuid::now_v7().to_string(), customer: customer_id.to_owned() }
    }

    /// Returns the note to write.
    pub(crate) fn to_put(&self) -> Put {
        Put {
            kind: ENDING.to_owned(),
            id: self.note.clone(),
            version: 1,
            body: json!({CUSTOMER: self.customer}).to_string().into(),
            ..Put::default()
        }
    }
}
