//! API Extension: a hook that is called before changes are written, and may validate or modify them.
//!
//! Source: reference types `Extension`, `ExtensionDraft`, `Extension…Action`, `ExtensionChain…Error`,
//! `ExtensionDependencyExistsError`. Conversations: `tests/api/extensions/`.

mod dependencies;

pub(crate) use dependencies::{LAYERS_MAX, call_layer};

use crate::masked_secrets::{SecretField, end_of};
use crate::service_names::{admit_address, admit_function_arn, admit_header};
use kontor_engine::document::{list, must_field, text};
use kontor_engine::{Behaviour, Document, Effects, Limit, Rules};
use kontor_errors::{ApiResult, Code};
use kontor_query::{Condition, Expansions, InputVariables, NameScope, Predicate};

pub(crate) const EXTENSION: &str = "extension";
/// The maximum timeout of an Extension, in milliseconds (reference type `ExtensionDraft`).
const TIMEOUT_MILLISECONDS_MAX: u64 = 10_000;
/// Maximum number of update actions in the response of an Extension (public documentation, "API Extensions").
pub(crate) const UPDATE_ACTIONS_MAX: u64 = 100;

pub(crate) const SECRETS: SecretField =
    SecretField { type_id: EXTENSION, field: "destination", shown: end_of };

pub(crate) struct Extension;

impl Behaviour for Extension {
    fn resource(&self) -> &'static str {
        "Extension"
    }

    fn limits(&self) -> &'static [Limit] {
        const LIMITS: &[Limit] = &[
            Limit { name: "timeoutInMs", most: TIMEOUT_MILLISECONDS_MAX, counted: None },
            Limit { name: "updateActions", most: UPDATE_ACTIONS_MAX, counted: None },
        ];
        LIMITS
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if is_new("triggers") {
            admit_triggers(after, rules)?;
        }
        if is_new("expansionPaths") {
            Expansions::parse(list(after, &["expansionPaths"]).iter().filter_map(|path| path.as_str()))?;
        }
        if is_new("dependencies") {
            dependencies::check_dependencies(after, rules)?;
        }
        if is_new("destination") {
            admit_destination(after)?;
        }
        SECRETS.store_separately(before, after, rules.model, effects)?;
        Ok(())
    }

    fn before_delete(&self, extension: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        dependencies::admit_delete(extension, rules)?;
        SECRETS.delete_secret(extension, rules.model, effects);
        Ok(())
    }
}

/// Refuses a destination that cannot be called.
fn admit_destination(extension: &Document) -> ApiResult<()> {
    let of = |name: &str| text(extension, &["destination", name]);
    if let Some(url) = of("url") {
        admit_address("destination.url", url)?;
    }
    if let Some(arn) = of("arn") {
        admit_function_arn("destination.arn", arn)?;
    }
    for path in [&["accessKey"][..], &["authentication", "headerValue"], &["authentication", "key"]] {
        if let Some(value) = text(extension, &[&["destination"], path].concat()) {
            admit_header(&format!("destination.{}", path.join(".")), value)?;
        }
    }
    Ok(())
}

fn admit_triggers(extension: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    for (position, trigger) in list(extension, &["triggers"]).iter().enumerate() {
        let type_id = must_field(trigger, "resourceTypeId")?;
        if let Some(written) = trigger["condition"].as_str() {
            parse_condition(written, type_id, rules)
                .map_err(|refusal| refusal.with_location(&format!("triggers[{position}].condition")))?;
        }
    }
    Ok(())
}

/// Parses the condition of a trigger for documents of a kind. A field that the kind does not have counts as missing
/// when the condition is evaluated (reference type `ExtensionPredicateEvaluationFailedError`).
pub(crate) fn parse_condition(written: &str, type_id: &str, rules: &Rules<'_>) -> ApiResult<Condition> {
    let kind = rules.model.kind_by_type_id(type_id).map(|kind| rules.model.kind(kind));
    let scope = match kind.filter(|kind| kind.is_served) {
        Some(kind) => NameScope::of_kind(rules.model, kind),
        None => NameScope::anything(),
    };
    let predicate = Predicate::parse_condition(written, "condition")
        .map_err(|error| error.with_code(Code::SyntaxError))?;
    predicate
        .bind(&scope.with_changes().with_any_name(), &InputVariables::none())
        .map_err(|error| error.with_code(Code::SemanticError))
}
