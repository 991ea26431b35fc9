//! Combines independent changes of one request into one commit, as far as they do not conflict.

use crate::commit_retry::{PreparedCommit, RetryableChange};
use crate::refusal::RefusalOutcome;
use crate::shop::Shop;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{Commit, Precondition, Put, Write};
use std::collections::{HashMap, HashSet};

/// The kind and the id of a document.
type DocumentKey = (String, String);

/// Prepared changes, combined into one commit.
struct CombinedCommit<T> {
    commit: Commit,
    kinds: Vec<KindId>,
    /// The responses, by the position of the change.
    answers: Vec<(usize, T)>,
    /// Written documents, with the position of the write.
    written: HashMap<DocumentKey, usize>,
    /// Documents in preconditions.
    relied_on: HashSet<DocumentKey>,
}

impl Shop {
    /// Makes several changes with separate results. Those without a conflict, with stored documents or with
    /// each other, share one commit; each of the others is made, or refused, alone afterwards, in order. If
    /// it is unknown whether that commit succeeded, none of its changes is repeated. `prepared` has the
    /// results of the concurrent preparations.
    pub(crate) async fn change_each<A: RetryableChange>(
        &self,
        attempts: &[A],
        prepared: Vec<ApiResult<PreparedCommit<A::ChangeResult>>>,
    ) -> Vec<ApiResult<A::ChangeResult>> {
        let mut results: Vec<Option<ApiResult<A::ChangeResult>>> = attempts.iter().map(|_| None).collect();
        let mut together = CombinedCommit::new();
        for (place, prepared) in prepared.into_iter().enumerate() {
            if let Ok(prepared) = prepared {
                together.take(place, prepared);
            }
        }
        let places: Vec<usize> = together.answers.iter().map(|(place, _)| *place).collect();
        match self.commit(together.prepared()).await {
            Ok(answers) => {
                for (place, response) in answers {
                    results[place] = Some(Ok(response));
                }
            }
            // The commit may be on disk: an action without a version would be applied twice.
            Err(RefusalOutcome::Refuse(error)) if error.status() >= 500 => {
                for place in places {
                    results[place] = Some(Err(error.clone()));
                }
            }
            Err(_) => {}
        }
        let mut all = Vec::with_capacity(attempts.len());
        for (attempt, result) in attempts.iter().zip(results) {
            all.push(match result {
                Some(result) => result,
                None => self.commit_with_retries(attempt).await,
            });
        }
        all
    }
}

impl<T> CombinedCommit<T> {
    fn new() -> Self {
        Self {
            commit: Commit::default(),
            kinds: Vec::new(),
            answers: Vec::new(),
            written: HashMap::new(),
            relied_on: HashSet::new(),
        }
    }

    /// Adds a change that neither writes what another one writes or requires, nor requires what another one
    /// writes. A rejected change is prepared again, since it has not seen the others.
    fn take(&mut self, place: usize, prepared: PreparedCommit<T>) {
        let Some((commit, kinds, response)) = prepared.into_parts() else { return };
        let relied_on: Option<Vec<DocumentKey>> =
            commit.preconditions.iter().map(required_document).collect();
        let Some(relied_on) = relied_on else { return };
        let own: Option<Vec<DocumentKey>> = commit.writes.iter().map(written_document).collect();
        let Some(own) = own else { return };
        let is_of_another = |subject: &DocumentKey, write: &Write| match self.written.get(subject) {
            // Both changes cause the same work item.
            Some(there) => !is_same(&self.commit.writes[*there], write),
            None => self.relied_on.contains(subject),
        };
        if own.iter().zip(&commit.writes).any(|(subject, write)| is_of_another(subject, write))
            || relied_on.iter().any(|subject| self.written.contains_key(subject))
        {
            return;
        }
        for (subject, write) in own.into_iter().zip(commit.writes) {
            let next = self.commit.writes.len();
            self.written.entry(subject).or_insert_with(|| {
                self.commit.writes.push(write);
                next
            });
        }
        for precondition in commit.preconditions {
            if !self.commit.preconditions.contains(&precondition) {
                self.commit.preconditions.push(precondition);
            }
        }
        self.relied_on.extend(relied_on);
        self.kinds.extend(kinds);
        self.answers.push((place, response));
    }

    fn prepared(self) -> PreparedCommit<Vec<(usize, T)>> {
        match self.commit.writes.is_empty() {
            true => PreparedCommit::without_changes(self.answers),
            false => PreparedCommit::new(self.commit, self.kinds, self.answers),
        }
    }
}

/// Returns the document of a precondition; `None` if it concerns others too.
fn required_document(precondition: &Precondition) -> Option<DocumentKey> {
    match precondition {
        Precondition::Absent { kind, id }
        | Precondition::Revision { kind, id, .. }
        | Precondition::Exists { kind, id } => Some((kind.clone(), id.clone())),
        _ => None,
    }
}

/// Returns the written document; `None` if the write is no document.
fn written_document(write: &Write) -> Option<DocumentKey> {
    match write {
        Write::Put(put) => Some((put.kind.clone(), put.id.clone())),
        Write::Delete { kind, id, .. } => Some((kind.clone(), id.clone())),
        _ => None,
    }
}

fn is_same(one: &Write, other: &Write) -> bool {
    match (one, other) {
        (
            Write::Put(Put { record: None, body: one, .. }),
            Write::Put(Put { record: None, body: other, .. }),
        ) => one == other,
        _ => false,
    }
}
