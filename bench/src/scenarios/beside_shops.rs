//! Carts and checkouts beside other servers that a shop could run: Vendure, which calculates as much, and the mock, which
//! calculates nothing.

use super::carts::{ADDED, CARTS, LINE_ITEMS, adders, cart, discount_all, fill};
use super::order_shop::{carts, euros, make};
use super::orders::{Buyer, CALLS};
use super::{Bench, bounds, measure, order_shop};
use crate::load::{Ask, Client, Connection, Measured, ensure_success};
use crate::node_peer::{MOCK, VENDURE};
use crate::table::{Row, Target};
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};
use kontor_tests_postgres::Server as Postgres;

/// Line items that are added to Carts of the others, who take much longer.
const ADDED_BESIDE: usize = 100;
const CARTS_BESIDE: usize = 4 * ADDED_BESIDE;
/// Checkouts of a round.
const CHECKOUTS: u64 = 2_000;
const CHECKOUTS_BESIDE: u64 = 100;
/// How often each is measured, of which the least counts: whatever else runs on a machine only adds to what a server takes, and
/// by a third from one minute to the next on those that are shared.
const ROUNDS: usize = 2;
/// Promotions beside three discounts and a code.
const PROMOTIONS: usize = 4;
/// Callers of a server on one thread: more of them would only wait for each other.
const CALLERS: usize = 4;
/// How many times less of a core a change of a Cart shall take.
const OF_VENDURE: f64 = 50.0;
const CHECKOUT_OF_VENDURE: f64 = 60.0;
const OF_MOCK: f64 = 4.0;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    if !bench.with_mock {
        return Ok(());
    }
    let mut least = round(bench).await?;
    for _ in 1..ROUNDS {
        for (least, measured) in least.iter_mut().zip(round(bench).await?) {
            if measured.cpu_us() < least.cpu_us() {
                *least = measured;
            }
        }
    }
    let [plain, of_vendure, discounted, discounted_of_vendure, checkout, checkout_of_vendure] = least;
    let of_mock = mocked(bench).await?;
    let add = format!("add a line item to a Cart of {LINE_ITEMS}");
    let add_discounted = format!("{add} with three discounts and a code");
    let rows = [
        beside(&add, ("Vendure", &of_vendure), &plain, 1, OF_VENDURE),
        beside(&add_discounted, ("Vendure", &discounted_of_vendure), &discounted, 1, OF_VENDURE),
        beside(
            "checkout of six calls",
            ("Vendure", &checkout_of_vendure),
            &checkout,
            CALLS,
            CHECKOUT_OF_VENDURE,
        ),
        beside(&add, ("the mock", &of_mock), &plain, 1, OF_MOCK),
    ];
    for row in rows {
        bench.table.add(row);
    }
    Ok(())
}

/// What each takes by turns: a line item, ours and theirs; the same with discounts; a checkout.
async fn round(bench: &Bench) -> anyhow::Result<[Measured; 6]> {
    let plain = added(bench, false).await?;
    let (of_vendure, checkout_of_vendure) = vendure(bench, 0, None).await?;
    let checkout = checked_out(bench).await?;
    let (discounted_of_vendure, _) = vendure(bench, PROMOTIONS, None).await?;
    let discounted = added(bench, true).await?;
    Ok([plain, of_vendure, discounted, discounted_of_vendure, checkout, checkout_of_vendure])
}

/// The CPU of another shop by ours, for the same work of so many calls.
pub(super) fn beside(
    what: &str,
    (peer, theirs): (&str, &Measured),
    ours: &Measured,
    calls: u64,
    least: f64,
) -> Row {
    Row {
        what: format!("{what} beside {peer}: CPU"),
        value: theirs.cpu_us() / ours.cpu_us(),
        unit: "×",
        target: Target::AtLeast(least),
        kontor: line(ours, calls),
        beside: format!("{peer}: {}", line(theirs, calls)),
    }
}

/// What was measured, for so many calls at a time.
fn line(measured: &Measured, calls: u64) -> String {
    match calls {
        1 => measured.line(),
        calls => format!("{:.2} ms of CPU for {calls} calls", measured.cpu_us() * calls as f64 / 1_000.0),
    }
}

async fn added(bench: &Bench, with_discounts: bool) -> anyhow::Result<Measured> {
    let folder = bench.folder(&format!("beside-{with_discounts}"));
    let server = bench.kontor.start(&folder).await?;
    let mut shop = fill(&server).await?;
    if with_discounts {
        discount_all(&mut shop).await?;
    }
    let code = with_discounts.then_some("TENTH");
    let ready = carts(&server, &cart(LINE_ITEMS, code), CARTS).await?;
    let added = measure(&server, adders(&ready), bounds(ADDED as u64, 60)).await?;
    server.stop()?;
    fs_err::remove_dir_all(folder)?;
    Ok(added)
}

async fn checked_out(bench: &Bench) -> anyhow::Result<Measured> {
    let folder = bench.folder("beside-checkout");
    let server = bench.kontor.start(&folder).await?;
    order_shop::fill(&server, 1_000_000).await?;
    let buyers = (0..crate::document::CONNECTIONS).map(|_| Buyer::new()).collect();
    let calls = measure(&server, buyers, bounds(CALLS * CHECKOUTS, 60)).await?;
    server.stop()?;
    fs_err::remove_dir_all(folder)?;
    Ok(calls)
}

/// What the mock takes to add a line item, by SKU as everywhere.
async fn mocked(bench: &Bench) -> anyhow::Result<Measured> {
    let mut server = MOCK.start(bench.cores, &[])?;
    // It looks at no token, and wants one.
    server.authorization = Some("Bearer any".to_owned());
    let mut shop = Connection::open(&server).await?;
    make(&mut shop, "product-types", json!({"key": "any", "name": "Any", "description": "Anything"})).await?;
    for number in 0..=LINE_ITEMS {
        let sku = format!("lamp-{number}");
        let price = json!({"value": euros(1_000 + number)});
        let draft = json!({
            "key": sku, "productType": {"typeId": "product-type", "key": "any"}, "name": {"en": sku}, "slug": {"en": sku},
            "publish": true, "masterVariant": {"sku": sku, "prices": [price]},
        });
        make(&mut shop, "products", draft).await?;
    }
    let items: Vec<Value> = (0..LINE_ITEMS).map(|number| json!({"sku": format!("lamp-{number}")})).collect();
    let draft = json!({"currency": "EUR", "country": "DE", "lineItems": items});
    let ready = carts(&server, &draft, CARTS_BESIDE).await?;
    let added = measure(&server, adders(&ready), bounds(ADDED_BESIDE as u64, 60)).await?;
    server.stop()?;
    Ok(added)
}

/// What Vendure takes to add a line item, and for a call of a checkout; over PostgreSQL together with that.
pub(super) async fn vendure(
    bench: &Bench,
    promotions: usize,
    database: Option<&Postgres>,
) -> anyhow::Result<(Measured, Measured)> {
    VENDURE.install(bench.cores)?;
    let folder = bench.folder(&format!("vendure-{promotions}"));
    fs_err::create_dir_all(&folder)?;
    let mut arguments = vec![folder.clone().into(), promotions.to_string().into()];
    arguments.extend(database.map(|database| database.url().into()));
    let mut server = VENDURE.start(bench.cores, &arguments)?;
    server.helper = database.map(Postgres::process).transpose()?;
    let mut shop = Connection::open(&server).await?;
    let mut ready = Vec::with_capacity(CARTS_BESIDE);
    for _ in 0..CARTS_BESIDE {
        ready.push(vendure_cart(&mut shop, promotions > 0).await?);
    }
    let mut visitors = Vec::new();
    for _ in 0..CALLERS {
        let begun = shop.answer(vendure_ask("{ activeOrder { id } }".to_owned())).await?;
        visitors.push(VendureBuyer { authorization: session_of(&begun)?, step: 0 });
    }
    let share = ready.len() / CALLERS;
    let adders = ready.chunks(share).map(|mine| VendureAdder(mine.to_vec())).collect();
    let added = measure(&server, adders, bounds(ADDED_BESIDE as u64, 120)).await?;
    let calls = measure(&server, visitors, bounds(CALLS * CHECKOUTS_BESIDE, 120)).await?;
    server.stop()?;
    fs_err::remove_dir_all(folder)?;
    Ok((added, calls))
}

fn vendure_ask(query: String) -> Ask {
    Ask::post("/shop-api", json!({"query": query}).to_string())
}

/// The `Authorization` of a visitor who has just begun.
fn session_of(answer: &hyper::Response<Bytes>) -> anyhow::Result<String> {
    let token = answer.headers().get("vendure-auth-token").context("Vendure began no session")?;
    Ok(format!("Bearer {}", token.to_str()?))
}

/// A visitor with a cart of ten lines.
async fn vendure_cart(shop: &mut Connection, with_coupon: bool) -> anyhow::Result<String> {
    let item = |number| format!("{{productVariantId: \"{number}\", quantity: 1}}");
    let items = (1..=LINE_ITEMS).map(item).collect::<Vec<_>>().join(", ");
    let query = format!(
        "mutation {{ addItemsToOrder(inputs: [{items}]) {{ errorResults {{ __typename }} order {{ id }} }} }}"
    );
    let begun = shop.answer(vendure_ask(query)).await?;
    ensure_none(begun.status(), begun.body())?;
    let authorization = session_of(&begun)?;
    if with_coupon {
        let coupon = "mutation { applyCouponCode(couponCode: \"TENTH\") { __typename } }".to_owned();
        let (status, body) = shop.ask(vendure_ask(coupon).by(authorization.clone())).await?;
        ensure_none(status, &body)?;
    }
    Ok(authorization)
}

/// An error with the answer's text where Vendure refused something, which it says with 200.
fn ensure_none(status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
    ensure_success(status, body)?;
    let text = String::from_utf8_lossy(body);
    ensure!(!text.contains("\"errors\"") && !text.contains("Error\""), "Vendure refused: {text}");
    Ok(())
}

/// Adds the eleventh line, each time as another visitor.
struct VendureAdder(Vec<String>);

impl Client for VendureAdder {
    fn next(&mut self) -> Option<Ask> {
        let query = format!(
            "mutation {{ addItemToOrder(productVariantId: \"{}\", quantity: 1) {{ __typename ... on Order {{ id totalWithTax \
             shippingWithTax discounts {{ amountWithTax }} lines {{ id quantity unitPriceWithTax linePriceWithTax }} }} }} }}",
            LINE_ITEMS + 1
        );
        self.0.pop().map(|authorization| vendure_ask(query).by(authorization))
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_none(status, body)
    }
}

/// Goes through checkouts: a line, who and where, the way to ship, the step to payment, the payment.
struct VendureBuyer {
    authorization: String,
    step: usize,
}

impl Client for VendureBuyer {
    fn next(&mut self) -> Option<Ask> {
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
        Some(vendure_ask(query).by(self.authorization.clone()))
    }

    fn seen(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        ensure_none(status, body)
    }
}
