//! The scopes of a client or token: one bit a scope, for one project and some of its Stores. Start at
//! [`ScopeSet::parse`] and [`ScopeSet::allows`].

use std::{fmt, sync::Arc};

use crate::scope::{ScopeBits, ScopeName};

/// The scopes that a client or token has in one project.
///
/// Parsed from the text of tokens and API Clients, `"manage_project:demo view_orders:demo:berlin"`.
/// [`Display`] writes it back in the order of the table. Checks include the implied scopes.
///
/// [`Display`]: fmt::Display
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSet {
    project_key: Arc<str>,
    project_wide: ImpliedScopes,
    /// Sorted by Store key, each key once.
    in_stores: Box<[(Box<str>, ImpliedScopes)]>,
}

/// The granted scopes, and the same with all implied scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ImpliedScopes {
    literal: ScopeBits,
    implied: ScopeBits,
}

/// Why a text is not a list of scopes of a project. Carries the invalid word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// No scope has this name or form.
    #[error("'{0}' is not a scope")]
    Unknown(String),
    /// The scope is for another project.
    #[error("'{0}' is a scope of another project")]
    OtherProject(String),
}

impl ScopeSet {
    /// Parses scopes separated by white space. A word may occur twice; an empty text is an empty set. Fails with
    /// [`ScopeError::Unknown`] for a word that is no scope, and with [`ScopeError::OtherProject`] for a scope of
    /// another project.
    pub fn parse(text: &str, project_key: &str) -> Result<Self, ScopeError> {
        let mut set = Self::empty(project_key);
        let mut in_stores: Vec<(Box<str>, ImpliedScopes)> = Vec::new();
        for word in text.split_whitespace() {
            let unknown = || ScopeError::Unknown(word.to_owned());
            let mut parts = word.splitn(3, ':');
            let scope = parts.next().and_then(ScopeName::parse).ok_or_else(unknown)?;
            let project = parts.next().filter(|project| !project.is_empty()).ok_or_else(unknown)?;
            let held = match parts.next() {
                None => &mut set.project_wide,
                Some(store) if is_store_key(store) && scope.has_store_form() => {
                    match in_stores.binary_search_by(|(known, _)| (**known).cmp(store)) {
                        Ok(place) => &mut in_stores[place].1,
                        Err(place) => {
                            in_stores.insert(place, (store.into(), ImpliedScopes::default()));
                            &mut in_stores[place].1
                        }
                    }
                }
                Some(_) => return Err(unknown()),
            };
            if project != project_key {
                return Err(ScopeError::OtherProject(word.to_owned()));
            }
            held.literal |= scope.bit();
            held.implied |= scope.grants();
        }
        set.in_stores = in_stores.into();
        Ok(set)
    }

    /// No scopes at all.
    pub fn empty(project_key: &str) -> Self {
        ScopeSet {
            project_key: project_key.into(),
            project_wide: ImpliedScopes::default(),
            in_stores: [].into(),
        }
    }

    /// Returns the project that all scopes of the set are for.
    pub fn project_key(&self) -> &str {
        &self.project_key
    }

    /// Returns whether one of the scopes is held for the whole project, directly or implied by another.
    pub fn allows(&self, any_of: &[ScopeName]) -> bool {
        self.project_wide.contains_any(any_of)
    }

    /// Returns whether one of the scopes is held for this Store, or for the whole project.
    pub fn allows_in_store(&self, store_key: &str, any_of: &[ScopeName]) -> bool {
        self.allows(any_of) || self.in_store(store_key).is_some_and(|held| held.contains_any(any_of))
    }

    /// Returns the Stores with one of the scopes, sorted. They limit a list of all Stores' resources if
    /// [`allows`](Self::allows) is false.
    pub fn stores_allowing(&self, any_of: &[ScopeName]) -> impl Iterator<Item = &str> {
        self.in_stores.iter().filter(move |(_, held)| held.contains_any(any_of)).map(|(store, _)| &**store)
    }

    /// Returns whether every scope of `other` is literally in this set. A scope for the whole project covers
    /// each of its Stores.
    ///
    /// Implied scopes do not count: "an API Client using `manage_project` cannot request a token with lesser
    /// scopes" (public page on scopes), and likewise no `view_products` from `manage_products`.
    pub fn contains(&self, other: &ScopeSet) -> bool {
        let within = |inner: ImpliedScopes, outer: ImpliedScopes| inner.literal & !outer.literal == 0;
        self.project_key == other.project_key
            && within(other.project_wide, self.project_wide)
            && other.in_stores.iter().all(|(store, held)| {
                let in_store = self.in_store(store).unwrap_or_default().literal;
                held.literal & !(in_store | self.project_wide.literal) == 0
            })
    }

    /// Returns whether the set holds no scope.
    pub fn is_empty(&self) -> bool {
        self.project_wide.literal == 0 && self.in_stores.is_empty()
    }

    fn in_store(&self, store_key: &str) -> Option<ImpliedScopes> {
        let place = self.in_stores.binary_search_by(|(known, _)| (**known).cmp(store_key)).ok()?;
        Some(self.in_stores[place].1)
    }
}

impl ImpliedScopes {
    fn contains_any(&self, any_of: &[ScopeName]) -> bool {
        any_of.iter().any(|scope| self.implied & scope.bit() != 0)
    }

    fn scopes(self) -> impl Iterator<Item = ScopeName> {
        ScopeName::ALL.iter().copied().filter(move |scope| self.literal & scope.bit() != 0)
    }
}

/// Keys of Stores hold letters, digits, `_` and `-`; a colon or a blank in one would change the meaning of a scope.
fn is_store_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for scope in self.project_wide.scopes() {
            write!(f, "{between}{scope}:{}", self.project_key)?;
            between = " ";
        }
        for (store, held) in &self.in_stores {
            for scope in held.scopes() {
                write!(f, "{between}{scope}:{}:{store}", self.project_key)?;
                between = " ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ScopeName::*;

    fn set(text: &str) -> ScopeSet {
        ScopeSet::parse(text, "demo").unwrap()
    }

    #[test]
    fn a_scope_of_the_project_covers_its_stores() {
        let scopes = set("manage_orders:demo");
        assert!(scopes.allows(&[ViewStates, ViewOrders]));
        assert!(scopes.allows_in_store("berlin", &[ViewOrders]));
        assert!(!scopes.allows(&[ViewStates]));
        assert!(!scopes.allows(&[]));
    }

    #[test]
    fn a_scope_of_a_store_covers_that_store_only() {
        let scopes = set("manage_orders:demo:berlin view_customers:demo:paris");
        assert!(scopes.allows_in_store("berlin", &[ViewOrders]));
        assert!(!scopes.allows_in_store("paris", &[ViewOrders]));
        assert!(!scopes.allows(&[ViewOrders]));
        assert_eq!(
            scopes.stores_allowing(&[ViewOrders, ViewCustomers]).collect::<Vec<_>>(),
            ["berlin", "paris"]
        );
    }

    #[test]
    fn names_the_scope_that_is_not_of_the_project() {
        for text in [
            "nonsense",
            "view_states",
            "view_states:",
            "view_nonsense:demo",
            "view_states:demo:berlin", // States know no Stores.
            "view_orders:demo:",
            "view_orders:demo:a:b",
            "customer_id:1", // Set by the authorization service, never asked for.
        ] {
            assert_eq!(ScopeSet::parse(text, "demo"), Err(ScopeError::Unknown(text.into())), "{text}");
        }
        assert_eq!(
            ScopeSet::parse("view_states:demo view_states:other", "demo"),
            Err(ScopeError::OtherProject("view_states:other".into()))
        );
    }

    #[test]
    fn a_narrower_set_names_what_the_wider_one_names() {
        let held = set("manage_project:demo view_orders:demo view_orders:demo:berlin");
        assert!(held.contains(&set("view_orders:demo")));
        assert!(held.contains(&set("view_orders:demo:berlin manage_project:demo")));
        assert!(!held.contains(&set("view_states:demo")), "implied, but not held");
        assert!(held.contains(&set("view_orders:demo:paris")), "held for the whole project");
        assert!(!set("view_orders:demo:berlin").contains(&set("view_orders:demo:paris")));
        assert!(!held.contains(&ScopeSet::parse("view_orders:other", "other").unwrap()));
    }

    fn any_scopes() -> impl Strategy<Value = String> {
        let word =
            (0..ScopeName::ALL.len(), prop::option::of("[a-zA-Z0-9_-]{1,8}")).prop_map(|(row, store)| {
                let scope = ScopeName::ALL[row];
                match store.filter(|_| scope.has_store_form()) {
                    Some(store) => format!("{scope}:demo:{store}"),
                    None => format!("{scope}:demo"),
                }
            });
        prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn parses_what_it_printed(text in any_scopes()) {
            let scopes = set(&text);
            prop_assert_eq!(&set(&scopes.to_string()), &scopes);
            prop_assert!(text.split_whitespace().all(|word| scopes.to_string().split(' ').any(|out| out == word)));
        }

        #[test]
        fn a_set_allows_what_one_of_its_words_implies(text in any_scopes(), row in 0..ScopeName::ALL.len()) {
            let requested = ScopeName::ALL[row];
            let expected = text.split_whitespace().any(|word| {
                let parts: Vec<_> = word.split(':').collect();
                parts.len() == 2 && ScopeName::parse(parts[0]).unwrap().implies(requested)
            });
            prop_assert_eq!(set(&text).allows(&[requested]), expected);
        }

        #[test]
        fn reading_never_panics(text in ".{0,80}") {
            let _ = ScopeSet::parse(&text, "demo");
        }
    }
}
