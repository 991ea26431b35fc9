//! Topics of Confluent Cloud, and of any other Kafka with SASL PLAIN: records are appended by the Kafka protocol
//! itself.
//!
//! All connections go through [`Outbound`], also those to the brokers that a cluster names: none is to an address
//! that is not allowed.
//!
//! Source: reference type `ConfluentCloudDestination` (`SASL_SSL`, `PLAIN`); "Kafka protocol guide".

mod broker;
mod cluster;
mod murmur2;
mod response_shape;

use crate::delivery_failure::DeliveryFailure;
use crate::payload::Payload;
use broker::SaslCredentials;
use bytes::{Bytes, BytesMut};
use cluster::{BootstrapServer, RecordToAppend, cluster};
use jiff::Timestamp;
use kafka_protocol::ResponseError;
use kafka_protocol::indexmap::IndexMap;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    Compression, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Record,
    RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};
use kontor_json::Value;
use kontor_outbound::{Outbound, OutboundError};
use std::time::Duration;

/// The version of record batches, since Kafka 0.11.
const BATCH_VERSION: i8 = 2;

/// Why a record was not appended.
#[derive(Debug)]
enum AppendFailure {
    /// The connection failed.
    Unanswered(OutboundError),
    /// The connection was closed.
    Ended,
    /// The response is malformed.
    Broken,
    /// The broker responded with an error code.
    Refused(ResponseError),
}

impl AppendFailure {
    /// Whether a retry with fresh metadata may succeed, because the leader may have changed.
    fn may_have_new_leader(&self) -> bool {
        matches!(
            self,
            AppendFailure::Unanswered(OutboundError::Unreachable(_) | OutboundError::Closed(_))
                | AppendFailure::Refused(
                    ResponseError::NotLeaderOrFollower
                        | ResponseError::LeaderNotAvailable
                        | ResponseError::UnknownTopicOrPartition
                        | ResponseError::ReplicaNotAvailable
                        | ResponseError::KafkaStorageError
                )
        )
    }
}

impl From<AppendFailure> for DeliveryFailure {
    fn from(failure: AppendFailure) -> Self {
        use ResponseError::{
            ClusterAuthorizationFailed, IllegalSaslState, InvalidRecord, InvalidTopicException,
            MessageTooLarge, PolicyViolation, SaslAuthenticationFailed, TopicAuthorizationFailed,
            UnknownTopicOrPartition, UnsupportedForMessageFormat, UnsupportedSaslMechanism,
            UnsupportedVersion,
        };
        let why = match failure {
            AppendFailure::Unanswered(why) => return why.into(),
            AppendFailure::Ended => {
                return DeliveryFailure::Unreachable("it closed the connection".to_owned());
            }
            AppendFailure::Broken => {
                return DeliveryFailure::Temporary("its response is not one of Kafka".to_owned());
            }
            AppendFailure::Refused(why) => why,
        };
        let said = format!("it responded with {why}");
        match why {
            ClusterAuthorizationFailed
            | IllegalSaslState
            | InvalidRecord
            | InvalidTopicException
            | MessageTooLarge
            | PolicyViolation
            | SaslAuthenticationFailed
            | TopicAuthorizationFailed
            | UnknownTopicOrPartition
            | UnsupportedForMessageFormat
            | UnsupportedSaslMechanism
            | UnsupportedVersion => DeliveryFailure::Configuration(said),
            _ => DeliveryFailure::Temporary(said),
        }
    }
}

/// The settings of a topic.
pub(crate) struct TopicSettings<'a> {
    bootstrap_server: BootstrapServer,
    name: &'a str,
    acks: i16,
    key: Option<&'a str>,
}

impl<'a> TopicSettings<'a> {
    /// Reads the settings of a destination; `None` if they are invalid.
    pub(crate) fn from_destination(destination: &'a Value) -> Option<Self> {
        let text = |name: &str| destination[name].as_str();
        // The server may have the prefix of a Kafka listener, e.g. `SASL_SSL://`.
        let server = text("bootstrapServer")?;
        let (protocol, server) = server.split_once("://").unwrap_or(("SASL_SSL", server));
        let scheme = match protocol {
            "SASL_SSL" => "https",
            "SASL_PLAINTEXT" => "http",
            _ => return None,
        };
        // The first of several is enough: the cluster's metadata lists all brokers.
        let server = server.split(',').next()?.trim().trim_end_matches('/');
        let (host, port) = server.rsplit_once(':')?;
        port.parse::<u16>().ok().filter(|_| !host.is_empty())?;
        let acks = match text("acks")? {
            "0" => 0,
            "1" => 1,
            _ => -1,
        };
        let key = SaslCredentials { key: text("apiKey")?.to_owned(), secret: text("apiSecret")?.to_owned() };
        let bootstrap_server = BootstrapServer { url: format!("{scheme}://{server}"), key };
        Some(Self { bootstrap_server, name: text("topic")?, acks, key: text("key") })
    }

    /// Returns its address for log messages, and for injected faults.
    pub(crate) fn url(&self) -> String {
        let server = self.bootstrap_server.url.split("://").nth(1).unwrap_or_default();
        format!("kafka://{server}/{}", self.name)
    }

    /// Appends a notification, and waits for as many acknowledgements as the settings require.
    pub(crate) async fn deliver(
        &self,
        outbound: &Outbound,
        payload: &Payload,
        timeout: Duration,
    ) -> Result<(), DeliveryFailure> {
        let key = self.key.map(|key| Bytes::copy_from_slice(key.as_bytes()));
        let records = batch(key, payload, Timestamp::now()).ok_or_else(DeliveryFailure::unusable)?;
        // Without a key, all notifications about one resource go to the same partition, which preserves their order.
        let key = self.key.unwrap_or(&payload.about).as_bytes();
        let record = RecordToAppend { topic: self.name, key, acks: self.acks, records };
        let cluster = cluster(self.bootstrap_server.clone());
        match tokio::time::timeout(timeout, cluster.append(outbound, &record)).await {
            Ok(appended) => appended.map_err(DeliveryFailure::from),
            Err(_) => Err(OutboundError::TimedOut.into()),
        }
    }
}

/// Returns a batch of one record. `None` if it cannot be encoded.
fn batch(key: Option<Bytes>, payload: &Payload, at: Timestamp) -> Option<Bytes> {
    let content_type = Bytes::from_static(payload.content_type().as_bytes());
    let record = Record {
        transactional: false,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
        producer_id: NO_PRODUCER_ID,
        producer_epoch: NO_PRODUCER_EPOCH,
        timestamp_type: TimestampType::Creation,
        offset: 0,
        sequence: NO_SEQUENCE,
        timestamp: at.as_millisecond(),
        key,
        value: Some(payload.body.clone()),
        headers: IndexMap::from([(StrBytes::from_static_str("content-type"), Some(content_type))]),
    };
    let mut batch = BytesMut::new();
    let options = RecordEncodeOptions { version: BATCH_VERSION, compression: Compression::None };
    RecordBatchEncoder::encode(&mut batch, [&record], &options).ok()?;
    Some(batch.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafka_protocol::records::RecordBatchDecoder;
    use kontor_json::json;

    fn destination(server: &str) -> Value {
        json!({
            "type": "ConfluentCloud", "bootstrapServer": server, "apiKey": "a", "apiSecret": "b", "acks": "all",
            "topic": "orders", "key": "k",
        })
    }

    #[test]
    fn a_bootstrap_server_has_a_port_and_tls_unless_it_is_said_otherwise() {
        let at = |server: &str| {
            TopicSettings::from_destination(&destination(server)).map(|topic| topic.bootstrap_server.url)
        };
        let server = "pkc-1.eu.aws.confluent.cloud:9092";
        assert_eq!(at(server), Some(format!("https://{server}")));
        assert_eq!(at(&format!("SASL_SSL://{server}")), Some(format!("https://{server}")));
        assert_eq!(at(&format!("{server},other:9092")), Some(format!("https://{server}")));
        assert_eq!(at("SASL_PLAINTEXT://127.0.0.1:9092"), Some("http://127.0.0.1:9092".to_owned()));
        for unusable in ["pkc-1.eu.aws.confluent.cloud", "http://127.0.0.1:8082", ":9092", "a:b", ""] {
            assert_eq!(at(unusable), None, "{unusable}");
        }
    }

    #[test]
    fn a_record_has_the_key_of_the_destination_and_the_notification() {
        let payload = Payload {
            body: "{\"a\":1}".into(),
            is_cloud_event: false,
            subject: String::new(),
            about: String::new(),
        };
        let mut batch = batch(Some("k".into()), &payload, Timestamp::UNIX_EPOCH).unwrap();
        let records = RecordBatchDecoder::decode(&mut batch).unwrap().records;
        assert_eq!(
            (records[0].key.clone(), records[0].value.clone()),
            (Some("k".into()), Some(payload.body))
        );
    }

    #[test]
    fn permanent_failures_are_configuration_errors() {
        let status = |why| DeliveryFailure::from(AppendFailure::Refused(why)).status();
        assert_eq!(status(ResponseError::SaslAuthenticationFailed), "ConfigurationError");
        assert_eq!(status(ResponseError::UnknownTopicOrPartition), "ConfigurationError");
        assert_eq!(status(ResponseError::NotEnoughReplicas), "TemporaryError");
        assert_eq!(status(ResponseError::Unknown(999)), "TemporaryError");
        assert_eq!(DeliveryFailure::from(AppendFailure::Broken).status(), "TemporaryError");
    }
}
