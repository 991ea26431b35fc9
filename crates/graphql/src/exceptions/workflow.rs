//! Names and types of the official schema that do not follow the conventions, for Payments, Reviews and States.
//! [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    not_expandable: &["Payment"],
    input_names: &[
        ("PaymentMethodInfoDraft", "PaymentMethodInfoInput"),
        ("PaymentMethodToken", "PaymentMethodTokenDraft"),
        ("PaymentStatusDraft", "PaymentStatusInput"),
    ],
    hidden: &[
        ("Payment", "amountAuthorized"),
        ("Payment", "amountPaid"),
        ("Payment", "amountRefunded"),
        ("Payment", "authorizedUntil"),
        ("Payment", "externalId"),
    ],
    hidden_inputs: &[
        ("PaymentDraft", "amountAuthorized"),
        ("PaymentDraft", "amountPaid"),
        ("PaymentDraft", "amountRefunded"),
        ("PaymentDraft", "authorizedUntil"),
        ("PaymentDraft", "externalId"),
    ],
    action_names: &[("PaymentMethod", "setPaymentMethodStatus", "SetPaymentMethodStatus")],
    erasures: &["deletePaymentMethod"],
    hidden_actions: &[("MyPayment", "setTransactionCustomField")],
    retyped: &[
        ("PaymentMethodPaymentMethodStatusSet", "oldStatus", "PaymentMethodStatus!", None),
        ("PaymentMethodPaymentMethodStatusSet", "status", "PaymentMethodStatus!", None),
        ("PaymentStatusStateTransition", "stateRef", "Reference", None),
        ("ReviewRatingSet", "newRating", "Int", None),
        ("ReviewRatingSet", "oldRating", "Int", None),
        ("ReviewRatingStatistics", "count", "Long!", None),
        ("ReviewRatingStatistics", "highestRating", "Int!", None),
        ("ReviewRatingStatistics", "lowestRating", "Int!", None),
        ("State", "key", "String", None),
        ("State", "roles", "[StateRole!]!", None),
        ("Transaction", "type", "TransactionType", None),
    ],
    retyped_inputs: &[
        ("AddMyPaymentTransaction", "transaction", "MyTransactionDraft!"),
        ("SetPaymentInterfaceId", "interfaceId", "String"),
        ("SetPaymentStatusInterfaceText", "interfaceText", "String"),
        ("SetReviewTarget", "target", "TargetReferenceInput"),
        ("StateDraft", "transitions", "[ReferenceInput!]"),
        ("TransitionPaymentState", "force", "Boolean = false"),
        ("TransitionReviewState", "force", "Boolean = false"),
    ],
    extra: &[
        ("ReviewRatingSet", "target", &[], "ReviewTarget", ExtraSource::Target(&["target"])),
        ("ReviewStateTransition", "target", &[], "ReviewTarget", ExtraSource::Target(&["target"])),
    ],
    hidden_arguments: &[("deleteMyPayment", "personalDataErasure")],
    ..ExceptionArea::NONE
};
