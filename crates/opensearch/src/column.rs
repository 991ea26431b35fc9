//! Columns for sorting and facets: the values of a field in a separate field with doc values. A mapping has a
//! limited number of them; a later field has none while the index exists, and its sorts and facets use the
//! reference evaluator.

use kontor_json::{Value as Json, json};
use kontor_search::{Field, Kind, Level, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of columns of an index, on all levels.
pub(crate) const COLUMNS_MAX: usize = 900;
/// The name of the object with a document's columns.
pub(crate) const COLUMNS: &str = "columns";

/// The existing columns of an index, by level and name, e.g. `children.columns.variants/sku`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Columns(BTreeSet<String>);

/// The column of a field, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    /// The path of an existing column.
    At(String),
    /// There is none because no entry has a value of the field.
    Empty,
    /// There is none although entries may have values: the index has no room for more columns.
    Missing,
}

impl Columns {
    /// Reads the columns of a mapping.
    pub(crate) fn of_mapping(mapping: &Json) -> Self {
        let mut all = BTreeSet::new();
        for level in [Level::Root, Level::Child, Level::Grandchild] {
            let place = path(level).split('.').filter(|part| !part.is_empty());
            let properties = place
                .fold(mapping.get("properties"), |properties, part| properties?.get(part)?.get("properties"));
            let columns =
                properties.and_then(|properties| properties.get(COLUMNS)?.get("properties")?.as_object());
            all.extend(columns.into_iter().flatten().map(|(name, _)| in_level(level, name)));
        }
        Self(all)
    }

    pub(crate) fn find(&self, field: &Field) -> Column {
        let path = in_level(field.level, &name(field));
        match self.0.contains(&path) {
            true => Column::At(path),
            false if self.0.len() < COLUMNS_MAX => Column::Empty,
            false => Column::Missing,
        }
    }

    /// Returns whether a field has no column and cannot get one.
    pub(crate) fn lacks(&self, field: &Field) -> bool {
        self.find(field) == Column::Missing
    }

    /// Returns whether a field has a column.
    pub(crate) fn has(&self, field: &Field) -> bool {
        matches!(self.find(field), Column::At(_))
    }

    /// Adds a column. Returns false if there are too many, or if it exists.
    pub(crate) fn add(&mut self, field: &Field) -> bool {
        self.0.len() < COLUMNS_MAX && self.0.insert(in_level(field.level, &name(field)))
    }
}

/// Returns the name of the column of a field, without its level. OpenSearch treats dots as objects, so
/// slashes are used.
pub(crate) fn name(field: &Field) -> String {
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
pub(crate) fn mapping(kind: Kind) -> Json {
    let kind = match kind {
        Kind::Boolean | Kind::Long | Kind::Time => "long",
        Kind::Double => "double",
        Kind::Keyword | Kind::Id | Kind::Text => "keyword",
    };
    json!({"type": kind, "index": false})
}

/// Returns a value as stored in a column.
pub(crate) fn cell(value: &Value) -> Json {
    match value {
        Value::Boolean(value) => Json::from(i64::from(*value)),
        Value::Long(value) | Value::Time(value) => Json::from(*value),
        Value::Double(value) => Json::from(value + 0.0),
        Value::Text(text) => Json::from(crate::token::shortened(text)),
    }
}

/// Returns the value of a cell, or of a facet bucket.
pub(crate) fn value(kind: Kind, cell: &Json) -> Option<Value> {
    let whole = || cell.as_i64().or_else(|| cell.as_f64().map(|number| number.round() as i64));
    Some(match kind {
        Kind::Boolean => Value::Boolean(whole()? != 0),
        Kind::Long => Value::Long(whole()?),
        Kind::Time => Value::Time(whole()?),
        Kind::Double => Value::Double(cell.as_f64()?),
        Kind::Keyword | Kind::Id | Kind::Text => Value::Text(cell.as_str()?.to_owned()),
    })
}

/// Returns the path of the nested documents of a level; empty for the root.
pub(crate) fn path(level: Level) -> &'static str {
    match level {
        Level::Root => "",
        Level::Child => "children",
        Level::Grandchild => "children.grandchildren",
    }
}

/// Returns the name of a level in the documents of its nodes.
pub(crate) fn level(level: Level) -> &'static str {
    match level {
        Level::Root => "root",
        Level::Child => "child",
        Level::Grandchild => "grandchild",
    }
}

/// Returns the path of a field in the documents of a level.
pub(crate) fn at(level: Level, name: &str) -> String {
    match level {
        Level::Root => name.to_owned(),
        _ => format!("{}.{name}", path(level)),
    }
}

fn in_level(level: Level, name: &str) -> String {
    at(level, &format!("{COLUMNS}.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, level: Level) -> Field {
        Field { name: name.into(), language: Some("de-DE".into()), level, kind: Kind::Text }
    }

    #[test]
    fn a_column_is_found_in_the_mapping_that_it_was_added_to() {
        let one = field("variants.attributes.a b", Level::Child);
        assert_eq!(name(&one), "variants/attributes/a%20b@de-DE");
        let mut columns = Columns::default();
        assert_eq!(columns.find(&one), Column::Empty);
        assert!(columns.add(&one));
        let mapping = json!({"properties": {"children": {"properties": {"columns": {"properties": {name(&one): {}}}}}}});
        assert_eq!(Columns::of_mapping(&mapping), columns);
        assert_eq!(columns.find(&one), Column::At("children.columns.variants/attributes/a%20b@de-DE".into()));
    }

    #[test]
    fn there_are_so_many_columns_and_no_more() {
        let mut columns = Columns::default();
        for number in 0..COLUMNS_MAX {
            assert!(columns.add(&field(&number.to_string(), Level::Root)));
        }
        let more = field("more", Level::Root);
        assert!(!columns.add(&more));
        assert!(columns.lacks(&more));
    }
}
