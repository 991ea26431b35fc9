//! Asking, over HTTP.

use crate::answer;
use crate::destination::{Kind, kind_of, request};
use kontor_engine::document::text;
use kontor_engine::{Answering, Asked, AskedAt, Document, Question};
use kontor_errors::{ApiError, ApiResult};
use kontor_outbound::{Outbound, Outgoing, Received, Unanswered};
use kontor_storage::Storage;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// Asks the questions of rules.
pub struct Calls {
    /// `None`: no certificates are trusted here.
    outbound: Option<Outbound>,
    /// Destinations that are set may be out of reach.
    accepts_unreachable: bool,
}

impl Calls {
    /// By these requests. `accepts_unreachable`: a destination that is set is not refused since nobody is there.
    pub fn new(outbound: Option<Outbound>, accepts_unreachable: bool) -> Self {
        Self { outbound, accepts_unreachable }
    }
}

impl Asked for Calls {
    fn ask(&self, project_key: &str, storage: Arc<dyn Storage>, question: Question) -> Answering {
        let (outbound, accepts_unreachable) = (self.outbound.clone(), self.accepts_unreachable);
        let project = project_key.to_owned();
        Box::pin(async move {
            let destination = destination(&question, &*storage)?;
            if question.wants_actions {
                let started = Instant::now();
                let answered = actions(outbound.as_ref(), &question, &destination, &project).await;
                let by = text(&question.asked, &["id"]).unwrap_or_default().to_owned();
                let labels = [("project", project), ("extension", by)];
                metrics::histogram!("kontor_extension_seconds", &labels)
                    .record(started.elapsed().as_secs_f64());
                if answered.is_err() {
                    metrics::counter!("kontor_extension_failures_total", &labels).increment(1);
                }
                return answered;
            }
            received(outbound.as_ref(), &question, &destination, accepts_unreachable).await?;
            Ok(Vec::new())
        })
    }
}

/// The destination with what is secret in it.
fn destination(question: &Question, storage: &dyn Storage) -> ApiResult<Value> {
    match &question.address {
        AskedAt::Given(destination) => Ok(destination.clone()),
        AskedAt::Kept(name, shown) => {
            let kept = storage.setting(name).map_err(kontor_engine::storage_failure)?;
            Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_else(|| shown.clone()))
        }
    }
}

/// The update actions that come back.
async fn actions(
    outbound: Option<&Outbound>,
    question: &Question,
    destination: &Value,
    project: &str,
) -> ApiResult<Vec<Value>> {
    let extension: &Document = &question.asked;
    let unsent = |why: &str| {
        let id = text(extension, &["id"]).unwrap_or_default();
        tracing::warn!(project, extension = id, why, "an API Extension was not asked");
        answer::no_response(extension)
    };
    if kind_of(destination) == Kind::Cloud {
        return Err(unsent("functions of this cloud are not called yet"));
    }
    match post(outbound, request(destination, &question.body, question.patience)).await {
        Ok(received) => answer::read(extension, &received),
        Err(Unanswered::Broken) => Err(answer::broken(extension)),
        Err(Unanswered::NotAllowed) => Err(unsent(
            "it is at an address of this machine or of a private network, which --allow-private-destinations would \
             allow, or at none",
        )),
        Err(Unanswered::OutOfReach(why)) => Err(unsent(&why)),
        Err(Unanswered::TooLate) => Err(unsent("it took too long")),
    }
}

/// Whether a test notification was received.
async fn received(
    outbound: Option<&Outbound>,
    question: &Question,
    destination: &Value,
    accepts_unreachable: bool,
) -> ApiResult<()> {
    if kind_of(destination) == Kind::Cloud {
        return Ok(());
    }
    let why = match post(outbound, request(destination, &question.body, question.patience)).await {
        Ok(Received { status: 200..=299, .. }) => return Ok(()),
        Ok(Received { status, .. }) => format!("it answered {status}"),
        Err(Unanswered::NotAllowed) => "requests may not go to its address".to_owned(),
        Err(_) if accepts_unreachable => return Ok(()),
        Err(Unanswered::OutOfReach(_)) => "it is out of reach".to_owned(),
        Err(Unanswered::TooLate) => "it did not answer in time".to_owned(),
        Err(Unanswered::Broken) => "its answer broke off".to_owned(),
    };
    Err(ApiError::invalid_input(format!(
        "A test notification could not be delivered to this destination: {why}."
    )))
}

async fn post(outbound: Option<&Outbound>, outgoing: Option<Outgoing>) -> Result<Received, Unanswered> {
    match (outbound, outgoing) {
        (Some(outbound), Some(outgoing)) => outbound.post(outgoing).await,
        (None, _) => Err(Unanswered::OutOfReach("no certificates are trusted here".to_owned())),
        (_, None) => Err(Unanswered::NotAllowed),
    }
}
