//! Documents that a level of the query needs, read together: one read a kind, whatever the number of references.

use crate::execute::Context;
use kontor_engine::{ListRequest, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A document by `typeId` and id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) type_id: String,
    pub(crate) id: String,
    /// The id is a key: of references by key.
    pub(crate) by_key: bool,
}

impl Target {
    /// The target of a stored reference.
    pub(crate) fn of(reference: &Value) -> Option<Self> {
        let text = |name: &str| reference.get(name).and_then(Value::as_str);
        let type_id = text("typeId")?.to_owned();
        match (text("id"), text("key")) {
            (Some(id), _) => Some(Self { type_id, id: id.to_owned(), by_key: false }),
            (None, Some(key)) => Some(Self { type_id, id: key.to_owned(), by_key: true }),
            (None, None) => None,
        }
    }
}

/// What a value still needs before it can be worked out.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// One document.
    Document(Target),
    /// Those that are there.
    Documents(Vec<Target>),
    /// Documents of a kind whose reference at a path is to an id.
    Referrers(KindId, String, String),
    /// How many those are.
    CountOfReferrers(KindId, String, String),
    /// Nothing more: it is here.
    Loaded(Loaded),
}

/// Something that a root field has read.
#[derive(Debug)]
pub(crate) enum Loaded {
    Document(Value),
    Page(Page),
}

/// A page of documents, or of something like it.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    pub(crate) count: usize,
    pub(crate) total: u64,
    pub(crate) exists: bool,
    pub(crate) results: Vec<Value>,
}

/// What a level needed, as far as it is there.
#[derive(Default)]
pub(crate) struct Level {
    documents: HashMap<Target, Value>,
    referrers: HashMap<(KindId, String), HashMap<String, Vec<Value>>>,
}

/// Children of one document that are answered at most; more than a query of the kind would answer.
const REFERRERS_MAX: usize = 10_000;

impl Level {
    /// Reads what is wanted.
    pub(crate) fn load<'w>(wanted: impl Iterator<Item = &'w Wanted>, context: &Context) -> ApiResult<Self> {
        let mut ids: BTreeMap<(&str, bool), BTreeSet<&str>> = BTreeMap::new();
        let mut parents: BTreeMap<(KindId, &str), BTreeSet<&str>> = BTreeMap::new();
        let mut add = |target: &'w Target| {
            _ = ids.entry((&target.type_id, target.by_key)).or_default().insert(&target.id)
        };
        for wanted in wanted {
            match wanted {
                Wanted::Document(target) => add(target),
                Wanted::Documents(targets) => targets.iter().for_each(&mut add),
                Wanted::Referrers(kind, path, id) | Wanted::CountOfReferrers(kind, path, id) => {
                    parents.entry((*kind, path)).or_default().insert(id);
                }
                Wanted::Loaded(_) => {}
            }
        }
        let mut level = Self::default();
        for ((type_id, by_key), ids) in ids {
            level.documents(type_id, by_key, &ids.into_iter().collect::<Vec<_>>(), context)?;
        }
        for ((kind, path), ids) in parents {
            level.referrers(kind, path, &ids.into_iter().collect::<Vec<_>>(), context)?;
        }
        Ok(level)
    }

    pub(crate) fn document(&self, target: &Target) -> Option<&Value> {
        self.documents.get(target)
    }

    pub(crate) fn referring(&self, kind: KindId, path: &str, id: &str) -> &[Value] {
        let by_parent = self.referrers.get(&(kind, path.to_owned()));
        by_parent.and_then(|by_parent| by_parent.get(id)).map_or(&[], Vec::as_slice)
    }

    fn documents(&mut self, type_id: &str, by_key: bool, ids: &[&str], context: &Context) -> ApiResult<()> {
        count_read();
        let model = context.shop.model();
        let kind = model.kind_by_type_id(type_id).map(|kind| model.kind(kind));
        if !kind.is_some_and(|kind| kind.is_served && kind.held.is_none()) {
            return Ok(());
        }
        let storage = context.shop.storage();
        let stored = if by_key {
            let found: Result<Vec<_>, _> =
                ids.iter().map(|key| storage.get_by_unique(type_id, "key", key)).collect();
            found
        } else {
            storage.get_many(type_id, ids)
        };
        for (id, stored) in ids.iter().zip(stored.map_err(storage_failure)?) {
            let Some(stored) = stored else { continue };
            let target = Target { type_id: type_id.to_owned(), id: (*id).to_owned(), by_key };
            self.documents.insert(target, parse(&stored.body)?);
        }
        Ok(())
    }

    fn referrers(&mut self, kind: KindId, path: &str, ids: &[&str], context: &Context) -> ApiResult<()> {
        count_read();
        let steps: Vec<&str> = path.split('.').collect();
        let quoted: Vec<String> = ids.iter().map(|id| Value::from(*id).to_string()).collect();
        let mut predicate = format!("id in ({})", quoted.join(", "));
        for step in steps.iter().rev() {
            predicate = format!("{step}({predicate})");
        }
        let request = ListRequest { wheres: vec![predicate], limit: REFERRERS_MAX, ..ListRequest::default() };
        let by_parent = self.referrers.entry((kind, path.to_owned())).or_default();
        for body in context.shop.list(kind, &request)?.results {
            let document = parse(&body)?;
            let mut targets = Vec::new();
            references_at(&document, &steps, &mut targets);
            for target in targets {
                by_parent.entry(target.id).or_default().push(document.clone());
            }
        }
        Ok(())
    }
}

/// Counts a read of documents that a level of a query needs.
fn count_read() {
    metrics::counter!("kontor_graphql_reads_total").increment(1);
}

/// The targets of references at a path, through lists.
pub(crate) fn references_at(value: &Value, steps: &[&str], found: &mut Vec<Target>) {
    match (value, steps.split_first()) {
        (Value::Array(elements), _) => {
            elements.iter().for_each(|element| references_at(element, steps, found))
        }
        (value, None) => found.extend(Target::of(value)),
        (value, Some((first, rest))) => {
            if let Some(inner) = value.get(*first) {
                references_at(inner, rest, found);
            }
        }
    }
}

/// A stored document as JSON.
pub(crate) fn parse(body: &[u8]) -> ApiResult<Value> {
    serde_json::from_slice(body).map_err(|error| {
        tracing::error!(%error, "a stored document is no JSON");
        ApiError::internal()
    })
}
