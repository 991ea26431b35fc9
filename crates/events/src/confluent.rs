//! Topics of Confluent Cloud, by its REST API, which is at the host of the bootstrap server; and of any REST proxy of Kafka, where the
//! bootstrap server is given as an address of HTTP.
//!
//! The protocol of Kafka itself connects to whatever brokers name, which no rule of ours about addresses would see. Records are
//! acknowledged by all replicas, whatever `acks` says: less is not offered there.
//!
//! Source: reference type `ConfluentCloudDestination`; documentation of Confluent, "Confluent Cloud API: Records (v3)", "Cluster (v3)".

use crate::payload::Payload;
use crate::percent::encoded;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use kontor_outbound::{Outbound, Outgoing, Received, Unanswered};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

/// How many clusters are remembered.
const CLUSTERS_MAX: usize = 1_000;

/// A topic, as far as the settings say.
struct Topic<'a> {
    /// Where the REST API is.
    service: String,
    authorization: HeaderValue,
    name: &'a str,
    key: Option<&'a str>,
}

impl<'a> Topic<'a> {
    fn of(destination: &'a Value) -> Option<Self> {
        let text = |name: &str| destination[name].as_str();
        let server = text("bootstrapServer")?.trim_end_matches('/');
        let service = match server.contains("://") {
            true => server.to_owned(),
            false => format!("https://{}", server.rsplit_once(':').map_or(server, |(host, _)| host)),
        };
        let keys = BASE64_STANDARD.encode(format!("{}:{}", text("apiKey")?, text("apiSecret")?));
        let mut authorization = HeaderValue::try_from(format!("Basic {keys}")).ok()?;
        authorization.set_sensitive(true);
        Some(Self { service, authorization, name: text("topic")?, key: text("key") })
    }

    fn outgoing(&self, path: &str, body: String, patience: Duration, answer_bytes_max: usize) -> Outgoing {
        let json: (HeaderName, _) = (CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Outgoing {
            url: format!("{}/kafka/v3/clusters{path}", self.service),
            headers: vec![json, (AUTHORIZATION, self.authorization.clone())],
            body: body.into(),
            patience,
            answer_bytes_max,
        }
    }

    /// The record of a payload.
    fn record(&self, payload: &Payload) -> Value {
        let value: Value = serde_json::from_slice(&payload.body).unwrap_or_default();
        let mut record = json!({"value": {"type": "JSON", "data": value}});
        if let Some(key) = self.key {
            record["key"] = json!({"type": "STRING", "data": key});
        }
        record
    }
}

/// The ids of clusters, by service and authorization.
fn clusters() -> &'static Mutex<HashMap<(String, HeaderValue), String>> {
    static CLUSTERS: OnceLock<Mutex<HashMap<(String, HeaderValue), String>>> = OnceLock::new();
    CLUSTERS.get_or_init(Mutex::default)
}

/// Sends a record and waits until it is acknowledged; `None`: the settings cannot be used.
pub(crate) async fn deliver(
    outbound: &Outbound,
    destination: &Value,
    payload: &Payload,
    patience: Duration,
    answer_bytes_max: usize,
) -> Option<Result<Received, Unanswered>> {
    let topic = Topic::of(destination)?;
    let known = (topic.service.clone(), topic.authorization.clone());
    let cluster = clusters().lock().get(&known).cloned();
    let cluster = match cluster {
        Some(cluster) => cluster,
        None => {
            let asked = outbound.get(topic.outgoing("", String::new(), patience, answer_bytes_max)).await;
            let Some(found) = asked.as_ref().ok().and_then(cluster_in) else {
                return Some(asked.map(|received| refused(received, 200)));
            };
            let mut all = clusters().lock();
            if all.len() >= CLUSTERS_MAX {
                all.clear();
            }
            all.insert(known, found.clone());
            found
        }
    };
    let path = format!("/{}/topics/{}/records", encoded(&cluster), encoded(topic.name));
    let body = topic.record(payload).to_string();
    let answered = outbound.post(topic.outgoing(&path, body, patience, answer_bytes_max)).await;
    // The status of a record stands in the answer.
    Some(answered.map(|received| {
        let said = serde_json::from_slice::<Value>(&received.body).ok();
        match said.and_then(|said| said["error_code"].as_u64()) {
            Some(200) | None => received,
            Some(code) => refused(received, u16::try_from(code).unwrap_or_default()),
        }
    }))
}

fn cluster_in(received: &Received) -> Option<String> {
    let said: Value = serde_json::from_slice(&received.body).ok()?;
    said["data"][0]["cluster_id"].as_str().map(str::to_owned)
}

/// An answer with the status that is meant. Where there is no cluster in a good one, nothing is there that could take a record.
fn refused(received: Received, code: u16) -> Received {
    let status = match (received.status, code) {
        (200..=299, 200) => 404,
        // 40403 and its like begin with a status.
        (200..=299, code) if code >= 1_000 => code / 100,
        (200..=299, code) => code,
        (status, _) => status,
    };
    Received { status, ..received }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(server: &str) -> Value {
        json!({
            "type": "ConfluentCloud", "bootstrapServer": server, "apiKey": "a", "apiSecret": "b", "acks": "all",
            "topic": "orders", "key": "k",
        })
    }

    #[test]
    fn the_rest_api_is_at_the_host_of_the_bootstrap_server() {
        let at = |server: &str| Topic::of(&destination(server)).unwrap().service;
        assert_eq!(at("pkc-1.eu.aws.confluent.cloud:9092"), "https://pkc-1.eu.aws.confluent.cloud");
        assert_eq!(at("http://127.0.0.1:8082/"), "http://127.0.0.1:8082");
    }

    #[test]
    fn a_record_has_the_key_of_the_destination() {
        let payload = Payload { body: "{\"a\":1}".into(), is_cloud_event: false, subject: String::new() };
        let given = destination("a:1");
        let expected =
            json!({"value": {"type": "JSON", "data": {"a": 1}}, "key": {"type": "STRING", "data": "k"}});
        assert_eq!(Topic::of(&given).unwrap().record(&payload), expected);
    }

    #[test]
    fn an_answer_without_a_cluster_is_none() {
        let received = |status: u16| Received { status, body: "{}".into() };
        assert_eq!(refused(received(200), 200).status, 404);
        assert_eq!(refused(received(200), 40_403).status, 404);
        assert_eq!(refused(received(401), 200).status, 401);
    }
}
