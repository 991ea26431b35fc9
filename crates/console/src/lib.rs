//! The console: its files, which are compressed in `dist/`, and `model.json`, from which its screens are derived.
//!
//! [`respond`] serves the files with the headers of a page that runs only its own code; [`model_document`] derives the
//! description of all kinds from the model. The source of the files is in `console/`, in TypeScript.
//!
//! **Invariant:** no sessions, no storage, no resource's name. The server and `kontor console` serve the same files.

mod files;
mod headers;
mod model_document;
mod request_guard;

pub use files::{ConsoleFile, file, files, respond};
pub use headers::{add_security_headers, entity_tag, is_unchanged, unchanged};
pub use model_document::model_document;
pub use request_guard::{
    CALL_BYTES_MAX, REQUEST_MARK, cookie, foreign_request_reason, provider_cookie, session_cookie,
    sign_in_link,
};
