//! Tests of commits: preconditions, refusals, and that a refused commit changes nothing.

use kontor_storage::{
    Commit, CommitError, CommitRefusal, DocumentState, Error, Precondition, Storage, UniqueKey, Write,
    provisional_revision,
};

use super::{body, delete, document, indexed, keyed, put, refusal};

fn unmet(index: usize, current_state: Option<DocumentState>, holder: Option<&str>) -> CommitRefusal {
    CommitRefusal::Precondition { index, current_state, holder: holder.map(str::to_owned) }
}

fn cart(id: &str) -> (String, String) {
    ("cart".to_owned(), id.to_owned())
}

fn absent(id: &str) -> Precondition {
    let (kind, id) = cart(id);
    Precondition::Absent { kind, id }
}

fn at_revision(id: &str, revision: i64) -> Precondition {
    let (kind, id) = cart(id);
    Precondition::Revision { kind, id, revision }
}

fn exists(id: &str) -> Precondition {
    let (kind, id) = cart(id);
    Precondition::Exists { kind, id }
}

fn not_referenced(id: &str) -> Precondition {
    Precondition::NotReferenced { kind: "order".into(), path: "cart.id".into(), value: id.into() }
}

pub(crate) fn refuses_what_exists_already(storage: &impl Storage) {
    let create = || Commit::new().require(absent("a")).put(document("cart", "a", "{}"));
    let receipt = storage.commit_blocking(create()).unwrap();
    let found = DocumentState { version: 1, revision: receipt.first as i64 };
    assert_eq!(refusal(storage, create()), unmet(0, Some(found), None));
}

pub(crate) fn refuses_a_revision_that_has_passed(storage: &impl Storage) {
    let update = |revision| {
        let write = document("cart", "a", "{}");
        Commit::new().require(absent("other")).require(at_revision("a", revision)).put(write)
    };
    assert_eq!(refusal(storage, update(1)), unmet(1, None, None));
    let first = put(storage, document("cart", "a", "{}")).first as i64;
    let second = storage.commit_blocking(update(first)).unwrap().first as i64;
    let found = DocumentState { version: 1, revision: second };
    assert_eq!(refusal(storage, update(first)), unmet(1, Some(found), None));
}

/// Submitted before the revisions of the first one are known.
pub(crate) fn a_commit_may_follow_one_that_is_underway(storage: &impl Storage) {
    if !storage.takes_provisional_revisions() {
        return;
    }
    let following = |followed: i64, id: &str, own: i64| {
        let commit = Commit::new().require(at_revision(id, followed)).put(document("cart", id, "{}"));
        Commit { provisional_revision: Some(own), ..commit }
    };
    let [first, second, third, fourth] = std::array::from_fn(|_| provisional_revision());
    let both = Commit::new().put(document("cart", "a", "{}")).put(document("cart", "b", "{}"));
    let commits = [
        Commit { provisional_revision: Some(first), ..both },
        following(first, "a", second),
        // The second commit has changed the document meanwhile.
        following(first, "a", third),
        following(first, "b", fourth),
        // The third commit was refused.
        following(third, "a", provisional_revision()),
        following(second, "a", provisional_revision()),
    ];
    let responses = commits.map(|commit| storage.commit(commit)).map(|response| response.wait().is_ok());
    assert_eq!(responses, [true, true, false, true, false, true]);
    let later = storage.commit_blocking(following(fourth, "b", provisional_revision())).unwrap().first as i64;
    assert!(storage.commit_blocking(following(fourth, "b", provisional_revision())).is_err());
    storage.commit_blocking(following(later, "b", provisional_revision())).unwrap();
}

/// The refusal comes after the first document was written. Later commits must see its former row and keys.
pub(crate) fn a_refused_write_is_not_remembered(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "spring"));
    let before = put(storage, keyed("cart", "a", "summer")).first as i64;
    put(storage, keyed("cart", "b", "winter"));
    let clash = Commit::new().put(keyed("cart", "a", "autumn")).put(keyed("cart", "c", "winter"));
    assert!(matches!(refusal(storage, clash), CommitRefusal::Duplicate { holder, .. } if holder == "b"));
    let again = Commit::new().require(at_revision("a", before)).put(keyed("cart", "a", "autumn"));
    storage.commit_blocking(again).unwrap();
    assert!(storage.get_by_unique("cart", "key", "summer").unwrap().is_none());
    let gone = Commit::new().require(at_revision("a", before)).delete("cart", "a");
    assert!(matches!(
        refusal(storage, gone),
        CommitRefusal::Precondition { index: 0, current_state: Some(_), .. }
    ));
    delete(storage, "cart", "a");
    storage.commit_blocking(Commit::new().require(absent("a")).put(keyed("cart", "a", "autumn"))).unwrap();
}

pub(crate) fn refuses_duplicates_and_names_the_holder(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "summer"));
    let duplicate = CommitRefusal::Duplicate {
        kind: "cart".into(),
        path: "key".into(),
        value: "summer".into(),
        holder: "a".into(),
    };
    assert_eq!(refusal(storage, Commit::new().put(keyed("cart", "b", "summer"))), duplicate);
    assert_eq!(storage.get("cart", "b").unwrap(), None);
    // Also within one commit.
    let both = Commit::new().put(keyed("cart", "b", "winter")).put(keyed("cart", "c", "winter"));
    assert!(matches!(refusal(storage, both), CommitRefusal::Duplicate { holder, .. } if holder == "b"));
    // The holder of a key may be written again.
    put(storage, keyed("cart", "a", "summer"));
}

pub(crate) fn two_documents_may_swap_their_keys(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    put(storage, keyed("cart", "b", "two"));
    assert_eq!(storage.find_unique("cart", "key", "one").unwrap().as_deref(), Some("a"));
    let swap = Commit::new().put(keyed("cart", "a", "two")).put(keyed("cart", "b", "one"));
    storage.commit_blocking(swap).unwrap();
    assert_eq!(storage.find_unique("cart", "key", "one").unwrap().as_deref(), Some("b"));
    assert_eq!(storage.find_unique("cart", "key", "two").unwrap().as_deref(), Some("a"));
}

pub(crate) fn a_key_is_free_when_its_holder_goes_or_changes(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    put(storage, keyed("cart", "a", "two"));
    put(storage, keyed("cart", "b", "one"));
    delete(storage, "cart", "a");
    put(storage, keyed("cart", "c", "two"));
    let replaced = Commit::new().delete("cart", "b").put(keyed("cart", "d", "one"));
    storage.commit_blocking(replaced).unwrap();
    assert_eq!(storage.find_unique("cart", "key", "one").unwrap().as_deref(), Some("d"));
}

pub(crate) fn a_unique_key_is_one_per_kind_and_path(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    put(storage, keyed("order", "a", "one"));
    let mut other_path = document("cart", "b", "{}");
    other_path.unique = vec![UniqueKey::new("sku", "one")];
    put(storage, other_path);
    assert_eq!(storage.find_unique("cart", "sku", "one").unwrap().as_deref(), Some("b"));
}

pub(crate) fn finds_by_unique_key(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    for _ in 0..2 {
        assert_eq!(storage.get_by_unique("cart", "key", "one").unwrap().unwrap().id, "a");
        assert_eq!(storage.get_by_unique("cart", "key", "two").unwrap(), None);
    }
    put(storage, keyed("cart", "a", "two"));
    assert_eq!(storage.get_by_unique("cart", "key", "one").unwrap(), None);
    assert_eq!(storage.get_by_unique("cart", "key", "two").unwrap().unwrap().id, "a");
    delete(storage, "cart", "a");
    assert_eq!(storage.get_by_unique("cart", "key", "two").unwrap(), None);
}

pub(crate) fn many_are_found_by_unique_keys(storage: &impl Storage) {
    let keys: Vec<String> = (0..150).map(|number| format!("key-{number:03}")).collect();
    for (number, key) in keys.iter().enumerate() {
        put(storage, keyed("cart", &format!("cart-{number}"), key));
    }
    put(storage, keyed("order", "order", "key-001"));
    let mut wanted: Vec<&str> = keys.iter().rev().map(String::as_str).collect();
    // An unused value, a repeated one, and one that would end an SQL text.
    wanted.extend(["free", "key-007", "'"]);
    for _ in 0..2 {
        for part in [&wanted[..], &wanted[145..], &wanted[149..150], &[]] {
            let many = storage.get_many_by_unique("cart", "key", part).unwrap();
            let one = |key: &&str| storage.get_by_unique("cart", "key", key).unwrap();
            assert_eq!(many, part.iter().map(one).collect::<Vec<_>>());
        }
    }
    put(storage, keyed("cart", "cart-1", "other"));
    put(storage, keyed("cart", "cart-2", "key-001"));
    let many = storage.get_many_by_unique("cart", "key", &["key-001", "key-002", "other"]).unwrap();
    let ids: Vec<_> = many.iter().map(|stored| stored.as_ref().map(|stored| stored.id.as_str())).collect();
    assert_eq!(ids, [Some("cart-2"), None, Some("cart-1")]);
    assert_eq!(storage.get_many_by_unique("quote", "key", &["a", "b"]).unwrap(), [None, None]);
}

pub(crate) fn a_target_must_exist_after_the_commit(storage: &impl Storage) {
    let order = || document("order", "o", "{}");
    let refer = || Commit::new().require(exists("a")).put(order());
    assert_eq!(refusal(storage, refer()), unmet(0, None, None));
    // Created together.
    storage.commit_blocking(refer().put(keyed("cart", "a", "one"))).unwrap();
    storage.commit_blocking(refer()).unwrap();
    // Deleted together.
    assert_eq!(refusal(storage, refer().delete("cart", "a")), unmet(0, None, None));
    // By key.
    let by_key = |value: &str| {
        let (kind, path, value) = ("cart".into(), "key".into(), value.into());
        Commit::new().require(Precondition::ExistsUnique { kind, path, value }).put(order())
    };
    storage.commit_blocking(by_key("one")).unwrap();
    assert_eq!(refusal(storage, by_key("two")), unmet(0, None, None));
}

pub(crate) fn a_referenced_target_stays(storage: &impl Storage) {
    put(storage, document("cart", "a", "{}"));
    put(storage, indexed("order", "o", [("cart.id", "a".into())]));
    let delete = || Commit::new().require(not_referenced("a")).delete("cart", "a");
    assert_eq!(refusal(storage, delete()), unmet(0, None, Some("o")));
    assert!(storage.get("cart", "a").unwrap().is_some());
    // A document that refers since this commit counts; one that stopped referring or is deleted in it does not.
    let refer_elsewhere = indexed("order", "o", [("cart.id", "b".into())]);
    let and_back = indexed("order", "p", [("cart.id", "a".into())]);
    let both = delete().put(refer_elsewhere.clone()).put(and_back);
    assert_eq!(refusal(storage, both), unmet(0, None, Some("p")));
    storage.commit_blocking(delete().put(refer_elsewhere)).unwrap();
    put(storage, document("cart", "a", "{}"));
    put(storage, indexed("order", "o", [("cart.id", "a".into())]));
    storage.commit_blocking(delete().delete("order", "o")).unwrap();
}

pub(crate) fn counts_are_bounded(storage: &impl Storage) {
    let create = |id: &str, limit| {
        let bound = Precondition::CountAtMost { kind: "cart".into(), limit };
        Commit::new().require(bound).put(indexed("cart", id, [("customer", "x".into())]))
    };
    storage.commit_blocking(create("a", 2)).unwrap();
    storage.commit_blocking(create("b", 2)).unwrap();
    assert_eq!(refusal(storage, create("c", 2)), unmet(0, None, None));
    storage.commit_blocking(create("b", 2)).unwrap();
    let of_customer = |limit| {
        let (kind, path, value) = ("cart".into(), "customer".into(), "x".into());
        let bound = Precondition::IndexedAtMost { kind, path, value, limit };
        Commit::new().require(bound).put(indexed("cart", "c", [("customer", "x".into())]))
    };
    assert_eq!(refusal(storage, of_customer(2)), unmet(0, None, Some("c")));
    storage.commit_blocking(of_customer(3)).unwrap();
}

pub(crate) fn counters_are_bounded(storage: &impl Storage) {
    let count = |add| {
        let counter = "uses".to_owned();
        Commit::new().write(Write::Count { counter, add, at_least: Some(0), at_most: Some(3) })
    };
    assert_eq!(storage.counter("uses").unwrap(), 0);
    storage.commit_blocking(count(2)).unwrap();
    let at_two = CommitRefusal::Counter { counter: "uses".into(), value: 2 };
    assert_eq!(refusal(storage, count(2)), at_two);
    assert_eq!(refusal(storage, count(-3)), at_two);
    assert_eq!(refusal(storage, count(i64::MAX)), at_two);
    storage.commit_blocking(count(1)).unwrap();
    assert_eq!(storage.counter("uses").unwrap(), 3);
}

pub(crate) fn a_refused_commit_leaves_nothing(storage: &impl Storage) {
    put(storage, keyed("cart", "a", "one"));
    let before = storage.last_seq().unwrap();
    let refused = Commit::new()
        .put(keyed("cart", "a", "two"))
        .put(indexed("cart", "b", [("size", 1.into())]))
        .write(Write::Count { counter: "uses".into(), add: 1, at_least: None, at_most: None })
        .write(Write::Setting { name: "title".into(), value: Some("x".into()) })
        .require(exists("nowhere"));
    assert_eq!(refusal(storage, refused), unmet(0, None, None));
    assert_eq!(storage.last_seq().unwrap(), before);
    assert_eq!(storage.find_unique("cart", "key", "one").unwrap().as_deref(), Some("a"));
    assert_eq!(storage.find_unique("cart", "key", "two").unwrap(), None);
    assert_eq!(storage.count("cart").unwrap(), 1);
    assert_eq!(storage.counter("uses").unwrap(), 0);
    assert_eq!(storage.setting("title").unwrap(), None);
    assert_eq!(storage.changes(before, 10).unwrap(), []);
}

pub(crate) fn a_refused_commit_spares_its_neighbours(storage: &impl Storage) {
    // Submitted without waiting, so that they share transactions.
    let responses: Vec<_> = (0..300)
        .map(|number| {
            let commit =
                Commit::new().put(keyed("cart", &format!("{number:03}"), &format!("{}", number / 2)));
            storage.commit(commit)
        })
        .collect();
    for (number, response) in responses.into_iter().enumerate() {
        match response.wait() {
            Ok(_) => assert_eq!(number % 2, 0),
            Err(CommitError::Refused(CommitRefusal::Duplicate { .. })) => assert_eq!(number % 2, 1),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(storage.count("cart").unwrap(), 150);
    assert_eq!(storage.last_seq().unwrap(), 150);
}

pub(crate) fn one_document_once_in_a_commit(storage: &impl Storage) {
    let twice = Commit::new().put(document("cart", "a", "1")).put(document("cart", "a", "2"));
    let result = storage.commit_blocking(twice);
    assert!(matches!(result, Err(CommitError::Failed(Error::Invalid(_)))), "{result:?}");
    assert_eq!(storage.get("cart", "a").unwrap(), None);
}

pub(crate) fn deleting_nothing_is_refused(storage: &impl Storage) {
    let missing = CommitRefusal::Missing { kind: "cart".into(), id: "a".into() };
    assert_eq!(refusal(storage, Commit::new().delete("cart", "a")), missing);
    put(storage, document("cart", "b", "{}"));
    assert_eq!(refusal(storage, Commit::new().delete("cart", "a")), missing);
}

pub(crate) fn commit_returns_a_future(storage: &impl Storage) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let receipt = runtime.block_on(async {
        let response = storage.commit(Commit::new().put(document("cart", "a", "1")));
        response.await.unwrap()
    });
    assert_eq!((receipt.first, receipt.last), (1, 1));
    // Dropping the acknowledgement does not revert the commit.
    drop(storage.commit(Commit::new().put(document("cart", "a", "2"))));
    put(storage, document("cart", "b", "{}"));
    assert_eq!(body(storage, "cart", "a").as_deref(), Some("2"));
}
