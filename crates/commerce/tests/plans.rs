//! Tests which indexes serve the usual queries of Products, of their projections, and of their parts.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use kontor_commerce::join_behaviours;
use kontor_engine::Behaviours;
use kontor_model::Model;
use kontor_query::{AccessPath, InputVariables, NameScope, bind_all, plan};
use std::sync::LazyLock;

static JOINED: LazyLock<(Model, Behaviours)> = LazyLock::new(|| {
    let model = Model::embedded().unwrap_or_else(|problems| panic!("{problems}"));
    let behaviours = join_behaviours(&model).unwrap();
    (model, behaviours)
});

/// The indexed paths that answer a query of `type_id`.
fn looked_up(type_id: &str, predicate: &str) -> Vec<String> {
    let (model, behaviours) = &*JOINED;
    let kind = model.kind_by_type_id(type_id).unwrap();
    let scope = NameScope::of_kind(model, model.kind(kind));
    let mut condition = bind_all([predicate], &scope, &InputVariables::none()).unwrap();
    if let Some(projection) = &model.kind(kind).projection {
        let place = |field: &str| projection.path(field, false).into_iter().map(Into::into).collect();
        condition = condition.relocated(&place);
    }
    match plan(condition, behaviours.indexed_paths(model.stored_kind(kind))).access {
        AccessPath::Index { path, .. } => vec![path.join(".")],
        AccessPath::AnyOf(lookups) => lookups.iter().map(|lookup| lookup.path.join(".")).collect(),
        AccessPath::Unique { fields, .. } => fields.iter().map(|path| path.join(".")).collect(),
        access => panic!("{predicate}: {access:?}"),
    }
}

#[test]
fn queries_of_products_do_not_read_all_of_them() {
    let sides = [("current", "masterData(current("), ("staged", "masterData(staged(")];
    let cases: [(&str, &[&str]); 9] = [
        (r#"slug(en = "x")"#, &["ProductData.slug"]),
        (r#"slug(de-AT in ("x", "y"))"#, &["ProductData.slug"]),
        (r#"masterVariant(sku = "x")"#, &["masterVariant.sku"]),
        (r#"masterVariant(sku = "x") or variants(sku = "x")"#, &["masterVariant.sku", "variants.sku"]),
        (r#"variants(sku in ("x", "y"))"#, &["masterVariant.sku", "variants.sku"]),
        (r#"variants(key = "x")"#, &["masterVariant.key", "variants.key"]),
        (r#"categories(id = "x")"#, &["categories.id"]),
        (r#"variants(attributes(name = "color" and value = "red"))"#, &["Attribute"]),
        (r#"masterVariant(attributes(name = "color" and value(key = "red")))"#, &["Attribute"]),
    ];
    // Names with values have rows under the name of their type, which both sides share.
    let is_of_type = |path: &str| path.starts_with(char::is_uppercase);
    let at = |side: &str, path: &str| match is_of_type(path) {
        true => path.to_owned(),
        false => format!("masterData.{side}.{path}"),
    };
    for (predicate, paths) in cases {
        for (side, opening) in sides {
            let expected: Vec<String> = paths.iter().map(|path| at(side, path)).collect();
            assert_eq!(looked_up("product", &format!("{opening}{predicate}))")), expected, "{predicate}");
        }
        let expected: Vec<String> = paths.iter().map(|path| at("current", path)).collect();
        assert_eq!(looked_up("product-projection", predicate), expected, "{predicate}");
    }
    for kind in ["product", "product-projection"] {
        assert_eq!(looked_up(kind, r#"key = "x""#), ["key"]);
        assert_eq!(looked_up(kind, r#"productType(id = "x")"#), ["productType.id"]);
    }
}

#[test]
fn documents_of_a_product_are_found_by_the_product_index() {
    for few in [r#"product(id = "x")"#, r#"product(id in ("x", "y"))"#] {
        for (kind, many) in [
            ("product-selection-assignment", r#"productSelection(id = "z")"#),
            ("product-tailoring", r#"store(key = "z")"#),
        ] {
            assert_eq!(looked_up(kind, &format!("{many} and {few}")), ["product.id"], "{kind}: {few}");
            assert_ne!(looked_up(kind, many), ["product.id"], "{kind}");
        }
    }
}
