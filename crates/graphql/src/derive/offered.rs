//! What the table of operations has of a kind. Nothing else becomes a field of a root, so that this face and REST serve
//! the same.

use super::Deriving;
use kontor_model::{Doing, KindId, Operation, ServedOperation, Side};

/// Documents of the whole project: neither of one Store alone, nor of who asks or acts.
pub(super) fn in_project(side: Side) -> bool {
    side == Side::Project
}

/// Those of one Store.
pub(super) fn in_store(side: Side) -> bool {
    side == Side::Store
}

/// Those for an associate of a unit.
pub(super) fn for_associate(side: Side) -> bool {
    side.is_associate()
}

/// Those of who asks.
pub(super) fn mine(side: Side) -> bool {
    side == Side::Mine
}

/// Those of who asks in one Store.
pub(super) fn mine_in_store(side: Side) -> bool {
    side == Side::MineInStore
}

/// Those that are addressed, whoever asks.
pub(super) fn of_anybody(side: Side) -> bool {
    !side.is_mine()
}

impl Deriving<'_> {
    /// The kinds that operations are about, in the sequence of the table. Those of other services are not in GraphQL.
    pub(super) fn kinds_offered(&self) -> Vec<KindId> {
        let is_here = |kind: &KindId| self.model.kind(*kind).service.is_none();
        let mut kinds: Vec<KindId> =
            self.model.operations().iter().filter_map(|row| row.kind).filter(is_here).collect();
        kinds.dedup();
        kinds
    }

    /// Whether an operation of the table does this with documents of a kind. Those that REST lists below others alone
    /// are queried by themselves here.
    pub(super) fn offers(&self, kind: KindId, operation: Operation, on: fn(Side) -> bool) -> bool {
        let is_query = operation == Operation::Query && !self.model.kind(kind).has_path;
        self.offered(kind).any(|row| {
            let does = match row.doing {
                Doing::List(_) => is_query,
                doing => doing == Doing::Documents(operation),
            };
            does && on(row.side)
        })
    }

    /// Whether one does something else of a kind.
    pub(super) fn offers_beside(&self, kind: KindId, doing: Doing) -> bool {
        self.offered(kind).any(|row| row.doing == doing)
    }

    fn offered(&self, kind: KindId) -> impl Iterator<Item = &ServedOperation> {
        self.model.operations().iter().filter(move |row| row.kind == Some(kind))
    }
}
