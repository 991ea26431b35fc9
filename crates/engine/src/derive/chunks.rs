//! Doing derived work: the dependents of many work items in one commit, as many as others who write meanwhile do not
//! notice.
//!
//! While one commit is on its way to the disk, the next is worked out. It is handed in when the one before it is
//! there, so that an item is done only after everything that depends on it has followed.
//!
//! The dependents of several items are gathered first and follow in the sequence of their ids, which is mostly that of
//! their rows: so the documents of a commit lie in few pages, each of which is written once and not once for each item.

use super::{WORK, work_of};
use crate::acting::told;
use crate::derivation::{Dependents, Derivation, Fate, Hop, Sources};
use crate::document::{self, Document, parse};
use crate::failure::storage_failure;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::write;
use jiff::Timestamp;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Model};
use kontor_storage::{
    After, Commit, CommitAnswer, CommitError, IndexPage, IndexRange, Precondition, Put, ScanDirection,
    StoredRef,
};
use serde_json::Value;
use std::any::Any;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

/// Documents brought up to date, and items done, in one commit.
const CHUNK_STEPS: usize = 256;
/// Dependents that are gathered before they follow, as a bound on memory.
const GATHERED_MAX: usize = 16 * 1024;
/// Parts that a chunk falls into when it was refused.
const RETRY_PARTS: usize = 8;
/// Work items that are read at once.
const ITEMS_READ: usize = 1024;
/// Documents of an item for all documents of a kind that follow before other items have their turn: several commits, so
/// that there is one to work out while another is on its way to the disk.
const ALL_STEPS: usize = 4 * CHUNK_STEPS;

/// A work item: the dependents of one document are to be looked at again.
struct Item {
    id: String,
    revision: i64,
    /// The kind that holds the derived fields, and how they follow. `None` where this release knows no such thing.
    derivation: Option<(KindId, &'static Derivation)>,
    /// The document that they follow from.
    source: String,
    /// Values that dependents hold.
    values: Vec<String>,
    /// The last document that has followed, of an item for all documents.
    behind: Option<String>,
}

/// One step of the work.
enum Step<'i> {
    /// Brings a document up to date.
    Follow { kind: KindId, derivation: &'static Derivation, id: String },
    /// Removes an item whose dependents have all followed.
    Done(&'i Item),
    /// Keeps how far an item for all documents has come.
    GoOn(&'i Item, String),
}

/// Dependents that are to follow: for each derivation their ids, as they come.
#[derive(Default)]
struct Gathered {
    of: Vec<(KindId, &'static Derivation, Vec<String>)>,
    count: usize,
}

impl Gathered {
    fn add(&mut self, kind: KindId, derivation: &'static Derivation, id: String) {
        self.count += 1;
        let same = |(of, by, _): &&mut (KindId, &'static Derivation, Vec<String>)| {
            *of == kind && std::ptr::eq(*by, derivation)
        };
        match self.of.iter_mut().find(same) {
            Some((_, _, ids)) => ids.push(id),
            None => self.of.push((kind, derivation, vec![id])),
        }
    }

    /// Lets them follow, each once for each derivation.
    fn follow(&mut self, chunks: &mut Chunks<'_, '_>) -> ApiResult<()> {
        self.count = 0;
        for (kind, derivation, mut ids) in std::mem::take(&mut self.of) {
            ids.sort_unstable();
            ids.dedup();
            for id in ids {
                chunks.follow(kind, derivation, id)?;
            }
        }
        Ok(())
    }
}

/// Steps on their way into commits.
struct Chunks<'s, 'i> {
    shop: &'s Shop,
    steps: Vec<Step<'i>>,
    /// The documents among the steps: a commit writes each once.
    followers: HashSet<(KindId, String)>,
    under_way: Option<(CommitAnswer, Vec<Step<'i>>)>,
}

impl Shop {
    /// Does all work there is. Items that others renew meanwhile are done again.
    pub(super) fn do_pending_work(&self) -> ApiResult<()> {
        self.wake_due()?;
        loop {
            let items = self.work_items()?;
            if items.is_empty() {
                return Ok(());
            }
            let mut chunks =
                Chunks { shop: self, steps: Vec::new(), followers: HashSet::new(), under_way: None };
            let (mut gathered, mut ends) = (Gathered::default(), Vec::new());
            for item in &items {
                let behind = self.each_dependent(item, &mut |kind, derivation, id| {
                    gathered.add(kind, derivation, id);
                    if gathered.count < GATHERED_MAX { Ok(()) } else { gathered.follow(&mut chunks) }
                })?;
                ends.push(behind.map_or(Step::Done(item), |behind| Step::GoOn(item, behind)));
            }
            gathered.follow(&mut chunks)?;
            for end in ends {
                chunks.push(end)?;
            }
            chunks.hand_in()?;
            chunks.await_under_way()?;
        }
    }

    fn work_items(&self) -> ApiResult<Vec<Item>> {
        let mut found = Vec::new();
        self.storage
            .scan(WORK, ScanDirection::Ascending, None, &mut |stored: StoredRef<'_>| {
                found.push(stored.to_stored());
                if found.len() < ITEMS_READ { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(storage_failure)?;
        found.iter().map(|stored| self.work_item(&stored.id, stored.revision, &stored.body)).collect()
    }

    fn work_item(&self, id: &str, revision: i64, body: &[u8]) -> ApiResult<Item> {
        let work = document::read(body)?;
        let derivation = self.derivation_of(&work).map(|joined| (joined.holder, joined.derivation));
        let source = document::text(&work, &["id"]).unwrap_or_default().to_owned();
        let values = document::list(&work, &["values"]).iter().filter_map(Value::as_str);
        let values = values.map(str::to_owned).collect();
        let behind = document::text(&work, &["behind"]).map(str::to_owned);
        Ok(Item { id: id.to_owned(), revision, derivation, source, values, behind })
    }

    /// Visits the ids of the documents that depend on the source of an item. Says behind which one it goes on
    /// later.
    fn each_dependent(
        &self,
        item: &Item,
        visit: &mut dyn FnMut(KindId, &'static Derivation, String) -> ApiResult<()>,
    ) -> ApiResult<Option<String>> {
        let Some((kind, derivation)) = item.derivation else { return Ok(None) };
        match derivation.dependents {
            Dependents::ReferredAt { .. } => visit(kind, derivation, item.source.clone())?,
            Dependents::ReferringAt { path, .. } => {
                self.each_holding(kind, path, &item.source, &mut |id| visit(kind, derivation, id))?;
            }
            // A document that holds it at several paths is gathered as often, and follows once.
            Dependents::Sharing { paths, .. } => {
                for path in paths {
                    self.each_holding(kind, path, &item.source, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::WithCustomFields { .. } => {
                for path in &self.model.kind(kind).custom_fields {
                    let path = path.join(".");
                    self.each_holding(kind, &path, &item.source, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::Holding { path, .. } => {
                for value in &item.values {
                    self.each_holding(kind, path, value, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::Through { hops, values, path, .. } => {
                self.each_at_the_end(hops, &item.source, &mut |document| {
                    values(document).iter().try_for_each(|value| {
                        self.each_holding(kind, path, value, &mut |id| visit(kind, derivation, id))
                    })
                })?;
            }
            Dependents::All { .. } => {
                let mut ids = Vec::with_capacity(ALL_STEPS);
                let type_id = &self.model.kind(kind).type_id;
                self.storage
                    .scan(type_id, ScanDirection::Ascending, item.behind.as_deref(), &mut |stored| {
                        ids.push(stored.id.to_owned());
                        if ids.len() < ALL_STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    })
                    .map_err(storage_failure)?;
                let behind = ids.last().filter(|_| ids.len() == ALL_STEPS).cloned();
                for id in ids {
                    visit(kind, derivation, id)?;
                }
                return Ok(behind);
            }
        }
        Ok(None)
    }

    /// Visits the documents of the last hop that lead to a source. One that leads to it on several ways is visited as
    /// often: what follows twice is up to date the second time.
    fn each_at_the_end(
        &self,
        hops: &[Hop],
        source: &str,
        visit: &mut dyn FnMut(&Document) -> ApiResult<()>,
    ) -> ApiResult<()> {
        let Some((hop, further)) = hops.split_first() else { return Ok(()) };
        let (kind, entry) = self
            .model
            .kinds()
            .find(|(_, kind)| kind.name == hop.kind)
            .ok_or_else(|| ApiError::bug("a derivation goes through a kind that the model has not"))?;
        self.each_holding(kind, hop.at, source, &mut |id| {
            if !further.is_empty() {
                return self.each_at_the_end(further, &id, visit);
            }
            match self.storage.get(&entry.type_id, &id).map_err(storage_failure)? {
                Some(stored) => visit(&parse(&stored)?),
                None => Ok(()),
            }
        })
    }

    /// Visits the ids of the documents that hold a value at an indexed path.
    fn each_holding(
        &self,
        kind: KindId,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(String) -> ApiResult<()>,
    ) -> ApiResult<()> {
        let mut after = None;
        loop {
            let page = IndexPage { after: after.take(), ..IndexPage::first(CHUNK_STEPS) };
            let ids = self.ids_referring(kind, path, value, &page)?;
            let Some(last) = ids.last() else { return Ok(()) };
            let is_last_page = ids.len() < CHUNK_STEPS;
            after = Some(After::Id(last.clone()));
            ids.into_iter().try_for_each(&mut *visit)?;
            if is_last_page {
                return Ok(());
            }
        }
    }

    fn ids_referring(
        &self,
        kind: KindId,
        path: &str,
        source: &str,
        page: &IndexPage,
    ) -> ApiResult<Vec<String>> {
        let type_id = &self.model.kind(kind).type_id;
        self.storage.find_indexed(type_id, path, &IndexRange::equal(source), page).map_err(storage_failure)
    }

    /// What the steps write as things are now; what is up to date already is left out.
    fn commit_of_steps(&self, steps: &[Step<'_>]) -> ApiResult<Commit> {
        let project = self.project();
        let sources = StoredSources { shop: self, read: RefCell::default(), shared: RefCell::default() };
        self.with_rules(&project, |rules| {
            let mut commit = Commit::new();
            let mut left = HashMap::new();
            for step in steps {
                if let Step::Follow { kind, derivation, id } = step {
                    commit = self.follow(*kind, derivation, id, commit, &mut left, &sources, rules)?;
                }
            }
            for step in steps {
                let (item, behind) = match step {
                    Step::Done(item) => (item, None),
                    Step::GoOn(item, behind) => (item, Some(behind)),
                    Step::Follow { .. } => continue,
                };
                // One that was renewed, by others or by this commit, is done again.
                let now = self.storage.get(WORK, &item.id).map_err(storage_failure)?;
                let is_same = now.as_ref().is_some_and(|now| now.revision == item.revision);
                if is_same && !left.contains_key(&item.id) {
                    commit = commit.require(Precondition::Revision {
                        kind: WORK.into(),
                        id: item.id.clone(),
                        revision: item.revision,
                    });
                    commit = match behind {
                        None => commit.delete(WORK, item.id.clone()),
                        Some(behind) => {
                            let body = now.map(|now| now.body).unwrap_or_default();
                            commit.put(gone_on(&item.id, &body, behind)?)
                        }
                    };
                }
            }
            // What the work that follows relied on.
            let commit = rules.take_requirements().into_iter().fold(commit, Commit::require);
            Ok(left.into_values().fold(commit, Commit::put))
        })
    }

    /// Brings one document up to date. Work that follows from it is `left`.
    #[allow(clippy::too_many_arguments)]
    fn follow(
        &self,
        kind: KindId,
        derivation: &Derivation,
        id: &str,
        mut commit: Commit,
        left: &mut HashMap<String, Put>,
        sources: &StoredSources<'_>,
        rules: &Rules<'_>,
    ) -> ApiResult<Commit> {
        let type_id = &self.model.kind(kind).type_id;
        let Some(stored) = self.storage.get(type_id, id).map_err(storage_failure)? else {
            return Ok(commit);
        };
        let before = parse(&stored)?;
        let mut after = before.clone();
        let fate = (derivation.derive)(&mut after, sources)?;
        if fate == Fate::Stays && document::is_same(&after, &before) {
            return Ok(commit);
        }
        for work in work_of(kind, Some(&before), (fate == Fate::Stays).then_some(&after), rules) {
            match self.without_dependents(&work)? {
                // Cheaper than an item that would find nobody.
                Some(precondition) => commit = commit.require(precondition),
                None => {
                    left.insert(work.id.clone(), work);
                }
            }
        }
        commit = commit.require(Precondition::Revision {
            kind: type_id.clone(),
            id: id.to_owned(),
            revision: stored.revision,
        });
        if fate == Fate::Goes {
            return Ok(commit.delete(type_id.clone(), id.to_owned()));
        }
        let messages = match self.behaviours.of(kind) {
            Some(behaviour) => told(behaviour.messages_of_change(&before, &after), rules.model)?,
            None => Vec::new(),
        };
        let sequence = stored.sequence + messages.len() as i64;
        let messages = write::kept_messages(kind, messages, &after, stored.sequence, None, rules)?;
        let commit = commit.put(write::put(kind, after, sequence, rules)?);
        Ok(messages.into_iter().fold(commit, Commit::put))
    }

    /// That nobody depends on the source of an item, where that is so now: the commit must find it so too.
    fn without_dependents(&self, work: &Put) -> ApiResult<Option<Precondition>> {
        let item = self.work_item(&work.id, 0, &work.body)?;
        let Some((kind, Derivation { dependents: Dependents::ReferringAt { path, .. }, .. })) =
            item.derivation
        else {
            return Ok(None);
        };
        let nobody = self.ids_referring(kind, path, &item.source, &IndexPage::first(1))?.is_empty();
        Ok(nobody.then(|| Precondition::NotReferenced {
            kind: self.model.kind(kind).type_id.clone(),
            path: (*path).to_owned(),
            value: item.source.into(),
        }))
    }
}

/// An item that goes on behind a document.
fn gone_on(id: &str, body: &[u8], behind: &str) -> ApiResult<Put> {
    let mut work = document::read(body)?;
    work.insert("behind".into(), behind.into());
    let body = Value::Object(work).to_string().into();
    Ok(Put { kind: WORK.to_owned(), id: id.to_owned(), version: 1, body, ..Put::default() })
}

impl<'i> Chunks<'_, 'i> {
    fn follow(&mut self, kind: KindId, derivation: &'static Derivation, id: String) -> ApiResult<()> {
        let follower = (kind, id.clone());
        if self.followers.contains(&follower) {
            self.hand_in()?;
        }
        self.followers.insert(follower);
        self.push(Step::Follow { kind, derivation, id })
    }

    fn push(&mut self, step: Step<'i>) -> ApiResult<()> {
        self.steps.push(step);
        if self.steps.len() >= CHUNK_STEPS { self.hand_in() } else { Ok(()) }
    }

    /// Makes a commit of the steps, and hands it in after the one that is under way.
    fn hand_in(&mut self) -> ApiResult<()> {
        let steps = std::mem::take(&mut self.steps);
        self.followers.clear();
        let commit = self.shop.commit_of_steps(&steps)?;
        self.await_under_way()?;
        if !commit.writes.is_empty() {
            self.under_way = Some((self.shop.storage.commit(commit), steps));
        }
        Ok(())
    }

    /// Waits for the commit that is under way, and tries again where others changed its documents meanwhile.
    fn await_under_way(&mut self) -> ApiResult<()> {
        let Some((answer, steps)) = self.under_way.take() else { return Ok(()) };
        if is_refused(answer)? { self.again(&steps) } else { Ok(()) }
    }

    /// Does steps whose commit was refused. In parts: a document that others write all the time holds up fewer of
    /// the rest, and is itself read and written back at once.
    fn again(&self, steps: &[Step<'_>]) -> ApiResult<()> {
        for part in steps.chunks(steps.len().div_ceil(RETRY_PARTS)) {
            loop {
                let commit = self.shop.commit_of_steps(part)?;
                if commit.writes.is_empty() || !is_refused(self.shop.storage.commit(commit))? {
                    break;
                }
                if part.len() > 1 {
                    self.again(part)?;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// True where something stood against the commit.
fn is_refused(answer: CommitAnswer) -> ApiResult<bool> {
    match answer.wait() {
        Ok(_) => Ok(false),
        Err(CommitError::Refused(_)) => Ok(true),
        Err(CommitError::Failed(error)) => Err(storage_failure(error)),
    }
}

/// Documents that were read, by kind and id; `None` for what is not there.
type Read = HashMap<(String, String), Option<Arc<Document>>>;

/// Documents as they are stored, each read once.
struct StoredSources<'a> {
    shop: &'a Shop,
    read: RefCell<Read>,
    shared: RefCell<HashMap<&'static str, Rc<dyn Any>>>,
}

impl Sources for StoredSources<'_> {
    fn has_key(&self, type_id: &str, key: &str) -> ApiResult<bool> {
        Ok(self.shop.storage.find_unique(type_id, "key", key).map_err(storage_failure)?.is_some())
    }

    fn count(&self, type_id: &str, path: &str, value: &str) -> ApiResult<u64> {
        self.shop
            .storage
            .count_indexed(type_id, path, &IndexRange::equal(value), u64::MAX)
            .map_err(storage_failure)
    }

    fn model(&self) -> &Model {
        self.shop.model()
    }

    fn now(&self) -> Timestamp {
        self.shop.clock.now()
    }

    fn shared(
        &self,
        name: &'static str,
        make: &mut dyn FnMut() -> ApiResult<Rc<dyn Any>>,
    ) -> ApiResult<Rc<dyn Any>> {
        if let Some(made) = self.shared.borrow().get(name) {
            return Ok(Rc::clone(made));
        }
        let made = make()?;
        self.shared.borrow_mut().insert(name, Rc::clone(&made));
        Ok(made)
    }

    fn unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Document>> {
        let stored = self.shop.storage.get_by_unique(type_id, path, value).map_err(storage_failure)?;
        stored.as_ref().map(parse).transpose()
    }

    fn document(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        let place = (type_id.to_owned(), id.to_owned());
        if let Some(known) = self.read.borrow().get(&place) {
            return Ok(known.clone());
        }
        let stored = self.shop.storage.get(type_id, id).map_err(storage_failure)?;
        let document = stored.as_ref().map(parse).transpose()?.map(Arc::new);
        self.read.borrow_mut().insert(place, document.clone());
        Ok(document)
    }

    fn each(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(&Document),
    ) -> ApiResult<()> {
        let mut failed = None;
        self.shop
            .storage
            .visit_indexed(type_id, path, &IndexRange::equal(value), &IndexPage::default(), &mut |stored| {
                match serde_json::from_slice(stored.body) {
                    Ok(Value::Object(document)) => {
                        visit(&document);
                        ControlFlow::Continue(())
                    }
                    _ => {
                        failed = Some(ApiError::bug("a stored document is no JSON object"));
                        ControlFlow::Break(())
                    }
                }
            })
            .map_err(storage_failure)?;
        failed.map_or(Ok(()), Err)
    }
}
