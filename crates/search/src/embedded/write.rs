//! Entries as documents, and the writer that takes them.

use super::failed;
use super::schema::{CHILD, Columns, GRANDCHILD, ROOT, is_whole, key, number, whole, word};
use crate::analysis::{fold_case, terms};
use crate::{Entry, IndexError, Kind, Level, Node, NodeValue, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy, UserOperation};
use tantivy::schema::OwnedValue;
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

/// Memory for documents that are not in a segment yet: what changes of a running shop take.
const HEAP_BYTES: usize = 15_000_000;
/// The same while an index is built, when it makes segments that need less merging.
const BUILD_HEAP_BYTES: usize = 50_000_000;
/// Merged away with the rest of a segment when more than this part of it was deleted.
const DELETED_PART_MAX: f32 = 0.25;
/// So many segments of a size become one.
const MERGED_AT_ONCE: usize = 6;
/// Segments of fewer documents are of one size.
const SMALL_SEGMENT_DOCUMENTS: u32 = 20_000;
/// Larger segments stay as they are.
const MERGED_DOCUMENTS_MAX: usize = 200_000_000;
/// A writer that had nothing to do for so long is closed: its threads and memory are given back.
pub(super) const IDLE: Duration = Duration::from_secs(10);

/// A writer that is open.
pub(super) struct Writer {
    inner: IndexWriter,
    is_building: bool,
    pub(super) used: Instant,
}

impl Writer {
    pub(super) fn open(index: &Index, is_building: bool) -> Result<Self, IndexError> {
        let heap = if is_building { BUILD_HEAP_BYTES } else { HEAP_BYTES };
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1) // A second one would tear entries apart.
            .memory_budget_per_thread(heap)
            .num_merge_threads(1)
            .build();
        let inner: IndexWriter = index.writer_with_options(options).map_err(failed)?;
        inner.set_merge_policy(policy());
        Ok(Self { inner, is_building, used: Instant::now() })
    }

    /// Whether it was opened for this kind of work.
    pub(super) fn suits(&self, is_building: bool) -> bool {
        self.is_building == is_building
    }

    /// Takes the place of the entry of the same id, if there is one.
    pub(super) fn put(&mut self, entry: &Entry, columns: &Columns) -> Result<(), IndexError> {
        let mut operations = vec![UserOperation::Delete(Term::from_field_text(columns.entry, &entry.id))];
        add_node(&entry.root, Level::Root, &entry.id, columns, &mut operations);
        self.inner.run(operations).map_err(failed)?;
        Ok(())
    }

    pub(super) fn delete(&mut self, id: &str, columns: &Columns) {
        self.inner.delete_term(Term::from_field_text(columns.entry, id));
    }

    pub(super) fn commit(&mut self, payload: &str) -> Result<(), IndexError> {
        let mut commit = self.inner.prepare_commit().map_err(failed)?;
        commit.set_payload(payload);
        commit.commit().map_err(failed)?;
        self.used = Instant::now();
        Ok(())
    }

    /// Commits what completes an index, and has its segments made one: not by this thread.
    pub(super) fn commit_complete(&mut self, index: &Index, payload: &str) -> Result<(), IndexError> {
        // A merge of some segments would stand in the way of that of all.
        self.inner.set_merge_policy(Box::new(NoMergePolicy));
        self.commit(payload)?;
        let segments = index.searchable_segment_ids().map_err(failed)?;
        if segments.len() > 1 {
            drop(self.inner.merge(&segments));
        }
        self.inner.set_merge_policy(policy());
        Ok(())
    }

    /// Waits for merges, then gives everything back.
    pub(super) fn close(self) -> Result<(), IndexError> {
        self.inner.wait_merging_threads().map_err(failed)
    }
}

fn policy() -> Box<LogMergePolicy> {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_AT_ONCE);
    policy.set_min_layer_size(SMALL_SEGMENT_DOCUMENTS);
    policy.set_max_docs_before_merge(MERGED_DOCUMENTS_MAX);
    policy.set_del_docs_ratio_before_merge(DELETED_PART_MAX);
    Box::new(policy)
}

/// Adds the documents of a node: those below it first, itself last.
fn add_node(
    node: &Node,
    level: Level,
    id: &str,
    columns: &Columns,
    operations: &mut Vec<UserOperation<TantivyDocument>>,
) {
    let below = match level {
        Level::Root => Some(Level::Child),
        Level::Child => Some(Level::Grandchild),
        Level::Grandchild => None,
    };
    if let Some(below) = below {
        for child in &node.children {
            add_node(child, below, id, columns, operations);
        }
    }
    let mut document = TantivyDocument::new();
    document.add_text(columns.entry, id);
    match level {
        Level::Root => {
            document.add_u64(columns.level, ROOT);
            document.add_text(columns.id, id);
        }
        Level::Child => {
            document.add_u64(columns.level, CHILD);
            document.add_text(columns.label, &node.label);
        }
        Level::Grandchild => document.add_u64(columns.level, GRANDCHILD),
    }
    let mut values = NodeValues::default();
    for value in &node.values {
        values.add(value);
    }
    values.add_to(&mut document, columns);
    operations.push(UserOperation::Add(document));
}

/// The values of a node by key, for each field of tantivy.
#[derive(Default)]
struct NodeValues {
    whole: BTreeMap<String, Vec<OwnedValue>>,
    small: BTreeMap<String, Vec<OwnedValue>>,
    terms: BTreeMap<String, Vec<OwnedValue>>,
    numbers: BTreeMap<String, Vec<OwnedValue>>,
    lengths: BTreeMap<String, i64>,
}

impl NodeValues {
    fn add(&mut self, NodeValue { field, value }: &NodeValue) {
        let key = key(field);
        match value {
            Value::Boolean(truth) => {
                self.whole.entry(key).or_default().push(OwnedValue::Str(word(*truth).to_owned()));
            }
            Value::Text(text) if is_whole(field.kind) => {
                let folded = fold_case(text);
                if folded != text.as_str() {
                    let folded = OwnedValue::Str(whole(&folded).into_owned());
                    self.small.entry(key.clone()).or_default().push(folded);
                }
                if field.kind == Kind::Text {
                    let terms = terms(field.language.as_deref(), text);
                    let words: BTreeSet<usize> = terms.iter().map(|term| term.position).collect();
                    *self.lengths.entry(key.clone()).or_default() += words.len() as i64;
                    let terms = terms.into_iter().map(|term| OwnedValue::Str(term.text));
                    self.terms.entry(key.clone()).or_default().extend(terms);
                }
                self.whole.entry(key).or_default().push(OwnedValue::Str(whole(text).into_owned()));
            }
            Value::Text(_) => {}
            Value::Double(double) if double.is_nan() => {}
            Value::Long(_) | Value::Time(_) | Value::Double(_) => {
                if let Some(number) = number(value) {
                    self.numbers.entry(key).or_default().push(OwnedValue::I64(number));
                }
            }
        }
    }

    fn add_to(mut self, document: &mut TantivyDocument, columns: &Columns) {
        for (key, length) in self.lengths {
            self.numbers.insert(key, vec![OwnedValue::I64(length)]);
        }
        let fields = [
            (columns.whole, self.whole),
            (columns.small, self.small),
            (columns.terms, self.terms),
            (columns.numbers, self.numbers),
        ];
        for (field, values) in fields {
            if !values.is_empty() {
                let values = values.into_iter().map(|(key, values)| (key, OwnedValue::Array(values)));
                document.add_object(field, values.collect());
            }
        }
    }
}
