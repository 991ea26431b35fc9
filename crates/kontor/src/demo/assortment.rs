//! Which Store of the demo shop sells what: a Product Selection each.

use super::goods::{THINGS, both, product_key};
use crate::operator::Operator;
use crate::resource::encoded;
use axum::http::Method;
use kontor_json::{Value, json};

/// Actions of one update.
const ACTIONS_AT_ONCE: usize = 100;

/// Key of the Store and of its Product Selection, names, and the Categories that are not sold there.
const ASSORTMENTS: &[(&str, &str, &str, &[&str])] = &[
    ("germany", "All that we make", "Alles, was wir bauen", &[]),
    ("britain", "What fits through British doors", "Was durch britische Türen passt", &["wardrobes"]),
    ("america", "What we ship overseas", "Was wir nach Übersee liefern", &["sofas", "wardrobes", "beds"]),
];

/// The Product Selections, still without Products.
pub(crate) fn selections() -> impl Iterator<Item = (&'static str, Value)> {
    ASSORTMENTS.iter().map(|(key, en, de, _)| {
        ("product-selection", json!({"key": key, "name": both(en, de), "mode": "Individual"}))
    })
}

/// Assigns the Products to selections that have none.
pub(crate) async fn assign(operator: &Operator, project: &str, series: &[&str]) -> anyhow::Result<()> {
    for (key, _, _, without) in ASSORTMENTS {
        let path = format!("/{}/product-selections/key={key}", encoded(project));
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
