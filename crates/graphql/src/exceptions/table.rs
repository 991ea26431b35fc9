//! A table of exceptions: the rows of all areas.
//!
//! Rows are only read by look-ups, which record in tests what they return. So a test finds rows that match nothing.

use super::{AREAS, ExceptionArea, NamePair, StaticName};

/// The rows of all areas in one of the tables.
pub(crate) struct ExceptionTable<T: 'static>(pub(super) fn(&ExceptionArea) -> &'static [T]);

impl<T> ExceptionTable<T> {
    /// Returns all rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static T> {
        self.filter(|_| true)
    }

    /// Returns the matching rows.
    pub(crate) fn filter<'a>(
        &self,
        mut is_meant: impl FnMut(&&'static T) -> bool + 'a,
    ) -> impl Iterator<Item = &'static T> + 'a {
        self.rows().filter(move |row| {
            let is_it = is_meant(row);
            if is_it {
                matched::note(*row);
            }
            is_it
        })
    }

    /// Returns the first matching row.
    pub(crate) fn find(&self, is_meant: impl FnMut(&&'static T) -> bool) -> Option<&'static T> {
        self.filter(is_meant).next()
    }

    fn rows(&self) -> impl Iterator<Item = &'static T> + use<T> {
        let rows = self.0;
        AREAS.iter().flat_map(rows)
    }
}

impl ExceptionTable<StaticName> {
    /// Returns whether the table has a row for a name.
    pub(crate) fn contains(&self, wanted: &str) -> bool {
        self.find(|row| **row == wanted).is_some()
    }
}

impl ExceptionTable<NamePair> {
    /// Returns whether the table has this row.
    pub(crate) fn contains(&self, wanted: &(&str, &str)) -> bool {
        self.find(|row| *row == wanted).is_some()
    }

    /// Returns the right side of the row for a name, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<StaticName> {
        self.find(|(from, _)| *from == name).map(|(_, to)| *to)
    }
}

#[cfg(not(test))]
mod matched {
    /// Does nothing: only tests record which rows matched.
    pub(super) fn note<T>(_: &'static T) {}
}

#[cfg(test)]
mod matched {
    use std::cell::RefCell;
    use std::collections::HashSet;

    thread_local! {
        /// The addresses of the rows that matched; rows are constants, so an address identifies one.
        static NOTED: RefCell<HashSet<usize>> = RefCell::default();
    }

    pub(super) fn note<T>(row: &'static T) {
        NOTED.with_borrow_mut(|noted| noted.insert(std::ptr::from_ref(row).addr()));
    }

    pub(super) fn contains<T>(row: &'static T) -> bool {
        NOTED.with_borrow(|noted| noted.contains(&std::ptr::from_ref(row).addr()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exceptions::*;
    use kontor_model::Model;
    use std::fmt::Debug;

    fn unmatched<T: Debug>(name: &str, table: &ExceptionTable<T>) -> Vec<String> {
        let rows = table.rows().filter(|row| !matched::contains(*row));
        rows.map(|row| format!("{name}: {row:?}")).collect()
    }

    #[test]
    fn every_row_matches_something_in_the_model() {
        crate::derive::derive(&Model::embedded().unwrap());
        let mut rows = Vec::new();
        macro_rules! look_at {
            ($($table:ident)*) => { $(rows.extend(unmatched(stringify!($table), &$table));)* };
        }
        look_at! {
            KINDS
            NOT_EXPANDABLE
            LIMITED_PAGES
            KEYS_WITHOUT_KEY
            OUTPUT_NAMES
            INPUT_NAMES
            OUTPUT_ALIASES
            INPUT_ALIASES
            FLAT_UNIONS
            EXTRA_ENUM_VALUES
            HIDDEN
            HIDDEN_INPUTS
            HIDDEN_MEMBERS
            BARE_MEMBERS
            MEMBER_INPUTS
            DEFAULT_MEMBER_INPUTS
            HIDDEN_ACTIONS
            BARE_ACTIONS
            ACTION_NAMES
            ACTION_ALIASES
            ACTION_SPLITS
            RENAMED
            RETYPED
            RETYPED_INPUTS
            IGNORED_INPUTS
            EXTRA_INPUTS
            SELECTORS
            INT_FIELDS
            SHOWN_DEFAULTS
            ACTION_SYNONYMS
            MAP_INPUTS
            EXTRA_OUTPUTS
            EXTRA_ENUMS
            EXTRA_UNIONS
            UNREACHED
            UNREACHED_INPUTS
            REFUSED_INPUTS
            IMPLEMENTS
            MESSAGE_INTERFACES
            KEPT_TYPES
            PASSED_FIELDS
            EXTRA
            ENDPOINTS
            HIDDEN_ARGUMENTS
            NAMED_LISTS
            IDENTIFIED_LISTS
            PAGED_LISTS
            UNFOLLOWED_MESSAGES
            VIEWS
            TEXT_ENUMS
            OWN_ACTIONS
            ERASURES
            READERS
            SERVICE_QUERIES
            SIDE_QUERIES
            SHOWN_QUERIES
            PARAMETER_SEARCHES
        }
        assert!(rows.is_empty(), "nothing in the model matches these rows:\n{}", rows.join("\n"));
    }
}
