//! All scopes, for a project's first client.

use crate::ScopeName;

/// Every scope of a project, as text, for the client that an operator makes first.
pub fn every_scope(project_key: &str) -> String {
    let names: Vec<String> =
        ScopeName::ALL.iter().map(|name| format!("{}:{project_key}", name.as_str())).collect();
    names.join(" ")
}
