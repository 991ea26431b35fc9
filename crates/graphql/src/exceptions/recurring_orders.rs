//! Recurring Orders, and what recurs in Carts.

use super::{Area, Extra};

pub(super) const AREA: Area = Area {
    input_names: &[
        ("CounterDraft", "CounterInputDraft"),
        ("SkipConfigurationDraft", "SkipConfigurationInputDraft"),
        ("RecurringOrderStateDraft", "RecurringOrderStateDraft"),
        ("LineItemRecurrenceInfoDraft", "LineItemRecurrenceInfoInputDraft"),
        ("CustomLineItemRecurrenceInfoDraft", "CustomLineItemRecurrenceInfoInputDraft"),
    ],
    action_names: &[
        ("RecurringOrder", "setRecurringOrderState", "SetRecurringOrderState"),
        ("Cart", "setLineItemRecurrenceInfo", "SetLineItemRecurrenceInfo"),
        ("Cart", "setCustomLineItemRecurrenceInfo", "SetCustomLineItemRecurrenceInfo"),
    ],
    renamed: &[
        ("RecurringOrderStateChanged", "state", "recurringOrderState"),
        ("RecurringOrderStateChanged", "oldState", "oldRecurringOrderState"),
        ("OrderCreatedFromRecurringOrder", "recurringOrderRef", "recurringOrder"),
    ],
    retyped: &[
        ("CustomLineItemRecurrenceInfo", "recurrencePolicyRef", "RecurrencePolicyRef!", None),
        ("LineItemRecurrenceInfo", "recurrencePolicyRef", "RecurrencePolicyRef!", None),
        ("RecurringOrderStateChanged", "oldState", "RecurringOrderState!", None),
    ],
    extra_outputs: &[("RecurrencePolicyRef", "A reference to a Recurrence Policy.")],
    retyped_inputs: &[
        ("SetCustomLineItemRecurrenceInfo", "customLineItemId", "String!"),
        ("SetLineItemRecurrenceInfo", "lineItemId", "String!"),
        ("TransitionRecurringOrderState", "force", "Boolean = false"),
    ],
    extra: &[
        ("OrderCreatedFromRecurringOrder", "orderRef", &[], "Reference", Extra::Stored("resource")),
        ("RecurrencePolicyRef", "id", &[], "String!", Extra::Stored("id")),
        ("RecurrencePolicyRef", "typeId", &[], "String!", Extra::Stored("typeId")),
    ],
    ignored_inputs: &[("RecurringOrderDraft", "recurringOrderState", "RecurringOrderState")],
    ..Area::NONE
};
