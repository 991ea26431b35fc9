//! [`DeliveryFailure`]: why a notification was not delivered, and the status of the Subscription that follows from it.

use kontor_enums::SubscriptionHealthStatus;
use kontor_outbound::OutboundError;

/// Why a notification was not delivered. The texts are for log and error messages, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeliveryFailure {
    /// The settings are wrong: a retry fails until they are changed.
    Configuration(String),
    /// A retry may succeed.
    Temporary(String),
    /// The destination could not be reached.
    Unreachable(String),
    /// The server has no key for the destination, or is not allowed to use it.
    NoKey(String),
}

impl DeliveryFailure {
    /// Returns the `status` of the Subscription.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            DeliveryFailure::Configuration(_) | DeliveryFailure::NoKey(_) => {
                SubscriptionHealthStatus::ConfigurationError.as_str()
            }
            DeliveryFailure::Temporary(_) | DeliveryFailure::Unreachable(_) => {
                SubscriptionHealthStatus::TemporaryError.as_str()
            }
        }
    }

    /// The settings are invalid.
    pub(crate) fn unusable() -> Self {
        DeliveryFailure::Configuration("its settings cannot be used".to_owned())
    }

    /// Returns the reason as a text.
    pub(crate) fn reason(&self) -> &str {
        match self {
            DeliveryFailure::Configuration(why)
            | DeliveryFailure::Temporary(why)
            | DeliveryFailure::Unreachable(why)
            | DeliveryFailure::NoKey(why) => why,
        }
    }
}

impl From<OutboundError> for DeliveryFailure {
    fn from(why: OutboundError) -> Self {
        match why {
            OutboundError::NotAllowed => DeliveryFailure::Configuration(
                "it is at an address of this machine or of a private network, which --allow-private-destinations would \
                 allow, or at none"
                    .to_owned(),
            ),
            OutboundError::Unreachable(_) => DeliveryFailure::Unreachable("it cannot be reached".to_owned()),
            OutboundError::Closed(_) => {
                DeliveryFailure::Unreachable("it closed the connection without a response".to_owned())
            }
            OutboundError::TimedOut => DeliveryFailure::Unreachable("it did not respond in time".to_owned()),
            OutboundError::InvalidResponse => DeliveryFailure::Temporary("its response was incomplete".to_owned()),
        }
    }
}
