//! The settings of a project from a file: each field by the update action that sets it.

use super::report::{Refused, Report};
use super::{Importer, Item, answered};
use crate::operator::Refusal;
use crate::resource::encoded;
use axum::http::Method;
use icu_locale_core::LanguageIdentifier;
use kontor_model::{Action, Addressing, Kind, Model, Operation, Shape};
use serde_json::{Value, json};

/// True for the kind of which a project has one, which is changed and never created.
pub(crate) fn is_settings(kind: &Kind) -> bool {
    kind.addressing == Addressing::Singleton && kind.allows(Operation::Update)
}

/// The action that sets a field as a whole, and the name of its one argument.
pub(crate) fn action_for<'a>(model: &'a Model, kind: &'a Kind, field: &str) -> Option<(&'a Action, &'a str)> {
    kind.actions.iter().find_map(|action| {
        let [argument] = model.object(action.arguments).fields.as_slice() else { return None };
        (action.element.is_none() && argument.stored_path() == [field])
            .then_some((action, argument.name.as_str()))
    })
}

/// Sets what differs, a field at a time, so that one that is refused stops no other.
pub(crate) async fn apply(importer: &Importer<'_>, item: &Item, report: &mut Report) -> anyhow::Result<()> {
    let kind = importer.model.kind(item.kind);
    let path = format!("/{}", encoded(importer.project));
    if !item.draft.is_object() {
        let message = "The settings of a project are an object.".to_owned();
        report.refuse(Refused::of(kind, item, Refusal { code: "InvalidJsonInput".into(), message }));
    }
    for (index, (name, value)) in item.draft.as_object().into_iter().flatten().enumerate() {
        let mut refuse = |refusal: Refusal| {
            let name = Some(name.clone());
            report.refuse(Refused { type_id: kind.type_id.clone(), batch: item.batch, index, name, refusal });
        };
        let Some((action, argument)) = action_for(importer.model, kind, name) else {
            if importer.model.object(kind.object).field(name).is_none() {
                let message = format!("A project has no setting '{name}'.");
                refuse(Refusal { code: "InvalidField".into(), message });
            }
            // Key, version and times of a project that was exported elsewhere are not for this one.
            continue;
        };
        let current = answered(importer.operator.send(Method::GET, &path, None).await?)?.accepted()?;
        let value = with_usual_tags(importer.model, kind, name, value);
        if current[name] == value {
            report.count(kind, |counts| counts.present += 1);
            continue;
        }
        let update =
            json!({"version": current["version"], "actions": [{"action": action.name, argument: value}]});
        match answered(importer.operator.send(Method::POST, &path, Some(&update)).await?)?.accepted() {
            Ok(_) => report.count(kind, |counts| counts.created += 1),
            Err(refusal) => refuse(refusal),
        }
    }
    Ok(())
}

/// Language tags mean the same in any case (BCP 47), but the texts of drafts use the usual one: `EN` is `en`.
fn with_usual_tags(model: &Model, kind: &Kind, name: &str, value: &Value) -> Value {
    let is_locales =
        model.object(kind.object).field(name).is_some_and(|field| *field.shape.element() == Shape::Locale);
    match value {
        Value::Array(items) if is_locales => {
            let usual = |item: &Value| {
                let tag = item.as_str().and_then(|text| LanguageIdentifier::try_from_str(text).ok());
                tag.map_or_else(|| item.clone(), |tag| json!(tag.to_string()))
            };
            Value::Array(items.iter().map(usual).collect())
        }
        value => value.clone(),
    }
}
