//! The table of error codes: a row each, with its HTTP status.
//!
//! The reference states a status for few codes (`facts`: 13 of 93); the others follow the public
//! documentation, which groups errors by status.

macro_rules! codes {
    ($($name:ident $text:literal $status:literal;)*) => {
        /// A documented error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The names are the documentation: they are those of the reference.
        pub enum Code { $($name,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the code's spelling in a body.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// Returns the HTTP status that goes with the code.
            pub fn status(self) -> u16 {
                match self { $(Code::$name => $status,)* }
            }
        }
    };
}

codes! {
    AccessDenied "access_denied" 401;
    AnonymousIdAlreadyInUse "AnonymousIdAlreadyInUse" 400;
    AssociateMissingPermission "AssociateMissingPermission" 403;
    AttributeDefinitionAlreadyExists "AttributeDefinitionAlreadyExists" 400;
    AttributeDefinitionTypeConflict "AttributeDefinitionTypeConflict" 400;
    AttributeNameDoesNotExist "AttributeNameDoesNotExist" 400;
    BadGateway "BadGateway" 502;
    BadRequest "BadRequest" 400;
    BulkOperationMaxItemsExceeded "BulkOperationMaxItemsExceeded" 400;
    ConcurrentModification "ConcurrentModification" 409;
    ContentTooLarge "ContentTooLarge" 413;
    CountryNotConfiguredInStore "CountryNotConfiguredInStore" 400;
    DiscountCodeNonApplicable "DiscountCodeNonApplicable" 400;
    DuplicateAttributeValue "DuplicateAttributeValue" 400;
    DuplicateAttributeValues "DuplicateAttributeValues" 400;
    DuplicateEnumValues "DuplicateEnumValues" 400;
    DuplicateField "DuplicateField" 400;
    DuplicateFieldWithConflictingResource "DuplicateFieldWithConflictingResource" 400;
    DuplicatePriceKey "DuplicatePriceKey" 400;
    DuplicatePriceScope "DuplicatePriceScope" 400;
    DuplicateStandalonePriceScope "DuplicateStandalonePriceScope" 400;
    DuplicateVariantValues "DuplicateVariantValues" 400;
    EditPreviewFailed "EditPreviewFailed" 400;
    EnumKeyAlreadyExists "EnumKeyAlreadyExists" 400;
    EnumKeyDoesNotExist "EnumKeyDoesNotExist" 400;
    EnumValueIsUsed "EnumValueIsUsed" 400;
    EnumValuesMustMatch "EnumValuesMustMatch" 400;
    ExpiredCustomerEmailToken "ExpiredCustomerEmailToken" 400;
    ExpiredCustomerPasswordToken "ExpiredCustomerPasswordToken" 400;
    ExtensionBadResponse "ExtensionBadResponse" 502;
    ExtensionChainTooDeep "ExtensionChainTooDeep" 400;
    ExtensionChainTooWide "ExtensionChainTooWide" 400;
    ExtensionCircularDependency "ExtensionCircularDependency" 400;
    ExtensionDependencyExists "ExtensionDependencyExists" 400;
    ExtensionNoResponse "ExtensionNoResponse" 504;
    ExtensionPredicateEvaluationFailed "ExtensionPredicateEvaluationFailed" 400;
    ExtensionUpdateActionsFailed "ExtensionUpdateActionsFailed" 400;
    ExternalOAuthFailed "ExternalOAuthFailed" 502;
    FeatureDisabled "FeatureDisabled" 400;
    FeatureRemoved "FeatureRemoved" 400;
    General "General" 500;
    InsufficientScope "insufficient_scope" 403;
    InternalConstraintViolated "InternalConstraintViolated" 400;
    InvalidCredentials "InvalidCredentials" 400;
    InvalidCurrentPassword "InvalidCurrentPassword" 400;
    InvalidField "InvalidField" 400;
    InvalidInput "InvalidInput" 400;
    InvalidItemShippingDetails "InvalidItemShippingDetails" 400;
    InvalidJsonInput "InvalidJsonInput" 400;
    InvalidOperation "InvalidOperation" 400;
    InvalidSubject "InvalidSubject" 403;
    InvalidToken "invalid_token" 401;
    LanguageUsedInStores "LanguageUsedInStores" 400;
    LineItemQuantityAboveLimit "LineItemQuantityAboveLimit" 400;
    LineItemQuantityBelowLimit "LineItemQuantityBelowLimit" 400;
    MatchingPriceNotFound "MatchingPriceNotFound" 400;
    MaxCartDiscountsReached "MaxCartDiscountsReached" 400;
    MaxDiscountGroupsReached "MaxDiscountGroupsReached" 400;
    MaxResourceLimitExceeded "MaxResourceLimitExceeded" 400;
    MaxStoreReferencesReached "MaxStoreReferencesReached" 400;
    MethodNotAllowed "MethodNotAllowed" 405;
    MissingRoleOnChannel "MissingRoleOnChannel" 400;
    MissingTaxRateForCountry "MissingTaxRateForCountry" 400;
    MoneyOverflow "MoneyOverflow" 400;
    MultipleActionsNotAllowed "MultipleActionsNotAllowed" 400;
    NoMatchingProductDiscountFound "NoMatchingProductDiscountFound" 404;
    NewMasterVariantAdditionNotAllowed "NewMasterVariantAdditionNotAllowed" 400;
    ObjectNotFound "ObjectNotFound" 404;
    OutOfStock "OutOfStock" 400;
    OverCapacity "OverCapacity" 503;
    OverlappingPriceValidity "OverlappingPriceValidity" 400;
    OverlappingStandalonePriceValidity "OverlappingStandalonePriceValidity" 400;
    PriceChanged "PriceChanged" 400;
    ProductAssignmentMissing "ProductAssignmentMissing" 400;
    ProductPresentWithDifferentVariantSelection "ProductPresentWithDifferentVariantSelection" 400;
    ProjectNotConfiguredForLanguages "ProjectNotConfiguredForLanguages" 400;
    QueryComplexityLimitExceeded "QueryComplexityLimitExceeded" 400;
    QueryTimedOut "QueryTimedOut" 503;
    ReferenceExists "ReferenceExists" 400;
    ReferencedResourceNotFound "ReferencedResourceNotFound" 400;
    RequiredField "RequiredField" 400;
    ResourceNotFound "ResourceNotFound" 404;
    ResourceSizeLimitExceeded "ResourceSizeLimitExceeded" 400;
    SearchDeactivated "SearchDeactivated" 400;
    SearchFacetPathNotFound "SearchFacetPathNotFound" 400;
    SearchIndexingInProgress "SearchIndexingInProgress" 400;
    SearchNotReady "SearchNotReady" 400;
    SemanticError "SemanticError" 400;
    ShippingMethodDoesNotMatchCart "ShippingMethodDoesNotMatchCart" 400;
    StoreCartDiscountsLimitReached "StoreCartDiscountsLimitReached" 400;
    SyntaxError "SyntaxError" 400;
    Unauthorized "Unauthorized" 401;
    UnsupportedMediaType "UnsupportedMediaType" 415;
}
