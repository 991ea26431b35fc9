//! A draft on its way into a project, and what becomes of it.

use super::secrets::KeptLine;
use crate::reply::Refusal;
use kontor_json::Value;
use kontor_model::KindId;

/// One draft of a file.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) kind: KindId,
    /// Position of its batch, and in its file.
    pub(crate) batch: usize,
    pub(crate) index: usize,
    pub(crate) draft: Value,
    /// The id that it gets, where the draft has no address of its own: the one that it had, or one that follows from
    /// the content.
    pub(crate) id: Option<String>,
    /// The id that it had where it was exported.
    pub(crate) label: Option<String>,
    /// Update actions that follow once it is created.
    pub(crate) actions: Vec<Value>,
    /// The number that it had within what it belongs to.
    pub(crate) number: Option<i64>,
    /// The draft is the resource itself, which comes as it was.
    pub(crate) is_whole: bool,
    /// What it keeps, where that came along.
    pub(crate) kept: Option<KeptLine>,
}

/// What became of a draft.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is a resource now.
    Created,
    /// It was one already.
    Present,
    /// It was one already, without what [`super::circle`] adds at the end.
    Incomplete,
    /// It is none.
    Refused(Refusal),
}
