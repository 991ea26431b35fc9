//! The files of the console, embedded as committed: compressed by gzip, some by brotli too.

use crate::headers::{add_security_headers, entity_tag, is_unchanged, unchanged};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use bytes::Bytes;
use flate2::read::GzDecoder;
use include_dir::{Dir, DirEntry, include_dir};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::LazyLock;

static DIST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/dist");

/// The page that every path without a file shows; its router reads the path.
const PAGE: &str = "index.html";
/// The folder of files with a hash in their names.
const ASSETS: &str = "assets/";

/// Such a file never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Browsers validate other files with their `ETag`.
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// The content types by the ends of names.
const CONTENT_TYPES: [(&str, &str); 10] = [
    (".css", "text/css; charset=utf-8"),
    (".html", "text/html; charset=utf-8"),
    (".ico", "image/x-icon"),
    (".js", "text/javascript; charset=utf-8"),
    (".json", "application/json; charset=utf-8"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain; charset=utf-8"),
    (".webmanifest", "application/manifest+json"),
    (".woff2", "font/woff2"),
];

/// A file of the console.
#[derive(Debug, Clone)]
pub struct ConsoleFile {
    /// The content, compressed by gzip.
    pub gzip: &'static [u8],
    /// The content, compressed by brotli, if there is such a file.
    pub brotli: Option<&'static [u8]>,
    /// The media type.
    pub content_type: &'static str,
    tag: HeaderValue,
}

static FILES: LazyLock<BTreeMap<String, ConsoleFile>> = LazyLock::new(|| {
    let mut found = Vec::new();
    collect(&DIST, &mut found);
    let named = |name: String| found.iter().find(|(path, _)| *path == name).map(|(_, content)| *content);
    let gzipped = found.iter().filter_map(|(path, content)| Some((path.strip_suffix(".gz")?, *content)));
    let of = |(path, gzip): (&str, &'static [u8])| {
        let content_type = CONTENT_TYPES.iter().find(|(end, _)| path.ends_with(end));
        let file = ConsoleFile {
            gzip,
            brotli: named(format!("{path}.br")),
            content_type: content_type.map_or("application/octet-stream", |(_, name)| name),
            tag: entity_tag(gzip),
        };
        (path.to_owned(), file)
    };
    gzipped.map(of).collect()
});

fn collect(folder: &Dir<'static>, found: &mut Vec<(String, &'static [u8])>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, found),
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                found.push((path, file.contents()));
            }
        }
    }
}

/// Returns the file at a path below `/console/`.
pub fn file(path: &str) -> Option<&'static ConsoleFile> {
    FILES.get(path)
}

/// Returns all files with their paths.
pub fn files() -> impl Iterator<Item = (&'static str, &'static ConsoleFile)> {
    FILES.iter().map(|(path, file)| (path.as_str(), file))
}

/// Returns the response to a GET of a path below `/console/`: the file of this name, otherwise the page. `None` for a file
/// with a hash in its name that is not there, e.g. of an earlier release.
pub fn respond(path: &str, headers: &HeaderMap) -> Option<Response<Bytes>> {
    let (found, is_immutable) = match file(path) {
        Some(found) => (found, path.starts_with(ASSETS)),
        None if path.starts_with(ASSETS) => return None,
        None => (file(PAGE)?, false),
    };
    let mut response = match is_unchanged(headers, &found.tag) {
        true => unchanged(found.tag.clone()),
        false => found.respond(headers),
    };
    let cache = if is_immutable { IMMUTABLE } else { REVALIDATED };
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    add_security_headers(response.headers_mut());
    Some(response)
}

impl ConsoleFile {
    /// Returns the content in the best form that the client accepts.
    fn respond(&self, headers: &HeaderMap) -> Response<Bytes> {
        let (content, encoding) = match self.brotli {
            Some(brotli) if accepts(headers, "br") => (Bytes::from_static(brotli), Some("br")),
            _ if accepts(headers, "gzip") => (Bytes::from_static(self.gzip), Some("gzip")),
            _ => (Bytes::from(self.decompress()), None),
        };
        let mut response = Response::new(content);
        let sent = response.headers_mut();
        sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        sent.insert(header::ETAG, self.tag.clone());
        if let Some(encoding) = encoding {
            sent.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// Returns the content without compression; empty if the file is damaged, which a test excludes.
    pub fn decompress(&self) -> Vec<u8> {
        let mut content = Vec::new();
        match GzDecoder::new(self.gzip).read_to_end(&mut content) {
            Ok(_) => content,
            Err(_) => Vec::new(),
        }
    }
}

/// Returns whether the client accepts an encoding (RFC 9110, section 12.5.3).
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let sent = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|value| value.split(',')).any(|accepted| {
        let mut parts = accepted.split(';').map(str::trim);
        let is_it = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let refuses = |weight: &str| {
            let weight = weight.strip_prefix("q=").and_then(|number| number.parse::<f32>().ok());
            weight.is_some_and(|weight| weight <= 0.0)
        };
        is_it && !parts.any(refuses)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(encodings: &'static str) -> HeaderMap {
        [(header::ACCEPT_ENCODING, HeaderValue::from_static(encodings))].into_iter().collect()
    }

    #[test]
    fn every_file_can_be_decompressed_and_has_a_type() {
        assert!(file(PAGE).is_some());
        for (path, file) in files() {
            assert!(!file.decompress().is_empty(), "{path}");
            assert_ne!(file.content_type, "application/octet-stream", "{path}");
        }
    }

    #[test]
    fn each_client_gets_an_encoding_that_it_accepts() {
        let encoding = |headers: &HeaderMap| {
            let response = respond("", headers).unwrap();
            response.headers().get(header::CONTENT_ENCODING).cloned()
        };
        assert_eq!(encoding(&accepting("gzip, deflate")).unwrap(), "gzip");
        for none in [HeaderMap::new(), accepting("identity"), accepting("gzip;q=0")] {
            assert_eq!(encoding(&none), None);
            assert!(respond("", &none).unwrap().body().starts_with(b"<!"), "the page is HTML");
        }
    }

    #[test]
    fn every_path_without_a_file_shows_the_page() {
        let page = respond("index.html", &HeaderMap::new()).unwrap();
        for path in
            ["", "shop/orders", "shop/products/a.b", "../../Cargo.toml", "%2e%2e/Cargo.toml", "/etc/passwd"]
        {
            let response = respond(path, &HeaderMap::new()).unwrap();
            assert_eq!(response.body(), page.body(), "{path}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        }
        for path in ["assets/none.js", "assets/../index.html"] {
            assert!(respond(path, &HeaderMap::new()).is_none(), "{path}");
        }
    }

    #[test]
    fn a_client_that_has_the_page_gets_no_content() {
        let tag = respond("", &HeaderMap::new()).unwrap().headers()[header::ETAG].clone();
        let headers: HeaderMap = [(header::IF_NONE_MATCH, tag)].into_iter().collect();
        let response = respond("", &headers).unwrap();
        assert_eq!((response.status().as_u16(), response.body().len()), (304, 0));
        assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
    }

    #[test]
    fn pages_run_no_inline_code() {
        let response = respond("", &HeaderMap::new()).unwrap();
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    }
}
