//! Behaviour that an operator selects where the sources contradict each other.

use kontor_storage::{Result, Storage, Write};
use std::collections::BTreeSet;

/// The setting of a storage that holds the choices for its project.
const SETTING: &str = "choices";
/// The setting of a storage with the names of the choices that existed when its project was created.
const KNOWN_AT_CREATION: &str = "choices-known-at-creation";

/// No choices.
pub(crate) static NONE: Choices = Choices { names: BTreeSet::new(), public_url: None };

/// Behaviour that an operator can select, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The name, which is also that of the switch.
    pub name: &'static str,
    /// Whether projects have it that are older than the choice: it gives back what the platform has taken away from new
    /// projects.
    pub is_of_older_projects: bool,
}

impl Choice {
    /// Behaviour that no project has without the operator's choice.
    pub const fn new(name: &'static str) -> Self {
        Self { name, is_of_older_projects: false }
    }
}

/// Selected choices by their names, which are those of [`Behaviour::choices`](crate::Behaviour::choices). The
/// default is the first source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    names: BTreeSet<String>,
    /// The URL at which clients reach the server.
    public_url: Option<String>,
}

impl Choices {
    /// Selects these names.
    pub fn from_names(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), public_url: None }
    }

    /// Selects those that older projects have.
    pub fn of_older_projects(all: impl Iterator<Item = &'static Choice>) -> Self {
        Self::from_names(all.filter(|choice| choice.is_of_older_projects).map(|choice| choice.name))
    }

    /// Sets the URL at which clients reach the server, for links in responses.
    #[must_use]
    pub fn with_public_url(self, public_url: Option<String>) -> Self {
        Self { public_url, ..self }
    }

    /// Returns the URL at which clients reach the server, if it is known.
    pub fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// Whether a name was selected.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds other choices. Their URL has precedence.
    #[must_use]
    pub fn merge(mut self, others: &Self) -> Self {
        self.names.extend(others.names.iter().cloned());
        self.public_url = others.public_url.clone().or(self.public_url);
        self
    }

    /// Returns the choices stored for a single project, and those that it has because it is older than they are.
    pub(crate) fn load(storage: &dyn Storage, all: impl Iterator<Item = &'static Choice>) -> Result<Self> {
        let kept = storage.setting(SETTING)?.unwrap_or_default();
        let known = storage.setting(KNOWN_AT_CREATION)?.unwrap_or_default();
        let is_newer = |choice: &&Choice| !known.split_whitespace().any(|known| known == choice.name);
        let newer = all.filter(|choice| choice.is_of_older_projects).filter(is_newer);
        let newer = newer.map(|choice| choice.name.to_owned());
        Ok(Self::from_names(kept.split_whitespace().map(str::to_owned).chain(newer)))
    }

    /// Returns the write that records which choices exist when a project is created.
    pub(crate) fn known_at_creation(all: impl Iterator<Item = &'static Choice>) -> Write {
        let known: Vec<&str> = all.map(|choice| choice.name).collect();
        Write::Setting { name: KNOWN_AT_CREATION.to_owned(), value: Some(known.join(" ")) }
    }

    /// Stores these choices for a single project.
    pub(crate) fn store(&self, storage: &dyn Storage) -> Result<()> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        storage.set_setting(SETTING, (!names.is_empty()).then(|| names.join(" ")).as_deref())
    }
}
