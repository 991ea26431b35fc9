//! Background tasks: changes of many documents that follow from one request, a chunk in each commit, so that other
//! writers do not wait for them.
//!
//! The commit of the request also writes the state of the task, and each step writes its changes together with the next
//! state. A crash loses nothing, and a step never happens twice.

use crate::action_context::TaskProgress;
use crate::caller::Caller;
use crate::change::ChangeSet;
use crate::commit_retry::PreparedCommit;
use crate::document::{Document, must_text};
use crate::due_changes::ATTEMPTS_MAX;
use crate::effects::Effects;
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_storage::{Put, ScanDirection};
use std::ops::ControlFlow;

/// The kind under which tasks are stored. It is no kind of the model, so no API shows it.
const TASK: &str = "background-task";

impl Effects {
    /// Begins a background task of a kind, given by its `typeId`, together with the change of the request. The steps
    /// are [`Behaviour::background_step`](crate::Behaviour::background_step). The response has the status 202. A kind
    /// has one task for each id.
    pub fn begin_task(&mut self, type_id: &str, id: &str, state: Document) {
        self.put_hidden(task_put(type_id, format!("{type_id}:{id}"), state));
        self.mark_deferred();
    }
}

impl Shop {
    /// Runs background tasks, up to a maximum number of steps.
    pub(crate) fn run_background_tasks(&self, left: &mut usize) -> ApiResult<()> {
        if self.storage.count(TASK).map_err(storage_failure)? == 0 {
            return Ok(());
        }
        let mut ids = Vec::new();
        let mut collect = |id: &str| {
            ids.push(id.to_owned());
            ControlFlow::Continue(())
        };
        self.storage
            .scan(TASK, ScanDirection::Ascending, None, &mut |stored| collect(stored.id))
            .map_err(storage_failure)?;
        ids.iter().try_for_each(|id| self.run_background_task(id, left))
    }

    fn run_background_task(&self, id: &str, left: &mut usize) -> ApiResult<()> {
        let mut refused = 0;
        while *left > 0 && refused < ATTEMPTS_MAX {
            let Some(stored) = self.storage.get(TASK, id).map_err(storage_failure)? else { break };
            *left -= 1;
            match self.prepare_task_step(&FoundDocument::read(&stored)?) {
                Ok(prepared) => refused += usize::from(!self.commit_blocking(prepared)?),
                Err(error) => {
                    tracing::warn!(project = %self.key, id, %error, "background task failed");
                    break;
                }
            }
        }
        Ok(())
    }

    fn prepare_task_step(&self, task: &FoundDocument) -> ApiResult<PreparedCommit<Bytes>> {
        self.with_rules(&self.project(), |rules| {
            let type_id = must_text(&task.document, &["kind"])?;
            let kind = rules.model.kind_by_type_id(type_id);
            let behaviour = kind.and_then(|kind| rules.behaviours.get(kind));
            let step = behaviour.and_then(|behaviour| behaviour.background_step());
            let step =
                step.ok_or_else(|| ApiError::bug(format!("{type_id} has a background task without steps")))?;
            let Some(Value::Object(state)) = task.document.get("state") else {
                return Err(ApiError::bug("a background task without a state"));
            };
            let (mut state, mut effects) = (state.clone(), Effects::default());
            rules.require(task.precondition(TASK));
            match step(&mut state, rules, &mut effects)? {
                TaskProgress::Finished => effects.delete_hidden(TASK, &task.id),
                TaskProgress::Unfinished => effects.put_hidden(task_put(type_id, task.id.clone(), state)),
            }
            ChangeSet::from_changes(Vec::new()).prepare(effects, &Caller::default(), rules)
        })
    }
}

fn task_put(type_id: &str, id: String, state: Document) -> Put {
    let body = json!({"id": id, "kind": type_id, "state": state});
    Put { kind: TASK.to_owned(), id, version: 1, body: body.to_string().into(), ..Put::default() }
}
