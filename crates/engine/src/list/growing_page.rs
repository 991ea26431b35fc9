//! The documents of a page while it is read ([`GrowingPage`]), bounded by the memory of a response.

use super::ListRequest;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};

/// Collects the documents of a page, as far as the memory of a response allows.
pub(super) struct GrowingPage<'r> {
    request: &'r ListRequest,
    pub(super) bodies: Vec<Bytes>,
    /// The bytes of all collected documents, and their number.
    gathered: (usize, usize),
    refused: Option<ApiError>,
}

impl<'r> GrowingPage<'r> {
    pub(super) fn new(request: &'r ListRequest) -> Self {
        Self { request, bodies: Vec::new(), gathered: (0, 0), refused: None }
    }

    pub(super) fn push(&mut self, body: &[u8]) {
        if self.charge(body.len()) {
            self.bodies.push(Bytes::copy_from_slice(body));
        }
    }

    /// Charges for a further document. Returns false if it does not fit any more, so that the page is refused.
    pub(super) fn charge(&mut self, bytes: usize) -> bool {
        let ListRequest { meter, limit, offset, .. } = self.request;
        let (sum, count) = self.gathered;
        self.gathered = (sum.saturating_add(bytes), count + 1);
        // The number of documents that fit: the collected ones, or, for documents that are still to be sorted, as
        // many of their mean size as fit.
        let fits = || {
            if !self.bodies.is_empty() {
                return self.bodies.len();
            }
            let mean = (self.gathered.0 / self.gathered.1).max(1);
            (meter.share_bytes_max() / mean).min(count).max(1)
        };
        let charged = meter.charge_or(bytes, || page_too_large(fits(), *limit, *offset));
        self.refused = charged.err();
        self.refused.is_none()
    }

    /// True if the page is refused, so that reading can end.
    pub(super) fn is_over(&self) -> bool {
        self.refused.is_some()
    }

    pub(super) fn into_bodies(self) -> ApiResult<Vec<Bytes>> {
        self.refused.map_or(Ok(self.bodies), Err)
    }
}

/// 400: a page takes more memory than one request may use. Names a limit that fits.
fn page_too_large(fits: usize, limit: usize, offset: usize) -> ApiError {
    let advice = match fits < limit {
        true => format!("{fits} of these results fit: send limit={fits} or less."),
        false => format!("Send a smaller offset than {offset}, or no sort."),
    };
    ApiError::invalid_input(format!(
        "Malformed parameter: limit: A page of {limit} of these results is larger than one response may be. {advice}"
    ))
}
