//! Derives the query `limits`: the limits of the project and how much of them is used.

use super::Deriving;
use super::field::plain;
use super::roots::{Fields, put};
use crate::derived::{Body, Concrete, LimitSource, Output, Root, Source};
use crate::exceptions::{ALL_LIMITS, LIMIT_WITH_CURRENT, LIMITS, LIMITS_PROJECTION, LimitOf};
use crate::limits::OFFSET_MAX;
use kontor_engine::SEARCH_TEXT_CHARS_MAX;

const LIMIT: &str = "Limit";

impl Deriving<'_> {
    /// Adds the query `limits` and its types.
    pub(super) fn limits(&mut self, queries: &mut Fields) {
        let (field, object) = LIMITS;
        let nullable = |name: &str| plain("Long".to_owned(), Source::Stored(name.to_owned(), None));
        self.has(LIMIT, "The maximum; `null` means no limit.");
        let fields = Fields::from_iter([("limit".to_owned(), nullable("limit"))]);
        self.set(LIMIT, Body::Output(Output { fields, ..Output::default() }));
        let both = ["limit", "current"].map(|name| (name.to_owned(), nullable(name)));
        self.has(LIMIT_WITH_CURRENT, "The maximum and the current number.");
        let interface = Some(Concrete::Kind);
        let fields = Fields::from_iter(both);
        self.set(LIMIT_WITH_CURRENT, Body::Output(Output { fields, interface, ..Output::default() }));
        let mut subjects = Fields::default();
        for subject in ALL_LIMITS {
            if subject.needs.is_some_and(|kind| self.served(kind).is_none()) {
                continue;
            }
            let name = format!("{}{LIMITS_PROJECTION}", subject.ty);
            self.has(&name, "Limits and their current use.");
            let limits = subject.limits.iter().map(|(field, limit)| {
                let (ty, source) = self.limit_of(subject.ty, *limit);
                ((*field).to_owned(), plain(format!("{ty}!"), Source::Limit(source)))
            });
            let fields = limits.collect();
            self.set(&name, Body::Output(Output { fields, ..Output::default() }));
            subjects.insert(subject.field.to_owned(), plain(format!("{name}!"), Source::Itself));
        }
        self.has(object, "The limits of the project.");
        self.set(object, Body::Output(Output { fields: subjects, ..Output::default() }));
        put(queries, field, format!("{object}!"), Root::Limits, vec![]);
    }

    fn limit_of(&mut self, subject: &str, limit: LimitOf) -> (String, LimitSource) {
        let (is_counted, source) = match limit {
            LimitOf::Documents(kind) => (true, self.served(kind).map(LimitSource::Documents)),
            LimitOf::Most(kind) => (false, self.served(kind).map(LimitSource::Documents)),
            LimitOf::Counted(kind, name) => {
                (true, self.served(kind).map(|kind| LimitSource::Told(kind, name)))
            }
            LimitOf::Told(kind, name) => (false, self.served(kind).map(|kind| LimitSource::Told(kind, name))),
            LimitOf::Items(object, field) => (false, Some(LimitSource::Fixed(self.longest(object, field)))),
            LimitOf::Offset => (false, Some(LimitSource::Fixed(Some(OFFSET_MAX as u64)))),
            LimitOf::SearchText => (false, Some(LimitSource::Fixed(Some(SEARCH_TEXT_CHARS_MAX as u64)))),
            LimitOf::RefreshTokens => (true, Some(LimitSource::RefreshTokens)),
            LimitOf::Unlimited => (false, None),
        };
        let source = source.unwrap_or(LimitSource::Fixed(None));
        if !is_counted {
            return (LIMIT.to_owned(), source);
        }
        let name = format!("{subject}{LIMIT_WITH_CURRENT}");
        if !self.has(&name, "The maximum and the current number.") {
            let field = |name: &str, ty: &str| {
                (name.to_owned(), plain(ty.to_owned(), Source::Stored(name.to_owned(), None)))
            };
            let fields = Fields::from_iter([field("limit", "Long"), field("current", "Long!")]);
            let implements = vec![LIMIT_WITH_CURRENT.to_owned()];
            self.set(&name, Body::Output(Output { fields, implements, ..Output::default() }));
        }
        (name, source)
    }

    /// Returns the maximum length of a list in an object of the model.
    fn longest(&self, object: &str, field: &str) -> Option<u64> {
        let object = self.model.object_by_name(object)?;
        self.model.object(object).field(field)?.limits.items_max.map(|items| items as u64)
    }
}
