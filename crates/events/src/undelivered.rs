//! Why notifications do not arrive, and what that means for a Subscription.

use kontor_outbound::Unanswered;

/// Why a notification was not received. The texts are for people, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undelivered {
    /// It will not be as long as the settings stay as they are.
    Configuration(String),
    /// It may be later.
    Temporary(String),
    /// Nobody is there.
    OutOfReach(String),
    /// The server has no key for it, or none that it may use.
    NoKey(String),
}

impl Undelivered {
    /// The `status` of the Subscription.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Undelivered::Configuration(_) | Undelivered::NoKey(_) => "ConfigurationError",
            Undelivered::Temporary(_) | Undelivered::OutOfReach(_) => "TemporaryError",
        }
    }

    /// Its settings lead nowhere.
    pub(crate) fn unusable() -> Self {
        Undelivered::Configuration("its settings cannot be used".to_owned())
    }

    /// In words.
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
