//! Preserves the numbers of documents that are numbered within another, e.g. the variant ids of a product whose
//! variants are resources. The server assigns them in order; drafts have none, but lines of an export do (`"variantId":
//! 3`).
//!
//! Drafts with numbers are sent one by one per parent, lowest first. Gaps before a number are filled with temporary
//! documents, which are removed afterwards. Their keys are computed from the number, so that the next import finds
//! those of an interrupted one.

use super::draft_id::DraftIds;
use super::{ImportItem, Importer, must_not_be_server_error};
use crate::import_rules::{NUMBER, NUMBER_PARENT};
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::Kind;
use std::collections::HashMap;
use tokio::sync::Mutex;

/// The highest number seen within each parent.
#[derive(Debug, Default)]
pub(crate) struct HighestNumbers(Mutex<HashMap<Value, i64>>);

/// A temporary document that occupies a number.
pub(crate) struct NumberFiller {
    id: String,
    version: Value,
}

/// Groups items that must be sent one after the other: those with the same parent, lowest number first.
pub(super) fn groups(items: Vec<ImportItem>) -> Vec<Vec<ImportItem>> {
    let mut groups: Vec<Vec<ImportItem>> = Vec::with_capacity(items.len());
    let mut places: HashMap<Value, usize> = HashMap::new();
    for item in items {
        if item.number.is_none() {
            groups.push(vec![item]);
            continue;
        }
        let place = *places.entry(parent_of(&item)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|item| item.number);
    }
    groups
}

/// Returns the reference to the parent of a draft.
fn parent_of(item: &ImportItem) -> Value {
    item.draft[NUMBER_PARENT].clone()
}

/// Records the number of a resource, and removes the fillers before it.
pub(super) async fn settle_number(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
    found: &Value,
    mut fillers: Vec<NumberFiller>,
) -> anyhow::Result<()> {
    let (Some(number), Some(given)) = (item.number, found[NUMBER].as_i64()) else { return Ok(()) };
    let last = importer.given.0.lock().await.insert(parent_of(item), given).unwrap_or(0);
    if fillers.is_empty() {
        // An interrupted import may have left some.
        for missing in last + 1..number.min(given) {
            fillers
                .extend(find(importer, kind, &key_of(item, missing)).await?.and_then(|found| filler(&found)));
        }
    }
    remove_fillers(importer, kind, fillers).await
}

/// Removes fillers.
pub(super) async fn remove_fillers(
    importer: &Importer<'_>,
    kind: &Kind,
    fillers: Vec<NumberFiller>,
) -> anyhow::Result<()> {
    for NumberFiller { id, version } in fillers {
        if let Some(path) = importer.addresses().by_id(kind, &id) {
            let path = format!("{path}?version={version}");
            must_not_be_server_error(importer.operator.send(Method::DELETE, &path, None).await?)?;
        }
    }
    Ok(())
}

/// Creates fillers for the unused numbers before that of an item. If this fails, the item gets another number.
pub(super) async fn create_fillers(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
) -> anyhow::Result<Vec<NumberFiller>> {
    let mut fillers = Vec::new();
    let Some(number) = item.number else { return Ok(fillers) };
    let mut last = importer.given.0.lock().await.get(&parent_of(item)).copied().unwrap_or(0);
    while last + 1 < number {
        let key = key_of(item, last + 1);
        let there = match find(importer, kind, &key).await? {
            Some(found) => found,
            None => {
                let Some(path) = importer.addresses().creation_path(kind, &item.draft) else { break };
                let draft = json!({"key": key, NUMBER_PARENT: item.draft[NUMBER_PARENT]});
                let reply = importer.operator.send(Method::POST, &path, Some(&draft)).await?;
                match must_not_be_server_error(reply)?.accepted() {
                    Ok(created) => created,
                    Err(_) => break,
                }
            }
        };
        fillers.extend(filler(&there));
        match there[NUMBER].as_i64() {
            Some(given) if given > last => last = given,
            _ => break,
        }
    }
    Ok(fillers)
}

fn filler(document: &Value) -> Option<NumberFiller> {
    Some(NumberFiller { id: document["id"].as_str()?.to_owned(), version: document["version"].clone() })
}

/// Returns the key of the filler for a number.
fn key_of(item: &ImportItem, number: i64) -> String {
    let stands_for = json!({NUMBER_PARENT: item.draft[NUMBER_PARENT], NUMBER: number});
    format!("filler-{}", DraftIds::default().next(NUMBER, &stands_for))
}

async fn find(importer: &Importer<'_>, kind: &Kind, key: &str) -> anyhow::Result<Option<Value>> {
    let Some(path) = importer.addresses().by_key(kind, key) else { return Ok(None) };
    let reply = must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?;
    Ok((reply.status == 200).then_some(reply.body))
}
