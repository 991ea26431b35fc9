//! Update actions: their arguments, and their verb, for actions without Rust.

use crate::id::{MessageId, ObjectId};
use crate::permissions::Permissions;

/// A change that a client may ask for.
#[derive(Debug, Clone)]
pub struct Action {
    /// The value of `action`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The action's fields.
    pub arguments: ObjectId,
    /// The verb that the engine runs; `None`: a Rust handler runs.
    pub verb: Option<Verb>,
    /// The element of a list that the verb works in.
    pub element: Option<Element>,
    /// A change that changes nothing is refused.
    pub refuses_same: bool,
    /// An empty value removes the field.
    pub removes_empty: bool,
    /// An empty value is refused.
    pub refuses_empty: bool,
    /// Messages that the action may cause.
    pub emits: Vec<MessageId>,
    /// Belongs to a public beta.
    pub beta: bool,
    /// Still served, no longer recommended.
    pub deprecated: bool,
    /// The tokens of the customer whose document it is end with it.
    pub ends_tokens: bool,
    /// It is also done by sending a file.
    pub upload: Option<Upload>,
    /// The permission of an associate, if it differs from that of other updates.
    pub needs: Option<Permissions>,
}

/// The effect of an action without Rust. Paths are steps from the document, or from the element of
/// [`Action::element`].
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// Each argument replaces a field.
    Set {
        /// Inside this object.
        within: Vec<String>,
    },
    /// Adds to a list.
    Append {
        /// The list.
        to: Vec<String>,
        /// An existing element is added again. Otherwise it is ignored, if elements have no ids.
        again: bool,
    },
    /// Removes from a list.
    Remove {
        /// The list.
        from: Vec<String>,
        /// Arguments that identify the element; none: equal elements.
        by: Vec<String>,
    },
    /// Sorts a list as the argument says.
    Arrange {
        /// The list.
        list: Vec<String>,
        /// The field of the elements that the argument lists.
        by: String,
    },
    /// Sets or removes a custom type with its fields.
    CustomType {
        /// The field of shape `CustomFields`.
        within: Vec<String>,
    },
    /// Sets or removes one custom field.
    CustomField {
        /// The field of shape `CustomFields`.
        within: Vec<String>,
    },
}

/// The element of a list that an action works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The list.
    pub of: Vec<String>,
    /// Arguments that identify the element: `…Id` by `id`, `…Key` by `key`, `…Name` by `name`.
    pub by: Vec<String>,
}

impl Element {
    /// The field of an element that an identifying argument means.
    pub fn field_of(argument: &str) -> &'static str {
        match argument {
            text if text.ends_with("Key") || text == "key" => "key",
            text if text.ends_with("Name") || text == "name" => "name",
            _ => "id",
        }
    }
}

/// That an action is also done by sending a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Last segment of the path, after the address of the document.
    pub path: String,
    /// The query parameters of which one says what part of the document is meant, each with the argument of the action
    /// that it is. None: the document itself is.
    pub by: Vec<(String, String)>,
    /// Leads to the value of the first of them where the request has none: steps from the document's root, through
    /// references.
    pub default: Vec<String>,
}
