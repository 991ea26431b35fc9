//! The edges of a server: metrics and trial servers are not public by default, responses have security headers, and a
//! file size limit counts as a full disk.

use crate::harness::{CommandResult, ServerUnderTest, folder, kontor, serve, text};
use kontor_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use ureq::http::Response;

fn get(url: &str) -> Response<ureq::Body> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    agent.get(url).call().unwrap()
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Returns a header of a response; an empty text if it is missing.
fn header<'r>(response: &'r Response<ureq::Body>, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[test]
fn metrics_have_one_path() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    assert_eq!(get(&format!("{}/metrics", server.url)).status(), 200);
    for path in
        ["/metrics/", "/metrics//", "/%6detrics", "//metrics", "/metrics/x", "/health/", "/health/ready/"]
    {
        assert_eq!(get(&format!("{}{path}", server.url)).status(), 404, "{path}");
    }
}

#[test]
fn metrics_are_not_public_by_default() {
    let data = folder();
    let figures = free_address();
    let mut command = serve(data.path());
    command.args(["--metrics-listen", &figures]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    assert_eq!(get(&format!("{}/metrics", server.url)).status(), 404);
    assert_eq!(get(&format!("http://{figures}/metrics")).status(), 200);
    for path in ["/metrics/", "/health", "/shop", "/_test/projects"] {
        assert_eq!(get(&format!("http://{figures}{path}")).status(), 404, "{path}");
    }
    drop(server);
    // Listening on all addresses of the machine.
    for (flags, expected) in [(&[][..], 404), (&["--public-metrics"][..], 200)] {
        let address = free_address();
        let port = address.rsplit_once(':').unwrap().1;
        let mut command = serve(data.path());
        command.args(flags).args(["--listen", &format!("0.0.0.0:{port}")]);
        let _server = started(command);
        assert_eq!(get(&format!("http://{address}/metrics")).status(), expected, "{flags:?}");
        assert_eq!(get(&format!("http://{address}/health")).status(), 200);
    }
}

/// A server process, killed when dropped.
struct ServerProcess(std::process::Child);

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Starts a command that has its own `--listen`, and waits until it serves.
fn started(mut command: Command) -> ServerProcess {
    use std::io::BufRead as _;
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("kontor listening on "));
    std::thread::spawn(move || lines.for_each(drop));
    ServerProcess(process)
}

#[test]
fn trial_servers_are_not_public_unless_allowed() {
    let data = folder();
    for command in [&["demo"][..], &["serve", "--in-memory"]] {
        let mut requested = kontor(data.path());
        requested.env_remove("KONTOR_DATA").args(command).args(["--listen", "0.0.0.0:0"]);
        let said = CommandResult::of(requested.output().unwrap()).failed();
        assert!(said.contains("needs --allow-public-trial"), "{said}");
    }
    let mut allowed = kontor(data.path());
    let flags = ["serve", "--in-memory", "--allow-public-trial", "--listen", "0.0.0.0:0"];
    allowed.env_remove("KONTOR_DATA").args(flags);
    drop(started(allowed));
}

#[test]
fn responses_have_security_headers() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let page = |path: &str| {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        agent.get(format!("{}{path}", server.url)).header("accept", "text/html").call().unwrap()
    };
    for path in ["/", "/openapi", "/shop/graphql"] {
        let page = page(path);
        let policy = header(&page, "content-security-policy");
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"),
            "{path}: {policy}"
        );
    }
    for path in ["/health", "/shop/zones", "/openapi.json", "/nowhere"] {
        assert_eq!(header(&page(path), "x-content-type-options"), "nosniff", "{path}");
    }

    let (id, png) = (product(&client), png(3, 2));
    let (status, product) = upload(&server, &client, &id, &png, "made.up.example");
    assert_eq!(status, 200, "{product}");
    let url = product["masterData"]["staged"]["masterVariant"]["images"][0]["url"].as_str().unwrap();
    assert!(!url.contains("made.up.example"), "{url}");
    let (status, product) = upload(&server, &client, &id, &png, &server.address().to_string());
    assert_eq!(status, 200, "{product}");
    let url = product["masterData"]["staged"]["masterVariant"]["images"][1]["url"].as_str().unwrap();
    let image = get(url);
    assert_eq!(header(&image, "x-content-type-options"), "nosniff");
    assert!(header(&image, "content-security-policy").starts_with("default-src 'none'"));
}

fn product(client: &crate::harness::ApiCaller) -> String {
    let any = json!({"key": "any", "name": "Any", "description": "Any"});
    assert_eq!(client.post("/shop/product-types", &any).0, 201);
    let draft = json!({
        "productType": {"key": "any"}, "name": {"en": "Saw"}, "slug": {"en": "saw"}, "masterVariant": {"sku": "saw"},
    });
    let (status, made) = client.post("/shop/products", &draft);
    assert_eq!(status, 201, "{made}");
    made["id"].as_str().unwrap().to_owned()
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(width, height).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

fn upload(
    server: &ServerUnderTest,
    client: &crate::harness::ApiCaller,
    id: &str,
    image: &[u8],
    host: &str,
) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut response = agent
        .post(format!("{}/shop/products/{id}/images?filename=saw", server.url))
        .header("host", host)
        .header("authorization", format!("Bearer {}", client.token()))
        .header("content-type", "image/png")
        .send(image)
        .unwrap();
    (
        response.status().as_u16(),
        kontor_json::from_slice(&response.body_mut().read_to_vec().unwrap()).unwrap(),
    )
}

/// With `ulimit -f` or LimitFSIZE of systemd, a file that reaches the limit counts as a full disk, and the server
/// survives.
#[test]
fn a_file_size_limit_counts_as_a_full_disk() {
    let data = folder();
    let mut command = Command::new("sh");
    let own = serve(data.path());
    let words = own.get_args().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    let program = text(Path::new(own.get_program())).to_owned();
    // The unit is 512 or 1024 bytes, depending on the shell.
    let script = format!("ulimit -f 4000; exec {program} {words} \"$@\"");
    command.env("KONTOR_DATA", data.path()).args(["-c", &script, "sh"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    let mut random = 1_u32;
    // Compressed, it stays long.
    let mut long = || {
        let mut letter = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + (random >> 27) as u8 % 26)
        };
        (0..100_000).map(|_| letter()).collect::<String>()
    };
    let refused = (0..200).find_map(|number| {
        let draft = json!({"container": "box", "key": format!("k-{number}"), "value": long()});
        let (status, said) = client.post("/shop/custom-objects", &draft);
        (status != 201).then_some((status, said))
    });
    let (status, said) = refused.expect("files may not grow without end");
    assert_eq!((status, &said["errors"][0]["code"]), (503, &json!("OverCapacity")), "{said}");
    assert_eq!(client.get("/shop/custom-objects/box/k-0").0, 200);
    for number in 0..5 {
        assert_eq!(client.delete(&format!("/shop/custom-objects/box/k-{number}")).0, 200, "deletions go on");
    }
    assert_eq!(server.nobody().get("/health").0, 200);
}
