//! Derives the query `limits`: the limits of the project and how much of them is used.

use super::SchemaDerivation;
use super::field::field_of;
use super::roots::{OutputFields, put_root};
use crate::exceptions::{ALL_LIMITS, LIMIT_WITH_CURRENT, LIMITS, LIMITS_PROJECTION, LimitRow};
use crate::limits::OFFSET_MAX;
use crate::schema_types::{
    FieldValueSource, LimitSource, OutputType, RootOperation, TypeBody, TypeResolution,
};
use kontor_engine::SEARCH_TEXT_CHARS_MAX;

const LIMIT: &str = "Limit";

impl SchemaDerivation<'_> {
    /// Adds the query `limits` and its types.
    pub(super) fn limits(&mut self, queries: &mut OutputFields) {
        let (field, object) = LIMITS;
        let nullable =
            |name: &str| field_of("Long".to_owned(), FieldValueSource::Stored(name.to_owned(), None));
        self.reserve(LIMIT, "The maximum; `null` means no limit.");
        let fields = OutputFields::from_iter([("limit".to_owned(), nullable("limit"))]);
        self.set(LIMIT, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
        let both = ["limit", "current"].map(|name| (name.to_owned(), nullable(name)));
        self.reserve(LIMIT_WITH_CURRENT, "The maximum and the current number.");
        let interface = Some(TypeResolution::Kind);
        let fields = OutputFields::from_iter(both);
        self.set(
            LIMIT_WITH_CURRENT,
            TypeBody::Output(OutputType { fields, interface, ..OutputType::default() }),
        );
        let mut subjects = OutputFields::default();
        for subject in ALL_LIMITS {
            if subject.needs.is_some_and(|kind| self.served_kind(kind).is_none()) {
                continue;
            }
            let name = format!("{}{LIMITS_PROJECTION}", subject.ty);
            self.reserve(&name, "Limits and their current use.");
            let limits = subject.limits.iter().map(|(field, limit)| {
                let (ty, source) = self.limit_of(subject.ty, *limit);
                ((*field).to_owned(), field_of(format!("{ty}!"), FieldValueSource::Limit(source)))
            });
            let fields = limits.collect();
            self.set(&name, TypeBody::Output(OutputType { fields, ..OutputType::default() }));
            subjects.insert(subject.field.to_owned(), field_of(format!("{name}!"), FieldValueSource::Itself));
        }
        self.reserve(object, "The limits of the project.");
        self.set(object, TypeBody::Output(OutputType { fields: subjects, ..OutputType::default() }));
        put_root(queries, field, format!("{object}!"), RootOperation::Limits, vec![]);
    }

    fn limit_of(&mut self, subject: &str, limit: LimitRow) -> (String, LimitSource) {
        let (is_counted, source) = match limit {
            LimitRow::Documents(kind) => (true, self.served_kind(kind).map(LimitSource::Documents)),
            LimitRow::Most(kind) => (false, self.served_kind(kind).map(LimitSource::Documents)),
            LimitRow::Counted(kind, name) => {
                (true, self.served_kind(kind).map(|kind| LimitSource::KindLimit(kind, name)))
            }
            LimitRow::KindLimit(kind, name) => {
                (false, self.served_kind(kind).map(|kind| LimitSource::KindLimit(kind, name)))
            }
            LimitRow::Items(object, field) => {
                (false, Some(LimitSource::Fixed(self.list_length_max(object, field))))
            }
            LimitRow::Offset => (false, Some(LimitSource::Fixed(Some(OFFSET_MAX as u64)))),
            LimitRow::SearchText => (false, Some(LimitSource::Fixed(Some(SEARCH_TEXT_CHARS_MAX as u64)))),
            LimitRow::RefreshTokens => (true, Some(LimitSource::RefreshTokens)),
            LimitRow::Unlimited => (false, None),
        };
        let source = source.unwrap_or(LimitSource::Fixed(None));
        if !is_counted {
            return (LIMIT.to_owned(), source);
        }
        let name = format!("{subject}{LIMIT_WITH_CURRENT}");
        if !self.reserve(&name, "The maximum and the current number.") {
            let field = |name: &str, ty: &str| {
                (name.to_owned(), field_of(ty.to_owned(), FieldValueSource::Stored(name.to_owned(), None)))
            };
            let fields = OutputFields::from_iter([field("limit", "Long"), field("current", "Long!")]);
            let implements = vec![LIMIT_WITH_CURRENT.to_owned()];
            self.set(&name, TypeBody::Output(OutputType { fields, implements, ..OutputType::default() }));
        }
        (name, source)
    }

    /// Returns the maximum length of a list in an object of the model.
    fn list_length_max(&self, object: &str, field: &str) -> Option<u64> {
        let object = self.model.object_by_name(object)?;
        self.model.object(object).field(field)?.limits.items_max.map(|items| items as u64)
    }
}
