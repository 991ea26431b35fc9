//! Applies a [`SystemChange`] to the SQLite tables.

use rusqlite::Connection;

use crate::store::{
    ClientRow, Issued, NewToken, ProjectRow, RefreshChange, RefreshRow, SystemChange, SystemChanged, TokenRow,
};

/// Applies a change inside the open transaction and returns its result.
pub(super) fn apply(change: SystemChange, connection: &Connection) -> rusqlite::Result<SystemChanged> {
    Ok(match change {
        SystemChange::AddProject(row) => SystemChanged::Done(row.insert(connection)?),
        SystemChange::RemoveProject(key) => SystemChanged::Done(ProjectRow::remove(connection, &key)?),
        SystemChange::AddClient(row) => SystemChanged::Added(row.insert(connection)?),
        SystemChange::RemoveClient(serial) => SystemChanged::Done(ClientRow::remove(connection, serial)?),
        SystemChange::SetSecret { client, hash } => {
            SystemChanged::Done(ClientRow::set_secret(connection, client, &hash)?)
        }
        SystemChange::Issue(token) => SystemChanged::Issued(issue(&token, connection)?),
        SystemChange::Revoke { hash, client } => {
            SystemChanged::Ended(if TokenRow::remove(connection, &hash, client)? {
                vec![hash]
            } else if RefreshRow::remove(connection, &hash, client)? {
                TokenRow::remove_with(connection, &hash)?
            } else {
                Vec::new()
            })
        }
        SystemChange::EndCustomer { project_key, customer_id, note } => {
            note();
            RefreshRow::remove_of_customer(connection, &project_key, &customer_id)?;
            SystemChanged::Ended(TokenRow::remove_of_customer(connection, &project_key, &customer_id)?)
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
            SystemChanged::Swept(removed)
        }
    })
}

fn issue(new: &NewToken, connection: &Connection) -> rusqlite::Result<Issued> {
    if (new.is_outdated)() {
        return Ok(Issued::ProofOutdated);
    }
    match &new.refresh {
        RefreshChange::None => {}
        RefreshChange::Used(hash, expires_at_ms) => {
            if !RefreshRow::set_used(connection, hash, new.now_ms, *expires_at_ms)? {
                return Ok(Issued::SessionGone);
            }
        }
        RefreshChange::New(hash, row) => {
            if let Some(id) = &row.anonymous_id
                && RefreshRow::has_session(connection, &new.project_key, id, new.now_ms)?
            {
                return Ok(Issued::AnonymousIdInUse);
            }
            RefreshRow::make_room(connection, &new.project_key, new.refresh_tokens_max)?;
            if !row.insert(connection, hash, new.now_ms)? {
                return Ok(Issued::ClientGone);
            }
        }
    }
    if !new.token.insert(connection, &new.hash)? {
        return Ok(Issued::ClientGone);
    }
    if let Some(day) = new.used_day {
        ClientRow::set_last_used(connection, new.token.client_serial, day)?;
    }
    Ok(Issued::Written)
}
