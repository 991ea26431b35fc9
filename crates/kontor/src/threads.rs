//! The threads that documents are worked on: those of a server, and of a command that works without one.

use tokio::runtime::Builder;

/// The stack of a thread in bytes. Documents are read by recursion, and may be as deep as JSON that is read at all (128 levels): with the
/// 2 MB that are usual, reading the deepest ends the process where nothing was optimized. What is not used takes no memory.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// A runtime to be, with several threads, time and sockets.
pub(crate) fn builder() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_stack_size(STACK_BYTES);
    builder
}
