//! Requests of every kind at three sizes: memory use and response length grow at most linearly with their size.
//!
//! A shape is a way to ask for more: a larger page, more aliases, more messages in a batch. Each is sent at sizes 1, 2
//! and 4. Measured are the memory that the response took from the server's budget, the length of the response, and the
//! memory peak of the process; no times.

use crate::harness::{ApiCaller, ServerUnderTest, folder, serve};
use kontor_json::{Value, json};
use std::process::Stdio;

/// The sizes of each shape.
const SIZES: [usize; 3] = [1, 2, 4];
/// Number of documents of each resource type: as many as the largest page has.
const DOCUMENTS: usize = 40;
/// Number of documents on a page of size 1.
const PAGE: usize = DOCUMENTS / 4;
/// Length of a long text in each document, which makes pages large enough to be metered.
const TEXT_BYTES: usize = 32 * 1024;
/// Tolerated growth: memory is charged in chunks, and responses have fields around their lists.
const FREE_BYTES: usize = 2 * 1024 * 1024;
/// Tolerated differences in the memory of the process, from caches and the allocator.
const FREE_MEMORY_BYTES: usize = 48 * 1024 * 1024;

/// A way to ask for more: the request for each size.
struct RequestShape {
    name: String,
    ask: Box<dyn Fn(usize) -> ShapedRequest>,
}

/// Creates the draft of a document from its number.
type DraftMaker<'a> = Box<dyn Fn(usize) -> Value + 'a>;

/// A request: a GET, or a POST if it has a body.
struct ShapedRequest {
    path: String,
    body: Option<Value>,
}

/// The measured cost of a request, in bytes.
#[derive(Debug, Clone, Copy, Default)]
struct RequestCost {
    response: usize,
    charged: usize,
    memory: usize,
}

fn get(path: String) -> ShapedRequest {
    ShapedRequest { path, body: None }
}

fn post(path: &str, body: Value) -> ShapedRequest {
    ShapedRequest { path: path.to_owned(), body: Some(body) }
}

fn graphql(query: String) -> ShapedRequest {
    post("/shop/graphql", json!({"query": query}))
}

fn repeated(count: usize, each: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(each).collect::<Vec<_>>().join(between)
}

fn shape(name: &str, ask: impl Fn(usize) -> ShapedRequest + 'static) -> RequestShape {
    RequestShape { name: name.to_owned(), ask: Box::new(ask) }
}

/// Resource types with the drafts of their documents; `long` is a localized long text.
fn kinds(long: &Value) -> Vec<(&'static str, DraftMaker<'_>)> {
    let key = |of: &'static str, at: usize| json!(format!("{of}-{at}"));
    let money = json!({"currencyCode": "EUR", "centAmount": 100});
    vec![
        (
            "states",
            Box::new(move |at| json!({"key": key("state", at), "type": "OrderState", "description": long})),
        ),
        (
            "zones",
            Box::new(move |at| json!({"key": key("zone", at), "name": "zone", "description": long["en"]})),
        ),
        (
            "tax-categories",
            Box::new(
                move |at| json!({"key": key("tax", at), "name": key("tax", at), "description": long["en"], "rates": []}),
            ),
        ),
        ("channels", Box::new(move |at| json!({"key": key("channel", at), "description": long}))),
        (
            "categories",
            Box::new(move |at| {
                json!({"key": key("category", at), "name": {"en": "c"}, "slug": {"en": key("category", at)},
                "description": long, "parent": (at > 0).then(|| json!({"typeId": "category", "key": "category-0"}))})
            }),
        ),
        (
            "products",
            Box::new(move |at| {
                let prices: Vec<Value> = (1..=5)
                    .map(|cents| {
                        json!({"value": {"currencyCode": "EUR", "centAmount": cents},
                "country": ["DE", "US", "GB", "FR", "IT"][cents - 1]})
                    })
                    .collect();
                json!({"key": key("product", at), "productType": {"typeId": "product-type", "key": "thing"}, "publish": true,
                "name": {"en": "p"}, "slug": {"en": key("product", at)}, "description": long,
                "categories": [{"typeId": "category", "key": "category-0"}],
                "masterVariant": {"sku": key("sku", at), "prices": prices}})
            }),
        ),
        (
            "reviews",
            Box::new(
                move |at| json!({"key": key("review", at), "text": long["en"], "target": {"typeId": "product", "key": "product-0"}}),
            ),
        ),
        (
            "custom-objects",
            Box::new(move |at| {
                let target = json!({"typeId": "product", "key": "product-1"});
                json!({"container": "all", "key": key("object", at), "value": {"text": long["en"], "to": [target]}})
            }),
        ),
        (
            "customers",
            Box::new(
                move |at| json!({"key": key("customer", at), "email": format!("c{at}@example.com"), "password": "p", "companyName": "c"}),
            ),
        ),
        (
            "shopping-lists",
            Box::new(move |at| {
                json!({"key": key("list", at), "name": {"en": "l"}, "description": long,
                "lineItems": [{"sku": "sku-0"}, {"sku": "sku-1"}]})
            }),
        ),
        (
            "carts",
            Box::new(
                move |at| json!({"key": key("cart", at), "currency": "EUR", "country": "DE", "lineItems": [{"sku": "sku-0"}, {"sku": "sku-1"}]}),
            ),
        ),
        (
            "types",
            Box::new(
                move |at| json!({"key": key("type", at), "name": {"en": "t"}, "description": long, "resourceTypeIds": ["order"]}),
            ),
        ),
        ("payments", Box::new(move |at| json!({"key": key("payment", at), "amountPlanned": money}))),
        ("product-selections", Box::new(move |at| json!({"key": key("selection", at), "name": {"en": "s"}}))),
        (
            "inventory",
            Box::new(move |at| json!({"key": key("stock", at), "sku": key("sku", at), "quantityOnStock": 5})),
        ),
    ]
}

/// Fills the project.
fn fill(client: &ApiCaller) {
    let (status, project) = client.get("/shop");
    assert_eq!(status, 200);
    let actions = json!({"version": project["version"], "actions": [
        {"action": "changeCountries", "countries": ["DE", "US", "GB", "FR", "IT"]},
        {"action": "changeMessagesConfiguration", "messagesConfiguration": {"enabled": true, "deleteDaysAfterCreation": 15}},
        {"action": "changeProductSearchIndexingEnabled", "enabled": true, "mode": "ProductsSearch"},
        {"action": "changeProductSearchIndexingEnabled", "enabled": true, "mode": "ProductProjectionsSearch"},
    ]});
    assert_eq!(client.post("/shop", &actions).0, 200);
    let types = json!({"key": "thing", "name": "thing", "description": "thing"});
    assert_eq!(client.post("/shop/product-types", &types).0, 201);
    let long = json!({"en": "x".repeat(TEXT_BYTES)});
    for (path, draft) in kinds(&long) {
        for at in 0..DOCUMENTS {
            let (status, created) = client.post(&format!("/shop/{path}"), &draft(at));
            assert_eq!(status, 201, "{path}: {}", created["message"]);
        }
    }
    let (_, target) = client.get("/shop/products/key=product-2");
    let references = |count: usize| vec![json!({"typeId": "product", "id": target["id"]}); count];
    for size in SIZES {
        let many =
            json!({"container": "many", "key": format!("to-{size}"), "value": references(size * PAGE)});
        assert_eq!(client.post("/shop/custom-objects", &many).0, 201);
    }
    let agents = json!({"key": "agent", "state": "Enabled",
        "mcpServer": {"type": "CommerceMCP", "majorVersion": "v4", "tools": ["all"]}});
    assert_eq!(client.post("/shop/mcp-servers", &agents).0, 201);
    assert_eq!(client.post("/import/shop/import-containers", &json!({"key": "all"})).0, 201);
}

/// Pages of each resource type, with REST and with GraphQL.
fn pages() -> Vec<RequestShape> {
    let long = json!({"en": ""});
    let mut shapes = Vec::new();
    for (path, _) in kinds(&long) {
        for (way, parameters) in [
            ("page", ""),
            ("sorted page", "&sort=lastModifiedAt%20desc"),
            ("page that matches", "&where=version%20%3E%200"),
        ] {
            shapes.push(shape(&format!("{way} of {path}"), move |size| {
                get(format!("/shop/{path}?limit={}{parameters}", size * PAGE))
            }));
        }
    }
    for (path, expand) in [
        ("categories", "parent"),
        ("products", "categories%5B*%5D"),
        ("reviews", "target"),
        ("reviews", "target.productType"),
        ("shopping-lists", "lineItems%5B*%5D.productType"),
        ("carts", "lineItems%5B*%5D.productType"),
    ] {
        shapes.push(shape(&format!("page of {path} with {expand}"), move |size| {
            get(format!("/shop/{path}?limit={}&expand={expand}", size * PAGE))
        }));
    }
    for (query, fields) in [
        (
            "products",
            "masterData{current{description(locale:\"en\") categories{description(locale:\"en\")}}}",
        ),
        ("categories", "description(locale:\"en\") parent{description(locale:\"en\")} ancestors{key}"),
        ("states", "key descriptionAllLocales{locale value}"),
        ("reviews", "text target{... on Product{masterData{current{description(locale:\"en\")}}}}"),
        ("shoppingLists", "description(locale:\"en\") lineItems{name(locale:\"en\") variant{sku}}"),
        ("carts", "lineItems{name(locale:\"en\") variant{sku prices{value{centAmount}}}}"),
    ] {
        shapes.push(shape(&format!("GraphQL page of {query}"), move |size| {
            graphql(format!("{{{query}(limit:{}){{total results{{id {fields}}}}}}}", size * PAGE))
        }));
    }
    shapes
}

/// Other read requests that can ask for more at once.
fn reads() -> Vec<RequestShape> {
    let product = "masterData{current{description(locale:\"en\")}}";
    vec![
        shape("expansion of one document", |size| {
            get(format!("/shop/custom-objects/many/to-{size}?expand=value%5B*%5D"))
        }),
        shape("projections", |size| get(format!("/shop/product-projections?limit={}", size * PAGE))),
        shape("projections with a price", |size| {
            get(format!("/shop/product-projections?limit={}&priceCurrency=EUR&priceCountry=DE", size * PAGE))
        }),
        shape("products by id", |size| {
            let keys = repeated(size * PAGE, |at| format!("%22product-{at}%22"), ",");
            get(format!("/shop/products?limit={DOCUMENTS}&where=key%20in%20({keys})"))
        }),
        shape("predicate of many terms", |size| {
            let terms = repeated(size * 4, |at| format!("version%20%3E%20{at}"), "%20or%20");
            get(format!("/shop/products?limit=1&where={terms}"))
        }),
        shape("many predicates", |size| {
            get(format!(
                "/shop/products?limit=1&{}",
                repeated(size * 4, |at| format!("where=version%20%3C%20{}", at + 99), "&")
            ))
        }),
        shape("many expansion paths", |size| {
            let paths = ["productType", "categories%5B*%5D", "categories%5B*%5D.parent", "taxCategory"];
            get(format!(
                "/shop/products?limit={PAGE}&{}",
                repeated(size, |at| format!("expand={}", paths[at % 4]), "&")
            ))
        }),
        shape("large offset", |size| {
            get(format!("/shop/products?limit=1&sort=version%20asc&offset={}", size * PAGE - 1))
        }),
        shape("messages", |size| get(format!("/shop/messages?limit={}", size * PAGE))),
        shape("history", |size| get(format!("/history/shop?limit={}", size * 5))),
        shape("history in several queries", |size| {
            let query = |at: usize| format!("r{at}: records(limit: 5){{results{{version type}}}}");
            post("/history/shop/graphql", json!({"query": format!("{{{}}}", repeated(size * 4, query, " "))}))
        }),
        shape("search with facets", |size| {
            let facet =
                |at: usize| json!({"distinct": {"name": format!("f{at}"), "field": "key", "limit": 50}});
            let facets: Vec<Value> = (0..size * 4).map(facet).collect();
            post("/shop/products/search", json!({"limit": 1, "facets": facets}))
        }),
        shape("search with projections", |size| {
            post("/shop/products/search", json!({"limit": size * PAGE, "productProjectionParameters": {}}))
        }),
        shape("search of many words", |size| {
            let one = |at: usize| json!({"exact": {"field": "key", "value": format!("product-{at}")}});
            let any: Vec<Value> = (0..size * 8).map(one).collect();
            post("/shop/products/search", json!({"limit": 5, "query": {"or": any}}))
        }),
        shape("projection search", |size| {
            get(format!("/shop/product-projections/search?limit={}", size * PAGE))
        }),
        shape("projection search with facets", |size| {
            let facet = |at: usize| format!("facet=variants.sku%20as%20f{at}");
            get(format!("/shop/product-projections/search?limit=1&{}", repeated(size * 4, facet, "&")))
        }),
        shape("aliases of a field", move |size| {
            let alias = |at: usize| format!("a{at}: description(locale:\"en\")");
            graphql(format!(
                "{{products(limit:{PAGE}){{results{{masterData{{current{{{}}}}}}}}}}}",
                repeated(size * 4, alias, " ")
            ))
        }),
        shape("aliases of a page", move |size| {
            graphql(format!(
                "{{{}}}",
                repeated(size, |at| format!("p{at}: products(limit:{PAGE}){{results{{{product}}}}}"), " ")
            ))
        }),
        shape("aliases of a document", move |size| {
            graphql(format!(
                "{{{}}}",
                repeated(size * 8, |at| format!("p{at}: product(key:\"product-{at}\"){{{product}}}"), " ")
            ))
        }),
        shape("nested selections", |size| {
            let (open, close) = ("parent{key ".repeat(size * 4), "}".repeat(size * 4));
            graphql(format!("{{categories(limit:{PAGE}){{results{{{open}{close}}}}}}}"))
        }),
        shape("fragments", |size| {
            let fragments = repeated(size * 8, |at| format!("fragment f{at} on Product{{id key}}"), " ");
            let spread = repeated(size * 8, |at| format!("...f{at}"), " ");
            graphql(format!("{{products(limit:5){{results{{{spread}}}}}}} {fragments}"))
        }),
        shape("malformed query", |size| graphql("{".repeat(size * 500))),
    ]
}

/// A batch of MCP messages.
fn messages(count: usize, tool: &str, arguments: &dyn Fn(usize) -> Value) -> ShapedRequest {
    let message = |at: usize| json!({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": tool, "arguments": arguments(at)}});
    post("/mcp/projects/shop/agent", (0..count).map(message).collect())
}

/// Write requests. Each is sent once per size, with new names each time.
fn changes() -> Vec<RequestShape> {
    let lines =
        |count: usize| -> Value { (0..count).map(|at| json!({"sku": format!("sku-{at}")})).collect() };
    vec![
        shape("batch of reads for agents", |size| {
            messages(size * 5, "read_products", &|_| json!({"limit": 5}))
        }),
        shape("read for agents", |size| messages(1, "read_products", &|_| json!({"limit": size * PAGE}))),
        shape("changes in bulk for agents", |size| {
            let item = |at: usize| json!({"tool": "create_zones", "arguments": {"key": format!("bulk-{size}-{at}"), "name": "z"}});
            messages(1, "create_bulk", &|_| json!({"items": (0..size * 20).map(item).collect::<Value>()}))
        }),
        shape("cart of many lines", move |size| {
            post("/shop/carts", json!({"currency": "EUR", "country": "DE", "lineItems": lines(size * PAGE)}))
        }),
        shape("expanded cart", move |size| {
            post(
                "/shop/carts?expand=lineItems%5B*%5D.productType",
                json!({"currency": "EUR", "country": "DE", "lineItems": lines(size * PAGE)}),
            )
        }),
        shape("shopping list of many lines", move |size| {
            post("/shop/shopping-lists", json!({"name": {"en": "l"}, "lineItems": lines(size * PAGE)}))
        }),
        shape("product of many variants", |size| {
            let prices: Vec<Value> = ["DE", "US", "GB", "FR", "IT"]
                .iter()
                .map(|country| {
                    json!({"country": country,
                "value": {"currencyCode": "EUR", "centAmount": 100}})
                })
                .collect();
            let variants: Value = (0..size * 20)
                .map(|at| json!({"sku": format!("many-{size}-{at}"), "prices": prices}))
                .collect();
            post(
                "/shop/products",
                json!({"productType": {"typeId": "product-type", "key": "thing"}, "publish": true,
                "name": {"en": "p"}, "slug": {"en": format!("many-{size}")}, "key": format!("many-{size}"), "variants": variants}),
            )
        }),
        shape("cart of many variants of a product", |size| {
            let lines: Value = (0..size * 20).map(|at| json!({"sku": format!("many-4-{at}")})).collect();
            post("/shop/carts", json!({"currency": "EUR", "country": "DE", "lineItems": lines}))
        }),
        shape("many actions", |size| {
            let action =
                |at: usize| json!({"action": "setAssetKey", "assetId": "none", "assetKey": format!("k{at}")});
            let actions: Value = (0..size * 100).map(action).collect();
            post("/shop/categories/key=category-1", json!({"version": 1, "actions": actions}))
        }),
        shape("custom object of many members", |size| {
            let members: Value = (0..size * 2_000).map(|at| json!({"a": at})).collect();
            post(
                "/shop/custom-objects",
                json!({"container": "members", "key": format!("of-{size}"), "value": members}),
            )
        }),
        shape("import of many resources", |size| {
            let draft = |at: usize| json!({"key": format!("imported-{size}-{at}"), "name": {"en": "c"}, "slug": {"en": format!("imported-{size}-{at}")}});
            let resources: Value = (0..size * 5).map(draft).collect();
            post(
                "/import/shop/categories/import-containers/all",
                json!({"type": "category", "resources": resources}),
            )
        }),
        shape("changes by GraphQL", |size| {
            let change = |at: usize| {
                format!(
                    "z{at}: createZone(draft:{{key:\"gql-{size}-{at}\", name:\"z\", locations: []}}){{id}}"
                )
            };
            graphql(format!("mutation{{{}}}", repeated(size * 4, change, " ")))
        }),
    ]
}

/// Returns the value of a metric.
fn metric(client: &ApiCaller, name: &str) -> usize {
    let told = client.get_text("/metrics");
    let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse::<f64>().unwrap() as usize)
}

/// Sends a request and measures its cost.
fn measure(server: &ServerUnderTest, client: &ApiCaller, ask: &ShapedRequest, name: &str) -> RequestCost {
    const CHARGED: &str = "kontor_memory_taken_bytes_total";
    let before = metric(client, CHARGED);
    let memory_before = server.reset_memory_peak();
    let (status, response) = match &ask.body {
        None => client.get(&ask.path),
        Some(body) => client.post(&ask.path, body),
    };
    // Client errors are fine here, and other tests check them; server errors are not.
    assert!(status < 500, "{name}: {status} {response}");
    let memory = server.memory_peak_bytes().saturating_sub(memory_before);
    RequestCost { response: response.to_string().len(), charged: metric(client, CHARGED) - before, memory }
}

#[test]
fn request_cost_grows_at_most_linearly() {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--projection-search");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    fill(&client);
    let shapes: Vec<RequestShape> = pages().into_iter().chain(reads()).chain(changes()).collect();
    assert!(shapes.len() >= 79, "{} shapes", shapes.len());
    let mut grown_too_fast = Vec::new();
    let mut charged = 0;
    for RequestShape { name, ask } in &shapes {
        let taken = SIZES.map(|size| measure(&server, &client, &ask(size), name));
        charged += usize::from(taken[2].charged > 0);
        for (size, of_size) in SIZES.into_iter().zip(taken) {
            let is_linear =
                |bytes: usize, first: usize, free: usize| bytes <= first.max(1) * size * 3 / 2 + free;
            let is_fine = is_linear(of_size.response, taken[0].response, FREE_BYTES / 32)
                && is_linear(of_size.charged, taken[0].charged.max(taken[0].response), FREE_BYTES)
                && is_linear(of_size.memory, taken[0].memory, FREE_MEMORY_BYTES);
            if !is_fine {
                grown_too_fast.push(format!("{name} at size {size}: {of_size:?}, at size 1: {:?}", taken[0]));
            }
        }
    }
    assert!(grown_too_fast.is_empty(), "{grown_too_fast:#?}");
    assert!(charged > 20, "the server counted the memory of {charged} shapes alone");
}

#[test]
fn a_page_that_can_never_be_read_names_the_limit_that_fits() {
    let data = folder();
    let mut command = serve(data.path());
    command.args(["--memory-max", "128M"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    let text = "x".repeat(1024 * 1024);
    for at in 0..40 {
        let draft = json!({"container": "large", "key": format!("o{at}"), "value": text});
        assert_eq!(client.post("/shop/custom-objects", &draft).0, 201);
    }
    for sort in ["", "&sort=key%20asc", "&sort=value%20asc"] {
        let path = |limit: usize| format!("/shop/custom-objects?limit={limit}{sort}");
        let (status, refused) = client.get(&path(40));
        assert_eq!(status, 400, "{sort}");
        let message = refused["message"].as_str().unwrap();
        let limit = message.split_once("send limit=").and_then(|(_, rest)| rest.split(' ').next());
        let limit: usize = limit.unwrap_or_else(|| panic!("{message}")).parse().unwrap();
        assert!((20..40).contains(&limit), "{message}");
        let (status, page) = client.get(&path(limit));
        assert_eq!((status, &page["count"]), (200, &json!(limit)), "{sort}");
    }
}
