//! Measures Recurring Orders that are due in the same minute, and the latency of other writers meanwhile.

use super::order_shop::{cart, carts, create_products, ordering_clients, wait_until};
use super::{Bench, load_limits, thousands};
use crate::kontor::{PROJECT, authorize};
use crate::load::{LoadClient, LoadConnection, LoadRequest, ensure_success, run as run_load};
use crate::states::{Renamer, StateWidth, create};
use crate::table::{BenchRow, BenchTarget};
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::json;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Recurring Orders that are due at once.
const DUE: usize = 10_000;
/// How long other writers are measured before Orders are due, and the limit while they are due.
const CALM_SECONDS: u64 = 5;
const DUE_SECONDS_MAX: u64 = 600;
/// The longest time that another writer may wait.
const PAUSE_MS_MAX: f64 = 1_000.0;
/// Longer than each month.
const MONTH_SECONDS: u64 = 32 * 24 * 3_600;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let mut server = bench.kontor.start_with(&bench.folder("due"), &["--test-controls"]).await?;
    create_products(&server, 1_000_000).await?;
    let mut draft = cart(1);
    let policy = json!({"typeId": "recurrence-policy", "key": "monthly"});
    draft["lineItems"][0]["recurrenceInfo"] =
        json!({"recurrencePolicy": policy, "priceSelectionMode": "Fixed"});
    let ready = carts(&server, &draft, DUE).await?;
    // Each Order begins a Recurring Order.
    run_load(&server, ordering_clients(&ready, None), load_limits(DUE as u64, DUE_SECONDS_MAX)).await?;
    let (ids, _) = create(&server, 0..1, StateWidth::Usual).await?;
    let is_done = Rc::<Cell<bool>>::default();
    let writer = vec![UntilDone { renamer: Renamer::new(ids.into_iter()), is_done: Rc::clone(&is_done) }];
    let (calm, writer) = run_load(&server, writer, load_limits(u64::MAX, CALM_SECONDS)).await?;

    let mut shop = LoadConnection::open(&server).await?;
    let clock = format!("/_test/projects/{PROJECT}/clock");
    let month = json!({"advanceSeconds": MONTH_SECONDS});
    let started = Instant::now();
    shop.json(LoadRequest::post(clock, month.to_string())).await?;
    // The month has ended the token, too.
    authorize(&mut server).await?;
    let mut shop = LoadConnection::open(&server).await?;
    let making = async {
        // The initial Orders and one for each Recurring Order.
        let most = Duration::from_secs(DUE_SECONDS_MAX);
        let made = wait_until(&mut shop, most, "orders?limit=0", |page| {
            page["total"].as_u64() == Some(2 * DUE as u64)
        })
        .await;
        is_done.set(true);
        made.map(|()| started.elapsed().as_secs_f64())
    };
    let (meanwhile, seconds) =
        tokio::join!(run_load(&server, writer, load_limits(u64::MAX, DUE_SECONDS_MAX)), making);
    let ((meanwhile, _), seconds) = (meanwhile?, seconds?);
    server.stop()?;
    let kontor = format!("{}; all Orders made within {seconds:.0} s", meanwhile.line());
    for (what, value) in [("p99", meanwhile.percentile_ms(99.0)), ("longest", meanwhile.percentile_ms(100.0))]
    {
        bench.table.add(BenchRow {
            name: format!(
                "durable updates while {} Recurring Orders are due at once: {what}",
                thousands(DUE)
            ),
            value,
            unit: " ms",
            target: BenchTarget::AtMost(PAUSE_MS_MAX),
            kontor: kontor.clone(),
            comparison: format!("nothing is due: {}", calm.line()),
        });
    }
    Ok(())
}

/// A client that updates until all Orders are created.
struct UntilDone {
    renamer: Renamer,
    is_done: Rc<Cell<bool>>,
}

impl LoadClient for UntilDone {
    fn next(&mut self) -> Option<LoadRequest> {
        if self.is_done.get() { None } else { self.renamer.next() }
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        self.renamer.handle_response(status, body)
    }
}
