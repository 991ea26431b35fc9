//! The person on whose behalf a token acts, and its representation in scopes.
//!
//! Source: document A, "Authentication". It writes the word in one way for responses (`anonymous_id=<id>`,
//! `customer:{id}`) and in another for external tokens (`anonymous_id:{id}`, `customer_id:{id}`), which is
//! also that of the public documentation. Responses contain both forms, and each is accepted.

/// The person or client on whose behalf a token acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSubject {
    /// The client itself (client credentials).
    Client,
    /// A Customer who gave the password.
    Customer {
        /// The id of the Customer.
        id: String,
    },
    /// A visitor without an account.
    Anonymous {
        /// The id of the session.
        id: String,
    },
}

impl TokenSubject {
    /// Returns the words among the scopes that name a Customer or a session, one in each form.
    pub fn scope_words(&self) -> Option<String> {
        match self {
            TokenSubject::Client => None,
            TokenSubject::Customer { id } => Some(format!("customer_id:{id} customer:{id}")),
            TokenSubject::Anonymous { id } => Some(format!("anonymous_id:{id} anonymous_id={id}")),
        }
    }

    /// Parses such a word; `None` for every other word.
    pub fn from_scope_word(word: &str) -> Option<Self> {
        let (name, id) = word.split_once([':', '='])?;
        let id = Some(id).filter(|id| !id.is_empty())?.to_owned();
        match name {
            "customer_id" | "customer" => Some(TokenSubject::Customer { id }),
            "anonymous_id" => Some(TokenSubject::Anonymous { id }),
            _ => None,
        }
    }

    /// Returns the two columns of a row: the id of the Customer and that of the session.
    pub(crate) fn into_columns(self) -> (Option<String>, Option<String>) {
        match self {
            TokenSubject::Client => (None, None),
            TokenSubject::Customer { id } => (Some(id), None),
            TokenSubject::Anonymous { id } => (None, Some(id)),
        }
    }

    /// Reads the two columns of a row.
    pub(crate) fn from_columns(customer_id: Option<String>, anonymous_id: Option<String>) -> Self {
        match (customer_id, anonymous_id) {
            (Some(id), _) => TokenSubject::Customer { id },
            (None, Some(id)) => TokenSubject::Anonymous { id },
            (None, None) => TokenSubject::Client,
        }
    }

    /// Appends the words of the subject to a list of scopes, as responses contain it.
    pub(crate) fn with_words(&self, scope: &str) -> String {
        match self.scope_words() {
            None => scope.to_owned(),
            Some(words) if scope.is_empty() => words,
            Some(words) => format!("{scope} {words}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_back_in_each_of_its_ways() {
        let customer = TokenSubject::Customer { id: "c-1".into() };
        let visitor = TokenSubject::Anonymous { id: "a:1".into() };
        for subject in [&customer, &visitor] {
            let words = subject.scope_words().unwrap();
            assert_eq!(words.split(' ').count(), 2);
            for word in words.split(' ') {
                assert_eq!(TokenSubject::from_scope_word(word).as_ref(), Some(subject));
            }
        }
    }

    #[test]
    fn ignores_other_words() {
        for word in ["", "customer_id", "customer_id:", "manage_project:demo", "customer_ids:1"] {
            assert_eq!(TokenSubject::from_scope_word(word), None, "{word}");
        }
    }
}
