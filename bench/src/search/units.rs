//! Compares searches of Business Units (texts, keywords and their `all`) with a flat index of tantivy over the same
//! values.

use super::catalog::{SeededRandom, word};
use super::{BATCH, ROUNDS, SearchArguments, position, print, size_of, thread_cpu};
use crate::table::{BenchRow, BenchTarget};
use kontor_search::{
    EmbeddedIndex, EntryNode, FieldKind, FieldLevel, HitSort, IndexBatch, IndexRequest, Leaf, LeafTest,
    NodeValue, SearchEntry, SearchField, SearchIndex as _, SearchQuery, SearchValue, SortBy,
};
use std::collections::HashMap;
use std::ops::Bound;
use std::path::Path;
use std::time::{Duration, Instant};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, Query as FlatQuery, RangeQuery, RegexQuery, TermQuery};
use tantivy::schema::{FAST, IndexRecordOption, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

/// The memory budget of the flat index's writer.
const HEAP_BYTES: usize = 100_000_000;
/// The number of different words in names and addresses.
const WORDS: u64 = 8_000;
/// How long each kind of search runs.
const QUESTION_TIME: Duration = Duration::from_secs(4);
/// Fields that are also tokenized.
const TEXTS: &[&str] = &["key", "name", "contactEmail", "addresses.city", "addresses.streetName"];
const KEYWORDS: &[&str] = &["status", "unitType", "stores.key"];

fn field(name: &str) -> SearchField {
    let kind = if KEYWORDS.contains(&name) { FieldKind::Keyword } else { FieldKind::Text };
    SearchField { name: name.into(), language: None, level: FieldLevel::Root, kind }
}

/// The values of the Business Unit of a number, in one of its versions.
fn values(number: usize, version: u64) -> Vec<(&'static str, String)> {
    let chance = &mut SeededRandom::new(number as u64 + 1 + (version << 32));
    let mut next = || word(chance.skewed(WORDS));
    let (first, second, city, street) = (next(), next(), next(), next());
    vec![
        ("key", format!("unit-{number:07}")),
        ("name", format!("{first} {second}")),
        ("contactEmail", format!("office@{first}.example")),
        ("addresses.city", city),
        ("addresses.streetName", street),
        ("status", if chance.next_below(8) == 0 { "Inactive" } else { "Active" }.to_owned()),
        ("unitType", if chance.next_below(3) == 0 { "Company" } else { "Division" }.to_owned()),
        ("stores.key", format!("store-{}", chance.skewed(300))),
    ]
}

fn join_texts(values: &[(&'static str, String)]) -> String {
    let texts: Vec<&str> =
        values.iter().filter(|(name, _)| TEXTS.contains(name)).map(|(_, text)| text.as_str()).collect();
    texts.join(" ")
}

fn entry(number: usize, version: u64) -> SearchEntry {
    let values = values(number, version);
    let all = join_texts(&values);
    let node = |name: &str, text: String| NodeValue { field: field(name), value: SearchValue::Text(text) };
    // As the rules of Business Unit Search make it: each text, and all of them together.
    let mut of_root = vec![node("all", all)];
    for (name, text) in values {
        if TEXTS.contains(&name) {
            of_root.push(node("all", text.clone()));
        }
        of_root.push(node(name, text));
    }
    let id =
        format!("{:08x}-0000-4000-8000-{number:012x}", SeededRandom::new(number as u64).next_below(1 << 32));
    SearchEntry { id, root: EntryNode { label: String::new(), values: of_root, children: Vec::new() } }
}

/// A search of the flat index.
enum UnitSearch {
    Word(String),
    Prefix(String),
    Pattern(String),
    SortedByName,
}

struct FlatIndex {
    searcher: Searcher,
    schema: Schema,
}

impl FlatIndex {
    fn build(folder: &Path, size: usize) -> anyhow::Result<Self> {
        fs_err::create_dir_all(folder)?;
        let mut builder = Schema::builder();
        let mut fields = HashMap::new();
        for name in TEXTS.iter().chain(KEYWORDS).chain(&["id"]) {
            fields.insert(*name, builder.add_text_field(&name.replace('.', "_"), STRING | FAST));
        }
        let all = builder.add_text_field("all", TEXT);
        let schema = builder.build();
        let index = Index::create_in_dir(folder, schema.clone())?;
        let mut writer: IndexWriter = index.writer_with_num_threads(1, HEAP_BYTES)?;
        for number in 0..size {
            let values = values(number, 0);
            let mut document = TantivyDocument::new();
            document.add_text(all, join_texts(&values));
            document.add_text(fields["id"], number.to_string());
            for (name, text) in values {
                document.add_text(fields[name], text);
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        Ok(Self { searcher: index.reader()?.searcher(), schema })
    }

    fn search(&self, question: &UnitSearch) -> anyhow::Result<usize> {
        let term =
            |name: &str, text: &str| anyhow::Ok(Term::from_field_text(self.schema.get_field(name)?, text));
        let query: Box<dyn FlatQuery> = match question {
            UnitSearch::Word(word) => {
                Box::new(TermQuery::new(term("all", word)?, IndexRecordOption::WithFreqs))
            }
            UnitSearch::Prefix(prefix) => {
                let end = format!("{prefix}\u{10ffff}");
                let bounds = (Bound::Included(term("key", prefix)?), Bound::Excluded(term("key", &end)?));
                Box::new(RangeQuery::new(bounds.0, bounds.1))
            }
            UnitSearch::Pattern(pattern) => {
                Box::new(RegexQuery::from_pattern(pattern, self.schema.get_field("contactEmail")?)?)
            }
            UnitSearch::SortedByName => Box::new(AllQuery),
        };
        let top = TopDocs::with_limit(20);
        Ok(match question {
            UnitSearch::SortedByName => {
                let top = top.order_by_string_fast_field("name", tantivy::Order::Asc);
                self.searcher.search(&query, &(Count, top))?.0
            }
            _ => self.searcher.search(&query, &(Count, top.order_by_score()))?.0,
        })
    }
}

type UnitSearchKind = (&'static str, fn(&mut SeededRandom, usize) -> (IndexRequest, UnitSearch));

fn page(name: &str, test: LeafTest) -> IndexRequest {
    let query = SearchQuery::Leaf(Leaf { field: field(name), boost: 1.0, test });
    IndexRequest { query: Some(query), limit: 20, ..IndexRequest::default() }
}

const QUESTIONS: &[UnitSearchKind] = &[
    ("a word of all", |chance, _| {
        let text = word(chance.skewed(WORDS));
        (page("all", LeafTest::FullText { text: text.clone(), all: true }), UnitSearch::Word(text))
    }),
    ("prefix of the key", |chance, size| {
        let text = format!("unit-{:05}", chance.next_below(size.div_ceil(100) as u64));
        (
            page("key", LeafTest::Prefix { text: text.clone(), case_insensitive: false }),
            UnitSearch::Prefix(text),
        )
    }),
    ("wildcard of the contactEmail", |chance, _| {
        let middle = word(chance.skewed(WORDS));
        let pattern = format!("*@{middle}*.example");
        let flat = format!(".*@{middle}.*\\.example");
        (
            page("contactEmail", LeafTest::Wildcard { pattern, case_insensitive: false }),
            UnitSearch::Pattern(flat),
        )
    }),
    ("everything, sorted by name", |_, _| {
        let sort =
            vec![HitSort { by: SortBy::Field(field("name")), descending: false, mode: None, filter: None }];
        (IndexRequest { sort, limit: 20, ..IndexRequest::default() }, UnitSearch::SortedByName)
    }),
];

/// Measures Business Units and prints the rows.
pub(super) fn measure(arguments: &SearchArguments) -> anyhow::Result<()> {
    let size = arguments.size;
    let what = format!("{} Business Units", crate::table::thousands(size));
    let folder = arguments.folder.join("entries");
    let index = EmbeddedIndex::open(&folder)?;
    let started = Instant::now();
    for start in (0..size).step_by(BATCH) {
        let end = size.min(start + BATCH);
        let put = (start..end).map(|number| entry(number, 0)).collect();
        index.apply(IndexBatch { put, position: position(end, end == size), ..IndexBatch::default() })?;
    }
    let took = started.elapsed().as_secs_f64();
    index.apply(IndexBatch {
        put: vec![entry(0, 0)],
        position: position(size, true),
        ..IndexBatch::default()
    })?;
    // As on a server that was up for a while: merged, and the writer closed.
    std::thread::sleep(Duration::from_secs(12));
    print(&BenchRow {
        name: format!("search, {what}: entries indexed a second"),
        value: size as f64 / took,
        unit: "/s",
        target: BenchTarget::None,
        kontor: format!("{took:.1} s, {:.0} MB on disk", size_of(&folder)? as f64 / 1e6),
        comparison: "-".into(),
    })?;
    let flat = FlatIndex::build(&arguments.folder.join("flat"), size)?;
    for (name, question) in QUESTIONS {
        compare_search(&index, &flat, size, &format!("search, {what}: {name}: CPU"), *question)?;
    }
    super::updates(&index, &|number, version| entry(number, version), size, &what)
}

/// Runs one kind of search in both indexes, in turns.
fn compare_search(
    index: &EmbeddedIndex,
    flat: &FlatIndex,
    size: usize,
    what: &str,
    question: fn(&mut SeededRandom, usize) -> (IndexRequest, UnitSearch),
) -> anyhow::Result<()> {
    let mut chance = SeededRandom::new(42);
    let questions: Vec<(IndexRequest, UnitSearch)> =
        (0..ROUNDS).map(|_| question(&mut chance, size)).collect();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut passes, mut hits, mut flat_hits) = (0_u32, 0, 0);
    let begun = Instant::now();
    while passes == 0 || begun.elapsed() < QUESTION_TIME {
        let start = thread_cpu()?;
        for (request, _) in &questions {
            hits += index.search(request)?.total;
        }
        let middle = thread_cpu()?;
        for (_, question) in &questions {
            flat_hits += flat.search(question)? as u64;
        }
        ours += middle - start;
        theirs += thread_cpu()? - middle;
        passes += 1;
    }
    let requested = f64::from(passes) * ROUNDS as f64;
    let mean = |time: Duration| time.as_secs_f64() * 1e6 / requested;
    print(&BenchRow {
        name: what.to_owned(),
        value: mean(ours) / mean(theirs).max(1e-3),
        unit: "×",
        target: BenchTarget::None,
        kontor: format!("{:.0} µs CPU, {:.0} hits", mean(ours), hits as f64 / requested),
        comparison: format!("flat: {:.0} µs CPU, {:.0} hits", mean(theirs), flat_hits as f64 / requested),
    })
}
