//! `kontor import`: creates resources from files of drafts. Start at [`Importer::import_one`], which imports one draft.
//!
//! Imports are idempotent: killed anywhere and run again, an import ends in the same state as if it had run through.
//! For this, each draft has one address that follows from the draft alone: its key or, without one, an id computed from
//! its content ([`draft_id`]). A resource that exists at that address counts as present and is left unchanged. No
//! progress file is needed.
//!
//! Resource types are imported in the order in which they refer to each other ([`crate::import_order`]). A draft whose
//! target does not exist yet is retried as long as others succeed. Cycles are broken: states are created without their
//! transitions and completed at the end ([`cycles`]), and so are resources that refer to each other by custom fields
//! and attributes ([`deferred_fields`]).

mod assigned_numbers;
mod catalog_model;
mod command;
mod cycles;
mod deferred_fields;
mod draft_files;
mod draft_id;
mod draft_secrets;
mod expected_failures;
mod exported_ids;
mod follow_up_actions;
mod import_item;
mod import_progress;
mod import_report;
mod match_existing;
mod parent_actions;
mod project_settings_import;
mod stored_resources;

use crate::command_response::{CommandRefusal, CommandResponse};
use crate::import_rules::{creating_actions, is_settings};
use crate::operator::OperatorConnection;
use crate::resource_paths::{ResourcePaths, percent_encoded, unit_field};
use anyhow::bail;
use axum::http::Method;
pub(crate) use command::{import_and_print, import_before_serving, run};
use draft_files::{DraftBatch, DraftSources};
use exported_ids::ExportedIds;
use futures_util::StreamExt as _;
pub(crate) use import_item::{ImportItem, ImportOutcome};
use import_progress::progress_bar;
use import_report::{DraftImportReport, FailedDraft};
use indicatif::ProgressBar;
use kontor_engine::PreservedMetadata;
use kontor_json::Value;
use kontor_model::{Addressing, Kind, Model};
use match_existing::UnmatchedResources;
use project_settings_import::SettingField;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Error codes that may go away once more resources exist.
const WAITING_CODES: &[&str] = &["ReferencedResourceNotFound", "ResourceNotFound"];

/// Imports drafts into one project.
pub(crate) struct Importer<'a> {
    pub(crate) operator: &'a OperatorConnection,
    pub(crate) model: &'a Model,
    pub(crate) project: &'a str,
    pub(crate) parallel: usize,
    pub(crate) progress: ProgressBar,
    pub(crate) labels: ExportedIds,
    alike: UnmatchedResources,
    given: assigned_numbers::HighestNumbers,
    /// Print progress lines on standard error, if there is no progress bar.
    tells_progress: bool,
    /// Number of resources that got a random secret, because their drafts have none.
    pub(crate) without_secrets: AtomicUsize,
}

impl<'a> Importer<'a> {
    /// Returns an importer that sends drafts one by one and shows no progress.
    pub(crate) fn without_progress(
        operator: &'a OperatorConnection,
        model: &'a Model,
        project: &'a str,
    ) -> Self {
        let progress = ProgressBar::hidden();
        Self {
            operator,
            model,
            project,
            parallel: 1,
            progress,
            labels: ExportedIds::default(),
            alike: UnmatchedResources::default(),
            given: assigned_numbers::HighestNumbers::default(),
            tells_progress: false,
            without_secrets: AtomicUsize::new(0),
        }
    }

    /// Imports and shows the progress: a progress bar on a terminal, lines elsewhere.
    async fn import_watched(mut self, sources: DraftSources) -> anyhow::Result<DraftImportReport> {
        self.progress = progress_bar(&sources.batches);
        self.tells_progress = true;
        self.import(sources).await
    }

    async fn import(mut self, mut sources: DraftSources) -> anyhow::Result<DraftImportReport> {
        self.labels = std::mem::take(&mut sources.labels);
        self.all(sources).await
    }

    async fn all(&self, mut sources: DraftSources) -> anyhow::Result<DraftImportReport> {
        self.operator.check_project(self.project).await?;
        let files = sources.batches.iter().map(|batch| batch.file.clone()).collect();
        let mut report = DraftImportReport { notes: sources.notes, files, ..DraftImportReport::default() };
        let mut incomplete = Vec::new();
        // Settings that refer to resources which are imported later.
        let mut unset = Vec::new();
        let later = catalog_model::split_off_modular(self, &mut sources.batches).await?;
        let mut waiting = self
            .import_batches(sources.batches, Vec::new(), &mut report, &mut incomplete, &mut unset)
            .await?;
        if let Some(later) = later {
            catalog_model::set_catalog_models(self, later.settings, &mut report).await?;
            waiting =
                self.import_batches(later.batches, waiting, &mut report, &mut incomplete, &mut unset).await?;
        }
        cycles::complete_all(self, incomplete, &mut report).await?;
        for (item, fields) in unset {
            project_settings_import::apply(self, &item, fields, true, &mut report).await?;
        }
        for (item, refusal) in waiting {
            self.progress.inc(1);
            report.add_failed(FailedDraft::from_refusal(self.model.kind(item.kind), &item, refusal));
        }
        self.progress.finish_and_clear();
        report.without_secrets = self.without_secrets.load(Ordering::Relaxed);
        report.refused.sort_by_key(|refused| (refused.batch, refused.index));
        Ok(report)
    }

    /// Imports batches and the drafts that wait already. Returns the drafts that still wait for missing targets.
    async fn import_batches(
        &self,
        batches: Vec<DraftBatch>,
        mut waiting: Vec<(ImportItem, CommandRefusal)>,
        report: &mut DraftImportReport,
        incomplete: &mut Vec<(ImportItem, bool)>,
        unset: &mut Vec<(ImportItem, Vec<SettingField>)>,
    ) -> anyhow::Result<Vec<(ImportItem, CommandRefusal)>> {
        for DraftBatch { file, kind, items } in batches {
            self.progress.set_message(file.clone());
            if is_settings(self.model.kind(kind)) {
                for item in items {
                    let fields = project_settings_import::fields_of(self, &item, report);
                    let waiting = project_settings_import::apply(self, &item, fields, false, report).await?;
                    unset.push((item, waiting));
                    self.progress.inc(1);
                }
                continue;
            }
            waiting.extend(self.retry_rounds(items, report, incomplete).await?);
            if self.tells_progress && self.progress.is_hidden() {
                eprintln!("{}", report.progress_line(&file));
            }
        }
        // Drafts may also wait for resources of a cycle.
        loop {
            let items = waiting.into_iter().map(|(item, _)| item).collect();
            waiting = self.retry_rounds(items, report, incomplete).await?;
            let before = waiting.len();
            waiting = cycles::create_cycle(self, waiting, report, incomplete).await?;
            if waiting.len() == before {
                let (left, undefined) =
                    deferred_fields::create_without_deferred(self, waiting, report, incomplete).await?;
                waiting = left;
                // Now and not at the end: products with undefined attributes would be rejected.
                cycles::complete_all(self, undefined, report).await?;
            }
            if waiting.len() == before {
                return Ok(waiting);
            }
        }
    }

    /// Tries drafts, and retries those with missing targets as long as any succeeds. Returns those that still wait.
    async fn retry_rounds(
        &self,
        mut items: Vec<ImportItem>,
        report: &mut DraftImportReport,
        incomplete: &mut Vec<(ImportItem, bool)>,
    ) -> anyhow::Result<Vec<(ImportItem, CommandRefusal)>> {
        loop {
            let mut waiting = Vec::new();
            let mut has_progress = false;
            let mut outcomes = futures_util::stream::iter(assigned_numbers::groups(items))
                .map(|group| async move {
                    let mut outcomes = Vec::with_capacity(group.len());
                    for item in group {
                        let outcome = self.import_one(&item).await;
                        outcomes.push((item, outcome));
                    }
                    futures_util::stream::iter(outcomes)
                })
                .buffered(self.parallel)
                .flatten();
            while let Some((item, outcome)) = outcomes.next().await {
                let kind = self.model.kind(item.kind);
                match outcome? {
                    ImportOutcome::Created => report.count(kind, |counts| counts.created += 1),
                    ImportOutcome::Present => report.count(kind, |counts| counts.present += 1),
                    ImportOutcome::Incomplete => {
                        incomplete.push((item, false));
                        continue;
                    }
                    ImportOutcome::Refused(refusal) if WAITING_CODES.contains(&refusal.code.as_str()) => {
                        waiting.push((item, refusal));
                        continue;
                    }
                    ImportOutcome::Refused(refusal) => {
                        report.add_failed(FailedDraft::from_refusal(kind, &item, refusal))
                    }
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
    pub(crate) async fn import_one(&self, item: &ImportItem) -> anyhow::Result<ImportOutcome> {
        let kind = self.model.kind(item.kind);
        if item.is_whole && self.operator.is_client() {
            // Rejected whatever it mentions, so that all such drafts have the same error.
            return stored_resources::store_unchanged(self, kind, item).await;
        }
        let item = &match self.labels.translate(self, item).await? {
            Ok(item) => item,
            Err(refusal) => return Ok(ImportOutcome::Refused(refusal)),
        };
        if item.is_whole {
            return stored_resources::store_unchanged(self, kind, item).await;
        }
        if !creating_actions(kind).is_empty() {
            return parent_actions::import_by_action(self, kind, item).await;
        }
        if let Some(found) = self.find(kind, item).await? {
            self.labels.record_new_id(item.label.as_deref(), found["id"].as_str());
            assigned_numbers::settle_number(self, kind, item, &found, Vec::new()).await?;
            if cycles::missing_actions(self.model, kind, &item.draft, &found).is_some() {
                return Ok(ImportOutcome::Incomplete);
            }
            if follow_up_actions::has_unsent_actions(item, &found) {
                return Ok(follow_up_actions::send_actions(self, kind, item, &found)
                    .await?
                    .unwrap_or(ImportOutcome::Present));
            }
            return Ok(ImportOutcome::Present);
        }
        if self.operator.is_client()
            && item.id.is_some()
            && let Some(id) = self.alike.take(self, kind, item).await?
        {
            self.labels.record_new_id(item.label.as_deref(), Some(&id));
            return Ok(ImportOutcome::Present);
        }
        let fillers = assigned_numbers::create_fillers(self, kind, item).await?;
        match self.create(kind, item, &item.draft).await? {
            Ok(created) => {
                assigned_numbers::settle_number(self, kind, item, &created, fillers).await?;
                let created = kind.creation_field().as_ref().map_or(&created, |name| &created[name]);
                self.labels.record_new_id(item.label.as_deref(), created["id"].as_str());
                Ok(follow_up_actions::send_actions(self, kind, item, created)
                    .await?
                    .unwrap_or(ImportOutcome::Created))
            }
            // Another client was faster.
            Err(refusal) if refusal.code == "DuplicateField" && self.find(kind, item).await?.is_some() => {
                Ok(ImportOutcome::Present)
            }
            Err(refusal) => {
                assigned_numbers::remove_fillers(self, kind, fillers).await?;
                Ok(ImportOutcome::Refused(refusal))
            }
        }
    }

    /// Reads the resource at the address of a draft.
    pub(crate) async fn find(&self, kind: &Kind, item: &ImportItem) -> anyhow::Result<Option<Value>> {
        let Some(path) = self.address(kind, item) else { return Ok(None) };
        let reply = must_not_be_server_error(self.operator.send(Method::GET, &path, None).await?)?;
        Ok(if reply.status == 200 { Some(reply.body) } else { None })
    }

    fn addresses(&self) -> ResourcePaths<'_> {
        ResourcePaths { model: self.model, project: self.project }
    }

    /// Returns the path of the resource of a draft, whether it exists or not.
    pub(crate) fn address(&self, kind: &Kind, item: &ImportItem) -> Option<String> {
        self.addresses().by_name(kind, &item.draft).or_else(|| {
            let id = item.id.as_deref().filter(|_| !self.operator.is_client())?;
            self.by_id(kind, item, id)
        })
    }

    /// Returns the path of the resource of a draft, by its id.
    fn by_id(&self, kind: &Kind, item: &ImportItem, id: &str) -> Option<String> {
        match unit_field(kind) {
            None => self.addresses().by_id(kind, id),
            Some(_) => {
                let place = self.addresses().creation_path(kind, &item.draft)?;
                Some(format!("{place}/{}", percent_encoded(id)))
            }
        }
    }

    /// Returns the path of an existing resource.
    fn address_of(&self, kind: &Kind, item: &ImportItem, found: &Value) -> Option<String> {
        let by_id = found["id"].as_str().and_then(|id| self.by_id(kind, item, id));
        by_id
            .filter(|_| matches!(kind.addressing, Addressing::Id { .. }))
            .or_else(|| self.address(kind, item))
    }

    /// Creates the resource of an item from `draft`.
    pub(crate) async fn create(
        &self,
        kind: &Kind,
        item: &ImportItem,
        draft: &Value,
    ) -> anyhow::Result<Result<Value, CommandRefusal>> {
        if self.operator.is_client() && unit_field(kind).is_some() {
            let message = "Only associates of a business unit can create it, API clients cannot.".to_owned();
            return Ok(Err(CommandRefusal { code: "AssociateMissingPermission".into(), message }));
        }
        let Some(path) = self.addresses().creation_path(kind, draft) else {
            let field = unit_field(kind).unwrap_or_default();
            let message =
                format!("The draft must name its '{field}' by key: {{\"{field}\": {{\"key\": …}}}}.");
            return Ok(Err(CommandRefusal { code: "InvalidField".into(), message }));
        };
        let mut draft = Cow::Borrowed(draft);
        if let Some(field) = unit_field(kind)
            && let Some(fields) = draft.to_mut().as_object_mut()
        {
            // The path names the unit.
            fields.shift_remove(field);
        }
        let kept = item.metadata.as_ref().filter(|_| !self.operator.is_client());
        let hashes = kept.filter(|kept| !kept.secrets.is_empty());
        if let (Some(hashes), Some(fields)) = (hashes, draft.to_mut().as_object_mut()) {
            fields.extend(hashes.secrets.clone());
        }
        let head = PreservedMetadata {
            id: kept.map(|kept| kept.id.as_str()).or(item.id.as_deref()),
            // The actions that follow increase the version by one.
            version: kept.map(|kept| (kept.version - i64::from(!item.actions.is_empty())).max(1)),
            is_hashed: hashes.is_some(),
        };
        let send = async |head: PreservedMetadata<'_>,
                          draft: &Value|
               -> anyhow::Result<Result<Value, CommandRefusal>> {
            let reply = self.operator.send_with_preserved(Method::POST, &path, head, Some(draft)).await?;
            Ok(must_not_be_server_error(reply)?.accepted())
        };
        let made = send(head, &draft).await?;
        match &made {
            // An exported resource had a secret, so it gets a random one. A hand-written draft without one is a
            // mistake.
            Err(refusal)
                if item.label.is_some()
                    && refusal.code == "RequiredField"
                    && draft_secrets::are_missing(self.model, kind, &draft) =>
            {
                draft_secrets::add_random(self.model, kind, draft.to_mut());
                let made = send(PreservedMetadata { is_hashed: false, ..head }, &draft).await?;
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
pub(crate) fn must_not_be_server_error(reply: CommandResponse) -> anyhow::Result<CommandResponse> {
    if reply.status >= 500 {
        let refusal = reply.accepted().err().map(|refusal| refusal.to_string()).unwrap_or_default();
        bail!("the server failed: {refusal}. Run the import again: it continues where it stopped");
    }
    Ok(reply)
}
