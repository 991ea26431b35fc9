//! Where the value of a field is found.

use super::load::Wanted;
use super::subject::Subject;
use crate::json::Json;

/// Where the value of a field is.
pub(super) enum Found<'d> {
    Nothing,
    Json(&'d Json<'d>),
    Owned(Json<'d>),
    Text(&'d str),
    One(Subject<'d>),
    Many(Vec<Subject<'d>>),
    Later(Wanted),
}
