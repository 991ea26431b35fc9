//! `--limit`: how many documents of a resource type a project may have, instead of the limit in the model.

use crate::resource_type_name::kind_by_full_name;
use anyhow::Context as _;
use kontor_model::Model;
use std::num::NonZeroU64;
use std::str::FromStr;

/// A resource type by its name, and its new limit, parsed from e.g. `categories=200000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceLimit {
    kind: String,
    most: NonZeroU64,
}

impl FromStr for ResourceLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = "expected a kind and a number above 0, such as categories=200000";
        let (kind, most) = text.split_once('=').ok_or(expected)?;
        let most = most.trim().parse().map_err(|_| expected)?;
        Ok(Self { kind: kind.trim().to_owned(), most })
    }
}

/// Returns the model with these limits; the last one for a resource type wins. Fails for types that have no limit.
pub(crate) fn with_limits(mut model: Model, limits: &[ResourceLimit]) -> anyhow::Result<Model> {
    for ResourceLimit { kind: name, most } in limits {
        let kind =
            kind_by_full_name(&model, name, |kind| kind.limit.is_some()).context("--limit is invalid")?;
        model.set_limit(kind, most.get());
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(all: &[&str]) -> Vec<ResourceLimit> {
        all.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn the_last_limit_of_a_kind_holds_and_others_stay() {
        let set = limits(&["categories=20000", "zone = 200", "category=200000"]);
        let model = with_limits(Model::embedded().unwrap(), &set).unwrap();
        let limit = |type_id: &str| model.kind(model.kind_by_type_id(type_id).unwrap()).limit;
        assert_eq!(limit("category"), Some(200_000));
        assert_eq!(limit("zone"), Some(200));
        assert_eq!(limit("tax-category"), Some(100));
    }

    #[test]
    fn rejects_invalid_limits() {
        for text in ["categories", "categories=", "categories=0", "categories=-1", "categories=many"] {
            assert!(text.parse::<ResourceLimit>().is_err(), "{text}");
        }
        for (text, said) in [
            ("product=5", "cannot be used here"),
            ("categoris=5", "Did you mean 'category'?"),
            ("my-carts=5", "no kind 'my-carts'"),
        ] {
            let refused = with_limits(Model::embedded().unwrap(), &limits(&[text])).unwrap_err();
            assert!(format!("{refused:#}").contains(said), "{refused:#}");
        }
    }
}
