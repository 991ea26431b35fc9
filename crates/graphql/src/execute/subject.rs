//! What an object of the answer shows.

use super::load::{Page, Target};
use super::window::Window;
use crate::gate::Reach;
use crate::json::Json;
use std::rc::Rc;

/// What an object shows.
#[derive(Clone)]
pub(crate) enum Subject<'d> {
    Json(&'d Json<'d>),
    /// A named value.
    Entry(&'d str, &'d Json<'d>),
    /// A text and its locale.
    Text(&'d str, &'d str),
    Page(&'d Page<Json<'d>>),
    /// What belongs to somebody.
    Reach(&'d Reach),
    /// A part of a list.
    Window(Rc<Window<'d>>),
    /// References found in a free JSON value, with the path where.
    Referenced(Rc<(String, Vec<Target>)>),
}
