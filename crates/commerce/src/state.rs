//! State: fields that depend on its type, and built-in States.
//!
//! [`crate::transition`] has the transitions.
//!
//! Source: document A, "State", "StateTypeEnum", "StateRoleEnum", "States and transitions"; reference types
//! `State`, `StateDraft`, `StateSetRolesAction`, `StateAddRolesAction`.

use crate::kinds;
use kontor_engine::document::{get, list, must_field, must_text, text, text_or_log};
use kontor_engine::{Behaviour, Choice, Document, Effects, Rules};
use kontor_enums::{StateRoleEnum, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The type of built-in States, in which a workflow begins.
const LINE_ITEM: &str = StateTypeEnum::LineItemState.as_str();

/// The State type that each role requires.
const ROLES: [(&str, &str); 2] = [
    (StateRoleEnum::Return.as_str(), LINE_ITEM),
    (StateRoleEnum::ReviewIncludedInStatistics.as_str(), StateTypeEnum::ReviewState.as_str()),
];

/// A choice of the operator against document A, since some clients create, rename and delete States of line
/// items: then only the initial State of each project is built in.
pub const ORDINARY_LINE_ITEM_STATES: &str = "ordinary-line-item-states";

/// The id of the initial State of every project. It is fixed, so that copies of projects have the same one.
const INITIAL_ID: &str = "00000000-0000-7000-8000-000000000001";

pub(crate) struct State;

impl Behaviour for State {
    fn resource(&self) -> &'static str {
        "State"
    }

    fn choices(&self) -> &'static [Choice] {
        const ALL: &[Choice] = &[Choice::new(ORDINARY_LINE_ITEM_STATES)];
        ALL
    }

    /// The initial State of line items (document A, "State", `builtIn`; clients know its key).
    fn first_documents(&self) -> Vec<Document> {
        let initial = json!({
            "id": INITIAL_ID, "key": "Initial", "type": LINE_ITEM, "name": {"en": "Initial"}, "initial": true, "builtIn": true, "roles": [],
        });
        initial.as_object().cloned().into_iter().collect()
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_built_in = becomes_built_in(after, rules);
        after.entry("roles").or_insert_with(|| json!([]));
        after.insert("builtIn", json!(is_built_in));
        if is_built_in {
            after.insert("initial", json!(true));
        }
        Ok(())
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if text(after, &["key"]).is_none_or(str::is_empty) {
            return Err(ApiError::invalid_operation("'key' should not be empty."));
        }
        if let Some(before) = before {
            if is_built_in(before) && before.get("key") != after.get("key") {
                return Err(built_in(before, "its key cannot be changed"));
            }
            // A built-in State never becomes an ordinary one, so that a change of its type does not allow to delete it.
            if becomes_built_in(after, rules) {
                after.insert("builtIn", json!(true));
            }
        }
        if before.is_some_and(|before| before.contains_key("roles")) {
            after.entry("roles").or_insert_with(|| json!([]));
        }
        admit_roles(after)?;
        admit_transitions(before, after, rules)
    }

    fn before_delete(
        &self,
        document: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if is_built_in(document) { Err(built_in(document, "it cannot be deleted")) } else { Ok(()) }
    }
}

/// Whether the type of a State makes it built-in (document A, "StateTypeEnum").
fn becomes_built_in(state: &Document, rules: &Rules<'_>) -> bool {
    text(state, &["type"]) == Some(LINE_ITEM) && !rules.choices().contains(ORDINARY_LINE_ITEM_STATES)
}

fn is_built_in(state: &Document) -> bool {
    get(state, &["builtIn"]) == Some(&Value::Bool(true))
}

fn built_in(state: &Document, consequence: &str) -> ApiError {
    let key = text_or_log(state, &["key"]);
    ApiError::invalid_operation(format!("The State with key '{key}' is built in, so {consequence}."))
}

fn admit_roles(state: &Document) -> ApiResult<()> {
    let own = must_text(state, &["type"])?;
    for role in list(state, &["roles"]) {
        if let Some((role, only)) = ROLES.iter().find(|(name, only)| role == name && *only != own) {
            return Err(ApiError::invalid_operation(format!(
                "The role '{role}' is for States of type '{only}', not for type '{own}'."
            )));
        }
    }
    Ok(())
}

/// New transitions must lead to States of the same type; all of them if the type is new. Existing ones are
/// not checked, so that a target that got another type blocks no other change.
fn admit_transitions(before: Option<&Document>, state: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let own = must_text(state, &["type"])?;
    let held = match before {
        Some(before) if text(before, &["type"]) == Some(own) => list(before, &["transitions"]),
        _ => &[],
    };
    for next in list(state, &["transitions"]).iter().filter(|next| !held.contains(next)) {
        let id = must_field(next, "id")?;
        if text(state, &["id"]) == Some(id) {
            continue;
        }
        // A target that is gone fits no type and hinders none.
        let Some(target) = rules.find(kinds::STATE, id)? else { continue };
        let other = must_text(&target, &["type"])?;
        if other != own {
            let key = must_text(&target, &["key"])?;
            return Err(ApiError::invalid_operation(format!(
                "A State of type '{own}' cannot lead to the State with key '{key}', which is of type '{other}'."
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::{Precondition, trial};
    use kontor_errors::Code;

    fn shop() -> TestShop {
        TestShop::new()
            .with_document(
                "state",
                json!({"id": "shipped", "key": "shipped", "type": "OrderState", "initial": false}),
            )
            .with_document(
                "state",
                json!({"id": "picked", "key": "picked", "type": "LineItemState", "initial": true}),
            )
    }

    fn order_state(transitions: Option<Value>) -> Document {
        let mut state = object(json!({
            "id": "open", "key": "open", "type": "OrderState", "initial": true, "builtIn": false,
        }));
        if let Some(transitions) = transitions {
            state.insert("transitions", transitions);
        }
        state
    }

    fn error_message<T>(result: ApiResult<T>) -> String {
        let error = result.err().unwrap();
        assert_eq!(error.code(), Code::InvalidOperation);
        error.message().to_owned()
    }

    #[test]
    fn states_of_line_items_are_built_in_and_initial() {
        let shop = shop();
        let line_item =
            shop.create("state", json!({"key": "a", "type": LINE_ITEM, "initial": false})).unwrap();
        assert_eq!((&line_item["builtIn"], &line_item["initial"]), (&json!(true), &json!(true)));
        let order =
            shop.create("state", json!({"key": "b", "type": "OrderState", "initial": false})).unwrap();
        assert_eq!((&order["builtIn"], &order["initial"]), (&json!(false), &json!(false)));
        let by_default = shop.create("state", json!({"key": "c", "type": "OrderState"})).unwrap();
        assert_eq!(by_default["initial"], json!(true));
    }

    #[test]
    fn where_it_is_chosen_states_of_line_items_are_ordinary() {
        let shop = shop().choosing(ORDINARY_LINE_ITEM_STATES);
        for (kind, initial) in [(LINE_ITEM, false), ("OrderState", true)] {
            let state = shop.create("state", json!({"key": "a", "type": kind, "initial": initial})).unwrap();
            assert_eq!((&state["builtIn"], &state["initial"]), (&json!(false), &json!(initial)));
        }
        let order = shop.create("state", json!({"key": "open", "type": "OrderState"})).unwrap();
        let change = json!([{"action": "changeType", "type": LINE_ITEM}]);
        assert_eq!(shop.update("state", &order, change).unwrap().0["builtIn"], json!(false));
        let [initial] = &State.first_documents()[..] else { panic!("there is one") };
        assert!(is_built_in(initial), "in both cases");
    }

    #[test]
    fn an_empty_key_is_an_invalid_operation() {
        let draft = json!({"key": "", "type": "OrderState"});
        assert_eq!(error_message(shop().create("state", draft)), "'key' should not be empty.");
    }

    #[test]
    fn a_built_in_state_keeps_its_key_and_stays() {
        let shop = shop();
        let state = shop.create("state", json!({"key": "packed", "type": LINE_ITEM})).unwrap();
        assert_eq!(
            error_message(shop.update("state", &state, json!([{"action": "changeKey", "key": "sent"}]))),
            "The State with key 'packed' is built in, so its key cannot be changed."
        );
        assert_eq!(
            error_message(shop.rules(|rules| State.before_delete(&state, rules, &mut Effects::default()))),
            "The State with key 'packed' is built in, so it cannot be deleted."
        );
        let (renamed, _) =
            shop.update("state", &state, json!([{"action": "setName", "name": {"en": "Packed"}}])).unwrap();
        assert_eq!(renamed["name"], json!({"en": "Packed"}));
        let order = shop.create("state", json!({"key": "open", "type": "OrderState"})).unwrap();
        shop.rules(|rules| State.before_delete(&order, rules, &mut Effects::default())).unwrap();
        shop.update("state", &order, json!([{"action": "changeKey", "key": "opened"}])).unwrap();
    }

    #[test]
    fn a_change_of_type_never_makes_a_built_in_state_an_ordinary_one() {
        let shop = shop();
        let state = shop.create("state", json!({"key": "packed", "type": LINE_ITEM})).unwrap();
        let to_order = json!([{"action": "changeType", "type": "OrderState"}]);
        assert_eq!(shop.update("state", &state, to_order).unwrap().0["builtIn"], json!(true));
        let to_line_item = json!([{"action": "changeType", "type": LINE_ITEM}]);
        assert_eq!(shop.update("state", &order_state(None), to_line_item).unwrap().0["builtIn"], json!(true));
    }

    #[test]
    fn roles_are_those_of_the_type() {
        let shop = shop();
        let draft = |kind: &str, role: &str| json!({"key": "k", "type": kind, "roles": [role]});
        shop.create("state", draft("ReviewState", "ReviewIncludedInStatistics")).unwrap();
        shop.create("state", draft(LINE_ITEM, "Return")).unwrap();
        for (kind, role) in
            [("OrderState", "Return"), ("ReviewState", "Return"), (LINE_ITEM, "ReviewIncludedInStatistics")]
        {
            error_message(shop.create("state", draft(kind, role)));
        }
        for action in ["setRoles", "addRoles"] {
            assert_eq!(
                error_message(shop.update(
                    "state",
                    &order_state(None),
                    json!([{"action": action, "roles": ["Return"]}])
                )),
                "The role 'Return' is for States of type 'LineItemState', not for type 'OrderState'."
            );
        }
        let review = shop.create("state", draft("ReviewState", "ReviewIncludedInStatistics")).unwrap();
        let change = json!({"action": "changeType", "type": "OrderState"});
        error_message(shop.update("state", &review, json!([change])));
        // Removing the unsuitable roles in the same request is fine: the result is checked, not each step.
        shop.update("state", &review, json!([change, {"action": "setRoles", "roles": []}])).unwrap();
    }

    #[test]
    fn transitions_lead_to_states_of_the_same_type() {
        let shop = shop();
        let to = |key: &str| json!([{"action": "setTransitions", "transitions": [{"typeId": "state", "key": key}]}]);
        let before = order_state(None);
        let relied_on = shop.rules(|rules| {
            let (after, _) =
                shop.update_with("state", &before, to("shipped"), rules, &mut Effects::default()).unwrap();
            assert_eq!(after["transitions"], json!([{"typeId": "state", "id": "shipped"}]));
            trial::take_preconditions(rules)
        });
        let unchanged = Precondition::Revision { kind: "state".into(), id: "shipped".into(), revision: 7 };
        assert!(relied_on.contains(&unchanged), "the target keeps its type until the change is written");
        assert_eq!(
            error_message(shop.update("state", &before, to("picked"))),
            "A State of type 'OrderState' cannot lead to the State with key 'picked', which is of type \
             'LineItemState'."
        );
        let leading = order_state(Some(json!([{"typeId": "state", "id": "shipped"}])));
        error_message(shop.update(
            "state",
            &leading,
            json!([{"action": "changeType", "type": "PaymentState"}]),
        ));
    }

    #[test]
    fn the_same_transitions_in_another_sequence_are_no_change() {
        let reference = |id: &str| json!({"typeId": "state", "id": id});
        let shop = shop().with_document(
            "state",
            json!({"id": "closed", "key": "closed", "type": "OrderState", "initial": false}),
        );
        let leading = order_state(Some(json!([reference("shipped"), reference("closed")])));
        let to = |states: Value| json!([{"action": "setTransitions", "transitions": states}]);
        for same in [json!([reference("closed"), reference("shipped")]), leading["transitions"].clone()] {
            let message = error_message(shop.update("state", &leading, to(same)));
            assert!(message.starts_with("'transitions' has no changes."), "{message}");
        }
        error_message(shop.update("state", &order_state(None), to(json!([]))));
        // A final State becomes one with any transition.
        shop.update("state", &order_state(Some(json!([]))), to(json!([]))).unwrap();
        let (fewer, _) = shop.update("state", &leading, to(json!([reference("closed")]))).unwrap();
        assert_eq!(fewer["transitions"], json!([reference("closed")]));
    }

    #[test]
    fn an_empty_list_is_kept_of_a_draft_and_removes_in_an_update() {
        let shop = shop();
        let last =
            shop.create("state", json!({"key": "x", "type": "OrderState", "transitions": []})).unwrap();
        assert_eq!(last.get("transitions"), Some(&json!([])), "a final State");
        let leading = order_state(Some(json!([{"typeId": "state", "id": "shipped"}])));
        for action in
            [json!({"action": "setTransitions", "transitions": []}), json!({"action": "setTransitions"})]
        {
            let (open, _) = shop.update("state", &leading, json!([action])).unwrap();
            assert_eq!(open.get("transitions"), None, "document A, States and transitions, rule 1");
        }
    }

    #[test]
    fn a_state_may_lead_to_itself_and_a_target_of_old_blocks_nothing() {
        let shop = shop();
        let own = json!([{"action": "setTransitions", "transitions": [{"typeId": "state", "id": "open"}]}]);
        let before = order_state(None);
        let shop = shop.with_document("state", Value::Object(before.clone()));
        shop.update("state", &before, own).unwrap();
        let leading = order_state(Some(
            json!([{"typeId": "state", "id": "picked"}, {"typeId": "state", "id": "gone"}]),
        ));
        shop.update("state", &leading, json!([{"action": "changeInitial", "initial": false}])).unwrap();
    }
}
