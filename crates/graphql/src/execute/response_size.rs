//! Limits the size of a response while it grows.

use super::Execution;
use super::field_collector::RequestedField;
use super::response_tree::NodeId;
use crate::complexity::too_complex;
use crate::limits::{ANSWER_BYTES_MAX, ANSWER_VALUES_MAX};

/// The tree charges the meter each time it has grown by this many bytes.
const CHARGED_BYTES_MIN: usize = 64 * 1024;

impl<'q> Execution<'_, 'q> {
    /// Charges the meter for the growth of the tree. Returns false if it must not grow further.
    pub(super) fn charge(&mut self) -> bool {
        let grown = self.tree.held_bytes() - self.charged_bytes;
        if grown < CHARGED_BYTES_MIN {
            return !self.is_too_long;
        }
        self.charged_bytes += grown;
        // Once for the tree, and once for the text that is written from it.
        self.context.meter.charge(2 * grown).is_ok() && !self.is_too_long
    }

    /// Ends the query because its response is too large, and reports the error once.
    pub(super) fn too_long(&mut self, requested: &RequestedField<'q>, node: NodeId) {
        if !self.is_too_long {
            self.is_too_long = true;
            let message = format!(
                "The response has more than {ANSWER_VALUES_MAX} values or {} bytes. Request less at once.",
                ANSWER_BYTES_MAX.min(self.context.meter.share_bytes_max() / 2)
            );
            self.report_error(requested, node, &too_complex(message));
        }
    }
}
