//! The address of the server, and connection options.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use percent_encoding::percent_decode_str;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres::config::{Config, Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Default of the maximum number of connections of a process.
pub const CONNECTIONS_DEFAULT: usize = 16;

/// Timeout of establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time that sent data may be unacknowledged.
const UNANSWERED_MAX: Duration = Duration::from_secs(10);
/// Time without data after which a keepalive is sent.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// The error of an invalid URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlError(String);

impl std::fmt::Display for UrlError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UrlError {}

/// When the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    /// To other machines, but not to this one.
    Usual,
    /// Never.
    Off,
    /// Always; the certificate of the server is checked.
    On,
}

/// The server and the options of its connections.
#[derive(Clone)]
pub struct DatabaseOptions {
    config: Config,
    encryption: Encryption,
    trusted: Option<PathBuf>,
    /// Maximum number of connections of this process.
    pub connections: usize,
    /// Minimum number of newest entries in the change log of each shop. There may be a few thousand more.
    pub changes_kept: u64,
}

impl std::fmt::Debug for DatabaseOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the password.
        formatter.debug_struct("DatabaseOptions").field("server", &self.server()).finish_non_exhaustive()
    }
}

impl FromStr for DatabaseOptions {
    type Err = UrlError;

    /// Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`, with the parameters of libpq. `sslmode=disable`
    /// turns encryption off; `require`, `verify-ca` and `verify-full` turn it on. The certificate is always checked,
    /// against those of the machine or of the file `sslrootcert`. Without a mode, connections to other machines are
    /// encrypted.
    fn from_str(url: &str) -> Result<Self, UrlError> {
        if !Self::is_url(url) {
            return Err(UrlError("the URL of the database has to begin with postgres://".into()));
        }
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut encryption, mut trusted, mut others) = (Encryption::Usual, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name {
                "sslmode" => {
                    encryption = match value {
                        "disable" => Encryption::Off,
                        "prefer" | "allow" => Encryption::Usual,
                        "require" | "verify-ca" | "verify-full" => Encryption::On,
                        other => {
                            let what = "expected disable, require, verify-ca or verify-full";
                            return Err(UrlError(format!("sslmode={other}: {what}")));
                        }
                    };
                }
                "sslrootcert" => {
                    let path = percent_decode_str(value).decode_utf8_lossy().into_owned();
                    trusted = Some(PathBuf::from(path));
                }
                _ => others.push(parameter),
            }
        }
        let joined = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
        let mut config = Config::from_str(&format!("{address}{joined}"))
            .map_err(|error| UrlError(format!("the URL of the database cannot be read: {error}")))?;
        if config.get_hosts().is_empty() {
            return Err(UrlError("the URL of the database names no host".into()));
        }
        config.connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(UNANSWERED_MAX).keepalives_idle(KEEPALIVE);
        if config.get_application_name().is_none() {
            config.application_name("kontor");
        }
        let connections = CONNECTIONS_DEFAULT;
        let changes_kept = kontor_storage::sqlite::CHANGES_KEPT_DEFAULT;
        Ok(DatabaseOptions { config, encryption, trusted, connections, changes_kept })
    }
}

impl DatabaseOptions {
    /// Returns whether a text looks like the URL of a database.
    pub fn is_url(text: &str) -> bool {
        ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// Returns the server and the database for messages, without the password.
    pub fn server(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts = hosts.collect::<Vec<_>>().join(",");
        match self.config.get_dbname() {
            Some(name) => format!("{hosts}/{name}"),
            None => hosts,
        }
    }

    /// Returns the configuration of connections.
    pub(crate) fn config(&self) -> Config {
        let mut config = self.config.clone();
        let is_here = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => {
                name == "localhost"
                    || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
            }
        };
        let is_encrypted = match self.encryption {
            Encryption::Off => false,
            Encryption::On => true,
            Encryption::Usual => !config.get_hosts().iter().all(is_here),
        };
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        config
    }

    /// Returns the TLS configuration with the trusted certificates.
    pub(crate) fn tls(&self) -> Result<MakeRustlsConnect, UrlError> {
        let mut roots = RootCertStore::empty();
        match &self.trusted {
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Some(path) => {
                let failed = |error: &dyn std::fmt::Display| {
                    UrlError(format!("sslrootcert={} cannot be used: {error}", path.display()))
                };
                let certificates = CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| failed(&error))?;
                    roots.add(certificate).map_err(|error| failed(&error))?;
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| UrlError(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ssl_mode(url: &str) -> SslMode {
        url.parse::<DatabaseOptions>().unwrap().config().get_ssl_mode()
    }

    #[test]
    fn connections_to_other_machines_are_encrypted() {
        assert_eq!(ssl_mode("postgres://kontor@db.example/kontor"), SslMode::Require);
        assert_eq!(ssl_mode("postgres://kontor@127.0.0.1/kontor"), SslMode::Disable);
        assert_eq!(ssl_mode("postgres://kontor@localhost/kontor?sslmode=verify-full"), SslMode::Require);
        assert_eq!(ssl_mode("postgresql://db/kontor?sslmode=disable&connect_timeout=3"), SslMode::Disable);
    }

    #[test]
    fn reports_invalid_urls() {
        let message = |url: &str| url.parse::<DatabaseOptions>().unwrap_err().to_string();
        assert!(message("mysql://db/kontor").contains("postgres://"));
        assert!(message("postgres://db/kontor?sslmode=maybe").contains("sslmode=maybe"));
        assert!(message("postgres://db/kontor?nonsense=1").contains("cannot be read"));
        let options: DatabaseOptions = "postgres://db/kontor?sslrootcert=/nowhere".parse().unwrap();
        assert!(options.tls().err().unwrap().to_string().contains("/nowhere"));
    }

    #[test]
    fn passwords_are_not_printed() {
        let options: DatabaseOptions = "postgres://kontor:secret@db:5432/shops".parse().unwrap();
        assert_eq!(options.server(), "db/shops");
        assert!(!format!("{options:?}").contains("secret"));
    }
}
