//! Applies a [`SystemChange`] to the SQLite tables.

use rusqlite::Connection;

use super::operator_rows;
use crate::store::{
    ClientRow, IssueResult, NewToken, ProjectRow, RefreshChange, RefreshRow, SystemChange,
    SystemChangeResult, TokenRow,
};

/// Applies a change inside the open transaction and returns its result.
pub(super) fn apply(change: SystemChange, connection: &Connection) -> rusqlite::Result<SystemChangeResult> {
    Ok(match change {
        SystemChange::AddProject(row) => SystemChangeResult::Done(row.insert(connection)?),
        SystemChange::RemoveProject(key) => SystemChangeResult::Done(ProjectRow::remove(connection, &key)?),
        SystemChange::AddClient(row) => SystemChangeResult::Added(row.insert(connection)?),
        SystemChange::RemoveClient(serial) => {
            SystemChangeResult::Done(ClientRow::remove(connection, serial)?)
        }
        SystemChange::SetSecret { client, hash } => {
            SystemChangeResult::Done(ClientRow::set_secret(connection, client, &hash)?)
        }
        SystemChange::Issue(token) => SystemChangeResult::Issued(issue(&token, connection)?),
        SystemChange::Revoke { hash, client } => {
            SystemChangeResult::Ended(if TokenRow::remove(connection, &hash, client)? {
                vec![hash]
            } else if RefreshRow::remove(connection, &hash, client)? {
                TokenRow::remove_with(connection, &hash)?
            } else {
                Vec::new()
            })
        }
        SystemChange::EndCustomer { project_key, customer_id } => {
            RefreshRow::remove_of_customer(connection, &project_key, &customer_id)?;
            SystemChangeResult::Ended(TokenRow::remove_of_customer(connection, &project_key, &customer_id)?)
        }
        SystemChange::Sweep { project_key, now_ms, limit } => {
            let removed = [
                TokenRow::remove_expired(connection, &project_key, now_ms, limit)?,
                RefreshRow::remove_expired(connection, &project_key, now_ms, limit)?,
                TokenRow::remove_ended(connection, limit)?,
                RefreshRow::remove_ended(connection, limit)?,
            ];
            if removed[2..].iter().all(|ended| *ended < limit) {
                ClientRow::forget_ended(connection)?;
            }
            SystemChangeResult::Swept(removed)
        }
        SystemChange::Operators(steps) => {
            SystemChangeResult::Operators(operator_rows::apply(connection, &steps)?)
        }
    })
}

fn issue(new: &NewToken, connection: &Connection) -> rusqlite::Result<IssueResult> {
    match &new.refresh {
        RefreshChange::None => {}
        RefreshChange::Used(hash, expires_at_ms) => {
            if !RefreshRow::set_used(connection, hash, new.now_ms, *expires_at_ms)? {
                return Ok(IssueResult::SessionGone);
            }
        }
        RefreshChange::New(hash, row) => {
            if let Some(id) = &row.anonymous_id
                && RefreshRow::remove_expired_and_find_session(connection, &new.project_key, id, new.now_ms)?
            {
                return Ok(IssueResult::AnonymousIdInUse);
            }
            RefreshRow::remove_least_recent(connection, &new.project_key, new.refresh_tokens_max)?;
            if !row.insert(connection, hash, new.now_ms)? {
                return Ok(IssueResult::ClientGone);
            }
        }
    }
    if !new.token.insert(connection, &new.hash)? {
        return Ok(IssueResult::ClientGone);
    }
    if let Some(day) = new.used_day {
        ClientRow::set_last_used(connection, new.token.client_serial, day)?;
    }
    Ok(IssueResult::Written)
}
