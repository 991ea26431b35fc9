//! The object in storage (or in a search result) that an object of the response is made from.

use super::document_loader::{DocumentPage, ReferenceTarget};
use super::list_window::ListWindow;
use crate::access_control::DocumentReach;
use crate::borrowed_json::BorrowedJson;
use std::rc::Rc;

/// The data that the fields of an object are resolved from.
#[derive(Clone)]
pub(crate) enum ObjectSource<'d> {
    Json(&'d BorrowedJson<'d>),
    /// A named value.
    Entry(&'d str, &'d BorrowedJson<'d>),
    /// The locale and the text of one text of a localized string.
    Text(&'d str, &'d str),
    Page(&'d DocumentPage<BorrowedJson<'d>>),
    /// The documents of a Store, of an associate, or of the caller.
    Reach(&'d DocumentReach),
    /// A part of a list.
    Window(Rc<ListWindow<'d>>),
    /// A path in a free JSON value, and the targets of the references there.
    Referenced(Rc<(String, Vec<ReferenceTarget>)>),
}
