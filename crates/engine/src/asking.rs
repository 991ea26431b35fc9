//! Others who are asked before a change is written: they may refuse it, or answer with update actions that are done in the
//! same commit.
//!
//! Who is asked, and about what, is said by rules ([`Asks`]); asking itself is somebody else's ([`Asked`]), since rules wait for
//! nothing. It happens between the preparation of a change and its commit, while nothing is held.

use crate::actions::{ActionSource, do_all};
use crate::ahead::Ahead;
use crate::asked::{Asked, Question};
use crate::asks::Proposed;
use crate::attempt::Prepared;
use crate::authored::Authored;
use crate::bounds::Bounds;
use crate::caller::Caller;
use crate::change::{self, FIRST_VERSION};
use crate::document::{self, Document};
use crate::effects::Effects;
use crate::memory::ResponseMeter;
use crate::pending::Pending;
use crate::read_actions::read_actions;
use crate::rules::{Found, Rules};
use crate::secret;
use crate::shop::Shop;
use crate::write;
use futures_util::future::join_all;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Ignored, KindId};
use kontor_storage::Precondition;
use parking_lot::Mutex;
use std::sync::Arc;

/// The most bytes that the documents take which a question expands.
const QUESTION_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A change on its way to be asked about. It owns all that it relies on.
pub(crate) struct Proposal {
    pub(crate) kind: KindId,
    pub(crate) before: Option<Found>,
    pub(crate) after: Document,
    pub(crate) pending: Vec<Pending>,
    pub(crate) effects: Effects,
    /// The effects before the document was settled, which is repeated after further actions; `None`: it is settled as a change
    /// of what it was before them.
    pub(crate) unsettled: Option<Effects>,
    pub(crate) requirements: Vec<Precondition>,
    pub(crate) round: usize,
}

/// Whether a change is ready.
pub(crate) enum Readiness<T> {
    /// It is.
    Ready(T),
    /// These have to be asked first.
    Ask(Box<Proposal>, Vec<Question>),
}

/// Who answered, and the update actions that came back.
type ActionsOf = (Arc<Document>, Vec<(String, Document)>);

/// What somebody was asked about, and what came of it.
struct Answer {
    asked: String,
    about: Document,
    actions: ApiResult<Vec<Value>>,
}

/// What was answered in earlier attempts of a change, refusals among it, so that nobody is asked twice about the same.
#[derive(Default)]
pub(crate) struct Answers(Mutex<Vec<Answer>>);

impl Proposal {
    pub(crate) fn new(kind: KindId, before: Option<Found>, after: Document) -> Self {
        Self {
            kind,
            before,
            after,
            pending: Vec::new(),
            effects: Effects::default(),
            unsettled: None,
            requirements: Vec::new(),
            round: 0,
        }
    }

    /// The document as it will be written.
    fn written(&self, by: Option<&Value>, rules: &Rules<'_>) -> Document {
        let before = self.before.as_ref().map(|before| &*before.document);
        let authored = Authored { before, first_version: FIRST_VERSION, is_new_version: true, by };
        let mut written = self.after.clone();
        authored.stamp(self.kind, &mut written, rules);
        write::in_sequence(rules.model, rules.model.kind(self.kind), written)
    }

    /// The questions of the next round that has some, or what is ready. They are about a change that `caller` makes.
    pub(crate) fn step<T>(
        mut self,
        caller: &Caller,
        rules: &Rules<'_>,
        finish: impl FnOnce(Self, &Rules<'_>) -> ApiResult<T>,
    ) -> ApiResult<Readiness<T>> {
        // Most changes concern nobody, and need not be seen as they will be written.
        let Some(asks) = rules.behaviours.asks_about(self.kind, rules) else {
            return finish(self, rules).map(Readiness::Ready);
        };
        let written = self.written(caller.to_json().as_ref(), rules);
        while self.round < asks.rounds() {
            let proposed = Proposed {
                kind: self.kind,
                before: self.before.as_ref().map(|before| &*before.document),
                after: &written,
                kept_apart: self.effects.kept_apart(),
            };
            let questions = asks.questions(&proposed, self.round, rules)?;
            self.round += 1;
            if !questions.is_empty() {
                self.requirements = rules.take_requirements();
                return Ok(Readiness::Ask(Box::new(self), questions));
            }
        }
        finish(self, rules).map(Readiness::Ready)
    }

    /// Does what came back.
    fn do_all(&mut self, answered: Vec<ActionsOf>, caller: &Caller, rules: &Rules<'_>) -> ApiResult<()> {
        std::mem::take(&mut self.requirements).into_iter().for_each(|required| rules.require(required));
        let Some(last) = answered.iter().rev().find(|(_, actions)| !actions.is_empty()) else {
            return Ok(());
        };
        let last = Arc::clone(&last.0);
        let refused = |asked: &Document, why: ApiError| match rules.behaviours.asks() {
            Some(asks) if why.broken().is_none() => asks.refused(asked, why),
            _ => why,
        };
        let settled = self.after.clone();
        let mut effects = match &self.unsettled {
            Some(unsettled) => unsettled.clone(),
            None => std::mem::take(&mut self.effects),
        };
        for (asked, actions) in answered {
            let done = do_all(
                (self.kind, ActionSource::Request),
                &actions,
                &self.after,
                caller,
                rules,
                &mut effects,
            );
            let (after, pending) = done.map_err(|why| refused(&asked, why))?;
            self.after = after;
            self.pending.extend(pending);
        }
        let before = match &mut self.unsettled {
            Some(unsettled) => {
                *unsettled = effects.clone();
                self.before.as_ref().map(|before| &*before.document)
            }
            None => Some(&settled),
        };
        change::settle(self.kind, before, &mut self.after, rules, &mut effects)
            .map_err(|why| refused(&last, why))?;
        self.effects = effects;
        Ok(())
    }
}

impl Shop {
    /// The same shop, with somebody who asks the questions of rules.
    #[must_use]
    pub fn with_asked(self, asked: Option<Arc<dyn Asked>>) -> Self {
        Self { asked, ..self }
    }

    /// Asks all that is to be asked about a change, and does what comes back, until it is ready.
    pub(crate) async fn ask_all<T>(
        &self,
        mut step: Readiness<Prepared<T>>,
        answers: &Answers,
        caller: &Caller,
        finish: impl Fn(Proposal, &Rules<'_>) -> ApiResult<Prepared<T>>,
    ) -> ApiResult<Prepared<T>> {
        // Who is asked may do more than who sends the request. Fields of answers that nobody knows are passed over as those of requests
        // are, and not told to who sends the request: they are none of its fields.
        let ignored = caller.ignored.as_ref().map(|_| Arc::<Ignored>::default());
        let unlimited = Caller { bounds: Bounds::default(), references: None, ignored, ..caller.clone() };
        loop {
            let (mut proposal, questions) = match step {
                Readiness::Ready(prepared) => return Ok(prepared),
                Readiness::Ask(proposal, questions) => (proposal, questions),
            };
            let mut answered = Vec::with_capacity(questions.len());
            for (asked, given) in self.answers(&questions, &proposal, answers, caller).await? {
                let actions = self.read_answered(proposal.kind, &asked, given, &unlimited).await?;
                answered.push((asked, actions));
            }
            let project = self.project();
            step = self.with_rules_after(&Ahead::default(), &unlimited, &project, |rules| {
                proposal.do_all(answered, &unlimited, rules)?;
                proposal.step(&unlimited, rules, &finish)
            })?;
        }
    }

    /// The answers to questions, which are asked at once.
    async fn answers(
        &self,
        questions: &[Question],
        proposal: &Proposal,
        answers: &Answers,
        caller: &Caller,
    ) -> ApiResult<Vec<(Arc<Document>, Vec<Value>)>> {
        let mut asking = Vec::with_capacity(questions.len());
        let mut all: Vec<Option<Vec<Value>>> = vec![None; questions.len()];
        for (position, question) in questions.iter().enumerate() {
            let name = document::id_of(&question.asked);
            let is_same = |known: &&Answer| known.asked == name && known.about == proposal.after;
            if let Some(known) = answers.0.lock().iter().find(is_same) {
                all[position] = Some(known.actions.clone()?);
                continue;
            }
            let Some(asked) = &self.asked else { continue };
            let question = self.expanded_question(proposal.kind, question, caller)?;
            let answering = asked.ask(&self.key, &self.model, Arc::clone(&self.storage), question);
            asking.push(async move { (position, answering.await) });
        }
        // By whoever waits for them anyway: a task for each would be woken only to wake it.
        for (position, answer) in join_all(asking).await {
            let asked = document::id_of(&questions[position].asked).to_owned();
            let about = proposal.after.clone();
            answers.0.lock().push(Answer { asked, about, actions: answer.clone() });
            all[position] = Some(answer?);
        }
        let known = questions.iter().zip(all);
        Ok(known.map(|(question, all)| (Arc::clone(&question.asked), all.unwrap_or_default())).collect())
    }

    /// A question with what its documents refer to, and with that by which the request is followed.
    fn expanded_question(&self, kind: KindId, question: &Question, caller: &Caller) -> ApiResult<Question> {
        let mut question = question.clone();
        question.correlation_id = caller.sender.correlation_id().map(str::to_owned);
        if question.expand.is_empty() {
            return Ok(question);
        }
        let meter = ResponseMeter::bounded(QUESTION_BYTES_MAX);
        for (_, member) in question.body.as_object_mut().into_iter().flatten() {
            let Some(shown) = member.get_mut("obj") else { continue };
            let bytes = shown.take().to_string().into();
            let expanded = self.shown(kind, bytes, &question.expand, &Bounds::default(), None, &meter)?;
            *shown = Value::Object(document::read(&expanded)?);
        }
        Ok(question)
    }

    /// Checks update actions that came back.
    async fn read_answered(
        &self,
        kind: KindId,
        asked: &Document,
        given: Vec<Value>,
        caller: &Caller,
    ) -> ApiResult<Vec<(String, Document)>> {
        let refused = |why: ApiError| match self.behaviours.asks() {
            Some(asks) => asks.refused(asked, why),
            None => why,
        };
        let mut actions = read_actions(given, kind, caller, &self.model).map_err(refused)?;
        for (name, arguments) in &mut actions {
            if let Some(action) = caller.bounds.action(self.model.kind(kind), name) {
                secret::hash_fields(&self.model, action.arguments, arguments).await?;
            }
        }
        Ok(actions)
    }
}
