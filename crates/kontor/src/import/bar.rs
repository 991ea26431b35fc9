//! How far an import is, where a person looks on.

use super::source::Batch;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;

/// A bar where a person looks on.
pub(super) fn progress_bar(batches: &[Batch]) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let drafts: usize = batches.iter().map(|batch| batch.items.len()).sum();
    let bar = ProgressBar::new(drafts as u64);
    // The template is fixed, and one that is wrong only looks plain.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
