//! Passing over JSON that is plain to see: no more is made of it than where its objects end.

use crate::plain::plain_len;

/// A number of more bytes may be one that nothing holds.
const NUMBER_BYTES_MAX: usize = 30;

/// Where an object ends that was passed over.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct End {
    /// The byte behind it, in the whole text.
    pub(crate) at: u32,
    /// The place of the next object that is not in this one.
    pub(crate) next: u32,
}

/// Goes through a text.
pub(crate) struct Passing<'t> {
    bytes: &'t [u8],
    /// The next byte.
    pub(crate) at: usize,
    /// So many objects and lists more may stand in each other.
    depth: usize,
    /// The ends of all objects, in the sequence in which they begin.
    ends: &'t mut Vec<End>,
}

impl<'t> Passing<'t> {
    /// Begins at a byte.
    pub(crate) fn from(bytes: &'t [u8], at: usize, depth: usize, ends: &'t mut Vec<End>) -> Self {
        Self { bytes, at, depth, ends }
    }

    /// Goes on behind a value. `None` where it is none, or where that is not plain to see: texts in which something stands
    /// for something else, and numbers with an exponent.
    pub(crate) fn value(&mut self) -> Option<()> {
        self.space();
        match self.peek()? {
            b'"' => self.text(),
            b'{' => self.object(),
            b'[' => self.inside(b']', Self::value),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Option<()> {
        let place = self.ends.len();
        self.ends.push(End::default());
        self.inside(b'}', |passing| {
            passing.space();
            passing.text()?;
            passing.byte(b':')?;
            passing.value()
        })?;
        let (at, next) = (u32::try_from(self.at).ok()?, u32::try_from(self.ends.len()).ok()?);
        self.ends[place] = End { at, next };
        Some(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn byte(&mut self, expected: u8) -> Option<()> {
        self.space();
        (self.peek()? == expected).then(|| self.at += 1)
    }

    /// Members or elements, with the bytes around them.
    fn inside(&mut self, end: u8, each: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.depth = self.depth.checked_sub(1)?;
        self.space();
        if self.peek()? != end {
            loop {
                each(self)?;
                self.space();
                match self.peek()? {
                    b',' => self.at += 1,
                    byte if byte == end => break,
                    _ => return None,
                }
            }
        }
        self.at += 1;
        self.depth += 1;
        Some(())
    }

    fn text(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        self.at += plain_len(self.bytes.get(self.at..)?);
        (self.peek()? == b'"').then(|| self.at += 1)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        let is_plain = !matches!(self.peek(), Some(b'e' | b'E')) && self.at - start <= NUMBER_BYTES_MAX;
        is_plain.then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn passed(text: &str) -> Option<usize> {
        let mut ends = Vec::new();
        let mut passing = Passing::from(text.as_bytes(), 0, 120, &mut ends);
        passing.value().map(|()| passing.at)
    }

    proptest! {
        #[test]
        fn what_is_passed_over_whole_can_be_read(text in "[\\[\\]{}\",:0-9a-z.\\\\ -]{0,24}") {
            for text in [text.clone(), format!("[{text}]"), format!("{{\"a\":{text}}}"), format!("[{{\"a\":{text}}},1]")] {
                if passed(&text) == Some(text.len()) {
                    prop_assert!(crate::from_str::<crate::Value>(&text).is_ok(), "{}", text);
                }
            }
        }
    }

    #[test]
    fn what_this_server_writes_is_passed_over() {
        for text in [
            r#"{"id":"0a","version":1,"none":{},"list":[],"all":[1,-2,0,0.19,-0.5,true,false,null,"ä",[{"a":"b"}]]}"#,
            "12345678901234567890",
        ] {
            assert_eq!(passed(text), Some(text.len()), "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_not() {
        let deep = format!("{}{}", "[".repeat(121), "]".repeat(121));
        let long = "1".repeat(400);
        for text in [
            r#"{"a":"\n"}"#,
            r#"["\ud800"]"#,
            "1e999",
            "01",
            "-",
            "1.",
            "{\"a\" 1}",
            "[1,]",
            "{,}",
            "tru",
            &deep,
            &long,
        ] {
            assert_ne!(passed(text), Some(text.len()), "{text}");
        }
    }
}
