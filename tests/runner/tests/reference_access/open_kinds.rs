//! Reads from the model which kinds have owners.
//!
//! Kinds that are marked as open (`@resource(open: true)`) are named and shown to every caller. Kinds without an owner, such as Customer
//! Groups, are named by every caller, and shown to callers with a scope for them.

use kontor_tests::package_folder;

/// A kind of the model.
pub(crate) struct KindOwners {
    pub(crate) type_id: String,
    pub(crate) is_open: bool,
    /// Its documents belong to customers, visitors or Business Units.
    pub(crate) has_owner: bool,
    /// Its documents belong to Stores.
    pub(crate) has_stores: bool,
    /// Associates have paths of their own to it.
    pub(crate) has_associates: bool,
}

/// All kinds, by their `typeId`s.
pub(crate) fn kinds() -> Vec<KindOwners> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(package_folder().join("../../model")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "graphql") {
            texts.push(std::fs::read_to_string(&path).unwrap());
        }
    }
    let mut kinds: Vec<KindOwners> = texts.iter().flat_map(|text| kinds_in(text, &texts)).collect();
    kinds.sort_by(|one, other| one.type_id.cmp(&other.type_id));
    kinds
}

fn kinds_in(text: &str, all: &[String]) -> Vec<KindOwners> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("@resource(") {
        let name = text[..at].split_whitespace().next_back().unwrap_or_default();
        // The directives of a type stand before its fields.
        let directives = text[at..].split(") {\n").next().unwrap_or_default();
        let type_id = directives.split("typeId: \"").nth(1).and_then(|rest| rest.split('"').next());
        let Some(type_id) = type_id else { continue };
        let below_me = format!("of: \"{name}\"");
        let is_mine = all.iter().any(|text| {
            text.split("@me(")
                .skip(1)
                .any(|rest| rest.split(')').next().is_some_and(|me| me.contains(&below_me)))
        });
        let has = |directive: &str| directives.contains(directive);
        found.push(KindOwners {
            type_id: type_id.to_owned(),
            is_open: has("open: true"),
            has_owner: is_mine || has("@asAssociate(") || has("ownedBy:"),
            has_stores: has("@inStore(at:"),
            has_associates: has("@asAssociate("),
        });
    }
    found
}

/// The `typeId`s of the open kinds, and those of all others.
pub(crate) fn open_and_closed() -> (Vec<String>, Vec<String>) {
    let (open, closed): (Vec<_>, Vec<_>) = kinds().into_iter().partition(|kind| kind.is_open);
    let names = |kinds: Vec<KindOwners>| kinds.into_iter().map(|kind| kind.type_id).collect();
    (names(open), names(closed))
}
