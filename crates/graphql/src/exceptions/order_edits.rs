//! Order Edits.

use super::{Area, EndpointNames, Extra, Form, KindNames, NO_EXCEPTION, Splice};

pub(super) const AREA: Area = Area {
    kinds: &[KindNames { kind: "OrderEdit", many: Some("orderEdits"), ..NO_EXCEPTION }],
    not_expandable: &["OrderEdit"],
    output_names: &[
        ("BaseAddress", "AddressDraft"),
        ("OrderEditNotProcessed", "NotProcessed"),
        ("OrderEditPreviewFailure", "PreviewFailure"),
        ("OrderEditPreviewSuccess", "PreviewSuccess"),
        ("OrderEditResultApplied", "Applied"),
        ("ParcelDraft", "ParcelData"),
    ],
    hidden: &[("Query", "shippingMethodsByOrderEdit")],
    retyped: &[("PreviewSuccess", "messagePayloads", "[MessagePayload!]!", None)],
    retyped_inputs: &[
        ("OrderEditDraft", "resource", "ReferenceInput!"),
        ("OrderEditDraft", "stagedActions", "[StagedOrderUpdateAction!]!"),
    ],
    extra_outputs: &[
        ("CustomFieldsCommand", "Custom fields as they were sent."),
        ("ResourceIdentifier", "What a resource was named by."),
    ],
    kept_drafts: &[
        ("addCustomLineItem", "CustomLineItemDraftOutput"),
        ("addLineItem", "LineItemDraftOutput"),
    ],
    extra: &[
        ("OrderEdit", "result", &[], "OrderEditResult!", Extra::Spliced(&RESULT)),
        ("CustomFieldsCommand", "typeId", &[], "String", Extra::At(&["type", "id"])),
        ("CustomFieldsCommand", "typeKey", &[], "String", Extra::At(&["type", "key"])),
        ("CustomFieldsCommand", "fields", &[], "Json", Extra::Stored("fields")),
        ("CustomFieldsCommand", "typeResId", &[], "ResourceIdentifier", Extra::Stored("type")),
        ("ResourceIdentifier", "typeId", &[], "String!", Extra::Stored("typeId")),
        ("ResourceIdentifier", "id", &[], "String", Extra::Stored("id")),
        ("ResourceIdentifier", "key", &[], "String", Extra::Stored("key")),
    ],
    bare_endpoints: &[("OrderEdit", "apply")],
    endpoints: &[EndpointNames {
        kind: "OrderEdit",
        endpoint: "apply",
        mutation: "applyOrderEdit",
        answer: None,
        within: None,
    }],
    ..Area::NONE
};

/// The result is worked out when it is asked for.
const RESULT: Splice = Splice {
    kind: "OrderEdit",
    at: "",
    in_list: false,
    needs: &["id", "resource", "stagedActions", "result"],
    parameters: &[],
    asked: &[],
    shows: "result",
    form: Form::Value,
};
