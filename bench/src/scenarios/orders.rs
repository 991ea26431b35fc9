//! Measures Orders: from Carts with ten line items, in whole checkouts, and for the last pieces in stock.

use super::order_shop::{LINE_ITEMS, cart, carts, create_products, euros, order_of, ordering_clients};
use super::{Bench, load_limits, measure};
use crate::document::{CONNECTIONS, VersionedDocument};
use crate::kontor::path;
use crate::load::{LoadClient, LoadRequest, ensure_success, run as run_load};
use crate::states::{StateWidth, create, renamers};
use crate::table::{BenchRow, BenchTarget};
use anyhow::ensure;
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;

/// The number of Orders in a round.
const ORDERS: usize = 1_000;
/// The number of Carts for all rounds and the warm-up.
const CARTS: usize = 4 * ORDERS;
/// Checkouts of a round, each of six requests.
const CHECKOUTS: u64 = 500;
pub(super) const CALLS: u64 = 6;
/// CPU of six such calls on another platform, on a machine like this, in milliseconds. The target is a sixtieth of it.
const CHECKOUT_BESIDE_MS: f64 = 136.0;
const CHECKOUT_SHARE: f64 = 60.0;
/// The last pieces, and how many Orders want one.
const PIECES: usize = 100;
const WANTED: usize = 4 * PIECES;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    of_carts(bench).await?;
    last_pieces(bench).await
}

/// A client that runs checkouts: a Cart, its address, its shipping method, a Payment, its reference in the Cart, the
/// Order.
pub(super) struct CheckoutClient {
    step: u64,
    cart: VersionedDocument,
    payment: String,
}

impl CheckoutClient {
    pub(super) fn new() -> Self {
        Self { step: 0, cart: VersionedDocument { id: String::new(), version: 0 }, payment: String::new() }
    }
}

impl LoadClient for CheckoutClient {
    fn next(&mut self) -> Option<LoadRequest> {
        let change = |cart: &VersionedDocument, action: Value| {
            let body = json!({"version": cart.version, "actions": [action]});
            LoadRequest::post(path(&format!("carts/{}", cart.id)), body.to_string())
        };
        Some(match self.step {
            0 => {
                let mut draft = cart(1);
                for later in ["shippingAddress", "shippingMethod"] {
                    draft.as_object_mut().and_then(|draft| draft.shift_remove(later));
                }
                LoadRequest::post(path("carts"), draft.to_string())
            }
            1 => change(&self.cart, json!({"action": "setShippingAddress", "address": {"country": "DE"}})),
            2 => {
                change(&self.cart, json!({"action": "setShippingMethod", "shippingMethod": {"key": "post"}}))
            }
            3 => LoadRequest::post(path("payments"), json!({"amountPlanned": euros(1_490)}).to_string()),
            4 => change(&self.cart, json!({"action": "addPayment", "payment": {"id": self.payment}})),
            _ => order_of(&self.cart),
        })
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        let response = VersionedDocument::from_response(body)?;
        match self.step {
            3 => self.payment = response.id,
            _ => self.cart = response,
        }
        self.step = (self.step + 1) % CALLS;
        Ok(())
    }
}

async fn of_carts(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("orders")).await?;
    create_products(&server, 1_000_000).await?;
    let (ids, _) = create(&server, 0..CONNECTIONS, StateWidth::Usual).await?;
    let states = measure(&server, renamers(&ids), load_limits(20_000, 10)).await?;
    let ready = carts(&server, &cart(LINE_ITEMS), CARTS).await?;
    let orders = measure(&server, ordering_clients(&ready, None), load_limits(ORDERS as u64, 60)).await?;
    bench.table.add(BenchRow {
        name: format!("order from a Cart of {LINE_ITEMS} line items, {CONNECTIONS} callers on disk: CPU"),
        value: orders.cpu_us() / states.cpu_us(),
        unit: "×",
        target: BenchTarget::None,
        kontor: orders.line(),
        comparison: format!("durable update of a State: {}", states.line()),
    });
    let buyers = (0..CONNECTIONS).map(|_| CheckoutClient::new()).collect();
    let calls = measure(&server, buyers, load_limits(CALLS * CHECKOUTS, 60)).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: "checkout of six calls (Cart, address, shipping method, Payment, its place, Order): CPU".into(),
        value: calls.cpu_us() * CALLS as f64 / 1_000.0,
        unit: " ms",
        target: BenchTarget::AtMost(CHECKOUT_BESIDE_MS / CHECKOUT_SHARE),
        kontor: calls.line(),
        comparison: format!("a checkout of another platform, measured before: {CHECKOUT_BESIDE_MS} ms"),
    });
    Ok(())
}

async fn last_pieces(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("last-pieces")).await?;
    create_products(&server, PIECES).await?;
    let ready = carts(&server, &cart(1), WANTED).await?;
    let sold = Rc::new(Cell::new(0));
    let (request, _) =
        run_load(&server, ordering_clients(&ready, Some(&sold)), load_limits(WANTED as u64, 60)).await?;
    server.stop()?;
    ensure!(sold.get() == PIECES, "{} Orders of the last {PIECES} pieces", sold.get());
    bench.table.add(BenchRow {
        name: format!("the last {PIECES} pieces, {CONNECTIONS} callers who want {WANTED}: p99"),
        value: request.percentile_ms(99.0),
        unit: " ms",
        target: BenchTarget::None,
        kontor: request.line(),
        comparison: format!("{PIECES} Orders exactly"),
    });
    Ok(())
}
