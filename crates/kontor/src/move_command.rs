//! `kontor move`: sends the request and prints the progress. The server does the work, in [`crate::project_move`].

use crate::arguments::MoveArguments;
use crate::operator::{self, OperatorConnection};
use crate::project_move::{MoveLine, MoveRequest};
use anyhow::{Context as _, bail};
use axum::http::Method;
use http_body_util::BodyExt as _;
use kontor_json::Value;
use kontor_postgres::DatabaseOptions;
use std::io::{self, Write as _};
use std::path::absolute;

/// Runs the command.
pub(crate) fn run(arguments: MoveArguments) -> anyhow::Result<()> {
    operator::run_command(async move {
        // The server may have another working directory.
        let to = match DatabaseOptions::is_url(&arguments.to) {
            true => arguments.to.clone(),
            false => absolute_text(arguments.to.as_ref())?,
        };
        let data = absolute_text(&arguments.data.data)?;
        let operator = OperatorConnection::connect_even_if_moved(&arguments.data).await?;
        let requested = MoveRequest { to, image_store: arguments.to_image_store.clone(), data };
        let requested = kontor_json::to_value(requested)?;
        print_progress(&operator, &requested).await
    })
}

fn absolute_text(path: &std::path::Path) -> anyhow::Result<String> {
    let path = absolute(path)?;
    Ok(path.to_str().context("the path is no Unicode text")?.to_owned())
}

/// Prints the progress lines of the move as they arrive. Fails when the move does.
async fn print_progress(operator: &OperatorConnection, requested: &Value) -> anyhow::Result<()> {
    let mut body = operator.stream(Method::POST, "/_operator/move", Some(requested)).await?.into_body();
    let mut waiting = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.context(
            "the connection to the server broke: run the command again to see the state of the move",
        )?;
        waiting.extend_from_slice(&frame.into_data().unwrap_or_default());
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            match kontor_json::from_slice(&line)? {
                MoveLine::Told(text) => writeln!(io::stdout(), "{text}")?,
                MoveLine::Failed(text) => bail!(text),
                MoveLine::Done => return Ok(()),
            }
        }
    }
    bail!("the server has ended during the move: run the command again to see its state")
}
