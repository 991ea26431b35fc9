//! Every place where the official schema leaves the naming conventions, in one table each.
//!
//! The conventions themselves are in `derive/` and are written down in `docs/guide/graphql.md`. A name on the
//! left is one of the model (or, where a table says so, of this face); a name on the right is one of the
//! official schema. Nothing else in this crate knows the name of a resource.

/// Words of a kind in this face. What is `None` follows the conventions.
pub(crate) struct KindNames {
    /// Name in the model, of a kind or of what of it belongs to who asks.
    pub(crate) kind: &'static str,
    /// The type of its documents; without an exception the kind's name.
    pub(crate) object: Option<&'static str>,
    /// The type of what its creation answers; without an exception `object`.
    pub(crate) created: Option<&'static str>,
    /// The mutation that creates; without an exception `create` (or `createOrUpdate`) and `mutation`.
    pub(crate) create: Option<&'static str>,
    /// The query of one document; without an exception the kind's name in camel case.
    pub(crate) one: Option<&'static str>,
    /// The query of many documents; without an exception the kind's path in camel case.
    pub(crate) many: Option<&'static str>,
    /// What follows `create`, `update` and `delete`; without an exception the kind's name.
    pub(crate) mutation: Option<&'static str>,
    /// What stands in the names of update actions; without an exception the kind's name.
    pub(crate) actions: Option<&'static str>,
    /// The input of a creation; without an exception the kind's name and `Draft`.
    pub(crate) draft: Option<&'static str>,
}

const NO_EXCEPTION: KindNames = KindNames {
    kind: "",
    object: None,
    created: None,
    create: None,
    one: None,
    many: None,
    mutation: None,
    actions: None,
    draft: None,
};

pub(crate) const KINDS: &[KindNames] = &[
    KindNames {
        kind: "ApiClient",
        object: Some("APIClientWithoutSecret"),
        created: Some("APIClientWithSecret"),
        draft: Some("CreateApiClient"),
        ..NO_EXCEPTION
    },
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
    KindNames { kind: "InventoryEntry", many: Some("inventoryEntries"), ..NO_EXCEPTION },
    KindNames { kind: "ProductType", object: Some("ProductTypeDefinition"), ..NO_EXCEPTION },
    KindNames { kind: "ProductSelection", draft: Some("CreateProductSelectionDraft"), ..NO_EXCEPTION },
    KindNames {
        kind: "ProductSelectionAssignment",
        object: Some("ProductAssignment"),
        many: Some("productSelectionAssignments"),
        ..NO_EXCEPTION
    },
    KindNames {
        kind: "Project",
        object: Some("ProjectProjection"),
        actions: Some("ProjectSettings"),
        ..NO_EXCEPTION
    },
    KindNames { kind: "StandalonePrice", draft: Some("CreateStandalonePrice"), ..NO_EXCEPTION },
    KindNames { kind: "Store", draft: Some("CreateStore"), ..NO_EXCEPTION },
    KindNames {
        kind: "Type",
        object: Some("TypeDefinition"),
        one: Some("typeDefinition"),
        many: Some("typeDefinitions"),
        mutation: Some("TypeDefinition"),
        draft: Some("TypeDefinitionDraft"),
        ..NO_EXCEPTION
    },
    KindNames { kind: "Zone", draft: Some("CreateZone"), ..NO_EXCEPTION },
    KindNames { kind: "ProductTailoring", many: Some("productTailoringList"), ..NO_EXCEPTION },
];

/// Kinds whose type does not implement `ReferenceExpandable`.
pub(crate) const NOT_EXPANDABLE: &[&str] = &[
    "AttributeGroup",
    "Payment",
    "ProductSelection",
    "ProductTailoring",
    "RecurrencePolicy",
    "StandalonePrice",
];

/// Queries of one document by `id` or `key`, although documents of the kind have no key.
pub(crate) const KEYS_WITHOUT_KEY: &[&str] = &["Message"];

/// Objects, unions and enums of the model that are called otherwise where they are answered.
pub(crate) const OUTPUT_NAMES: &[(&str, &str)] = &[
    ("ProductDiscountValueRelative", "RelativeDiscountValue"),
    ("ProductDiscountValueAbsolute", "AbsoluteDiscountValue"),
    ("ProductDiscountValueExternal", "ExternalDiscountValue"),
    ("AttributeBooleanType", "BooleanAttributeDefinitionType"),
    ("AttributeDateTimeType", "DateTimeAttributeDefinitionType"),
    ("AttributeDateType", "DateAttributeDefinitionType"),
    ("AttributeEnumType", "EnumAttributeDefinitionType"),
    ("AttributeLevelEnum", "Level"),
    ("AttributeLocalizableTextType", "LocalizableTextAttributeDefinitionType"),
    ("AttributeLocalizedEnumType", "LocalizableEnumAttributeDefinitionType"),
    ("AttributeLocalizedEnumValue", "LocalizableEnumValueType"),
    ("AttributeMoneyType", "MoneyAttributeDefinitionType"),
    ("AttributeNestedType", "NestedAttributeDefinitionType"),
    ("AttributeNumberType", "NumberAttributeDefinitionType"),
    ("AttributePlainEnumValue", "PlainEnumValue"),
    ("AttributeReferenceType", "ReferenceAttributeDefinitionType"),
    ("AttributeSetType", "SetAttributeDefinitionType"),
    ("AttributeTextType", "TextAttributeDefinitionType"),
    ("AttributeTimeType", "TimeAttributeDefinitionType"),
    ("AttributeType", "AttributeDefinitionType"),
    ("AssignedProductReference", "ProductOfSelection"),
    ("AssignedProductSelection", "SelectionOfProduct"),
    ("CentPrecisionMoney", "Money"),
    ("CreatedBy", "Initiator"),
    ("CustomFieldBooleanType", "BooleanType"),
    ("CustomFieldDateTimeType", "DateTimeType"),
    ("CustomFieldDateType", "DateType"),
    ("CustomFieldEnumType", "EnumType"),
    ("CustomFieldEnumValue", "EnumValue"),
    ("CustomFieldLocalizedEnumType", "LocalizedEnumType"),
    ("CustomFieldLocalizedEnumValue", "LocalizedEnumValue"),
    ("CustomFieldLocalizedStringType", "LocalizedStringType"),
    ("CustomFieldMoneyType", "MoneyType"),
    ("CustomFieldNumberType", "NumberType"),
    ("CustomFieldReferenceType", "ReferenceType"),
    ("CustomFieldSetType", "SetType"),
    ("CustomFieldStringType", "StringType"),
    ("CustomFieldTimeType", "TimeType"),
    ("DiscountedPrice", "DiscountedProductPriceValue"),
    ("GeoJson", "Geometry"),
    ("GeoJsonPoint", "Point"),
    ("InventoryEntryStockLevels", "StockLevels"),
    ("LastModifiedBy", "Initiator"),
    ("Price", "ProductPrice"),
    ("PriceTier", "ProductPriceTier"),
    ("ProductVariantSelectionExclusion", "ProductVariantSelectionIncludeAllExcept"),
    ("ProductVariantSelectionInclusion", "ProductVariantSelectionIncludeOnly"),
    ("SearchIndexingConfigurationStatus", "SearchIndexingStatus"),
    ("TypeTextInputHint", "TextInputHint"),
    ("TypedMoney", "BaseMoney"),
    ("CustomTokenizer", "CustomSuggestTokenizer"),
    ("ImageDimensions", "Dimensions"),
    ("ProductPriceDiscountsSetUpdatedPrice", "ProductPriceDiscountUpdateMessagePayload"),
    ("ProductPriceModeEnum", "PriceMode"),
    ("ProductPublishScope", "PublishScope"),
    ("WhitespaceTokenizer", "WhitespaceSuggestTokenizer"),
];

/// Objects and unions of the model that are called otherwise where they are sent. Without an exception an
/// `input` keeps its name, and a `type` or `union` gets `Input` at its end.
pub(crate) const INPUT_NAMES: &[(&str, &str)] = &[
    ("ProductDiscountValueRelative", "RelativeDiscountValueInput"),
    ("ProductDiscountValueAbsoluteDraft", "AbsoluteDiscountValueInput"),
    ("ProductDiscountValueExternal", "ExternalDiscountValueInput"),
    ("ProductDiscountValueDraft", "ProductDiscountValueInput"),
    ("AssetDraft", "AssetDraftInput"),
    ("AttributeBooleanType", "SimpleAttributeTypeDraft"),
    ("AttributeDateTimeType", "SimpleAttributeTypeDraft"),
    ("AttributeDateType", "SimpleAttributeTypeDraft"),
    ("AttributeEnumType", "EnumTypeDraft"),
    ("AttributeLocalizableTextType", "SimpleAttributeTypeDraft"),
    ("AttributeLocalizedEnumType", "LocalizableEnumTypeDraft"),
    ("AttributeLocalizedEnumValue", "LocalizedEnumValueDraft"),
    ("AttributeMoneyType", "SimpleAttributeTypeDraft"),
    ("AttributeNumberType", "SimpleAttributeTypeDraft"),
    ("AttributePlainEnumValue", "PlainEnumValueDraft"),
    ("AttributeReferenceType", "ReferenceTypeDefinitionDraft"),
    ("AttributeSetTypeDraft", "AttributeSetTypeDraft"),
    ("AttributeTextType", "SimpleAttributeTypeDraft"),
    ("AttributeTimeType", "SimpleAttributeTypeDraft"),
    ("AttributeTypeDraft", "AttributeTypeDraft"),
    ("BaseAddress", "AddressInput"),
    ("CartClassificationType", "CartClassificationInput"),
    ("CartScoreType", "CartScoreInput"),
    ("CartValueType", "CartValueInput"),
    ("CartsConfigurationDraft", "CartsConfigurationInput"),
    ("CentPrecisionMoneyDraft", "MoneyInput"),
    ("CustomerSignin", "CustomerSignInDraft"),
    ("MyCustomerSignin", "CustomerSignMeInDraft"),
    ("CustomFieldBooleanType", "SimpleFieldTypeDraft"),
    ("CustomFieldDateTimeType", "SimpleFieldTypeDraft"),
    ("CustomFieldDateType", "SimpleFieldTypeDraft"),
    ("CustomFieldEnumType", "FieldTypeEnumTypeDraft"),
    ("CustomFieldEnumValue", "EnumValueInput"),
    ("CustomFieldLocalizedEnumType", "FieldTypeLocalizedEnumTypeDraft"),
    ("CustomFieldLocalizedEnumValue", "LocalizedEnumValueInput"),
    ("CustomFieldLocalizedStringType", "SimpleFieldTypeDraft"),
    ("CustomFieldMoneyType", "SimpleFieldTypeDraft"),
    ("CustomFieldNumberType", "SimpleFieldTypeDraft"),
    ("CustomFieldReferenceType", "FieldTypeReferenceTypeDraft"),
    ("CustomFieldSetType", "FieldTypeSetTypeDraft"),
    ("CustomFieldStringType", "SimpleFieldTypeDraft"),
    ("CustomFieldTimeType", "SimpleFieldTypeDraft"),
    ("DiscountedPriceDraft", "DiscountedProductPriceValueInput"),
    ("ExternalOAuth", "ExternalOAuthDraft"),
    ("FieldDefinitionDraft", "FieldDefinitionInput"),
    ("GeoJson", "GeometryInput"),
    ("HighPrecisionMoneyDraft", "HighPrecisionMoneyInput"),
    ("InventoryEntryStockLevels", "StockLevelsDraft"),
    ("Location", "ZoneLocation"),
    ("Money", "MoneyInput"),
    ("PaymentMethodInfoDraft", "PaymentMethodInfoInput"),
    ("PaymentMethodToken", "PaymentMethodTokenDraft"),
    ("PaymentStatusDraft", "PaymentStatusInput"),
    ("PriceDraft", "ProductPriceDataInput"),
    ("PriceTierDraft", "ProductPriceTierInput"),
    ("ProductVariantExclusion", "ProductVariantExclusionDraft"),
    ("ProductVariantSelection", "ProductVariantSelectionDraft"),
    ("ShoppingListsConfigurationDraft", "ShoppingListsConfigurationInput"),
    ("SubRate", "SubRateDraft"),
    ("TypedMoneyDraft", "BaseMoneyInput"),
    ("Attribute", "ProductAttributeInput"),
    ("CustomTokenizer", "CustomSuggestTokenizerInput"),
    ("ImageDimensions", "DimensionsInput"),
    ("ProductVariantDraft", "ProductVariantInput"),
    ("SearchKeyword", "SearchKeywordItemInput"),
    ("SuggestTokenizer", "BaseSearchKeywordInput"),
    ("WhitespaceTokenizer", "WhitespaceSuggestTokenizerInput"),
    ("ProductVariantTailoringDraft", "ProductVariantTailoringInput"),
];

/// Further types for an object of the model, for fields that [`RETYPED`] gives them to.
pub(crate) const OUTPUT_ALIASES: &[(&str, &str)] = &[
    ("BusinessUnitSearchConfiguration", "SearchIndexingConfigurationValues"),
    ("CustomerSearchConfiguration", "SearchIndexingConfigurationValues"),
    ("DiscountedProductSearchPriceValue", "DiscountedPrice"),
    ("OrderSearchConfiguration", "SearchIndexingConfigurationValues"),
    ("ShippingRateInputLocalizedEnumValue", "CustomFieldLocalizedEnumValue"),
    ("ProductProjectionMessagePayload", "ProductProjection"),
    ("VariantTailoring", "ProductVariantTailoring"),
];

/// Further inputs for an object or union of the model, for fields that [`RETYPED_INPUTS`] gives them to.
pub(crate) const INPUT_ALIASES: &[(&str, &str)] = &[
    ("AttributeSetElementTypeDraft", "AttributeTypeDraft"),
    ("FieldTypeSetElementTypeDraft", "FieldType"),
    ("ProductSelectionSettingInActionInput", "ProductSelectionSettingDraft"),
];

/// Unions that are sent as one object with the fields of all members, instead of one field a member.
pub(crate) const FLAT_UNIONS: &[&str] = &["GeoJson"];

/// Values of enums that only this face has.
pub(crate) const EXTRA_ENUM_VALUES: &[(&str, &str)] =
    &[("AttributionSource", "ManagedCommerceMCP"), ("ProductCatalogModel", "InMigration")];

/// Fields (of types of this face, named as in the model) that this face does not have.
pub(crate) const HIDDEN: &[(&str, &str)] = &[
    ("ProductDiscount", "references"),
    ("APIClientWithoutSecret", "secret"),
    ("Geometry", "coordinates"),
    ("Initiator", "associate"),
    ("Initiator", "customer"),
    ("NestedAttributeDefinitionType", "typeReference"),
    ("Payment", "amountAuthorized"),
    ("Payment", "amountPaid"),
    ("Payment", "amountRefunded"),
    ("Payment", "authorizedUntil"),
    ("Payment", "externalId"),
    ("ProductAssignment", "createdAt"),
    ("ProductAssignment", "lastModifiedAt"),
    ("ProductSelection", "type"),
    ("ProjectProjection", "businessUnits"),
    ("SearchIndexingConfiguration", "productsSearch"),
    ("StoreNameSet", "nameAllLocales"),
    ("UserProvidedIdentifiers", "containerAndKey"),
    ("Product", "warnings"),
    ("ProductAddedToCategory", "category"),
    ("ProductData", "attributes"),
    ("ProductRemovedFromCategory", "category"),
    ("ProductVariant", "attributes"),
    ("ProductVariant", "availability"),
    ("ProductVariant", "isMatchingVariant"),
    ("ProductVariant", "price"),
    ("ProductVariant", "recurrencePrices"),
    ("ProductVariant", "scopedPrice"),
    ("ProductVariant", "scopedPriceDiscounted"),
    ("ProductProjectionMessagePayload", "attributes"),
    ("ProductProjectionMessagePayload", "categoryOrderHints"),
    ("ProductProjectionMessagePayload", "defaultVariant"),
    ("ProductProjectionMessagePayload", "key"),
    ("ProductProjectionMessagePayload", "priceMode"),
    ("ProductProjectionMessagePayload", "searchKeywords"),
    ("ProductTailoring", "warnings"),
    ("ProductTailoringData", "attributes"),
    ("ProductVariantTailoring", "attributes"),
    ("ProductTailoringCreated", "attributes"),
    ("VariantTailoring", "attributes"),
    ("VariantTailoring", "id"),
];

/// Fields of inputs that this face does not have.
pub(crate) const HIDDEN_INPUTS: &[(&str, &str)] = &[
    ("ChangeProjectSettingsProductSearchIndexingEnabled", "mode"),
    ("CreateProductSelectionDraft", "type"),
    ("HighPrecisionMoneyInput", "type"),
    ("MoneyInput", "fractionDigits"),
    ("MoneyInput", "type"),
    ("PaymentDraft", "amountAuthorized"),
    ("PaymentDraft", "amountPaid"),
    ("PaymentDraft", "amountRefunded"),
    ("PaymentDraft", "authorizedUntil"),
    ("PaymentDraft", "externalId"),
    ("AddProductVariant", "isMasterVariant"),
    ("RemoveProductPrice", "price"),
    ("RemoveProductPrice", "sku"),
    ("RemoveProductPrice", "variantId"),
];

/// Members of unions that an input does not offer: a set holds no sets.
pub(crate) const HIDDEN_MEMBERS: &[(&str, &str)] = &[
    ("AttributeSetElementTypeDraft", "nested"),
    ("AttributeSetElementTypeDraft", "set"),
    ("AttributeTypeDraft", "nested"),
    ("FieldTypeSetElementTypeDraft", "Set"),
    ("ProductVariantSelectionDraft", "exclusion"),
    ("ProductVariantSelectionDraft", "inclusion"),
];

/// Unions (as they are called where they are sent) whose members are sent as the value of their only field.
pub(crate) const BARE_MEMBERS: &[&str] = &["ProductVariantSelectionDraft"];

/// Update actions that this face does not have: kind and action.
pub(crate) const HIDDEN_ACTIONS: &[(&str, &str)] = &[
    ("MyPayment", "setTransactionCustomField"),
    ("ProductType", "changeAttributeConstraint"),
    ("Type", "changeFieldDefinitionLabel"),
    ("Product", "setSKU"),
];

/// Kinds whose inputs of update actions are called as the action is, without the kind.
pub(crate) const BARE_ACTIONS: &[&str] = &["ProductType"];

/// Inputs of update actions that are called otherwise: kind, action, name.
pub(crate) const ACTION_NAMES: &[(&str, &str, &str)] = &[
    ("Customer", "addCustomerGroupAssignment", "AddCustomerGroupAssignment"),
    ("Customer", "removeCustomerGroupAssignment", "RemoveCustomerGroupAssignment"),
    ("Customer", "setCustomerGroup", "SetCustomerGroup"),
    ("Customer", "setCustomerGroupAssignments", "SetCustomerGroupAssignments"),
    ("Customer", "setCustomerNumber", "SetCustomerNumber"),
    ("InventoryEntry", "setInventoryLimits", "SetInventoryLimits"),
    ("InventoryEntry", "setKey", "SetInventoryKey"),
    ("InventoryEntry", "setReorderPoint", "SetReorderPoint"),
    ("InventoryEntry", "setSafetyStock", "SetSafetyStock"),
    ("StandalonePrice", "addPriceTier", "AddStandalonePriceTier"),
    ("StandalonePrice", "applyStagedChanges", "ApplyStagedChanges"),
    ("StandalonePrice", "removePriceTier", "RemoveStandalonePriceTier"),
    ("StandalonePrice", "removeStagedChanges", "RemoveStagedChanges"),
    ("StandalonePrice", "setCustomField", "SetStandalonePriceCustomFields"),
    ("StandalonePrice", "setCustomType", "CustomFieldsDraft"),
    ("StandalonePrice", "setPriceTiers", "SetStandalonePriceTiers"),
    ("TaxCategory", "addTaxRate", "TaxCategoryAddTaxRate"),
    ("TaxCategory", "changeName", "TaxCategoryChangeName"),
    ("TaxCategory", "removeTaxRate", "TaxCategoryRemoveTaxRate"),
    ("TaxCategory", "replaceTaxRate", "TaxCategoryReplaceTaxRate"),
    ("TaxCategory", "setDescription", "TaxCategorySetDescription"),
    ("Product", "revertStagedChanges", "RevertStagedChanges"),
    ("Product", "revertStagedVariantChanges", "RevertStagedVariantChanges"),
    ("Product", "setProductAttribute", "ProductLevelAttributeInput"),
    ("Product", "setProductPriceCustomField", "SetProductPriceCustomField"),
    ("Product", "setProductPriceCustomType", "SetProductPriceCustomType"),
    ("Product", "setProductVariantKey", "SetProductVariantKey"),
    ("Product", "setSearchKeywords", "SetSearchKeywords"),
    ("ProductTailoring", "addVariant", "AddProductVariantTailoring"),
    ("ProductTailoring", "publish", "PublishTailoring"),
    ("ProductTailoring", "removeVariant", "RemoveProductVariantTailoring"),
    ("ProductTailoring", "setProductAttribute", "SetProductLevelTailoringAttribute"),
    ("ProductTailoring", "unpublish", "UnpublishTailoring"),
];

/// An update action of this face that the other one knows under another name.
pub(crate) struct ActionAlias {
    pub(crate) kind: &'static str,
    /// As it is called here.
    pub(crate) name: &'static str,
    /// As the model calls it.
    pub(crate) action: &'static str,
    /// Its only field here, with its type.
    pub(crate) field: (&'static str, &'static str),
    /// Where the field goes in the action of the model.
    pub(crate) to: &'static [&'static str],
}

pub(crate) const ACTION_ALIASES: &[ActionAlias] = &[ActionAlias {
    kind: "Project",
    name: "setProductVsCartDiscountCombination",
    action: "setDiscountsConfiguration",
    field: ("productVsCartDiscountCombination", "DiscountCombinationMode"),
    to: &["discountsConfiguration", "discountCombinationMode"],
}];

/// An update action of this face that is several of the other one, with the fields of all.
pub(crate) struct ActionSplit {
    pub(crate) kind: &'static str,
    /// As it is called here.
    pub(crate) name: &'static str,
    pub(crate) input: &'static str,
    /// As the model calls them, in the sequence in which they are done.
    pub(crate) actions: &'static [&'static str],
}

pub(crate) const ACTION_SPLITS: &[ActionSplit] = &[ActionSplit {
    kind: "Product",
    name: "setMetaAttributes",
    input: "SetProductMetaAttributes",
    actions: &["setMetaDescription", "setMetaKeywords", "setMetaTitle"],
}];

/// Fields that are called otherwise: type, name in the model, name here.
pub(crate) const RENAMED: &[(&str, &str, &str)] = &[
    ("AssetDimensions", "h", "height"),
    ("AssetDimensions", "w", "width"),
    ("AssetDimensionsInput", "h", "height"),
    ("AssetDimensionsInput", "w", "width"),
    ("Message", "resourceUserProvidedIdentifiers", "userProvidedIdentifiers"),
    ("StandalonePriceTierRemoved", "removedTier", "tier"),
    ("ProductTypeDefinition", "attributes", "attributeDefinitions"),
    ("ProductTypeDraft", "attributes", "attributeDefinitions"),
    ("addAttributeDefinition", "attribute", "attributeDefinition"),
    ("changeAttributeOrder", "attributes", "attributeDefinitions"),
    ("Dimensions", "h", "height"),
    ("Dimensions", "w", "width"),
    ("DimensionsInput", "h", "height"),
    ("DimensionsInput", "w", "width"),
    ("ProductTailoringCreated", "published", "publish"),
];

/// Types of fields that do not follow from the model, with the JSON that stands for an absent value where the
/// type admits none. An absent list that must be there is empty without being told so here.
pub(crate) const RETYPED: &[(&str, &str, &str, Option<&str>)] = &[
    ("RelativeDiscountValue", "permyriad", "Int!", None),
    ("CustomerEmailToken", "lastModifiedAt", "DateTime!", None),
    ("CustomerPasswordToken", "lastModifiedAt", "DateTime!", None),
    ("APIClientWithSecret", "createdAt", "DateTime", None),
    ("APIClientWithSecret", "secret", "String!", None),
    ("APIClientWithoutSecret", "createdAt", "DateTime", None),
    ("Asset", "tags", "[String!]!", None),
    ("BusinessUnitSearchConfiguration", "lastModifiedAt", "DateTime!", None),
    ("BusinessUnitSearchConfiguration", "status", "BusinessUnitSearchStatus!", Some("\"Deactivated\"")),
    ("CartClassificationType", "values", "[ShippingRateInputLocalizedEnumValue!]!", None),
    ("CartsConfiguration", "countryTaxRateFallbackEnabled", "Boolean!", Some("false")),
    ("CartsConfiguration", "deleteDaysAfterLastModification", "Int!", None),
    ("CartsConfiguration", "priceRoundingMode", "RoundingMode!", Some("\"HalfEven\"")),
    ("CartsConfiguration", "taxRoundingMode", "RoundingMode!", Some("\"HalfEven\"")),
    ("Category", "assets", "[Asset!]!", None),
    ("Customer", "authenticationMode", "AuthenticationMode", None),
    ("CustomerAddressCustomFieldAdded", "addressId", "String!", None),
    ("CustomerAddressCustomFieldChanged", "addressId", "String!", None),
    ("CustomerAddressCustomFieldRemoved", "addressId", "String!", None),
    ("CustomerAddressCustomTypeRemoved", "addressId", "String!", None),
    ("CustomerAddressCustomTypeSet", "addressId", "String!", None),
    ("CustomerGroupAssignment", "customerGroupRef", "Reference", None),
    ("CustomerSearchConfiguration", "lastModifiedAt", "DateTime!", None),
    ("CustomerSearchConfiguration", "status", "CustomerSearchStatus!", Some("\"Deactivated\"")),
    ("FieldDefinition", "inputHint", "TextInputHint!", Some("\"SingleLine\"")),
    ("InventoryEntry", "restockableInDays", "Int", None),
    ("OrderSearchConfiguration", "lastModifiedAt", "DateTime!", None),
    ("OrderSearchConfiguration", "status", "OrderSearchStatus!", Some("\"Deactivated\"")),
    ("PaymentStatusStateTransition", "stateRef", "Reference", None),
    (
        "ProjectProjection",
        "shoppingLists",
        "ShoppingListsConfiguration!",
        Some("{\"deleteDaysAfterLastModification\":360}"),
    ),
    ("ProjectProjection", "trialUntil", "YearMonth", None),
    ("ReviewRatingSet", "newRating", "Int", None),
    ("ReviewRatingSet", "oldRating", "Int", None),
    ("ReviewRatingStatistics", "count", "Long!", None),
    ("ReviewRatingStatistics", "highestRating", "Int!", None),
    ("ReviewRatingStatistics", "lowestRating", "Int!", None),
    ("SearchIndexingConfiguration", "businessUnits", "BusinessUnitSearchConfiguration", None),
    ("SearchIndexingConfiguration", "customers", "CustomerSearchConfiguration", None),
    ("SearchIndexingConfiguration", "orders", "OrderSearchConfiguration", None),
    ("ShoppingListsConfiguration", "deleteDaysAfterLastModification", "Int!", None),
    ("State", "key", "String", None),
    ("State", "roles", "[StateRole!]!", None),
    ("Store", "countries", "[StoreCountry!]", None),
    ("Store", "languages", "[Locale!]", None),
    ("StoreCreated", "languages", "[Locale!]!", None),
    ("TaxRate", "id", "String", None),
    ("Transaction", "type", "TransactionType", None),
    ("ProductPrice", "id", "String", None),
    ("ProductPriceTier", "minimumQuantity", "Int!", None),
    ("ScopedPrice", "country", "String", None),
    ("ScopedPrice", "discounted", "DiscountedProductSearchPriceValue", None),
    ("StandardSchedule", "value", "Int!", None),
    ("StandalonePriceDeleted", "sku", "String", None),
    ("StandalonePriceStagedChangesRemoved", "stagedChanges", "StagedStandalonePrice", None),
    ("ProductCatalogData", "current", "ProductData", None),
    ("ProductCatalogData", "staged", "ProductData", None),
    ("ProductPriceModeSet", "to", "PriceMode", None),
    ("ProductProjectionMessagePayload", "hasStagedChanges", "Boolean!", Some("false")),
    ("ProductProjectionMessagePayload", "published", "Boolean!", Some("false")),
    ("ProductTailoring", "current", "ProductTailoringData", None),
    ("ProductTailoring", "staged", "ProductTailoringData", None),
    ("ProductTailoringCreated", "variants", "[ProductVariantTailoring!]!", None),
    ("ProductVariant", "assets", "[Asset!]!", None),
    ("ProductVariant", "id", "Int!", None),
    ("ProductVariant", "images", "[Image!]!", None),
    ("ProductVariantDeleted", "staged", "Boolean", None),
    ("ProductVariantTailoring", "id", "Int!", None),
    ("ProductVariantTailoringAdded", "variant", "VariantTailoring!", None),
    ("ProductVariantTailoringRemoved", "variant", "VariantTailoring!", None),
];

/// Types of input fields that do not follow from the model.
pub(crate) const RETYPED_INPUTS: &[(&str, &str, &str)] = &[
    ("RelativeDiscountValueInput", "permyriad", "Int!"),
    ("ProductDiscountDraft", "isActive", "Boolean = true"),
    ("AddMyPaymentTransaction", "transaction", "MyTransactionDraft!"),
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
    ("AssetDraftInput", "sources", "[AssetSourceInput!]"),
    ("AttributeDefinitionDraft", "isSearchable", "Boolean!"),
    ("AttributeSetTypeDraft", "elementType", "AttributeSetElementTypeDraft!"),
    ("CartsConfigurationInput", "deleteDaysAfterLastModification", "Int"),
    ("CategoryDraft", "assets", "[AssetDraftInput!] = []"),
    ("ChangeChannelDescription", "description", "[LocalizedStringItemInputType!]"),
    ("ChangeChannelName", "name", "[LocalizedStringItemInputType!]"),
    ("ChangeProjectSettingsCountryTaxRateFallbackEnabled", "countryTaxRateFallbackEnabled", "Boolean!"),
    ("ChangeStandalonePriceValue", "staged", "Boolean"),
    ("ChangeStoreProductSelectionActive", "active", "Boolean!"),
    ("ChannelDraft", "roles", "[ChannelRole!]!"),
    ("CreateApiClient", "deleteDaysAfterCreation", "Int"),
    ("CreateStandalonePrice", "active", "Boolean! = true"),
    ("CreateStandalonePrice", "tiers", "[ProductPriceTierInput!] = []"),
    ("CreateZone", "locations", "[ZoneLocation!] = []"),
    ("CustomerSignUpDraft", "addresses", "[AddressInput!] = []"),
    ("CustomerSignUpDraft", "billingAddresses", "[Int!] = []"),
    ("CustomerSignUpDraft", "shippingAddresses", "[Int!] = []"),
    ("DiscountsConfigurationInput", "discountCombinationMode", "DiscountCombinationMode"),
    ("FieldDefinitionInput", "inputHint", "TextInputHint!"),
    ("FieldTypeSetTypeDraft", "elementType", "FieldTypeSetElementTypeDraft!"),
    ("InventoryEntryDraft", "restockableInDays", "Int"),
    ("MessagesConfigurationDraft", "deleteDaysAfterCreation", "Int!"),
    ("ProductPriceDataInput", "customerGroup", "ReferenceInput"),
    ("ProductPriceDataInput", "tiers", "[ProductPriceTierInput!] = []"),
    ("ProductPriceTierInput", "minimumQuantity", "Int!"),
    ("ProductSelectionSettingDraft", "active", "Boolean!"),
    ("RemoveStandalonePriceTier", "minimumQuantity", "Int!"),
    ("SetCategoryAssetSources", "sources", "[AssetSourceInput!] = []"),
    ("SetCategoryAssetTags", "tags", "[String!] = []"),
    ("SetChannelRoles", "roles", "[ChannelRole!]!"),
    ("SetInventoryEntryRestockableInDays", "restockableInDays", "Int"),
    ("SetInventoryLimits", "maxCartQuantity", "Int"),
    ("SetInventoryLimits", "minCartQuantity", "Int"),
    ("SetPaymentInterfaceId", "interfaceId", "String"),
    ("SetPaymentStatusInterfaceText", "interfaceText", "String"),
    ("SetProjectSettingsMyBusinessUnitAssociateRoleOnCreation", "associateRole", "ResourceIdentifierInput"),
    ("SetReviewTarget", "target", "TargetReferenceInput"),
    ("SetStoreProductSelections", "productSelections", "[ProductSelectionSettingInActionInput!]"),
    ("ShoppingListsConfigurationInput", "deleteDaysAfterLastModification", "Int"),
    ("StandardScheduleInput", "value", "Int!"),
    ("StateDraft", "transitions", "[ReferenceInput!]"),
    ("TaxRateDraft", "subRates", "[SubRateDraft!] = []"),
    ("TransitionPaymentState", "force", "Boolean = false"),
    ("TransitionReviewState", "force", "Boolean = false"),
    ("AddProductVariant", "assets", "[AssetDraftInput!] = []"),
    ("AddProductVariant", "attributes", "[ProductAttributeInput!] = []"),
    ("AddProductVariant", "images", "[ImageInput!] = []"),
    ("AddProductVariant", "prices", "[ProductPriceDataInput!] = []"),
    ("MoveProductImageToPosition", "position", "Int!"),
    ("MoveProductImageToPosition", "staged", "Boolean"),
    ("ProductDraft", "attributes", "[ProductAttributeInput!] = []"),
    ("ProductDraft", "variants", "[ProductVariantInput!] = []"),
    ("ProductVariantInput", "assets", "[AssetDraftInput!] = []"),
    ("ProductVariantInput", "attributes", "[ProductAttributeInput!] = []"),
    ("ProductVariantInput", "images", "[ImageInput!] = []"),
    ("ProductVariantInput", "prices", "[ProductPriceDataInput!] = []"),
    ("RemoveProductVariant", "id", "Int"),
    ("SetProductAssetSources", "sources", "[AssetSourceInput!] = []"),
    ("SetProductAssetTags", "tags", "[String!] = []"),
    ("SetSearchKeywords", "staged", "Boolean"),
    ("TransitionProductState", "state", "ReferenceInput!"),
    ("ProductVariantExclusionDraft", "skus", "[String!]"),
    ("MoveProductTailoringImageToPosition", "position", "Int!"),
    ("SetProductTailoringAssetSources", "sources", "[AssetSourceInput!] = []"),
    ("SetProductTailoringAssetTags", "tags", "[String!] = []"),
    ("RemoveProductVariantTailoring", "id", "Int"),
    ("AddProductVariantTailoring", "id", "Int"),
    ("AddProductVariantTailoring", "attributes", "[ProductAttributeInput!] = []"),
    ("ProductVariantTailoringInput", "id", "Int"),
    ("ProductVariantTailoringInput", "attributes", "[ProductAttributeInput!] = []"),
    ("ProductTailoringDraft", "attributes", "[ProductAttributeInput!] = []"),
    ("ProductTailoringDraft", "variants", "[ProductVariantTailoringInput!] = []"),
    ("ProductTailoringDraft", "publish", "Boolean"),
];

/// Input fields that are accepted and mean nothing.
pub(crate) const IGNORED_INPUTS: &[(&str, &str, &str)] =
    &[("AssetDraftInput", "type", "ResourceIdentifierInput")];

/// An argument of a query that stands for a predicate.
pub(crate) struct Selector {
    pub(crate) kind: &'static str,
    /// The argument. A list chooses among many documents, anything else one document.
    pub(crate) argument: (&'static str, &'static str),
    /// The predicate; `{}` is the text, or the texts with commas between them.
    pub(crate) predicate: &'static str,
}

pub(crate) const SELECTORS: &[Selector] = &[
    Selector {
        kind: "Product",
        argument: ("sku", "String"),
        predicate: "masterData(current(variants(sku={})) or staged(variants(sku={})))",
    },
    Selector {
        kind: "Product",
        argument: ("variantKey", "String"),
        predicate: "masterData(current(variants(key={})) or staged(variants(key={})))",
    },
    Selector {
        kind: "Product",
        argument: ("skus", "[String!]"),
        predicate: "masterData(current(variants(sku in ({}))) or staged(variants(sku in ({}))))",
    },
];

/// Fields of shape `Long` that are `Int` in this face, wherever they stand.
pub(crate) const INT_FIELDS: &[&str] = &["variantId"];

/// Flags of inputs whose default this face shows, wherever they stand.
pub(crate) const SHOWN_DEFAULTS: &[(&str, &str)] = &[("staged", "true")];

/// Update actions that have a second name here: kind, name, input, action of the model.
pub(crate) const ACTION_SYNONYMS: &[(&str, &str, &str, &str)] =
    &[("Product", "changeImageLabel", "ChangeProductImageLabel", "setImageLabel")];

/// An object with free names that is sent as a list.
pub(crate) struct MapInput {
    /// The field, wherever it stands.
    pub(crate) field: &'static str,
    /// The input for one entry.
    pub(crate) input: &'static str,
    /// Its field for the name of the entry, and the type of that.
    pub(crate) name: (&'static str, &'static str),
    /// Its field for the value.
    pub(crate) value: &'static str,
}

pub(crate) const MAP_INPUTS: &[MapInput] = &[
    MapInput {
        field: "categoryOrderHints",
        input: "CategoryOrderHintInput",
        name: ("uuid", "String!"),
        value: "orderHint",
    },
    MapInput {
        field: "searchKeywords",
        input: "SearchKeywordInput",
        name: ("locale", "Locale!"),
        value: "keywords",
    },
];

/// Types that only this face has; their fields are in [`EXTRA`].
pub(crate) const EXTRA_OUTPUTS: &[(&str, &str)] = &[
    ("CategoryOrderHint", "The place of something in a Category: a number between 0 and 1."),
    ("RawProductAttribute", "An Attribute as plain JSON."),
    ("ReferenceId", "A reference that is not followed."),
    ("SearchKeywords", "Search keywords in one language."),
    ("ProductVariantAvailabilitiesResult", "A part of what Channels have."),
    ("ProductVariantAvailability", "What there is of a Product Variant."),
    ("ProductVariantAvailabilityWithChannel", "What a Channel has of a Product Variant."),
    ("ProductVariantAvailabilityWithChannels", "What there is of a Product Variant, in all and by Channel."),
];

/// What a field of this face shows that has no counterpart in the model.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extra {
    /// Always this JSON.
    Constant(&'static str),
    /// The reference at a path of the stored document, for fields that hold a bare one.
    Reference(&'static [&'static str]),
    /// The document that the reference at a path points to.
    Target(&'static [&'static str]),
    /// Documents of a kind that refer to this one at a path.
    Referrers { kind: &'static str, path: &'static str },
    /// How many documents of a kind refer to this one at a path; none while the kind is not served.
    CountOfReferrers { kind: &'static str, path: &'static str },
    /// Documents that references in a free JSON value point to, by the argument `expand`.
    ReferencedResources,
    /// As another stored field.
    Stored(&'static str),
    /// The elements of a stored list whose `id` another stored field has: one, or a list of them.
    Elements { list: &'static str, by: &'static str },
    /// Each text at paths once.
    Scalars(&'static [&'static str]),
    /// The elements of a stored list that the arguments choose, behind one that is stored apart.
    Chosen { first: Option<&'static str>, list: &'static str },
    /// The element of those with the `sku` or `key` of the arguments.
    ChosenOne { first: Option<&'static str>, list: &'static str },
    /// The entries of a stored object, as objects with these fields.
    MapEntries { field: &'static str, name: &'static str, value: &'static str },
    /// One entry of a stored object, by an argument.
    MapEntry { field: &'static str, argument: &'static str },
    /// A stored list of `{name, value}`, as entries.
    NamedValues(&'static str),
    /// The name of an entry.
    EntryName,
    /// Its value.
    EntryValue,
    /// The document that its value points to.
    EntryTarget,
    /// The documents that its value points to.
    EntryTargets,
    /// Its value as a list of `{name, value}`.
    EntryNamedValues,
    /// A page of a list of the model: the kind of its documents, and its name.
    Below { kind: &'static str, list: &'static str },
    /// The object itself, where it has this field.
    Having(&'static str),
    /// A part of the entries of a stored object whose names are ids.
    MapPage(&'static MapPage),
    /// What a kind puts into documents that it shows to who asks.
    Spliced(&'static Splice),
    /// The element with the name of an entry, in a list of the document that a reference above points to.
    EntryDefinition { reference: &'static str, list: &'static str },
}

/// The entries of a stored object whose names are ids of documents, as objects with a reference and the entry.
#[derive(Debug, PartialEq)]
pub(crate) struct MapPage {
    /// The stored object.
    pub(crate) field: &'static str,
    /// The arguments that choose by id.
    pub(crate) arguments: (&'static str, &'static str),
    /// The field for the reference, and its `typeId`.
    pub(crate) reference: (&'static str, &'static str),
    /// The field for the entry.
    pub(crate) value: &'static str,
}

/// A field that a kind puts into its documents for who asks, shown in a part of documents of another kind.
#[derive(Debug, PartialEq)]
pub(crate) struct Splice {
    /// The kind that puts it in.
    pub(crate) kind: &'static str,
    /// The field of its documents that holds such an object.
    pub(crate) at: &'static str,
    /// The fields of the object that count; beside it stand those of [`TOLD_BELOW`].
    pub(crate) needs: &'static [&'static str],
    /// Arguments, and the parameters of the kind that they are.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    /// The field that is put in.
    pub(crate) shows: &'static str,
}

/// Fields of an object that fields further down depend on.
pub(crate) const TOLD_BELOW: &[(&str, &[&str])] = &[
    ("Product", &["priceMode", "productType"]),
    ("ProductProjectionMessagePayload", &["priceMode", "productType"]),
];

const PRICE_PARAMETERS: &[(&str, &str)] = &[
    ("currency", "priceCurrency"),
    ("country", "priceCountry"),
    ("customerGroupId", "priceCustomerGroup"),
    ("customerGroupAssignmentIds", "priceCustomerGroupAssignments"),
    ("channelId", "priceChannel"),
    ("date", "priceDate"),
    ("recurrencePolicyId", "priceRecurrencePolicy"),
];

const fn price(shows: &'static str) -> Splice {
    Splice {
        kind: "ProductProjection",
        at: "masterVariant",
        needs: &["sku", "prices"],
        parameters: PRICE_PARAMETERS,
        shows,
    }
}

const PRICE: Splice = price("price");
const RECURRENCE_PRICES: Splice = price("recurrencePrices");

const OF_CHANNELS: MapPage = MapPage {
    field: "channels",
    arguments: ("includeChannelIds", "excludeChannelIds"),
    reference: ("channel", "channel"),
    value: "availability",
};

/// A field that only this face has: type, field, arguments, type of the value, what it shows.
type ExtraField = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str, Extra);

/// What a page is asked for by.
const PAGE: &[(&str, &str)] =
    &[("where", "String"), ("sort", "[String!]"), ("limit", "Int"), ("offset", "Int")];

/// Fields that only this face has.
pub(crate) const EXTRA: &[ExtraField] = &[
    ("ProductDiscount", "isValid", &[], "Boolean!", Extra::Constant("true")),
    ("ProductDiscount", "referenceRefs", &[], "[Reference!]!", Extra::Stored("references")),
    ("CustomerEmailToken", "createdBy", &[], "Initiator", Extra::Constant("null")),
    ("CustomerEmailToken", "lastModifiedBy", &[], "Initiator", Extra::Constant("null")),
    ("CustomerEmailToken", "version", &[], "Long!", Extra::Constant("1")),
    ("CustomerPasswordToken", "createdBy", &[], "Initiator", Extra::Constant("null")),
    ("CustomerPasswordToken", "lastModifiedBy", &[], "Initiator", Extra::Constant("null")),
    ("CustomerPasswordToken", "version", &[], "Long!", Extra::Constant("1")),
    ("Attribution", "userRef", &[], "Reference", Extra::Constant("null")),
    ("CartsConfiguration", "allowAddingUnpublishedProducts", &[], "Boolean!", Extra::Constant("false")),
    (
        "CartsConfiguration",
        "totalPriceDiscountDoesNotReduceExternalTax",
        &[],
        "Boolean!",
        Extra::Constant("false"),
    ),
    ("Category", "childCount", &[], "Int!", Extra::CountOfReferrers { kind: "Category", path: "parent" }),
    ("Category", "children", &[], "[Category!]", Extra::Referrers { kind: "Category", path: "parent" }),
    (
        "Category",
        "stagedProductCount",
        &[],
        "Int!",
        Extra::CountOfReferrers { kind: "Product", path: "masterData.staged.categories" },
    ),
    (
        "CustomObject",
        "referencedResources",
        &[("expand", "[String!]")],
        "[ReferencedResource!]",
        Extra::ReferencedResources,
    ),
    (
        "Customer",
        "billingAddresses",
        &[],
        "[Address!]!",
        Extra::Elements { list: "addresses", by: "billingAddressIds" },
    ),
    (
        "Customer",
        "defaultBillingAddress",
        &[],
        "Address",
        Extra::Elements { list: "addresses", by: "defaultBillingAddressId" },
    ),
    (
        "Customer",
        "defaultShippingAddress",
        &[],
        "Address",
        Extra::Elements { list: "addresses", by: "defaultShippingAddressId" },
    ),
    (
        "Customer",
        "shippingAddresses",
        &[],
        "[Address!]!",
        Extra::Elements { list: "addresses", by: "shippingAddressIds" },
    ),
    (
        "DiscountsConfiguration",
        "productVsCartDiscountCombination",
        &[],
        "DiscountCombinationMode",
        Extra::Stored("discountCombinationMode"),
    ),
    ("Initiator", "associateRef", &[], "Reference", Extra::Reference(&["associate"])),
    ("Initiator", "customerRef", &[], "Reference", Extra::Reference(&["customer"])),
    ("Initiator", "isPlatformClient", &[], "Boolean", Extra::Constant("null")),
    ("Initiator", "userRef", &[], "Reference", Extra::Constant("null")),
    ("NestedAttributeDefinitionType", "typeRef", &[], "Reference!", Extra::Reference(&["typeReference"])),
    (
        "Product",
        "productSelectionRefs",
        PAGE,
        "SelectionOfProductQueryResult!",
        Extra::Below { kind: "ProductSelectionAssignment", list: "ofProduct" },
    ),
    (
        "ProductSelection",
        "productRefs",
        PAGE,
        "ProductOfSelectionQueryResult!",
        Extra::Below { kind: "ProductSelectionAssignment", list: "ofProductSelection" },
    ),
    ("ReviewRatingSet", "target", &[], "ReviewTarget", Extra::Target(&["target"])),
    ("ReviewStateTransition", "target", &[], "ReviewTarget", Extra::Target(&["target"])),
    ("SelectionOfProduct", "lastModifiedAt", &[], "DateTime!", Extra::Stored("lastModifiedAt")),
    (
        "StoreCreated",
        "productSelectionsRef",
        &[],
        "[Reference!]!",
        Extra::Reference(&["productSelections", "productSelection"]),
    ),
    ("StoreCreated", "storefront", &[], "Storefront", Extra::Stored("storefront")),
    ("CategoryOrderHint", "categoryId", &[], "String!", Extra::Stored("categoryId")),
    ("CategoryOrderHint", "orderHint", &[], "String!", Extra::Stored("orderHint")),
    (
        "Product",
        "skus",
        &[],
        "[String!]!",
        Extra::Scalars(&[
            "masterData.current.masterVariant.sku",
            "masterData.current.variants.sku",
            "masterData.staged.masterVariant.sku",
            "masterData.staged.variants.sku",
        ]),
    ),
    ("ProductAddedToCategory", "category", &[], "ReferenceId!", Extra::Stored("category")),
    (
        "ProductData",
        "allVariants",
        &[
            ("onlyMatching", "Boolean"),
            ("skus", "[String!]"),
            ("isOnStock", "Boolean"),
            ("stockChannelIds", "[String!]"),
            ("hasImages", "Boolean"),
        ],
        "[ProductVariant!]!",
        Extra::Chosen { first: Some("masterVariant"), list: "variants" },
    ),
    ("ProductData", "attributesRaw", &[], "[RawProductAttribute!]!", Extra::NamedValues("attributes")),
    (
        "ProductData",
        "categoryOrderHint",
        &[("categoryId", "String!")],
        "String",
        Extra::MapEntry { field: "categoryOrderHints", argument: "categoryId" },
    ),
    (
        "ProductData",
        "categoryOrderHints",
        &[],
        "[CategoryOrderHint!]!",
        Extra::MapEntries { field: "categoryOrderHints", name: "categoryId", value: "orderHint" },
    ),
    (
        "ProductData",
        "searchKeyword",
        &[("locale", "Locale!")],
        "[SearchKeyword!]",
        Extra::MapEntry { field: "searchKeywords", argument: "locale" },
    ),
    (
        "ProductData",
        "searchKeywords",
        &[],
        "[SearchKeywords!]!",
        Extra::MapEntries { field: "searchKeywords", name: "locale", value: "searchKeywords" },
    ),
    ("ProductData", "skus", &[], "[String!]!", Extra::Scalars(&["masterVariant.sku", "variants.sku"])),
    (
        "ProductData",
        "variant",
        &[("sku", "String"), ("key", "String")],
        "ProductVariant",
        Extra::ChosenOne { first: Some("masterVariant"), list: "variants" },
    ),
    (
        "ProductData",
        "variants",
        &[
            ("onlyMatching", "Boolean"),
            ("skus", "[String!]"),
            ("isOnStock", "Boolean"),
            ("stockChannelIds", "[String!]"),
            ("hasImages", "Boolean"),
        ],
        "[ProductVariant!]!",
        Extra::Chosen { first: None, list: "variants" },
    ),
    ("ProductRemovedFromCategory", "category", &[], "ReferenceId!", Extra::Stored("category")),
    (
        "ProductVariant",
        "attributesRaw",
        &[("includeNames", "[String!]"), ("excludeNames", "[String!]")],
        "[RawProductAttribute!]!",
        Extra::NamedValues("attributes"),
    ),
    (
        "ProductVariant",
        "price",
        &[
            ("currency", "Currency!"),
            ("country", "Country"),
            ("customerGroupId", "String"),
            ("customerGroupAssignmentIds", "[String!]"),
            ("channelId", "String"),
            ("date", "DateTime"),
            ("recurrencePolicyId", "String"),
            ("returnAllPricesByRecurrencePolicy", "Boolean"),
        ],
        "ProductPrice",
        Extra::Spliced(&PRICE),
    ),
    (
        "ProductVariant",
        "allRecurrencePrices",
        &[
            ("currency", "Currency!"),
            ("country", "Country"),
            ("customerGroupId", "String"),
            ("channelId", "String"),
            ("date", "DateTime"),
            ("recurrencePolicyId", "String"),
            ("returnAllPricesByRecurrencePolicy", "Boolean"),
        ],
        "[ProductPrice!]",
        Extra::Spliced(&RECURRENCE_PRICES),
    ),
    (
        "ProductVariant",
        "availability",
        &[],
        "ProductVariantAvailabilityWithChannels",
        Extra::Stored("availability"),
    ),
    (
        "ProductVariantAvailabilityWithChannels",
        "noChannel",
        &[],
        "ProductVariantAvailability",
        Extra::Having("isOnStock"),
    ),
    (
        "ProductVariantAvailabilityWithChannels",
        "channels",
        &[
            ("includeChannelIds", "[String!]"),
            ("excludeChannelIds", "[String!]"),
            ("limit", "Int"),
            ("offset", "Int"),
        ],
        "ProductVariantAvailabilitiesResult!",
        Extra::MapPage(&OF_CHANNELS),
    ),
    ("ProductVariantAvailabilitiesResult", "limit", &[], "Int", Extra::Stored("limit")),
    ("ProductVariantAvailabilitiesResult", "offset", &[], "Int", Extra::Stored("offset")),
    ("ProductVariantAvailabilitiesResult", "total", &[], "Int!", Extra::Stored("total")),
    (
        "ProductVariantAvailabilitiesResult",
        "results",
        &[],
        "[ProductVariantAvailabilityWithChannel!]!",
        Extra::Stored("results"),
    ),
    (
        "ProductVariantAvailabilityWithChannel",
        "channelRef",
        &[],
        "Reference!",
        Extra::Reference(&["channel"]),
    ),
    ("ProductVariantAvailabilityWithChannel", "channel", &[], "Channel", Extra::Target(&["channel"])),
    (
        "ProductVariantAvailabilityWithChannel",
        "availability",
        &[],
        "ProductVariantAvailability!",
        Extra::Stored("availability"),
    ),
    ("ProductVariantAvailability", "isOnStock", &[], "Boolean!", Extra::Stored("isOnStock")),
    ("ProductVariantAvailability", "restockableInDays", &[], "Int", Extra::Stored("restockableInDays")),
    ("ProductVariantAvailability", "availableQuantity", &[], "Long", Extra::Stored("availableQuantity")),
    ("ProductVariantAvailability", "version", &[], "Long", Extra::Stored("version")),
    ("ProductVariantAvailability", "id", &[], "String", Extra::Stored("id")),
    (
        "ProductCreated",
        "productProjection",
        &[],
        "ProductProjectionMessagePayload!",
        Extra::Stored("productProjection"),
    ),
    (
        "ProductPublished",
        "productProjection",
        &[],
        "ProductProjectionMessagePayload!",
        Extra::Stored("productProjection"),
    ),
    (
        "ProductDeleted",
        "currentProjection",
        &[],
        "ProductProjectionMessagePayload",
        Extra::Stored("currentProjection"),
    ),
    (
        "ProductProjectionMessagePayload",
        "attributes",
        &[],
        "[RawProductAttribute!]!",
        Extra::NamedValues("attributes"),
    ),
    (
        "ProductProjectionMessagePayload",
        "categoryOrderHints",
        &[],
        "[CategoryOrderHint!]!",
        Extra::MapEntries { field: "categoryOrderHints", name: "categoryId", value: "orderHint" },
    ),
    (
        "ProductProjectionMessagePayload",
        "searchKeywords",
        &[],
        "[SearchKeywords!]!",
        Extra::MapEntries { field: "searchKeywords", name: "locale", value: "searchKeywords" },
    ),
    (
        "RawProductAttribute",
        "attributeDefinition",
        &[],
        "AttributeDefinition",
        Extra::EntryDefinition { reference: "productType", list: "attributes" },
    ),
    ("RawProductAttribute", "attributesRaw", &[], "[RawProductAttribute!]", Extra::EntryNamedValues),
    ("RawProductAttribute", "name", &[], "String!", Extra::EntryName),
    ("RawProductAttribute", "referencedResource", &[], "ReferenceExpandable", Extra::EntryTarget),
    ("RawProductAttribute", "referencedResourceSet", &[], "[ReferenceExpandable!]!", Extra::EntryTargets),
    ("RawProductAttribute", "value", &[], "Json!", Extra::EntryValue),
    ("ReferenceId", "id", &[], "String!", Extra::Stored("id")),
    ("ReferenceId", "typeId", &[], "String!", Extra::Stored("typeId")),
    ("SearchKeywords", "locale", &[], "Locale!", Extra::Stored("locale")),
    ("SearchKeywords", "searchKeywords", &[], "[SearchKeyword!]!", Extra::Stored("searchKeywords")),
    (
        "ProductTailoringCreated",
        "attributesRaw",
        &[],
        "[RawProductAttribute!]!",
        Extra::NamedValues("attributes"),
    ),
    (
        "ProductTailoringData",
        "attributesRaw",
        &[],
        "[RawProductAttribute!]!",
        Extra::NamedValues("attributes"),
    ),
    (
        "ProductVariantTailoring",
        "attributesRaw",
        &[],
        "[RawProductAttribute!]!",
        Extra::NamedValues("attributes"),
    ),
];

/// The field of `Query` whose object shows what belongs to one Store, and that object.
pub(crate) const IN_STORE: (&str, &str) = ("inStore", "InStore");
/// The field of `Query` that shows the same for several.
pub(crate) const IN_STORES: &str = "inStores";
/// The argument of mutations that names a Store.
pub(crate) const STORE_KEY: &str = "storeKey";
/// The field whose object shows what belongs to who asks, that object, and the one below a Store.
pub(crate) const ME: (&str, &str, &str) = ("me", "Me", "InStoreMe");

/// Interfaces of objects with queries: name and fields. An object with all these fields implements it.
pub(crate) const ROOT_INTERFACES: &[(&str, &[&str])] =
    &[("CustomerQueryInterface", &["customer", "customers"])];

/// An endpoint of the model that is called otherwise than the kind and the endpoint are.
pub(crate) struct EndpointNames {
    pub(crate) kind: &'static str,
    /// As the model calls it.
    pub(crate) endpoint: &'static str,
    pub(crate) mutation: &'static str,
    /// The type of the answer, where the model has one of its own.
    pub(crate) answer: Option<&'static str>,
}

pub(crate) const ENDPOINTS: &[EndpointNames] = &[
    EndpointNames { kind: "Customer", endpoint: "login", mutation: "customerSignIn", answer: None },
    EndpointNames { kind: "Customer", endpoint: "myLogin", mutation: "customerSignMeIn", answer: None },
    EndpointNames {
        kind: "Customer",
        endpoint: "createPasswordToken",
        mutation: "customerCreatePasswordResetToken",
        answer: Some("CustomerPasswordToken"),
    },
    EndpointNames {
        kind: "Customer",
        endpoint: "createEmailToken",
        mutation: "customerCreateEmailVerificationToken",
        answer: Some("CustomerEmailToken!"),
    },
];

/// Arguments that a mutation does not have.
pub(crate) const HIDDEN_ARGUMENTS: &[(&str, &str)] = &[("deleteMyPayment", "personalDataErasure")];

/// Lists whose elements the arguments `includeNames` and `excludeNames` choose by their `name`.
pub(crate) const NAMED_LISTS: &[(&str, &str)] = &[("TypeDefinition", "fieldDefinitions")];

/// A list of which a part is shown, by `include…` and `exclude…` of a field of its elements, `sort`, `limit` and
/// `offset`.
#[derive(Debug, PartialEq)]
pub(crate) struct PagedList {
    /// The type that has the list, and its field in the model.
    pub(crate) field: (&'static str, &'static str),
    /// The field of the elements that the arguments choose by.
    pub(crate) by: &'static str,
    /// The two arguments.
    pub(crate) arguments: (&'static str, &'static str),
    /// The type of such a part.
    pub(crate) result: &'static str,
}

pub(crate) const PAGED_LISTS: &[PagedList] = &[
    PagedList {
        field: ("EnumAttributeDefinitionType", "values"),
        by: "key",
        arguments: ("includeKeys", "excludeKeys"),
        result: "PlainEnumValueResult",
    },
    PagedList {
        field: ("LocalizableEnumAttributeDefinitionType", "values"),
        by: "key",
        arguments: ("includeKeys", "excludeKeys"),
        result: "LocalizableEnumValueTypeResult",
    },
    PagedList {
        field: ("ProductTypeDefinition", "attributes"),
        by: "name",
        arguments: ("includeNames", "excludeNames"),
        result: "AttributeDefinitionResult",
    },
];

/// The kind whose documents are messages, and the kind that defines custom fields (as it is called here).
pub(crate) const MESSAGE: &str = "Message";
pub(crate) const CUSTOM_TYPE: &str = "TypeDefinition";
