//! Selects the process that does the background work of a shop (the keeper), by a lease: the process named in
//! `kontor.keepers`, as long as it renews its row every second. It is a row and not a lock, so that a dead process
//! blocks nothing, and poolers do no harm.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kontor_storage::Result;

use crate::{server::ServerPool, shop_log::ShopLog};

/// The duration of a lease, as other processes see it.
const LEASE: Duration = Duration::from_secs(6);
/// The duration as the keeper sees it: it stops before others take over.
const OWN_LEASE: Duration = Duration::from_secs(4);

/// Takes the leases of shops without a keeper, and renews those of this process. A database that has moved has no
/// keepers: its background work is also at the new place, and would be repeated here for ever, since nothing can be
/// removed.
pub(crate) async fn renew_leases(server: &ServerPool, logs: &[Arc<ShopLog>]) -> Result<()> {
    let projects: Vec<&str> = logs.iter().map(|log| log.project()).collect();
    let begun = Instant::now();
    let lease = LEASE.as_secs_f64();
    let sql = "
        INSERT INTO kontor.keepers AS k (project, process, until)
        SELECT n.project, $2, now() + make_interval(secs => $3) FROM unnest($1::text[]) n (project)
        WHERE (SELECT moved_to FROM kontor.system) IS NULL ORDER BY n.project
        ON CONFLICT (project) DO UPDATE SET process = excluded.process, until = excluded.until
        WHERE k.process = excluded.process OR k.until < now()
        RETURNING project";
    let rows = server.rows(sql, &[&projects, &server.process, &lease]).await?;
    let kept: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    for log in logs {
        log.set_lease(kept.contains(&log.project()).then_some(begun + OWN_LEASE));
    }
    Ok(())
}
