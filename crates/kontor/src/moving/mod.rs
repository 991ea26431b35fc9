//! `kontor move`: all projects from a data folder into a PostgreSQL database, or back, while a server goes on serving them.
//!
//! Everything is copied first ([`following`]), and what changes meanwhile follows. When nothing is far behind, whoever writes is
//! held for a moment, the last changes follow, the old place is marked as moved ([`source`]), and then the projects are served from the
//! new one ([`target`]). Whatever goes down in between, one of the two places serves, or none, never both; and the same command, run
//! again, goes on where it has to.
//!
//! The work is done by the process that has the data: the server, told by its socket, or this one where none runs.

mod following;
mod request;
mod source;
mod steps;
mod target;

pub(crate) use request::stream;
pub(crate) use source::must_not_have_moved;
pub(crate) use target::ARRIVING;

use crate::arguments::MoveArguments;
use crate::operator::{self, Operator};
use crate::reply::Reply;
use anyhow::{Context as _, bail};
use axum::http::Method;
use http_body_util::BodyExt as _;
use request::{Asked, Line};
use serde_json::Value;
use std::io::{self, Write as _};
use std::path::absolute;

/// Moves everything.
pub(crate) fn run(arguments: MoveArguments) -> anyhow::Result<()> {
    operator::run(async move {
        let is_database =
            ["postgres://", "postgresql://"].iter().any(|scheme| arguments.to.starts_with(scheme));
        // The server may stand in another folder.
        let to = if is_database { arguments.to.clone() } else { absolute_text(arguments.to.as_ref())? };
        let data = absolute_text(&arguments.data.data)?;
        let operator = Operator::reach_even_if_moved(&arguments.data).await?;
        let asked = Asked { to, image_store: arguments.to_image_store.clone(), data };
        let asked = serde_json::to_value(asked)?;
        follow(&operator, &asked).await
    })
}

fn absolute_text(path: &std::path::Path) -> anyhow::Result<String> {
    let path = absolute(path)?;
    Ok(path.to_str().context("the path is no Unicode text")?.to_owned())
}

/// Prints what is told of the move.
async fn follow(operator: &Operator, asked: &Value) -> anyhow::Result<()> {
    let answer = operator.stream(Method::POST, "/_operator/move", Some(asked)).await?;
    let status = answer.status();
    let mut body = answer.into_body();
    if !status.is_success() {
        let bytes = body.collect().await?.to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        bail!(Reply { status: status.as_u16(), body }.refusal());
    }
    let mut waiting = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.context("the server is gone: run the command again to know what came of the move")?;
        waiting.extend_from_slice(&frame.into_data().unwrap_or_default());
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            match serde_json::from_slice(&line)? {
                Line::Told(text) => writeln!(io::stdout(), "{text}")?,
                Line::Failed(text) => bail!(text),
                Line::Done => return Ok(()),
            }
        }
    }
    bail!("the server has ended in the midst of it: run the command again to know what came of the move")
}
