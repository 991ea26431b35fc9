//! Runs the conversations of `tests/api` against the real server.
//!
//! A conversation is a text file of requests and expected responses ([`Conversation`] describes the
//! format; `tests/api/README.md` shows it by example). [`TestedServer`] starts the binary once, [`TestProject`] is
//! one fresh project in it, [`play`] runs one conversation in one shop, and [`ActionCount`] counts
//! which update actions the conversations exercise.
//!
//! The runner knows the API only from outside: it shares no code with the server.

mod action_count;
mod calls;
mod conversation;
mod files;
mod filled_path;
mod graphql_translation;
mod names;
mod parallel;
mod pattern;
mod play;
mod refusal;
mod replay;
mod rewrite;
mod server;
mod shop;
mod telling_part;
mod text_parts;

use std::path::PathBuf;

pub use action_count::{ActionCount, ActionOutcome};
pub use conversation::{
    Conversation, ConversationBody, ConversationStep, Exchange, ExpectedResponse, Identity,
};
pub use files::{conversation_files, file_name};
pub use filled_path::filled;
pub use graphql_translation::{ChangeKind, GraphQlTranslation, TranslatedChange};
pub use names::BoundNames;
pub use parallel::in_parallel;
pub use pattern::{Mismatch, matches, read_pattern, side_by_side};
pub use play::{ConversationResult, StepFailure, play};
pub use replay::play_once_more;
pub use rewrite::rewrite;
pub use server::TestedServer;
pub use shop::{TestProject, TestResponse};

/// Returns the folder of this package. Cargo sets it when it runs a test, so that a copy of the sources that
/// shares a target folder still finds its own conversations.
pub fn package_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}
