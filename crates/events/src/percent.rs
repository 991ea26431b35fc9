//! Percent encoding for addresses and forms.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

/// All characters except those that signatures require to be sent unescaped (RFC 3986, "unreserved").
const NOT_SENT_AS_THEY_ARE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text for an address or a form.
pub(crate) fn encoded(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, NOT_SENT_AS_THEY_ARE)
}
