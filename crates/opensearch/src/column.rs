//! Columns for sorting and facets: the values of a field in a separate field with doc values. A mapping has a
//! limited number of them; a later field has none while the index exists, and its sorts and facets use the
//! reference evaluator.

use kontor_json::{Value as Json, json};
use kontor_search::{FieldKind, FieldLevel, SearchField, SearchValue};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of columns of an index, on all levels.
pub(crate) const COLUMNS_MAX: usize = 900;
/// The name of the object with a document's columns.
pub(crate) const COLUMNS: &str = "columns";

/// The existing columns of an index, by level and name, e.g. `children.columns.variants/sku`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnSet(BTreeSet<String>);

/// The column of a field, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldColumn {
    /// The path of an existing column.
    At(String),
    /// There is none because no entry has a value of the field.
    Empty,
    /// There is none although entries may have values: the index has no room for more columns.
    Missing,
}

impl ColumnSet {
    /// Reads the columns of a mapping.
    pub(crate) fn from_mapping(mapping: &Json) -> Self {
        let mut all = BTreeSet::new();
        for level in [FieldLevel::Root, FieldLevel::Child, FieldLevel::Grandchild] {
            let place = path(level).split('.').filter(|part| !part.is_empty());
            let properties = place
                .fold(mapping.get("properties"), |properties, part| properties?.get(part)?.get("properties"));
            let columns =
                properties.and_then(|properties| properties.get(COLUMNS)?.get("properties")?.as_object());
            all.extend(columns.into_iter().flatten().map(|(name, _)| column_path(level, name)));
        }
        Self(all)
    }

    pub(crate) fn find(&self, field: &SearchField) -> FieldColumn {
        let path = column_path(field.level, &name(field));
        match self.0.contains(&path) {
            true => FieldColumn::At(path),
            false if self.0.len() < COLUMNS_MAX => FieldColumn::Empty,
            false => FieldColumn::Missing,
        }
    }

    /// Returns whether a field has no column and cannot get one.
    pub(crate) fn lacks(&self, field: &SearchField) -> bool {
        self.find(field) == FieldColumn::Missing
    }

    /// Returns whether a field has a column.
    pub(crate) fn contains(&self, field: &SearchField) -> bool {
        matches!(self.find(field), FieldColumn::At(_))
    }

    /// Adds a column. Returns false if there are too many, or if it exists.
    pub(crate) fn add(&mut self, field: &SearchField) -> bool {
        self.0.len() < COLUMNS_MAX && self.0.insert(column_path(field.level, &name(field)))
    }
}

/// Returns the name of the column of a field, without its level. OpenSearch treats dots as objects, so
/// slashes are used.
pub(crate) fn name(field: &SearchField) -> String {
    let mut name = String::new();
    let mut push = |text: &str| {
        for letter in text.chars() {
            match letter {
                '.' => name.push('/'),
                '-' | '_' => name.push(letter),
                _ if letter.is_ascii_alphanumeric() => name.push(letter),
                other => {
                    let _ = write!(name, "%{:x}", u32::from(other));
                }
            }
        }
    };
    push(&field.name);
    if let Some(language) = &field.language {
        name.push('@');
        language
            .chars()
            .for_each(|letter| name.push(if letter.is_ascii_alphanumeric() { letter } else { '-' }));
    }
    name
}

/// Returns the mapping of a column.
pub(crate) fn mapping(kind: FieldKind) -> Json {
    let kind = match kind {
        FieldKind::Boolean | FieldKind::Long | FieldKind::Time => "long",
        FieldKind::Double => "double",
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => "keyword",
    };
    json!({"type": kind, "index": false})
}

/// Returns a value as stored in a column.
pub(crate) fn cell(value: &SearchValue) -> Json {
    match value {
        SearchValue::Boolean(value) => Json::from(i64::from(*value)),
        SearchValue::Long(value) | SearchValue::Time(value) => Json::from(*value),
        SearchValue::Double(value) => Json::from(value + 0.0),
        SearchValue::Text(text) => Json::from(crate::token::truncate_text(text)),
    }
}

/// Returns the value of a cell, or of a facet bucket.
pub(crate) fn value(kind: FieldKind, cell: &Json) -> Option<SearchValue> {
    let whole = || cell.as_i64().or_else(|| cell.as_f64().map(|number| number.round() as i64));
    Some(match kind {
        FieldKind::Boolean => SearchValue::Boolean(whole()? != 0),
        FieldKind::Long => SearchValue::Long(whole()?),
        FieldKind::Time => SearchValue::Time(whole()?),
        FieldKind::Double => SearchValue::Double(cell.as_f64()?),
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => SearchValue::Text(cell.as_str()?.to_owned()),
    })
}

/// Returns the path of the nested documents of a level; empty for the root.
pub(crate) fn path(level: FieldLevel) -> &'static str {
    match level {
        FieldLevel::Root => "",
        FieldLevel::Child => "children",
        FieldLevel::Grandchild => "children.grandchildren",
    }
}

/// Returns the name of a level in the documents of its nodes.
pub(crate) fn level(level: FieldLevel) -> &'static str {
    match level {
        FieldLevel::Root => "root",
        FieldLevel::Child => "child",
        FieldLevel::Grandchild => "grandchild",
    }
}

/// Returns the path of a field in the documents of a level.
pub(crate) fn field_path(level: FieldLevel, name: &str) -> String {
    match level {
        FieldLevel::Root => name.to_owned(),
        _ => format!("{}.{name}", path(level)),
    }
}

fn column_path(level: FieldLevel, name: &str) -> String {
    field_path(level, &format!("{COLUMNS}.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, level: FieldLevel) -> SearchField {
        SearchField { name: name.into(), language: Some("de-DE".into()), level, kind: FieldKind::Text }
    }

    #[test]
    fn finds_columns_of_a_mapping() {
        let one = field("variants.attributes.a b", FieldLevel::Child);
        assert_eq!(name(&one), "variants/attributes/a%20b@de-DE");
        let mut columns = ColumnSet::default();
        assert_eq!(columns.find(&one), FieldColumn::Empty);
        assert!(columns.add(&one));
        let mapping = json!({"properties": {"children": {"properties": {"columns": {"properties": {name(&one): {}}}}}}});
        assert_eq!(ColumnSet::from_mapping(&mapping), columns);
        assert_eq!(
            columns.find(&one),
            FieldColumn::At("children.columns.variants/attributes/a%20b@de-DE".into())
        );
    }

    #[test]
    fn limits_the_number_of_columns() {
        let mut columns = ColumnSet::default();
        for number in 0..COLUMNS_MAX {
            assert!(columns.add(&field(&number.to_string(), FieldLevel::Root)));
        }
        let more = field("more", FieldLevel::Root);
        assert!(!columns.add(&more));
        assert!(columns.lacks(&more));
    }
}
