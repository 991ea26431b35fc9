//! Descriptions of the metrics in `/metrics` (their `HELP` lines).

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};

/// The counter of panics of the process.
const PANICS: &str = "kontor_panics_total";

/// Counts a panic.
pub fn count_panic() {
    counter!(PANICS).increment(1);
}

/// Describes all metrics, and sets the version of the program. Call once, after the metrics recorder is installed.
pub fn describe() {
    describe_requests();
    describe_storage();
    describe_search();
    describe_memory();
    describe_counter!("kontor_graphql_reads_total", "Reads of documents that GraphQL made.");
    describe_gauge!(
        "kontor_graphql_schema_seconds",
        Unit::Seconds,
        "How long it took to build the schema of GraphQL."
    );
    describe_counter!(
        "kontor_import_operations_total",
        "Import Operations that were worked on, by project and the state that came of it."
    );
    describe_counter!(
        PANICS,
        "Panics: defects of the server, each of which ended one request or one piece of background work."
    );
    // The series must exist before the first panic, so that alerts can see it grow.
    counter!(PANICS).increment(0);
    describe_gauge!("kontor_build_info", "Always 1; the version of the program is its label.");
    gauge!("kontor_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

fn describe_requests() {
    describe_counter!("kontor_http_requests_total", "Requests that were answered, by method and status.");
    describe_histogram!(
        "kontor_http_request_duration_seconds",
        Unit::Seconds,
        "Time from a request's head to the answer's head, by method."
    );
    describe_counter!(
        "kontor_route_requests_total",
        "Requests that were answered, by route and class of status."
    );
    describe_counter!(
        "kontor_project_requests_total",
        "Requests that were answered, by project and class of status."
    );
    describe_counter!("kontor_tokens_refused_total", "Requests that were answered 401.");
}

fn describe_storage() {
    describe_histogram!(
        "kontor_commit_duration_seconds",
        Unit::Seconds,
        "Time that a transaction of one or many commits took until it was on disk, by project."
    );
    describe_counter!(
        "kontor_storage_damage_total",
        "Times that something was read from a data folder that is not as it was written, by project."
    );
    describe_histogram!(
        "kontor_commits_in_transaction",
        "Commits that shared a transaction of the database, where documents are in one"
    );
}

fn describe_search() {
    describe_histogram!(
        "kontor_search_server_seconds",
        Unit::Seconds,
        "Time that a search server took to answer a search."
    );
    describe_counter!(
        "kontor_search_indexed_total",
        "Documents that searches took in, by project and search."
    );
    describe_gauge!(
        "kontor_search_lag",
        "Changes that a search has not taken in yet, by project and search."
    );
    describe_gauge!(
        "kontor_search_built",
        "Documents that are in an index that is being built, by project and search."
    );
}

fn describe_memory() {
    describe_gauge!("kontor_memory_held_bytes", Unit::Bytes, "Memory that large responses hold at present.");
    describe_counter!(
        "kontor_memory_taken_bytes_total",
        Unit::Bytes,
        "Memory that large responses took: the most that each of them held."
    );
    describe_counter!(
        "kontor_memory_refused_total",
        "Requests that were refused because other responses held the memory."
    );
}
