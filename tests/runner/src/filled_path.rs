//! Paths of `/openapi.json` as requests have them.

/// A path with something in place of each parameter that it still has. Nothing need exist: access is decided first.
pub fn filled(path: &str) -> String {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        filled.push_str("something");
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    filled + rest
}
