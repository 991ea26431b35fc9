//! Counts how many documents of each kind a transaction adds. The count in the file is updated once at the end, since a
//! row of it costs as much as a small document.

use super::{
    checksum,
    number::Number,
    reads,
    statements::{Sql, Statements},
};
use crate::Result;

/// Added documents by kind; negative if more were deleted.
type ByKind = Vec<(Number, i64)>;

/// The counts of a transaction that are not in the file yet.
#[derive(Debug, Default)]
pub(super) struct Counted {
    all: ByKind,
    /// The counts of the current commit, which may be reverted.
    commit: ByKind,
}

impl Counted {
    /// Adds to a kind, for the current commit.
    pub(super) fn add(&mut self, kind: Number, add: i64) {
        add_to(&mut self.commit, kind, add);
    }

    /// Returns how many more documents a kind has than the file says.
    pub(super) fn of(&self, kind: Number) -> i64 {
        let of_kind = self.all.iter().chain(&self.commit).filter(|(of, _)| *of == kind);
        of_kind.map(|(_, add)| add).sum()
    }

    /// Accepts the current commit.
    pub(super) fn keep_commit(&mut self) {
        for (kind, add) in self.commit.drain(..) {
            add_to(&mut self.all, kind, add);
        }
    }

    /// Reverts the current commit.
    pub(super) fn forget_commit(&mut self) {
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
pub(super) fn add_in_file(statements: &mut Statements<'_>, kind: Number, add: i64) -> Result<()> {
    let count = reads::count_by(statements.get(Sql::FindCount)?, kind)? + add;
    set_in_file(statements, kind, count)
}

/// Writes the number of documents of a kind.
pub(super) fn set_in_file(statements: &mut Statements<'_>, kind: Number, count: i64) -> Result<()> {
    let sum = checksum::of_row(&[kind.into(), count], &[]);
    statements.get(Sql::SetCount)?.execute((kind, count, sum))?;
    Ok(())
}

/// Adds by a linear search: a transaction has few kinds.
fn add_to(counted: &mut ByKind, kind: Number, add: i64) {
    match counted.iter_mut().find(|(of, _)| *of == kind) {
        Some((_, sum)) => *sum += add,
        None => counted.push((kind, add)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_is_taken_back_adds_nothing() {
        let mut counted = Counted::default();
        counted.add(1, 1);
        counted.keep_commit();
        counted.add(1, 1);
        counted.add(2, -1);
        assert_eq!((counted.of(1), counted.of(2)), (2, -1));
        counted.forget_commit();
        assert_eq!((counted.of(1), counted.of(2)), (1, 0));
    }
}
