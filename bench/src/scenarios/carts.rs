//! Measures Carts: the calculation alone, and changes of Carts over HTTP, with discounts and in large projects.

mod pure;

use super::order_shop::{MAKING_MAX, carts, create_resource, create_shop, euros, product, shipping_method};
use super::{Bench, load_limits, measure, thousands};
use crate::document::{CONNECTIONS, RepeatedUpdater, VersionedDocument, distribute};
use crate::kontor::path;
use crate::load::{LoadClient, LoadConnection, LoadRequest, LoadResult};
use crate::making::create_documents;
use crate::process::MeasuredServer;
use crate::states::{StateWidth, create, renamers};
use crate::table::{BenchRow, BenchTarget};
use kontor_json::{Value, json};
use std::ops::Range;

/// Line items of a Cart, before one is added.
pub(super) const LINE_ITEMS: usize = 10;
/// The most line items of a Cart.
const LINE_ITEMS_MAX: usize = 500;
/// The number of Products.
const PRODUCTS: usize = LINE_ITEMS_MAX + 1;
/// Line items that are added in a round.
pub(super) const ADDED: usize = 1_000;
/// The number of Carts for all rounds and the warm-up.
pub(super) const CARTS: usize = 4 * ADDED;
/// The number of changes that recalculate a Cart.
const CALCULATED: u64 = 2_000;
const CALCULATED_LARGE_CARTS: u64 = 100;
/// The target: the CPU of adding a line item divided by that of a durable update of a State.
const BESIDE_STATE: f64 = 6.0;
/// Three discounts and a code may cost so much more.
const DISCOUNTED: f64 = 1.5;
/// Discounts that match, and others.
const MATCHING: usize = 10;
const OTHERS: usize = 90;
/// Products and Carts of small and large projects; Shipping Methods are as many as a project may have.
const FEW: usize = 1_000;
const MANY: usize = 100_000;
const SHIPPING_METHODS: usize = 99;
const GROWTH: f64 = 1.2;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    pure::run(bench)?;
    let added = added_and_calculated(bench).await?;
    discounted(bench, &added).await?;
    not_matching(bench).await?;
    growing(bench).await
}

fn lamp(number: usize) -> Value {
    product(number, &[json!({"value": euros(1_000 + number)})])
}

/// Creates the Products, and what shipping to them needs. Returns a connection.
pub(super) async fn fill(server: &MeasuredServer) -> anyhow::Result<LoadConnection> {
    let mut shop = create_shop(server).await?;
    for number in 0..PRODUCTS {
        create_resource(&mut shop, "products", lamp(number)).await?;
    }
    Ok(shop)
}

pub(super) fn cart(line_items: usize, code: Option<&str>) -> Value {
    let items: Vec<Value> = (0..line_items).map(|number| json!({"sku": format!("lamp-{number}")})).collect();
    json!({
        "currency": "EUR", "country": "DE", "lineItems": items, "discountCodes": code.into_iter().collect::<Vec<_>>(),
        "shippingAddress": {"country": "DE"}, "shippingMethod": {"typeId": "shipping-method", "key": "post"},
    })
}

/// A client that adds a line item to existing Carts, to each once.
pub(super) struct LineItemAdder(Vec<VersionedDocument>);

impl LoadClient for LineItemAdder {
    fn next(&mut self) -> Option<LoadRequest> {
        let cart = self.0.pop()?;
        let action = json!({"action": "addLineItem", "sku": format!("lamp-{LINE_ITEMS}")});
        let body = json!({"version": cart.version, "actions": [action]});
        Some(LoadRequest::post(path(&format!("carts/{}", cart.id)), body.to_string()))
    }
}

/// Returns one adding client for each connection, each with its own Carts.
pub(super) fn line_item_adders(carts: &[VersionedDocument]) -> Vec<LineItemAdder> {
    distribute(carts).map(LineItemAdder).collect()
}

/// Measures the recalculation of Carts of this draft, one caller each.
async fn recalculated(
    server: &MeasuredServer,
    draft: &Value,
    (callers, requests): (usize, u64),
) -> anyhow::Result<LoadResult> {
    let all = carts(server, draft, callers).await?;
    let recalculator = |cart| {
        RepeatedUpdater::new(cart, "carts", |_, count| {
            let email = format!("customer-{count}@example.com");
            json!([{"action": "setCustomerEmail", "email": email}, {"action": "recalculate"}])
        })
    };
    let clients = all.into_iter().map(recalculator).collect();
    measure(server, clients, load_limits(requests, 30)).await
}

async fn added_and_calculated(bench: &mut Bench) -> anyhow::Result<LoadResult> {
    let server = bench.kontor.start(&bench.folder("carts")).await?;
    fill(&server).await?;
    let (ids, _) = create(&server, 0..CONNECTIONS, StateWidth::Usual).await?;
    let states = measure(&server, renamers(&ids), load_limits(20_000, 10)).await?;
    let ready = carts(&server, &cart(LINE_ITEMS, None), CARTS).await?;
    let added = measure(&server, line_item_adders(&ready), load_limits(ADDED as u64, 60)).await?;
    bench.table.add(BenchRow {
        name: format!(
            "add a line item to a Cart of {LINE_ITEMS}, {CONNECTIONS} callers on disk: CPU compared with a State"
        ),
        value: added.cpu_us() / states.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(BESIDE_STATE),
        kontor: added.line(),
        comparison: format!("durable update of a State: {}", states.line()),
    });
    let few = recalculated(&server, &cart(LINE_ITEMS, None), (8, CALCULATED)).await?;
    let many = cart(LINE_ITEMS_MAX, None);
    let many = recalculated(&server, &many, (2, CALCULATED_LARGE_CARTS)).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!(
            "recalculate a Cart of {LINE_ITEMS_MAX} line items: CPU a line item compared with {LINE_ITEMS}"
        ),
        value: many.cpu_us() / few.cpu_us() * LINE_ITEMS as f64 / LINE_ITEMS_MAX as f64,
        unit: "×",
        target: BenchTarget::None,
        kontor: many.line(),
        comparison: format!("{LINE_ITEMS} line items: {}", few.line()),
    });
    Ok(added)
}

/// A discount that takes a share of the line items with a SKU, where the Cart has one with another.
fn discount(number: usize, (needed, target): (&str, &str), needs_code: bool) -> Value {
    json!({
        "key": format!("discount-{number}"), "name": {"en": "Some per cent"},
        "value": {"type": "relative", "permyriad": 100 + number},
        "cartPredicate": format!("lineItemExists(sku = \"{needed}\") = true"),
        "target": {"type": "lineItems", "predicate": target},
        "sortOrder": format!("0.{:03}1", number + 1), "requiresDiscountCode": needs_code,
    })
}

/// Three discounts that match Carts with the first Product, and a fourth with the code `TENTH`.
pub(super) async fn discount_all(shop: &mut LoadConnection) -> anyhow::Result<()> {
    let targets = ["sku = \"lamp-1\"", "true", "sku in (\"lamp-2\", \"lamp-3\")"];
    for (number, target) in targets.iter().enumerate() {
        create_resource(shop, "cart-discounts", discount(number, ("lamp-0", target), false)).await?;
    }
    create_resource(shop, "cart-discounts", discount(3, ("lamp-0", "true"), true)).await?;
    let of_code = json!([{"typeId": "cart-discount", "key": "discount-3"}]);
    create_resource(shop, "discount-codes", json!({"code": "TENTH", "cartDiscounts": of_code}))
        .await
        .map(drop)
}

async fn discounted(bench: &mut Bench, plain: &LoadResult) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("discounted-carts")).await?;
    discount_all(&mut fill(&server).await?).await?;
    let ready = carts(&server, &cart(LINE_ITEMS, Some("TENTH")), CARTS).await?;
    let added = measure(&server, line_item_adders(&ready), load_limits(ADDED as u64, 60)).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!(
            "add a line item to a Cart of {LINE_ITEMS} with three discounts and a code: CPU compared with none"
        ),
        value: added.cpu_us() / plain.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(DISCOUNTED),
        kontor: added.line(),
        comparison: format!("without: {}", plain.line()),
    });
    Ok(())
}

/// Measures discounts that do not match and discounts that do.
async fn not_matching(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("many-discounts")).await?;
    let mut shop = fill(&server).await?;
    let draft = cart(LINE_ITEMS, None);
    let none = recalculated(&server, &draft, (8, CALCULATED)).await?;
    for number in 0..MATCHING {
        create_resource(&mut shop, "cart-discounts", discount(number, ("lamp-0", "sku = \"lamp-1\""), false))
            .await?;
    }
    let matching = recalculated(&server, &draft, (8, CALCULATED)).await?;
    for number in MATCHING..MATCHING + OTHERS {
        create_resource(&mut shop, "cart-discounts", discount(number, ("lamp-400", "true"), false)).await?;
    }
    let all = recalculated(&server, &draft, (8, CALCULATED)).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!(
            "{OTHERS} discounts that do not match, {LINE_ITEMS} line items, over HTTP: CPU of each"
        ),
        value: (all.cpu_us() - matching.cpu_us()).max(0.0) / OTHERS as f64,
        unit: " µs",
        target: BenchTarget::AtMost(1.0),
        kontor: all.line(),
        comparison: format!("{MATCHING} that match alone: {}", matching.line()),
    });
    bench.table.add(BenchRow {
        name: format!(
            "{} discounts of which {MATCHING} match, {LINE_ITEMS} line items, over HTTP: CPU of all of them",
            MATCHING + OTHERS
        ),
        value: (all.cpu_us() - none.cpu_us()).max(0.0),
        unit: " µs",
        target: BenchTarget::None,
        kontor: all.line(),
        comparison: format!("without discounts: {}", none.line()),
    });
    Ok(())
}

/// Creates Products with these numbers.
async fn products(server: &MeasuredServer, numbers: Range<usize>) -> anyhow::Result<()> {
    let draft = |number| lamp(number).to_string();
    create_documents(server, &path("products"), numbers, MAKING_MAX, draft).await.map(drop)
}

async fn growing(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("growing-carts")).await?;
    fill(&server).await?;
    products(&server, PRODUCTS..FEW).await?;
    let ready = carts(&server, &cart(LINE_ITEMS, None), CARTS).await?;
    let few = measure(&server, line_item_adders(&ready), load_limits(ADDED as u64, 60)).await?;
    products(&server, FEW..MANY).await?;
    carts(&server, &cart(1, None), MANY - CARTS).await?;
    let mut shop = LoadConnection::open(&server).await?;
    for number in 0..SHIPPING_METHODS {
        shipping_method(&mut shop, &format!("method-{number}")).await?;
    }
    let ready = carts(&server, &cart(LINE_ITEMS, None), CARTS).await?;
    let many = measure(&server, line_item_adders(&ready), load_limits(ADDED as u64, 60)).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!(
            "add a line item to a Cart of {LINE_ITEMS}, one of {} Carts, Products too, {} Shipping Methods: CPU compared with {} and 1",
            thousands(MANY),
            SHIPPING_METHODS + 1,
            thousands(FEW),
        ),
        value: many.cpu_us() / few.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(GROWTH),
        kontor: many.line(),
        comparison: few.line(),
    });
    Ok(())
}
