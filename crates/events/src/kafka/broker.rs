//! A connection to one broker: requests and their responses, one after the other.
//!
//! Versions of requests are fixed: brokers from 2.4 on accept them, 4.x included.
//!
//! Source: "Kafka protocol guide", sections "Protocol Primitives", "SASL Authentication Sequence".

use super::AppendFailure;
use super::response_shape::{self, ResponsePart};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use kafka_protocol::ResponseError;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    ApiKey, MetadataRequest, MetadataResponse, ProduceRequest, ProduceResponse, RequestHeader,
    ResponseHeader, SaslAuthenticateRequest, SaslAuthenticateResponse, SaslHandshakeRequest,
    SaslHandshakeResponse, TopicName,
};
use kafka_protocol::protocol::{
    Decodable, Encodable, HeaderVersion, StrBytes, encode_request_header_into_buffer,
};
use kontor_outbound::{Outbound, OutboundConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Maximum size of a response, in bytes: the longest describes a topic, with a hundred bytes per partition.
const BROKER_ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long a broker may wait for its replicas, in milliseconds.
const REPLICAS_MS_MAX: i32 = 8_000;
const CLIENT: &str = "kontor";
const MECHANISM: &str = "PLAIN";

const HANDSHAKE_VERSION: i16 = 1;
const AUTHENTICATE_VERSION: i16 = 1;
const METADATA_VERSION: i16 = 9;
const PRODUCE_VERSION: i16 = 9;

/// An open, authenticated connection.
pub(super) struct BrokerConnection {
    connection: OutboundConnection,
    /// The number of the last request.
    sent: i32,
}

/// The credentials of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SaslCredentials {
    pub(super) key: String,
    pub(super) secret: String,
}

impl BrokerConnection {
    /// Connects and authenticates.
    pub(super) async fn connect(
        outbound: &Outbound,
        url: &str,
        key: &SaslCredentials,
    ) -> Result<Self, AppendFailure> {
        let connection = outbound.connect(url).await.map_err(AppendFailure::Unanswered)?;
        let mut broker = Self { connection, sent: 0 };
        let hello = SaslHandshakeRequest::default().with_mechanism(StrBytes::from_static_str(MECHANISM));
        let greeted: SaslHandshakeResponse = broker
            .send_request(ApiKey::SaslHandshake, HANDSHAKE_VERSION, &hello, response_shape::HANDSHAKE)
            .await?;
        accepted(greeted.error_code)?;
        let shown = Bytes::from(format!("\0{}\0{}", key.key, key.secret));
        let shown = SaslAuthenticateRequest::default().with_auth_bytes(shown);
        let known: SaslAuthenticateResponse = broker
            .send_request(
                ApiKey::SaslAuthenticate,
                AUTHENTICATE_VERSION,
                &shown,
                response_shape::AUTHENTICATE,
            )
            .await?;
        accepted(known.error_code)?;
        Ok(broker)
    }

    /// Requests the partitions of a topic and their leaders.
    pub(super) async fn metadata(&mut self, topic: &str) -> Result<MetadataResponse, AppendFailure> {
        let topic = MetadataRequestTopic::default().with_name(Some(name(topic)));
        let question =
            MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
        self.send_request(ApiKey::Metadata, METADATA_VERSION, &question, response_shape::METADATA).await
    }

    /// Appends records to a partition. There is no response if `acks` is 0.
    pub(super) async fn produce(
        &mut self,
        topic: &str,
        partition: i32,
        acks: i16,
        records: Bytes,
    ) -> Result<(), AppendFailure> {
        let data = PartitionProduceData::default().with_index(partition).with_records(Some(records));
        let data = TopicProduceData::default().with_name(name(topic)).with_partition_data(vec![data]);
        let order = ProduceRequest::default()
            .with_acks(acks)
            .with_timeout_ms(REPLICAS_MS_MAX)
            .with_topic_data(vec![data]);
        if acks == 0 {
            return self.send(ApiKey::Produce, PRODUCE_VERSION, &order).await;
        }
        let done: ProduceResponse =
            self.send_request(ApiKey::Produce, PRODUCE_VERSION, &order, response_shape::PRODUCE).await?;
        let partition = done.responses.first().and_then(|topic| topic.partition_responses.first());
        accepted(partition.ok_or(AppendFailure::Broken)?.error_code)
    }

    async fn send_request<Q, A>(
        &mut self,
        key: ApiKey,
        version: i16,
        question: &Q,
        answer_is: &[ResponsePart],
    ) -> Result<A, AppendFailure>
    where
        Q: Encodable + HeaderVersion,
        A: Decodable + HeaderVersion,
    {
        self.send(key, version, question).await?;
        let length = self.connection.read_u32().await.map_err(connection_closed)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= BROKER_ANSWER_BYTES_MAX)
            .ok_or(AppendFailure::Broken)?;
        let mut response = BytesMut::zeroed(length);
        self.connection.read_exact(&mut response).await.map_err(connection_closed)?;
        if !response_shape::begins_with(answer_is, &response) {
            return Err(AppendFailure::Broken);
        }
        let mut response = response.freeze();
        let header = ResponseHeader::decode(&mut response, A::header_version(version)).map_err(unreadable)?;
        if header.correlation_id != self.sent {
            return Err(AppendFailure::Broken);
        }
        let answer_itself = A::decode(&mut response, version).map_err(unreadable)?;
        if response.has_remaining() { Err(AppendFailure::Broken) } else { Ok(answer_itself) }
    }

    async fn send<Q: Encodable + HeaderVersion>(
        &mut self,
        key: ApiKey,
        version: i16,
        question: &Q,
    ) -> Result<(), AppendFailure> {
        self.sent = self.sent.wrapping_add(1);
        let header = RequestHeader::default()
            .with_request_api_key(key as i16)
            .with_request_api_version(version)
            .with_correlation_id(self.sent)
            .with_client_id(Some(StrBytes::from_static_str(CLIENT)));
        let mut request = BytesMut::new();
        request.put_u32(0);
        encode_request_header_into_buffer(&mut request, &header).map_err(unreadable)?;
        question.encode(&mut request, version).map_err(unreadable)?;
        let length = u32::try_from(request.len() - size_of::<u32>()).map_err(|_| AppendFailure::Broken)?;
        request[..size_of::<u32>()].copy_from_slice(&length.to_be_bytes());
        self.connection.write_all(&request).await.map_err(connection_closed)?;
        self.connection.flush().await.map_err(connection_closed)?;
        Ok(())
    }
}

fn name(topic: &str) -> TopicName {
    TopicName(StrBytes::from_string(topic.to_owned()))
}

/// Interprets an error code.
pub(super) fn accepted(code: i16) -> Result<(), AppendFailure> {
    ResponseError::try_from_code(code).map_or(Ok(()), |why| Err(AppendFailure::Refused(why)))
}

fn connection_closed(_: std::io::Error) -> AppendFailure {
    AppendFailure::Ended
}

/// Maps errors of the codec, which have no public type.
fn unreadable<E>(_: E) -> AppendFailure {
    AppendFailure::Broken
}
