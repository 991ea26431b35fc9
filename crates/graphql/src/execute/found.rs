//! The result of looking up a field's value.

use super::load::Wanted;
use super::subject::Subject;
use crate::json::Json;

/// The value of a field, or what must be loaded to know it (`Later`).
pub(super) enum Found<'d> {
    Nothing,
    Json(&'d Json<'d>),
    Owned(Json<'d>),
    Text(&'d str),
    One(Subject<'d>),
    Many(Vec<Subject<'d>>),
    Later(Wanted),
}
