//! Measures the cost of a Subscription for durable updates, and how soon one destination has received all messages.

use super::{Bench, load_limits, measure_in_turns, thousands};
use crate::kontor::PROJECT;
use crate::load::{LoadConnection, LoadRequest, ensure_success, run as run_load};
use crate::process::MeasuredServer;
use crate::states::{StateWidth, create, renamers};
use crate::table::{BenchRow, BenchTarget};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use kontor_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

const DOCUMENTS: usize = 500;
const UPDATES: u64 = 40_000;
/// The timeout for the destination to receive everything.
const CAUGHT_UP_SECONDS_MAX: u64 = 120;
/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9/";

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let flags = ["--allow-private-destinations", "--accept-unreachable-destinations"];
    let alone = bench.kontor.start_with(&bench.folder("told-nobody"), &flags).await?;
    let telling = bench.kontor.start_with(&bench.folder("told-one"), &flags).await?;
    let (few, _) = create(&alone, 0..DOCUMENTS, StateWidth::Usual).await?;
    let (many, _) = create(&telling, 0..DOCUMENTS, StateWidth::Usual).await?;
    subscribe(&telling, NOWHERE).await?;
    let (kept, beside) =
        measure_in_turns((&telling, renamers(&many)), (&alone, renamers(&few)), load_limits(UPDATES, 10))
            .await?;
    telling.stop()?;
    alone.stop()?;
    bench.table.add(BenchRow {
        name: format!("durable updates of {} States with a Subscription: CPU", thousands(DOCUMENTS)),
        value: kept.cpu_us() / beside.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(1.1),
        kontor: kept.line(),
        comparison: format!("no Subscription: {}", beside.line()),
    });

    let server = bench.kontor.start_with(&bench.folder("told-and-received"), &flags).await?;
    let (ids, _) = create(&server, 0..DOCUMENTS, StateWidth::Usual).await?;
    let (address, received) = destination().await?;
    subscribe(&server, &address).await?;
    let started = Instant::now();
    let (written, _) = run_load(&server, renamers(&ids), load_limits(UPDATES, 20)).await?;
    let writing = started.elapsed();
    let all = written.requests;
    while received.load(Ordering::Relaxed) < all {
        anyhow::ensure!(
            started.elapsed() < Duration::from_secs(CAUGHT_UP_SECONDS_MAX),
            "of {all} updates the destination received {}",
            received.load(Ordering::Relaxed)
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let receiving = started.elapsed();
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!("{all} updates received by one destination, compared with their writing: time"),
        value: receiving.as_secs_f64() / writing.as_secs_f64(),
        unit: "×",
        target: BenchTarget::AtMost(1.1),
        kontor: format!("{:.0} received a second", all as f64 / receiving.as_secs_f64()),
        comparison: format!("written: {}", written.line()),
    });
    Ok(())
}

async fn subscribe(server: &MeasuredServer, url: &str) -> anyhow::Result<()> {
    let draft =
        json!({"destination": {"type": "HTTP", "url": url}, "changes": [{"resourceTypeId": "state"}]});
    let ask = LoadRequest::post(format!("/{PROJECT}/subscriptions"), draft.to_string());
    let (status, body) = LoadConnection::open(server).await?.send(ask).await?;
    ensure_success(status, &body)
}

/// Starts a destination in this process. Returns its address and the number of updates received so far. It responds
/// from a thread of its own: a round trip to it wakes another thread, as one to another process does.
pub(super) async fn destination() -> anyhow::Result<(String, Arc<AtomicU64>)> {
    let received = Arc::<AtomicU64>::default();
    let counting = Arc::clone(&received);
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = format!("http://{}/", listener.local_addr()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || runtime.block_on(receive(listener, &counting)));
    Ok((address, received))
}

/// Accepts connections and responds to every request.
async fn receive(listener: std::net::TcpListener, counting: &Arc<AtomicU64>) -> anyhow::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let counting = Arc::clone(counting);
        let response = move |request: Request<Incoming>| {
            let counting = Arc::clone(&counting);
            async move {
                let body = request.into_body().collect().await.map(|body| body.to_bytes());
                let is_update = body.is_ok_and(|body| {
                    kontor_json::from_slice::<kontor_json::Value>(&body)
                        .is_ok_and(|body| body["notificationType"] == "ResourceUpdated")
                });
                counting.fetch_add(u64::from(is_update), Ordering::Relaxed);
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
            }
        };
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(response)));
    }
}
