//! Names and types of the official schema that do not follow the conventions, for MCP Servers. The official schema also
//! has servers for shoppers, which the REST API does not have. [`ExceptionArea`] explains the tables.

use super::unreached_types::{UnreachedField, object};
use super::{
    ExceptionArea, ExtraInput, ExtraSource, ForwardedPart, NamePair, RejectedField, ServiceQuery, Splice,
    SpliceForm, StaticName, UnreachedInput,
};

/// The fields of the configuration of a server for shoppers.
const FOR_SHOPPERS: &[UnreachedField] = &[
    ("type", &[], "McpServerType!"),
    ("majorVersion", &[], "String!"),
    ("url", &[], "String!"),
    ("tools", &[], "[String!]!"),
    ("toolCustomizations", &[], "[ToolCustomization!]!"),
    ("store", &[], "StoreKeyReference!"),
    ("country", &[], "Country!"),
    ("locale", &[], "Locale!"),
    ("distributionChannel", &[], "ChannelReference!"),
    ("supplyChannel", &[], "ChannelReference!"),
    ("currencyCode", &[], "CurrencyCode!"),
];
const DRAFT_FOR_SHOPPERS: &[NamePair] = &[
    ("majorVersion", "String!"),
    ("tools", "[String!]!"),
    ("toolCustomizations", "[ToolCustomizationDraft!]"),
    ("store", "StoreKeyReferenceInput!"),
    ("country", "Country!"),
    ("locale", "Locale!"),
    ("distributionChannel", "ChannelReferenceInput!"),
    ("supplyChannel", "ChannelReferenceInput!"),
    ("currencyCode", "CurrencyCode!"),
];

/// The configuration with the URL that agents connect to, which is not stored.
const CONFIG: Splice = Splice {
    kind: "McpServer",
    at: "",
    in_list: false,
    needs: &["id", "key", "mcpServer"],
    parameters: &[],
    fixed_parameters: &[],
    shows: "mcpServer",
    form: SpliceForm::Value,
};

const fn input(name: StaticName, fields: &'static [NamePair]) -> UnreachedInput {
    UnreachedInput { name, fields }
}

const fn action(field: StaticName, ty: StaticName) -> RejectedField {
    RejectedField { input: "McpServerUpdateAction", field, ty, sent_as: field }
}

/// The model stores any JSON here; GraphQL accepts primitive values.
const fn value(field: StaticName, ty: StaticName, to: &'static [StaticName]) -> ExtraInput {
    ExtraInput { input: "ParameterOverrideDraft", field, ty, to, what: ForwardedPart::Whole }
}

pub(super) const AREA: ExceptionArea = ExceptionArea {
    not_expandable: &["McpServer"],
    limited_pages: &["McpServer"],
    output_names: &[
        ("McpServerType", "McpServerTypeCatalogEntry"),
        ("McpServerTypeName", "McpServerType"),
        ("McpServerTypeTool", "McpServerCatalogTool"),
    ],
    input_names: &[
        ("McpServerConfigDraft", "McpServerConfigDraft"),
        ("ParameterOverride", "ParameterOverrideDraft"),
        ("ToolCustomization", "ToolCustomizationDraft"),
    ],
    member_inputs: &[("McpServerConfigDraft", "commerce", "CommerceMCP", "CommerceMcpServerConfigDraft")],
    extra_enum_values: &[("McpServerType", "UCPShopperMCP")],
    text_enums: &["McpServerTool", "McpServerMajorVersion"],
    hidden: &[
        ("McpServer", "mcpServer"),
        ("McpServerConfig", "jsonOutputFiltering"),
        ("McpServerConfig", "toolOutputFormatting"),
        ("ParameterOverride", "allowedTypes"),
    ],
    hidden_inputs: &[
        ("ParameterOverrideDraft", "allowedTypes"),
        ("ParameterOverrideDraft", "const"),
        ("ParameterOverrideDraft", "default"),
    ],
    retyped: &[
        ("ParameterOverride", "const", "JsonPrimitive", None),
        ("ParameterOverride", "default", "JsonPrimitive", None),
        ("ToolCustomization", "parameters", "[ParameterOverride!]!", None),
        ("McpServer", "nameAllLocales", "[LocalizedString!]!", Some("[]")),
        ("McpServer", "descriptionAllLocales", "[LocalizedString!]!", Some("[]")),
    ],
    extra_inputs: &[
        value("const", "JsonPrimitive", &["const"]),
        value("default", "JsonPrimitive", &["default"]),
        value("enum", "[JsonPrimitive!]", &["allowedTypes"]),
    ],
    extra_unions: &[(
        "McpServerConfig",
        "The configuration for agents.",
        "type",
        &[("CommerceMCP", "CommerceMcpServerConfig")],
    )],
    extra: &[
        ("McpServer", "mcpServer", &[], "McpServerConfig!", ExtraSource::Spliced(&CONFIG)),
        ("McpServer", "versionModifiedAt", &[], "DateTime!", ExtraSource::Stored("lastModifiedAt")),
        ("ParameterOverride", "enum", &[], "[JsonPrimitive!]", ExtraSource::Stored("allowedTypes")),
    ],
    unreached: &[
        object("StoreKeyReference", &[], &[("typeId", &[], "String!"), ("key", &[], "String!")]),
        object("ChannelReference", &[], &[("typeId", &[], "String!"), ("id", &[], "String!")]),
        object("UcpShopperMcpServerConfig", &["McpServerConfig"], FOR_SHOPPERS),
    ],
    unreached_inputs: &[
        input("StoreKeyReferenceInput", &[("key", "String!")]),
        input("ChannelReferenceInput", &[("id", "String!")]),
        input("UcpShopperMcpServerConfigDraft", DRAFT_FOR_SHOPPERS),
        input("SetMcpServerStore", &[("store", "StoreKeyReferenceInput!")]),
        input("SetMcpServerCountry", &[("country", "Country!")]),
        input("SetMcpServerLocale", &[("locale", "Locale!")]),
        input("SetMcpServerDistributionChannel", &[("distributionChannel", "ChannelReferenceInput!")]),
        input("SetMcpServerSupplyChannel", &[("supplyChannel", "ChannelReferenceInput!")]),
        input("SetMcpServerCurrencyCode", &[("currencyCode", "CurrencyCode!")]),
    ],
    refused_inputs: &[
        RejectedField {
            input: "McpServerConfigDraft",
            field: "ucpShopper",
            ty: "UcpShopperMcpServerConfigDraft",
            sent_as: "UCPShopperMCP",
        },
        action("setStore", "SetMcpServerStore"),
        action("setCountry", "SetMcpServerCountry"),
        action("setLocale", "SetMcpServerLocale"),
        action("setDistributionChannel", "SetMcpServerDistributionChannel"),
        action("setSupplyChannel", "SetMcpServerSupplyChannel"),
        action("setCurrencyCode", "SetMcpServerCurrencyCode"),
    ],
    service_queries: &[
        ServiceQuery { kind: "McpServer", call: "mcpServerTypes", arguments: &[] },
        ServiceQuery {
            kind: "McpServer",
            call: "mcpServerType",
            arguments: &[("type", "McpServerType!", ""), ("majorVersion", "String", "majorVersion")],
        },
    ],
    ..ExceptionArea::NONE
};
