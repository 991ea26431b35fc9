//! The request of `kontor move` to the process that owns the data, and its response: progress as lines of JSON.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use tokio::sync::mpsc::Sender;

/// The body of `POST /_operator/move`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoveRequest {
    /// The URL of a database, or the path of a folder.
    pub(crate) to: String,
    /// The URL of the bucket for uploaded images.
    pub(crate) image_store: Option<String>,
    /// The data folder of the command. It has the images, even if the projects are in a database.
    pub(crate) data: String,
}

/// A line of the response.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MoveLine {
    /// Progress, for people.
    Told(String),
    /// The last line of a failed move, with the reason.
    Failed(String),
    /// The last line of a successful move.
    Done,
}

/// Sends the lines of the response. Sending fails once the command has ended, which aborts a move before its switch.
#[derive(Clone)]
pub(crate) struct MoveProgressSender(pub(super) Sender<Result<Bytes, Infallible>>);

impl MoveProgressSender {
    /// Sends a progress line. Fails if the command has ended.
    pub(crate) fn send_text(&self, text: impl Into<String>) -> anyhow::Result<()> {
        self.send_line(&MoveLine::Told(text.into()))
    }

    /// True if the command has ended.
    pub(super) fn is_abandoned(&self) -> bool {
        self.0.is_closed()
    }

    pub(super) fn send_line(&self, line: &MoveLine) -> anyhow::Result<()> {
        let mut bytes = kontor_json::to_vec(line)?;
        bytes.push(b'\n');
        let sent = self.0.blocking_send(Ok(bytes.into()));
        sent.map_err(|_| anyhow::anyhow!("the command that requested the move has ended"))
    }
}
