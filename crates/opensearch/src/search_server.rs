//! The place of all indexes on an OpenSearch server, and their names.

use crate::address::SearchAddress;
use crate::client::OpenSearchClient;
use crate::index::OpenSearchIndex;
use hyper::Method;
use kontor_indexing::IndexStore;
use kontor_json::{Value as Json, json};
use kontor_search::{IndexError, SearchIndex};
use std::sync::Arc;

/// The separator between the parts of an index name, which none of them contains.
const BETWEEN: char = '~';

/// An OpenSearch server with the indexes of all projects: `PREFIX~PROJECT~SEARCH~SLOT`. `PREFIX~PROJECT~SEARCH` is an
/// alias of the published one.
pub struct SearchServer {
    server: Arc<OpenSearchClient>,
}

impl SearchServer {
    /// Creates a client of the server at an address, which need not be reachable yet.
    ///
    /// # Errors
    /// If the machine has no certificates, or threads cannot be started.
    pub fn new(address: SearchAddress) -> std::io::Result<Self> {
        Ok(Self { server: Arc::new(OpenSearchClient::new(address)?) })
    }

    /// Returns the prefix of a project's indexes. Keys of projects are valid names of indexes: both have no capital
    /// letters.
    fn project_prefix(&self, project: &str) -> String {
        format!("{}{BETWEEN}{project}", self.server.address().prefix)
    }

    fn alias(&self, project: &str, search: &str) -> String {
        format!("{}{BETWEEN}{search}", self.project_prefix(project))
    }

    fn name(&self, project: &str, search: &str, slot: &str) -> String {
        format!("{}{BETWEEN}{slot}", self.alias(project, search))
    }

    /// Returns the indexes with a prefix.
    fn names(&self, beginning: &str) -> Result<Vec<String>, IndexError> {
        let path = format!("/{beginning}{BETWEEN}*/_alias");
        let found = self.server.send_json(Method::GET, &path, None)?;
        if found.status == 404 {
            return Ok(Vec::new());
        }
        let found = found.success_body()?;
        Ok(found.as_object().into_iter().flatten().map(|(name, _)| name.to_string()).collect())
    }

    fn delete(&self, name: &str) {
        let gone = self.server.send_json(Method::DELETE, &format!("/{name}"), None);
        if let Ok(reply) = &gone
            && matches!(reply.status, 200 | 404)
        {
            return;
        }
        tracing::warn!(index = name, response = ?gone, "a search index was not removed");
    }
}

impl IndexStore for SearchServer {
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError> {
        Ok(Arc::new(OpenSearchIndex::open(Arc::clone(&self.server), self.name(project, search, slot))?))
    }

    fn slots(&self, project: &str, search: &str) -> Result<Vec<String>, IndexError> {
        let beginning = self.alias(project, search);
        let mut slots: Vec<String> = self
            .names(&beginning)?
            .iter()
            .filter_map(|name| Some(name.strip_prefix(&beginning)?.strip_prefix(BETWEEN)?.to_owned()))
            .collect();
        slots.sort_unstable();
        Ok(slots)
    }

    fn remove(&self, project: &str, search: &str, slot: &str) {
        self.delete(&self.name(project, search, slot));
    }

    fn forget(&self, project: &str) {
        match self.names(&self.project_prefix(project)) {
            Ok(names) => names.iter().for_each(|name| self.delete(name)),
            Err(error) => tracing::warn!(project, %error, "could not remove the search indexes of a project"),
        }
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn publish(&self, project: &str, search: &str, slot: &str) -> Result<(), IndexError> {
        let (alias, name) = (self.alias(project, search), self.name(project, search, slot));
        let actions = json!({"actions": [
            {"remove": {"index": format!("{alias}{BETWEEN}*"), "alias": alias, "must_exist": false}},
            {"add": {"index": name, "alias": alias}},
        ]});
        self.server.send_json(Method::POST, "/_aliases", Some(&actions))?.success_body()?;
        Ok(())
    }

    fn published(&self, project: &str, search: &str) -> Result<Option<Arc<dyn SearchIndex>>, IndexError> {
        let alias = self.alias(project, search);
        let found = self.server.send_json(Method::GET, &format!("/_alias/{alias}"), None)?;
        if found.status == 404 || found.body.as_object().is_some_and(kontor_json::Map::is_empty) {
            return Ok(None);
        }
        let _: Json = found.success_body()?;
        let index = OpenSearchIndex::existing(Arc::clone(&self.server), alias);
        index.refresh()?;
        Ok(Some(Arc::new(index)))
    }

    fn fault(&self) -> Option<String> {
        self.server.fault()
    }
}
