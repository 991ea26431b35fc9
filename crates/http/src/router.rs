//! The router: finds the operation for a method and a path, in a tree of path segments built from the table of
//! operations. Start at [`RouteTree::find`].
//!
//! If several templates match, the most literal one is chosen: fixed text before a value with a prefix (`key={key}`)
//! before a value without one; if it has no operation with this method, the next one is tried. A value is never empty,
//! and a value without a prefix is never `key=…`. Trailing slashes are ignored.

use kontor_model::{Method, PathSegment, RESERVED_SEGMENTS, ServedOperation};
use memchr::{memchr, memchr2};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The prefix of a key in a path. Ids never begin with it.
const KEY: &str = "key=";
/// Maximum number of values in one path.
const VALUES_MAX: usize = 6;

/// All operations as a tree of path segments.
#[derive(Debug)]
pub(crate) struct RouteTree {
    /// The first node is the root.
    nodes: Vec<RouteNode>,
}

#[derive(Debug, Default)]
struct RouteNode {
    /// The operations whose path ends here, by position of the method in [`Method::ALL`].
    operations: [Option<usize>; Method::ALL.len()],
    /// Next segments of fixed text, sorted by [`by_length`].
    fixed: Vec<(Box<str>, usize)>,
    /// Next segments with this prefix before a value.
    prefixed: Vec<(Box<str>, usize)>,
    /// The next segment if it may be any value.
    value: Option<usize>,
}

/// The request of a lookup.
#[derive(Clone, Copy)]
struct RouteLookup {
    method: Method,
    /// True if nothing in the path is percent-encoded.
    is_plain: bool,
}

/// The values in a path, decoded, in their order.
#[derive(Debug, Default)]
pub(crate) struct PathValues<'p> {
    all: [Cow<'p, str>; VALUES_MAX],
    count: usize,
}

impl RouteTree {
    /// Builds the tree of a table. Operations are identified by their positions in it.
    pub(crate) fn build(operations: &[ServedOperation]) -> Result<Self, String> {
        let mut routes = Self { nodes: vec![RouteNode::default()] };
        for (position, operation) in operations.iter().enumerate() {
            if operation.values().count() > VALUES_MAX {
                return Err(format!("{} has more than {VALUES_MAX} values", operation.template()));
            }
            let end = operation.path.iter().fold(0, |node, segment| routes.child_node(node, segment));
            let slot = &mut routes.nodes[end].operations[operation.method as usize];
            if slot.replace(position).is_some() {
                return Err(format!(
                    "{} {} is in the table twice",
                    operation.method.as_str(),
                    operation.template()
                ));
            }
        }
        Ok(routes)
    }

    /// Returns the node after a segment, and adds it if it does not exist.
    fn child_node(&mut self, node: usize, segment: &PathSegment) -> usize {
        let new = self.nodes.len();
        let at = &mut self.nodes[node];
        let found = match segment {
            PathSegment::Fixed(text) => {
                match at.fixed.binary_search_by(|(known, _)| by_length(known, text)) {
                    Ok(found) => at.fixed[found].1,
                    Err(place) => {
                        at.fixed.insert(place, (text.as_str().into(), new));
                        new
                    }
                }
            }
            PathSegment::Value { prefix, .. } if prefix.is_empty() => *at.value.get_or_insert(new),
            PathSegment::Value { prefix, .. } => {
                let known = at.prefixed.iter().find(|(known, _)| **known == **prefix);
                match known.map(|(_, found)| *found) {
                    Some(found) => found,
                    None => {
                        at.prefixed.push((prefix.as_str().into(), new));
                        new
                    }
                }
            }
        };
        if found == new {
            self.nodes.push(RouteNode::default());
        }
        found
    }

    /// Returns the position of the operation for a request, and the values in its path; `None` if there is none.
    pub(crate) fn find<'p>(&self, method: Method, path: &'p str) -> Option<(usize, PathValues<'p>)> {
        let path = path.strip_prefix('/')?.trim_end_matches('/');
        let mut values = PathValues::default();
        let segments = (!path.is_empty()).then_some(path);
        // Few paths are encoded: one scan of the path saves one scan of each segment.
        let sought = RouteLookup { method, is_plain: memchr2(b'%', b'+', path.as_bytes()).is_none() };
        let operation = self.walk(0, segments, sought, &mut values)?;
        Some((operation, values))
    }

    fn walk<'p>(
        &self,
        node: usize,
        rest: Option<&'p str>,
        sought: RouteLookup,
        values: &mut PathValues<'p>,
    ) -> Option<usize> {
        let at = &self.nodes[node];
        let Some(rest) = rest else { return at.operations[sought.method as usize] };
        let (segment, further) = match memchr(b'/', rest.as_bytes()) {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        let segment = if sought.is_plain { Cow::Borrowed(segment) } else { decode_segment(segment)? };
        if segment.is_empty() {
            return None;
        }
        let word = at.fixed.binary_search_by(|(known, _)| by_length(known, &segment));
        if let Ok(found) = word
            && let Some(operation) = self.walk(at.fixed[found].1, further, sought, values)
        {
            return Some(operation);
        }
        for (prefix, child) in &at.prefixed {
            if let Some(value) = strip_segment_prefix(prefix, &segment).filter(|value| !value.is_empty()) {
                values.push(value);
                if let Some(operation) = self.walk(*child, further, sought, values) {
                    return Some(operation);
                }
                values.pop();
            }
        }
        // The server's own first segments cannot be project keys.
        let is_reserved = node == 0 && (word.is_ok() || RESERVED_SEGMENTS.contains(&&*segment));
        if segment.starts_with(KEY) || is_reserved {
            return None;
        }
        values.push(segment);
        let found = self.walk(at.value?, further, sought, values);
        if found.is_none() {
            values.pop();
        }
        found
    }
}

impl<'p> PathValues<'p> {
    fn push(&mut self, value: Cow<'p, str>) {
        // No path of the table has more values than there are slots.
        if let Some(slot) = self.all.get_mut(self.count) {
            *slot = value;
            self.count += 1;
        }
    }

    fn pop(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Returns all values.
    pub(crate) fn all(&self) -> &[Cow<'p, str>] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// Returns the value at a position.
    pub(crate) fn get(&self, position: usize) -> Option<&str> {
        self.all().get(position).map(AsRef::as_ref)
    }
}

/// Orders by length first: most comparisons end without comparing text.
fn by_length(known: &str, sought: &str) -> Ordering {
    known.len().cmp(&sought.len()).then_with(|| known.cmp(sought))
}

/// Returns the text after a prefix.
fn strip_segment_prefix<'p>(prefix: &str, segment: &Cow<'p, str>) -> Option<Cow<'p, str>> {
    match segment {
        Cow::Borrowed(text) => text.strip_prefix(prefix).map(Cow::Borrowed),
        Cow::Owned(text) => text.strip_prefix(prefix).map(|rest| Cow::Owned(rest.to_owned())),
    }
}

/// Decodes a segment, with a plus as a space, because some clients encode paths like forms. `None` if it is not UTF-8.
fn decode_segment(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('+') {
        return percent_decode_str(segment).decode_utf8().ok();
    }
    let spaced = segment.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::Model;
    use std::sync::LazyLock;

    static MODEL: LazyLock<Model> = LazyLock::new(|| Model::embedded().unwrap());
    static ROUTES: LazyLock<RouteTree> = LazyLock::new(|| RouteTree::build(MODEL.operations()).unwrap());

    /// Returns the template of the operation and the values.
    fn find(method: &str, path: &str) -> Option<(String, Vec<String>)> {
        let (operation, values) = ROUTES.find(Method::from_name(method)?, path)?;
        let values = values.all().iter().map(|value| value.clone().into_owned()).collect();
        Some((MODEL.operations()[operation].template(), values))
    }

    fn template(method: &str, path: &str) -> Option<String> {
        find(method, path).map(|(template, _)| template)
    }

    #[test]
    fn values_are_read_from_paths() {
        let cases: [(&str, &str, &[&str]); 9] = [
            ("/shop", "/{projectKey}", &["shop"]),
            ("/shop/states", "/{projectKey}/states", &["shop"]),
            ("/shop/states/a-b", "/{projectKey}/states/{ID}", &["shop", "a-b"]),
            ("/shop/states/key=caf%C3%A9", "/{projectKey}/states/key={key}", &["shop", "café"]),
            ("/shop/states/key%3Da", "/{projectKey}/states/key={key}", &["shop", "a"]),
            ("/shop/custom-objects/box", "/{projectKey}/custom-objects/{container}", &["shop", "box"]),
            ("/shop/me", "/{projectKey}/me", &["shop"]),
            (
                "/shop/in-store/key=b%2Fc/customers/key=a",
                "/{projectKey}/in-store/key={storeKey}/customers/key={key}",
                &["shop", "b/c", "a"],
            ),
            (
                "/shop/customers/email-token=a%2Fb",
                "/{projectKey}/customers/email-token={emailToken}",
                &["shop", "a/b"],
            ),
        ];
        for (path, expected, values) in cases {
            let found = find("GET", path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (found.0.as_str(), found.1),
                (expected, values.iter().map(|v| (*v).to_owned()).collect())
            );
        }
    }

    #[test]
    fn chooses_the_most_literal_path_with_the_method() {
        assert_eq!(template("POST", "/shop/customers/password").unwrap(), "/{projectKey}/customers/password");
        assert_eq!(template("GET", "/shop/customers/password").unwrap(), "/{projectKey}/customers/{ID}");
        assert_eq!(template("POST", "/shop/me/signup").unwrap(), "/{projectKey}/me/signup");
        assert_eq!(template("GET", "/oauth/token"), None);
        for path in [
            "/oauth/shop/in-store/key=berlin/customers/token",
            "/oauth/shop/in-store/key%3Db/customers/token",
        ] {
            let expected = "/oauth/{projectKey}/in-store/key={storeKey}/customers/token";
            assert_eq!(template("POST", path).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn ignores_trailing_slashes() {
        for (path, expected) in [
            ("/shop/", "/{projectKey}"),
            ("/shop/states/", "/{projectKey}/states"),
            ("/shop/states/key=a/", "/{projectKey}/states/key={key}"),
            ("/shop/me//", "/{projectKey}/me"),
            ("/shop/graphql/", "/{projectKey}/graphql"),
            ("/health/", "/health"),
            ("/", "/"),
            ("//", "/"),
        ] {
            assert_eq!(template("GET", path).as_deref(), Some(expected), "{path}");
        }
        assert_eq!(template("POST", "/oauth/token/").as_deref(), Some("/oauth/token"));
        assert_eq!(template("POST", "/"), None);
    }

    #[test]
    fn does_not_find_other_paths() {
        for path in [
            "",
            "shop",
            "//states",
            "/shop//states",
            "/shop/nothing",
            "/shop/states/a/b",
            "/shop/%ff",
            "/oauth",
            "/oauth/shop",
            "/console",
            "/openapi/states",
            "/_operator",
            "/shop/api-clients/key=a",
            "/shop/states/key=",
            "/shop/me/nothing",
            "/shop/me/signup/a",
            "/shop/in-store",
            "/shop/in-store/key=a",
            "/shop/in-store/key=/customers",
            "/shop/in-store/a/customers",
            "/shop/in-store/key=a/zones",
            "/shop/in-store/key=a/me/payments",
            "/shop/me/in-store/key=a",
            "/shop/states/graphql/a",
            "/oauth/shop/token",
            "/oauth//anonymous/token",
        ] {
            assert_eq!(template("GET", path), None, "{path}");
            assert_eq!(template("DELETE", path), None, "{path}");
        }
        assert_eq!(template("POST", "/oauth/%ff/anonymous/token"), None);
        assert_eq!(template("POST", "/oauth/shop/in-store/berlin/customers/token"), None);
        assert_eq!(template("POST", "/oauth/login"), None);
    }

    /// Every operation is found by its own template.
    #[test]
    fn the_whole_table_is_found() {
        for (position, operation) in MODEL.operations().iter().enumerate() {
            let path = operation.template().replace(['{', '}'], "");
            let found = ROUTES.find(operation.method, &path).map(|(found, _)| found);
            assert_eq!(found, Some(position), "{path}");
        }
    }
}
