//! Finds elements of lists by value, without comparing each element of a long list with all others.

use kontor_json::Value;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Up to this number of elements a linear search is cheaper than an index.
const LOOKED_THROUGH_MAX: usize = 16;

/// The elements of a list, indexed by their identifying value.
pub(crate) struct IndexedList<'v> {
    list: &'v [Value],
    by: &'static [&'static str],
    /// The first position of each value. Built when an element is not at its old position.
    places: OnceCell<HashMap<Option<&'v Value>, usize>>,
}

impl<'v> IndexedList<'v> {
    /// Identifies elements by the value at a path.
    pub(crate) fn new(list: &'v [Value], path: &'static [&'static str]) -> Self {
        Self { list, by: path, places: OnceCell::new() }
    }

    /// Returns the position of the element with the same identifying value. Its old position is checked first, since
    /// most elements have not moved.
    pub(crate) fn position(&self, element: &Value, old_position: usize) -> Option<usize> {
        let wanted = value_at(element, self.by);
        let is_it = |other: &Value| value_at(other, self.by) == wanted;
        if self.list.get(old_position).is_some_and(is_it) {
            return Some(old_position);
        }
        if self.list.len() <= LOOKED_THROUGH_MAX {
            return self.list.iter().position(is_it);
        }
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::with_capacity(self.list.len());
            for (place, other) in self.list.iter().enumerate() {
                places.entry(value_at(other, self.by)).or_insert(place);
            }
            places
        });
        places.get(&wanted).copied()
    }

    /// Returns the element with the same identifying value.
    pub(crate) fn find_element(&self, element: &Value, old_position: usize) -> Option<&'v Value> {
        self.position(element, old_position).and_then(|place| self.list.get(place))
    }
}

/// Returns the value at a path; `None` if a name on the path is missing.
pub(crate) fn value_at<'v>(one: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(one, |value, name| value.get(name))
}

/// Returns the elements of a list that are missing in another one, in order.
pub(crate) fn missing_in<'v>(these: &'v [Value], those: &[Value]) -> Vec<&'v Value> {
    if those.len() <= LOOKED_THROUGH_MAX {
        return these.iter().filter(|one| !those.contains(one)).collect();
    }
    let held: HashSet<&Value> = those.iter().collect();
    these.iter().filter(|one| !held.contains(one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn list(ids: impl IntoIterator<Item = usize>) -> Vec<Value> {
        ids.into_iter().map(|id| json!({"id": id})).collect()
    }

    #[test]
    fn elements_are_found_in_short_lists_as_in_long_ones() {
        for length in [3, LOOKED_THROUGH_MAX, LOOKED_THROUGH_MAX + 1, 200] {
            // The first element occurs twice, and one has no id.
            let mut held = list((0..length).chain([0]));
            held.push(json!({}));
            let known = IndexedList::new(&held, &["id"]);
            assert_eq!(known.position(&json!({"id": length - 1}), 0), Some(length - 1), "{length}");
            assert_eq!(known.position(&json!({"id": 0}), 1), Some(0), "{length}");
            assert_eq!(known.position(&json!({"id": 0}), length), Some(length), "{length}: where it stood");
            assert_eq!(known.find_element(&json!({"key": 1}), 0), Some(&json!({})), "{length}");
            assert_eq!(known.position(&json!({"id": length}), 0), None, "{length}");
        }
    }

    #[test]
    fn finds_missing_elements_in_lists_of_any_length() {
        for length in [3, 200] {
            let (these, those) = (list(0..length + 2), list(1..length));
            let missing = missing_in(&these, &those);
            assert_eq!(missing, [&json!({"id": 0}), &json!({"id": length}), &json!({"id": length + 1})]);
        }
    }
}
