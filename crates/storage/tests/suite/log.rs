//! Tests of the change log, positions of consumers, and settings.

use kontor_storage::{ChangeOperation, Commit, Put, Storage, Write};

use super::{delete, document, put};

pub(crate) fn logs_every_write_without_gaps(storage: &impl Storage) {
    put(storage, document("cart", "a", "{}"));
    put(storage, Put { version: 2, ..document("cart", "a", "{}") });
    let both = Commit::new().put(document("message", "m", "{}")).delete("cart", "a");
    let receipt = storage.commit_blocking(both).unwrap();
    assert_eq!((receipt.first, receipt.last), (3, 4));
    let changes = storage.changes(0, 100).unwrap();
    let seen: Vec<_> = changes
        .iter()
        .map(|change| {
            (change.seq, change.kind.as_str(), change.id.as_str(), change.version, change.operation)
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, "cart", "a", 1, ChangeOperation::Created),
            (2, "cart", "a", 2, ChangeOperation::Updated),
            (3, "message", "m", 1, ChangeOperation::Created),
            (4, "cart", "a", 2, ChangeOperation::Deleted),
        ]
    );
    assert_eq!(storage.changes(1, 2).unwrap(), changes[1..3]);
    assert_eq!(storage.changes(4, 2).unwrap(), []);
    assert_eq!(storage.last_seq().unwrap(), 4);
}

pub(crate) fn wakes_listeners(storage: &impl Storage) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut listener = storage.subscribe();
    assert_eq!(*listener.borrow_and_update(), 0);
    put(storage, document("cart", "a", "{}"));
    delete(storage, "cart", "a");
    runtime.block_on(listener.changed()).unwrap();
    assert_eq!(*listener.borrow_and_update(), 2);
    // Storing a position wakes no listener: a consumer would wake itself for ever.
    storage.set_position("search", 2).unwrap();
    assert!(!listener.has_changed().unwrap());
}

pub(crate) fn positions_and_settings_are_kept(storage: &impl Storage) {
    assert_eq!(storage.position("search").unwrap(), 0);
    storage.set_position("search", 5).unwrap();
    storage.set_position("search", 7).unwrap();
    assert_eq!(storage.position("search").unwrap(), 7);
    assert_eq!(storage.setting("title").unwrap(), None);
    storage.set_setting("title", Some("Books")).unwrap();
    assert_eq!(storage.setting("title").unwrap().as_deref(), Some("Books"));
    storage.set_setting("title", None).unwrap();
    assert_eq!(storage.setting("title").unwrap(), None);
}

pub(crate) fn a_position_is_part_of_a_commit(storage: &impl Storage) {
    let commit = Commit::new()
        .put(document("cart", "a", "{}"))
        .write(Write::Position { consumer: "history".into(), seq: 1 });
    storage.commit_blocking(commit).unwrap();
    assert_eq!(storage.position("history").unwrap(), 1);
}
