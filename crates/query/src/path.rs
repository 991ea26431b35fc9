//! Parses the dotted paths of `sort` and `expand`: `name.en`, `ancestors[*].parent`, `` custom.fields.`a.b`
//! ``.

use crate::limits::PATH_BYTES_MAX;
use crate::source::{ParameterText, is_name_char};
use kontor_errors::{ApiError, ApiResult};

/// One step of a path, with its byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DottedSegment {
    pub(crate) name: String,
    /// The brackets after the name, from the outermost list inwards.
    pub(crate) elements: Vec<ListSelector>,
    pub(crate) at: usize,
}

/// The elements of a list that a path selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListSelector {
    /// `[*]`
    All,
    /// `[0]`
    Index(usize),
}

/// Parses a path at the beginning of `source`; returns the segments and the offset of their end.
pub(crate) fn read_path(
    source: &ParameterText<'_>,
    with_elements: bool,
) -> ApiResult<(Vec<DottedSegment>, usize)> {
    let text = source.text;
    if text.len() > PATH_BYTES_MAX {
        return Err(ApiError::invalid_input(format!(
            "Malformed parameter: {}: The value has {} bytes; at most {PATH_BYTES_MAX} are allowed.",
            source.parameter,
            text.len()
        )));
    }
    let mut at = text.len() - text.trim_start().len();
    let mut segments = Vec::new();
    loop {
        let start = at;
        let rest = &text[at..];
        let (name, length) = match rest.strip_prefix('`') {
            Some(quoted) => match quoted.find('`') {
                Some(end) => (&quoted[..end], end + 2),
                None => return Err(source.syntax_error(text.len(), &["a closing backtick"])),
            },
            None => {
                let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
                (&rest[..end], end)
            }
        };
        if name.is_empty() {
            return Err(source.syntax_error(at, &["a field name"]));
        }
        at += length;
        let mut elements = Vec::new();
        while with_elements && text[at..].starts_with('[') {
            let end = text[at..].find(']').unwrap_or(0);
            elements.push(match text.get(at + 1..at + end) {
                Some("*") => ListSelector::All,
                Some(index) if index.bytes().all(|digit| digit.is_ascii_digit()) && !index.is_empty() => {
                    ListSelector::Index(index.parse().unwrap_or(usize::MAX))
                }
                _ => return Err(source.syntax_error(at, &["'[*]'", "'[' index ']'"])),
            });
            at += end + 1;
        }
        segments.push(DottedSegment { name: name.to_owned(), elements, at: start });
        if !text[at..].starts_with('.') {
            return Ok((segments, at));
        }
        at += 1;
    }
}
