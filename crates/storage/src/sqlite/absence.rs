//! Checks after a lookup that found nothing: a flipped bit in an index may have hidden the document.
//!
//! An index row with a damaged value stays between its former neighbours, so a lookup that it misleads ends next to it.
//! The checks compare the two rows around that place with the documents that they name. This finds damage in the leaves
//! of an index, nearly all of its pages; `verify` finds the rest.

use rusqlite::{Connection, OptionalExtension as _, Row, types::Value};

use super::{
    checksum::damaged_row, entries, index_reads::NumberedPath, name_number::NameNumber, row_cache::RowState,
};
use crate::Result;

/// Comparison and order of the rows after and before a place, and whether all columns are compared. If only the last
/// column is compared, SQLite returns the neighbouring row unchecked, but stops at the next kind. If all columns are
/// compared, it checks each row again, and skips a row whose value became smaller while it looks for greater ones. So
/// both forms are needed.
const SIDES: [(&str, &str, bool); 4] =
    [(">", "ASC", false), ("<", "DESC", false), (">", "ASC", true), ("<", "DESC", true)];

/// Fails if an index row next to the place of a document that was not found differs from its own document: the row may
/// hide the document.
pub(super) fn check_document(connection: &Connection, kind: NameNumber, id: &str) -> Result<()> {
    for (comparison, sort, by_all) in SIDES {
        let condition = if by_all {
            format!("(kind, id) {comparison} (?1, ?2)")
        } else {
            format!("kind = ?1 AND id {comparison} ?2")
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT i.kind, i.id, d.kind, d.id
             FROM (SELECT number, kind, id FROM documents INDEXED BY documents_by_id
                   WHERE {condition} ORDER BY kind {sort}, id {sort} LIMIT 1) i
             LEFT JOIN documents d ON d.number = i.number"
        ))?;
        let mut rows = statement.query((kind, id))?;
        let Some(row) = rows.next()? else { continue };
        let row: [Value; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        let [kind_in_index, id_in_index, kind_of_document, id_of_document] = row;
        if (&kind_in_index, &id_in_index) != (&kind_of_document, &id_of_document) {
            let id = if let Value::Text(id) = &id_of_document { id } else { id };
            return Err(damaged_row("index row of the document", kind, id));
        }
    }
    Ok(())
}

/// Fails if a row next to the place of a unique key that was not found differs from its document, or if the key names a
/// document that does not exist.
pub(super) fn check_unique(connection: &Connection, numbered_path: NumberedPath, value: &str) -> Result<()> {
    let NumberedPath { kind, path } = numbered_path;
    let mut lost = connection.prepare_cached(
        "SELECT u.id FROM unique_keys u LEFT JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ?1 AND u.path = ?2 AND u.value = ?3 AND d.id IS NULL",
    )?;
    let id: Option<String> = lost.query_row((kind, path, value), |row| row.get(0)).optional()?;
    if let Some(id) = id {
        return Err(damaged_row("unique key of the document", kind, &id));
    }
    for (comparison, sort, by_all) in SIDES {
        let condition = if by_all {
            format!("(kind, path, value) {comparison} (?1, ?2, ?3)")
        } else {
            format!("kind = ?1 AND path = ?2 AND value {comparison} ?3")
        };
        // One statement, so that key and document come from one snapshot.
        let mut statement = connection.prepare_cached(&format!(
            "SELECT d.number, d.version, d.revision, d.entries, d.record, d.sum, u.kind, u.path, u.value, u.id
             FROM (SELECT kind, path, value, id FROM unique_keys WHERE {condition}
                   ORDER BY kind {sort}, path {sort}, value {sort} LIMIT 1) u
             LEFT JOIN documents d ON d.kind = u.kind AND d.id = u.id"
        ))?;
        let mut rows = statement.query((kind, path, value))?;
        let Some(row) = rows.next()? else { continue };
        if !has_own_key(row).unwrap_or(false) {
            let id: String = row.get(9).unwrap_or_default();
            return Err(damaged_row("unique key of the document", kind, &id));
        }
    }
    Ok(())
}

/// Returns whether the document of a row of `unique_keys` has that key.
fn has_own_key(row: &Row<'_>) -> Result<bool> {
    let (kind, path): (NameNumber, NameNumber) = (row.get(6)?, row.get(7)?);
    let text = |column| row.get_ref(column).and_then(|value| Ok(value.as_str()?));
    let (value, id) = (text(8)?, text(9)?);
    let head = RowState::from_row(row, kind, id)?;
    Ok(head.is_some_and(|head| entries::has_unique(&head.entries, path, value)))
}
