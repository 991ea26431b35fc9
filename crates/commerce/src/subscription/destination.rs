//! Validates the destination of a Subscription, and masks its secrets, which are stored outside of the document.

use super::name_of;
use crate::masked_secrets::{HIDDEN, SecretField, end_of};
use crate::service_names::{
    admit_account, admit_address, admit_bootstrap_server, admit_connection_string, admit_google_name,
    admit_header, admit_region, admit_topic_arn,
};
use kontor_engine::document::{has_enum, must_enum, must_text, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::{AwsAuthenticationMode, DestinationTag};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(super) const SECRETS: SecretField =
    SecretField { type_id: super::SUBSCRIPTION, field: DESTINATION, shown: mask_secret };

const DESTINATION: &str = "destination";
/// The part of a connection string that is secret.
const SHARED_KEY: &str = "SharedAccessKey=";

/// Checks a new destination, and masks its secrets in the document.
pub(super) fn settle(
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let project = must_text(rules.project, &["key"])?.to_owned();
    let name = name_of(after).to_owned();
    let format = must_text(after, &["format", "type"])?.to_owned();
    let is_new = before.is_none_or(|before| before.get(DESTINATION) != after.get(DESTINATION));
    let Some(Value::Object(destination)) = after.get_mut(DESTINATION).filter(|_| is_new) else {
        return Ok(());
    };
    admit_names(destination)?;
    match must_enum(destination, &["type"])? {
        DestinationTag::EventBridge => {
            let old = before.and_then(|before| text(before, &[DESTINATION, "source"]));
            let source = old.map_or_else(|| format!("kontor/{project}/{name}"), str::to_owned);
            destination.insert("source", json!(source));
        }
        DestinationTag::EventGrid if format != "CloudEvents" => {
            return Err(ApiError::invalid_input(
                "Azure Event Grid takes deliveries in the format CloudEvents only: set 'format' to {\"type\": \
                 \"CloudEvents\", \"cloudEventsVersion\": \"1.0\"}.",
            ));
        }
        DestinationTag::Sns | DestinationTag::Sqs => admit_credentials(destination)?,
        DestinationTag::EventGrid
        | DestinationTag::AzureServiceBus
        | DestinationTag::ConfluentCloud
        | DestinationTag::GoogleCloudPubSub
        | DestinationTag::Http => {}
    }
    SECRETS.store_separately(before, after, rules.model, effects)?;
    Ok(())
}

/// Refuses names that no service can have.
fn admit_names(destination: &Document) -> ApiResult<()> {
    let admit = |name: &str, admits: fn(&str, &str) -> ApiResult<()>| match text(destination, &[name]) {
        Some(text) => admits(&format!("destination.{name}"), text),
        None => Ok(()),
    };
    admit("accessKey", admit_header)?;
    match must_enum(destination, &["type"])? {
        DestinationTag::Http => admit("url", admit_address),
        DestinationTag::EventGrid => admit("uri", admit_address),
        DestinationTag::Sqs => admit("queueUrl", admit_address).and_then(|()| admit("region", admit_region)),
        DestinationTag::Sns => admit("topicArn", admit_topic_arn),
        DestinationTag::EventBridge => {
            admit("region", admit_region).and_then(|()| admit("accountId", admit_account))
        }
        DestinationTag::GoogleCloudPubSub => {
            admit("projectId", admit_google_name).and_then(|()| admit("topic", admit_google_name))
        }
        DestinationTag::ConfluentCloud => admit("bootstrapServer", admit_bootstrap_server),
        DestinationTag::AzureServiceBus => match text(destination, &["connectionString"]) {
            // A masked connection string is refused with a separate message.
            Some(masked) if masked.contains(HIDDEN) => Ok(()),
            _ => admit("connectionString", admit_connection_string),
        },
    }
}

/// Checks that both key and secret are sent, unless the authentication mode needs neither.
fn admit_credentials(destination: &mut Document) -> ApiResult<()> {
    for name in ["accessKey", "accessSecret"] {
        if has_enum(destination, &["authenticationMode"], AwsAuthenticationMode::Iam) {
            destination.shift_remove(name);
        } else if text(destination, &[name]).is_none_or(str::is_empty) {
            return Err(ApiError::required_field(&format!("destination.{name}")));
        }
    }
    Ok(())
}

/// Returns the masked form: of a connection string everything except its key, of other secrets the last characters.
fn mask_secret(secret: &str) -> String {
    let part = |part: &str| match part.strip_prefix(SHARED_KEY) {
        Some(key) => format!("{SHARED_KEY}{}", end_of(key)),
        None => part.to_owned(),
    };
    if secret.contains(SHARED_KEY) {
        return secret.split(';').map(part).collect::<Vec<_>>().join(";");
    }
    end_of(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_connection_string_the_key_alone_is_secret() {
        assert_eq!(
            mask_secret("Endpoint=sb://a.b/;SharedAccessKeyName=send;SharedAccessKey=abcdefgh1234="),
            "Endpoint=sb://a.b/;SharedAccessKeyName=send;SharedAccessKey=****234="
        );
        assert_eq!(mask_secret("abcdefgh1234"), "****1234");
    }
}
