//! Names and types of the official schema that do not follow the conventions, for Customers and their tokens.
//! [`ExceptionArea`] explains the tables.

use super::{EndpointNames, ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[
        KindNames {
            kind: "Customer",
            created: Some("CustomerSignInResult"),
            create: Some("customerSignUp"),
            draft: Some("CustomerSignUpDraft"),
            ..NO_EXCEPTION
        },
        KindNames {
            kind: "MyCustomer",
            create: Some("customerSignMeUp"),
            draft: Some("CustomerSignMeUpDraft"),
            ..NO_EXCEPTION
        },
    ],
    input_names: &[("CustomerSignin", "CustomerSignInDraft"), ("MyCustomerSignin", "CustomerSignMeInDraft")],
    action_names: &[
        ("Customer", "addCustomerGroupAssignment", "AddCustomerGroupAssignment"),
        ("Customer", "removeCustomerGroupAssignment", "RemoveCustomerGroupAssignment"),
        ("Customer", "setCustomerGroup", "SetCustomerGroup"),
        ("Customer", "setCustomerGroupAssignments", "SetCustomerGroupAssignments"),
        ("Customer", "setCustomerNumber", "SetCustomerNumber"),
    ],
    retyped: &[
        ("CustomerEmailToken", "lastModifiedAt", "DateTime!", None),
        ("CustomerPasswordToken", "lastModifiedAt", "DateTime!", None),
        ("Customer", "authenticationMode", "AuthenticationMode", None),
        ("CustomerAddressCustomFieldAdded", "addressId", "String!", None),
        ("CustomerAddressCustomFieldChanged", "addressId", "String!", None),
        ("CustomerAddressCustomFieldRemoved", "addressId", "String!", None),
        ("CustomerAddressCustomTypeRemoved", "addressId", "String!", None),
        ("CustomerAddressCustomTypeSet", "addressId", "String!", None),
        ("CustomerGroupAssignment", "customerGroupRef", "Reference", None),
    ],
    retyped_inputs: &[
        (
            "CustomerSignInDraft",
            "anonymousCartSignInMode",
            "AnonymousCartSignInMode = MergeWithExistingCustomerCart",
        ),
        ("CustomerSignInDraft", "updateProductData", "Boolean = false"),
        (
            "CustomerSignMeInDraft",
            "activeCartSignInMode",
            "AnonymousCartSignInMode = MergeWithExistingCustomerCart",
        ),
        ("CustomerSignMeInDraft", "updateProductData", "Boolean = false"),
        ("CustomerSignMeUpDraft", "addresses", "[AddressInput!] = []"),
        ("CustomerSignMeUpDraft", "billingAddresses", "[Int!] = []"),
        ("CustomerSignMeUpDraft", "password", "String"),
        ("CustomerSignMeUpDraft", "shippingAddresses", "[Int!] = []"),
        ("customerCreateEmailVerificationToken", "invalidateOlderTokens", "Boolean! = false"),
        ("customerCreateEmailVerificationToken", "ttlMinutes", "Int!"),
        ("customerCreatePasswordResetToken", "invalidateOlderTokens", "Boolean! = false"),
        ("customerCreatePasswordResetToken", "ttlMinutes", "Int"),
        ("CustomerSignUpDraft", "addresses", "[AddressInput!] = []"),
        ("CustomerSignUpDraft", "billingAddresses", "[Int!] = []"),
        ("CustomerSignUpDraft", "shippingAddresses", "[Int!] = []"),
    ],
    extra: &[
        ("CustomerEmailToken", "createdBy", &[], "Initiator", ExtraSource::Constant("null")),
        ("CustomerEmailToken", "lastModifiedBy", &[], "Initiator", ExtraSource::Constant("null")),
        ("CustomerEmailToken", "version", &[], "Long!", ExtraSource::Constant("1")),
        ("CustomerPasswordToken", "createdBy", &[], "Initiator", ExtraSource::Constant("null")),
        ("CustomerPasswordToken", "lastModifiedBy", &[], "Initiator", ExtraSource::Constant("null")),
        ("CustomerPasswordToken", "version", &[], "Long!", ExtraSource::Constant("1")),
        (
            "Customer",
            "billingAddresses",
            &[],
            "[Address!]!",
            ExtraSource::Elements { list: "addresses", by: "billingAddressIds" },
        ),
        (
            "Customer",
            "defaultBillingAddress",
            &[],
            "Address",
            ExtraSource::Elements { list: "addresses", by: "defaultBillingAddressId" },
        ),
        (
            "Customer",
            "defaultShippingAddress",
            &[],
            "Address",
            ExtraSource::Elements { list: "addresses", by: "defaultShippingAddressId" },
        ),
        (
            "Customer",
            "shippingAddresses",
            &[],
            "[Address!]!",
            ExtraSource::Elements { list: "addresses", by: "shippingAddressIds" },
        ),
    ],
    endpoints: &[
        EndpointNames {
            kind: "Customer",
            endpoint: "login",
            mutation: "customerSignIn",
            response: None,
            parent_field: None,
        },
        EndpointNames {
            kind: "Customer",
            endpoint: "myLogin",
            mutation: "customerSignMeIn",
            response: None,
            parent_field: None,
        },
        EndpointNames {
            kind: "Customer",
            endpoint: "createPasswordToken",
            mutation: "customerCreatePasswordResetToken",
            response: Some("CustomerPasswordToken"),
            parent_field: None,
        },
        EndpointNames {
            kind: "Customer",
            endpoint: "createEmailToken",
            mutation: "customerCreateEmailVerificationToken",
            response: Some("CustomerEmailToken!"),
            parent_field: None,
        },
    ],
    ..ExceptionArea::NONE
};
