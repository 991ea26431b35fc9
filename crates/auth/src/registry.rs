//! The in-memory cache of all projects and API Clients: they are few, and every token request needs one.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    ApiClient, Project,
    store::{ClientRow, ProjectRow},
};

/// The projects and clients of the system file. Changed only by the writer, after the commit.
#[derive(Default)]
pub(crate) struct Registry {
    projects: BTreeMap<Arc<str>, RegisteredProject>,
    by_id: HashMap<Arc<str>, Arc<ApiClient>>,
    by_serial: HashMap<i64, Arc<ApiClient>>,
}

struct RegisteredProject {
    project: Arc<Project>,
    /// By serial, so oldest first.
    clients: BTreeMap<i64, Arc<ApiClient>>,
}

impl Registry {
    pub(crate) fn projects(&self) -> impl Iterator<Item = &Arc<Project>> {
        self.projects.values().map(|entry| &entry.project)
    }

    pub(crate) fn project(&self, key: &str) -> Option<&Arc<Project>> {
        self.projects.get(key).map(|entry| &entry.project)
    }

    pub(crate) fn clients(&self, project_key: &str) -> impl Iterator<Item = &Arc<ApiClient>> {
        self.projects.get(project_key).into_iter().flat_map(|entry| entry.clients.values())
    }

    pub(crate) fn client(&self, id: &str) -> Option<&Arc<ApiClient>> {
        self.by_id.get(id)
    }

    pub(crate) fn client_by_serial(&self, serial: i64) -> Option<&Arc<ApiClient>> {
        self.by_serial.get(&serial)
    }

    /// Adds a project that is stored.
    pub(crate) fn add_project_row(&mut self, row: ProjectRow) {
        let ProjectRow { key, name, created_at_ms } = row;
        self.add_project(Arc::new(Project { key: key.into(), name, created_at_ms }));
    }

    /// Adds a stored client. A client with an unknown scope is left out: refusing one client is better than a server
    /// that does not start.
    pub(crate) fn add_client_row(&mut self, row: ClientRow) {
        let id = row.client.id.clone();
        match ApiClient::from_row(row) {
            Ok(client) => self.add_client(Arc::new(client)),
            Err(error) => {
                tracing::error!(client = id, %error, "ignored a client with an unknown scope")
            }
        }
    }

    /// Updates everything to the stored state. Unchanged clients stay the same objects.
    pub(crate) fn update(&mut self, projects: Vec<ProjectRow>, clients: Vec<ClientRow>) {
        let is_stored = |key: &str, project: &Project| {
            projects.iter().any(|row| row.key == key && row.created_at_ms == project.created_at_ms)
        };
        let gone: Vec<Arc<str>> = self
            .projects
            .iter()
            .filter(|(key, entry)| !is_stored(key, &entry.project))
            .map(|(key, _)| key.clone())
            .collect();
        gone.iter().for_each(|key| self.remove_project(key));
        for row in projects {
            if !self.projects.contains_key(&*row.key) {
                self.add_project_row(row);
            }
        }
        let serials: HashSet<i64> = clients.iter().map(|row| row.serial).collect();
        let gone: Vec<_> =
            self.by_serial.values().filter(|client| !serials.contains(&client.serial)).cloned().collect();
        gone.iter().for_each(|client| self.remove_client(client));
        for row in clients {
            match self.by_serial.get(&row.serial) {
                Some(client) => {
                    client.set_secret(row.client.secret_hash);
                    row.last_used_day.into_iter().for_each(|day| client.record_use(day));
                }
                None => self.add_client_row(row),
            }
        }
    }

    pub(crate) fn add_project(&mut self, project: Arc<Project>) {
        let key = project.key.clone();
        self.projects.entry(key).or_insert_with(|| RegisteredProject { project, clients: BTreeMap::new() });
    }

    pub(crate) fn remove_project(&mut self, key: &str) {
        let Some(entry) = self.projects.remove(key) else { return };
        for client in entry.clients.values() {
            self.invalidate(client);
        }
    }

    pub(crate) fn add_client(&mut self, client: Arc<ApiClient>) {
        if let Some(entry) = self.projects.get_mut(client.project_key()) {
            entry.clients.insert(client.serial, client.clone());
            self.by_serial.insert(client.serial, client.clone());
            self.by_id.insert(client.id.clone(), client);
        }
    }

    pub(crate) fn remove_client(&mut self, client: &ApiClient) {
        if let Some(entry) = self.projects.get_mut(client.project_key()) {
            entry.clients.remove(&client.serial);
        }
        self.invalidate(client);
    }

    /// Invalidates the client and its tokens, wherever they are still referenced.
    fn invalidate(&mut self, client: &ApiClient) {
        client.end();
        self.by_serial.remove(&client.serial);
        self.by_id.remove(&client.id);
    }
}
