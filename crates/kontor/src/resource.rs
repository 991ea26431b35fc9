//! Where resources of the API are, by the model.

use kontor_model::{Addressing, Kind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// What a path segment may have as it is (RFC 3986, unreserved).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Longer names are no names: they fit into no path, and no kind has them.
const NAME_BYTES_MAX: usize = 2048;

/// A text as a segment of a path or a value in a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The path of all resources of a kind.
pub(crate) fn kind_path(project: &str, kind: &Kind) -> String {
    format!("/{}/{}", encoded(project), kind.path)
}

/// The path of the resource that a draft describes by a name that users chose; `None` where it has none.
pub(crate) fn named_path(project: &str, kind: &Kind, draft: &Value) -> Option<String> {
    let fits = |text: &&str| text.len() <= NAME_BYTES_MAX;
    let text = |field: &str| draft.get(field).and_then(Value::as_str).filter(fits);
    let own = match &kind.addressing {
        Addressing::Id { by_key: true } => format!("key={}", encoded(text("key")?)),
        Addressing::Id { by_key: false } | Addressing::Singleton => return None,
        Addressing::Fields(fields) => {
            let parts: Option<Vec<String>> = fields.iter().map(|field| text(field).map(encoded)).collect();
            parts?.join("/")
        }
    };
    Some(format!("{}/{own}", kind_path(project, kind)))
}

/// The path of a resource by id.
pub(crate) fn id_path(project: &str, kind: &Kind, id: &str) -> String {
    format!("{}/{}", kind_path(project, kind), encoded(id))
}
