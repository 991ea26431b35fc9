//! Validates all definitions together, after all actions of a request. Start at [`admit_definitions`].

use super::{CHANGES, RENAMED, definitions, enum_values, is_same_type, store_renames};
use crate::attribute::{AttributeRenames, definition, objects_by_name};
use crate::kinds;
use kontor_engine::document::{list, must_field, must_text, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::{AttributeConstraintEnum, AttributeLevelEnum};
use kontor_errors::{ApiError, ApiResult, Code, shortened};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Maximum nesting of sets around a nested type (reference type `AttributeSetType`).
const SETS_AROUND_NESTED_MAX: usize = 5;
/// The length of the name of an Attribute (reference type `AttributeDefinition`).
const NAME_BYTES: RangeInclusive<usize> = 2..=256;

/// Stores the renamings by the actions, for the update of Products. A name that the Product Type had before the request
/// cannot become that of another Attribute in the same request: Products could not distinguish them.
pub(super) fn keep_renamed(
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let renamed = after.shift_remove(RENAMED);
    let Some(before) = before else { return Ok(()) };
    let id = must_text(after, &["id"])?;
    let kept = rules.hidden_document(CHANGES, id)?;
    let mut changes = AttributeRenames::read(kept.as_ref().map(|kept| &*kept.document));
    let known = changes.clone();
    let renamed: Vec<Vec<&str>> = renamed
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|words| words.as_array().into_iter().flatten().filter_map(Value::as_str).collect())
        .collect();
    // Recorded of the platform: a definition is not removed and added again in one request.
    let is_in = |product_type: &Document, name: &str| definition(product_type, name).is_some();
    if let Some([again]) = renamed
        .iter()
        .find(|words| matches!(words[..], [name] if is_in(before, name) && is_in(after, name)))
        .map(|words| &words[..])
    {
        return Err(definitions::already_exists(after, again));
    }
    forget_defined_again(before, after, &mut changes)?;
    for words in renamed {
        match words[..] {
            [_, new] if definition(before, new).is_some() => return Err(reused(new)),
            [old, new] => changes.rename(old, new),
            [attribute, old, new] => changes.rename_enum_key(attribute, old, new),
            _ => {}
        }
    }
    if changes != known {
        store_renames(id, &changes, effects);
    }
    Ok(())
}

fn forget_defined_again(
    before: &Document,
    after: &Document,
    changes: &mut AttributeRenames,
) -> ApiResult<()> {
    let former = crate::attribute::definitions(before);
    for (name, current) in objects_by_name(list(after, &["attributes"])) {
        let Some(former) = former.get(name) else {
            changes.add_definition(name);
            continue;
        };
        if !is_same_type(&former["type"], &current["type"]) {
            return Err(reused(name));
        }
        let known: HashSet<&str> = enum_values::keys(&former["type"]).into_iter().collect();
        for key in enum_values::keys(&current["type"]) {
            if !known.contains(key) {
                changes.define_key(name, key);
            }
        }
    }
    Ok(())
}

fn reused(name: &str) -> ApiError {
    ApiError::invalid_operation(format!(
        "The name '{name}' belonged to another attribute definition before this request. Attributes of Products \
         follow their definitions soon after; send this change in a request of its own then."
    ))
}

/// Names differ, types are complete, and one name has one type in all Product Types.
pub(super) fn admit_definitions(
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    if before.is_some_and(|before| before.get("attributes") == after.get("attributes")) {
        return Ok(());
    }
    if let Some(Value::Array(all)) = after.get_mut("attributes") {
        for definition in all {
            // Nested Attributes are not searchable (reference type `AttributeNestedType`). The flag of a set
            // of nested Attributes is stored unchanged, as clients that ran against the platform expect;
            // searches do not find them either.
            if definition["type"]["name"] == "nested" {
                definition["isSearchable"] = json!(false);
            }
        }
    }
    let former = before.map(crate::attribute::definitions).unwrap_or_default();
    let mut seen = HashSet::new();
    for (index, definition) in list(after, &["attributes"]).iter().enumerate() {
        let name = must_field(definition, "name")?;
        if !seen.insert(name) {
            return Err(definitions::already_exists(after, name));
        }
        let place = format!("attributes[{index}]");
        admit_name(name).map_err(|error| error.with_location(&place))?;
        admit_definition(definition, &place)?;
    }
    admit_beside_other_types(&former, after, rules)
}

/// `InvalidInput` for an invalid name, like on the platform.
fn admit_name(name: &str) -> ApiResult<()> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if NAME_BYTES.contains(&name.len()) && name.chars().all(is_allowed) {
        return Ok(());
    }
    let (least, most) = (NAME_BYTES.start(), NAME_BYTES.end());
    Err(ApiError::invalid_input(format!(
        "Invalid name. It may be a string of {least} to {most} letters, digits, '_' and '-', not {}.",
        shortened(&json!(name))
    )))
}

fn admit_definition(definition: &Value, place: &str) -> ApiResult<()> {
    let constraint = &definition["attributeConstraint"];
    let name = &definition["name"];
    if *constraint != AttributeConstraintEnum::None.as_str() {
        if definition["level"] == AttributeLevelEnum::Product.as_str() {
            return Err(ApiError::invalid_operation(format!(
                "{place}.attributeConstraint: the attribute {name} has the level Product, so the constraint must \
                 be None, not {constraint}."
            )));
        }
        // For sets of nested Attributes, tests of an official client set it.
        if definition["type"]["name"] == "nested" {
            return Err(ApiError::invalid_operation(format!(
                "{place}.attributeConstraint: the attribute {name} is nested, so the constraint must be None, not \
                 {constraint}."
            )));
        }
    }
    admit_type(&definition["type"], &format!("{place}.type"))
}

/// Checks that the keys of an enum differ, and that a nested type is not in too many sets.
fn admit_type(attribute_type: &Value, place: &str) -> ApiResult<()> {
    let mut depth = 0;
    let mut inner = attribute_type;
    while inner["name"] == "set" {
        inner = &inner["elementType"];
        depth += 1;
    }
    if inner["name"] == "nested" && depth > SETS_AROUND_NESTED_MAX {
        return Err(ApiError::invalid_operation(format!(
            "{place}: at most {SETS_AROUND_NESTED_MAX} sets can stand around a nested type, found {depth}."
        )));
    }
    let (mut seen, mut reported) = (HashSet::new(), HashSet::new());
    let mut twice = enum_values::keys(inner);
    twice.retain(|key| !seen.insert(*key) && reported.insert(*key));
    if twice.is_empty() {
        return Ok(());
    }
    Err(ApiError::new(
        Code::DuplicateEnumValues,
        format!("The enum values contain duplicate keys: {}.", twice.join(", ")),
    )
    .with_field("duplicates", json!(twice)))
}

/// Checks Attributes whose name is new or whose type changed against other Product Types. Each of these is read once,
/// however many names it shares.
fn admit_beside_other_types(
    former: &HashMap<&str, &Value>,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let is_known = |(name, current): &(&str, &Value)| {
        former.get(name).is_some_and(|former| is_same_type(&former["type"], &current["type"]))
    };
    let new: Vec<(&str, &Value)> =
        objects_by_name(list(after, &["attributes"])).filter(|one| !is_known(one)).collect();
    let names: Vec<&str> = new.iter().map(|(name, _)| *name).collect();
    let others = rules.find_others_by_values(
        kinds::PRODUCT_TYPE,
        "attributes.name",
        &names,
        must_text(after, &["id"])?,
    )?;
    let mut known: HashMap<*const Document, HashMap<&str, &Value>> = HashMap::new();
    for (name, current) in new {
        for other in others.get(name).into_iter().flatten() {
            let theirs =
                known.entry(Arc::as_ptr(other)).or_insert_with(|| crate::attribute::definitions(other));
            let is_same = |theirs: &&Value| is_same_type(&theirs["type"], &current["type"]);
            if theirs.get(name).is_none_or(is_same) {
                continue;
            }
            let type_name = must_text(other, &["name"])?;
            return Err(ApiError::new(
                Code::AttributeDefinitionTypeConflict,
                format!(
                    "The attribute with name '{name}' has a different type on product type '{type_name}'."
                ),
            )
            .with_field("conflictingProductTypeId", text(other, &["id"]).map(|id| json!(id)))
            .with_field("conflictingProductTypeName", json!(type_name))
            .with_field("conflictingAttributeName", json!(name)));
        }
    }
    Ok(())
}
