//! Prints lists of resources: tab-separated columns under a header line, or JSON.

use crate::arguments::ListArguments;
use kontor_json::Value;
use std::io::Write;

/// Prints the `fields` of the documents in columns, or the whole documents as JSON.
pub(crate) fn print_list(
    out: &mut impl Write,
    documents: &Value,
    fields: &[&str],
    shown: &ListArguments,
) -> anyhow::Result<()> {
    if shown.json {
        writeln!(out, "{documents:#}")?;
        return Ok(());
    }
    writeln!(out, "{}", fields.join("\t"))?;
    for document in documents.as_array().into_iter().flatten() {
        let columns: Vec<String> = fields.iter().map(|field| column_text(document, field)).collect();
        writeln!(out, "{}", columns.join("\t"))?;
    }
    Ok(())
}

/// Returns a field as the text of one column: `-` if it is missing, and without tabs and line breaks.
pub(crate) fn column_text(document: &Value, field: &str) -> String {
    match &document[field] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.replace(['\t', '\n', '\r'], " "),
        other => other.to_string(),
    }
}
