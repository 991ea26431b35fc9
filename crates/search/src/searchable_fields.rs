//! [`SearchableFields`]: the searchable fields of a resource type, by which requests are validated.

use crate::{SearchField, SearchQuery};
use std::sync::Arc;

/// The searchable fields of a resource type in one project, with its current languages and Attributes.
pub trait SearchableFields: Send + Sync {
    /// Returns the field that a request names, or why it cannot be used that way.
    fn find(&self, used: &FieldUse<'_>) -> Result<SearchableField, FieldProblem>;

    /// Returns the Locales of the project. A query for another Locale finds nothing.
    fn languages(&self) -> &[Arc<str>];

    /// Returns a field that no request can name, for lookups by the code that makes the entries.
    fn find_internal(&self, _name: &str) -> Option<SearchField> {
        None
    }

    /// Returns whether the values of a field are dates, which responses show without a time.
    fn holds_days(&self, _name: &str) -> bool {
        false
    }

    /// Returns an additional condition for the values of a field, from the other parameters of a request:
    /// e.g. a selected price must be in the requested scope.
    fn scope_condition(&self, _name: &str, _parameters: &[(String, String)]) -> Option<SearchQuery> {
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

/// A searchable field.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchableField {
    /// The field; if [`is_localized`](Self::is_localized), with the language of the request.
    pub field: SearchField,
    /// The expressions that may use it.
    pub expressions: Expressions,
    /// Its rank in the validation of compound expressions.
    pub rank: FieldRank,
    /// Whether its values are localized, so that a request must name a language.
    pub is_localized: bool,
}

/// The expressions that may use a field. Document B, the tables of searchable fields.
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
    /// Like `Text`, without `wildcard`: the field `all` of Business Units.
    TextWithoutWildcard,
}

/// The level of a field in the validation of compound expressions. Document B, "Query validation (field levels)".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldRank {
    /// Stores and Product Selections.
    Context = 1,
    /// The resource and its parts.
    Resource = 2,
    /// Prices.
    Price = 3,
}

/// Why a request cannot use a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldProblem {
    /// There is no such field.
    Unknown,
    /// The request must name a `fieldType`: the field is an Attribute or a custom field.
    FieldTypeMissing,
    /// The field has another type; the expected one, if it is known.
    FieldTypeWrong(Option<FieldType>),
}

macro_rules! field_types {
    ($($variant:ident $text:literal $meaning:literal;)*) => {
        /// The type of an Attribute or a custom field. Reference type `SearchFieldType`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FieldType { $(#[doc = $meaning] $variant,)* }

        impl FieldType {
            /// All types, with their names.
            pub const ALL: &'static [(FieldType, &'static str)] = &[$((FieldType::$variant, $text),)*];

            /// Returns the type with a name.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().find(|(_, name)| *name == text).map(|(field_type, _)| *field_type)
            }

            /// Returns the name of the type.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

impl FieldType {
    /// Returns the name that searches with `customType` use: `SetType.StringType` of `set_text` (reference type
    /// `OrderSearchCustomType`).
    pub fn custom_type(self) -> String {
        let (set, name) = match self.as_str().strip_prefix("set_") {
            Some(name) => ("SetType.", name),
            None => ("", self.as_str()),
        };
        let name = match name {
            "boolean" => "Boolean",
            "text" => "String",
            "ltext" => "LocalizedString",
            "enum" => "Enum",
            "lenum" => "LocalizedEnum",
            "number" => "Number",
            "money" => "Money",
            "date" => "Date",
            "datetime" => "DateTime",
            "time" => "Time",
            _ => "Reference",
        };
        format!("{set}{name}Type")
    }

    /// Returns the type with such a name.
    pub fn parse_custom_type(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .map(|(field_type, _)| *field_type)
            .find(|field_type| field_type.custom_type() == text)
    }
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
