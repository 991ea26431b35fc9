//! The GraphQL schema of Change History. The reference contains only an example: a field of `Query` for each
//! kind, with a filter of dates, and records whose changes have `previousValue`, `nextValue` and `change`.

use crate::changes::KINDS;
use std::fmt::Write as _;

/// Fields of changes in addition to `type`, `change` and the two values (reference: the `…Change` types).
const FURTHER: [&str; 37] = [
    "addedItems",
    "removedItems",
    "catalogData",
    "variant",
    "priceId",
    "price",
    "name",
    "customTypeId",
    "asset",
    "address",
    "addressId",
    "category",
    "categoryId",
    "attributeName",
    "fieldName",
    "valueKey",
    "lineItem",
    "lineItemId",
    "customLineItem",
    "customLineItemId",
    "textLineItem",
    "deliveryId",
    "parcel",
    "shippingKey",
    "stateId",
    "taxMode",
    "channelId",
    "transaction",
    "zone",
    "product",
    "productSelection",
    "variantSelection",
    "variantExclusion",
    "parentUnit",
    "staged",
    "path",
    "buyerComment",
];

/// Types that all kinds share.
const TYPES: &str = r#"
"Any JSON value."
scalar Json
"A date-time, a number of hours before now, or `now`."
scalar DateFilterValue

"Changes from one point in time to another one. Left out: the last 24 hours."
input DateFilter {
  from: DateFilterValue
  to: DateFilterValue
}

type RecordPagedQueryResponse {
  limit: Int!
  offset: Int!
  count: Int!
  "The total number of results, if `withTotal` is true."
  total: Int
  results: [Record!]!
}

"The record of one change of a resource."
type Record {
  version: Int!
  previousVersion: Int!
  type: String!
  modifiedBy: ModifiedBy!
  modifiedAt: String!
  label: Json
  previousLabel: Json
  changes: [Change!]!
  resource: RecordedResource!
  stores: [KeyReference!]!
  businessUnit: KeyReference
  withoutChanges: Boolean!
}

type ModifiedBy {
  isPlatformClient: Boolean!
  id: String
  type: String!
  clientId: String
  externalUserId: String
  anonymousId: String
  customer: Reference
  customerRef: Reference
  associate: Reference
  associateRef: Reference
  attributedTo: Attribution
}

"The program that made a change on behalf of a client."
type Attribution {
  clientId: String
  source: String!
}

type RecordedResource {
  typeId: String!
  id: String
  key: String
}

type Reference {
  typeId: String!
  id: String!
}

type KeyReference {
  typeId: String!
  key: String!
}
"#;

/// Arguments of every field of `Query`.
const ARGUMENTS: &str = "date: DateFilter, limit: Int, offset: Int, userId: String, userIds: [String!], clientId: String, customerId: String, \
    associateId: String, businessUnit: String, type: String, resourceId: String, resourceIds: [String!], resourceKey: String, source: String, sources: [String!], \
    changes: [String!], stores: [String!], excludePlatformInitiatedChanges: [String!], expand: Boolean, withTotal: Boolean";

/// The field of `Query` for all kinds together.
pub(super) const ALL: &str = "records";

/// The schema as text.
pub(super) fn text() -> String {
    let mut text = TYPES.to_owned();
    text.push_str("\n\"What differs. Further fields depend on the type.\"\ntype Change {\n  type: String!\n  change: String!\n");
    for field in ["previousValue", "nextValue"].into_iter().chain(FURTHER) {
        _ = writeln!(text, "  {field}: Json");
    }
    _ = writeln!(
        text,
        "}}\n\ntype Query {{\n  {ALL}(resourceTypes: [String!], {ARGUMENTS}): RecordPagedQueryResponse!"
    );
    for kind in KINDS {
        _ = writeln!(text, "  {}({ARGUMENTS}): RecordPagedQueryResponse!", field(kind.path));
    }
    text.push_str("}\n");
    text
}

/// The field of `Query` for a kind: its path without hyphens.
pub(super) fn field(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for (place, word) in path.split('-').enumerate() {
        let (first, rest) = word.split_at(usize::from(place > 0));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_one() {
        let schema = apollo_compiler::Schema::parse_and_validate(text(), "schema").unwrap();
        assert!(schema.get_object("Query").unwrap().fields.contains_key("associateRoles"));
        assert_eq!(field("tax-categories"), "taxCategories");
    }
}
