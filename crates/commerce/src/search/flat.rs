//! Indexes resources by a table of fields, plus custom fields (Orders, Customers, Business Units). Start at
//! [`FlatFieldTable`].
//!
//! Every text is also indexed in the field `all`, separately and together, so that the words of a search may
//! occur in different fields.

use super::custom::{self, CUSTOM};
use super::languages::generation;
use super::languages::indexed_languages;
use super::node::{add_value, parse_day_ms, parse_time_ms, put_localized, remove_duplicates};
use kontor_engine::document::{scalars_at, text};
use kontor_engine::{Document, IndexContent, Rules, Searchable};
use kontor_errors::ApiResult;
use kontor_json::{Value as Json, json};
use kontor_search::{
    EntryNode, Expressions, FieldKind, FieldLevel, FieldProblem, FieldRank, FieldUse, SearchEntry,
    SearchField, SearchValue, SearchableField, SearchableFields,
};
use std::sync::Arc;

/// The field that has the texts of all others.
const ALL: &str = "all";

/// The searchable fields of a resource type.
#[derive(Debug)]
pub(super) struct FlatFieldTable {
    /// Its fields, in groups.
    pub(super) columns: &'static [&'static [FlatColumn]],
    /// Additional fields with the texts of all fields with a prefix, e.g. `addresses.all` of `addresses.`.
    pub(super) groups: &'static [(&'static str, &'static str)],
    /// Whether localized custom fields can be searched.
    pub(super) localized_custom_fields: bool,
    /// Further objects with custom fields: the prefix of their names, and their path, through lists too.
    pub(super) customs: &'static [(&'static str, &'static [&'static str])],
}

/// A field of a resource.
#[derive(Debug)]
pub(super) struct FlatColumn {
    /// Its name in a search.
    pub(super) name: &'static str,
    /// The path of its values, also through lists.
    pub(super) path: &'static [&'static str],
    /// The content of the values.
    pub(super) content: ColumnContent,
}

/// The content of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnContent {
    Text,
    /// A text in languages.
    Localized,
    Keyword,
    Boolean,
    Long,
    Moment,
    Day,
}

impl FlatColumn {
    /// A column whose name is the path of its values.
    pub(super) const fn new(
        name: &'static str,
        path: &'static [&'static str],
        content: ColumnContent,
    ) -> Self {
        Self { name, path, content }
    }

    fn kind(&self) -> (FieldKind, Expressions) {
        match self.content {
            ColumnContent::Text | ColumnContent::Localized => (FieldKind::Text, Expressions::Text),
            ColumnContent::Keyword => (FieldKind::Keyword, Expressions::Keyword),
            ColumnContent::Boolean => (FieldKind::Boolean, Expressions::Boolean),
            ColumnContent::Long => (FieldKind::Long, Expressions::Ordered),
            ColumnContent::Moment | ColumnContent::Day => (FieldKind::Time, Expressions::Ordered),
        }
    }

    fn value(&self, value: &Json) -> Option<SearchValue> {
        Some(match self.content {
            ColumnContent::Localized => return None,
            ColumnContent::Text | ColumnContent::Keyword => SearchValue::Text(value.as_str()?.to_owned()),
            ColumnContent::Boolean => SearchValue::Boolean(value.as_bool()?),
            ColumnContent::Long => SearchValue::Long(value.as_i64()?),
            ColumnContent::Moment => SearchValue::Time(parse_time_ms(value.as_str()?)?),
            ColumnContent::Day => SearchValue::Time(parse_day_ms(value.as_str()?)?),
        })
    }
}

/// A field of the resource itself.
pub(super) fn field(name: &str, kind: FieldKind) -> SearchField {
    SearchField { name: Arc::from(name), language: None, level: FieldLevel::Root, kind }
}

impl FlatFieldTable {
    /// Returns the searchable fields of a project.
    pub(super) fn fields(&'static self, project: &Document) -> Arc<dyn SearchableFields> {
        Arc::new(FlatFields { table: self, languages: indexed_languages(project) })
    }

    /// The entry of a document.
    pub(super) fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        let Some(id) = text(document, &["id"]) else { return Ok(None) };
        let mut root = EntryNode::default();
        let mut groups: Vec<(SearchField, Vec<String>)> = [("", ALL)]
            .iter()
            .chain(self.groups)
            .map(|(_, name)| (field(name, FieldKind::Text), Vec::new()))
            .collect();
        let languages = indexed_languages(rules.project);
        for column in self.columns.iter().copied().flatten() {
            if column.content == ColumnContent::Localized {
                put_texts(&mut root, column, document, &languages, &mut groups[0].1);
                continue;
            }
            let mut found = Vec::new();
            if let Some((first, further)) = column.path.split_first()
                && let Some(value) = document.get(*first)
            {
                scalars_at(value, further, &mut found);
            }
            let of_column = field(column.name, column.kind().0);
            for value in found.into_iter().filter_map(|value| column.value(value)) {
                if let (ColumnContent::Text, SearchValue::Text(text)) = (column.content, &value) {
                    let prefixes = std::iter::once("").chain(self.groups.iter().map(|(prefix, _)| *prefix));
                    for (prefix, (_, texts)) in prefixes.zip(&mut groups) {
                        if column.name.starts_with(prefix) {
                            texts.push(text.clone());
                        }
                    }
                }
                add_value(&mut root, &of_column, value);
            }
        }
        custom::put_fields(&mut root, CUSTOM, document, &languages, rules)?;
        for (prefix, path) in self.customs {
            for holder in objects_at(document, path) {
                custom::put_fields(&mut root, prefix, holder, &languages, rules)?;
            }
        }
        for (of_group, texts) in groups {
            if texts.len() > 1 {
                add_value(&mut root, &of_group, SearchValue::Text(texts.join(" ")));
            }
            for text in texts {
                add_value(&mut root, &of_group, SearchValue::Text(text));
            }
        }
        remove_duplicates(&mut root);
        Ok(Some(SearchEntry { id: id.to_owned(), root }))
    }
}

/// Puts localized texts into an entry, and into the fields with the texts of all fields.
fn put_texts(
    root: &mut EntryNode,
    column: &FlatColumn,
    document: &Document,
    languages: &[Arc<str>],
    all: &mut Vec<String>,
) {
    let of_column = field(column.name, FieldKind::Text);
    for texts in objects_at(document, column.path) {
        put_localized(root, &of_column, texts, languages, |_| true);
        all.extend(texts.values().filter_map(|text| text.as_str().map(str::to_owned)));
    }
}

/// The objects at a path, through lists.
fn objects_at<'d>(document: &'d Document, path: &[&str]) -> Vec<&'d Document> {
    let mut found = vec![document];
    for step in path {
        let values = found.into_iter().filter_map(|object| object.get(*step));
        let elements = values.flat_map(|value| match value {
            Json::Array(elements) => elements.as_slice(),
            value => std::slice::from_ref(value),
        });
        found = elements.filter_map(Json::as_object).collect();
    }
    found
}

/// A search whose entries depend on their documents alone.
#[derive(Debug)]
pub(super) struct FlatSearch {
    /// See [`Searchable::name`].
    pub(super) name: &'static str,
    /// See [`Searchable::setting`].
    pub(super) setting: &'static str,
    /// See [`Searchable::kind`].
    pub(super) kind: &'static str,
    /// The update action of the Project that changes its status.
    pub(super) status_action: &'static str,
    /// The version of the conversion into entries; increase it with every change of the result.
    pub(super) code: u64,
    /// The table of searchable fields.
    pub(super) table: &'static FlatFieldTable,
}

impl Searchable for FlatSearch {
    fn name(&self) -> &'static str {
        self.name
    }

    fn setting(&self) -> &'static str {
        self.setting
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn sources(&self) -> &'static [&'static str] {
        &[]
    }

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>> {
        Ok(self.table.fields(rules.project))
    }

    fn shapes(&self) -> &'static [&'static str] {
        &[]
    }

    fn deactivation(&self) -> Json {
        json!({"action": self.status_action, "status": "Deactivated"})
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        Ok(generation(self.code, rules.project, ()))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        self.table.entry(document, rules)
    }

    fn affected_entries(
        &self,
        _: &str,
        _: &str,
        _: &Rules<'_>,
        _: &dyn IndexContent,
    ) -> ApiResult<Vec<String>> {
        Ok(Vec::new())
    }
}

struct FlatFields {
    table: &'static FlatFieldTable,
    languages: Vec<Arc<str>>,
}

impl SearchableFields for FlatFields {
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem> {
        let customs = std::iter::once(CUSTOM).chain(self.table.customs.iter().map(|(prefix, _)| *prefix));
        for prefix in customs {
            if let Some(name) = used.name.strip_prefix(prefix) {
                return custom::find(prefix, name, used, self.table.localized_custom_fields);
            }
        }
        let is_group = used.name == ALL || self.table.groups.iter().any(|(_, name)| *name == used.name);
        let (kind, expressions) = if used.name == ALL {
            (FieldKind::Text, Expressions::TextWithoutWildcard)
        } else if is_group {
            (FieldKind::Text, Expressions::Text)
        } else {
            let mut columns = self.table.columns.iter().copied().flatten();
            let column = columns.find(|column| column.name == used.name).ok_or(FieldProblem::Unknown)?;
            if column.content == ColumnContent::Localized {
                let field = SearchField {
                    language: used.language.map(Arc::from),
                    ..field(used.name, FieldKind::Text)
                };
                let (expressions, rank) = (Expressions::Text, FieldRank::Resource);
                return Ok(SearchableField { field, expressions, rank, is_localized: true });
            }
            column.kind()
        };
        Ok(SearchableField {
            field: field(used.name, kind),
            expressions,
            rank: FieldRank::Resource,
            is_localized: false,
        })
    }

    fn languages(&self) -> &[Arc<str>] {
        &self.languages
    }
}
