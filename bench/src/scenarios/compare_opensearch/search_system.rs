//! A search system under measurement: Kontor, or an index of OpenSearch.

use crate::load::{LoadConnection, LoadRequest, ensure_success};
use crate::process::cpu_seconds_of;
use anyhow::Context as _;
use kontor_json::Value;
use std::time::{Duration, Instant};

/// A search system: its process, and the path of its searches.
pub(super) struct SearchSystem {
    pub(super) connection: LoadConnection,
    /// The id of its process.
    pub(super) process: String,
    /// Where searches are posted.
    pub(super) path: String,
    pub(super) is_kontor: bool,
}

/// A search result in a form that all systems have in common.
#[derive(Debug, PartialEq)]
pub(super) struct SystemHits {
    pub(super) total: u64,
    /// The ids of the hits.
    pub(super) hits: Vec<String>,
    /// Names of facets with their buckets.
    pub(super) facets: Vec<(String, Vec<(String, u64)>)>,
}

impl SearchSystem {
    fn ask_for(&self, body: &str) -> LoadRequest {
        LoadRequest::post(self.path.clone(), body.to_owned())
    }

    /// Runs a search and returns its result.
    pub(super) async fn find(&mut self, body: &Value) -> anyhow::Result<SystemHits> {
        let response = self.connection.json(self.ask_for(&body.to_string())).await?;
        let found = if self.is_kontor { of_kontor(&response) } else { of_opensearch(&response) };
        found.with_context(|| format!("a strange answer: {response}"))
    }

    /// Sends the searches one after the other, for at least `least` and each at least once. Returns the CPU of one in
    /// microseconds.
    pub(super) async fn measure(&mut self, bodies: &[String], least: Duration) -> anyhow::Result<f64> {
        let cpu = cpu_seconds_of(&self.process)?;
        let begun = Instant::now();
        let mut count = 0_usize;
        while count < bodies.len() || begun.elapsed() < least {
            let (status, body) = self.connection.send(self.ask_for(&bodies[count % bodies.len()])).await?;
            ensure_success(status, &body)?;
            count += 1;
        }
        Ok((cpu_seconds_of(&self.process)? - cpu) * 1e6 / count as f64)
    }
}

fn ids(hits: &Value, name: &str) -> Option<Vec<String>> {
    hits.as_array()?.iter().map(|hit| hit[name].as_str().map(str::to_owned)).collect()
}

fn buckets(buckets: &Value, count: &str) -> Option<Vec<(String, u64)>> {
    let buckets = buckets.as_array()?.iter();
    buckets
        .map(|bucket| Some((bucket["key"].as_str()?.to_owned(), bucket.pointer(count)?.as_u64()?)))
        .collect()
}

fn of_kontor(response: &Value) -> Option<SystemHits> {
    let mut facets = Vec::new();
    for facet in response["facets"].as_array().into_iter().flatten() {
        facets.push((facet["name"].as_str()?.to_owned(), buckets(&facet["buckets"], "/count")?));
    }
    facets.sort();
    Some(SystemHits { total: response["total"].as_u64()?, hits: ids(&response["results"], "id")?, facets })
}

fn of_opensearch(response: &Value) -> Option<SystemHits> {
    let mut facets = Vec::new();
    for (name, facet) in response["aggregations"].as_object().into_iter().flatten() {
        let values = match facet.get("values") {
            Some(nested) => buckets(&nested["buckets"], "/products/doc_count")?,
            None => buckets(&facet["buckets"], "/doc_count")?,
        };
        facets.push((name.to_string(), values));
    }
    facets.sort();
    let hits = &response["hits"];
    Some(SystemHits { total: hits["total"]["value"].as_u64()?, hits: ids(&hits["hits"], "_id")?, facets })
}
