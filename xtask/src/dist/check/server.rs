//! Starts an installed server, and uses it once: health, a token, a change.

use crate::run::run_quietly;
use crate::server::{Server, ServerProject};
use kontor_json::Value;
use std::process::Command;

const PROJECT: ServerProject = ServerProject { key: "shop", client_id: "me", client_secret: "secret" };

/// Starts a server by `command`, and uses it. `health` is the same program, for `kontor health`.
pub(super) fn exercise_server(command: Command, mut health: Command) -> Result<(), String> {
    let server = Server::start(command, PROJECT)?;
    run_quietly(health.args(["health", "--listen", server.url.trim_start_matches("http://")]))?;
    let mut response = ureq::post(format!("{}/shop/zones", server.url))
        .header("Authorization", format!("Bearer {}", server.token()?))
        .content_type("application/json")
        .send(r#"{"name": "Europe"}"#)
        .map_err(|error| error.to_string())?;
    let text = response.body_mut().read_to_string().map_err(|error| error.to_string())?;
    let zone: Value = kontor_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    if zone["name"] == "Europe" { Ok(()) } else { Err(format!("expected the Zone, got {zone}")) }
}
