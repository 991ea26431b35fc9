//! [`Undelivered`]: why a notification was not delivered, and the status of the Subscription that follows from it.

use kontor_outbound::Unanswered;

/// Why a notification was not delivered. The texts are for log and error messages, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undelivered {
    /// The settings are wrong: a retry fails until they are changed.
    Configuration(String),
    /// A retry may succeed.
    Temporary(String),
    /// The destination could not be reached.
    OutOfReach(String),
    /// The server has no key for the destination, or is not allowed to use it.
    NoKey(String),
}

impl Undelivered {
    /// Returns the `status` of the Subscription.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Undelivered::Configuration(_) | Undelivered::NoKey(_) => "ConfigurationError",
            Undelivered::Temporary(_) | Undelivered::OutOfReach(_) => "TemporaryError",
        }
    }

    /// The settings are invalid.
    pub(crate) fn unusable() -> Self {
        Undelivered::Configuration("its settings cannot be used".to_owned())
    }

    /// Returns the reason as a text.
    pub(crate) fn why(&self) -> &str {
        match self {
            Undelivered::Configuration(why)
            | Undelivered::Temporary(why)
            | Undelivered::OutOfReach(why)
            | Undelivered::NoKey(why) => why,
        }
    }
}

impl From<Unanswered> for Undelivered {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::NotAllowed => Undelivered::Configuration(
                "it is at an address of this machine or of a private network, which --allow-private-destinations would \
                 allow, or at none"
                    .to_owned(),
            ),
            Unanswered::OutOfReach(_) => Undelivered::OutOfReach("it is out of reach".to_owned()),
            Unanswered::Closed(_) => {
                Undelivered::OutOfReach("it closed the connection without an answer".to_owned())
            }
            Unanswered::TooLate => Undelivered::OutOfReach("it did not answer in time".to_owned()),
            Unanswered::Broken => Undelivered::Temporary("its answer broke off".to_owned()),
        }
    }
}
