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

/// The path below which the resource of a draft is created and found: that of its kind, or, where documents have no
/// address but those of a unit, of the unit that the draft names by key. `None`: it names none.
pub(crate) fn place_of(project: &str, kind: &Kind, draft: &Value) -> Option<String> {
    match unit_field(kind) {
        None => Some(kind_path(project, kind)),
        Some(field) => unit_path(project, kind, draft.get(field)?.get("key")?.as_str()?),
    }
}

/// The path of the documents of a unit. The operator is nobody's associate, so that `-` stands for one.
pub(crate) fn unit_path(project: &str, kind: &Kind, unit: &str) -> Option<String> {
    let unit = Some(unit).filter(|key| key.len() <= NAME_BYTES_MAX).map(encoded)?;
    Some(format!("/{}/as-associate/-/in-business-unit/key={unit}/{}", encoded(project), kind.path))
}

/// The field that names the unit, of a kind whose documents have no address but those of a unit.
pub(crate) fn unit_field(kind: &Kind) -> Option<&str> {
    let own = kind.associates.as_ref().filter(|own| own.only)?;
    own.unit.first().map(String::as_str)
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
    Some(format!("{}/{own}", place_of(project, kind, draft)?))
}

/// The path of a resource by id.
pub(crate) fn id_path(project: &str, kind: &Kind, id: &str) -> String {
    format!("{}/{}", kind_path(project, kind), encoded(id))
}
