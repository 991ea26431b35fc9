//! Finds the resource type of a file of drafts by its name, e.g. `tax-category-drafts.json`, `channel-types.json`.

use anyhow::bail;
use kontor_model::{Kind, KindId, Model};

/// Additional names of resource types, and their `typeId`.
const ALSO_CALLED: [(&str, &str); 2] = [("company", "business-unit"), ("division", "business-unit")];
/// The similarity (Jaro-Winkler, 0 to 1) from which a name is suggested.
const SIMILAR: f64 = 0.8;

/// Returns the resource type whose name the text ends with; the longest one if several do. `channel-types` are types.
pub(crate) fn kind_of(model: &Model, name: &str) -> Option<KindId> {
    kind_with_name(model, name, |before| before.is_empty() || before.ends_with('-'))
}

/// Returns the resource type with the longest name that the text ends with, if `may_begin` accepts the text before it.
fn kind_with_name(model: &Model, name: &str, may_begin: impl Fn(&str) -> bool) -> Option<KindId> {
    let name = name.to_lowercase().replace(['_', ' '], "-");
    let name = name.trim_end_matches("-drafts").trim_end_matches("-draft");
    // An order from a cart is an order.
    let name = name.split("-from-").next().unwrap_or(name);
    let spellings = spellings(name);
    let ends_with = |known: &str| {
        !known.is_empty()
            && spellings.iter().any(|spelling| spelling.strip_suffix(known).is_some_and(&may_begin))
    };
    model
        .kinds()
        .flat_map(|(id, kind)| {
            let called = ALSO_CALLED.iter().filter(|(_, of)| *of == kind.type_id).map(|(called, _)| *called);
            [kind.type_id.as_str(), kind.path.as_str()].into_iter().chain(called).map(move |name| (id, name))
        })
        .filter(|(_, known)| ends_with(known))
        .max_by_key(|(_, known)| known.len())
        .map(|(id, _)| id)
}

/// Returns the resource type with this full name. The error lists the names that `fits` accepts.
pub(crate) fn kind_by_full_name(
    model: &Model,
    name: &str,
    fits: impl Fn(&Kind) -> bool,
) -> anyhow::Result<KindId> {
    let found = kind_with_name(model, name, str::is_empty);
    if let Some(kind) = found.filter(|kind| fits(model.kind(*kind))) {
        return Ok(kind);
    }
    let mut names: Vec<&str> =
        model.kinds().filter(|(_, kind)| fits(kind)).map(|(_, kind)| kind.type_id.as_str()).collect();
    names.sort_unstable();
    let likeness = |known: &&str| strsim::jaro_winkler(known, &name.to_lowercase());
    let nearest = names.iter().copied().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let all = names.join(", ");
    match (found, nearest.filter(|nearest| likeness(nearest) > SIMILAR)) {
        (Some(_), _) => bail!("'{name}' cannot be used here. The kinds are {all}"),
        (None, Some(nearest)) => {
            bail!("there is no kind '{name}'. Did you mean '{nearest}'? The kinds are {all}")
        }
        (None, None) => bail!("there is no kind '{name}'. The kinds are {all}"),
    }
}

/// Returns a name in the singular and in the plural.
fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned(), format!("{name}s")];
    if let Some(stem) = name.strip_suffix("ies") {
        all.push(format!("{stem}y"));
    } else if let Some(stem) = name.strip_suffix('s') {
        all.push(stem.to_owned());
    }
    if let Some(stem) = name.strip_suffix('y') {
        all.push(format!("{stem}ies"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_kind_at_the_end_of_a_file_name() {
        let model = Model::embedded().unwrap();
        let named = |name: &str| kind_of(&model, name).map(|kind| model.kind(kind).type_id.clone());
        for (name, type_id) in [
            ("tax-category-drafts", "tax-category"),
            ("tax-category", "tax-category"),
            ("tax_categories", "tax-category"),
            ("channels", "channel"),
            ("channel-types", "type"),
            ("customer-groups", "customer-group"),
            ("customers", "customer"),
            ("custom-objects", "key-value-document"),
            ("custom-object-drafts", "key-value-document"),
            ("product-type", "product-type"),
            ("inventory-entry-drafts", "inventory-entry"),
            ("order-from-cart-drafts", "order"),
            ("company-drafts", "business-unit"),
            ("divisions", "business-unit"),
            ("project", "project"),
        ] {
            assert_eq!(named(name).as_deref(), Some(type_id), "{name}");
        }
        let all = |_: &Kind| true;
        assert!(kind_by_full_name(&model, "Products", all).is_ok());
        assert!(
            kind_by_full_name(&model, "my-carts", all).is_err(),
            "an end is not enough where a kind is meant"
        );
        let said = kind_by_full_name(&model, "prodcut", all).unwrap_err().to_string();
        assert!(said.contains("Did you mean 'product'?") && said.contains("tax-category"), "{said}");
        for name in ["subdivision-drafts", "unstates", "readme", ""] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
