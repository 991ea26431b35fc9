//! Loads the documents that a level of the query needs: one read for each kind, whatever the number of references.
//! Start at [`LevelDocuments`].

use crate::access_control::DocumentReach;
use crate::borrowed_json::BorrowedJson;
use crate::exceptions::EntryDefinition;
use crate::execute::ExecutionContext;
use bytes::Bytes;
use kontor_engine::{ListRequest, ReferenceScope, ResponseMeter, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, Model};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A document of a kind by its id or key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ReferenceTarget {
    pub(crate) kind: KindId,
    /// True for references by key: `id` is a key then.
    pub(crate) by_key: bool,
    pub(crate) id: String,
}

impl ReferenceTarget {
    /// Returns the target of a stored reference; `None` if it has no known `typeId` or neither id nor key.
    pub(crate) fn from_reference(reference: &BorrowedJson<'_>, model: &Model) -> Option<Self> {
        let text = |name: &str| reference.get(name).and_then(BorrowedJson::as_str);
        let kind = model.kind_by_type_id(text("typeId")?)?;
        match (text("id"), text("key")) {
            (Some(id), _) => Some(Self { kind, id: id.to_owned(), by_key: false }),
            (None, Some(key)) => Some(Self { kind, id: key.to_owned(), by_key: true }),
            (None, None) => None,
        }
    }
}

/// The documents that a value needs before it can be resolved.
#[derive(Debug)]
pub(crate) enum ValueDependency {
    /// One document.
    Document(ReferenceTarget),
    /// Several documents; those that do not exist are left out.
    Documents(Vec<ReferenceTarget>),
    /// The definition of a named value: in a document, or in a document that this one refers to. `names` are the names
    /// of the values that the value is nested in, then its own.
    Definition { of: ReferenceTarget, definition: &'static EntryDefinition, names: Vec<String> },
    /// The documents up a chain of references by a field: the next one, and those found so far.
    Chain { next: ReferenceTarget, by: String, found: Vec<Value> },
    /// Documents of a kind whose reference at a path is to an id.
    Referrers(KindId, String, String),
    /// The number of those documents.
    CountOfReferrers(KindId, String, String),
    /// None: the value is loaded already.
    Loaded(LoadedValue),
}

/// A value that a root field has read.
#[derive(Debug)]
pub(crate) enum LoadedValue {
    Document(Bytes),
    /// A document that was built for this response, e.g. the limits of the project.
    Built(BorrowedJson<'static>),
    Page(DocumentPage<Bytes>),
    List(Vec<Bytes>),
    /// Search results: the other fields of the response, and its `results`.
    SearchResults {
        other_fields: Vec<(Cow<'static, str>, BorrowedJson<'static>)>,
        results: Vec<Bytes>,
    },
    /// An object that narrows which documents are visible below it, e.g. `inStore`.
    Reach(DocumentReach),
}

impl LoadedValue {
    /// Returns the bytes of its documents that are parsed at the same time.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Page(page) => page.results.iter().map(Bytes::len).sum(),
            Self::SearchResults { results, .. } => results.iter().map(Bytes::len).sum(),
            Self::List(bodies) => bodies.iter().map(Bytes::len).max().unwrap_or(0),
            Self::Document(body) => body.len(),
            Self::Built(_) | Self::Reach(_) => 0,
        }
    }
}

/// A page of documents.
#[derive(Debug, Default)]
pub(crate) struct DocumentPage<D> {
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    pub(crate) count: usize,
    pub(crate) total: u64,
    pub(crate) exists: bool,
    pub(crate) results: Vec<D>,
}

/// The documents of a level that exist, as bytes.
#[derive(Default)]
pub(crate) struct LevelBytes<'w> {
    documents: Vec<DocumentLookup<'w>>,
    referrers: Vec<ReferrerLookup<'w>>,
}

/// Which documents references may lead to, for a field and everything below it; `None`: all documents.
pub(crate) type VisibleReferences = Option<Arc<ReferenceScope>>;

/// Documents of one kind that are looked up together.
struct DocumentLookup<'w> {
    kind: KindId,
    by_key: bool,
    /// Which documents the references may lead to.
    visible_references: &'w VisibleReferences,
    /// Sorted.
    ids: Vec<&'w str>,
    bodies: Vec<Option<Bytes>>,
}

/// Documents of one kind that refer to others at a path.
struct ReferrerLookup<'w> {
    kind: KindId,
    path: &'w str,
    ids: Vec<&'w str>,
    bodies: Vec<Bytes>,
}

/// The documents of a level, parsed.
#[derive(Default)]
pub(crate) struct LevelDocuments<'l> {
    loaded: Vec<(&'l DocumentLookup<'l>, Vec<Option<BorrowedJson<'l>>>)>,
    referring: Vec<(&'l ReferrerLookup<'l>, ReferrerIndex<'l>)>,
}

/// Documents that refer to others, indexed by the id that they refer to.
struct ReferrerIndex<'l> {
    all: Vec<BorrowedJson<'l>>,
    by_parent: HashMap<String, Vec<usize>>,
}

/// Maximum number of documents that refer to one document; larger than the limit of a query of the kind.
const REFERRERS_MAX: usize = 10_000;

impl<'w> LevelBytes<'w> {
    /// Loads all documents that the values of a level need.
    pub(crate) fn load(
        wanted: impl Iterator<Item = (&'w ValueDependency, &'w VisibleReferences)>,
        context: &ExecutionContext,
    ) -> ApiResult<Self> {
        let mut level = Self::default();
        for (wanted, within) in wanted {
            match wanted {
                ValueDependency::Document(target)
                | ValueDependency::Definition { of: target, .. }
                | ValueDependency::Chain { next: target, .. } => level.add(target, within),
                ValueDependency::Documents(targets) => {
                    targets.iter().for_each(|target| level.add(target, within));
                }
                ValueDependency::Referrers(kind, path, id)
                | ValueDependency::CountOfReferrers(kind, path, id) => {
                    level.add_referrers(*kind, path, id);
                }
                ValueDependency::Loaded(_) => {}
            }
        }
        for loaded in &mut level.documents {
            loaded.look_up(context)?;
        }
        for referring in &mut level.referrers {
            referring.look_up(context)?;
        }
        Ok(level)
    }

    /// Returns the bytes of each document, without duplicates.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Bytes> {
        let loaded = self.documents.iter().flat_map(|loaded| loaded.bodies.iter().flatten());
        loaded.chain(self.referrers.iter().flat_map(|referring| &referring.bodies))
    }

    fn add(&mut self, target: &'w ReferenceTarget, visible_references: &'w VisibleReferences) {
        match self.documents.iter_mut().find(|loaded| loaded.is_for(target, visible_references)) {
            Some(loaded) => loaded.ids.push(&target.id),
            None => self.documents.push(DocumentLookup {
                kind: target.kind,
                by_key: target.by_key,
                visible_references,
                ids: vec![&target.id],
                bodies: Vec::new(),
            }),
        }
    }

    fn add_referrers(&mut self, kind: KindId, path: &'w str, id: &'w str) {
        match self.referrers.iter_mut().find(|known| known.kind == kind && known.path == path) {
            Some(known) => known.ids.push(id),
            None => self.referrers.push(ReferrerLookup { kind, path, ids: vec![id], bodies: Vec::new() }),
        }
    }

    /// Returns the total size of the documents in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let loaded = self.documents.iter().flat_map(|loaded| loaded.bodies.iter().flatten());
        loaded.chain(self.referrers.iter().flat_map(|referring| &referring.bodies)).map(Bytes::len).sum()
    }

    /// Parses the documents, each once.
    pub(crate) fn read(&self, model: &Model) -> ApiResult<LevelDocuments<'_>> {
        let mut documents = LevelDocuments::default();
        for loaded in &self.documents {
            let bodies = loaded.bodies.iter();
            let all =
                bodies.map(|body| body.as_ref().map(|body| BorrowedJson::from_document(body)).transpose());
            documents.loaded.push((loaded, all.collect::<ApiResult<_>>()?));
        }
        for referring in &self.referrers {
            let all = referring.bodies.iter().map(|body| BorrowedJson::from_document(body));
            let all = all.collect::<ApiResult<Vec<_>>>()?;
            let steps: Vec<&str> = referring.path.split('.').collect();
            let mut by_parent: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, document) in all.iter().enumerate() {
                let mut targets = Vec::new();
                references_at(document, &steps, model, &mut targets);
                for target in targets {
                    by_parent.entry(target.id).or_default().push(index);
                }
            }
            documents.referring.push((referring, ReferrerIndex { all, by_parent }));
        }
        Ok(documents)
    }
}

impl DocumentLookup<'_> {
    fn look_up(&mut self, context: &ExecutionContext) -> ApiResult<()> {
        self.ids.sort_unstable();
        self.ids.dedup();
        let kind = context.shop.model().kind(self.kind);
        if !kind.is_served || kind.external_store.is_some() {
            return Ok(());
        }
        count_read();
        let (storage, type_id) = (context.shop.storage(), kind.type_id.as_str());
        let stored = if self.by_key {
            let stored = storage.get_many_by_unique(type_id, "key", &self.ids).map_err(storage_failure)?;
            context.meter.charge(stored.iter().flatten().map(|stored| stored.body.len()).sum())?;
            stored
        } else {
            context.shop.get_many_charged(type_id, &self.ids, &context.meter, too_large)?
        };
        let shown = context.shop.render_referenced(self.kind, stored, self.visible_references.as_deref())?;
        self.bodies = shown.into_iter().map(|stored| stored.map(|stored| stored.body)).collect();
        Ok(())
    }

    fn is_for(&self, target: &ReferenceTarget, within: &VisibleReferences) -> bool {
        let is_same = match (self.visible_references, within) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same && self.kind == target.kind && self.by_key == target.by_key
    }
}

impl ReferrerLookup<'_> {
    fn look_up(&mut self, context: &ExecutionContext) -> ApiResult<()> {
        self.ids.sort_unstable();
        self.ids.dedup();
        count_read();
        let quoted: Vec<String> = self.ids.iter().map(|id| Value::from(*id).to_string()).collect();
        let mut predicate = format!("id in ({})", quoted.join(", "));
        for step in self.path.split('.').rev() {
            predicate = format!("{step}({predicate})");
        }
        let request = ListRequest {
            wheres: vec![predicate],
            limit: REFERRERS_MAX,
            meter: context.meter.clone(),
            ..ListRequest::default()
        };
        self.bodies = context.shop.list(self.kind, &request)?.results;
        Ok(())
    }
}

impl<'l> LevelDocuments<'l> {
    /// Returns a loaded document; `None` if it does not exist or is not visible.
    pub(crate) fn document(
        &self,
        target: &ReferenceTarget,
        within: &VisibleReferences,
    ) -> Option<&BorrowedJson<'l>> {
        let (loaded, all) = self.loaded.iter().find(|(loaded, _)| loaded.is_for(target, within))?;
        let at = loaded.ids.binary_search(&target.id.as_str()).ok()?;
        all.get(at)?.as_ref()
    }

    /// Returns the loaded documents of a kind that refer to an id at a path.
    pub(crate) fn referring_documents(
        &self,
        kind: KindId,
        path: &str,
        id: &str,
    ) -> impl ExactSizeIterator<Item = &BorrowedJson<'l>> {
        let known = self.referring.iter().find(|(known, _)| known.kind == kind && known.path == path);
        let indexes =
            known.and_then(|(_, children)| children.by_parent.get(id)).map_or(&[][..], Vec::as_slice);
        let all = known.map_or(&[][..], |(_, children)| children.all.as_slice());
        indexes.iter().map(|index| &all[*index])
    }
}

/// Returns a 400: the documents that a level of the query needs are larger than the share of one response.
fn too_large(meter: &ResponseMeter) -> ApiError {
    let megabytes = meter.share_bytes_max() >> 20;
    crate::complexity::too_complex(format!(
        "The documents that the query needs take more than {megabytes} MB. Request less at once."
    ))
}

/// Counts a read of documents in the metrics.
fn count_read() {
    metrics::counter!("kontor_graphql_reads_total").increment(1);
}

/// Collects the targets of the references at a path, through lists.
pub(crate) fn references_at(
    value: &BorrowedJson<'_>,
    steps: &[&str],
    model: &Model,
    found: &mut Vec<ReferenceTarget>,
) {
    match (value, steps.split_first()) {
        (BorrowedJson::List(elements), _) => {
            elements.iter().for_each(|element| references_at(element, steps, model, found))
        }
        (value, None) => found.extend(ReferenceTarget::from_reference(value, model)),
        (value, Some((first, rest))) => {
            if let Some(inner) = value.get(first) {
                references_at(inner, rest, model, found);
            }
        }
    }
}
