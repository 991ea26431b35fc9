//! Documents that the benchmark's clients update, and the client that updates one document repeatedly.

use crate::kontor::path;
use crate::load::{LoadClient, LoadRequest, ensure_success};
use anyhow::Context as _;
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};

/// The number of connections of most scenarios.
pub(crate) const CONNECTIONS: usize = 64;

/// A client's copy of a document: its id and the version of the last response.
#[derive(Debug, Clone)]
pub(crate) struct VersionedDocument {
    pub(crate) id: String,
    pub(crate) version: i64,
}

impl VersionedDocument {
    /// Reads id and version from a response body.
    pub(crate) fn from_response(body: &Bytes) -> anyhow::Result<Self> {
        let body: Value = kontor_json::from_slice(body)?;
        let id = body["id"].as_str().context("an answer without id")?.to_owned();
        Ok(Self { id, version: body["version"].as_i64().context("an answer without version")? })
    }
}

/// Distributes the items over the connections, so that no two connections share one.
pub(crate) fn distribute<T: Clone>(all: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..CONNECTIONS).map(|at| all.iter().skip(at).step_by(CONNECTIONS).cloned().collect())
}

/// A client that updates one document repeatedly, each time with the version of the last response.
pub(crate) struct RepeatedUpdater {
    pub(crate) document: VersionedDocument,
    /// The path below the project, e.g. `carts`.
    kind: &'static str,
    /// Builds the update actions from the document and the number of updates so far.
    actions: fn(&VersionedDocument, u64) -> Value,
    count: u64,
}

impl RepeatedUpdater {
    pub(crate) fn new(
        document: VersionedDocument,
        kind: &'static str,
        actions: fn(&VersionedDocument, u64) -> Value,
    ) -> Self {
        Self { document, kind, actions, count: 0 }
    }
}

impl LoadClient for RepeatedUpdater {
    fn next(&mut self) -> Option<LoadRequest> {
        self.count += 1;
        let VersionedDocument { id, version } = &self.document;
        let body = json!({"version": version, "actions": (self.actions)(&self.document, self.count)});
        Some(LoadRequest::post(path(&format!("{}/{id}", self.kind)), body.to_string()))
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        self.document = VersionedDocument::from_response(body)?;
        Ok(())
    }
}
