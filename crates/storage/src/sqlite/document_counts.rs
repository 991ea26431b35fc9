//! Counts how many documents of each kind a transaction adds. The count in the file is updated once at the end, since a
//! row of it costs as much as a small document.

use super::{
    checksum,
    name_number::NameNumber,
    reads,
    statements::{Sql, Statements},
};
use crate::Result;

/// Added documents by kind; negative if more were deleted.
type CountsByKind = Vec<(NameNumber, i64)>;

/// The counts of a transaction that are not in the file yet.
#[derive(Debug, Default)]
pub(super) struct DocumentCounts {
    all: CountsByKind,
    /// The counts of the current commit, which may be reverted.
    commit: CountsByKind,
}

impl DocumentCounts {
    /// Adds to a kind, for the current commit.
    pub(super) fn add(&mut self, kind: NameNumber, add: i64) {
        add_to(&mut self.commit, kind, add);
    }

    /// Returns how many more documents a kind has than the file says.
    pub(super) fn added_of(&self, kind: NameNumber) -> i64 {
        let of_kind = self.all.iter().chain(&self.commit).filter(|(of, _)| *of == kind);
        of_kind.map(|(_, add)| add).sum()
    }

    /// Accepts the current commit.
    pub(super) fn accept_commit(&mut self) {
        for (kind, add) in self.commit.drain(..) {
            add_to(&mut self.all, kind, add);
        }
    }

    /// Reverts the current commit.
    pub(super) fn revert_commit(&mut self) {
        self.commit.clear();
    }

    /// Writes the counts to the file.
    pub(super) fn write(&self, statements: &mut Statements<'_>) -> Result<()> {
        for (kind, add) in self.all.iter().filter(|(_, add)| *add != 0) {
            add_in_file(statements, *kind, *add)?;
        }
        Ok(())
    }
}

/// Adds to the number of documents of a kind in the file.
pub(super) fn add_in_file(statements: &mut Statements<'_>, kind: NameNumber, add: i64) -> Result<()> {
    let count = reads::count_by(statements.get(Sql::FindCount)?, kind)? + add;
    set_in_file(statements, kind, count)
}

/// Writes the number of documents of a kind.
pub(super) fn set_in_file(statements: &mut Statements<'_>, kind: NameNumber, count: i64) -> Result<()> {
    let sum = checksum::row_checksum(&[kind.into(), count], &[]);
    statements.get(Sql::SetCount)?.execute((kind, count, sum))?;
    Ok(())
}

/// Adds by a linear search: a transaction has few kinds.
fn add_to(counted: &mut CountsByKind, kind: NameNumber, add: i64) {
    match counted.iter_mut().find(|(of, _)| *of == kind) {
        Some((_, sum)) => *sum += add,
        None => counted.push((kind, add)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverted_commits_add_nothing() {
        let mut counted = DocumentCounts::default();
        counted.add(1, 1);
        counted.accept_commit();
        counted.add(1, 1);
        counted.add(2, -1);
        assert_eq!((counted.added_of(1), counted.added_of(2)), (2, -1));
        counted.revert_commit();
        assert_eq!((counted.added_of(1), counted.added_of(2)), (1, 0));
    }
}
