//! Names and types of the official schema that do not follow the conventions, for Subscriptions and API Extensions.
//! [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[KindNames { kind: "Subscription", object: Some("CommercetoolsSubscription"), ..NO_EXCEPTION }],
    not_expandable: &["Subscription"],
    output_names: &[
        ("AuthorizationHeaderAuthentication", "AuthorizationHeader"),
        ("AzureEventGridDestination", "EventGridDestination"),
        ("CloudEventsFormat", "CloudEventsSubscriptionsFormat"),
        ("DeliveryFormat", "NotificationFormat"),
        ("ExtensionAction", "ActionType"),
        ("ExtensionTrigger", "Trigger"),
        ("SnsDestination", "SNSDestination"),
        ("SqsDestination", "SQSDestination"),
    ],
    input_names: &[
        ("AuthorizationHeaderAuthentication", "AuthorizationHeaderInput"),
        ("AzureEventGridDestination", "EventGridDestinationInput"),
        ("CloudEventsFormat", "CloudEventsSubscriptionsFormatInput"),
        ("DeliveryFormat", "SubscriptionFormatInput"),
        ("DestinationDraft", "DestinationInput"),
        ("EventBridgeDestinationDraft", "EventBridgeDestinationInput"),
        ("EventSubscriptionDraft", "EventSubscriptionInput"),
        ("ExtensionAdditionalContextDraft", "ExtensionAdditionalContextInput"),
        ("ExtensionTrigger", "TriggerInput"),
        ("MessageSubscriptionDraft", "MessageSubscriptionInput"),
        ("SnsDestinationDraft", "SNSDestinationInput"),
        ("SqsDestinationDraft", "SQSDestinationInput"),
    ],
    hidden: &[("Extension", "dependencies")],
    retyped: &[("CommercetoolsSubscription", "events", "[EventSubscription!]", None)],
    retyped_inputs: &[
        ("SNSDestinationInput", "authenticationMode", "AwsAuthenticationMode = Credentials"),
        ("SQSDestinationInput", "authenticationMode", "AwsAuthenticationMode = Credentials"),
        ("SetSubscriptionChanges", "changes", "[ChangeSubscriptionInput!]!"),
        ("SetSubscriptionEvents", "events", "[EventSubscriptionInput!]!"),
        ("SetSubscriptionMessages", "messages", "[MessageSubscriptionInput!]!"),
        ("TriggerInput", "actions", "[ActionType!]"),
    ],
    extra: &[("Extension", "dependenciesRef", &[], "[Reference!]!", ExtraSource::Stored("dependencies"))],
    text_enums: &["EventType"],
    ..ExceptionArea::NONE
};
