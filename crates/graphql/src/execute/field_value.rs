//! The result of looking up a field's value.

use super::document_loader::ValueDependency;
use super::object_source::ObjectSource;
use crate::borrowed_json::BorrowedJson;

/// The value of a field, or what must be loaded to know it (`Later`).
pub(super) enum FieldValue<'d> {
    Nothing,
    Json(&'d BorrowedJson<'d>),
    Owned(BorrowedJson<'d>),
    Text(&'d str),
    One(ObjectSource<'d>),
    Many(Vec<ObjectSource<'d>>),
    Later(ValueDependency),
}
