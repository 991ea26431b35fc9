//! The object in storage (or in a search result) that an object of the response is made from.

use super::load::{Page, Target};
use super::window::Window;
use crate::gate::Reach;
use crate::json::Json;
use std::rc::Rc;

/// The data that the fields of an object are resolved from.
#[derive(Clone)]
pub(crate) enum Subject<'d> {
    Json(&'d Json<'d>),
    /// A named value.
    Entry(&'d str, &'d Json<'d>),
    /// The locale and the text of one text of a localized string.
    Text(&'d str, &'d str),
    Page(&'d Page<Json<'d>>),
    /// The documents of a Store, of an associate, or of the caller.
    Reach(&'d Reach),
    /// A part of a list.
    Window(Rc<Window<'d>>),
    /// A path in a free JSON value, and the targets of the references there.
    Referenced(Rc<(String, Vec<Target>)>),
}
