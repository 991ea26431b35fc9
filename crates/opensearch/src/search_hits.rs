//! Parses the hits in a search response of OpenSearch.

use crate::entry_json;
use crate::reference_fallback;
use kontor_json::Value as Json;
use kontor_search::{Hit, IndexRequest, SearchEntry};

/// Returns the total number of hits, and those of the page.
pub(crate) fn hits(reply: &Json, request: &IndexRequest) -> (u64, Vec<Hit>) {
    let total = reply.pointer("/hits/total/value").and_then(Json::as_u64).unwrap_or(0);
    let found = reply.pointer("/hits/hits").and_then(Json::as_array);
    let hits = found.into_iter().flatten().filter_map(|found| {
        let id = found.get("_id")?.as_str()?.to_owned();
        let score = found.get("_score").and_then(Json::as_f64).unwrap_or(0.0) as f32;
        let matching = request
            .mark_matching
            .then(|| reference_fallback::matching_children(entry(found), request.query.as_ref()));
        Some(Hit { id, score, matching })
    });
    (total, hits.collect())
}

/// Returns the stored entry of a hit, if it was requested.
pub(crate) fn entry(found: &Json) -> Option<SearchEntry> {
    entry_json::read(found.get("_id")?.as_str()?, found.pointer("/_source/entry")?)
}
