//! Executes one search over the segments of a commit: finds entries, counts facets, sorts, and builds the hits.

use super::docs::Docs;
use super::evaluation::Evaluation;
use super::facet::{self, FoundRoots};
use super::hit_order::{SortedPlace, best_hits, page, read_words};
use super::rows::RowSet;
use super::score::Scorer;
use super::segment::IndexSegment;
use crate::{FieldLevel, Hit, IndexError, IndexRequest, MatchingChildren, SearchQuery, SearchResult};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The score of all entries if there is no query.
const EVERYTHING_FITS: f32 = 1.0;

pub(super) fn search(segments: &[IndexSegment], request: &IndexRequest) -> Result<SearchResult, IndexError> {
    let segments: Vec<Evaluation<'_>> = segments.iter().map(Evaluation::new).collect();
    let query = request.query.as_ref();
    let mut clock = StepTimer::new();
    let found = segments.iter().map(|segment| segment.find(query)).collect::<Result<Vec<Docs>, _>>()?;
    let found: Vec<FoundRoots> =
        found.into_iter().map(|docs| FoundRoots::new(docs, query.is_none())).collect();
    clock.record_step("finding");
    let facets = request.facets.iter().map(|facet| facet::compute_facet(facet, query, &segments, &found));
    let facets = facets.collect::<Result<Vec<_>, _>>()?;
    clock.record_step("facets");
    let mut kept = Vec::with_capacity(found.len());
    for (segment, found) in segments.iter().zip(found) {
        let found = found.into_docs();
        kept.push(match &request.post_filter {
            None => found,
            Some(filter) => found.intersect(&segment.find(Some(filter))?),
        });
    }
    let total = kept.iter().map(|docs| docs.count() as u64).sum();
    clock.record_step("post-filter");
    if request.limit == 0 || request.offset as u64 >= total {
        return Ok(SearchResult { total, hits: Vec::new(), facets, step_durations: clock.took });
    }
    let scorer = Scorer::new(query, &segments)?;
    let places = page_positions(&segments, kept, request, &scorer)?;
    clock.record_step("sequence");
    let hits = hits(&segments, &places, request, &scorer)?;
    clock.record_step("hits");
    Ok(SearchResult { total, hits, facets, step_durations: clock.took })
}

/// Measures the duration of each step of a search. The hits do not depend on it.
struct StepTimer {
    last: Instant,
    took: Vec<(&'static str, Duration)>,
}

impl StepTimer {
    fn new() -> Self {
        Self { last: Instant::now(), took: Vec::with_capacity(5) }
    }

    fn record_step(&mut self, step: &'static str) {
        let now = Instant::now();
        self.took.push((step, now - self.last));
        self.last = now;
    }
}

/// Returns the positions of the hits of the page.
fn page_positions(
    segments: &[Evaluation<'_>],
    kept: Vec<Docs>,
    request: &IndexRequest,
    scorer: &Scorer,
) -> Result<Vec<SortedPlace>, IndexError> {
    let query = request.query.as_ref();
    let most = request.offset.saturating_add(request.limit);
    let mut all = Vec::new();
    for (at, (segment, kept)) in segments.iter().zip(kept).enumerate() {
        all.extend(best_hits(segment, kept, &request.sort, query, scorer, most)?.map(|best| (at, best)));
    }
    page(&mut all, request.offset, request.limit)
}

/// Builds the hits at these positions, in their order.
fn hits(
    segments: &[Evaluation<'_>],
    places: &[SortedPlace],
    request: &IndexRequest,
    scorer: &Scorer,
) -> Result<Vec<Hit>, IndexError> {
    let mut hits: HashMap<SortedPlace, Hit> = HashMap::new();
    for (at, evaluation) in segments.iter().enumerate() {
        let mut roots: Vec<u32> =
            places.iter().filter(|(segment, _)| *segment == at).map(|(_, root)| *root).collect();
        roots.sort_unstable();
        let Some(ids) = evaluation.segment.words("id")?.filter(|_| !roots.is_empty()) else { continue };
        let ordinals: Vec<u64> = roots.iter().map(|root| ids.ords().first(*root).unwrap_or(0)).collect();
        let scores = match &request.query {
            Some(query) => scorer.scores(query, &roots, evaluation)?,
            None => vec![EVERYTHING_FITS; roots.len()],
        };
        let matching = match request.mark_matching {
            true => matching(evaluation, request.query.as_ref(), &roots)?,
            false => vec![None; roots.len()],
        };
        let ids = read_words(&ids, &ordinals)?;
        for (((root, id), score), matching) in roots.iter().zip(ids).zip(scores).zip(matching) {
            let id = String::from_utf8_lossy(&id).into_owned();
            hits.insert((at, *root), Hit { id, score, matching });
        }
    }
    Ok(places.iter().filter_map(|place| hits.remove(place)).collect())
}

/// Returns the matching children of each of these roots, if the request has `mark_matching`.
fn matching(
    evaluation: &Evaluation<'_>,
    query: Option<&SearchQuery>,
    roots: &[u32],
) -> Result<Vec<Option<MatchingChildren>>, IndexError> {
    let segment = evaluation.segment;
    let Some(query) = query.filter(|query| query.has_child_condition()) else {
        return Ok(vec![Some(MatchingChildren { all: true, labels: Vec::new() }); roots.len()]);
    };
    let rows = evaluation.rows(query, FieldLevel::Child, Some(roots))?;
    let labels = segment.words("label")?;
    let mut all = Vec::with_capacity(roots.len());
    for root in roots {
        let children = matching_children(segment, &rows, *root);
        let labels = match &labels {
            None => Vec::new(),
            Some(labels) => {
                let ordinals: Vec<u64> =
                    children.iter().filter_map(|child| labels.ords().first(*child)).collect();
                let words = read_words(labels, &ordinals)?;
                words.into_iter().map(|word| String::from_utf8_lossy(&word).into_owned()).collect()
            }
        };
        all.push(Some(MatchingChildren { all: false, labels }));
    }
    Ok(all)
}

fn matching_children(segment: &IndexSegment, rows: &RowSet, root: u32) -> Vec<u32> {
    let is_all = rows.docs_at(FieldLevel::Root).is_some_and(|roots| roots.contains(root));
    let matches =
        |child: u32| rows.docs_at(FieldLevel::Child).is_some_and(|matching| matching.contains(child));
    segment.children(root).filter(|child| is_all || matches(*child)).collect()
}
