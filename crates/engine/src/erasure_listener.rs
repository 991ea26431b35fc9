//! The trait of listeners for erasures of personal data.

/// A memory of requests and deliveries outside the storage, e.g. a log.
pub trait ErasureListener: Send + Sync {
    /// Forgets everything about a resource of a project. Called after the deletion with `dataErasure` is on disk; on a
    /// shared database also when another server has made it.
    fn erase(&self, project_key: &str, id: &str);

    /// Forgets everything about a project that was removed.
    fn delete_project(&self, project_key: &str);
}
