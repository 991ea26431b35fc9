//! Orders.

use super::{Area, EndpointNames, Extra, KindNames, NO_EXCEPTION};

pub(super) const AREA: Area = Area {
    kinds: &[KindNames {
        kind: "Order",
        create: Some("importOrder"),
        draft: Some("ImportOrderDraft"),
        ..NO_EXCEPTION
    }],
    hidden_inputs: &[("ImportOrderDraft", "paymentInfo")],
    input_aliases: &[("ItemShippingDetailsDraftType", "ItemShippingDetailsDraft")],
    retyped_inputs: &[
        ("SetOrderLineItemShippingDetails", "shippingDetails", "ItemShippingDetailsDraftType"),
        ("SetOrderCustomLineItemShippingDetails", "shippingDetails", "ItemShippingDetailsDraftType"),
        ("TransitionOrderState", "force", "Boolean = false"),
        ("ShippingInfoImportDraft", "deliveries", "[DeliveryDraft!]! = []"),
        ("ShippingInfoImportDraft", "shippingMethodState", "ShippingMethodState! = MatchesCart"),
        ("ImportOrderDraft", "lineItems", "[LineItemImportDraft!]! = []"),
        ("ImportOrderDraft", "customLineItems", "[CustomLineItemImportDraft!]! = []"),
    ],
    extra: &[
        ("Order", "refusedGiftsRefs", &[], "[Reference!]!", Extra::Stored("refusedGifts")),
        ("PaymentInfo", "paymentRefs", &[], "[Reference!]!", Extra::Stored("payments")),
    ],
    input_names: &[
        ("OrderFromCartDraft", "OrderCartCommand"),
        ("MyOrderFromCartDraft", "OrderMyCartCommand"),
        ("ItemStateDraft", "ItemStateDraftType"),
        ("ParcelDraft", "ParcelDataDraftType"),
        ("ParcelMeasurements", "ParcelMeasurementsDraftType"),
        ("TrackingData", "TrackingDataDraftType"),
        ("DeliveryItem", "DeliveryItemDraftType"),
        ("ReturnItemDraft", "ReturnItemDraftType"),
        ("ReturnInfoDraft", "ReturnInfoDraftType"),
    ],
    action_names: &[
        ("Order", "changeOrderState", "ChangeOrderState"),
        ("Order", "setOrderNumber", "SetOrderNumber"),
    ],
    retyped: &[
        ("Order", "returnInfo", "[ReturnInfo!]!", None),
        ("Order", "itemShippingAddresses", "[Address!]!", None),
        ("Order", "discountCodes", "[DiscountCodeInfo!]!", None),
        ("Order", "directDiscounts", "[DirectDiscount!]!", None),
        ("Parcel", "items", "[DeliveryItem!]!", None),
    ],
    endpoints: &[
        EndpointNames {
            kind: "Cart",
            endpoint: "orderOf",
            mutation: "createOrderFromCart",
            answer: None,
            within: None,
        },
        EndpointNames {
            kind: "Cart",
            endpoint: "myOrderOf",
            mutation: "createMyOrderFromCart",
            answer: None,
            within: None,
        },
    ],
    ..Area::NONE
};
