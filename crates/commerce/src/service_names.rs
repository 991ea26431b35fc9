//! Validates the names that locate services in destinations of Subscriptions and API Extensions: URLs, ARNs, regions,
//! accounts, hosts. Each is checked against the grammar of its service when it is set, so that a mistake does not first
//! show up as a failed delivery.
//!
//! Source: AWS General Reference ("Amazon Resource Names", names of queues, topics and functions); documentation of
//! Google, "Resource names" of Pub/Sub; documentation of Azure, connection strings of Service Bus; reference types of
//! destinations.

use crate::masked_secrets::HIDDEN;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use url::Url;

/// Longest label of a host name, of which a region is one (RFC 1035).
const LABEL_BYTES_MAX: usize = 63;
/// Longest host name (RFC 1035).
const HOST_BYTES_MAX: usize = 253;
/// Digits of an account of AWS at most. Emulators have accounts with fewer.
const ACCOUNT_DIGITS_MAX: usize = 12;
/// Longest name of a topic, of any service.
const NAME_BYTES_MAX: usize = 256;
/// The suffix of names of SNS topics that preserve the order.
const FIFO: &str = ".fifo";

fn invalid_field(field: &str, value: &str, expected: &str) -> ApiError {
    ApiError::invalid_field(field, &json!(value), expected, None)
}

fn admit(field: &str, value: &str, is_fit: bool, expected: &str) -> ApiResult<()> {
    if is_fit { Ok(()) } else { Err(invalid_field(field, value, expected)) }
}

/// Refuses a text that is no absolute http(s) address with a host and an optional port up to 65535.
pub(crate) fn admit_address(field: &str, url: &str) -> ApiResult<()> {
    admit(field, url, is_address(url), "Expected an absolute http(s) address.")
}

fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    // The parser reads slashes and blanks over that requests cannot have.
    let has_host = rest.is_some_and(|rest| !rest.starts_with(['/', '?', '#', '\\']));
    has_host && url.bytes().all(|byte| byte.is_ascii_graphic()) && Url::parse(url).is_ok()
}

/// Refuses a text that is no AWS region such as `eu-west-1`: it becomes a part of the called host.
pub(crate) fn admit_region(field: &str, region: &str) -> ApiResult<()> {
    admit(field, region, is_label(region), "Expected a region of AWS such as eu-west-1.")
}

/// Refuses a text that is no AWS account.
pub(crate) fn admit_account(field: &str, account: &str) -> ApiResult<()> {
    admit(field, account, is_account(account), "Expected the id of an account of AWS: up to 12 digits.")
}

/// Refuses a text that is no ARN of an SNS topic: `arn:aws:sns:<region>:<account>:<topic>`.
pub(crate) fn admit_topic_arn(field: &str, arn: &str) -> ApiResult<()> {
    let is_topic = |topic: &str| is_word(topic.strip_suffix(FIFO).unwrap_or(topic), "-_");
    let expected = "Expected arn:aws:sns:<region>:<account>:<topic>.";
    admit(field, arn, resource_of(arn, "sns").is_some_and(is_topic), expected)
}

/// Refuses a text that is no ARN of a function: `arn:aws:lambda:<region>:<account>:function:<name>`, optionally
/// followed by an alias or a version.
pub(crate) fn admit_function_arn(field: &str, arn: &str) -> ApiResult<()> {
    let is_function = |function: &str| {
        let Some(function) = function.strip_prefix("function:") else { return false };
        let (name, qualifier) = function.split_once(':').unwrap_or((function, "1"));
        is_word(name, "-_") && is_word(qualifier, "-_$")
    };
    let expected =
        "Expected arn:aws:lambda:<region>:<account>:function:<name>, with :<alias or version> behind or not.";
    admit(field, arn, resource_of(arn, "lambda").is_some_and(is_function), expected)
}

/// Returns the resource in an ARN of a service; `None` if the parts before it are invalid.
fn resource_of<'a>(arn: &'a str, service: &str) -> Option<&'a str> {
    let mut parts = arn.splitn(6, ':');
    let is_fit = parts.next()? == "arn"
        && is_label(parts.next()?)
        && parts.next()? == service
        && is_label(parts.next()?)
        && is_account(parts.next()?);
    parts.next().filter(|_| is_fit)
}

/// Refuses a text that no request header can have, such as the id of a key with a line break in it. Errors do not
/// repeat the text, since it is secret.
pub(crate) fn admit_header(field: &str, value: &str) -> ApiResult<()> {
    let is_fit = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    admit(field, HIDDEN, is_fit, "Expected visible ASCII characters and blanks between them.")
}

/// Refuses a text that is no project or topic of Google Cloud: letters, digits and `-_.~+%:`.
pub(crate) fn admit_google_name(field: &str, name: &str) -> ApiResult<()> {
    let expected = "Expected the name as Google Cloud has it: letters, digits and -_.~+%:.";
    admit(field, name, is_word(name, "-_.~+%:"), expected)
}

/// Refuses a connection string of Azure Service Bus unless its parts have the form `name=value` and its `Endpoint` has
/// a host.
pub(crate) fn admit_connection_string(field: &str, text: &str) -> ApiResult<()> {
    let mut parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    let host = parts.clone().find_map(|part| part.strip_prefix("Endpoint=")).map(|endpoint| {
        let host = endpoint.split_once("://").map_or(endpoint, |(_, host)| host);
        host.trim_end_matches('/')
    });
    let is_fit = parts.all(|part| part.contains('=')) && host.is_some_and(is_authority);
    // The value is a secret, which no error repeats.
    admit(
        field,
        HIDDEN,
        is_fit,
        "Expected Endpoint=sb://<host>/;SharedAccessKeyName=…;SharedAccessKey=…;EntityPath=….",
    )
}

/// Refuses a text that is no list of Kafka servers: `<host>:<port>`, several separated by commas, optionally with
/// `SASL_SSL://` or `SASL_PLAINTEXT://` before the first one.
pub(crate) fn admit_bootstrap_server(field: &str, text: &str) -> ApiResult<()> {
    let servers = text.split_once("://").map_or(text, |(_, servers)| servers);
    let has_port =
        |server: &str| server.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let is_fit = servers.split(',').map(str::trim).all(|server| {
        let server = server.trim_end_matches('/');
        has_port(server) && is_authority(server)
    });
    admit(field, text, is_fit, "Expected <host>:<port>.")
}

/// A host with a port or without.
fn is_authority(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\?#@".contains(&byte));
    is_plain && text.len() <= HOST_BYTES_MAX && is_address(&format!("http://{text}"))
}

fn is_label(text: &str) -> bool {
    let is_edge = |char: char| char == '-';
    text.len() <= LABEL_BYTES_MAX
        && is_word(text, "-")
        && !text.starts_with(is_edge)
        && !text.ends_with(is_edge)
}

fn is_account(text: &str) -> bool {
    !text.is_empty() && text.len() <= ACCOUNT_DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters, digits, and these others.
fn is_word(text: &str, others: &str) -> bool {
    let is_fit = |char: char| char.is_ascii_alphanumeric() || others.contains(char);
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.chars().all(is_fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    type NameValidator = fn(&str, &str) -> ApiResult<()>;

    fn check(admits: NameValidator, fit: &[&str], unfit: &[&str]) {
        for text in fit {
            assert!(admits("f", text).is_ok(), "{text}");
        }
        for text in unfit {
            assert!(admits("f", text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_are_absolute_with_a_host_and_a_port_that_there_is() {
        check(
            admit_address,
            &[
                "https://a.b/c?d",
                "http://127.0.0.1:80",
                "http://[::1]:9/x",
                "http://my_host/",
                "https://user:word@a.b",
            ],
            &[
                "",
                "ftp://a",
                "https://",
                "https:///path",
                "http://a b",
                "a.b",
                "http://a:99999/x",
                "http://[::1%25lo]/",
                "http://[]/",
                "http://[::1/",
                "http://a:b/",
                "http://\\a",
                "http://a/\u{0}",
                "http://a<b/",
            ],
        );
    }

    #[test]
    fn names_of_aws_follow_its_grammar() {
        check(
            admit_topic_arn,
            &["arn:aws:sns:eu-west-1:1:topic", "arn:aws-cn:sns:cn-north-1:123456789012:a_b-c.fifo"],
            &[
                "",
                "topic",
                "arn:aws:sns:1.2.3.4/:1:topic",
                "arn:aws:sqs:eu-west-1:1:topic",
                "arn:aws:sns::1:topic",
                "arn:aws:sns:eu-west-1:x:topic",
                "arn:aws:sns:eu-west-1:1:",
                "arn:aws:sns:eu-west-1:1:a/b",
                "arn:aws:sns:eu-west-1:1:a:b",
                "arn:aws:sns:eu west:1:t",
                "arn:aws:sns:-a:1:t",
            ],
        );
        check(
            admit_function_arn,
            &[
                "arn:aws:lambda:eu-west-1:1:function:f",
                "arn:aws:lambda:eu-west-1:123456789012:function:f:$LATEST",
                "arn:aws:lambda:eu-west-1:123456789012:function:f:live_2",
            ],
            &[
                "f",
                "arn:aws:lambda:1.2.3.4/:1:function:f",
                "arn:aws:lambda:eu-west-1:1:f",
                "arn:aws:lambda:eu-west-1:1:function:",
                "arn:aws:lambda:eu-west-1:1:function:f:",
                "arn:aws:lambda:eu-west-1:1:function:f/../g",
                "arn:aws:lambda:eu-west-1:1:function:f:1:2",
            ],
        );
        check(admit_region, &["eu-west-1", "us-gov-east-1"], &["", "1.2.3.4/", "eu west", "a@b", "-a", "é"]);
        check(admit_account, &["1", "123456789012"], &["", "1234567890123", "12x", "-1"]);
        check(admit_header, &["AKIAIOSFODNN7EXAMPLE", "Bearer a"], &["A\nB", "A\u{0}B", "é"]);
    }

    #[test]
    fn names_of_other_services_follow_theirs() {
        check(admit_google_name, &["p", "p-1", "example.com:p"], &["", "a/b", "a b", "é"]);
        check(
            admit_bootstrap_server,
            &["a.eu.confluent.cloud:9092", "SASL_PLAINTEXT://127.0.0.1:1", "a:1, b:2", "[::1]:9"],
            &["", "a", "a:99999", ":1", "a:1,,b:2", "a/b:1", "u@a:1", "a b:1"],
        );
        check(
            admit_connection_string,
            &[
                "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=abc=;EntityPath=orders",
            ],
            &[
                "",
                "Endpoint=sb:///;EntityPath=q",
                "SharedAccessKey=a",
                "Endpoint=sb://a b/",
                "Endpoint=sb://a/x/y;",
                "Endpoint=sb://a/;x",
            ],
        );
    }
}
