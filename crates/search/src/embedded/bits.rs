//! [`Bits`]: a set of documents of a segment, as a bitmap.

/// A bitmap of the documents `0..len`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns an empty set for `len` documents.
    pub(super) fn none(len: u32) -> Self {
        Self { words: vec![0; (len as usize).div_ceil(64)] }
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }

    pub(super) fn insert(&mut self, doc: u32) {
        self.words[doc as usize / 64] |= 1 << (doc % 64);
    }

    pub(super) fn remove(&mut self, doc: u32) {
        self.words[doc as usize / 64] &= !(1 << (doc % 64));
    }

    pub(super) fn contains(&self, doc: u32) -> bool {
        self.words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    pub(super) fn unite(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Returns the first document of the set that is not before `from`.
    pub(super) fn next(&self, from: u32) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut word = *self.words.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }

    /// Returns the last document of the set before `before`.
    pub(super) fn previous(&self, before: u32) -> Option<u32> {
        let last = before.checked_sub(1)?;
        let mut at = last as usize / 64;
        let mut word = *self.words.get(at)? & (u64::MAX >> (63 - last % 64));
        while word == 0 {
            at = at.checked_sub(1)?;
            word = self.words[at];
        }
        Some(at as u32 * 64 + 63 - word.leading_zeros())
    }

    /// Returns, for each word of 64 bits, the number of documents of the set before it.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut count = 0;
        let before = self.words.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        before.collect()
    }

    /// Returns the number of documents of the set in the word of a document, before that document.
    pub(super) fn ones_before_in_word(&self, doc: u32) -> u32 {
        let before = (1_u64 << (doc % 64)) - 1;
        self.words.get(doc as usize / 64).map_or(0, |word| (word & before).count_ones())
    }

    /// Iterates over the documents of the set, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| Ones { word: *word, base: at as u32 * 64 })
    }
}

struct Ones {
    word: u64,
    base: u32,
}

impl Iterator for Ones {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.word == 0 {
            return None;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn finds_neighbours_across_words() {
        let mut bits = Bits::none(200);
        for doc in [0, 63, 64, 130, 199] {
            bits.insert(doc);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 130, 199]);
        assert_eq!(bits.next(1), Some(63));
        assert_eq!(bits.next(65), Some(130));
        assert_eq!(bits.next(200), None);
        assert_eq!(bits.previous(0), None);
        assert_eq!(bits.previous(64), Some(63));
        assert_eq!(bits.previous(130), Some(64));
        assert_eq!(bits.previous(200), Some(199));
        assert_eq!(bits.count(), 5);
        assert_eq!(bits.ranks(), [0, 2, 3, 4]);
        assert_eq!([0, 1, 63, 64].map(|doc| bits.ones_before_in_word(doc)), [0, 1, 1, 0]);
    }
}
