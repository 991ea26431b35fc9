//! Shrinks a failing request, so that the report shows only what matters.

use kontor_search::{IndexRequest, SearchQuery};

/// Returns requests that are a little smaller.
pub(crate) fn smaller(request: &IndexRequest) -> Vec<IndexRequest> {
    let mut all = Vec::new();
    let with = |change: &dyn Fn(&mut IndexRequest)| {
        let mut smaller = request.clone();
        change(&mut smaller);
        smaller
    };
    for index in 0..request.facets.len() {
        all.push(with(&|smaller| {
            smaller.facets.remove(index);
        }));
        for filter in less(request.facets[index].filter.as_ref()) {
            all.push(with(&|smaller| smaller.facets[index].filter = filter.clone()));
        }
    }
    for index in 0..request.sort.len() {
        all.push(with(&|smaller| {
            smaller.sort.remove(index);
        }));
        for filter in less(request.sort[index].filter.as_ref()) {
            all.push(with(&|smaller| smaller.sort[index].filter = filter.clone()));
        }
    }
    all.extend(
        less(request.query.as_ref()).into_iter().map(|query| with(&|smaller| smaller.query = query.clone())),
    );
    let filters = less(request.post_filter.as_ref()).into_iter();
    all.extend(filters.map(|filter| with(&|smaller| smaller.post_filter = filter.clone())));
    all.push(with(&|smaller| smaller.mark_matching = false));
    all.push(with(&|smaller| (smaller.offset, smaller.limit) = (0, 1000)));
    all.retain(|smaller| smaller != request);
    all
}

fn less(query: Option<&SearchQuery>) -> Vec<Option<SearchQuery>> {
    let Some(query) = query else { return Vec::new() };
    std::iter::once(None).chain(parts(query).into_iter().map(Some)).collect()
}

/// Returns queries with one part less, with a single part, or with a smaller part.
fn parts(query: &SearchQuery) -> Vec<SearchQuery> {
    let (SearchQuery::And(parts)
    | SearchQuery::Or(parts)
    | SearchQuery::Not(parts)
    | SearchQuery::Filter(parts)) = query
    else {
        return Vec::new();
    };
    let make = |parts| match query {
        SearchQuery::Or(_) => SearchQuery::Or(parts),
        SearchQuery::Not(_) => SearchQuery::Not(parts),
        SearchQuery::Filter(_) => SearchQuery::Filter(parts),
        SearchQuery::And(_) | SearchQuery::Leaf(_) => SearchQuery::And(parts),
    };
    let mut all = parts.to_vec();
    for index in 0..parts.len() {
        let mut fewer = parts.to_vec();
        fewer.remove(index);
        all.push(make(fewer));
        for smaller in self::parts(&parts[index]) {
            let mut changed = parts.to_vec();
            changed[index] = smaller;
            all.push(make(changed));
        }
    }
    all
}
