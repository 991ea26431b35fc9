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
    retyped: &[("RecurringOrderStateChanged", "oldState", "RecurringOrderState!", None)],
    retyped_inputs: &[("TransitionRecurringOrderState", "force", "Boolean = false")],
    extra: &[("OrderCreatedFromRecurringOrder", "orderRef", &[], "Reference", Extra::Stored("resource"))],
    ignored_inputs: &[("RecurringOrderDraft", "recurringOrderState", "RecurringOrderState")],
    ..Area::NONE
};
