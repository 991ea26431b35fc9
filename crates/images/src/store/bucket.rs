//! The store of images in an S3 bucket ([`open`]).

use super::StoreError;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, RetryConfig};
use std::time::Duration;

/// Connect timeout of a bucket.
const CONNECT_TIMEOUT: &str = "2 seconds";
/// Timeout of a request to a bucket, with its transfer.
const REQUEST_TIMEOUT: &str = "10 seconds";
/// Maximum number of retries of a request to a bucket.
const RETRIES_MAX: usize = 2;
/// No retries after this time, because a client waits for its upload.
const RETRY_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens `s3://BUCKET/PREFIX` on a server. Fails if the URL is invalid. It does not connect to the server.
pub(super) fn open(server: AmazonS3Builder, url: &str) -> Result<PrefixStore<AmazonS3>, StoreError> {
    let place = url.strip_prefix("s3://").ok_or_else(|| StoreError::Place(url.to_owned()))?;
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    if bucket.is_empty() {
        return Err(StoreError::Place(url.to_owned()));
    }
    // The S3 client uses the process-wide crypto provider; this sets one if none is set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store = server
        .with_bucket_name(bucket)
        .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::ConnectTimeout), CONNECT_TIMEOUT)
        .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), REQUEST_TIMEOUT)
        .with_retry(RetryConfig {
            max_retries: RETRIES_MAX,
            retry_timeout: RETRY_TIMEOUT,
            ..RetryConfig::default()
        })
        .build()?;
    Ok(PrefixStore::new(store, prefix))
}
