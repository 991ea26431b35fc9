//! The operations of each kind from the model's table of operations. Root fields are derived from them alone, so
//! that GraphQL and REST serve the same operations.

use super::Deriving;
use kontor_model::{Doing, KindId, Model, Operation, ServedOperation, Side};

/// The operations of one kind, which are adjacent in the table. A root field covers several of them: by id,
/// by key, in a Store, for an associate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offered<'m> {
    pub(super) kind: KindId,
    rows: &'m [ServedOperation],
    /// REST lists these documents only below other documents; GraphQL has a query for them.
    is_listed_only: bool,
}

/// Returns the table of operations grouped by kind. Kinds of other services are not in GraphQL.
pub(super) fn by_kind(model: &Model) -> Vec<Offered<'_>> {
    let groups = model.operations().chunk_by(|one, other| one.kind == other.kind);
    let offered = groups.filter_map(|rows| {
        let kind = rows.first()?.kind?;
        let entry = model.kind(kind);
        entry.service.is_none().then_some(Offered { kind, rows, is_listed_only: !entry.has_path })
    });
    offered.collect()
}

impl Offered<'_> {
    /// Returns whether an operation applies to documents on such a side.
    pub(super) fn has(self, operation: Operation, on: fn(Side) -> bool) -> bool {
        self.rows.iter().any(|row| on(row.side) && self.does(row.doing, operation))
    }

    fn does(self, doing: Doing, operation: Operation) -> bool {
        match doing {
            Doing::List(_) => self.is_listed_only && operation == Operation::Query,
            doing => doing == Doing::Documents(operation),
        }
    }

    /// Returns whether an operation other than the standard ones exists.
    pub(super) fn has_other(self, doing: Doing) -> bool {
        self.rows.iter().any(|row| row.doing == doing)
    }

    /// Returns the positions of the endpoints that are operations, without duplicates, in ascending order.
    pub(super) fn endpoints(self) -> Vec<usize> {
        let positions = self.rows.iter().filter_map(|row| match row.doing {
            Doing::Endpoint(position) => Some(position),
            _ => None,
        });
        let mut positions: Vec<usize> = positions.collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

impl<'m> Deriving<'m> {
    /// Returns the operations of another kind.
    pub(super) fn offered_of(&self, kind: KindId) -> Option<Offered<'m>> {
        self.offered.iter().copied().find(|offered| offered.kind == kind)
    }
}

/// Operations on documents of the whole project: neither of one Store, nor of the caller.
pub(super) fn in_project(side: Side) -> bool {
    side == Side::Project
}

/// Operations on documents of one Store.
pub(super) fn in_store(side: Side) -> bool {
    side == Side::Store
}

/// Operations of an associate for a business unit.
pub(super) fn for_associate(side: Side) -> bool {
    side.is_associate()
}

/// Operations on documents of the caller.
pub(super) fn mine(side: Side) -> bool {
    side == Side::Mine
}

/// Operations on documents of the caller in one Store.
pub(super) fn mine_in_store(side: Side) -> bool {
    side == Side::MineInStore
}

/// Operations on documents of any owner.
pub(super) fn of_anybody(side: Side) -> bool {
    !side.is_mine()
}

#[cfg(test)]
mod tests {
    use super::super::derive;
    use super::*;
    use crate::derived::{Body, Root, Source};

    /// Operations without a field, because the official schema has none: the kind, and the name of the endpoint, search
    /// or query. Operations by token are an argument of the query of the token's owner.
    const WITHOUT_FIELD: [(&str, &str); 12] = [
        ("BusinessUnit", "associateByKey"),
        ("BusinessUnit", "associateById"),
        ("BusinessUnit", "search"),
        ("Customer", "withPasswordToken"),
        ("Customer", "withEmailToken"),
        ("Customer", "search"),
        ("Order", "search"),
        ("ProductDiscount", "matching"),
        ("ProductProjection", "documents"),
        ("ShippingMethod", "byCartLocation"),
        ("ShippingMethod", "byOrderEdit"),
        ("Subscription", "health"),
    ];

    /// Operations that only REST has: uploads, the status of an index, and responses without a body.
    fn is_of_rest_alone(doing: Doing) -> bool {
        matches!(
            doing,
            Doing::Upload(_) | Doing::SearchExists | Doing::SearchStatus | Doing::Documents(Operation::Head)
        )
    }

    /// Returns the name of an operation in the list of those without a field.
    fn called(model: &Model, kind: KindId, doing: Doing) -> (&str, &str) {
        let kind = model.kind(kind);
        let what = match doing {
            Doing::Endpoint(position) => kind.endpoints[position].name.as_str(),
            Doing::Search => "search",
            Doing::Documents(_) => "documents",
            _ => "other",
        };
        (&kind.name, what)
    }

    /// Whether a field of a root is for an operation of a kind.
    fn is_for(root: Root, kind: KindId, row: &ServedOperation) -> bool {
        let mine = row.side.is_mine();
        match row.doing {
            Doing::Documents(Operation::Get) => root == Root::One(kind) || root == Root::Own(kind),
            Doing::Documents(Operation::Query) => root == Root::Many(kind),
            Doing::Documents(Operation::Create) => root == Root::Create(kind, mine),
            Doing::Documents(Operation::Update) => root == Root::Update(kind, mine),
            Doing::Documents(Operation::Delete) => root == Root::Delete(kind, mine),
            Doing::List(position) => root == Root::Many(kind) || root == Root::Inside(kind, position),
            Doing::Endpoint(position) => [Root::Call, Root::Matching, Root::Found]
                .iter()
                .any(|of: &fn(KindId, usize) -> Root| root == of(kind, position)),
            Doing::Search => root == Root::Search(kind),
            Doing::ParameterSearch => matches!(root, Root::FindByParameters(of, _) if of == kind),
            Doing::Suggest => root == Root::Suggest(kind),
            Doing::View(_) => matches!(root, Root::Shown(of, _) if of == kind),
            Doing::Bulk => root == Root::Bulk(kind),
            _ => false,
        }
    }

    #[test]
    fn each_operation_has_its_field_or_a_reason() {
        let model = Model::embedded().unwrap();
        let mut roots = Vec::new();
        let types = derive(&model);
        for ty in types.values() {
            let Body::Output(output) = &ty.body else { continue };
            roots.extend(output.fields.values().filter_map(|field| match field.source {
                Source::Root(root) => Some(root),
                _ => None,
            }));
        }
        let mut without: Vec<(&str, &str)> = Vec::new();
        for Offered { kind, rows, .. } in by_kind(&model) {
            for row in rows.iter().filter(|row| !is_of_rest_alone(row.doing)) {
                if !roots.iter().any(|root| is_for(*root, kind, row)) {
                    without.push(called(&model, kind, row.doing));
                }
            }
        }
        without.dedup();
        assert_eq!(without, WITHOUT_FIELD);
    }
}
