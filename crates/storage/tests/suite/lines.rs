//! Tests of appended lines.

use std::ops::ControlFlow;

use kontor_storage::{Commit, LINE_END, ListLine, Precondition, ScanDirection, Storage, Write};

use super::document;

/// More lines than one transaction has.
const LINES: usize = 600;
/// A line of this size is compressed, in a document of its own.
const LARGE_BYTES: usize = 5_000;

fn line(list: &str, number: usize, text: &str) -> Write {
    let name = format!("{number:04}");
    Write::Append(ListLine { kind: "told".into(), list: list.into(), name, text: text.to_owned().into() })
}

/// Returns the documents of a list by id, with their lines.
fn list(storage: &impl Storage, list: &str) -> Vec<(String, Vec<String>)> {
    let start = format!("{list}/");
    let mut documents = Vec::new();
    storage
        .scan("told", ScanDirection::Ascending, Some(&start), &mut |stored| {
            if !stored.id.starts_with(&start) {
                return ControlFlow::Break(());
            }
            let lines = stored.body.split(|byte| *byte == LINE_END);
            let lines = lines.map(|line| String::from_utf8(line.to_vec()).unwrap());
            documents.push((stored.id.to_owned(), lines.collect()));
            ControlFlow::Continue(())
        })
        .unwrap();
    documents
}

pub(crate) fn lines_are_read_in_the_sequence_of_their_commits(storage: &impl Storage) {
    let text = |number: usize| match number % 7 {
        0 => format!("{number}\n{}", "x".repeat(LARGE_BYTES)),
        _ => format!("{number}\n"),
    };
    let commits: Vec<_> = (0..LINES)
        .map(|number| {
            let commit = Commit::new().put(document("cart", &number.to_string(), "{}"));
            let other = line("other", number, "{}");
            storage.commit(commit.write(other).write(line("one", number, &text(number))))
        })
        .collect();
    let receipts: Vec<_> = commits.into_iter().map(|commit| commit.wait().unwrap()).collect();
    for (number, receipt) in receipts.iter().enumerate() {
        let cart = storage.get("cart", &number.to_string()).unwrap().unwrap();
        assert_eq!(cart.revision.unsigned_abs(), receipt.first);
    }
    let documents = list(storage, "one");
    assert_eq!(storage.count("told").unwrap(), (documents.len() + list(storage, "other").len()) as u64);
    let mut lines: Vec<String> = documents.into_iter().flat_map(|(_, lines)| lines).collect();
    // Large lines may precede or follow others that were written with them.
    lines.sort_by_key(|line| line.lines().next().unwrap().parse::<usize>().unwrap());
    assert_eq!(lines, (0..LINES).map(text).collect::<Vec<_>>());
}

pub(crate) fn a_later_line_is_behind_all_that_were_written_before_it(storage: &impl Storage) {
    for (number, names) in [[1, 5, 3], [2, 7, 6], [4, 8, 9]].iter().enumerate() {
        let write = |commit: Commit, name: &usize| commit.write(line("one", *name, &number.to_string()));
        storage.commit_blocking(names.iter().fold(Commit::new(), write)).unwrap();
    }
    let documents = list(storage, "one");
    let last = |of: &str| {
        let place = documents.iter().rposition(|(_, lines)| lines.contains(&of.to_owned()));
        documents[place.unwrap()].0.clone()
    };
    assert_eq!([last("0"), last("1"), last("2")], ["one/0005", "one/0007", "one/0009"]);
}

pub(crate) fn a_refused_commit_adds_no_line(storage: &impl Storage) {
    let missing = Precondition::Exists { kind: "cart".into(), id: "none".into() };
    let refused = Commit::new().require(missing).put(document("cart", "a", "{}"));
    let commits = [
        storage.commit(Commit::new().write(line("one", 1, "kept"))),
        storage.commit(refused.write(line("one", 2, "refused"))),
        storage.commit(Commit::new().write(line("one", 3, "kept, too"))),
    ];
    let [first, second, third] = commits.map(kontor_storage::CommitFuture::wait);
    assert!(first.is_ok() && second.is_err() && third.is_ok(), "{first:?} {second:?} {third:?}");
    let lines: Vec<String> = list(storage, "one").into_iter().flat_map(|(_, lines)| lines).collect();
    assert_eq!(lines, ["kept", "kept, too"]);
}

pub(crate) fn documents_of_lines_are_deleted_as_others(storage: &impl Storage) {
    storage.commit_blocking(Commit::new().write(line("one", 1, "a")).write(line("two", 2, "b"))).unwrap();
    let [(id, _)] = &list(storage, "one")[..] else { panic!("one document") };
    storage.commit_blocking(Commit::new().delete("told", id)).unwrap();
    assert_eq!(list(storage, "one"), []);
    assert_eq!(list(storage, "two").len(), 1);
    assert_eq!(storage.count("told").unwrap(), 1);
}
