//! The assortment of each store of the demo shop: a product selection per store.

use super::furniture::{THINGS, in_both_languages, product_key};
use crate::operator::OperatorConnection;
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_json::{Value, json};

/// Maximum number of actions in one update request.
const ACTIONS_AT_ONCE: usize = 100;

/// Key of the store and of its product selection, its names, and the keys of the categories that it does not sell.
const ASSORTMENTS: &[(&str, &str, &str, &[&str])] = &[
    ("germany", "All that we make", "Alles, was wir bauen", &[]),
    ("britain", "What fits through British doors", "Was durch britische Türen passt", &["wardrobes"]),
    ("america", "What we ship overseas", "Was wir nach Übersee liefern", &["sofas", "wardrobes", "beds"]),
];

/// Returns the drafts of the product selections, without products.
pub(crate) fn selections() -> impl Iterator<Item = (&'static str, Value)> {
    ASSORTMENTS.iter().map(|(key, en, de, _)| {
        ("product-selection", json!({"key": key, "name": in_both_languages(en, de), "mode": "Individual"}))
    })
}

/// Assigns the products to selections that are empty.
pub(crate) async fn assign(
    operator: &OperatorConnection,
    project: &str,
    series: &[&str],
) -> anyhow::Result<()> {
    for (key, _, _, without) in ASSORTMENTS {
        let path = format!("/{}/product-selections/key={key}", percent_encoded(project));
        let mut selection = operator.send(Method::GET, &path, None).await?.accepted()?;
        if selection["productCount"] != 0 {
            continue;
        }
        let sold = THINGS.iter().filter(|thing| !without.contains(&thing.0));
        let actions: Vec<Value> = sold
            .flat_map(|thing| series.iter().map(|series| product_key(series, thing.1)))
            .map(|key| json!({"action": "addProduct", "product": {"typeId": "product", "key": key}}))
            .collect();
        for actions in actions.chunks(ACTIONS_AT_ONCE) {
            let update = json!({"version": selection["version"], "actions": actions});
            selection = operator.send(Method::POST, &path, Some(&update)).await?.accepted()?;
        }
    }
    Ok(())
}
