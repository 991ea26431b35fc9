//! The stored form of operators, roles, sessions, links and operator tokens: rows of one table, changed by lists of steps.
//!
//! A store knows nothing of their meaning: `value` is a JSON text that only [`operators`](crate::operators) reads.

use crate::secret::SecretHash;

/// The type of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperatorRowKind {
    /// An account, by its id.
    Account,
    /// The id of an account, by its e-mail address.
    Email,
    /// A role that was added or changed, by its name.
    Role,
    /// A session of a browser, by the hash of its token.
    Session,
    /// A link that can be used once, by the hash of its token.
    Link,
    /// An access token, by its hash.
    Token,
}

impl OperatorRowKind {
    /// All types.
    pub const ALL: [OperatorRowKind; 6] = [
        OperatorRowKind::Account,
        OperatorRowKind::Email,
        OperatorRowKind::Role,
        OperatorRowKind::Session,
        OperatorRowKind::Link,
        OperatorRowKind::Token,
    ];

    /// Returns the name of the type in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            OperatorRowKind::Account => "account",
            OperatorRowKind::Email => "email",
            OperatorRowKind::Role => "role",
            OperatorRowKind::Session => "session",
            OperatorRowKind::Link => "link",
            OperatorRowKind::Token => "token",
        }
    }

    /// Returns the type with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRow {
    /// The type.
    pub kind: OperatorRowKind,
    /// The key, unique in its type.
    pub key: String,
    /// The id of the account that it belongs to; `None` for accounts, roles and the link of a new server.
    pub owner: Option<String>,
    /// In milliseconds since 1970; `None`: it does not expire.
    pub expires_at_ms: Option<i64>,
    /// JSON.
    pub value: String,
}

/// A step of a change. All conditions are checked before anything is written; if one does not hold, nothing is.
#[derive(Debug, Clone)]
pub enum OperatorStep {
    /// Adds a row. Condition: there is none with its key.
    Insert(OperatorRow),
    /// Adds or replaces a row.
    Put(OperatorRow),
    /// Replaces a row. Condition: it still has the value `was`.
    Replace {
        /// The new row.
        row: OperatorRow,
        /// The value that it replaces.
        old_value: String,
    },
    /// Changes nothing. Condition: the row exists, and still has the value `was` if one is given.
    Check {
        /// The type.
        kind: OperatorRowKind,
        /// The key.
        key: String,
        /// The value.
        old_value: Option<String>,
    },
    /// Removes a row. Condition: it exists, and has not expired.
    Take {
        /// The type.
        kind: OperatorRowKind,
        /// The key.
        key: String,
        /// In milliseconds since 1970.
        now_ms: i64,
    },
    /// Condition: there is no row of this type.
    MustHaveNone(OperatorRowKind),
    /// Removes all rows of a type: of one owner, or of all.
    RemoveAll {
        /// The type.
        kind: OperatorRowKind,
        /// The owner; `None`: all.
        owner: Option<String>,
    },
    /// Removes the rows that have expired.
    RemoveExpired {
        /// In milliseconds since 1970.
        now_ms: i64,
    },
}

impl OperatorStep {
    /// Returns the type and key of the row that the condition of the step is about; `None` if it is about no single row.
    pub fn condition_row(&self) -> Option<(OperatorRowKind, &str)> {
        match self {
            Self::Insert(row) | Self::Replace { row, .. } => Some((row.kind, &row.key)),
            Self::Check { kind, key, .. } | Self::Take { kind, key, .. } => Some((*kind, key)),
            Self::Put(_) | Self::MustHaveNone(_) | Self::RemoveAll { .. } | Self::RemoveExpired { .. } => {
                None
            }
        }
    }

    /// Returns whether the condition holds for the row that [`condition_row`](Self::condition_row) names.
    pub fn holds_for(&self, found: Option<&OperatorRow>) -> bool {
        match self {
            Self::Insert(_) => found.is_none(),
            Self::Replace { old_value, .. } | Self::Check { old_value: Some(old_value), .. } => {
                found.is_some_and(|found| found.value == *old_value)
            }
            Self::Check { old_value: None, .. } => found.is_some(),
            Self::Take { now_ms, .. } => {
                found.is_some_and(|found| found.expires_at_ms.is_none_or(|at| at > *now_ms))
            }
            Self::Put(_) | Self::MustHaveNone(_) | Self::RemoveAll { .. } | Self::RemoveExpired { .. } => {
                true
            }
        }
    }
}

/// The result of a list of steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorStepsResult {
    /// Whether all conditions held.
    pub is_done: bool,
    /// The hashes of the removed access tokens.
    pub ended: Vec<SecretHash>,
}

impl OperatorStepsResult {
    /// Adds the keys of removed rows.
    pub fn add_removed(&mut self, kind: OperatorRowKind, keys: impl IntoIterator<Item = String>) {
        if kind == OperatorRowKind::Token {
            self.ended.extend(keys.into_iter().filter_map(|key| SecretHash::from_hex(&key)));
        }
    }
}
