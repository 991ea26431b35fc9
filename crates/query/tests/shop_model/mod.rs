//! A small, fixed model for tests, with every shape that a predicate can use.

use kontor_model::{Kind, Model, ModelFile};
use std::sync::LazyLock;

const SDL: &str = r#"
scalar Key @string(minLength: 2, maxLength: 256, pattern: "^[A-Za-z0-9_-]+$")
scalar String
scalar Boolean
scalar Int
scalar Long
scalar Float
scalar DateTime
scalar Date
scalar Time
scalar LocalizedString
scalar Json
scalar CustomFields
scalar Reference

interface Resource {
  id: String!
  version: Long!
  createdAt: DateTime! @index
}

type Shelf @resource(path: "shelves", typeId: "shelf", view: ["view"], operations: [GET, HEAD, QUERY]) {
  key: Key @unique
  name: LocalizedString!
  slug: LocalizedString! @unique
  title: LocalizedString @index
  label: String
  size: Int
  open: Boolean
  kind: ShelfKind @index
  weight: Float @index
  builtOn: Date
  opensAt: Time
  tags: [String!] @index
  parent: Shelf
  ancestors: [Shelf!]!
  store: Shelf @keyReference
  owner: Reference
  books: [Book!]!
  box: Box
  place: GeoJson
  price: Money
  custom: CustomFields @custom(of: "shelf")
  value: Json
  masterVariant: Variant
  variants: [Variant!]
}

enum ShelfKind { Wide Narrow }

type Book {
  title: String!
  pages: Int
  authors: [String!]
}

type Box {
  city: String
  lid: Box
}

union GeoJson @union(by: "type") = GeoJsonPoint

type GeoJsonPoint @value(is: "Point") {
  type: String!
  coordinates: [Float!]!
}

union Money @union(by: "type") = CentMoney | HighMoney

type CentMoney @value(is: "cent") {
  type: String!
  centAmount: Long!
}

type HighMoney @value(is: "high") {
  type: String!
  preciseAmount: Long!
}

type Variant {
  sku: String @index
  attributes: [Attribute!]
}

type Attribute {
  name: String!
  value: Json
}
"#;

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    Model::read(&[ModelFile { name: "shelf.graphql".to_owned(), text: SDL }])
        .unwrap_or_else(|problems| panic!("{problems}"))
});

/// The model.
pub(crate) fn model() -> &'static Model {
    &MODEL
}

/// Its one kind.
pub(crate) fn shelf(model: &Model) -> &Kind {
    model.kind(model.kind_by_type_id("shelf").expect("declared above"))
}
