//! The session of an operator in one browser.

use kontor_json::json;

use super::{account::OperatorAccount, row_value::parse};
use crate::{
    Result,
    secret::SecretHash,
    store::{OperatorRow, OperatorRowKind, OperatorStep},
};

/// How long a session lives, in seconds: 7 days.
pub const SESSION_VALIDITY_S: i64 = 7 * 24 * 3_600;
/// How long a session lives without being used, in seconds: 12 hours.
pub const SESSION_IDLE_S: i64 = 12 * 3_600;
/// How often the use of a session is written, in milliseconds.
const USE_WRITTEN_MS: i64 = 5 * 60 * 1_000;

/// A session.
#[derive(Debug, Clone)]
pub struct OperatorSession {
    /// The operator.
    pub operator: OperatorAccount,
    /// When it ends unless it is used, in milliseconds since 1970.
    pub expires_at_ms: i64,
    pub(super) hash: SecretHash,
    created_at_ms: i64,
    used_at_ms: i64,
    /// The stored text.
    stored: String,
}

impl OperatorSession {
    /// Returns a session that begins now.
    pub(super) fn new(operator: OperatorAccount, hash: SecretHash, now_ms: i64) -> Self {
        let mut session = OperatorSession {
            operator,
            expires_at_ms: 0,
            hash,
            created_at_ms: now_ms,
            used_at_ms: now_ms,
            stored: String::new(),
        };
        session.expires_at_ms = session.expiry();
        session.stored = session.to_row().value;
        session
    }

    fn expiry(&self) -> i64 {
        let at_most = self.created_at_ms.saturating_add(SESSION_VALIDITY_S * 1_000);
        at_most.min(self.used_at_ms.saturating_add(SESSION_IDLE_S * 1_000))
    }

    /// Returns the session as used now, and the step that writes it; `None` if its use was written recently.
    pub(super) fn record_use(&self, now_ms: i64) -> Option<(Self, OperatorStep)> {
        if now_ms.saturating_sub(self.used_at_ms) < USE_WRITTEN_MS {
            return None;
        }
        let mut used = OperatorSession { used_at_ms: now_ms, ..self.clone() };
        used.expires_at_ms = used.expiry();
        let row = used.to_row();
        used.stored = row.value.clone();
        Some((used, OperatorStep::Replace { row, old_value: self.stored.clone() }))
    }

    pub(super) fn to_row(&self) -> OperatorRow {
        let value = json!({"createdAt": self.created_at_ms, "usedAt": self.used_at_ms});
        OperatorRow {
            kind: OperatorRowKind::Session,
            key: self.hash.to_hex(),
            owner: Some(self.operator.id.clone()),
            expires_at_ms: Some(self.expiry()),
            value: value.to_string(),
        }
    }

    /// Parses the row of a session.
    pub(super) fn from_row(row: OperatorRow, hash: SecretHash, operator: OperatorAccount) -> Result<Self> {
        let value = parse(&row)?;
        let number = |name: &str| value[name].as_i64().unwrap_or_default();
        let mut session = OperatorSession {
            operator,
            expires_at_ms: 0,
            hash,
            created_at_ms: number("createdAt"),
            used_at_ms: number("usedAt"),
            stored: row.value,
        };
        session.expires_at_ms = session.expiry();
        Ok(session)
    }
}
