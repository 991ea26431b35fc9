//! What rules work out of many documents again and again, kept for as long as none of them is another one.

use kontor_errors::{ApiError, ApiResult};
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// What was worked out last, by name.
#[derive(Default)]
pub(crate) struct WorkedOut(Mutex<HashMap<&'static str, KeptResult>>);

/// A value, and the revision of the document that stands for all that it was made of. Revisions are never used again.
struct KeptResult {
    revision: i64,
    value: Arc<dyn Any + Send + Sync>,
}

impl WorkedOut {
    /// What has a name as of a revision, made where that is not what was kept. `make` reads after the revision was read:
    /// what it makes is never older. Where it is newer, a commit that requires the revision is refused.
    pub(crate) fn as_of<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        let kept = self
            .0
            .lock()
            .get(name)
            .filter(|kept| kept.revision == revision)
            .map(|kept| Arc::clone(&kept.value));
        if let Some(kept) = kept {
            return kept.downcast().map_err(|_| ApiError::bug(format!("{name} stands for two types")));
        }
        let made = Arc::new(make()?);
        let kept = KeptResult { revision, value: Arc::clone(&made) as Arc<dyn Any + Send + Sync> };
        self.0.lock().insert(name, kept);
        Ok(made)
    }

    /// Keeps nothing of what was worked out so far: the documents were replaced, with their revisions.
    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_for_a_revision() {
        let worked_out = WorkedOut::default();
        let at = |revision: i64, value: &'static str| *worked_out.as_of("x", revision, || Ok(value)).unwrap();
        assert_eq!(at(1, "first"), "first");
        assert_eq!(at(1, "again"), "first");
        assert_eq!(at(2, "second"), "second");
        assert_eq!(at(1, "first once more"), "first once more");
        worked_out.forget();
        assert_eq!(at(1, "of another shop"), "of another shop");
    }

    #[test]
    fn what_cannot_be_made_is_not_kept() {
        let worked_out = WorkedOut::default();
        worked_out.as_of::<i32>("x", 1, || Err(ApiError::internal())).unwrap_err();
        assert_eq!(*worked_out.as_of("x", 1, || Ok(1)).unwrap(), 1);
    }
}
