//! Which process looks after a shop: the one whose name stands in `kontor.keepers`, for as long as it says so every second. A row and
//! not a lock, so that nothing is kept by a process that is gone, and poolers do no harm.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kontor_storage::Result;

use crate::{log_state::LogState, server::Server};

/// For how long a process has a shop without saying so again, as others see it.
const LEASE: Duration = Duration::from_secs(6);
/// The same as the process itself sees it: it lets go before others take over.
const OWN_LEASE: Duration = Duration::from_secs(4);

/// Takes shops that nobody has, and says that those of this process are still its own. Of a database that everything has moved from
/// nobody has any: what waits there waits at the new place too, and would be done twice, again and again, as nothing can be removed here.
pub(crate) async fn keep(server: &Server, logs: &[Arc<LogState>]) -> Result<()> {
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
        log.keep_until(kept.contains(&log.project()).then_some(begun + OWN_LEASE));
    }
    Ok(())
}
