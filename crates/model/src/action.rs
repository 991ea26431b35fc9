//! Update actions: their arguments, and their verb, for actions without Rust.

use crate::id::{MessageId, ObjectId};
use crate::permissions::Permissions;

/// An update action of a kind.
#[derive(Debug, Clone)]
pub struct Action {
    /// The value of `action`.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The action's fields.
    pub arguments: ObjectId,
    /// The verb that the engine runs; `None`: a Rust handler runs.
    pub verb: Option<Verb>,
    /// The list element that the verb works on.
    pub element: Option<ElementSelector>,
    /// Whether an action that changes nothing is refused.
    pub refuses_same: bool,
    /// Whether an empty value removes the field.
    pub removes_empty: bool,
    /// Whether an empty value is refused.
    pub refuses_empty: bool,
    /// Messages that the action may cause.
    pub emits: Vec<MessageId>,
    /// Whether the action is in public beta.
    pub beta: bool,
    /// Whether the action is deprecated, but still served.
    pub deprecated: bool,
    /// Whether the change continues after the response, which then has the status 202.
    pub in_background: bool,
    /// Whether the tokens of the customer whose document it is are revoked.
    pub ends_tokens: bool,
    /// The upload that is another form of the action.
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
        /// Whether an existing element is added again. Otherwise it is ignored, if elements have no ids.
        again: bool,
    },
    /// Removes from a list.
    Remove {
        /// The list.
        from: Vec<String>,
        /// Arguments that identify the element; none: equal elements.
        by: Vec<String>,
    },
    /// Sorts a list in the order of the argument.
    Arrange {
        /// The list.
        list: Vec<String>,
        /// The field of the elements that the argument lists, e.g. `id`.
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

/// The list element that an action works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementSelector {
    /// The list.
    pub of: Vec<String>,
    /// Arguments that identify the element: `…Id` by `id`, `…Key` by `key`, `…Name` by `name`.
    pub by: Vec<String>,
}

impl ElementSelector {
    /// Returns the field of an element that an identifying argument refers to, e.g. `assetKey` to `key`.
    pub fn field_of(argument: &str) -> &'static str {
        match argument {
            text if text.ends_with("Key") || text == "key" => "key",
            text if text.ends_with("Name") || text == "name" => "name",
            _ => "id",
        }
    }
}

/// The upload of a file as another form of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Last segment of the path, after the address of the document.
    pub path: String,
    /// Query parameters that select the part of the document, each with the argument of the action. Empty: the
    /// document itself.
    pub by: Vec<(String, String)>,
    /// The path to the default of the first parameter: steps from the document's root, through references.
    pub default: Vec<String>,
}
