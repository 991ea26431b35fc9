//! The query parameter that selects Attributes: `filter[attributes]=colour`, or all but some:
//! `filter[attributes]=-colour`.

use crate::variant_list::variants_mut;
use kontor_engine::document::field_or_log;
use kontor_engine::{Document, ViewOptions};
use kontor_json::Value;

/// Removes the Attributes that are not requested, from the Product and its variants.
pub(crate) fn filter(document: &mut Document, view_options: &ViewOptions) {
    let (excluded, included): (Vec<&str>, Vec<&str>) =
        view_options.parameters("filter[attributes]").partition(|name| name.starts_with('-'));
    if included.is_empty() && excluded.is_empty() {
        return;
    }
    // Inclusion takes precedence (reference trait `attributeFiltering`).
    let stays = |attribute: &Value| {
        let name = field_or_log(attribute, "name");
        (included.is_empty() || included.contains(&name))
            && !excluded.iter().any(|excluded| excluded.strip_prefix('-') == Some(name))
    };
    if let Some(Value::Array(attributes)) = document.get_mut("attributes") {
        attributes.retain(stays);
    }
    for variant in variants_mut(document) {
        if let Some(Value::Array(attributes)) = variant.get_mut("attributes") {
            attributes.retain(stays);
        }
    }
}
