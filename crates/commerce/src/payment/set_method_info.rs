//! `setMethodInfo`: sets several fields of `paymentMethodInfo` at once, with a message for each.
//!
//! Source: reference type `PaymentSetMethodInfoAction`. Its text says both that only given fields change and
//! that omitted fields are removed; the first is the purpose of the action.

use super::set_once;
use kontor_engine::conversion::custom_fields;
use kontor_engine::document::{fields, get, set};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::Location;

/// Fields that are stored unchanged, with their message and its name for the old value.
const PLAIN: [(&str, &str, &str); 4] = [
    ("method", "PaymentMethodInfoMethodSet", "oldMethod"),
    ("name", "PaymentMethodInfoNameSet", "oldName"),
    ("token", "PaymentMethodInfoTokenSet", "oldToken"),
    ("interfaceAccount", "PaymentMethodInfoInterfaceAccountSet", "oldInterfaceAccount"),
];
const CUSTOM: [&str; 2] = ["paymentMethodInfo", "custom"];

pub(super) fn set_method_info(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if let Some(given) = arguments.get("paymentInterface")
        && set_once(context, &["paymentMethodInfo", "paymentInterface"], given)?
    {
        context.emit("PaymentMethodInfoInterfaceSet", fields([("interface", Some(given.clone()))]))?;
    }
    for (name, message, old_name) in PLAIN {
        let Some(given) = arguments.get(name) else { continue };
        let old = get(context.document, &["paymentMethodInfo", name]).cloned();
        if old.as_ref() == Some(given) {
            continue;
        }
        let mut fields = fields([(name, Some(given.clone()))]);
        if let Some(old) = old {
            fields.insert(old_name, old);
        }
        context.emit(message, fields)?;
        set(context.document, &["paymentMethodInfo", name], Some(given.clone()));
    }
    match arguments.get("custom") {
        Some(Value::Object(draft)) => set_custom(context, draft.clone()),
        _ => Ok(()),
    }
}

/// Sets the custom fields: one Message for a different Type, else one for each changed field.
fn set_custom(context: &mut ActionContext<'_, '_>, draft: Document) -> ApiResult<()> {
    let place = format!("{}.custom", context.place);
    let new = custom_fields(draft, "payment-method-info", &Location::Text(&place), context.rules)?;
    match get(context.document, &CUSTOM).cloned() {
        Some(old) if old["type"] == new["type"] => tell_fields(context, &old, &new)?,
        old => {
            let mut fields = fields([("customFields", Some(new.clone()))]);
            if let Some(old) = old {
                fields.insert("oldTypeId", old["type"]["id"].clone());
            }
            context.emit("PaymentMethodInfoCustomTypeSet", fields)?;
        }
    }
    set(context.document, &CUSTOM, Some(new));
    Ok(())
}

fn tell_fields(context: &mut ActionContext<'_, '_>, old: &Value, new: &Value) -> ApiResult<()> {
    let (old, new) = (fields_of(old)?, fields_of(new)?);
    for (name, value) in new {
        let message = match old.get(name) {
            Some(same) if same == value => continue,
            Some(_) => "PaymentMethodInfoCustomFieldChanged",
            None => "PaymentMethodInfoCustomFieldAdded",
        };
        let mut fields = fields([("name", Some(json!(name)))]);
        fields.insert("value", value.clone());
        context.emit(message, fields)?;
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        context.emit("PaymentMethodInfoCustomFieldRemoved", fields([("name", Some(json!(name)))]))?;
    }
    Ok(())
}

fn fields_of(custom: &Value) -> ApiResult<&Map> {
    custom["fields"].as_object().ok_or_else(|| ApiError::bug("custom fields that are no object"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};

    fn shop() -> TestShop {
        let fields = json!([
            {"name": "a", "required": false, "type": {"name": "String"}},
            {"name": "b", "required": false, "type": {"name": "String"}},
            {"name": "c", "required": false, "type": {"name": "String"}},
        ]);
        let of = |id: &str| json!({"id": id, "key": id, "resourceTypeIds": ["payment-method-info"], "fieldDefinitions": fields});
        TestShop::new().with_document("type", of("first")).with_document("type", of("second"))
    }

    fn payment(method_info: Value) -> Document {
        object(
            json!({"id": "p", "version": 1, "paymentMethodInfo": method_info, "paymentStatus": {}, "transactions": []}),
        )
    }

    fn apply_action(method_info: Value, action: Value) -> (Value, Vec<(String, Value)>) {
        let mut action = action;
        action["action"] = json!("setMethodInfo");
        let (payment, told) = shop().update("payment", &payment(method_info), json!([action])).unwrap();
        (payment["paymentMethodInfo"].clone(), told)
    }

    fn message(name: &str, fields: Value) -> (String, Value) {
        (name.to_owned(), fields)
    }

    #[test]
    fn changes_only_sent_fields_and_emits_only_changes() {
        let before = json!({"paymentInterface": "PSP", "method": "INVOICE", "interfaceAccount": "DE"});
        let given = json!({"paymentInterface": "PSP", "method": "CARD", "interfaceAccount": "DE", "token": {"value": "t"}});
        let (info, messages) = apply_action(before, given);
        assert_eq!(
            info,
            json!({"paymentInterface": "PSP", "method": "CARD", "interfaceAccount": "DE", "token": {"value": "t"}})
        );
        assert_eq!(
            messages,
            [
                message("PaymentMethodInfoMethodSet", json!({"method": "CARD", "oldMethod": "INVOICE"})),
                message("PaymentMethodInfoTokenSet", json!({"token": {"value": "t"}})),
            ]
        );
    }

    #[test]
    fn the_payment_interface_cannot_change() {
        let change = json!([{"action": "setMethodInfo", "paymentInterface": "Other", "method": "CARD"}]);
        assert!(shop().update("payment", &payment(json!({"paymentInterface": "PSP"})), change).is_err());
    }

    #[test]
    fn a_changed_type_emits_one_message() {
        let before = json!({"custom": {"type": {"typeId": "type", "id": "first"}, "fields": {"a": "1"}}});
        let (info, messages) =
            apply_action(before, json!({"custom": {"type": {"key": "second"}, "fields": {"b": "2"}}}));
        let custom = json!({"type": {"typeId": "type", "id": "second"}, "fields": {"b": "2"}});
        assert_eq!(info["custom"], custom);
        assert_eq!(
            messages,
            [message(
                "PaymentMethodInfoCustomTypeSet",
                json!({"customFields": custom, "oldTypeId": "first"})
            )]
        );
    }

    #[test]
    fn changed_fields_of_a_type_emit_one_message_each() {
        let before =
            json!({"custom": {"type": {"typeId": "type", "id": "first"}, "fields": {"a": "1", "b": "2"}}});
        let (info, messages) = apply_action(
            before,
            json!({"custom": {"type": {"key": "first"}, "fields": {"b": "3", "c": "4"}}}),
        );
        assert_eq!(info["custom"]["fields"], json!({"b": "3", "c": "4"}));
        assert_eq!(
            messages,
            [
                message("PaymentMethodInfoCustomFieldChanged", json!({"name": "b", "value": "3"})),
                message("PaymentMethodInfoCustomFieldAdded", json!({"name": "c", "value": "4"})),
                message("PaymentMethodInfoCustomFieldRemoved", json!({"name": "a"})),
            ]
        );
    }
}
