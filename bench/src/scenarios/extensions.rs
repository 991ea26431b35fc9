//! What an API Extension adds to a change, beside the round trip to it: it answers at once.

use super::subscriptions::destination;
use super::{Bench, bounds};
use crate::kontor::PROJECT;
use crate::load::{Ask, Client, Connection, Measured, ensure_success, run as run_load};
use crate::process::Server;
use crate::states::Document;
use crate::table::{Row, Target};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::handshake;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use kontor_json::json;
use std::time::Instant;
use tokio::net::TcpStream;

const UPDATES: u64 = 2_000;
/// How often both are measured, and the round trip between them.
const TURNS: usize = 5;
/// The reference's name of what is changed: one of the kinds that Extensions are asked about.
const KIND: &str = "customer-group";

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let flags = ["--allow-private-destinations"];
    let asking = bench.kontor.start_with(&bench.folder("asking"), &flags).await?;
    let alone = bench.kontor.start_with(&bench.folder("asking-nobody"), &flags).await?;
    let (mut asked, mut unasked) = (vec![Renamer::new(&asking).await?], vec![Renamer::new(&alone).await?]);
    let (address, _) = destination().await?;
    let draft = json!({
        "destination": {"type": "HTTP", "url": address}, "triggers": [{"resourceTypeId": KIND, "actions": ["Update"]}],
    });
    let made = Connection::open(&asking).await?;
    let (status, body) = { made }.ask(Ask::post(format!("/{PROJECT}/extensions"), draft.to_string())).await?;
    ensure_success(status, &body)?;
    let mut turns: Vec<(f64, Measured, Measured, f64)> = Vec::new();
    for _ in 0..=TURNS {
        let (with, again) = run_load(&asking, asked, bounds(UPDATES, 15)).await?;
        asked = again;
        let (without, again) = run_load(&alone, unasked, bounds(UPDATES, 15)).await?;
        unasked = again;
        let trip = round_trip_us(&address, asked[0].question()).await?;
        let added = (with.percentile_ms(50.0) - without.percentile_ms(50.0)) * 1000.0 - trip;
        turns.push((added, with, without, trip));
    }
    // The first turn warms up.
    turns.remove(0);
    turns.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (added, with, without, trip) = turns.swap_remove(TURNS / 2);
    bench.table.add(Row {
        what: "an API Extension that answers at once: added to the median of one caller's update, beside its round trip".to_owned(),
        value: added,
        unit: " µs",
        target: Target::AtMost(100.0),
        kontor: with.line(),
        beside: format!("nobody is asked: {}; a round trip: {trip:.0} µs", without.line()),
    });
    Ok(())
}

/// Gives one Customer Group another name, again and again.
struct Renamer {
    group: Document,
}

impl Renamer {
    async fn new(server: &Server) -> anyhow::Result<Self> {
        let ask = Ask::post(format!("/{PROJECT}/customer-groups"), json!({"groupName": "0"}).to_string());
        let (status, body) = Connection::open(server).await?.ask(ask).await?;
        ensure_success(status, &body)?;
        Ok(Self { group: Document::of(&body)? })
    }

    /// Something as long as what an Extension is asked.
    fn question(&self) -> Bytes {
        json!({"action": "Update", "resource": {"typeId": KIND, "id": self.group.id, "obj": {
            "id": self.group.id, "version": self.group.version, "name": "1", "createdAt": "2026-01-01T00:00:00.000Z",
            "lastModifiedAt": "2026-01-01T00:00:00.000Z",
        }}})
        .to_string()
        .into()
    }
}

impl Client for Renamer {
    fn next(&mut self) -> Option<Ask> {
        let Document { id, version } = &self.group;
        let body =
            json!({"version": version, "actions": [{"action": "changeName", "name": version.to_string()}]});
        Some(Ask::post(format!("/{PROJECT}/customer-groups/{id}"), body.to_string()))
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        self.group = Document::of(body)?;
        Ok(())
    }
}

/// The median of posts over one connection, in microseconds.
async fn round_trip_us(address: &str, body: Bytes) -> anyhow::Result<f64> {
    let authority = address.trim_start_matches("http://").trim_end_matches('/');
    let stream = TcpStream::connect(authority).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut all = Vec::new();
    for _ in 0..UPDATES {
        let request = Request::post("/").header(HOST, authority).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::new(body.clone()))?;
        let asked = Instant::now();
        sender.ready().await?;
        sender.send_request(request).await?.into_body().collect().await?;
        all.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[all.len() / 2])
}
