//! Projects in a PostgreSQL database that several servers share, and [`PlatformStores`], which joins it with the data folder.

use crate::arguments::DataArguments;
use crate::data_folder::DataFolder;
use anyhow::Context as _;
use kontor_engine::{StorageProvider, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_opensearch::{SearchAddress, SearchServer};
use kontor_postgres::{Database, DatabaseOptions};
use kontor_storage::Storage;
use std::sync::Arc;

/// Maximum number of threads that wait for the database, in addition to those that serve sockets.
pub(crate) const WAITING_THREADS_MAX: usize = 256;

/// The stores of a platform: a data folder, and optionally a database for projects and a server for search indexes.
pub(crate) struct PlatformStores {
    pub(crate) folder: DataFolder,
    pub(crate) database: Option<Database>,
    /// The server of search indexes, unless they are in the folder.
    pub(crate) search: Option<SearchServer>,
}

impl PlatformStores {
    /// Keeps all data in a folder.
    pub(crate) fn in_folder(folder: DataFolder) -> Self {
        Self { folder, database: None, search: None }
    }

    /// Opens the stores that the flags name. With a database, a command that does not serve gets a temporary folder.
    pub(crate) fn open(arguments: &DataArguments, serves: bool) -> anyhow::Result<Self> {
        let Some(options) = &arguments.database_url else {
            return Ok(Self::in_folder(DataFolder::open(&arguments.data)?));
        };
        let folder = if serves { DataFolder::open(&arguments.data)? } else { DataFolder::temporary()? };
        Ok(Self { folder, database: Some(open(options.clone())?), search: None })
    }

    /// Moves search indexes to an OpenSearch server.
    pub(crate) fn with_search(self, address: SearchAddress) -> anyhow::Result<Self> {
        Ok(Self { search: Some(SearchServer::new(address)?), ..self })
    }
}

/// Opens a database. The error names the server, without secrets.
pub(crate) fn open(options: DatabaseOptions) -> anyhow::Result<Database> {
    let server = options.server();
    Database::open(options).with_context(|| format!("the database {server} cannot be used"))
}

/// Opens, creates and removes the storages of projects in a database.
pub(crate) struct PostgresStorages(pub(crate) Database);

impl StorageProvider for PostgresStorages {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        match self.0.has_project(key) {
            Ok(true) => Ok(Arc::new(self.0.storage(key).map_err(storage_failure)?)),
            Ok(false) => {
                tracing::error!(project = key, "a listed project has no data in the database");
                Err(ApiError::internal())
            }
            Err(error) => Err(storage_failure(error)),
        }
    }

    fn open_or_create(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        Ok(Arc::new(self.0.open_or_create(key).map_err(storage_failure)?))
    }

    fn remove(&self, key: &str) -> ApiResult<()> {
        self.0.remove(key).map_err(storage_failure)
    }
}
