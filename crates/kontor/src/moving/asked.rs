//! What is asked of the process that has the data, and what it tells of the move: a line of JSON each.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use tokio::sync::mpsc::Sender;

/// What is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The URL of a database, or a folder.
    pub(crate) to: String,
    /// The bucket for uploaded images there.
    pub(crate) image_store: Option<String>,
    /// The data folder that the command names: images are in it, also where projects are not.
    pub(crate) data: String,
}

/// What is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MoveLine {
    /// For people.
    Told(String),
    /// The last one: nothing has moved, or what to do.
    Failed(String),
    /// The last one.
    Done,
}

/// Where it is told. Nobody may be reading any more, which ends a move that has not switched yet.
#[derive(Clone)]
pub(crate) struct Tell(pub(super) Sender<Result<Bytes, Infallible>>);

impl Tell {
    /// Tells people something. Fails where nobody reads any more.
    pub(crate) fn people(&self, text: impl Into<String>) -> anyhow::Result<()> {
        self.line(&MoveLine::Told(text.into()))
    }

    /// True where nobody reads any more.
    pub(super) fn is_abandoned(&self) -> bool {
        self.0.is_closed()
    }

    pub(super) fn line(&self, line: &MoveLine) -> anyhow::Result<()> {
        let mut bytes = kontor_json::to_vec(line)?;
        bytes.push(b'\n');
        let sent = self.0.blocking_send(Ok(bytes.into()));
        sent.map_err(|_| anyhow::anyhow!("whoever asked for the move is gone"))
    }
}
