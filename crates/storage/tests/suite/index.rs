//! Tests of index queries.

use std::ops::{Bound, ControlFlow};

use kontor_storage::{
    Commit, IndexPage, IndexRange, IndexSort, IndexValue, PageStart, Precondition, Storage,
};

use super::{delete, indexed, put};

fn find(storage: &impl Storage, path: &str, range: IndexRange, page: IndexPage) -> Vec<String> {
    storage.find_indexed("cart", path, &range, &page).unwrap()
}

fn by_value() -> IndexPage {
    IndexPage { sort: IndexSort::Value, ..IndexPage::default() }
}

fn any<const N: usize>(values: [&str; N]) -> IndexRange {
    IndexRange::In(values.map(IndexValue::from).to_vec())
}

/// Writes the carts a to e with these sizes, and alternating colours.
fn five_carts(storage: &impl Storage) {
    for (index, (id, size)) in [("a", 30), ("b", 10), ("c", 20), ("d", 10), ("e", 40)].into_iter().enumerate()
    {
        let colour = if index % 2 == 0 { "red" } else { "blue" };
        put(storage, indexed("cart", id, [("size", size.into()), ("colour", colour.into())]));
    }
    put(storage, indexed("order", "o", [("colour", "red".into())]));
}

pub(crate) fn finds_equal_values(storage: &impl Storage) {
    five_carts(storage);
    let red = || IndexRange::equal("red");
    assert_eq!(find(storage, "colour", red(), IndexPage::default()), ["a", "c", "e"]);
    assert_eq!(find(storage, "colour", IndexRange::equal("green"), IndexPage::default()), [""; 0]);
    assert_eq!(find(storage, "unknown", red(), IndexPage::default()), [""; 0]);
    assert_eq!(find(storage, "colour", IndexRange::In(vec![]), IndexPage::default()), [""; 0]);
    assert_eq!(find(storage, "size", red(), IndexPage::default()), [""; 0]);
}

pub(crate) fn finds_any_of_several_values_by_id(storage: &impl Storage) {
    five_carts(storage);
    let all = any(["red", "blue", "red"]);
    assert_eq!(find(storage, "colour", all.clone(), IndexPage::default()), ["a", "b", "c", "d", "e"]);
    let descending = IndexPage { descending: true, ..IndexPage::default() };
    assert_eq!(find(storage, "colour", all, descending), ["e", "d", "c", "b", "a"]);
    assert_eq!(find(storage, "colour", any(["green", "blue"]), IndexPage::default()), ["b", "d"]);
}

pub(crate) fn merges_long_and_short_rows_of_several_values(storage: &impl Storage) {
    const CARTS: usize = 100;
    let id = |number: usize| format!("{number:03}");
    for number in 0..CARTS {
        let colour = if number % 10 == 3 { "blue" } else { "red" };
        put(storage, indexed("cart", &id(number), [("colour", colour.into())]));
    }
    let all: Vec<String> = (0..CARTS).map(id).collect();
    let both = || any(["red", "blue"]);
    assert_eq!(find(storage, "colour", both(), IndexPage::default()), all);
    let descending = IndexPage { descending: true, ..IndexPage::default() };
    let from_the_end: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!(find(storage, "colour", both(), descending), from_the_end);
    let behind = IndexPage { after: Some(PageStart::Id(id(41))), ..IndexPage::first(50) };
    assert_eq!(find(storage, "colour", both(), behind), all[42..92]);
}

pub(crate) fn pages_by_id(storage: &impl Storage) {
    five_carts(storage);
    let all = || any(["red", "blue"]);
    assert_eq!(find(storage, "colour", all(), IndexPage::first(2)), ["a", "b"]);
    assert_eq!(find(storage, "colour", all(), IndexPage::first(0)), [""; 0]);
    let page = IndexPage { offset: 1, ..IndexPage::first(2) };
    assert_eq!(find(storage, "colour", all(), page), ["b", "c"]);
    let page = IndexPage { after: Some(PageStart::Id("c".into())), ..IndexPage::first(9) };
    assert_eq!(find(storage, "colour", all(), page), ["d", "e"]);
    let page = IndexPage { after: Some(PageStart::Id("c".into())), descending: true, ..IndexPage::first(1) };
    assert_eq!(find(storage, "colour", all(), page), ["b"]);
    let page = IndexPage { offset: 9, ..IndexPage::default() };
    assert_eq!(find(storage, "colour", all(), page), [""; 0]);
}

pub(crate) fn finds_ranges_by_value(storage: &impl Storage) {
    five_carts(storage);
    let between = |lower: Bound<i64>, upper: Bound<i64>| {
        IndexRange::Between(lower.map(IndexValue::from), upper.map(IndexValue::from))
    };
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(find(storage, "size", IndexRange::all(), by_value()), ["b", "d", "c", "a", "e"]);
    assert_eq!(find(storage, "size", between(Included(20), Unbounded), by_value()), ["c", "a", "e"]);
    assert_eq!(find(storage, "size", between(Excluded(20), Included(40)), by_value()), ["a", "e"]);
    assert_eq!(find(storage, "size", between(Unbounded, Excluded(20)), by_value()), ["b", "d"]);
    assert_eq!(find(storage, "size", between(Included(30), Included(20)), by_value()), [""; 0]);
    let descending = IndexPage { descending: true, ..by_value() };
    assert_eq!(find(storage, "size", IndexRange::all(), descending), ["e", "a", "c", "d", "b"]);
    let some = IndexRange::In(vec![40.into(), 10.into()]);
    assert_eq!(find(storage, "size", some, by_value()), ["b", "d", "e"]);
}

pub(crate) fn pages_by_value(storage: &impl Storage) {
    five_carts(storage);
    let page = |after: Option<(i64, &str)>, descending| IndexPage {
        after: after.map(|(value, id)| PageStart::Value(value.into(), id.into())),
        limit: Some(2),
        descending,
        ..by_value()
    };
    assert_eq!(find(storage, "size", IndexRange::all(), page(None, false)), ["b", "d"]);
    assert_eq!(find(storage, "size", IndexRange::all(), page(Some((10, "b")), false)), ["d", "c"]);
    assert_eq!(find(storage, "size", IndexRange::all(), page(Some((10, "d")), false)), ["c", "a"]);
    assert_eq!(find(storage, "size", IndexRange::all(), page(Some((20, "c")), true)), ["d", "b"]);
    let offset = IndexPage { offset: 3, ..by_value() };
    assert_eq!(find(storage, "size", IndexRange::all(), offset), ["a", "e"]);
    let of_the_other_sort = IndexPage { after: Some(PageStart::Id("a".into())), ..by_value() };
    assert!(storage.find_indexed("cart", "size", &IndexRange::all(), &of_the_other_sort).is_err());
}

pub(crate) fn finds_ranges_by_id(storage: &impl Storage) {
    five_carts(storage);
    let range = || IndexRange::Between(Bound::Included(20.into()), Bound::Unbounded);
    assert_eq!(find(storage, "size", range(), IndexPage::default()), ["a", "c", "e"]);
    let page = IndexPage { descending: true, offset: 1, ..IndexPage::first(1) };
    assert_eq!(find(storage, "size", range(), page), ["c"]);
    let page = IndexPage { after: Some(PageStart::Id("a".into())), ..IndexPage::default() };
    assert_eq!(find(storage, "size", range(), page), ["c", "e"]);
}

pub(crate) fn bounds_of_text_leave_numbers_out(storage: &impl Storage) {
    put(storage, indexed("cart", "number", [("value", 5.into())]));
    put(storage, indexed("cart", "text", [("value", "5".into())]));
    let below = |value: IndexValue| IndexRange::Between(Bound::Unbounded, Bound::Excluded(value));
    let above = |value: IndexValue| IndexRange::Between(Bound::Excluded(value), Bound::Unbounded);
    assert_eq!(find(storage, "value", below("9".into()), by_value()), ["text"]);
    assert_eq!(find(storage, "value", above(1.into()), by_value()), ["number"]);
    assert_eq!(find(storage, "value", IndexRange::all(), by_value()), ["number", "text"]);
}

pub(crate) fn one_amount_is_one_value(storage: &impl Storage) {
    put(storage, indexed("cart", "whole", [("value", 5.into())]));
    put(storage, indexed("cart", "real", [("value", 5.0.into()), ("value", 5.into())]));
    put(storage, indexed("cart", "half", [("value", 5.5.into())]));
    put(storage, indexed("cart", "none", [("value", f64::NAN.into())]));
    assert_eq!(find(storage, "value", IndexRange::equal(5.0), IndexPage::default()), ["real", "whole"]);
    assert_eq!(find(storage, "value", IndexRange::all(), by_value()), ["real", "whole", "half"]);
    put(storage, indexed("cart", "real", [("value", 5.0.into())]));
    assert_eq!(find(storage, "value", IndexRange::equal(5), IndexPage::default()), ["real", "whole"]);
}

pub(crate) fn a_document_with_several_values_comes_once(storage: &impl Storage) {
    let channels = [("channel", "x".into()), ("channel", "y".into()), ("channel", "x".into())];
    put(storage, indexed("cart", "a", channels));
    put(storage, indexed("cart", "b", [("channel", "y".into())]));
    let both = any(["x", "y"]);
    assert_eq!(find(storage, "channel", both.clone(), IndexPage::default()), ["a", "b"]);
    assert_eq!(find(storage, "channel", both.clone(), by_value()), ["a", "b"]);
    assert_eq!(find(storage, "channel", IndexRange::all(), IndexPage::default()), ["a", "b"]);
    assert_eq!(storage.count_indexed("cart", "channel", &both, 10).unwrap(), 2);
}

pub(crate) fn index_follows_updates(storage: &impl Storage) {
    put(storage, indexed("cart", "a", [("x", 1.into()), ("y", 1.into())]));
    put(storage, indexed("cart", "a", [("x", 2.into()), ("z", 1.into())]));
    for (path, value, found) in [("x", 1, false), ("x", 2, true), ("y", 1, false), ("z", 1, true)] {
        let ids = find(storage, path, IndexRange::equal(value), IndexPage::default());
        assert_eq!(ids.len(), usize::from(found), "{path} {value}");
    }
    delete(storage, "cart", "a");
    assert_eq!(find(storage, "x", IndexRange::all(), IndexPage::default()), [""; 0]);
}

pub(crate) fn visits_documents_of_the_index(storage: &impl Storage) {
    five_carts(storage);
    let mut visited = Vec::new();
    let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
        visited.push((stored.id.to_owned(), stored.body.len()));
        if visited.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    storage.visit_indexed("cart", "size", &IndexRange::all(), &by_value(), &mut visit).unwrap();
    assert_eq!(visited, [("b".to_owned(), 2), ("d".to_owned(), 2)]);
}

/// Results may be cached, but follow each write.
pub(crate) fn visits_by_value_follow_writes(storage: &impl Storage) {
    let held = |values: &[&str], page: IndexPage| {
        let mut ids = Vec::new();
        let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
            ids.push(stored.id.to_owned());
            ControlFlow::Continue(())
        };
        // The second time from the cache.
        for _ in 0..2 {
            let range = IndexRange::In(values.iter().map(|value| IndexValue::from(*value)).collect());
            storage.visit_indexed("cart", "colour", &range, &page, &mut visit).unwrap();
        }
        assert_eq!(ids[..ids.len() / 2], ids[ids.len() / 2..]);
        ids.truncate(ids.len() / 2);
        ids
    };
    let red = || held(&["red"], IndexPage::default());
    put(storage, indexed("cart", "b", [("colour", "green".into())]));
    assert_eq!(red(), [""; 0]);
    put(storage, indexed("cart", "b", [("colour", "red".into()), ("colour", "green".into())]));
    put(storage, indexed("cart", "a", [("colour", "red".into())]));
    assert_eq!(red(), ["a", "b"]);
    assert_eq!(held(&["green", "red"], IndexPage::default()), ["a", "b"]);
    assert_eq!(held(&["green", "red"], IndexPage::first(1)), ["a"]);
    assert_eq!(held(&["red"], IndexPage { descending: true, ..IndexPage::default() }), ["b", "a"]);
    put(storage, indexed("cart", "b", [("colour", "green".into())]));
    assert_eq!(red(), ["a"]);
    // A refused write changes nothing.
    let refused = Commit::new().put(indexed("cart", "c", [("colour", "red".into())])).require(
        Precondition::NotReferenced { kind: "cart".into(), path: "colour".into(), value: "green".into() },
    );
    assert!(storage.commit_blocking(refused).is_err());
    assert_eq!(red(), ["a"]);
    delete(storage, "cart", "a");
    assert_eq!(red(), [""; 0]);
    // More ids than the cache keeps.
    for number in 0..100 {
        assert_eq!(red().len(), number);
        put(storage, indexed("cart", &format!("{number:02}"), [("colour", "red".into())]));
    }
    delete(storage, "cart", "50");
    assert_eq!(red().len(), 99);
    storage.clear(&[]).unwrap();
    assert_eq!(red(), [""; 0]);
}

pub(crate) fn counts_up_to_a_cap(storage: &impl Storage) {
    five_carts(storage);
    let count = |range, cap| storage.count_indexed("cart", "size", &range, cap).unwrap();
    assert_eq!(count(IndexRange::all(), 100), 5);
    assert_eq!(count(IndexRange::all(), 3), 3);
    assert_eq!(count(IndexRange::equal(10), 100), 2);
    assert_eq!(count(IndexRange::In(vec![]), 100), 0);
    assert_eq!(count(IndexRange::Between(Bound::Excluded(10.into()), Bound::Unbounded), 100), 3);
}
