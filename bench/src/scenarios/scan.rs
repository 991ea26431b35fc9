//! Measures a predicate over a field without an index, which reads every document.

use super::{Bench, load_limits, measure, thousands};
use crate::load::{LoadConnection, LoadRequest};
use crate::states::{StateWidth, create, path};
use crate::table::{BenchRow, BenchTarget};

/// Together more than the cache of documents holds.
const DOCUMENTS: usize = 40_000;
/// Predicates that no document matches, so that all are read to their end.
const PREDICATES: &[&str] = &[r#"description(en="nothing")"#, r#"name(fr="nothing") and initial=true"#];

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("wide")).await?;
    let (ids, _) = create(&server, 0..DOCUMENTS, StateWidth::Wide).await?;
    let document =
        LoadConnection::open(&server).await?.send(LoadRequest::get(path(&format!("/{}", ids[0])))).await?.1;
    for predicate in PREDICATES {
        let encoded: String = form_urlencoded::byte_serialize(predicate.as_bytes()).collect();
        let target = path(&format!("?where={encoded}&limit=20"));
        let measured =
            measure(&server, vec![move || LoadRequest::get(target.clone())], load_limits(40, 10)).await?;
        bench.table.add(BenchRow {
            name: format!(
                "`{predicate}` over {} documents of {} bytes: CPU a document",
                thousands(DOCUMENTS),
                document.len()
            ),
            value: measured.cpu_us() / DOCUMENTS as f64,
            unit: " µs",
            target: BenchTarget::AtMost(3.0),
            kontor: format!("p50 {:.0} ms a request", measured.percentile_ms(50.0)),
            comparison: "-".into(),
        });
    }
    server.stop()
}
