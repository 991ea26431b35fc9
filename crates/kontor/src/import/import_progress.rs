//! The progress bar of an import, on a terminal only.

use super::draft_files::DraftBatch;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;

/// Returns a progress bar over all drafts; a hidden one if standard error is no terminal.
pub(super) fn progress_bar(batches: &[DraftBatch]) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let drafts: usize = batches.iter().map(|batch| batch.items.len()).sum();
    let bar = ProgressBar::new(drafts as u64);
    // The template is constant; a wrong one only falls back to the default style.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
