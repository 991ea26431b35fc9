//! Orders.

use super::{Area, EndpointNames};

pub(super) const AREA: Area = Area {
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
