//! The Tokio runtime of servers and of commands that open the platform themselves.

use tokio::runtime::Builder;

/// The stack size of a thread in bytes. Documents are parsed by recursion, up to 128 levels deep. With the usual 2 MB
/// the deepest ones overflow the stack in debug builds. Unused stack takes no memory.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Returns a builder of a multi-threaded runtime, with timers and sockets.
pub(crate) fn runtime_builder() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_stack_size(STACK_BYTES);
    builder
}
