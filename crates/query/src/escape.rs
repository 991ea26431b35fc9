//! Resolves escapes in quoted texts of predicates.

/// Returns the unescaped text, or the byte offset of an invalid escape.
///
/// The escapes are those of JSON. Line breaks and other control characters are allowed unescaped.
pub(crate) fn unescape(escaped: &str) -> Result<String, usize> {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let offset = escaped.len() - rest.len() + at;
        let (length, character) = unescape_one(&rest[at..]).ok_or(offset)?;
        text.push(character);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Ok(text)
}

/// Parses the escape at the beginning of `text`: its length in bytes and its character.
fn unescape_one(text: &str) -> Option<(usize, char)> {
    let character = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let high = hexadecimal(text.get(2..6)?)?;
            // Characters beyond the Basic Multilingual Plane are written as a pair of surrogates.
            if !(0xD800..0xDC00).contains(&high) {
                return Some((6, char::from_u32(high)?));
            }
            let low = hexadecimal(text.get(6..12)?.strip_prefix("\\u")?)?;
            let low = low.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
            return Some((12, char::from_u32(0x10000 + ((high - 0xD800) << 10) + low)?));
        }
        _ => return None,
    };
    Some((2, character))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| all_digits)
}
