//! Collects appended lines into documents: the lines that one transaction adds to a list share one document,
//! unless it becomes too large.

use crate::{Commit, LINE_END, ListLine, Put, Write, commit::line_id};

/// Size after which a document takes no further line: readers and writers handle it as a whole.
const DOCUMENT_BYTES_FULL: usize = 256 * 1024;

/// The lines of a transaction.
#[derive(Debug, Default)]
pub(super) struct LineCollector {
    documents: Vec<LineDocument>,
}

/// A document under construction.
#[derive(Debug)]
struct LineDocument {
    kind: String,
    list: String,
    /// The greatest name of its lines.
    last: String,
    body: Vec<u8>,
}

impl LineCollector {
    /// Adds the lines of a commit that cannot be refused any more.
    pub(super) fn add_lines(&mut self, commit: &Commit) {
        for write in &commit.writes {
            if let Write::Append(line) = write {
                self.add(line);
            }
        }
    }

    fn add(&mut self, ListLine { kind, list, name, text }: &ListLine) {
        let has_room = |document: &&mut LineDocument| {
            document.list == *list && document.kind == *kind && document.body.len() < DOCUMENT_BYTES_FULL
        };
        let Some(document) = self.documents.iter_mut().find(has_room) else {
            let (kind, list, last) = (kind.clone(), list.clone(), name.clone());
            self.documents.push(LineDocument { kind, list, last, body: text.to_vec() });
            return;
        };
        document.body.push(LINE_END);
        document.body.extend_from_slice(text);
        if *name > document.last {
            document.last.clone_from(name);
        }
    }

    /// Returns the documents to write.
    pub(super) fn into_puts(self) -> impl Iterator<Item = Put> {
        self.documents.into_iter().map(|LineDocument { kind, list, last, body }| Put {
            kind,
            id: line_id(&list, &last),
            version: 1,
            body: body.into(),
            is_appended: true,
            ..Put::default()
        })
    }
}
