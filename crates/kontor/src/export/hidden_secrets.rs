//! Detects documents with masked secrets. The API does not return the secrets, so exports skip these documents.

use kontor_commerce::HIDDEN;
use kontor_json::Value;
use kontor_model::Kind;

/// The field that may have secrets.
const DESTINATION: &str = "destination";

/// True if a part of the document is masked.
pub(super) fn hides_secrets(document: &Value) -> bool {
    document.get(DESTINATION).is_some_and(is_hidden)
}

/// Prints a warning on standard error that the document is not exported.
pub(super) fn warn_skipped(kind: &Kind, document: &Value) {
    let name = document["key"].as_str().or(document["id"].as_str()).unwrap_or_default();
    eprintln!(
        "{} '{name}' is left out: the API masks its secrets, so create it again in the other project",
        kind.type_id
    );
}

fn is_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(HIDDEN),
        Value::Object(object) => object.values().any(is_hidden),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn detects_masked_secrets() {
        let with = |secret: &str| json!({"destination": {"type": "HTTP", "authentication": {"key": secret}}});
        assert!(hides_secrets(&with("****code")));
        assert!(!hides_secrets(&with("some-code")));
        assert!(!hides_secrets(&json!({"name": "****"})));
    }
}
