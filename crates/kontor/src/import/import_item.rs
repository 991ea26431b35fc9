//! A draft to import, and its outcome.

use super::draft_secrets::ExportedMetadata;
use crate::command_response::CommandRefusal;
use kontor_json::Value;
use kontor_model::KindId;

/// One draft of a file.
#[derive(Debug, Clone)]
pub(crate) struct ImportItem {
    pub(crate) kind: KindId,
    /// Index of its batch, and in its file.
    pub(crate) batch: usize,
    pub(crate) index: usize,
    pub(crate) draft: Value,
    /// The id to create the resource with if it has no key: the exported id, or one computed from the content.
    pub(crate) id: Option<String>,
    /// The id in the project from which it was exported.
    pub(crate) label: Option<String>,
    /// Update actions to send after creation.
    pub(crate) actions: Vec<Value>,
    /// The exported number within its parent, e.g. a variant id.
    pub(crate) number: Option<i64>,
    /// The draft is the stored resource itself, to be stored unchanged.
    pub(crate) is_whole: bool,
    /// The preserved metadata, if it was exported.
    pub(crate) metadata: Option<ExportedMetadata>,
}

/// The outcome of a draft.
#[derive(Debug)]
pub(crate) enum ImportOutcome {
    /// The resource was created.
    Created,
    /// The resource existed already.
    Present,
    /// The resource existed already, but lacks what [`super::cycles`] adds at the end.
    Incomplete,
    /// The server rejected the draft.
    Refused(CommandRefusal),
}
