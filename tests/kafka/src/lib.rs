//! Starts a Kafka broker for a test, in a temporary folder; it ends with the process. Clients authenticate with SASL
//! PLAIN, with TLS and without. Its jars are downloaded once from Maven Central, and checked; it needs Java 17 or
//! newer. Begin at [`TestBroker::start`].

use anyhow::{Context as _, bail, ensure};
use kontor_tests_jars::{Jars, Java, Program, RunningProgram};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

/// The oldest release of Java that can run the broker from its source.
const JAVA_MIN: u32 = 17;
/// The Java program that starts a broker.
const BROKER: Program = Program {
    name: "Kafka",
    file: "Broker.java",
    source: include_str!("../Broker.java"),
    jars: Jars {
        name: "kafka-3.9.1",
        artifact: ["org.apache.kafka", "kafka_2.13", "3.9.1"],
        list: include_str!("../jars.txt"),
    },
};
/// Java options for little memory and a quick start.
const OPTIONS: [&str; 4] = ["-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
/// The line that the program prints when the broker is ready.
const READY: &str = "Kafka listens";
/// The timeout for receiving a record.
const PATIENCE: Duration = Duration::from_secs(30);
/// The password of the broker's key store.
const PASSWORD: &str = "for-tests";

/// The user name that the broker accepts.
pub const API_KEY: &str = "some-key";
/// The password of [`API_KEY`].
pub const API_SECRET: &str = "some-secret";

/// A record received from a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRecord {
    /// The topic's name.
    pub topic: String,
    /// The partition's number.
    pub partition: u32,
    /// The record's key.
    pub key: Option<String>,
    /// The record's value, which is one line.
    pub value: String,
}

/// A running broker. It ends when dropped.
#[derive(Debug)]
pub struct TestBroker {
    _running: RunningProgram,
    folder: TempDir,
    records: Receiver<String>,
    with_tls: u16,
    without_tls: u16,
}

impl TestBroker {
    /// Starts a broker with topics, each with its number of partitions. Returns `None` without a Java that can run it.
    ///
    /// # Errors
    /// It does not start, its jars cannot be downloaded, or there is no Java and `CI` is set.
    pub fn start(topics: &[(&str, u32)]) -> anyhow::Result<Option<Self>> {
        let Some(java) = Java::find(JAVA_MIN, BROKER.name)? else { return Ok(None) };
        let folder = tempfile::Builder::new().prefix("kontor-kafka-").tempdir()?;
        certify(&java, folder.path())?;
        let [with_tls, without_tls, plain, controller] = ports()?;
        let settings = folder.path().join("server.properties");
        fs_err::write(&settings, properties(folder.path(), [with_tls, without_tls, plain, controller]))?;
        let mut arguments = vec![settings.display().to_string(), plain.to_string()];
        arguments.extend(topics.iter().map(|(name, partitions)| format!("{name}:{partitions}")));
        let (running, mut lines) = BROKER.start(&java, &OPTIONS, folder.path(), &arguments, READY)?;
        let (found, records) = channel();
        std::thread::spawn(move || lines.try_for_each(|line| found.send(line)));
        Ok(Some(Self { _running: running, folder, records, with_tls, without_tls }))
    }

    /// The bootstrap address with TLS; its certificate is that of [`certificate`](Self::certificate).
    pub fn with_tls(&self) -> String {
        format!("localhost:{}", self.with_tls)
    }

    /// The bootstrap address without TLS.
    pub fn without_tls(&self) -> String {
        format!("SASL_PLAINTEXT://127.0.0.1:{}", self.without_tls)
    }

    /// The file of the certificate that clients with TLS must trust.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// Waits for the next record of any topic and returns it. Records of one partition come in their order.
    ///
    /// # Errors
    /// No record came in time.
    pub fn next(&self) -> anyhow::Result<ReceivedRecord> {
        let line = self.records.recv_timeout(PATIENCE).map_err(|why| match why {
            RecvTimeoutError::Timeout => anyhow::anyhow!("no record came within {} s", PATIENCE.as_secs()),
            RecvTimeoutError::Disconnected => anyhow::anyhow!("the broker ended"),
        })?;
        let parts: Vec<&str> = line.splitn(4, '\t').collect();
        let [topic, partition, key, value] = parts[..] else { bail!("not a record: {line}") };
        let key = (key != "null").then(|| key.to_owned());
        Ok(ReceivedRecord {
            topic: topic.to_owned(),
            partition: partition.parse()?,
            key,
            value: value.to_owned(),
        })
    }
}

/// Returns four free TCP ports.
fn ports() -> anyhow::Result<[u16; 4]> {
    let mut held = Vec::new();
    let mut ports = [0; 4];
    for port in &mut ports {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

/// Creates a certificate of `localhost`: a key store for the broker, and a file for its clients.
fn certify(java: &Java, folder: &Path) -> anyhow::Result<()> {
    let store = folder.join("keystore.p12");
    let keytool = |arguments: &[&str]| {
        let mut command = Command::new(java.tool("keytool"));
        command.args(arguments).args(["-alias", "broker", "-storepass", PASSWORD, "-keystore"]).arg(&store);
        let run = command.output().context("keytool cannot be run")?;
        ensure!(run.status.success(), "keytool: {}", String::from_utf8_lossy(&run.stdout));
        Ok(())
    };
    let named = "san=dns:localhost,ip:127.0.0.1";
    keytool(&[
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        named,
        "-storetype",
        "PKCS12",
    ])?;
    let certificate = folder.join("certificate.pem").display().to_string();
    keytool(&["-exportcert", "-rfc", "-file", &certificate])
}

/// The broker's configuration file.
fn properties(folder: &Path, [with_tls, without_tls, plain, controller]: [u16; 4]) -> String {
    let at = |protocol: &str, host: &str, port: u16| format!("{protocol}://{host}:{port}");
    let clients = [
        at("SASL_SSL", "localhost", with_tls),
        at("SASL_PLAINTEXT", "127.0.0.1", without_tls),
        at("PLAINTEXT", "127.0.0.1", plain),
    ]
    .join(",");
    let keys = format!(
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_{API_KEY}=\"{API_SECRET}\";"
    );
    let (folder, data) = (folder.display(), folder.join("data"));
    [
        "process.roles=broker,controller".to_owned(),
        "node.id=1".to_owned(),
        format!("controller.quorum.voters=1@127.0.0.1:{controller}"),
        "controller.listener.names=CONTROLLER".to_owned(),
        "inter.broker.listener.name=PLAINTEXT".to_owned(),
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"
            .to_owned(),
        format!("listeners={clients},CONTROLLER://127.0.0.1:{controller}"),
        format!("advertised.listeners={clients}"),
        "sasl.enabled.mechanisms=PLAIN".to_owned(),
        format!("listener.name.sasl_ssl.plain.sasl.jaas.config={keys}"),
        format!("listener.name.sasl_plaintext.plain.sasl.jaas.config={keys}"),
        format!("ssl.keystore.location={folder}/keystore.p12"),
        "ssl.keystore.type=PKCS12".to_owned(),
        format!("ssl.keystore.password={PASSWORD}"),
        format!("log.dirs={}", data.display()),
        "offsets.topic.replication.factor=1".to_owned(),
        "offsets.topic.num.partitions=1".to_owned(),
        "auto.create.topics.enable=false".to_owned(),
    ]
    .join("\n")
}
