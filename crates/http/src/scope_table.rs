//! The scopes of operations and kinds, converted from the model to those of `auth`.

use kontor_auth::ScopeName;
use kontor_model::{KindId, Model, Operation, OperationKind, ServedOperation};

/// The scopes of operations and kinds.
#[derive(Debug, Default)]
pub(crate) struct ScopeTable {
    operations: Vec<OperationScopes>,
    kinds: Vec<KindScopes>,
    /// Any of these scopes allows something in a Store.
    in_stores: Vec<ScopeName>,
    /// Any of these scopes allows something as an associate.
    as_associate: Vec<ScopeName>,
}

/// The scopes of one operation.
#[derive(Debug)]
pub(crate) struct OperationScopes {
    /// Any of these scopes is enough.
    pub(crate) scopes: Vec<ScopeName>,
    /// Any of these scopes is enough for the staged side.
    pub(crate) staged: Vec<ScopeName>,
}

/// The scopes of a kind, for interfaces whose requests involve several kinds.
#[derive(Debug)]
struct KindScopes {
    view: Vec<ScopeName>,
    query: Vec<ScopeName>,
    staged: Vec<ScopeName>,
    manage: Vec<ScopeName>,
    is_in_store: bool,
    mine: Vec<ScopeName>,
    search: Vec<ScopeName>,
}

impl ScopeTable {
    /// Converts the scopes of a model.
    ///
    /// # Errors
    /// If the model names a scope that `auth` does not know, or if an operation needs other scopes than its kind:
    /// GraphQL checks the scopes of kinds, so both interfaces must agree.
    pub(crate) fn build(model: &Model) -> Result<Self, String> {
        let mut scope_table = Self::default();
        for operation in model.operations() {
            let at = operation.template();
            let (scopes, staged) =
                (parse_scopes(&operation.scopes, &at)?, parse_scopes(&operation.staged_scopes, &at)?);
            for (is_there, all) in [
                (operation.side.is_in_store(), &mut scope_table.in_stores),
                (operation.side.is_associate(), &mut scope_table.as_associate),
            ] {
                all.extend(scopes.iter().filter(|_| is_there));
            }
            scope_table.operations.push(OperationScopes { scopes, staged });
        }
        for all in [&mut scope_table.in_stores, &mut scope_table.as_associate] {
            all.sort_unstable();
            all.dedup();
        }
        for (_, kind) in model.kinds() {
            let known = |names: &[String]| parse_scopes(names, &kind.name);
            scope_table.kinds.push(KindScopes {
                view: known(&kind.view_scopes)?,
                query: known(&kind.query_scopes)?,
                manage: known(&kind.manage_scopes)?,
                staged: known(kind.projection.as_ref().map_or(&[], |projection| &projection.staged_scopes))?,
                is_in_store: kind.in_store.is_some(),
                search: known(kind.search.as_ref().map_or(&[], |search| &search.scopes))?,
                mine: known(kind.mine.as_ref().map_or(&[], |mine| &mine.scopes))?,
            });
        }
        scope_table.check_kind_scopes(model.operations())?;
        Ok(scope_table)
    }

    /// Checks that the scopes of each operation equal those of its kind.
    fn check_kind_scopes(&self, operations: &[ServedOperation]) -> Result<(), String> {
        for (operation, requested) in operations.iter().zip(&self.operations) {
            let Some(kind) = operation.kind.filter(|_| !operation.is_for_anybody) else { continue };
            let in_store = operation.side.is_in_store() && self.kinds[kind.index()].is_in_store;
            let mine = operation.side.is_mine();
            let by_kind = match operation.operation_kind {
                OperationKind::Search | OperationKind::SearchExists => self.search(kind),
                OperationKind::Documents(Operation::Query)
                    if !in_store && !mine && !operation.side.is_associate() =>
                {
                    self.query(kind)
                }
                // Not in GraphQL.
                OperationKind::SearchStatus | OperationKind::List(_) => continue,
                // An endpoint that only reads may be sent by POST, too.
                _ if !operation.changes() || requested.scopes == self.kinds[kind.index()].view => {
                    self.for_kind(kind, in_store, mine, false)
                }
                _ => self.for_kind(kind, in_store, mine, true),
            };
            if requested.scopes != by_kind {
                let (method, path) = (operation.method.as_str(), operation.template());
                return Err(format!("{method} {path} requires other scopes than its kind"));
            }
        }
        Ok(())
    }

    /// Returns the scopes of the operation at this position of the table.
    pub(crate) fn operation(&self, position: usize) -> &OperationScopes {
        &self.operations[position]
    }

    /// Returns the scopes any of which allows something in a Store.
    pub(crate) fn in_stores(&self) -> &[ScopeName] {
        &self.in_stores
    }

    /// Returns the scopes any of which allows something as an associate of a business unit.
    pub(crate) fn as_associate(&self) -> &[ScopeName] {
        &self.as_associate
    }

    /// Returns the scopes any of which allows searches of a kind.
    pub(crate) fn search(&self, kind: KindId) -> &[ScopeName] {
        &self.kinds[kind.index()].search
    }

    /// Returns the scopes any of which allows queries of a kind.
    pub(crate) fn query(&self, kind: KindId) -> &[ScopeName] {
        &self.kinds[kind.index()].query
    }

    /// Returns the scopes any of which allows reading the staged side of a kind that has one.
    pub(crate) fn staged(&self, kind: KindId) -> &[ScopeName] {
        &self.kinds[kind.index()].staged
    }

    /// Returns the scopes any of which allows reading or writing documents of a kind: those of one Store, of the
    /// caller, or all of them.
    pub(crate) fn for_kind(&self, kind: KindId, in_store: bool, mine: bool, writes: bool) -> &[ScopeName] {
        let kind = &self.kinds[kind.index()];
        match (mine, in_store, writes) {
            (true, ..) => &kind.mine,
            (false, true, _) if !kind.is_in_store => &[],
            (false, _, false) => &kind.view,
            (false, _, true) => &kind.manage,
        }
    }
}

fn parse_scopes(names: &[String], place: &str) -> Result<Vec<ScopeName>, String> {
    let known =
        |name: &String| ScopeName::parse(name).ok_or_else(|| format!("{place}: unknown scope '{name}'"));
    names.iter().map(known).collect()
}
