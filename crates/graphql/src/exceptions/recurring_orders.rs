//! Names and types of the official schema that do not follow the conventions, for Recurring Orders and of recurring
//! items in Carts. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    output_names: &[
        ("AbsoluteAllocation", "Absolute"),
        ("Allocation", "AllocationInterface"),
        ("RelativeAllocation", "Relative"),
    ],
    input_names: &[
        ("AbsoluteAllocationDraft", "AbsoluteInputDraft"),
        ("AllocationDraft", "AllocationInputDraft"),
        ("RelativeAllocationDraft", "RelativeInputDraft"),
        ("CounterDraft", "CounterInputDraft"),
        ("SkipConfigurationDraft", "SkipConfigurationInputDraft"),
        ("RecurringOrderStateDraft", "RecurringOrderStateDraft"),
        ("LineItemRecurrenceInfoDraft", "LineItemRecurrenceInfoInputDraft"),
        ("CustomLineItemRecurrenceInfoDraft", "CustomLineItemRecurrenceInfoInputDraft"),
    ],
    action_names: &[
        ("Cart", "addRecurringPaymentAllocation", "AddRecurringPaymentAllocation"),
        ("Cart", "removeRecurringPaymentAllocation", "RemoveRecurringPaymentAllocation"),
        ("Cart", "setRecurringPaymentConfiguration", "SetRecurringPaymentConfiguration"),
        ("Cart", "setRecurringPaymentStrategy", "SetRecurringPaymentStrategy"),
        ("RecurringOrder", "requestOrderNow", "RequestRecurringOrderNow"),
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
        ("AddRecurringPaymentAllocation", "paymentMethod", "ReferenceInput!"),
        ("PaymentAllocationDraft", "paymentMethod", "ReferenceInput!"),
        ("SetCustomLineItemRecurrenceInfo", "customLineItemId", "String!"),
        ("SetLineItemRecurrenceInfo", "lineItemId", "String!"),
        ("TransitionRecurringOrderState", "force", "Boolean = false"),
    ],
    extra: &[
        ("OrderCreatedFromRecurringOrder", "orderRef", &[], "Reference", ExtraSource::Stored("resource")),
        ("RecurrencePolicyRef", "id", &[], "String!", ExtraSource::Stored("id")),
        ("RecurrencePolicyRef", "typeId", &[], "String!", ExtraSource::Stored("typeId")),
    ],
    ignored_inputs: &[("RecurringOrderDraft", "recurringOrderState", "RecurringOrderState")],
    ..ExceptionArea::NONE
};
