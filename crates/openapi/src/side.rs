//! The words and scopes of the sides that operations have: project, Store, `/me`, associates.

use kontor_auth::ScopeName;
use kontor_model::Side;

/// Returns the words for a side at the end of a summary, e.g. ` in a Store`.
pub(crate) fn words(side: Side) -> &'static str {
    match side {
        Side::Server | Side::Project => "",
        Side::Store => " in a Store",
        Side::Mine => " of the caller",
        Side::MineInStore => " of the caller, in a Store",
        Side::Associate => " as an associate",
        Side::InUnit => " of a unit, as an associate",
    }
}

/// Returns a scope's spelling in tokens.
pub(crate) fn in_project(scope: &str) -> String {
    format!("{scope}:{{projectKey}}")
}

/// Returns the spelling of a scope for one Store, if the scope has such a form.
pub(crate) fn in_store(scope: &str) -> Option<String> {
    let has_form = ScopeName::parse(scope).is_some_and(ScopeName::has_store_form);
    has_form.then(|| format!("{scope}:{{projectKey}}:{{storeKey}}"))
}
