//! The operations of each kind from the model's table of operations. Root fields are derived from them alone, so
//! that GraphQL and REST serve the same operations.

use super::SchemaDerivation;
use kontor_model::{KindId, Model, Operation, OperationKind, PathPrefix, ServedOperation};

/// The operations of one kind, which are adjacent in the table. A root field covers several of them: by id,
/// by key, in a Store, for an associate.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindOperations<'m> {
    pub(super) kind: KindId,
    rows: &'m [ServedOperation],
    /// REST lists these documents only below other documents; GraphQL has a query for them.
    is_listed_only: bool,
}

/// Returns the table of operations grouped by kind. Kinds of other services are not in GraphQL.
pub(super) fn group_by_kind(model: &Model) -> Vec<KindOperations<'_>> {
    let groups = model.operations().chunk_by(|one, other| one.kind == other.kind);
    let offered = groups.filter_map(|rows| {
        let kind = rows.first()?.kind?;
        let entry = model.kind(kind);
        entry.service.is_none().then_some(KindOperations { kind, rows, is_listed_only: !entry.has_path })
    });
    offered.collect()
}

impl KindOperations<'_> {
    /// Returns whether an operation applies to documents on such a side.
    pub(super) fn offers(self, operation: Operation, on: fn(PathPrefix) -> bool) -> bool {
        self.rows.iter().any(|row| on(row.side) && self.does(row.operation_kind, operation))
    }

    fn does(self, operation_kind: OperationKind, operation: Operation) -> bool {
        match operation_kind {
            OperationKind::List(_) => self.is_listed_only && operation == Operation::Query,
            operation_kind => operation_kind == OperationKind::Documents(operation),
        }
    }

    /// Returns whether an operation other than the standard ones exists.
    pub(super) fn has_operation(self, operation_kind: OperationKind) -> bool {
        self.rows.iter().any(|row| row.operation_kind == operation_kind)
    }

    /// Returns the positions of the endpoints that are operations, without duplicates, in ascending order.
    pub(super) fn endpoints(self) -> Vec<usize> {
        let positions = self.rows.iter().filter_map(|row| match row.operation_kind {
            OperationKind::Endpoint(position) => Some(position),
            _ => None,
        });
        let mut positions: Vec<usize> = positions.collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

impl<'m> SchemaDerivation<'m> {
    /// Returns the operations of another kind.
    pub(super) fn operations_of_kind(&self, kind: KindId) -> Option<KindOperations<'m>> {
        self.offered.iter().copied().find(|offered| offered.kind == kind)
    }
}

/// Operations on documents of the whole project: neither of one Store, nor of the caller.
pub(super) fn is_in_project(side: PathPrefix) -> bool {
    side == PathPrefix::Project
}

/// Operations on documents of one Store.
pub(super) fn is_in_one_store(side: PathPrefix) -> bool {
    side == PathPrefix::Store
}

/// Operations of an associate for a business unit.
pub(super) fn is_for_associate(side: PathPrefix) -> bool {
    side.is_associate()
}

/// Operations on documents of the caller.
pub(super) fn is_mine(side: PathPrefix) -> bool {
    side == PathPrefix::Mine
}

/// Operations on documents of the caller in one Store.
pub(super) fn is_mine_in_store(side: PathPrefix) -> bool {
    side == PathPrefix::MineInStore
}

/// Operations on documents of any owner.
pub(super) fn is_for_any_owner(side: PathPrefix) -> bool {
    !side.is_mine()
}

#[cfg(test)]
mod tests {
    use super::super::derive;
    use super::*;
    use crate::schema_types::{FieldValueSource, RootOperation, TypeBody};

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
    fn is_of_rest_alone(operation_kind: OperationKind) -> bool {
        matches!(
            operation_kind,
            OperationKind::Upload(_)
                | OperationKind::SearchExists
                | OperationKind::SearchStatus
                | OperationKind::Documents(Operation::Head)
        )
    }

    /// Returns the name of an operation in the list of those without a field.
    fn operation_name(model: &Model, kind: KindId, operation_kind: OperationKind) -> (&str, &str) {
        let kind = model.kind(kind);
        let what = match operation_kind {
            OperationKind::Endpoint(position) => kind.endpoints[position].name.as_str(),
            OperationKind::Search => "search",
            OperationKind::Documents(_) => "documents",
            _ => "other",
        };
        (&kind.name, what)
    }

    /// Whether a field of a root is for an operation of a kind.
    fn is_for(root: RootOperation, kind: KindId, row: &ServedOperation) -> bool {
        let mine = row.side.is_mine();
        match row.operation_kind {
            OperationKind::Documents(Operation::Get) => {
                root == RootOperation::One(kind) || root == RootOperation::Own(kind)
            }
            OperationKind::Documents(Operation::Query) => root == RootOperation::Many(kind),
            OperationKind::Documents(Operation::Create) => root == RootOperation::Create(kind, mine),
            OperationKind::Documents(Operation::Update) => root == RootOperation::Update(kind, mine),
            OperationKind::Documents(Operation::Delete) => root == RootOperation::Delete(kind, mine),
            OperationKind::List(position) => {
                root == RootOperation::Many(kind) || root == RootOperation::StoreList(kind, position)
            }
            OperationKind::Endpoint(position) => {
                [RootOperation::Call, RootOperation::Matching, RootOperation::MatchingDocument]
                    .iter()
                    .any(|of: &fn(KindId, usize) -> RootOperation| root == of(kind, position))
            }
            OperationKind::Search => root == RootOperation::Search(kind),
            OperationKind::ParameterSearch => {
                matches!(root, RootOperation::FindByParameters(of, _) if of == kind)
            }
            OperationKind::Suggest => root == RootOperation::Suggest(kind),
            OperationKind::View(_) => matches!(root, RootOperation::Shown(of, _) if of == kind),
            OperationKind::Bulk => root == RootOperation::Bulk(kind),
            _ => false,
        }
    }

    #[test]
    fn each_operation_has_its_field_or_a_reason() {
        let model = Model::embedded().unwrap();
        let mut roots = Vec::new();
        let types = derive(&model);
        for ty in types.values() {
            let TypeBody::Output(output) = &ty.body else { continue };
            roots.extend(output.fields.values().filter_map(|field| match field.source {
                FieldValueSource::Root(root) => Some(root),
                _ => None,
            }));
        }
        let mut without: Vec<(&str, &str)> = Vec::new();
        for KindOperations { kind, rows, .. } in group_by_kind(&model) {
            for row in rows.iter().filter(|row| !is_of_rest_alone(row.operation_kind)) {
                if !roots.iter().any(|root| is_for(*root, kind, row)) {
                    without.push(operation_name(&model, kind, row.operation_kind));
                }
            }
        }
        without.dedup();
        assert_eq!(without, WITHOUT_FIELD);
    }
}
