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
    describe_counter!(
        "kontor_graphql_reads_total",
        "Reads of documents by GraphQL queries, one for each level and kind."
    );
    describe_gauge!(
        "kontor_graphql_schema_seconds",
        Unit::Seconds,
        "Time that deriving the GraphQL schema took."
    );
    describe_counter!(
        "kontor_import_operations_total",
        "Processed Import Operations, by project and resulting state."
    );
    describe_counter!(
        PANICS,
        "Panics: bugs of the server, each of which ended one request or one background task."
    );
    // The series must exist before the first panic, so that alerts can see it grow.
    counter!(PANICS).increment(0);
    describe_gauge!("kontor_build_info", "Always 1; its label is the version of the program.");
    gauge!("kontor_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

fn describe_requests() {
    describe_counter!("kontor_http_requests_total", "Requests with a response, by method and status.");
    describe_histogram!(
        "kontor_http_request_duration_seconds",
        Unit::Seconds,
        "Time from the head of a request to the head of its response, by method."
    );
    describe_counter!("kontor_route_requests_total", "Requests with a response, by route and status class.");
    describe_counter!(
        "kontor_project_requests_total",
        "Requests with a response, by project and status class."
    );
    describe_counter!("kontor_tokens_refused_total", "Responses with the status 401.");
}

fn describe_storage() {
    describe_histogram!(
        "kontor_commit_duration_seconds",
        Unit::Seconds,
        "Time that a transaction of one or several commits took until it was on disk, by project."
    );
    describe_counter!(
        "kontor_storage_damage_total",
        "Reads that found damaged data in a data folder, by project."
    );
    describe_histogram!(
        "kontor_commits_in_transaction",
        "Commits that shared one transaction of the database (PostgreSQL)."
    );
}

fn describe_search() {
    describe_histogram!(
        "kontor_search_server_seconds",
        Unit::Seconds,
        "Time that the search server took for a search."
    );
    describe_counter!("kontor_search_indexed_total", "Documents that were indexed, by project and search.");
    describe_gauge!("kontor_search_lag", "Changes that are not indexed yet, by project and search.");
    describe_gauge!(
        "kontor_search_built",
        "Documents in an index that is being built, by project and search."
    );
}

fn describe_memory() {
    describe_gauge!("kontor_memory_held_bytes", Unit::Bytes, "Memory that large responses hold.");
    describe_counter!(
        "kontor_memory_taken_bytes_total",
        Unit::Bytes,
        "Memory that large responses took: the sum of their maximums."
    );
    describe_counter!(
        "kontor_memory_refused_total",
        "Requests that were rejected because other responses held the memory."
    );
}
