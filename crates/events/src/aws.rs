//! The services of AWS: queues (SQS), topics (SNS), buses (EventBridge) and functions (Lambda), each by one signed
//! request.
//!
//! The destination contains the access key; with `IAM`, and if it contains none, the server uses its own key, from the
//! environment, the container or the machine, like all AWS clients. The endpoint follows from the region, or for tests
//! from the variables `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_SQS` etc. A queue has a URL of its own.
//!
//! Source: API references of AWS, "Signature Version 4", "Service-specific endpoints"; reference types
//! `SqsDestination`, `SnsDestination`, `EventBridgeDestination`, `AWSLambdaDestination`.

use crate::payload::Payload;
use crate::percent::encoded;
use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use kontor_json::{Value, json};
use kontor_outbound::OutboundRequest;
use object_store::aws::{AmazonS3Builder, AwsAuthorizer, AwsCredential, AwsCredentialProvider};
use object_store::client::HttpRequestBody;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use url::Url;

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// Separates the parts of an ARN.
const ARN_SEPARATOR: char = ':';

/// A request to a service before it is signed.
pub(crate) struct UnsignedAwsRequest {
    service: &'static str,
    region: String,
    /// The URL of the service.
    endpoint: String,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// Why a request cannot be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AwsSigningError {
    /// The settings of the destination are incomplete or invalid.
    Unusable,
    /// The server has no key of its own.
    NoKey,
    /// The configuration does not allow the server's own key for this destination.
    NotAllowed,
}

/// Builds the request that invokes a Lambda function with a body; the response is that of the function.
pub(crate) async fn invocation(
    destination: &Value,
    body: &Value,
    own: bool,
    timeout: Duration,
    response_bytes_max: usize,
) -> Result<OutboundRequest, AwsSigningError> {
    let arn = destination["arn"].as_str().ok_or(AwsSigningError::Unusable)?;
    let region = region_of(arn).ok_or(AwsSigningError::Unusable)?;
    let endpoint = endpoint("lambda", "LAMBDA", &region);
    let path = format!("/2015-03-31/functions/{}/invocations", encoded(arn));
    let call = UnsignedAwsRequest {
        service: "lambda",
        region,
        endpoint,
        path,
        headers: json_of(None),
        body: body.to_string().into(),
    };
    sign(destination, Some(call), own, timeout, response_bytes_max).await
}

/// Builds the request that sends a payload to a queue of SQS; `None` if the destination is invalid.
pub(crate) fn queue(destination: &Value, payload: &Payload) -> Option<UnsignedAwsRequest> {
    let (url, region) = (destination["queueUrl"].as_str()?, destination["region"].as_str()?);
    let uri: Uri = url.parse().ok()?;
    let endpoint = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
    let body = json!({"QueueUrl": url, "MessageBody": text_of(payload)});
    Some(UnsignedAwsRequest {
        service: "sqs",
        region: region.to_owned(),
        endpoint,
        path: "/".to_owned(),
        headers: json_of(Some("AmazonSQS.SendMessage")),
        body: body.to_string().into(),
    })
}

/// Builds the request that publishes a payload to a topic of SNS; `None` if the destination is invalid.
pub(crate) fn topic(destination: &Value, payload: &Payload) -> Option<UnsignedAwsRequest> {
    let arn = destination["topicArn"].as_str()?;
    let region = region_of(arn)?;
    let fields =
        [("Action", "Publish"), ("Version", "2010-03-31"), ("TopicArn", arn), ("Message", &text_of(payload))];
    let form = fields.map(|(name, value)| format!("{name}={}", encoded(value)));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    let endpoint = endpoint("sns", "SNS", &region);
    Some(UnsignedAwsRequest {
        service: "sns",
        region,
        endpoint,
        path: "/".to_owned(),
        headers,
        body: form.join("&").into(),
    })
}

/// Builds the request that sends a payload to an event bus of EventBridge; `None` if the destination is invalid.
pub(crate) fn event_bus(destination: &Value, payload: &Payload) -> Option<UnsignedAwsRequest> {
    let of = |name: &str| destination[name].as_str();
    let (region, account, source) = (of("region")?, of("accountId")?, of("source")?);
    let body = json!({"Entries": [{
        "Source": source,
        "DetailType": payload.subject,
        "Detail": text_of(payload),
        "EventBusName": format!("arn:aws:events:{region}:{account}:event-bus/default"),
    }]});
    Some(UnsignedAwsRequest {
        service: "events",
        region: region.to_owned(),
        endpoint: endpoint("events", "EVENTBRIDGE", region),
        path: "/".to_owned(),
        headers: json_of(Some("AWSEvents.PutEvents")),
        body: body.to_string().into(),
    })
}

/// Returns whether a response of EventBridge with status 200 reports entries that the service did not accept.
pub(crate) fn has_failed_entries(response: &[u8]) -> bool {
    kontor_json::from_slice::<Value>(response).is_ok_and(|response| response["FailedEntryCount"] != json!(0))
}

/// Whether the only reason of a refusal is a rate limit of the service.
pub(crate) fn is_throttled(response: &[u8]) -> bool {
    String::from_utf8_lossy(response).contains("Throttl")
}

fn text_of(payload: &Payload) -> String {
    String::from_utf8_lossy(&payload.body).into_owned()
}

fn region_of(arn: &str) -> Option<String> {
    arn.split(ARN_SEPARATOR).nth(3).filter(|region| !region.is_empty()).map(str::to_owned)
}

fn json_of(target: Option<&'static str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let version = if target.is_some_and(|target| target.starts_with("AmazonSQS")) { "1.0" } else { "1.1" };
    let content_type = match target {
        Some(_) => HeaderValue::try_from(format!("application/x-amz-json-{version}")),
        None => HeaderValue::try_from("application/json"),
    };
    headers.extend(content_type.ok().map(|content_type| (CONTENT_TYPE, content_type)));
    headers.extend(target.map(|target| (TARGET, HeaderValue::from_static(target))));
    headers
}

/// Returns the URL of a service: that of the environment, or the one of its region.
fn endpoint(service: &str, name: &str, region: &str) -> String {
    let said = |name: &str| std::env::var(name).ok().filter(|url| !url.is_empty());
    let said = said(&format!("AWS_ENDPOINT_URL_{name}")).or_else(|| said("AWS_ENDPOINT_URL"));
    match said {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => format!("https://{service}.{region}.amazonaws.com"),
    }
}

/// Signs the request to a destination; `None` is reported as [`AwsSigningError::Unusable`]. `own`: whether the server's
/// own key may sign it.
pub(crate) async fn sign(
    destination: &Value,
    call: Option<UnsignedAwsRequest>,
    own: bool,
    timeout: Duration,
    response_bytes_max: usize,
) -> Result<OutboundRequest, AwsSigningError> {
    let call = call.ok_or(AwsSigningError::Unusable)?;
    let key = tokio::time::timeout(timeout, key_of(destination, own))
        .await
        .map_err(|_| AwsSigningError::NoKey)??;
    let url = format!("{}{}", call.endpoint, call.path);
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(&url)
        .body(HttpRequestBody::from(call.body.clone()))
        .map_err(|_| AwsSigningError::Unusable)?;
    if !can_be_signed(&request.uri().to_string(), &key, &call.region) {
        return Err(AwsSigningError::Unusable);
    }
    *request.headers_mut() = call.headers;
    AwsAuthorizer::new(&key, call.service, &call.region)
        .try_authorize(&mut request, None)
        .map_err(|_| AwsSigningError::Unusable)?;
    let headers = request.headers().iter().map(|(name, value)| (name.clone(), value.clone()));
    Ok(OutboundRequest { url, headers: headers.collect(), body: call.body, timeout, response_bytes_max })
}

/// Whether the signing library accepts a request: it panics if its parser cannot read the address, or if the other
/// texts are no valid header values. Settings stored by an older release may be invalid.
fn can_be_signed(url: &str, key: &AwsCredential, region: &str) -> bool {
    let is_header = |text: &str| HeaderValue::from_str(text).is_ok();
    let has_host = Url::parse(url).is_ok_and(|url| url.has_host());
    has_host && is_header(&key.key_id) && is_header(region) && key.token.as_deref().is_none_or(is_header)
}

/// Returns the key of a destination, or the server's own.
async fn key_of(destination: &Value, own: bool) -> Result<Arc<AwsCredential>, AwsSigningError> {
    let given = |field: &str| destination[field].as_str().filter(|text| !text.is_empty());
    if let (Some(id), Some(secret)) = (given("accessKey"), given("accessSecret")) {
        return Ok(Arc::new(AwsCredential {
            key_id: id.to_owned(),
            secret_key: secret.to_owned(),
            token: None,
        }));
    }
    if !own {
        return Err(AwsSigningError::NotAllowed);
    }
    let own = own_keys().ok_or(AwsSigningError::NoKey)?;
    own.get_credential().await.map_err(|error| {
        tracing::warn!(%error, "the server has no key for AWS");
        AwsSigningError::NoKey
    })
}

/// Returns the provider of the server's own key, if there is one.
fn own_keys() -> Option<AwsCredentialProvider> {
    static OWN: OnceLock<Option<AwsCredentialProvider>> = OnceLock::new();
    let find = || {
        // The HTTP client of the credential provider needs a process-wide TLS provider; one may be installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // Nothing is stored: the bucket client is used because it finds keys like all AWS clients.
        let found = AmazonS3Builder::from_env().with_bucket_name("none").build();
        found.ok().map(|found| Arc::clone(found.credentials()))
    };
    OWN.get_or_init(find).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_engine::document::enum_in_or_log;
    use kontor_enums::DestinationTag;
    use proptest::prelude::*;

    fn payload() -> Payload {
        Payload {
            body: "{}".into(),
            is_cloud_event: false,
            subject: "order.change.ResourceCreated".to_owned(),
            about: "o-1".to_owned(),
        }
    }

    fn outgoing(destination: Value) -> Result<OutboundRequest, AwsSigningError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let payload = payload();
        let call = match enum_in_or_log(&destination, "type") {
            Some(DestinationTag::Sqs) => queue(&destination, &payload),
            Some(DestinationTag::Sns) => topic(&destination, &payload),
            _ => event_bus(&destination, &payload),
        };
        runtime.block_on(sign(&destination, call, false, Duration::from_secs(1), 1))
    }

    fn header<'a>(outgoing: &'a OutboundRequest, name: &str) -> &'a str {
        let found = outgoing.headers.iter().find(|(header, _)| header.as_str() == name);
        found.map(|(_, value)| value.to_str().unwrap()).unwrap_or_default()
    }

    #[test]
    fn sends_to_the_url_of_a_queue() {
        let outgoing = outgoing(json!({
            "type": "SQS", "queueUrl": "http://127.0.0.1:5000/1/orders", "region": "eu-west-1", "accessKey": "AKIA",
            "accessSecret": "secret",
        }))
        .unwrap();
        assert_eq!(outgoing.url, "http://127.0.0.1:5000/");
        assert_eq!(header(&outgoing, "x-amz-target"), "AmazonSQS.SendMessage");
        let signature = header(&outgoing, "authorization");
        assert!(signature.starts_with("AWS4-HMAC-SHA256 Credential=AKIA/"), "{signature}");
        assert!(signature.contains("/eu-west-1/sqs/aws4_request"), "{signature}");
    }

    #[test]
    fn the_servers_own_key_signs_only_where_it_may() {
        let queue = json!({"type": "SQS", "queueUrl": "http://127.0.0.1/1/q", "region": "eu-west-1"});
        assert_eq!(outgoing(queue).unwrap_err(), AwsSigningError::NotAllowed);
    }

    #[test]
    fn a_topic_is_in_the_region_of_its_name() {
        let destination = json!({
            "type": "SNS", "topicArn": "arn:aws:sns:eu-central-1:1:topic", "accessKey": "AKIA", "accessSecret": "secret",
        });
        assert!(header(&outgoing(destination).unwrap(), "authorization").contains("/eu-central-1/sns/"));
        let unusable =
            json!({"type": "SNS", "topicArn": "topic", "accessKey": "AKIA", "accessSecret": "secret"});
        assert_eq!(outgoing(unusable).unwrap_err(), AwsSigningError::Unusable);
    }

    proptest! {
        /// Settings stored by an older release may be anything: invalid ones are reported as unusable, without a panic.
        #[test]
        fn no_setting_makes_the_signature_panic(
            place in weird_place(),
            region in weird(),
            account in weird(),
            key in weird(),
        ) {
            let keys = |mut destination: Value| {
                destination["accessKey"] = json!(key);
                destination["accessSecret"] = json!("secret");
                destination
            };
            let arn = format!("arn:aws:sns:{region}:{account}:t");
            for destination in [
                keys(json!({"type": "SQS", "queueUrl": place, "region": region})),
                keys(json!({"type": "SNS", "topicArn": arn})),
                keys(json!({"type": "EventBridge", "region": region, "accountId": account, "source": account})),
            ] {
                if let Ok(outgoing) = outgoing(destination) {
                    prop_assert!(Url::parse(&outgoing.url).is_ok());
                }
            }
            let function = keys(json!({"type": "AWSLambda", "arn": arn.replace("sns", "lambda")}));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let question = json!({});
            let requested = invocation(&function, &question, false, Duration::from_secs(1), 1);
            let _ = runtime.block_on(requested);
        }
    }

    fn weird() -> impl Strategy<Value = String> {
        prop_oneof!["eu-west-1", "[a-z0-9./:@%\\[\\]#? -]{0,12}", "\\PC{0,8}", "[\x00-\x7f]{0,8}"]
    }

    fn weird_place() -> impl Strategy<Value = String> {
        let known = prop::sample::select(vec![
            "http://a:99999/x",
            "http://[::1%25lo]/",
            "http://[]/",
            "http://[::1]:1/q",
            "https://a.b/1/q",
            "http://@/",
            "//a",
        ]);
        prop_oneof![
            known.prop_map(str::to_owned),
            weird().prop_map(|rest| format!("http://{rest}/q")),
            weird()
        ]
    }
}
