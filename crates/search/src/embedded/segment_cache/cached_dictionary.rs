//! A cached dictionary: the words of a field as one text, so that one pass finds the words that contain a text.

use super::CacheablePart;
use memchr::memmem::Finder;
use tantivy::postings::TermInfo;

/// Separates words: no text contains this byte.
const BETWEEN: u8 = 0xFF;

/// All words of a field in a segment, sorted.
#[derive(Debug, Default)]
pub(in super::super) struct CachedDictionary {
    text: Vec<u8>,
    /// The offset of each word.
    starts: Vec<u32>,
    /// The posting list of each word.
    lists: Vec<PostingListPosition>,
}

/// The position of a posting list in the file.
#[derive(Debug, Clone, Copy)]
struct PostingListPosition {
    documents: u32,
    start: u64,
    len: u32,
}

impl CacheablePart for CachedDictionary {
    fn bytes(&self) -> usize {
        self.text.len() + size_of_val(self.starts.as_slice()) + size_of_val(self.lists.as_slice())
    }
}

impl CachedDictionary {
    /// Adds the next word with its posting list, which has no positions.
    pub(in super::super) fn push(&mut self, word: &str, list: &TermInfo) {
        let (start, len) = (list.postings_range.start as u64, list.postings_range.len() as u32);
        self.lists.push(PostingListPosition { documents: list.doc_freq, start, len });
        self.starts.push(self.text.len() as u32);
        self.text.extend_from_slice(word.as_bytes());
        self.text.push(BETWEEN);
    }

    pub(in super::super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.lists.shrink_to_fit();
    }

    /// Returns the posting list of a word, given by its number.
    pub(in super::super) fn list(&self, number: usize) -> TermInfo {
        let PostingListPosition { documents, start, len } = self.lists[number];
        let start = start as usize;
        TermInfo { doc_freq: documents, postings_range: start..start + len as usize, positions_range: 0..0 }
    }

    /// Calls `each` with the words that contain a text, and their numbers.
    pub(in super::super) fn for_each_containing(&self, wanted: &str, mut each: impl FnMut(usize, &str)) {
        if wanted.is_empty() {
            // An empty text is contained in all words.
            for word in 0..self.starts.len() {
                each(word, self.word(word));
            }
            return;
        }
        let search_service = Finder::new(wanted.as_bytes());
        let (mut at, mut word) = (0, 0);
        while let Some(found) = search_service.find(&self.text[at..]) {
            let found = at + found;
            // The last word that begins before the match.
            let ahead = &self.starts[word..];
            word += ahead.partition_point(|start| *start as usize <= found) - 1;
            each(word, self.word(word));
            at = self.end(word) + 1;
        }
    }

    fn word(&self, number: usize) -> &str {
        std::str::from_utf8(&self.text[self.starts[number] as usize..self.end(number)]).unwrap_or_default()
    }

    /// Returns the position of the separator after a word.
    fn end(&self, number: usize) -> usize {
        self.starts.get(number + 1).map_or(self.text.len(), |next| *next as usize) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::CachedDictionary;
    use tantivy::postings::TermInfo;

    #[test]
    fn words_are_found_by_what_is_in_them() {
        let mut words = CachedDictionary::default();
        for word in ["", "anna", "banana", "nab", "ünän"] {
            words.push(word, &TermInfo::default());
        }
        let with = |wanted: &str| {
            let mut found = Vec::new();
            words.for_each_containing(wanted, |number, word| found.push((number, word.to_owned())));
            found
        };
        assert_eq!(with("an"), [(1, "anna".to_owned()), (2, "banana".to_owned())]);
        assert_eq!(with("nab"), [(3, "nab".to_owned())]);
        assert_eq!(with("än"), [(4, "ünän".to_owned())]);
        assert_eq!(with("").len(), 5);
        assert!(with("ab\u{FF}").is_empty() && with("annab").is_empty());
    }
}
