//! `kontor import`: creates resources from files of drafts. Start at [`Importer::attempt`], which imports one draft.
//!
//! Imports are idempotent: killed anywhere and run again, an import ends in the same state as if it had run through.
//! For this, each draft has one address that follows from the draft alone: its key or, without one, an id computed from
//! its content ([`draft_id`]). A resource that exists at that address counts as present and is left unchanged. No
//! progress file is needed.
//!
//! Resource types are imported in the order in which they refer to each other ([`crate::sequence`]). A draft whose
//! target does not exist yet is retried as long as others succeed. Cycles are broken: states are created without their
//! transitions and completed at the end ([`circle`]), and so are resources that refer to each other by custom fields
//! and attributes ([`apart`]).

mod alike;
mod apart;
mod bar;
mod catalog_model;
mod circle;
mod command;
mod draft_id;
mod expected;
mod follow;
mod item;
mod labels;
mod made_by;
mod numbers;
mod report;
mod secrets;
mod settings;
mod source;
mod whole;

use crate::importable::{is_settings, making_actions};
use crate::operator::Operator;
use crate::reply::{Refusal, Reply};
use crate::resource::{Addresses, encoded, unit_field};
use alike::Alike;
use anyhow::bail;
use axum::http::Method;
use bar::progress_bar;
pub(crate) use command::{bring, run, seed};
use futures_util::StreamExt as _;
use indicatif::ProgressBar;
pub(crate) use item::{Item, Outcome};
use kontor_engine::Kept;
use kontor_json::Value;
use kontor_model::{Addressing, Kind, Model};
use labels::Labels;
use report::{Refused, Report};
use settings::Setting;
use source::{Batch, Sources};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Error codes that may go away once more resources exist.
const WAITING_CODES: &[&str] = &["ReferencedResourceNotFound", "ResourceNotFound"];

/// Imports drafts into one project.
pub(crate) struct Importer<'a> {
    pub(crate) operator: &'a Operator,
    pub(crate) model: &'a Model,
    pub(crate) project: &'a str,
    pub(crate) parallel: usize,
    pub(crate) progress: ProgressBar,
    pub(crate) labels: Labels,
    alike: Alike,
    given: numbers::Given,
    /// Print progress lines on standard error, if there is no progress bar.
    tells_progress: bool,
    /// Number of resources that got a random secret, because their drafts have none.
    pub(crate) without_secrets: AtomicUsize,
}

impl<'a> Importer<'a> {
    /// Returns an importer that sends drafts one by one and shows no progress.
    pub(crate) fn quiet(operator: &'a Operator, model: &'a Model, project: &'a str) -> Self {
        let progress = ProgressBar::hidden();
        Self {
            operator,
            model,
            project,
            parallel: 1,
            progress,
            labels: Labels::default(),
            alike: Alike::default(),
            given: numbers::Given::default(),
            tells_progress: false,
            without_secrets: AtomicUsize::new(0),
        }
    }

    /// Imports and shows the progress: a progress bar on a terminal, lines elsewhere.
    async fn import_watched(mut self, sources: Sources) -> anyhow::Result<Report> {
        self.progress = progress_bar(&sources.batches);
        self.tells_progress = true;
        self.import(sources).await
    }

    async fn import(mut self, mut sources: Sources) -> anyhow::Result<Report> {
        self.labels = std::mem::take(&mut sources.labels);
        self.all(sources).await
    }

    async fn all(&self, mut sources: Sources) -> anyhow::Result<Report> {
        self.operator.check_project(self.project).await?;
        let files = sources.batches.iter().map(|batch| batch.file.clone()).collect();
        let mut report = Report { notes: sources.notes, files, ..Report::default() };
        let mut incomplete = Vec::new();
        // Settings that refer to resources which are imported later.
        let mut unset = Vec::new();
        let later = catalog_model::apart(self, &mut sources.batches).await?;
        let mut waiting =
            self.work_off(sources.batches, Vec::new(), &mut report, &mut incomplete, &mut unset).await?;
        if let Some(later) = later {
            catalog_model::set(self, later.settings, &mut report).await?;
            waiting = self.work_off(later.batches, waiting, &mut report, &mut incomplete, &mut unset).await?;
        }
        circle::complete(self, incomplete, &mut report).await?;
        for (item, fields) in unset {
            settings::apply(self, &item, fields, true, &mut report).await?;
        }
        for (item, refusal) in waiting {
            self.progress.inc(1);
            report.refuse(Refused::of(self.model.kind(item.kind), &item, refusal));
        }
        self.progress.finish_and_clear();
        report.without_secrets = self.without_secrets.load(Ordering::Relaxed);
        report.refused.sort_by_key(|refused| (refused.batch, refused.index));
        Ok(report)
    }

    /// Imports batches and the drafts that wait already. Returns the drafts that still wait for missing targets.
    async fn work_off(
        &self,
        batches: Vec<Batch>,
        mut waiting: Vec<(Item, Refusal)>,
        report: &mut Report,
        incomplete: &mut Vec<(Item, bool)>,
        unset: &mut Vec<(Item, Vec<Setting>)>,
    ) -> anyhow::Result<Vec<(Item, Refusal)>> {
        for Batch { file, kind, items } in batches {
            self.progress.set_message(file.clone());
            if is_settings(self.model.kind(kind)) {
                for item in items {
                    let fields = settings::fields_of(self, &item, report);
                    let waiting = settings::apply(self, &item, fields, false, report).await?;
                    unset.push((item, waiting));
                    self.progress.inc(1);
                }
                continue;
            }
            waiting.extend(self.rounds(items, report, incomplete).await?);
            if self.tells_progress && self.progress.is_hidden() {
                eprintln!("{}", report.progress_line(&file));
            }
        }
        // Drafts may also wait for resources of a cycle.
        loop {
            let items = waiting.into_iter().map(|(item, _)| item).collect();
            waiting = self.rounds(items, report, incomplete).await?;
            let before = waiting.len();
            waiting = circle::create(self, waiting, report, incomplete).await?;
            if waiting.len() == before {
                let (left, undefined) = apart::create(self, waiting, report, incomplete).await?;
                waiting = left;
                // Now and not at the end: products with undefined attributes would be rejected.
                circle::complete(self, undefined, report).await?;
            }
            if waiting.len() == before {
                return Ok(waiting);
            }
        }
    }

    /// Tries drafts, and retries those with missing targets as long as any succeeds. Returns those that still wait.
    async fn rounds(
        &self,
        mut items: Vec<Item>,
        report: &mut Report,
        incomplete: &mut Vec<(Item, bool)>,
    ) -> anyhow::Result<Vec<(Item, Refusal)>> {
        loop {
            let mut waiting = Vec::new();
            let mut has_progress = false;
            let mut outcomes = futures_util::stream::iter(numbers::groups(items))
                .map(|group| async move {
                    let mut outcomes = Vec::with_capacity(group.len());
                    for item in group {
                        let outcome = self.attempt(&item).await;
                        outcomes.push((item, outcome));
                    }
                    futures_util::stream::iter(outcomes)
                })
                .buffered(self.parallel)
                .flatten();
            while let Some((item, outcome)) = outcomes.next().await {
                let kind = self.model.kind(item.kind);
                match outcome? {
                    Outcome::Created => report.count(kind, |counts| counts.created += 1),
                    Outcome::Present => report.count(kind, |counts| counts.present += 1),
                    Outcome::Incomplete => {
                        incomplete.push((item, false));
                        continue;
                    }
                    Outcome::Refused(refusal) if WAITING_CODES.contains(&refusal.code.as_str()) => {
                        waiting.push((item, refusal));
                        continue;
                    }
                    Outcome::Refused(refusal) => report.refuse(Refused::of(kind, &item, refusal)),
                }
                has_progress = true;
                self.progress.inc(1);
            }
            if !has_progress || waiting.is_empty() {
                return Ok(waiting);
            }
            items = waiting.into_iter().map(|(item, _)| item).collect();
        }
    }

    /// Imports one draft: creates its resource, unless it exists.
    pub(crate) async fn attempt(&self, item: &Item) -> anyhow::Result<Outcome> {
        let kind = self.model.kind(item.kind);
        if item.is_whole && self.operator.is_client() {
            // Rejected whatever it mentions, so that all such drafts have the same error.
            return whole::attempt(self, kind, item).await;
        }
        let item = &match self.labels.translate(self, item).await? {
            Ok(item) => item,
            Err(refusal) => return Ok(Outcome::Refused(refusal)),
        };
        if item.is_whole {
            return whole::attempt(self, kind, item).await;
        }
        if !making_actions(kind).is_empty() {
            return made_by::attempt(self, kind, item).await;
        }
        if let Some(found) = self.find(kind, item).await? {
            self.labels.settle(item.label.as_deref(), found["id"].as_str());
            numbers::settle(self, kind, item, &found, Vec::new()).await?;
            if circle::missing(self.model, kind, &item.draft, &found).is_some() {
                return Ok(Outcome::Incomplete);
            }
            if follow::is_open(item, &found) {
                return Ok(follow::send(self, kind, item, &found).await?.unwrap_or(Outcome::Present));
            }
            return Ok(Outcome::Present);
        }
        if self.operator.is_client()
            && item.id.is_some()
            && let Some(id) = self.alike.take(self, kind, item).await?
        {
            self.labels.settle(item.label.as_deref(), Some(&id));
            return Ok(Outcome::Present);
        }
        let fillers = numbers::fill(self, kind, item).await?;
        match self.create(kind, item, &item.draft).await? {
            Ok(created) => {
                numbers::settle(self, kind, item, &created, fillers).await?;
                let created = kind.created_as().as_ref().map_or(&created, |name| &created[name]);
                self.labels.settle(item.label.as_deref(), created["id"].as_str());
                Ok(follow::send(self, kind, item, created).await?.unwrap_or(Outcome::Created))
            }
            // Another client was faster.
            Err(refusal) if refusal.code == "DuplicateField" && self.find(kind, item).await?.is_some() => {
                Ok(Outcome::Present)
            }
            Err(refusal) => {
                numbers::remove(self, kind, fillers).await?;
                Ok(Outcome::Refused(refusal))
            }
        }
    }

    /// Reads the resource at the address of a draft.
    pub(crate) async fn find(&self, kind: &Kind, item: &Item) -> anyhow::Result<Option<Value>> {
        let Some(path) = self.address(kind, item) else { return Ok(None) };
        let reply = answered(self.operator.send(Method::GET, &path, None).await?)?;
        Ok(if reply.status == 200 { Some(reply.body) } else { None })
    }

    fn addresses(&self) -> Addresses<'_> {
        Addresses { model: self.model, project: self.project }
    }

    /// Returns the path of the resource of a draft, whether it exists or not.
    pub(crate) fn address(&self, kind: &Kind, item: &Item) -> Option<String> {
        self.addresses().named(kind, &item.draft).or_else(|| {
            let id = item.id.as_deref().filter(|_| !self.operator.is_client())?;
            self.by_id(kind, item, id)
        })
    }

    /// Returns the path of the resource of a draft, by its id.
    fn by_id(&self, kind: &Kind, item: &Item, id: &str) -> Option<String> {
        match unit_field(kind) {
            None => self.addresses().by_id(kind, id),
            Some(_) => {
                let place = self.addresses().place_of(kind, &item.draft)?;
                Some(format!("{place}/{}", encoded(id)))
            }
        }
    }

    /// Returns the path of an existing resource.
    fn address_of(&self, kind: &Kind, item: &Item, found: &Value) -> Option<String> {
        let by_id = found["id"].as_str().and_then(|id| self.by_id(kind, item, id));
        by_id
            .filter(|_| matches!(kind.addressing, Addressing::Id { .. }))
            .or_else(|| self.address(kind, item))
    }

    /// Creates the resource of an item from `draft`.
    pub(crate) async fn create(
        &self,
        kind: &Kind,
        item: &Item,
        draft: &Value,
    ) -> anyhow::Result<Result<Value, Refusal>> {
        if self.operator.is_client() && unit_field(kind).is_some() {
            let message = "Only associates of a business unit can create it, API clients cannot.".to_owned();
            return Ok(Err(Refusal { code: "AssociateMissingPermission".into(), message }));
        }
        let Some(path) = self.addresses().place_of(kind, draft) else {
            let field = unit_field(kind).unwrap_or_default();
            let message =
                format!("The draft must name its '{field}' by key: {{\"{field}\": {{\"key\": …}}}}.");
            return Ok(Err(Refusal { code: "InvalidField".into(), message }));
        };
        let mut draft = Cow::Borrowed(draft);
        if let Some(field) = unit_field(kind)
            && let Some(fields) = draft.to_mut().as_object_mut()
        {
            // The path names the unit.
            fields.shift_remove(field);
        }
        let kept = item.kept.as_ref().filter(|_| !self.operator.is_client());
        let hashes = kept.filter(|kept| !kept.secrets.is_empty());
        if let (Some(hashes), Some(fields)) = (hashes, draft.to_mut().as_object_mut()) {
            fields.extend(hashes.secrets.clone());
        }
        let head = Kept {
            id: kept.map(|kept| kept.id.as_str()).or(item.id.as_deref()),
            // The actions that follow increase the version by one.
            version: kept.map(|kept| (kept.version - i64::from(!item.actions.is_empty())).max(1)),
            is_hashed: hashes.is_some(),
        };
        let send = async |head: Kept<'_>, draft: &Value| -> anyhow::Result<Result<Value, Refusal>> {
            let reply = self.operator.send_kept(Method::POST, &path, head, Some(draft)).await?;
            Ok(answered(reply)?.accepted())
        };
        let made = send(head, &draft).await?;
        match &made {
            // An exported resource had a secret, so it gets a random one. A hand-written draft without one is a
            // mistake.
            Err(refusal)
                if item.label.is_some()
                    && refusal.code == "RequiredField"
                    && secrets::are_missing(self.model, kind, &draft) =>
            {
                secrets::add_random(self.model, kind, draft.to_mut());
                let made = send(Kept { is_hashed: false, ..head }, &draft).await?;
                if made.is_ok() {
                    self.without_secrets.fetch_add(1, Ordering::Relaxed);
                }
                Ok(made)
            }
            _ => Ok(made),
        }
    }
}

/// Returns a response about the draft, successful or not. Fails if the server itself failed (status 500 and above).
pub(crate) fn answered(reply: Reply) -> anyhow::Result<Reply> {
    if reply.status >= 500 {
        let refusal = reply.accepted().err().map(|refusal| refusal.to_string()).unwrap_or_default();
        bail!("the server failed: {refusal}. Run the import again: it continues where it stopped");
    }
    Ok(reply)
}
