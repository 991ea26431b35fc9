//! The cached metadata of a cluster: the leader of each partition, and a pool of idle connections.

use super::AppendFailure;
use super::broker::{BrokerConnection, SaslCredentials, accepted};
use super::murmur2::partition;
use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::metadata_response::MetadataResponseBroker;
use kafka_protocol::messages::{BrokerId, MetadataResponse};
use kontor_outbound::Outbound;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Maximum number of cached clusters.
const CLUSTERS_MAX: usize = 100;
/// How long the leaders of partitions are cached. The default of other clients, `metadata.max.age.ms`.
const LEADERS_KNOWN_FOR: Duration = Duration::from_secs(5 * 60);
/// How long a connection may be idle: far less than brokers keep one open.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// Maximum number of idle connections to one broker.
const IDLE_CONNECTIONS_MAX: usize = 16;
/// The longest host name, in bytes (RFC 1035, section 2.3.4).
const HOST_BYTES_MAX: usize = 255;

/// The bootstrap server of a cluster, and the credentials for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct BootstrapServer {
    /// Host and port, with `https://` for TLS or `http://` for none.
    pub(super) url: String,
    pub(super) key: SaslCredentials,
}

/// A cluster, as seen with one set of credentials.
pub(super) struct Cluster {
    bootstrap_server: BootstrapServer,
    topics: Mutex<HashMap<String, Arc<TopicLeaders>>>,
    /// By URL.
    idle: Mutex<HashMap<String, Vec<IdleBroker>>>,
}

/// An idle connection.
struct IdleBroker {
    broker: BrokerConnection,
    since: Instant,
}

impl IdleBroker {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < IDLE_MAX
    }
}

/// The leaders of a topic's partitions: URLs by partition. `None`: no leader at the moment.
struct TopicLeaders {
    urls: Vec<Option<Arc<str>>>,
    read_at: Instant,
}

impl TopicLeaders {
    fn is_known(&self) -> bool {
        self.read_at.elapsed() < LEADERS_KNOWN_FOR
    }
}

/// A record to be appended.
pub(super) struct RecordToAppend<'a> {
    pub(super) topic: &'a str,
    /// The partition key.
    pub(super) key: &'a [u8],
    pub(super) acks: i16,
    pub(super) records: Bytes,
}

/// Returns the cached cluster of a bootstrap server, or a new one.
pub(super) fn cluster(entrance: BootstrapServer) -> Arc<Cluster> {
    static CLUSTERS: LazyLock<Mutex<HashMap<BootstrapServer, Arc<Cluster>>>> = LazyLock::new(Mutex::default);
    let mut all = CLUSTERS.lock();
    // Closes idle connections of clusters that no Subscription uses any more.
    all.values().for_each(|cluster| cluster.close_idle());
    if let Some(known) = all.get(&entrance) {
        return Arc::clone(known);
    }
    if all.len() >= CLUSTERS_MAX {
        all.clear();
    }
    let cluster = Arc::new(Cluster {
        bootstrap_server: entrance.clone(),
        topics: Mutex::default(),
        idle: Mutex::default(),
    });
    all.insert(entrance, Arc::clone(&cluster));
    cluster
}

impl Cluster {
    /// Appends a record, and requests the metadata once more if the leader has changed.
    pub(super) async fn append(
        &self,
        outbound: &Outbound,
        record: &RecordToAppend<'_>,
    ) -> Result<(), AppendFailure> {
        match self.append_to_leader(outbound, record).await {
            Err(failure) if failure.may_have_new_leader() => {
                self.topics.lock().remove(record.topic);
                self.append_to_leader(outbound, record).await
            }
            appended => appended,
        }
    }

    async fn append_to_leader(
        &self,
        outbound: &Outbound,
        record: &RecordToAppend<'_>,
    ) -> Result<(), AppendFailure> {
        let leaders = self.leaders(outbound, record.topic).await?;
        let partition = partition(record.key, leaders.urls.len());
        let leader = leaders.urls[partition].as_ref();
        let leader = leader.ok_or(AppendFailure::Refused(ResponseError::LeaderNotAvailable))?;
        let number = i32::try_from(partition).map_err(|_| AppendFailure::Broken)?;
        if let Some(mut broker) = self.take_from_pool(leader) {
            match broker.produce(record.topic, number, record.acks, record.records.clone()).await {
                // The broker closed the connection while it was idle.
                Err(AppendFailure::Ended) => {}
                appended => {
                    self.wait(leader, broker, &appended);
                    return appended;
                }
            }
        }
        let mut broker = BrokerConnection::connect(outbound, leader, &self.bootstrap_server.key).await?;
        let appended = broker.produce(record.topic, number, record.acks, record.records.clone()).await;
        self.wait(leader, broker, &appended);
        appended
    }

    async fn leaders(&self, outbound: &Outbound, topic: &str) -> Result<Arc<TopicLeaders>, AppendFailure> {
        let known = self.topics.lock().get(topic).cloned();
        if let Some(known) = known.filter(|known| known.is_known()) {
            return Ok(known);
        }
        // A bootstrap server may be a load balancer over all brokers, so this connection is not pooled for a leader.
        let mut broker =
            BrokerConnection::connect(outbound, &self.bootstrap_server.url, &self.bootstrap_server.key)
                .await?;
        let scheme = self.bootstrap_server.url.split("://").next().unwrap_or("https");
        let leaders = Arc::new(leaders(&broker.metadata(topic).await?, scheme)?);
        let mut topics = self.topics.lock();
        topics.retain(|_, known| known.is_known());
        topics.insert(topic.to_owned(), Arc::clone(&leaders));
        Ok(leaders)
    }

    fn take_from_pool(&self, url: &str) -> Option<BrokerConnection> {
        let mut idle = self.idle.lock();
        let all = idle.get_mut(url)?;
        all.retain(IdleBroker::is_fresh);
        all.pop().map(|idle| idle.broker)
    }

    /// Closes connections that were idle for too long.
    fn close_idle(&self) {
        self.idle.lock().retain(|_, all| {
            all.retain(IdleBroker::is_fresh);
            !all.is_empty()
        });
    }

    /// Returns a connection to the pool, if it is between two requests.
    fn wait(&self, url: &str, broker: BrokerConnection, appended: &Result<(), AppendFailure>) {
        if !matches!(appended, Ok(()) | Err(AppendFailure::Refused(_))) {
            return;
        }
        let mut idle = self.idle.lock();
        let all = idle.entry(url.to_owned()).or_default();
        if all.len() < IDLE_CONNECTIONS_MAX {
            all.push(IdleBroker { broker, since: Instant::now() });
        }
    }
}

/// Reads the leaders from a metadata response.
fn leaders(known: &MetadataResponse, scheme: &str) -> Result<TopicLeaders, AppendFailure> {
    let topic = known.topics.first().ok_or(AppendFailure::Broken)?;
    accepted(topic.error_code)?;
    let urls_of_brokers: HashMap<BrokerId, Arc<str>> =
        known.brokers.iter().filter_map(|broker| Some((broker.node_id, url_of(broker, scheme)?))).collect();
    let mut urls = vec![None; topic.partitions.len()];
    for partition in &topic.partitions {
        let place = usize::try_from(partition.partition_index).ok().and_then(|index| urls.get_mut(index));
        *place.ok_or(AppendFailure::Broken)? = urls_of_brokers.get(&partition.leader_id).cloned();
    }
    if urls.is_empty() {
        Err(AppendFailure::Broken)
    } else {
        Ok(TopicLeaders { urls, read_at: Instant::now() })
    }
}

/// Returns the URL of a broker; `None` if its host name is too long.
fn url_of(broker: &MetadataResponseBroker, scheme: &str) -> Option<Arc<str>> {
    let (host, port) = (broker.host.as_str(), broker.port);
    if host.len() > HOST_BYTES_MAX {
        return None;
    }
    Some(match host.contains(':') {
        true => format!("{scheme}://[{host}]:{port}").into(),
        false => format!("{scheme}://{host}:{port}").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafka_protocol::messages::metadata_response::{MetadataResponsePartition, MetadataResponseTopic};
    use kafka_protocol::protocol::StrBytes;

    fn metadata_response(partitions: &[(i32, i32)], code: i16) -> MetadataResponse {
        let partitions = partitions.iter().map(|(index, leader)| {
            MetadataResponsePartition::default().with_partition_index(*index).with_leader_id((*leader).into())
        });
        let topic =
            MetadataResponseTopic::default().with_error_code(code).with_partitions(partitions.collect());
        let broker = |id: i32, host: &'static str| {
            let host = StrBytes::from_static_str(host);
            MetadataResponseBroker::default().with_node_id(id.into()).with_host(host).with_port(9092)
        };
        MetadataResponse::default()
            .with_brokers(vec![broker(1, "one.example"), broker(2, "2001:4860::1")])
            .with_topics(vec![topic])
    }

    #[test]
    fn partitions_are_led_by_the_brokers_that_the_cluster_names() {
        let found = leaders(&metadata_response(&[(1, 1), (0, 2), (2, -1)], 0), "https").unwrap();
        let expected = [Some("https://[2001:4860::1]:9092"), Some("https://one.example:9092"), None];
        assert_eq!(found.urls.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rejects_too_long_host_names() {
        let mut metadata_response = metadata_response(&[(0, 1)], 0);
        metadata_response.brokers[0].host = StrBytes::from_string("a".repeat(HOST_BYTES_MAX + 1));
        assert_eq!(leaders(&metadata_response, "https").unwrap().urls, [None]);
    }

    #[test]
    fn rejects_nonsensical_metadata_without_a_panic() {
        for partitions in [&[(5, 1)][..], &[(-1, 1)], &[]] {
            assert!(
                matches!(leaders(&metadata_response(partitions, 0), "https"), Err(AppendFailure::Broken)),
                "{partitions:?}"
            );
        }
        let refused = leaders(&metadata_response(&[], 3), "https").err();
        assert!(matches!(refused, Some(AppendFailure::Refused(ResponseError::UnknownTopicOrPartition))));
    }
}
