//! The words and scopes of the sides that operations have: project, Store, `/me`, associates.

use kontor_auth::ScopeName;
use kontor_model::PathPrefix;

/// Returns the words for a side at the end of a summary, e.g. ` in a Store`.
pub(crate) fn summary_suffix(side: PathPrefix) -> &'static str {
    match side {
        PathPrefix::Server | PathPrefix::Project => "",
        PathPrefix::Store => " in a Store",
        PathPrefix::Mine => " of the caller",
        PathPrefix::MineInStore => " of the caller, in a Store",
        PathPrefix::Associate => " as an associate",
        PathPrefix::InUnit => " of a unit, as an associate",
    }
}

/// Returns a scope's spelling in tokens.
pub(crate) fn project_scope(scope: &str) -> String {
    format!("{scope}:{{projectKey}}")
}

/// Returns the spelling of a scope for one Store, if the scope has such a form.
pub(crate) fn store_scope(scope: &str) -> Option<String> {
    let has_form = ScopeName::parse(scope).is_some_and(ScopeName::has_store_form);
    has_form.then(|| format!("{scope}:{{projectKey}}:{{storeKey}}"))
}
