//! A flat index of tantivy: one document a product, with the values of its variants and prices in lists. It cannot say
//! which price belongs to which variant; it shows what a search costs without that.

use super::catalog::Catalog;
use kontor_search::SearchValue;
use std::collections::HashMap;
use std::path::Path;
use tantivy::aggregation::AggregationCollector;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

/// The memory budget of the writer.
const HEAP_BYTES: usize = 100_000_000;

pub(super) struct Flat {
    searcher: Searcher,
    fields: HashMap<&'static str, Field>,
}

/// A search of the flat index.
#[derive(Default)]
pub(super) struct FlatIndexSearch {
    pub(super) text: Option<String>,
    pub(super) category: Option<String>,
    pub(super) cents_below: Option<i64>,
    pub(super) facets: bool,
    pub(super) sort_by_cents: bool,
    pub(super) offset: usize,
}

impl Flat {
    pub(super) fn build(folder: &Path, catalog: &Catalog, size: usize) -> anyhow::Result<Self> {
        fs_err::create_dir_all(folder)?;
        let mut schema = Schema::builder();
        let mut fields = HashMap::new();
        for name in ["id", "categories", "attributes.brand", "variants.attributes.color", "variants.sku"] {
            fields.insert(name, schema.add_text_field(&name.replace('.', "_"), STRING | FAST));
        }
        for name in ["name", "description"] {
            fields.insert(name, schema.add_text_field(name, TEXT));
        }
        for name in ["createdAt", "variants.prices.centAmount"] {
            fields.insert(name, schema.add_i64_field(&name.replace('.', "_"), INDEXED | FAST));
        }
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer: IndexWriter = index.writer_with_num_threads(1, HEAP_BYTES)?;
        for number in 0..size {
            let entry = catalog.entry(number, 0);
            let mut document = TantivyDocument::new();
            document.add_text(fields["id"], &entry.id);
            let children = entry.root.children.iter();
            let grandchildren = children.clone().flat_map(|child| &child.children);
            for node in [&entry.root].into_iter().chain(children).chain(grandchildren) {
                for value in &node.values {
                    let Some(field) = fields.get(&*value.field.name) else { continue };
                    match &value.value {
                        SearchValue::Text(text) => document.add_text(*field, text),
                        SearchValue::Long(number) | SearchValue::Time(number) => {
                            document.add_i64(*field, *number)
                        }
                        SearchValue::Boolean(_) | SearchValue::Double(_) => {}
                    }
                }
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        Ok(Self { searcher: index.reader()?.searcher(), fields })
    }

    /// Returns the number of hits. Reads the ids of a page of 20.
    pub(super) fn search(&self, question: &FlatIndexSearch) -> anyhow::Result<usize> {
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut must = |term: Term, record| {
            parts.push((Occur::Must, Box::new(TermQuery::new(term, record)) as Box<dyn Query>));
        };
        if let Some(text) = &question.text {
            must(Term::from_field_text(self.fields["name"], text), IndexRecordOption::WithFreqs);
        }
        if let Some(category) = &question.category {
            must(Term::from_field_text(self.fields["categories"], category), IndexRecordOption::Basic);
        }
        if let Some(most) = question.cents_below {
            let field = self.fields["variants.prices.centAmount"];
            let end = std::ops::Bound::Excluded(Term::from_field_i64(field, most));
            parts.push((Occur::Must, Box::new(RangeQuery::new(std::ops::Bound::Unbounded, end))));
        }
        let query: Box<dyn Query> = match parts.is_empty() {
            true => Box::new(tantivy::query::AllQuery),
            false => Box::new(BooleanQuery::new(parts)),
        };
        let top = TopDocs::with_limit(20).and_offset(question.offset);
        let (found, places): (usize, Vec<tantivy::DocAddress>) = if question.sort_by_cents {
            let top = top.order_by_fast_field::<i64>("variants_prices_centAmount", tantivy::Order::Asc);
            let (count, top) = self.searcher.search(&query, &(Count, top))?;
            (count, top.into_iter().map(|(_, place)| place).collect())
        } else if question.facets {
            let facet = |field: &str| kontor_json::json!({"terms": {"field": field, "size": 10}});
            let facets: Aggregations = kontor_json::from_value(kontor_json::json!({
                "brand": facet("attributes_brand"),
                "color": facet("variants_attributes_color"),
                "category": facet("categories"),
            }))?;
            let facets = AggregationCollector::from_aggs(facets, Default::default());
            let (count, top, _) = self.searcher.search(&query, &(Count, top.order_by_score(), facets))?;
            (count, top.into_iter().map(|(_, place)| place).collect())
        } else {
            let (count, top) = self.searcher.search(&query, &(Count, top.order_by_score()))?;
            (count, top.into_iter().map(|(_, place)| place).collect())
        };
        let mut id = String::new();
        for place in places {
            let reader = self.searcher.segment_reader(place.segment_ord);
            if let Some(ids) = reader.fast_fields().str("id")? {
                ids.ord_to_str(ids.ords().first(place.doc_id).unwrap_or(0), &mut id)?;
            }
        }
        Ok(found)
    }
}
