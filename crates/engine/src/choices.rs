//! What an operator chose where the sources leave a choice.

use kontor_storage::Result;
use kontor_storage::Storage;
use std::collections::BTreeSet;

/// The setting of a storage that holds the choices for its project.
const SETTING: &str = "choices";

/// Nothing was chosen.
pub(crate) static NONE: Choices = Choices(BTreeSet::new());

/// Choices by their names, which are those of [`Behaviour::choices`](crate::Behaviour::choices). What is not chosen is as
/// the sources say first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(BTreeSet<String>);

impl Choices {
    /// These choices.
    pub fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// Whether a choice was made.
    pub fn have(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// These choices and others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// Those that are kept for a project alone.
    pub(crate) fn kept_in(storage: &dyn Storage) -> Result<Self> {
        let kept = storage.setting(SETTING)?.unwrap_or_default();
        Ok(Self::of(kept.split_whitespace()))
    }

    /// Keeps these for a project alone.
    pub(crate) fn keep_in(&self, storage: &dyn Storage) -> Result<()> {
        let names: Vec<&str> = self.0.iter().map(String::as_str).collect();
        storage.set_setting(SETTING, (!names.is_empty()).then(|| names.join(" ")).as_deref())
    }
}
