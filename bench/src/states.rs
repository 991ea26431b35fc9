//! States to measure with, small and of about 2 KB, and clients that rename them.

use crate::document::{VersionedDocument, distribute};
use crate::kontor::path as path_of;
use crate::load::{LoadClient, LoadConnection, LoadRequest, LoadResult, ensure_success};
use crate::making::create_documents;
use crate::process::MeasuredServer;
use anyhow::Context as _;
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};
use std::time::Duration;

/// The maximum size of a page.
const PAGE: usize = 500;
/// Loading may take this long for a thousand States before it is given up.
const LOAD_MS_PER_STATE_MAX: u64 = 20;
/// Locales of a wide State; with the texts below they make a document of about 2 KB.
const WIDE_LOCALES: &[&str] = &["en", "de", "fr", "it", "es", "nl", "pl", "sv", "da", "fi", "pt", "cs"];
const WIDE_TEXT: &str = "Orders rest here while the warehouse looks for what was asked, packs it and hands it over to the carrier.";

/// How large the documents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateWidth {
    /// As people write them: about half a kilobyte.
    Usual,
    /// About 2 KB.
    Wide,
}

/// The key of a State.
pub(crate) fn key(number: usize) -> String {
    format!("state-{number:07}")
}

/// The draft of a State.
fn draft(number: usize, width: StateWidth) -> Value {
    let kinds = ["OrderState", "LineItemState", "ProductState", "ReviewState", "PaymentState"];
    let description = match width {
        StateWidth::Usual => {
            json!({"en": format!("Step {number} of the workflow."), "de": format!("Schritt {number}.")})
        }
        StateWidth::Wide => {
            WIDE_LOCALES.iter().map(|locale| ((*locale).to_owned(), json!(WIDE_TEXT))).collect::<Value>()
        }
    };
    json!({
        "key": key(number),
        "type": kinds[number % kinds.len()],
        "name": {"en": format!("State {number}"), "de": format!("Zustand {number}")},
        "description": description,
        "initial": number.is_multiple_of(2),
    })
}

/// The path of a State, or of all.
pub(crate) fn path(rest: &str) -> String {
    path_of(&format!("states{rest}"))
}

/// Creates States from one number up to another over many connections. Returns their ids and the result of the load.
pub(crate) async fn create(
    server: &MeasuredServer,
    numbers: std::ops::Range<usize>,
    width: StateWidth,
) -> anyhow::Result<(Vec<String>, LoadResult)> {
    let time = Duration::from_secs(10) + Duration::from_millis(LOAD_MS_PER_STATE_MAX * numbers.len() as u64);
    let draft = move |number| draft(number, width).to_string();
    let (made, measured) = create_documents(server, &path(""), numbers, time, draft).await?;
    Ok((made.into_iter().map(|document| document.id).collect(), measured))
}

/// Returns one renaming client for each connection, each with its own new documents.
pub(crate) fn renamers(ids: &[String]) -> Vec<Renamer> {
    distribute(ids).map(|own| Renamer::new(own.into_iter())).collect()
}

/// A client that renames documents in turn, each time with the version of the last response.
pub(crate) struct Renamer {
    documents: Vec<VersionedDocument>,
    count: usize,
}

impl Renamer {
    /// Returns a client for documents of version 1.
    pub(crate) fn new(ids: impl Iterator<Item = String>) -> Self {
        Self { documents: ids.map(|id| VersionedDocument { id, version: 1 }).collect(), count: 0 }
    }
}

impl LoadClient for Renamer {
    fn next(&mut self) -> Option<LoadRequest> {
        self.count += 1;
        let document = &self.documents[self.count % self.documents.len()];
        let name = format!("State renamed {}", self.count);
        let body = json!({
            "version": document.version,
            "actions": [{"action": "setName", "name": {"en": name, "de": name}}],
        });
        Some(LoadRequest::post(path(&format!("/{}", document.id)), body.to_string()))
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        let at = self.count % self.documents.len();
        self.documents[at] = VersionedDocument::from_response(body)?;
        Ok(())
    }
}

/// Random numbers that are the same in every run (xorshift).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// One of `0..below`.
    pub(crate) fn next_below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// The States of a large page as they are, each in a line.
pub(crate) async fn first_page(server: &MeasuredServer) -> anyhow::Result<Vec<String>> {
    let mut connection = LoadConnection::open(server).await?;
    let page = connection.json(LoadRequest::get(path(&format!("?limit={PAGE}")))).await?;
    Ok(page["results"].as_array().context("a page without results")?.iter().map(Value::to_string).collect())
}
