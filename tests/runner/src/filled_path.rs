//! Turns path templates of `/openapi.json` into request paths.

/// Replaces each remaining parameter of a path by a dummy value. The resource need not exist, since access is checked
/// first.
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
