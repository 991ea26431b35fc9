//! The contract of every storage: each test is written once for the trait, and runs on each implementation.
//! Behaviour of a single implementation is not part of the contract.

#![allow(dead_code)] // Not every test file that takes the suite in uses every builder of documents.

pub(crate) mod commits;
pub(crate) mod content;
pub(crate) mod documents;
pub(crate) mod index;
pub(crate) mod invariants;
pub(crate) mod lines;
pub(crate) mod log;
pub(crate) mod records;

use bytes::Bytes;
use kontor_storage::{
    Commit, CommitError, CommitReceipt, CommitRefusal, IndexValue, Put, Storage, UniqueKey,
};

/// Runs the suite on a storage. The function returns a new, empty one, and a value that must live as long.
#[macro_export]
macro_rules! storage_suite {
    ($name:ident, $open:expr) => {
        mod $name {
            use super::*;

            $crate::storage_suite!(@tests $open, documents:
                reads_back_what_was_written,
                many_are_read_in_the_sequence_of_their_ids,
                batch_equals_single_reads,
                every_write_has_a_revision_of_its_own,
                a_deleted_document_is_gone,
                reads_unknown_kinds,
                counts_several_kinds_at_once,
                scans_in_the_sequence_of_ids,
                a_scan_ends_when_told,
                counts_documents,
                appended_documents_are_ordinary_documents,
                large_documents_survive,
                large_documents_are_the_same_whichever_way_they_are_read,
            );
            $crate::storage_suite!(@tests $open, commits:
                refuses_what_exists_already,
                refuses_a_revision_that_has_passed,
                a_commit_may_follow_one_that_is_underway,
                refuses_duplicates_and_names_the_holder,
                two_documents_may_swap_their_keys,
                a_key_is_free_when_its_holder_goes_or_changes,
                a_unique_key_is_one_per_kind_and_path,
                finds_by_unique_key,
                many_are_found_by_unique_keys,
                a_target_must_exist_after_the_commit,
                a_referenced_target_stays,
                counts_are_bounded,
                counters_are_bounded,
                a_refused_commit_leaves_nothing,
                a_refused_write_is_not_remembered,
                a_refused_commit_spares_its_neighbours,
                one_document_once_in_a_commit,
                deleting_nothing_is_refused,
                commit_returns_a_future,
            );
            $crate::storage_suite!(@tests $open, index:
                finds_equal_values,
                finds_any_of_several_values_by_id,
                merges_long_and_short_rows_of_several_values,
                pages_by_id,
                finds_ranges_by_value,
                pages_by_value,
                finds_ranges_by_id,
                bounds_of_text_leave_numbers_out,
                one_amount_is_one_value,
                a_document_with_several_values_comes_once,
                index_follows_updates,
                visits_documents_of_the_index,
                visits_by_value_follow_writes,
                counts_up_to_a_cap,
            );
            $crate::storage_suite!(@tests $open, lines:
                lines_are_read_in_the_sequence_of_their_commits,
                a_later_line_is_behind_all_that_were_written_before_it,
                a_refused_commit_adds_no_line,
                documents_of_lines_are_deleted_as_others,
            );
            $crate::storage_suite!(@tests $open, log:
                logs_every_write_without_gaps,
                wakes_listeners,
                positions_and_settings_are_kept,
                a_position_is_part_of_a_commit,
            );
            $crate::storage_suite!(@tests $open, records:
                records_come_newest_first,
                records_of_one_document_stay_when_it_is_gone,
                pages_of_records_follow_each_other,
                a_refused_commit_leaves_no_record,
                a_clock_that_was_set_back_is_believed,
                erased_records_are_gone,
                the_oldest_records_end,
                records_are_no_documents,
                records_are_backed_up_and_restored,
            );
            $crate::storage_suite!(@tests $open, content:
                clearing_keeps_some_kinds_and_the_settings,
                restores_what_was_backed_up,
                restores_into_another_shop,
                refuses_to_restore_what_is_no_backup,
                backs_up_while_commits_go_on,
                a_copy_follows,
                refuses_commits_while_moving,
            );
            $crate::storage_suite!(@tests $open, invariants:
                hold_under_64_threads,
                readers_never_go_back_in_time,
                all_reads_see_what_one_has_seen,
                visits_see_one_state,
                visits_by_values_see_one_state,
            );
        }
    };
    (@tests $open:expr, $file:ident: $($test:ident,)*) => {
        $(
            #[test]
            fn $test() {
                let (storage, _guard) = $open();
                suite::$file::$test(&storage);
            }
        )*
    };
}

/// Returns a compressible document of some 10 KB, with a key and 200 rows of the path `tag`.
pub(crate) fn large(kind: &str, id: &str, key: &str) -> Put {
    let tags = (0..200).map(|number| ("tag".to_owned(), format!("tag {number}").into()));
    let body =
        format!(r#"{{"key":"{key}","tags":[{}]}}"#, r#""one of many tags that look alike","#.repeat(300));
    Put { body: body.into(), indexed: tags.collect(), ..keyed(kind, id, key) }
}

/// Returns a document without keys.
pub(crate) fn document(kind: &str, id: &str, body: &str) -> Put {
    Put {
        kind: kind.to_owned(),
        id: id.to_owned(),
        version: 1,
        sequence: 0,
        body: Bytes::copy_from_slice(body.as_bytes()),
        unique: Vec::new(),
        indexed: Vec::new(),
        ..Put::default()
    }
}

/// Returns a document with a unique key at the path `key`.
pub(crate) fn keyed(kind: &str, id: &str, key: &str) -> Put {
    Put { unique: vec![UniqueKey::new("key", key)], ..document(kind, id, "{}") }
}

/// Returns a document with indexed values.
pub(crate) fn indexed<const N: usize>(kind: &str, id: &str, values: [(&str, IndexValue); N]) -> Put {
    let indexed = values.into_iter().map(|(path, value)| (path.to_owned(), value)).collect();
    Put { indexed, ..document(kind, id, "{}") }
}

/// Writes a document; the commit must succeed.
pub(crate) fn put(storage: &impl Storage, put: Put) -> CommitReceipt {
    storage.commit_blocking(Commit::new().put(put)).unwrap()
}

/// Deletes an existing document.
pub(crate) fn delete(storage: &impl Storage, kind: &str, id: &str) -> CommitReceipt {
    storage.commit_blocking(Commit::new().delete(kind, id)).unwrap()
}

/// Submits a commit that must be refused, and returns the refusal.
pub(crate) fn refusal(storage: &impl Storage, commit: Commit) -> CommitRefusal {
    match storage.commit_blocking(commit) {
        Err(CommitError::Refused(refusal)) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Returns the JSON of a document.
pub(crate) fn body(storage: &impl Storage, kind: &str, id: &str) -> Option<String> {
    let stored = storage.get(kind, id).unwrap()?;
    Some(String::from_utf8(stored.body.to_vec()).unwrap())
}
