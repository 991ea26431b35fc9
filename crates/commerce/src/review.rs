//! Review: whether it is included in statistics, and its workflow.
//!
//! Source: reference types `Review`, `ReviewDraft`, `ReviewTransitionStateAction`,
//! `ReviewStateTransitionMessage`.

use crate::transition::{first_state, next_state};
use kontor_engine::document::{list, must_get, text};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules, UniqueKey};
use kontor_enums::{StateRoleEnum, StateTypeEnum};
use kontor_errors::ApiResult;
use kontor_json::json;

/// The type of State that Reviews have.
const STATE_TYPE: StateTypeEnum = StateTypeEnum::ReviewState;
/// The role of States in which a Review is included in statistics.
const COUNTS: &str = StateRoleEnum::ReviewIncludedInStatistics.as_str();

pub(crate) struct Review;

impl Behaviour for Review {
    fn resource(&self) -> &'static str {
        "Review"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("transitionState", transition_state)]
    }

    /// From the first State on only a
    /// transition changes whether the Review counts; a change of the State's roles does not.
    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let counts = match after.get("state") {
            Some(state) => counts_in(&*first_state(state, STATE_TYPE, rules)?),
            None => true,
        };
        after.insert("includedInStatistics", json!(counts));
        Ok(())
    }

    fn unique_keys(&self, review: &Document) -> Vec<UniqueKey> {
        text(review, &["uniquenessValue"])
            .map(|value| UniqueKey::new("uniquenessValue", value))
            .into_iter()
            .collect()
    }
}

/// `transitionState`: to another State, and into or out of the statistics with it.
fn transition_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = must_get(arguments, &["state"])?.clone();
    let force = arguments.get("force").cloned().unwrap_or(json!(false));
    let old = context.document.get("state").cloned();
    let target = next_state(old.as_ref(), &new, STATE_TYPE, force == json!(true), context.rules)?;

    let counted = context.document.get("includedInStatistics").cloned().unwrap_or(json!(true));
    let counts = json!(counts_in(&target));
    if old.as_ref() == Some(&new) && counted == counts {
        return Ok(());
    }
    let mut fields = Document::new();
    if let Some(old) = old {
        fields.insert("oldState", old);
    }
    fields.insert("newState", new.clone());
    fields.insert("oldIncludedInStatistics", counted);
    fields.insert("newIncludedInStatistics", counts.clone());
    if let Some(target) = context.document.get("target") {
        fields.insert("target", target.clone());
    }
    fields.insert("force", force);
    context.emit("ReviewStateTransition", fields)?;
    context.document.insert("state", new);
    context.document.insert("includedInStatistics", counts);
    Ok(())
}

fn counts_in(state: &Document) -> bool {
    list(state, &["roles"]).iter().any(|role| role == COUNTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;
    use kontor_errors::Code;
    use kontor_json::Value;

    fn shop() -> TestShop {
        let state = |id: &str, state_type: &str, initial: bool, more: Value| {
            let mut state = json!({"id": id, "key": id, "type": state_type, "initial": initial});
            state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            state
        };
        let next = json!({"transitions": [{"typeId": "state", "id": "approved"}]});
        let role = json!({"roles": [COUNTS], "transitions": []});
        TestShop::new()
            .with_document("channel", json!({"id": "c", "key": "shop"}))
            .with_document("state", state("pending", STATE_TYPE.as_str(), true, next))
            .with_document("state", state("approved", STATE_TYPE.as_str(), false, role))
            .with_document("state", state("open", "OrderState", true, json!({})))
    }

    fn step(state: &str, force: bool) -> Value {
        json!([{"action": "transitionState", "state": {"key": state}, "force": force}])
    }

    #[test]
    fn a_review_counts_without_a_state_and_in_one_with_the_role() {
        let counts = |draft: Value| shop().create("review", draft).unwrap()["includedInStatistics"].clone();
        assert_eq!(counts(json!({"rating": 5})), json!(true));
        assert_eq!(counts(json!({"rating": 5, "state": {"key": "pending"}})), json!(false));
        assert_eq!(counts(json!({"rating": 5, "state": {"key": "approved"}})), json!(true));
    }

    #[test]
    fn the_state_is_one_for_reviews() {
        let error = shop().create("review", json!({"state": {"key": "open"}})).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        let review = shop().create("review", json!({"rating": 5})).unwrap();
        assert!(shop().update("review", &review, step("open", true)).is_err());
    }

    #[test]
    fn a_transition_message_has_both_states_and_the_statistics_flag() {
        let draft = json!({"state": {"key": "pending"}, "target": {"typeId": "channel", "id": "c"}});
        let review = shop().create("review", draft).unwrap();
        let (review, messages) = shop().update("review", &review, step("approved", false)).unwrap();
        assert_eq!(review["includedInStatistics"], true);
        let expected = json!({
            "oldState": {"typeId": "state", "id": "pending"},
            "newState": {"typeId": "state", "id": "approved"},
            "oldIncludedInStatistics": false,
            "newIncludedInStatistics": true,
            "target": {"typeId": "channel", "id": "c"},
            "force": false,
        });
        assert_eq!(messages, [("ReviewStateTransition".to_owned(), expected)]);
        // The State has no transitions; `force` allows any.
        assert!(shop().update("review", &review, step("pending", false)).is_err());
        assert!(shop().update("review", &review, step("pending", true)).is_ok());
    }

    #[test]
    fn roles_that_change_later_count_from_the_next_transition() {
        let mut shop = shop();
        let review = shop.create("review", json!({"state": {"key": "approved"}})).unwrap();
        shop.put_document(
            "state",
            crate::test_shop::object(json!({"id": "approved", "key": "approved", "type": STATE_TYPE})),
        );
        let title = json!([{"action": "setTitle", "title": "Good"}]);
        let (review, _) = shop.update("review", &review, title).unwrap();
        assert_eq!(review["includedInStatistics"], true);
        let (review, messages) = shop.update("review", &review, step("approved", false)).unwrap();
        assert_eq!(review["includedInStatistics"], false);
        assert_eq!(messages.len(), 1);
    }

    #[test]
    fn the_first_state_is_an_initial_one() {
        let review = shop().create("review", json!({"rating": 5})).unwrap();
        assert_eq!(
            shop().update("review", &review, step("approved", false)).unwrap_err().code(),
            Code::InvalidOperation
        );
        let (review, messages) = shop().update("review", &review, step("pending", false)).unwrap();
        assert_eq!(review["includedInStatistics"], false);
        assert!(!messages[0].1.as_object().unwrap().contains_key("oldState"));
    }

    #[test]
    fn the_uniqueness_value_is_a_unique_key() {
        let review = shop().create("review", json!({"uniquenessValue": "maria-1"})).unwrap();
        assert_eq!(Review.unique_keys(&review), [UniqueKey::new("uniquenessValue", "maria-1")]);
        assert_eq!(Review.unique_keys(&Document::new()), []);
    }
}
