//! Scores entries: BM25 of texts, and the boost of other conditions. Start at [`Scorer::scores`].
//!
//! The statistics are those of the documents with the field, over all segments, so that parts of entries do
//! not count as documents without the word. A condition without terms (`exact`, `range`, …) scores its boost.

use super::evaluation::Evaluation;
use super::found_term::FoundTerm;
use super::leaf_access::LeafAccess;
use crate::{FieldLevel, IndexError, Leaf, LeafTest, SearchQuery};
use std::collections::HashMap;
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED};

/// BM25: how fast repetitions of a word stop to count.
const K1: f32 = 1.2;
/// BM25: how much the length of a text reduces its score.
const B: f32 = 0.75;

/// The statistics of a query over all segments.
pub(super) struct Scorer {
    /// The statistics by the address of the condition.
    texts: HashMap<usize, Statistics>,
}

/// The statistics of a condition on a text.
struct Statistics {
    /// The inverse document frequency of each query term.
    rarity: Vec<f32>,
    /// The mean number of terms of a text.
    length: f32,
}

impl Scorer {
    pub(super) fn new(query: Option<&SearchQuery>, segments: &[Evaluation<'_>]) -> Result<Self, IndexError> {
        let mut texts = HashMap::new();
        if let Some(query) = query {
            collect(query, segments, &mut texts)?;
        }
        Ok(Self { texts })
    }

    /// Whether all entries that match a query have the same score, so that scores need not be computed for sorting.
    pub(super) fn is_equal_for_all(query: &SearchQuery) -> bool {
        match query {
            SearchQuery::Not(_) | SearchQuery::Filter(_) => true,
            SearchQuery::Leaf(leaf) => !is_text(leaf),
            SearchQuery::And(parts) => parts.iter().all(Self::is_equal_for_all),
            // An entry may match one part or several.
            SearchQuery::Or(parts) => parts.len() < 2 && parts.iter().all(Self::is_equal_for_all),
        }
    }

    /// Returns the scores of matching entries, given as a sorted list of roots.
    pub(super) fn scores(
        &self,
        query: &SearchQuery,
        roots: &[u32],
        segment: &Evaluation<'_>,
    ) -> Result<Vec<f32>, IndexError> {
        let mut scores = vec![0.0; roots.len()];
        match query {
            SearchQuery::Not(_) | SearchQuery::Filter(_) => {}
            SearchQuery::And(parts) => {
                for part in parts {
                    for (score, more) in scores.iter_mut().zip(self.scores(part, roots, segment)?) {
                        *score += more;
                    }
                }
            }
            SearchQuery::Or(parts) => {
                for part in parts {
                    if matches!(part, SearchQuery::Leaf(leaf) if is_text(leaf)) {
                        for (score, more) in scores.iter_mut().zip(self.scores(part, roots, segment)?) {
                            *score += more;
                        }
                        continue;
                    }
                    let fitting =
                        segment.rows(part, FieldLevel::Root, Some(roots))?.into_roots(segment.segment);
                    let at: Vec<usize> = (0..roots.len()).filter(|at| fitting.contains(roots[*at])).collect();
                    let fitting: Vec<u32> = at.iter().map(|at| roots[*at]).collect();
                    for (at, more) in at.into_iter().zip(self.scores(part, &fitting, segment)?) {
                        scores[at] += more;
                    }
                }
            }
            SearchQuery::Leaf(leaf) if is_text(leaf) => self.text(leaf, roots, segment, &mut scores)?,
            SearchQuery::Leaf(leaf) => scores.fill(leaf.boost),
        }
        Ok(scores)
    }

    fn text(
        &self,
        leaf: &Leaf,
        roots: &[u32],
        evaluation: &Evaluation<'_>,
        scores: &mut [f32],
    ) -> Result<(), IndexError> {
        let Some(statistics) = self.texts.get(&std::ptr::from_ref(leaf).addr()) else { return Ok(()) };
        let segment = evaluation.segment;
        let access = evaluation.access(leaf)?;
        let (LeafAccess::Terms { groups, .. }, Some(lengths)) = (&*access, segment.lengths(&leaf.field)?)
        else {
            return Ok(());
        };
        let kept = segment.level_lengths(&leaf.field, &lengths)?;
        let length = |doc: u32| match &kept {
            Some(kept) => {
                kept.of_node(&segment.shape, doc).first().map_or(0, |far| kept.least + i64::from(*far))
            }
            None => lengths.column.first(doc).unwrap_or(0),
        };
        for (group, rarity) in groups.iter().zip(&statistics.rarity) {
            let mut best = vec![0.0_f32; roots.len()];
            for found in group {
                let weight = leaf.boost * rarity * found.weight;
                each_posting(found, roots, evaluation, |at, doc, frequency| {
                    let worth = weight * saturation(frequency, length(doc) as f32, statistics.length);
                    best[at] = best[at].max(worth);
                })?;
            }
            for (score, best) in scores.iter_mut().zip(best) {
                *score += best;
            }
        }
        Ok(())
    }
}

fn saturation(frequency: u32, length: f32, mean: f32) -> f32 {
    let frequency = frequency as f32;
    (frequency * (K1 + 1.0)) / (frequency + K1 * (1.0 - B + B * length / mean.max(1.0)))
}

/// Calls `each` for the postings of one of the roots, with the index of the root in the list.
fn each_posting(
    found: &FoundTerm,
    roots: &[u32],
    evaluation: &Evaluation<'_>,
    mut each: impl FnMut(usize, u32, u32),
) -> Result<(), IndexError> {
    let mut postings = found.postings(IndexRecordOption::WithFreqs)?;
    let segment = evaluation.segment;
    let leaps = roots.len() * 8 < found.term.doc_freq as usize;
    for (at, root) in roots.iter().enumerate() {
        let begin = segment.first_below(FieldLevel::Root, *root);
        if postings.doc() < begin {
            if leaps {
                postings.seek(begin);
            } else {
                while postings.doc() < begin {
                    postings.advance();
                }
            }
        }
        while postings.doc() <= *root {
            each(at, postings.doc(), postings.term_freq());
            postings.advance();
        }
        if postings.doc() == TERMINATED {
            break;
        }
    }
    Ok(())
}

fn is_text(leaf: &Leaf) -> bool {
    matches!(leaf.test, LeafTest::FullText { .. } | LeafTest::FullTextPrefix { .. } | LeafTest::Fuzzy { .. })
}

fn collect(
    query: &SearchQuery,
    segments: &[Evaluation<'_>],
    texts: &mut HashMap<usize, Statistics>,
) -> Result<(), IndexError> {
    match query {
        SearchQuery::Not(_) | SearchQuery::Filter(_) => {}
        SearchQuery::And(parts) | SearchQuery::Or(parts) => {
            for part in parts {
                collect(part, segments, texts)?;
            }
        }
        SearchQuery::Leaf(leaf) if is_text(leaf) => {
            let mut frequencies: Vec<u64> = Vec::new();
            let (mut documents, mut terms) = (0, 0);
            for segment in segments {
                if let Some(lengths) = segment.segment.lengths(&leaf.field)? {
                    documents += lengths.documents;
                    terms += lengths.terms;
                }
                if let LeafAccess::Terms { groups, .. } = &*segment.access(leaf)? {
                    frequencies.resize(frequencies.len().max(groups.len()), 0);
                    for (sum, group) in frequencies.iter_mut().zip(groups) {
                        *sum += group.iter().map(|found| u64::from(found.term.doc_freq)).max().unwrap_or(0);
                    }
                }
            }
            let rarity = |frequency: u64| {
                let (all, with) = (documents as f32, frequency.min(documents) as f32);
                (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
            };
            let statistics = Statistics {
                rarity: frequencies.into_iter().map(rarity).collect(),
                length: terms as f32 / (documents as f32).max(1.0),
            };
            texts.insert(std::ptr::from_ref(leaf).addr(), statistics);
        }
        SearchQuery::Leaf(_) => {}
    }
    Ok(())
}
