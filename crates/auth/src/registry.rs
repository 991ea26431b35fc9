//! All projects and API Clients in memory: they are few, and every token request needs one.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{Client, Project};

/// What the file says of projects and clients. Changed only by the writer, after the commit.
#[derive(Default)]
pub(crate) struct Registry {
    projects: BTreeMap<Arc<str>, Entry>,
    by_id: HashMap<Arc<str>, Arc<Client>>,
    by_serial: HashMap<i64, Arc<Client>>,
}

struct Entry {
    project: Arc<Project>,
    /// By serial, so oldest first.
    clients: BTreeMap<i64, Arc<Client>>,
}

impl Registry {
    pub(crate) fn projects(&self) -> impl Iterator<Item = &Arc<Project>> {
        self.projects.values().map(|entry| &entry.project)
    }

    pub(crate) fn project(&self, key: &str) -> Option<&Arc<Project>> {
        self.projects.get(key).map(|entry| &entry.project)
    }

    pub(crate) fn clients(&self, project_key: &str) -> impl Iterator<Item = &Arc<Client>> {
        self.projects.get(project_key).into_iter().flat_map(|entry| entry.clients.values())
    }

    pub(crate) fn client(&self, id: &str) -> Option<&Arc<Client>> {
        self.by_id.get(id)
    }

    pub(crate) fn client_by_serial(&self, serial: i64) -> Option<&Arc<Client>> {
        self.by_serial.get(&serial)
    }

    pub(crate) fn add_project(&mut self, project: Arc<Project>) {
        self.projects.insert(project.key.clone(), Entry { project, clients: BTreeMap::new() });
    }

    pub(crate) fn remove_project(&mut self, key: &str) {
        let Some(entry) = self.projects.remove(key) else { return };
        for client in entry.clients.values() {
            self.forget(client);
        }
    }

    pub(crate) fn add_client(&mut self, client: Arc<Client>) {
        if let Some(entry) = self.projects.get_mut(client.project_key()) {
            entry.clients.insert(client.serial, client.clone());
            self.by_serial.insert(client.serial, client.clone());
            self.by_id.insert(client.id.clone(), client);
        }
    }

    pub(crate) fn remove_client(&mut self, client: &Client) {
        if let Some(entry) = self.projects.get_mut(client.project_key()) {
            entry.clients.remove(&client.serial);
        }
        self.forget(client);
    }

    /// From here on the client is nobody, and so are its tokens, wherever they are still held.
    fn forget(&mut self, client: &Client) {
        client.end();
        self.by_serial.remove(&client.serial);
        self.by_id.remove(&client.id);
    }
}
