//! Carts.

use super::{Area, EndpointNames};

pub(super) const AREA: Area = Area {
    finders: &[("Cart", "ofCustomer", "customerActiveCart"), ("Cart", "myActiveCart", "activeCart")],
    retyped_inputs: &[
        ("MergeCartDraft", "mergeMode", "CartMergeMode = MergeWithExistingCustomerCart"),
        ("MergeCartDraft", "updateProductData", "Boolean = false"),
        ("replicateCart", "reference", "ReferenceInput!"),
        ("replicateMyCart", "reference", "ReferenceInput!"),
    ],
    bare_endpoints: &[("Cart", "replicate"), ("Cart", "replicateMine")],
    endpoints: &[
        EndpointNames { kind: "Cart", endpoint: "merge", mutation: "mergeCart", answer: None, within: None },
        EndpointNames {
            kind: "Cart",
            endpoint: "replicate",
            mutation: "replicateCart",
            answer: None,
            within: None,
        },
        EndpointNames {
            kind: "Cart",
            endpoint: "replicateMine",
            mutation: "replicateMyCart",
            answer: None,
            within: None,
        },
    ],
    ..Area::NONE
};
