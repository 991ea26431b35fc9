//! Names and types of the official schema that do not follow the conventions, for the Project and its API Clients.
//! [`ExceptionArea`] explains the tables.

use super::{ActionAlias, ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[
        KindNames {
            kind: "ApiClient",
            object: Some("APIClientWithoutSecret"),
            created: Some("APIClientWithSecret"),
            draft: Some("CreateApiClient"),
            ..NO_EXCEPTION
        },
        KindNames {
            kind: "Project",
            object: Some("ProjectProjection"),
            actions: Some("ProjectSettings"),
            ..NO_EXCEPTION
        },
    ],
    output_names: &[("SearchIndexingConfigurationStatus", "SearchIndexingStatus")],
    input_names: &[
        ("CartClassificationType", "CartClassificationInput"),
        ("CartScoreType", "CartScoreInput"),
        ("CartValueType", "CartValueInput"),
        ("CartsConfigurationDraft", "CartsConfigurationInput"),
        ("ExternalOAuth", "ExternalOAuthDraft"),
        ("ShoppingListsConfigurationDraft", "ShoppingListsConfigurationInput"),
    ],
    output_aliases: &[
        ("BusinessUnitSearchConfiguration", "SearchIndexingConfigurationValues"),
        ("CustomerSearchConfiguration", "SearchIndexingConfigurationValues"),
        ("OrderSearchConfiguration", "SearchIndexingConfigurationValues"),
        ("ShippingRateInputLocalizedEnumValue", "CustomFieldLocalizedEnumValue"),
    ],
    extra_enum_values: &[("ProductCatalogModel", "InMigration")],
    hidden: &[
        ("APIClientWithoutSecret", "secret"),
        ("ProjectProjection", "businessUnits"),
        ("SearchIndexingConfiguration", "cartDiscountVisualization"),
        ("SearchIndexingConfiguration", "productsSearch"),
    ],
    hidden_inputs: &[("ChangeProjectSettingsProductSearchIndexingEnabled", "mode")],
    action_aliases: &[ActionAlias {
        kind: "Project",
        name: "setProductVsCartDiscountCombination",
        action: "setDiscountsConfiguration",
        field: ("productVsCartDiscountCombination", "DiscountCombinationMode"),
        to: &["discountsConfiguration", "discountCombinationMode"],
    }],
    retyped: &[
        ("APIClientWithSecret", "createdAt", "DateTime", None),
        ("APIClientWithSecret", "secret", "String!", None),
        ("APIClientWithoutSecret", "createdAt", "DateTime", None),
        ("BusinessUnitSearchConfiguration", "lastModifiedAt", "DateTime!", None),
        ("BusinessUnitSearchConfiguration", "status", "BusinessUnitSearchStatus!", Some("\"Deactivated\"")),
        ("CartClassificationType", "values", "[ShippingRateInputLocalizedEnumValue!]!", None),
        ("CartsConfiguration", "countryTaxRateFallbackEnabled", "Boolean!", Some("false")),
        ("CartsConfiguration", "deleteDaysAfterLastModification", "Int!", None),
        ("CartsConfiguration", "priceRoundingMode", "RoundingMode!", Some("\"HalfEven\"")),
        ("CartsConfiguration", "taxRoundingMode", "RoundingMode!", Some("\"HalfEven\"")),
        ("CartsConfiguration", "totalPriceDiscountDoesNotReduceExternalTax", "Boolean!", Some("false")),
        ("CustomerSearchConfiguration", "lastModifiedAt", "DateTime!", None),
        ("CustomerSearchConfiguration", "status", "CustomerSearchStatus!", Some("\"Deactivated\"")),
        ("OrderSearchConfiguration", "lastModifiedAt", "DateTime!", None),
        ("OrderSearchConfiguration", "status", "OrderSearchStatus!", Some("\"Deactivated\"")),
        (
            "ProjectProjection",
            "shoppingLists",
            "ShoppingListsConfiguration!",
            Some("{\"deleteDaysAfterLastModification\":360}"),
        ),
        ("ProjectProjection", "trialUntil", "YearMonth", None),
        ("SearchIndexingConfiguration", "businessUnits", "BusinessUnitSearchConfiguration", None),
        ("SearchIndexingConfiguration", "customers", "CustomerSearchConfiguration", None),
        ("SearchIndexingConfiguration", "orders", "OrderSearchConfiguration", None),
        ("ShoppingListsConfiguration", "deleteDaysAfterLastModification", "Int!", None),
    ],
    retyped_inputs: &[
        ("CartsConfigurationInput", "deleteDaysAfterLastModification", "Int"),
        ("ChangeProjectSettingsCountryTaxRateFallbackEnabled", "countryTaxRateFallbackEnabled", "Boolean!"),
        ("CreateApiClient", "deleteDaysAfterCreation", "Int"),
        ("DiscountsConfigurationInput", "discountCombinationMode", "DiscountCombinationMode"),
        ("MessagesConfigurationDraft", "deleteDaysAfterCreation", "Int!"),
        (
            "SetProjectSettingsMyBusinessUnitAssociateRoleOnCreation",
            "associateRole",
            "ResourceIdentifierInput",
        ),
        ("ShoppingListsConfigurationInput", "deleteDaysAfterLastModification", "Int"),
    ],
    extra: &[
        (
            "CartsConfiguration",
            "allowAddingUnpublishedProducts",
            &[],
            "Boolean!",
            ExtraSource::Constant("false"),
        ),
        (
            "DiscountsConfiguration",
            "productVsCartDiscountCombination",
            &[],
            "DiscountCombinationMode",
            ExtraSource::Stored("discountCombinationMode"),
        ),
    ],
    ..ExceptionArea::NONE
};
