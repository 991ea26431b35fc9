//! The drafts of the catalog: Product Type, Categories and Products.

use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest};
use crate::process::MeasuredServer;
use anyhow::Context as _;
use kontor_json::{Value, json};

/// The number of Categories; each Product is in one.
pub(in crate::scenarios) const CATEGORIES: usize = 20;
const VARIANTS: usize = 4;
const PRICES: usize = 16;
const COUNTRIES: [&str; 8] = ["DE", "US", "GB", "FR", "IT", "ES", "NL", "AT"];
const CURRENCIES: [&str; 2] = ["EUR", "USD"];

/// How much a Product holds.
#[derive(Debug, Clone, Copy)]
pub(in crate::scenarios) enum ProductWidth {
    /// 4 variants with 16 prices each.
    Wide,
    /// One variant with one price, published.
    Thin,
    /// So many variants with one price each.
    Of(usize),
}

/// Creates the documents that Products refer to.
pub(super) async fn prepare(server: &MeasuredServer) -> anyhow::Result<()> {
    let mut connection = LoadConnection::open(server).await?;
    connection.json(LoadRequest::post(path("product-types"), product_type().to_string())).await?;
    for number in 0..CATEGORIES {
        let draft = category(number);
        let made = connection.json(LoadRequest::post(path("categories"), draft.to_string())).await?;
        let id = made["id"].as_str().context("no id")?.to_owned();
        CATEGORY_IDS.with(|ids| ids.borrow_mut().push(id));
    }
    Ok(())
}

/// The draft of the Product Type of all Products.
pub(in crate::scenarios) fn product_type() -> Value {
    let attributes = json!([
        {"name": "colour", "label": {"en": "Colour"}, "type": {"name": "text"}, "isRequired": false},
        {"name": "size", "label": {"en": "Size"}, "type": {"name": "number"}, "isRequired": false},
    ]);
    json!({"key": "bench", "name": "Bench", "description": "Measured", "attributes": attributes})
}

/// The draft of a Category.
pub(in crate::scenarios) fn category(number: usize) -> Value {
    let key = format!("category-{number}");
    json!({"key": key, "name": {"en": key}, "slug": {"en": key}})
}

thread_local! {
    static CATEGORY_IDS: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// The id of a Category.
pub(super) fn category_id(number: usize) -> String {
    CATEGORY_IDS.with(|ids| ids.borrow().get(number).cloned().unwrap_or_default())
}

/// The draft of a Product.
pub(in crate::scenarios) fn product(number: usize, width: ProductWidth, key: &str) -> Value {
    let (variants, prices, publish) = match width {
        ProductWidth::Wide => (VARIANTS, PRICES, false),
        ProductWidth::Thin => (1, 1, true),
        ProductWidth::Of(variants) => (variants, 1, false),
    };
    let mut variants = (0..variants).map(|at| variant(number, at, prices));
    let master = variants.next();
    json!({
        "key": key,
        "productType": {"key": "bench"},
        "name": {"en": format!("Product {number}"), "de": format!("Produkt {number}")},
        "slug": {"en": key},
        "description": {"en": "Something that is measured and never sold."},
        "categories": [{"key": format!("category-{}", number % CATEGORIES)}],
        "masterVariant": master,
        "variants": variants.collect::<Vec<_>>(),
        "publish": publish,
    })
}

fn variant(number: usize, at: usize, prices: usize) -> Value {
    let price = |place: usize| {
        let cents = 1_000 + (number + place) % 9_000;
        json!({
            "value": {"currencyCode": CURRENCIES[place % 2], "centAmount": cents},
            "country": COUNTRIES[place / 2],
        })
    };
    json!({
        "sku": format!("s{number}-{at}"),
        "prices": (0..prices).map(price).collect::<Vec<_>>(),
        "attributes": [{"name": "colour", "value": "red"}, {"name": "size", "value": at}],
        "images": [{"url": format!("https://example.com/{number}-{at}.png"), "dimensions": {"w": 400, "h": 300}}],
    })
}
