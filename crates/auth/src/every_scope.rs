//! All scopes, for a project's first client.

use crate::ScopeName;

/// Returns every scope of a project as text, for the first client, which the operator creates.
pub fn every_scope(project_key: &str) -> String {
    let names: Vec<String> =
        ScopeName::ALL.iter().map(|name| format!("{}:{project_key}", name.as_str())).collect();
    names.join(" ")
}
