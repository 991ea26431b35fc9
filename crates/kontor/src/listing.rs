//! Lists as commands print them: a line each under a line of names, or JSON.

use crate::arguments::ListArguments;
use kontor_json::Value;
use std::io::Write;

/// Prints fields of documents, tab by tab, or the documents.
pub(crate) fn print(
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
        let columns: Vec<String> = fields.iter().map(|field| column(document, field)).collect();
        writeln!(out, "{}", columns.join("\t"))?;
    }
    Ok(())
}

/// A field in one column of a line.
pub(crate) fn column(document: &Value, field: &str) -> String {
    match &document[field] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.replace(['\t', '\n', '\r'], " "),
        other => other.to_string(),
    }
}
