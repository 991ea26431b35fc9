//! The trait of the store for projects, clients and tokens of a server: a file of this process
//! ([`AuthService::open`](crate::AuthService::open)), or another implementation
//! ([`AuthService::with_store`](crate::AuthService::with_store)).
//!
//! Rows and changes are data: this crate interprets them, a store writes them.

use futures_util::future::BoxFuture;
use std::{path::Path, sync::Arc};

use crate::Result;
pub use crate::{
    operator_row::{OperatorRow, OperatorRowKind, OperatorStep, OperatorStepsResult},
    secret::SecretHash,
};

/// Stores the projects, clients and tokens of a server.
///
/// Reads run on the calling thread and see every change that was acknowledged before they began. They fail if the file
/// is damaged or the server is unreachable ([`Error::Database`](crate::Error::Database),
/// [`Error::Unavailable`](crate::Error::Unavailable), [`Error::Server`](crate::Error::Server)). Changes also fail if
/// nothing can be written: [`Error::Full`](crate::Error::Full), [`Error::Busy`](crate::Error::Busy),
/// [`Error::Closed`](crate::Error::Closed), [`Error::Gone`](crate::Error::Gone),
/// [`Error::Moved`](crate::Error::Moved).
pub trait SystemStore: Send + Sync {
    /// Returns all projects by key, and all clients, oldest first.
    fn all(&self) -> Result<(Vec<ProjectRow>, Vec<ClientRow>)>;

    /// Returns the serials of the clients of a project that were used, and the day of the last use, in days since 1970.
    /// Empty if no other process changes the data.
    fn last_used_days(&self, project_key: &str) -> Result<Vec<(i64, i64)>> {
        let _ = project_key;
        Ok(Vec::new())
    }

    /// Returns the access token with a hash.
    fn token(&self, hash: &SecretHash) -> Result<Option<TokenRow>>;

    /// Returns the refresh token with a hash.
    fn refresh_token(&self, hash: &SecretHash) -> Result<Option<RefreshRow>>;

    /// Returns whether a session of that id is alive in a project.
    fn is_session(&self, project_key: &str, anonymous_id: &str, now_ms: i64) -> Result<bool>;

    /// Returns how many refresh tokens a project has.
    fn refresh_tokens(&self, project_key: &str) -> Result<u64>;

    /// Returns all rows of a type about operators, by key.
    fn operator_rows(&self, kind: OperatorRowKind) -> Result<Vec<OperatorRow>>;

    /// Returns the row of a type about operators with a key.
    fn operator_row(&self, kind: OperatorRowKind, key: &str) -> Result<Option<OperatorRow>>;

    /// Makes a change, all of it or nothing. Once it is on disk, `publish` runs, and then the change is
    /// acknowledged: a caller with an acknowledgement also sees the published state. The change is queued
    /// when this returns, and happens even if the returned future is dropped.
    fn change(&self, change: SystemChange, publish: PublishHook) -> SystemChangeFuture;

    /// Returns why nothing can be changed: the file of the store is gone. `None` if it can.
    fn gone(&self) -> Option<Arc<str>> {
        None
    }

    /// Returns the first damage that was found in the stored data.
    fn damage(&self) -> Option<Arc<str>> {
        None
    }

    /// Returns the revision of the data. It rises with each change of projects and clients, and with each token revoked
    /// before its time, by any process. `None` if no other process changes the data.
    fn revision(&self) -> Option<RevisionFuture<'_>> {
        None
    }

    /// Refuses all changes from now on with [`Error::Moved`](crate::Error::Moved), and returns once all earlier changes
    /// are written; `None` accepts changes again. While changes are refused, [`revision`](Self::revision) fails with
    /// the same error, if no other process changes the data.
    fn refuse_changes(&self, moves_to: Option<Arc<str>>) -> RefuseChangesFuture<'_> {
        drop(moves_to);
        Box::pin(std::future::ready(Ok(())))
    }

    /// Writes a copy of one consistent state to a new file, which [`AuthService::open`](crate::AuthService::open)
    /// opens.
    fn backup(&self, to: &Path) -> Result<()>;
}

/// A function that runs once a change is on disk.
pub type PublishHook = Box<dyn FnOnce(&SystemChangeResult) + Send>;

/// The future of a change.
pub type SystemChangeFuture = BoxFuture<'static, Result<SystemChangeResult>>;

/// The future of [`SystemStore::refuse_changes`]: ready once all earlier changes are written.
pub type RefuseChangesFuture<'s> = BoxFuture<'s, Result<()>>;

/// The future of the store's revision.
pub type RevisionFuture<'s> = BoxFuture<'s, Result<u64>>;

/// A project.
#[derive(Debug, Clone)]
pub struct ProjectRow {
    /// The key.
    pub key: String,
    /// The name for people.
    pub name: String,
    /// In milliseconds since 1970.
    pub created_at_ms: i64,
}

/// A client that is not stored yet.
#[derive(Debug, Clone)]
pub struct NewClient {
    /// The `client_id`, unique on the server.
    pub id: String,
    /// The project that it belongs to.
    pub project_key: String,
    /// The name for people.
    pub name: String,
    /// The hash of its secret.
    pub secret_hash: SecretHash,
    /// Its scopes, as sent.
    pub scope: String,
    /// In milliseconds since 1970.
    pub created_at_ms: i64,
    /// In milliseconds since 1970.
    pub delete_at_ms: Option<i64>,
    /// In seconds.
    pub access_token_validity_s: Option<i64>,
    /// In seconds.
    pub refresh_token_validity_s: Option<i64>,
}

/// A client.
#[derive(Debug, Clone)]
pub struct ClientRow {
    /// Its number, which no other client ever has.
    pub serial: i64,
    /// The data of its creation.
    pub client: NewClient,
    /// In days since 1970.
    pub last_used_day: Option<i64>,
}

/// An access token, without its hash.
#[derive(Debug, Clone)]
pub struct TokenRow {
    /// The client that it was issued to.
    pub client_serial: i64,
    /// `None`: the scope of the client.
    pub scope: Option<String>,
    /// In milliseconds since 1970.
    pub issued_at_ms: i64,
    /// In milliseconds since 1970.
    pub expires_at_ms: i64,
    /// The Customer that it is for.
    pub customer_id: Option<String>,
    /// The session that it is for.
    pub anonymous_id: Option<String>,
    /// The Store that it is limited to.
    pub store_key: Option<String>,
    /// The refresh token that it came with.
    pub refresh: Option<SecretHash>,
}

/// A refresh token, without its hash.
#[derive(Debug, Clone)]
pub struct RefreshRow {
    /// The client that it was issued to.
    pub client_serial: i64,
    /// `None`: the scope of the client.
    pub scope: Option<String>,
    /// In milliseconds since 1970.
    pub expires_at_ms: i64,
    /// The Customer that it is for.
    pub customer_id: Option<String>,
    /// The session that it is for.
    pub anonymous_id: Option<String>,
    /// The Store that it is limited to.
    pub store_key: Option<String>,
}

/// A refresh token with all its stored data.
#[derive(Debug, Clone)]
pub struct StoredRefreshToken {
    /// The hash of the token.
    pub hash: SecretHash,
    /// The token.
    pub row: RefreshRow,
    /// In milliseconds since 1970.
    pub issued_at_ms: i64,
    /// In milliseconds since 1970.
    pub last_used_at_ms: i64,
}

/// All stored data of a server's projects, clients and tokens, without that of deleted clients. It is all in memory: a
/// million tokens take some 300 MB.
#[derive(Debug, Clone, Default)]
pub struct SystemContents {
    /// The projects.
    pub projects: Vec<ProjectRow>,
    /// The clients, whose numbers stay.
    pub clients: Vec<ClientRow>,
    /// The access tokens.
    pub tokens: Vec<(SecretHash, TokenRow)>,
    /// The refresh tokens.
    pub refresh_tokens: Vec<StoredRefreshToken>,
    /// Operators with their roles, sessions and tokens.
    pub operator_rows: Vec<OperatorRow>,
}

/// The change of refresh tokens when an access token is issued.
#[derive(Debug)]
pub enum RefreshChange {
    /// Nothing.
    None,
    /// A new one is issued.
    New(SecretHash, RefreshRow),
    /// A refresh token was used, and now expires at this time, in milliseconds since 1970.
    Used(SecretHash, i64),
}

impl RefreshChange {
    /// Returns the hash of the refresh token that belongs to the access token.
    pub(crate) fn hash(&self) -> Option<SecretHash> {
        match self {
            RefreshChange::None => None,
            RefreshChange::New(hash, _) | RefreshChange::Used(hash, _) => Some(*hash),
        }
    }
}

/// An access token to be written, and the changes written with it.
pub struct NewToken {
    /// The hash of the token.
    pub hash: SecretHash,
    /// The token.
    pub token: TokenRow,
    /// The change of refresh tokens. A new one may displace the least recently used one of the project.
    pub refresh: RefreshChange,
    /// The project of the client.
    pub project_key: String,
    /// In milliseconds since 1970.
    pub now_ms: i64,
    /// How many refresh tokens a project may have.
    pub refresh_tokens_max: u64,
    /// The day that the client is used on for the first time, in days since 1970.
    pub used_day: Option<i64>,
}

/// A change of the stored data; each variant names its result.
pub enum SystemChange {
    /// Adds a project: [`SystemChangeResult::Done`], false if the key is taken.
    AddProject(ProjectRow),
    /// Removes the project of that key with its clients: [`SystemChangeResult::Done`], false if there is none.
    /// [`Sweep`](Self::Sweep) removes the rows of their tokens later.
    RemoveProject(String),
    /// Adds a client: [`SystemChangeResult::Added`].
    AddClient(NewClient),
    /// Removes the client of that number: [`SystemChangeResult::Done`], false if there is none.
    RemoveClient(i64),
    /// Replaces the secret of a client: [`SystemChangeResult::Done`], false if there is none.
    SetSecret {
        /// The number of the client.
        client: i64,
        /// The hash of the secret.
        hash: SecretHash,
    },
    /// Writes an access token: [`SystemChangeResult::Issued`].
    Issue(Box<NewToken>),
    /// Revokes a token of a client, with a refresh token also its access tokens: [`SystemChangeResult::Ended`].
    Revoke {
        /// The hash of the token.
        hash: SecretHash,
        /// The number of the client.
        client: i64,
    },
    /// Removes all tokens of a Customer: [`SystemChangeResult::Ended`].
    EndCustomer {
        /// The project.
        project_key: String,
        /// The Customer.
        customer_id: String,
    },
    /// Removes expired tokens of a project, and tokens of deleted clients: [`SystemChangeResult::Swept`].
    Sweep {
        /// The project.
        project_key: String,
        /// In milliseconds since 1970.
        now_ms: i64,
        /// The most tokens of each sort.
        limit: usize,
    },
    /// Changes rows about operators: [`SystemChangeResult::Operators`].
    Operators(Vec<OperatorStep>),
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemChangeResult {
    /// Whether there was anything to do.
    Done(bool),
    /// The number of the client; `None` if the id is taken or the project no longer exists.
    Added(Option<i64>),
    /// The result of writing a token.
    Issued(IssueResult),
    /// The hashes of the removed access tokens.
    Ended(Vec<SecretHash>),
    /// The numbers of removed tokens: expired access and refresh tokens, then access and refresh tokens of deleted
    /// clients.
    Swept([usize; 4]),
    /// The result of steps about operators.
    Operators(OperatorStepsResult),
}

/// The result of writing a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueResult {
    /// The token was written.
    Written,
    /// The client was deleted in the meantime.
    ClientGone,
    /// The refresh token was revoked in the meantime.
    SessionGone,
    /// A session with the anonymous id is alive.
    AnonymousIdInUse,
}

impl SystemChangeResult {
    /// Returns whether there was anything to do.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, SystemChangeResult::Done(true))
    }

    /// Returns the hashes of the removed access tokens.
    pub(crate) fn removed_tokens(&self) -> &[SecretHash] {
        match self {
            SystemChangeResult::Ended(hashes) => hashes,
            SystemChangeResult::Operators(result) => &result.ended,
            _ => &[],
        }
    }
}
