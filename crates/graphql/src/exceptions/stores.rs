//! Names and types of the official schema that do not follow the conventions, for Stores, Channels, Inventory, Zones
//! and Tax Categories. [`ExceptionArea`] explains the tables.

use super::{ExceptionArea, ExtraSource, KindNames, NO_EXCEPTION};

pub(super) const AREA: ExceptionArea = ExceptionArea {
    kinds: &[
        KindNames { kind: "InventoryEntry", many: Some("inventoryEntries"), ..NO_EXCEPTION },
        KindNames { kind: "Store", draft: Some("CreateStore"), ..NO_EXCEPTION },
        KindNames { kind: "Zone", draft: Some("CreateZone"), ..NO_EXCEPTION },
    ],
    output_names: &[("InventoryEntryStockLevels", "StockLevels")],
    input_names: &[
        ("InventoryEntryStockLevels", "StockLevelsDraft"),
        ("Location", "ZoneLocation"),
        ("SubRate", "SubRateDraft"),
    ],
    input_aliases: &[("ProductSelectionSettingInActionInput", "ProductSelectionSettingDraft")],
    hidden: &[("StoreNameSet", "nameAllLocales")],
    action_names: &[
        ("InventoryEntry", "setInventoryLimits", "SetInventoryLimits"),
        ("InventoryEntry", "setKey", "SetInventoryKey"),
        ("InventoryEntry", "setReorderPoint", "SetReorderPoint"),
        ("InventoryEntry", "setSafetyStock", "SetSafetyStock"),
        ("TaxCategory", "addTaxRate", "TaxCategoryAddTaxRate"),
        ("TaxCategory", "changeName", "TaxCategoryChangeName"),
        ("TaxCategory", "removeTaxRate", "TaxCategoryRemoveTaxRate"),
        ("TaxCategory", "replaceTaxRate", "TaxCategoryReplaceTaxRate"),
        ("TaxCategory", "setDescription", "TaxCategorySetDescription"),
    ],
    retyped: &[
        ("InventoryEntry", "restockableInDays", "Int", None),
        ("Store", "countries", "[StoreCountry!]", None),
        ("Store", "languages", "[Locale!]", None),
        ("StoreCreated", "languages", "[Locale!]!", None),
        ("TaxRate", "id", "String", None),
    ],
    retyped_inputs: &[
        ("ChangeChannelDescription", "description", "[LocalizedStringItemInputType!]"),
        ("ChangeChannelName", "name", "[LocalizedStringItemInputType!]"),
        ("ChannelDraft", "roles", "[ChannelRole!]!"),
        ("CreateZone", "locations", "[ZoneLocation!] = []"),
        ("InventoryEntryDraft", "restockableInDays", "Int"),
        ("ProductSelectionSettingDraft", "active", "Boolean!"),
        ("SetChannelRoles", "roles", "[ChannelRole!]!"),
        ("SetInventoryEntryRestockableInDays", "restockableInDays", "Int"),
        ("SetInventoryLimits", "maxCartQuantity", "Int"),
        ("SetInventoryLimits", "minCartQuantity", "Int"),
        ("TaxRateDraft", "subRates", "[SubRateDraft!] = []"),
    ],
    extra: &[
        (
            "StoreCreated",
            "productSelectionsRef",
            &[],
            "[Reference!]!",
            ExtraSource::Reference(&["productSelections", "productSelection"]),
        ),
        ("StoreCreated", "storefront", &[], "Storefront", ExtraSource::Stored("storefront")),
    ],
    ..ExceptionArea::NONE
};
