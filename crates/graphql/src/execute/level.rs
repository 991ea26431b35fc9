//! Executes one level: loads the documents that its values wait for, and resolves the values.

use super::collect::Asked;
use super::load::{Documents, Level, Loaded, Page, Wanted};
use super::subject::Subject;
use super::tree::NodeId;
use super::view::View;
use super::{Execution, WaitingObject};
use crate::json::Json;
use kontor_errors::ApiResult;

/// Memory that a parsed document takes for each byte of its text, roughly. Strings are borrowed from the text.
const PARSED_BYTES_PER_BYTE: usize = 3;

impl<'q> Execution<'_, 'q> {
    /// Executes level after level until no value waits.
    pub(super) fn work(&mut self, mut waiting: Vec<WaitingObject<'q>>) {
        while !waiting.is_empty() && !self.is_too_long {
            if let Err(error) = self.work_level(&waiting) {
                for WaitingObject { node, asked, .. } in &waiting {
                    self.refuse(asked, *node, &error);
                }
            }
            waiting = std::mem::take(&mut self.next);
        }
    }

    fn work_level(&mut self, waiting: &[WaitingObject<'q>]) -> ApiResult<()> {
        let wanted = waiting.iter().map(|waiting| (&waiting.wanted, &waiting.within));
        let level = Level::load(wanted, self.context)?;
        if let Err(error) = self.reads.add_level(&level) {
            self.is_too_long = true;
            if let Some(first) = waiting.first() {
                self.refuse(&first.asked, first.node, &error);
            }
            return Ok(());
        }
        // Until the level is done, its documents are in memory as bytes and as parsed values.
        let read_bytes = level.bytes() * PARSED_BYTES_PER_BYTE;
        self.context.meter.charge(read_bytes)?;
        let documents = level.read(self.context.shop.model())?;
        for one in waiting {
            self.arrive(one, &documents);
        }
        self.context.meter.refund(read_bytes + level.bytes());
        Ok(())
    }

    /// Resolves a value whose documents are loaded.
    fn arrive(&mut self, waiting: &WaitingObject<'q>, level: &Documents<'_>) {
        let WaitingObject { node, asked, wanted, view, within } = waiting;
        self.told.clear();
        self.view = view.as_ref().and_then(View::below);
        self.within.clone_from(within);
        match wanted {
            Wanted::Document(target) => match level.document(target, within) {
                Some(document) => self.viewed(asked, *node, document, target.kind, view.as_deref()),
                None => self.nothing(asked, *node),
            },
            Wanted::Definition { of, definition, names } => {
                self.definition(asked, *node, level.document(of, within), definition, names);
            }
            // Targets that do not exist are left out: elements may not be null.
            Wanted::Documents(targets) => {
                let found =
                    targets.iter().filter_map(|target| Some((level.document(target, within)?, target.kind)));
                self.documents(asked, *node, found, view.as_deref());
            }
            Wanted::Chain { next, by, found } => self.climb(asked, *node, next, by, found, level),
            Wanted::Referrers(kind, path, id) => {
                let found = level.referring(*kind, path, id).map(|document| (document, *kind));
                self.documents(asked, *node, found, None);
            }
            Wanted::CountOfReferrers(kind, path, id) => {
                self.tree.set_leaf(*node, &level.referring(*kind, path, id).len());
            }
            Wanted::Loaded(loaded) => {
                let read_bytes = loaded.bytes() * PARSED_BYTES_PER_BYTE;
                let charged = self.context.meter.charge(read_bytes);
                match charged.and_then(|()| self.loaded(asked, *node, loaded)) {
                    Ok(()) => self.context.meter.refund(read_bytes),
                    Err(error) => self.refuse(asked, *node, &error),
                }
            }
        }
    }

    /// Resolves a value that a root field has read.
    fn loaded(&mut self, asked: &Asked<'q>, node: NodeId, loaded: &Loaded) -> ApiResult<()> {
        let name = asked.ty().inner_named_type();
        let Some(output) = self.question.schema.output(name) else { return Ok(()) };
        match loaded {
            Loaded::Document(body) => {
                let document = Json::of_document(body)?;
                self.object(asked, node, name, output, Subject::Json(&document));
            }
            Loaded::Made(document) => self.object(asked, node, name, output, Subject::Json(document)),
            Loaded::Found { answer, results } => {
                let results = results.iter().map(|body| Json::of_document(body));
                let results = Json::List(results.collect::<ApiResult<_>>()?);
                let mut answer = answer.clone();
                answer.push(("results".into(), results));
                self.object(asked, node, name, output, Subject::Json(&Json::Object(answer)));
            }
            Loaded::Reach(reach) => self.object(asked, node, name, output, Subject::Reach(reach)),
            Loaded::List(bodies) => {
                self.tree.set_list(node);
                for body in bodies {
                    let document = Json::of_document(body)?;
                    let element = self.tree.element(node, true);
                    self.object(asked, element, name, output, Subject::Json(&document));
                }
            }
            Loaded::Page(page) => {
                let results = page.results.iter().map(|body| Json::of_document(body));
                let page = Page {
                    limit: page.limit,
                    offset: page.offset,
                    count: page.count,
                    total: page.total,
                    exists: page.exists,
                    results: results.collect::<ApiResult<_>>()?,
                };
                self.object(asked, node, name, output, Subject::Page(&page));
            }
        }
        Ok(())
    }
}
