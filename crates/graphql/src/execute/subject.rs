//! The source of an object in the response.

use super::load::{Page, Target};
use super::window::Window;
use crate::gate::Reach;
use crate::json::Json;
use std::rc::Rc;

/// The source of an object.
#[derive(Clone)]
pub(crate) enum Subject<'d> {
    Json(&'d Json<'d>),
    /// A named value.
    Entry(&'d str, &'d Json<'d>),
    /// A text and its locale.
    Text(&'d str, &'d str),
    Page(&'d Page<Json<'d>>),
    /// The documents of a Store or of the caller.
    Reach(&'d Reach),
    /// A part of a list.
    Window(Rc<Window<'d>>),
    /// References found in a free JSON value, with the path where.
    Referenced(Rc<(String, Vec<Target>)>),
}
