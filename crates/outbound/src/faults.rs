//! Fault injection for tests: the next requests to an address fail, are delayed, or are cut off.

use parking_lot::Mutex;
use std::time::Duration;

/// The fault of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboundFault {
    /// The request is not sent; its response has this status.
    Status(u16),
    /// The request is sent after this delay.
    Delay(Duration),
    /// The request is not sent, as if the server were unreachable.
    Disconnect,
    /// Sending the request panics, like a defect of the server.
    Panic,
}

/// The faults for requests to come.
#[derive(Debug, Default)]
pub struct OutboundFaults(Mutex<Vec<PendingFault>>);

#[derive(Debug)]
struct PendingFault {
    project: String,
    /// An address, or the start of addresses with a `*` at the end.
    url: String,
    fault: OutboundFault,
    times: u64,
}

impl OutboundFaults {
    /// Adds a fault for the next `times` requests to an address; a `*` at its end matches any rest. Returns the
    /// number of faults in the project.
    pub fn add(&self, project: &str, url: &str, fault: OutboundFault, times: u64) -> usize {
        let mut all = self.0.lock();
        all.push(PendingFault { project: project.to_owned(), url: url.to_owned(), fault, times });
        all.iter().filter(|waiting| waiting.project == project).count()
    }

    /// Removes the faults of a project.
    pub fn forget(&self, project: &str) {
        self.0.lock().retain(|waiting| waiting.project != project);
    }

    /// Takes the next fault for a request to an address. A request of a project meets only the faults of this project,
    /// a request of the server itself (`None`) those of all.
    pub(crate) fn take(&self, project: Option<&str>, url: &str) -> Option<OutboundFault> {
        let mut all = self.0.lock();
        let position = all.iter().position(|waiting| {
            project.is_none_or(|project| waiting.project == project) && waiting.applies_to(url)
        })?;
        all[position].times -= 1;
        if all[position].times > 0 {
            return Some(all[position].fault.clone());
        }
        Some(all.remove(position).fault)
    }
}

impl PendingFault {
    fn applies_to(&self, url: &str) -> bool {
        match self.url.strip_suffix('*') {
            Some(start) => url.starts_with(start),
            None => self.url == url,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injects_a_fault_the_given_times() {
        let faults = OutboundFaults::default();
        assert_eq!(faults.add("shop", "http://a.b/c*", OutboundFault::Status(500), 2), 1);
        assert_eq!(faults.add("shop", "http://a.b/d", OutboundFault::Disconnect, 1), 2);
        faults.add("other", "http://a.b/e", OutboundFault::Disconnect, 1);
        assert_eq!(faults.take(None, "http://a.b/x"), None);
        assert_eq!(faults.take(None, "http://a.b/c/1"), Some(OutboundFault::Status(500)));
        assert_eq!(faults.take(None, "http://a.b/c"), Some(OutboundFault::Status(500)));
        assert_eq!(faults.take(None, "http://a.b/c"), None);
        faults.forget("shop");
        assert_eq!(faults.take(None, "http://a.b/d"), None);
        assert_eq!(faults.take(None, "http://a.b/e"), Some(OutboundFault::Disconnect));
    }

    #[test]
    fn a_request_meets_the_faults_of_its_own_project() {
        let faults = OutboundFaults::default();
        faults.add("shop", "http://a.b/*", OutboundFault::Status(500), 1);
        assert_eq!(faults.take(Some("other"), "http://a.b/c"), None);
        assert_eq!(faults.take(Some("shop"), "http://a.b/c"), Some(OutboundFault::Status(500)));
    }
}
