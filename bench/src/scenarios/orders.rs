//! Orders: of Carts with ten line items, in whole checkouts, for the last pieces, when thousands are due at once, and found.

use super::{Bench, bounds, measure, thousands};
use crate::kontor::PROJECT;
use crate::load::{Ask, Client, Connection, Measured, ensure_success, run as run_load};
use crate::process::Server;
use crate::states::{CONNECTIONS, Document, Renamer, Width, create};
use crate::table::{Row, Target};
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::StatusCode;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Line items of a Cart.
pub(super) const LINE_ITEMS: usize = 10;
/// Orders of a round.
const ORDERS: usize = 1_000;
/// As many Carts as all rounds and what warms up take.
const CARTS: usize = 4 * ORDERS;
/// Checkouts of a round, each of six requests.
const CHECKOUTS: u64 = 500;
pub(super) const CALLS: u64 = 6;
/// What six such calls take of a core at another platform, on a machine like this: its target is a sixtieth of that.
const CHECKOUT_BESIDE_MS: f64 = 136.0;
const CHECKOUT_SHARE: f64 = 60.0;
/// The last pieces, and how many Orders want one.
const PIECES: usize = 100;
const WANTED: usize = 4 * PIECES;
/// Recurring Orders that are due at once, and how long others are watched meanwhile.
const DUE: usize = 10_000;
const WATCHED_SECONDS: u64 = 30;
const DUE_SECONDS_MAX: u64 = 600;
/// Orders that are searched; with `--large`.
const FOUND: usize = 10_000;
const FOUND_LARGE: usize = 1_000_000;
const SEARCHES: u64 = 4_000;
const READY_SECONDS_MAX: u64 = 1_200;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    of_carts(bench).await?;
    last_pieces(bench).await?;
    due_at_once(bench).await?;
    searched(bench).await
}

pub(super) fn path(rest: &str) -> String {
    format!("/{PROJECT}/{rest}")
}

fn euros(cents: i64) -> Value {
    json!({"currencyCode": "EUR", "centAmount": cents})
}

async fn make(connection: &mut Connection, kind: &str, draft: Value) -> anyhow::Result<Value> {
    connection.json(Ask::post(path(kind), draft.to_string())).await
}

/// What is sold, to where it is shipped, and how often it may recur.
pub(super) async fn fill(server: &Server, pieces: usize) -> anyhow::Result<()> {
    let mut shop = Connection::open(server).await?;
    make(&mut shop, "product-types", json!({"key": "any", "name": "Any", "description": "Anything"})).await?;
    let rate = json!({"name": "19 %", "amount": 0.19, "includedInPrice": true, "country": "DE"});
    make(&mut shop, "tax-categories", json!({"key": "standard", "name": "Standard", "rates": [rate]}))
        .await?;
    let germany = json!({"key": "germany", "name": "Germany", "locations": [{"country": "DE"}]});
    make(&mut shop, "zones", germany).await?;
    let zone_rate = json!({"zone": {"key": "germany"}, "shippingRates": [{"price": euros(490)}]});
    let post = json!({"key": "post", "name": "Post", "taxCategory": {"key": "standard"}, "isDefault": true, "zoneRates": [zone_rate]});
    make(&mut shop, "shipping-methods", post).await?;
    let monthly = json!({"type": "standard", "value": 1, "intervalUnit": "Months"});
    let policy = json!({"key": "monthly", "name": {"en": "Monthly"}, "schedule": monthly});
    make(&mut shop, "recurrence-policies", policy).await?;
    for number in 0..LINE_ITEMS {
        let key = format!("lamp-{number}");
        let price = json!({"value": euros(1_000)});
        let recurring = json!({"value": euros(900), "recurrencePolicy": {"key": "monthly"}});
        let product = json!({
            "key": key, "productType": {"key": "any"}, "name": {"en": "Lamp"}, "slug": {"en": key}, "publish": true,
            "taxCategory": {"key": "standard"}, "masterVariant": {"sku": key, "prices": [price, recurring]},
        });
        make(&mut shop, "products", product).await?;
        make(&mut shop, "inventory", json!({"sku": key, "quantityOnStock": pieces})).await?;
    }
    Ok(())
}

/// A Cart that can be ordered.
pub(super) fn cart(items: usize) -> Value {
    let line_items: Vec<Value> = (0..items).map(|number| json!({"sku": format!("lamp-{number}")})).collect();
    json!({
        "currency": "EUR", "country": "DE", "inventoryMode": "ReserveOnOrder", "lineItems": line_items,
        "shippingAddress": {"country": "DE"}, "shippingMethod": {"typeId": "shipping-method", "key": "post"},
    })
}

pub(super) async fn carts(server: &Server, draft: &Value, count: usize) -> anyhow::Result<Vec<Document>> {
    let mut connection = Connection::open(server).await?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let (status, body) = connection.ask(Ask::post(path("carts"), draft.to_string())).await?;
        ensure_success(status, &body)?;
        all.push(Document::of(&body)?);
    }
    Ok(all)
}

fn order_of(cart: &Document) -> Ask {
    let of = json!({"typeId": "cart", "id": cart.id});
    Ask::post(path("orders"), json!({"cart": of, "version": cart.version}).to_string())
}

/// Orders Carts that are there, each once.
struct Orderer {
    carts: Vec<Document>,
    /// How many were ordered; `None`: each must be.
    sold: Option<Rc<Cell<usize>>>,
}

impl Client for Orderer {
    fn next(&mut self) -> Option<Ask> {
        self.carts.pop().as_ref().map(order_of)
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        match &self.sold {
            Some(sold) if status == StatusCode::CREATED => sold.set(sold.get() + 1),
            Some(_) if status == StatusCode::BAD_REQUEST && contains(body, "OutOfStock") => {}
            _ => ensure_success(status, body)?,
        }
        Ok(())
    }
}

fn contains(body: &Bytes, word: &str) -> bool {
    String::from_utf8_lossy(body).contains(word)
}

/// An orderer a connection, each with Carts of its own.
fn orderers(carts: &[Document], sold: Option<&Rc<Cell<usize>>>) -> Vec<Orderer> {
    let of = |at: usize| carts.iter().skip(at).step_by(CONNECTIONS).cloned().collect();
    (0..CONNECTIONS).map(|at| Orderer { carts: of(at), sold: sold.cloned() }).collect()
}

/// Goes through checkouts: a Cart, its address, its shipping method, a Payment, its place in the Cart, the Order.
pub(super) struct Buyer {
    step: u64,
    cart: Document,
    payment: String,
}

impl Buyer {
    pub(super) fn new() -> Self {
        Self { step: 0, cart: Document { id: String::new(), version: 0 }, payment: String::new() }
    }
}

impl Client for Buyer {
    fn next(&mut self) -> Option<Ask> {
        let change = |cart: &Document, action: Value| {
            let body = json!({"version": cart.version, "actions": [action]});
            Ask::post(path(&format!("carts/{}", cart.id)), body.to_string())
        };
        Some(match self.step {
            0 => {
                let mut draft = cart(1);
                for later in ["shippingAddress", "shippingMethod"] {
                    draft.as_object_mut().and_then(|draft| draft.shift_remove(later));
                }
                Ask::post(path("carts"), draft.to_string())
            }
            1 => change(&self.cart, json!({"action": "setShippingAddress", "address": {"country": "DE"}})),
            2 => {
                change(&self.cart, json!({"action": "setShippingMethod", "shippingMethod": {"key": "post"}}))
            }
            3 => Ask::post(path("payments"), json!({"amountPlanned": euros(1_490)}).to_string()),
            4 => change(&self.cart, json!({"action": "addPayment", "payment": {"id": self.payment}})),
            _ => order_of(&self.cart),
        })
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_success(status, body)?;
        let answered = Document::of(body)?;
        match self.step {
            3 => self.payment = answered.id,
            _ => self.cart = answered,
        }
        self.step = (self.step + 1) % CALLS;
        Ok(())
    }
}

async fn of_carts(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("orders")).await?;
    fill(&server, 1_000_000).await?;
    let (ids, _) = create(&server, 0..CONNECTIONS, Width::Usual).await?;
    let renamers = ids.into_iter().map(|id| Renamer::new(std::iter::once(id))).collect();
    let states = measure(&server, renamers, bounds(20_000, 10)).await?;
    let ready = carts(&server, &cart(LINE_ITEMS), CARTS).await?;
    let orders = measure(&server, orderers(&ready, None), bounds(ORDERS as u64, 60)).await?;
    bench.table.add(Row {
        what: format!("order from a Cart of {LINE_ITEMS} line items, {CONNECTIONS} callers on disk: CPU"),
        value: orders.cpu_us() / states.cpu_us(),
        unit: "×",
        target: Target::None,
        kontor: orders.line(),
        beside: format!("durable update of a State: {}", states.line()),
    });
    let buyers = (0..CONNECTIONS).map(|_| Buyer::new()).collect();
    let calls = measure(&server, buyers, bounds(CALLS * CHECKOUTS, 60)).await?;
    server.stop()?;
    bench.table.add(Row {
        what: "checkout of six calls (Cart, address, shipping method, Payment, its place, Order): CPU".into(),
        value: calls.cpu_us() * CALLS as f64 / 1_000.0,
        unit: " ms",
        target: Target::AtMost(CHECKOUT_BESIDE_MS / CHECKOUT_SHARE),
        kontor: calls.line(),
        beside: format!("a checkout of another platform, measured before: {CHECKOUT_BESIDE_MS} ms"),
    });
    Ok(())
}

async fn last_pieces(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("last-pieces")).await?;
    fill(&server, PIECES).await?;
    let ready = carts(&server, &cart(1), WANTED).await?;
    let sold = Rc::new(Cell::new(0));
    let (asked, _) = run_load(&server, orderers(&ready, Some(&sold)), bounds(WANTED as u64, 60)).await?;
    server.stop()?;
    ensure!(sold.get() == PIECES, "{} Orders of the last {PIECES} pieces", sold.get());
    bench.table.add(Row {
        what: format!("the last {PIECES} pieces, {CONNECTIONS} callers who want {WANTED}: p99"),
        value: asked.percentile_ms(99.0),
        unit: " ms",
        target: Target::None,
        kontor: asked.line(),
        beside: format!("{PIECES} Orders exactly"),
    });
    Ok(())
}

async fn due_at_once(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start_with(&bench.folder("due"), &["--test-controls"]).await?;
    fill(&server, 1_000_000).await?;
    let mut draft = cart(1);
    let policy = json!({"typeId": "recurrence-policy", "key": "monthly"});
    draft["lineItems"][0]["recurrenceInfo"] =
        json!({"recurrencePolicy": policy, "priceSelectionMode": "Fixed"});
    let ready = carts(&server, &draft, DUE).await?;
    run_load(&server, orderers(&ready, None), bounds(DUE as u64, 600)).await?;
    let (ids, _) = create(&server, 0..1, Width::Usual).await?;
    let writer = vec![Renamer::new(ids.into_iter())];
    let (calm, writer) = run_load(&server, writer, bounds(u64::MAX, 5)).await?;

    let mut shop = Connection::open(&server).await?;
    let clock = format!("/_test/projects/{PROJECT}/clock");
    let month = json!({"advanceSeconds": 32 * 24 * 3_600});
    let started = Instant::now();
    shop.json(Ask::post(clock, month.to_string())).await?;
    let (meanwhile, _) = run_load(&server, writer, bounds(u64::MAX, WATCHED_SECONDS)).await?;
    // Those that were ordered at first, and as many that were due.
    until(&mut shop, Duration::from_secs(DUE_SECONDS_MAX), "orders?limit=0", |page| {
        page["total"].as_u64() == Some(2 * DUE as u64)
    })
    .await?;
    let seconds = started.elapsed().as_secs_f64();
    server.stop()?;
    bench.table.add(Row {
        what: format!("durable updates while {} Recurring Orders are due at once: p99", thousands(DUE)),
        value: meanwhile.percentile_ms(99.0),
        unit: " ms",
        target: Target::AtMost(1_000.0),
        kontor: format!("{}; all Orders made within {seconds:.0} s", meanwhile.line()),
        beside: format!("nothing is due: {}", calm.line()),
    });
    Ok(())
}

/// Asks again and again until an answer is as expected.
async fn until(
    connection: &mut Connection,
    at_most: Duration,
    what: &str,
    is_it: impl Fn(&Value) -> bool,
) -> anyhow::Result<()> {
    let started = Instant::now();
    while !is_it(&connection.json(Ask::get(path(what))).await?) {
        ensure!(started.elapsed() < at_most, "{what} was waited for in vain");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

async fn searched(bench: &mut Bench) -> anyhow::Result<()> {
    let count = if bench.large { FOUND_LARGE } else { FOUND };
    let server = bench.kontor.start(&bench.folder("order-search")).await?;
    let imported = import(&server, count).await?;
    let mut shop = Connection::open(&server).await?;
    let settings = shop.json(Ask::get(format!("/{PROJECT}"))).await?;
    let activate = json!({"action": "changeOrderSearchStatus", "status": "Activated"});
    let update = json!({"version": settings["version"], "actions": [activate]});
    shop.json(Ask::post(format!("/{PROJECT}"), update.to_string())).await?;
    let ready = Duration::from_secs(READY_SECONDS_MAX);
    until(&mut shop, ready, "orders/search/indexing-status", |answer| answer["status"] == "Ready").await?;
    let (mut asked, mut number) = (Vec::new(), 0);
    for _ in 0..CONNECTIONS {
        number += 1;
        asked.push(move || {
            number = (number * 31 + 7) % count;
            let wanted = json!({"exact": {"field": "orderNumber", "value": format!("N-{number}")}});
            let cheap = json!({"range": {"field": "totalPrice.centAmount", "lt": 1_000_000}});
            let sort = json!([{"field": "createdAt", "order": "desc"}]);
            let query = json!({"query": {"or": [wanted, cheap]}, "sort": sort, "limit": 20});
            Ask::post(path("orders/search"), query.to_string())
        });
    }
    let found = measure(&server, asked, bounds(SEARCHES, 20)).await?;
    server.stop()?;
    bench.table.add(Row {
        what: format!("Order Search over {} Orders, sorted by time: p50", thousands(count)),
        value: found.percentile_ms(50.0),
        unit: " ms",
        target: Target::None,
        kontor: found.line(),
        beside: format!("imported: {}", imported.line()),
    });
    Ok(())
}

/// Orders from elsewhere, numbered from 0.
async fn import(server: &Server, count: usize) -> anyhow::Result<Measured> {
    let next = Rc::new(Cell::new(0));
    let importers = (0..CONNECTIONS).map(|_| Importer { next: Rc::clone(&next), count }).collect();
    let (measured, _) = run_load(server, importers, bounds(count as u64, 3_600)).await?;
    let all = usize::try_from(measured.requests).context("more Orders than can be counted")?;
    ensure!(all == count, "only {all} Orders were imported in time");
    Ok(measured)
}

struct Importer {
    next: Rc<Cell<usize>>,
    count: usize,
}

impl Client for Importer {
    fn next(&mut self) -> Option<Ask> {
        let number = self.next.get();
        if number >= self.count {
            return None;
        }
        self.next.set(number + 1);
        let wrap =
            json!({"name": {"en": "Wrap"}, "slug": "wrap", "quantity": 1, "money": euros(number as i64)});
        let draft = json!({
            "orderNumber": format!("N-{number}"), "customerEmail": format!("buyer-{number}@example.com"), "country": "DE",
            "totalPrice": euros(number as i64), "customLineItems": [wrap],
        });
        Some(Ask::post(path("orders/import"), draft.to_string()))
    }
}
