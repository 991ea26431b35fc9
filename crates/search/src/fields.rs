//! The searchable fields of a resource type.

use crate::{Field, Query};
use std::sync::Arc;

/// The fields of one kind of resource, as one project has them now: its languages, its attributes.
pub trait Fields: Send + Sync {
    /// The field that a name means, as it was used.
    fn find(&self, used: &FieldUse<'_>) -> Result<Found, FieldProblem>;

    /// The Locales of the project. A query for another finds nothing.
    fn languages(&self) -> &[Arc<str>];

    /// Returns a field that no request can name, for lookups by the code that makes the entries.
    fn own(&self, _name: &str) -> Option<Field> {
        None
    }

    /// Returns whether the values of a field are days: moments shown without a time.
    fn holds_days(&self, _name: &str) -> bool {
        false
    }

    /// Returns an additional condition for the values of a field, from the other parameters of a request:
    /// e.g. a selected price must be in the requested scope.
    fn within(&self, _name: &str, _parameters: &[(String, String)]) -> Option<Query> {
        None
    }
}

/// A field as a request names it.
#[derive(Debug, Clone, Copy)]
pub struct FieldUse<'a> {
    /// The name.
    pub name: &'a str,
    /// The `language` of the expression.
    pub language: Option<&'a str>,
    /// The `fieldType` of the expression.
    pub field_type: Option<FieldType>,
}

/// A field that can be searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The field; [`Field::language`] is that of the use where [`is_localized`](Self::is_localized).
    pub field: Field,
    /// Which expressions it can be used in.
    pub expressions: Expressions,
    /// Its rank in the validation of compound expressions.
    pub rank: Rank,
    /// Whether its values are localized, so that a use must name a language.
    pub is_localized: bool,
}

/// Which expressions a field can be used in. Document B, the tables of searchable fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expressions {
    /// `exact`, `exists`.
    Boolean,
    /// `exact`, `exists`, `range`; facets of ranges and stats.
    Ordered,
    /// `exact`, `prefix`, `wildcard`, `exists`.
    Keyword,
    /// `exact`, `fullText`, `fullTextPrefix`, `fuzzy`, `prefix`, `wildcard`, `exists`.
    Text,
    /// The same without `wildcard`: the field `all` of Business Units.
    TextWithoutWildcard,
}

/// The level of a field in the validation of compound expressions. Document B, "Query validation (field levels)".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Stores and Product Selections.
    Context = 1,
    /// The resource and its parts.
    Resource = 2,
    /// Prices.
    Price = 3,
}

/// Why a field cannot be searched as it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldProblem {
    /// There is no such field.
    Unknown,
    /// The field needs a `fieldType`: that of an Attribute or a custom field.
    FieldTypeMissing,
    /// The field is of another type; the one that was expected, where it is known.
    FieldTypeWrong(Option<FieldType>),
}

macro_rules! field_types {
    ($($variant:ident $text:literal $meaning:literal;)*) => {
        /// The type of an Attribute or a custom field. Reference type `SearchFieldType`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FieldType { $(#[doc = $meaning] $variant,)* }

        impl FieldType {
            /// All of them, with their names.
            pub const ALL: &'static [(FieldType, &'static str)] = &[$((FieldType::$variant, $text),)*];

            /// Returns the type with a name.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().find(|(_, name)| *name == text).map(|(field_type, _)| *field_type)
            }

            /// Its name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

field_types! {
    Boolean "boolean" "True or false.";
    Text "text" "A text.";
    LocalizedText "ltext" "A localized text.";
    Enum "enum" "A key and a label.";
    LocalizedEnum "lenum" "A key and a localized label.";
    Number "number" "A number.";
    Money "money" "An amount and its currency.";
    Date "date" "A date.";
    DateTime "datetime" "A moment.";
    Time "time" "A time of day.";
    Reference "reference" "A reference; its id is searched.";
    SetBoolean "set_boolean" "A set of these.";
    SetText "set_text" "A set of these.";
    SetLocalizedText "set_ltext" "A set of these.";
    SetEnum "set_enum" "A set of these.";
    SetLocalizedEnum "set_lenum" "A set of these.";
    SetNumber "set_number" "A set of these.";
    SetMoney "set_money" "A set of these.";
    SetDate "set_date" "A set of these.";
    SetDateTime "set_datetime" "A set of these.";
    SetTime "set_time" "A set of these.";
    SetReference "set_reference" "A set of these.";
}
