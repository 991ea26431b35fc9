//! Compares Carts and checkouts with two other servers: Vendure, which calculates as much, and the mock, which
//! calculates nothing.

use super::carts::{ADDED, LINE_ITEMS, cart, discount_all, fill, line_item_adders};
use super::order_shop::{carts, create_resource, euros};
use super::orders::{CALLS, CheckoutClient};
use super::{Bench, TURNS, load_limits, measure, measure_each_in_turns, order_shop};
use crate::load::{LoadClient, LoadConnection, LoadRequest, LoadResult, ensure_success};
use crate::node_peer::{MOCK, VENDURE};
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};
use kontor_tests_postgres::PostgresServer as Postgres;
use std::path::PathBuf;

/// The number of line items added in a turn of another server, which is much slower.
const ADDED_BESIDE: usize = 100;
/// The number of Carts for all turns and the warm-up.
const CARTS: usize = (TURNS + 1) * ADDED;
const CARTS_BESIDE: usize = (TURNS + 1) * ADDED_BESIDE;
/// The number of Checkouts in a turn.
const CHECKOUTS: u64 = 1_000;
const CHECKOUTS_BESIDE: u64 = 100;
/// The number of Vendure's promotions that correspond to three discounts and a code.
const PROMOTIONS: usize = 4;
/// Callers of a server on one thread: more of them would only wait for each other.
const CALLERS: usize = 4;
/// The target: how many times the CPU of Kontor Vendure takes for a change of a Cart.
const OF_VENDURE: f64 = 50.0;
const CHECKOUT_OF_VENDURE: f64 = 60.0;
const OF_MOCK: f64 = 4.0;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    if !bench.with_mock {
        return Ok(());
    }
    let added = format!("add a line item to a Cart of {LINE_ITEMS}");
    let (plain, of_vendure) = added_in_turns(bench, 0).await?;
    bench.table.add(compare_with_kontor(&added, ("Vendure", &of_vendure), &plain, 1, OF_VENDURE));
    let (discounted, of_vendure) = added_in_turns(bench, PROMOTIONS).await?;
    let what = format!("{added} with three discounts and a code");
    bench.table.add(compare_with_kontor(&what, ("Vendure", &of_vendure), &discounted, 1, OF_VENDURE));
    let (checkout, of_vendure) = checked_out_in_turns(bench).await?;
    let peer = ("Vendure", &of_vendure);
    bench.table.add(compare_with_kontor(
        "checkout of six calls",
        peer,
        &checkout,
        CALLS,
        CHECKOUT_OF_VENDURE,
    ));
    let of_mock = mocked(bench).await?;
    bench.table.add(compare_with_kontor(&added, ("the mock", &of_mock), &plain, 1, OF_MOCK));
    Ok(())
}

/// Measures adding a line item in Kontor and in Vendure, in turns. Both servers run all the time; the other one is
/// idle.
async fn added_in_turns(bench: &Bench, promotions: usize) -> anyhow::Result<(LoadResult, LoadResult)> {
    let folder = bench.folder(&format!("beside-{promotions}"));
    let server = bench.kontor.start(&folder).await?;
    let mut shop = fill(&server).await?;
    if promotions > 0 {
        discount_all(&mut shop).await?;
    }
    let ready = carts(&server, &cart(LINE_ITEMS, (promotions > 0).then_some("TENTH")), CARTS).await?;
    let peer = Vendure::start(bench, promotions, None).await?;
    let ours = (&server, line_item_adders(&ready), load_limits(ADDED as u64, 60));
    let theirs = (&peer.server, peer.adders(CARTS_BESIDE).await?, load_limits(ADDED_BESIDE as u64, 120));
    let measured = measure_each_in_turns(ours, theirs).await?;
    peer.stop()?;
    server.stop()?;
    fs_err::remove_dir_all(folder)?;
    Ok(measured)
}

/// Measures the calls of a checkout in Kontor and in Vendure, in turns.
async fn checked_out_in_turns(bench: &Bench) -> anyhow::Result<(LoadResult, LoadResult)> {
    let folder = bench.folder("beside-checkout");
    let server = bench.kontor.start(&folder).await?;
    order_shop::create_products(&server, 1_000_000).await?;
    let peer = Vendure::start(bench, 0, None).await?;
    let buyers = (0..crate::document::CONNECTIONS).map(|_| CheckoutClient::new()).collect();
    let ours = (&server, buyers, load_limits(CALLS * CHECKOUTS, 60));
    let theirs = (&peer.server, peer.buyers().await?, load_limits(CALLS * CHECKOUTS_BESIDE, 120));
    let measured = measure_each_in_turns(ours, theirs).await?;
    peer.stop()?;
    server.stop()?;
    fs_err::remove_dir_all(folder)?;
    Ok(measured)
}

/// Returns the row that compares another server with Kontor, by CPU for the same work of `calls` calls.
pub(super) fn compare_with_kontor(
    what: &str,
    (peer, theirs): (&str, &LoadResult),
    ours: &LoadResult,
    calls: u64,
    least: f64,
) -> BenchRow {
    BenchRow {
        name: format!("{what} compared with {peer}: CPU"),
        value: theirs.cpu_us() / ours.cpu_us(),
        unit: "×",
        target: BenchTarget::AtLeast(least),
        kontor: line(ours, calls),
        comparison: format!("{peer}: {}", line(theirs, calls)),
    }
}

/// Formats the result for this number of calls.
fn line(measured: &LoadResult, calls: u64) -> String {
    match calls {
        1 => measured.line(),
        calls => format!("{:.2} ms of CPU for {calls} calls", measured.cpu_us() * calls as f64 / 1_000.0),
    }
}

/// Measures adding a line item by SKU in the mock.
async fn mocked(bench: &Bench) -> anyhow::Result<LoadResult> {
    let mut server = MOCK.start(bench.cores, &[])?;
    // The mock does not check the token but requires one.
    server.authorization = Some("Bearer any".to_owned());
    let mut shop = LoadConnection::open(&server).await?;
    create_resource(
        &mut shop,
        "product-types",
        json!({"key": "any", "name": "Any", "description": "Anything"}),
    )
    .await?;
    for number in 0..=LINE_ITEMS {
        let sku = format!("lamp-{number}");
        let price = json!({"value": euros(1_000 + number)});
        let draft = json!({
            "key": sku, "productType": {"typeId": "product-type", "key": "any"}, "name": {"en": sku}, "slug": {"en": sku},
            "publish": true, "masterVariant": {"sku": sku, "prices": [price]},
        });
        create_resource(&mut shop, "products", draft).await?;
    }
    let items: Vec<Value> = (0..LINE_ITEMS).map(|number| json!({"sku": format!("lamp-{number}")})).collect();
    let draft = json!({"currency": "EUR", "country": "DE", "lineItems": items});
    let ready = carts(&server, &draft, CARTS_BESIDE).await?;
    let added = measure(&server, line_item_adders(&ready), load_limits(ADDED_BESIDE as u64, 60)).await?;
    server.stop()?;
    Ok(added)
}

/// Measures adding a line item and the calls of a checkout in Vendure over PostgreSQL, both processes together.
pub(super) async fn vendure(bench: &Bench, database: &Postgres) -> anyhow::Result<(LoadResult, LoadResult)> {
    let peer = Vendure::start(bench, 0, Some(database)).await?;
    let adders = peer.adders(CARTS_BESIDE).await?;
    let added = measure(&peer.server, adders, load_limits(ADDED_BESIDE as u64, 120)).await?;
    let calls =
        measure(&peer.server, peer.buyers().await?, load_limits(CALLS * CHECKOUTS_BESIDE, 120)).await?;
    peer.stop()?;
    Ok((added, calls))
}

/// A shop of Vendure.
struct Vendure {
    server: MeasuredServer,
    folder: PathBuf,
    promotions: usize,
}

impl Vendure {
    async fn start(bench: &Bench, promotions: usize, database: Option<&Postgres>) -> anyhow::Result<Self> {
        VENDURE.install(bench.cores)?;
        let folder = bench.folder(&format!("vendure-{promotions}"));
        fs_err::create_dir_all(&folder)?;
        let mut arguments = vec![folder.clone().into(), promotions.to_string().into()];
        arguments.extend(database.map(|database| database.url().into()));
        let mut server = VENDURE.start(bench.cores, &arguments)?;
        server.helper = database.map(Postgres::process).transpose()?;
        Ok(Self { server, folder, promotions })
    }

    /// Returns visitors with carts of ten lines that add another line.
    async fn adders(&self, carts: usize) -> anyhow::Result<Vec<VendureAdder>> {
        let mut shop = LoadConnection::open(&self.server).await?;
        let mut ready = Vec::with_capacity(carts);
        for _ in 0..carts {
            ready.push(vendure_cart(&mut shop, self.promotions > 0).await?);
        }
        Ok(ready.chunks(carts / CALLERS).map(|mine| VendureAdder(mine.to_vec())).collect())
    }

    /// Returns visitors that run checkouts.
    async fn buyers(&self) -> anyhow::Result<Vec<VendureBuyer>> {
        let mut shop = LoadConnection::open(&self.server).await?;
        let mut visitors = Vec::new();
        for _ in 0..CALLERS {
            let begun = shop.send_for_response(vendure_ask("{ activeOrder { id } }".to_owned())).await?;
            visitors.push(VendureBuyer { authorization: session_of(&begun)?, step: 0 });
        }
        Ok(visitors)
    }

    fn stop(self) -> anyhow::Result<()> {
        self.server.stop()?;
        Ok(fs_err::remove_dir_all(self.folder)?)
    }
}

fn vendure_ask(query: String) -> LoadRequest {
    LoadRequest::post("/shop-api", json!({"query": query}).to_string())
}

/// Returns the `Authorization` header of a new visitor's session.
fn session_of(reply: &hyper::Response<Bytes>) -> anyhow::Result<String> {
    let token = reply.headers().get("vendure-auth-token").context("Vendure began no session")?;
    Ok(format!("Bearer {}", token.to_str()?))
}

/// A visitor with a cart of ten lines.
async fn vendure_cart(shop: &mut LoadConnection, with_coupon: bool) -> anyhow::Result<String> {
    let item = |number| format!("{{productVariantId: \"{number}\", quantity: 1}}");
    let items = (1..=LINE_ITEMS).map(item).collect::<Vec<_>>().join(", ");
    let query = format!(
        "mutation {{ addItemsToOrder(inputs: [{items}]) {{ errorResults {{ __typename }} order {{ id }} }} }}"
    );
    let begun = shop.send_for_response(vendure_ask(query)).await?;
    ensure_none(begun.status(), begun.body())?;
    let authorization = session_of(&begun)?;
    if with_coupon {
        let coupon = "mutation { applyCouponCode(couponCode: \"TENTH\") { __typename } }".to_owned();
        let (status, body) = shop.send(vendure_ask(coupon).with_authorization(authorization.clone())).await?;
        ensure_none(status, &body)?;
    }
    Ok(authorization)
}

/// Fails with the response body if Vendure refused the request, which it does with a status of 200.
fn ensure_none(status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
    ensure_success(status, body)?;
    let text = String::from_utf8_lossy(body);
    ensure!(!text.contains("\"errors\"") && !text.contains("Error\""), "Vendure refused: {text}");
    Ok(())
}

/// A client that adds the eleventh line, each time as another visitor.
struct VendureAdder(Vec<String>);

impl LoadClient for VendureAdder {
    fn next(&mut self) -> Option<LoadRequest> {
        let query = format!(
            "mutation {{ addItemToOrder(productVariantId: \"{}\", quantity: 1) {{ __typename ... on Order {{ id totalWithTax \
             shippingWithTax discounts {{ amountWithTax }} lines {{ id quantity unitPriceWithTax linePriceWithTax }} }} }} }}",
            LINE_ITEMS + 1
        );
        self.0.pop().map(|authorization| vendure_ask(query).with_authorization(authorization))
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_none(status, body)
    }
}

/// A client that runs checkouts: a line, the customer and the address, the shipping method, the step to payment, the
/// payment.
struct VendureBuyer {
    authorization: String,
    step: usize,
}

impl LoadClient for VendureBuyer {
    fn next(&mut self) -> Option<LoadRequest> {
        const STEPS: [&str; CALLS as usize] = [
            "addItemToOrder(productVariantId: \"1\", quantity: 1)",
            "setCustomerForOrder(input: {firstName: \"A\", lastName: \"B\", emailAddress: \"buyer@example.com\"})",
            "setOrderShippingAddress(input: {streetLine1: \"1\", countryCode: \"DE\"})",
            "setOrderShippingMethod(shippingMethodId: [\"1\"])",
            "transitionOrderToState(state: \"ArrangingPayment\")",
            "addPaymentToOrder(input: {method: \"invoice\", metadata: {}})",
        ];
        let step = STEPS[self.step];
        self.step = (self.step + 1) % STEPS.len();
        let query = format!(
            "mutation {{ {step} {{ __typename ... on Order {{ id state totalWithTax lines {{ id }} }} }} }}"
        );
        Some(vendure_ask(query).with_authorization(self.authorization.clone()))
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_none(status, body)
    }
}
