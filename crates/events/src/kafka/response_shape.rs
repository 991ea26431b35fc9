//! Checks that a response contains the elements that its list lengths announce, before it is decoded: the
//! decoder allocates as many as a broker announces, and a malicious one announcing four thousand million
//! would end the process.
//!
//! Source: "Kafka protocol guide", sections "Protocol Primitives", "The Messages".

/// A part of a response.
pub(super) enum ResponsePart {
    /// A fixed number of bytes.
    Bytes(usize),
    /// A `COMPACT_STRING`, which may be null.
    Text,
    /// A `COMPACT_ARRAY`, which may be null, and the parts of each of its elements.
    List(&'static [ResponsePart]),
    /// `TAG_BUFFER`.
    Tags,
    /// The `STRING` of messages without tags, which may be null.
    OldText,
    /// The `ARRAY` of messages without tags, which may be null.
    OldList(&'static [ResponsePart]),
}

use ResponsePart::{Bytes, List, OldList, OldText, Tags, Text};

/// The correlation id, with which all responses begin. In newer messages, tags follow it.
const CORRELATION: ResponsePart = Bytes(4);
const NODES: ResponsePart = List(&[Bytes(4)]);

/// `SaslHandshake` in version 1: code, mechanisms.
pub(super) const HANDSHAKE: &[ResponsePart] = &[CORRELATION, Bytes(2), OldList(&[OldText])];
/// `SaslAuthenticate` in version 1: code, message, bytes, lifetime. It has no list.
pub(super) const AUTHENTICATE: &[ResponsePart] = &[CORRELATION, Bytes(2), OldText];
/// `Metadata` in version 9.
pub(super) const METADATA: &[ResponsePart] =
    &[CORRELATION, Tags, Bytes(4), List(BROKER), Text, Bytes(4), List(TOPIC)];
/// A broker: id, host, port, rack.
const BROKER: &[ResponsePart] = &[Bytes(4), Text, Bytes(4), Text, Tags];
/// A topic: code, name, whether it is internal, partitions, authorized operations.
const TOPIC: &[ResponsePart] = &[Bytes(2), Text, Bytes(1), List(PARTITION), Bytes(4), Tags];
/// A partition: code, index, leader and its epoch, replicas.
const PARTITION: &[ResponsePart] = &[Bytes(2 + 4 + 4 + 4), NODES, NODES, NODES, Tags];
/// `Produce` in version 9: topics by name, each with its partitions.
pub(super) const PRODUCE: &[ResponsePart] = &[CORRELATION, Tags, List(&[Text, List(APPENDED), Tags])];
/// The result for a partition: index, code, offset, time, first offset, refused records, message.
const APPENDED: &[ResponsePart] = &[Bytes(4 + 2 + 8 + 8 + 8), List(&[Bytes(4), Text, Tags]), Text, Tags];

/// Returns whether a response begins with these parts, each of them complete.
pub(super) fn begins_with(parts: &[ResponsePart], reply: &[u8]) -> bool {
    let mut rest = reply;
    all(parts, &mut rest).is_some()
}

fn all(parts: &[ResponsePart], rest: &mut &[u8]) -> Option<()> {
    parts.iter().try_for_each(|part| match part {
        Bytes(count) => take_bytes(rest, *count).map(|_| ()),
        Text => {
            let length = varint(rest)?.saturating_sub(1);
            take_bytes(rest, length).map(|_| ())
        }
        List(of) => {
            let count = varint(rest)?.saturating_sub(1);
            (0..count).try_for_each(|_| all(of, rest))
        }
        Tags => {
            let count = varint(rest)?;
            (0..count).try_for_each(|_| {
                varint(rest)?;
                let length = varint(rest)?;
                take_bytes(rest, length).map(|_| ())
            })
        }
        OldText => {
            let length = i16::from_be_bytes(take_bytes(rest, 2)?.try_into().ok()?);
            take_bytes(rest, usize::try_from(length).unwrap_or_default()).map(|_| ())
        }
        OldList(of) => {
            let count = i32::from_be_bytes(take_bytes(rest, 4)?.try_into().ok()?);
            (0..count).try_for_each(|_| all(of, rest))
        }
    })
}

fn take_bytes<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

/// Reads an `UNSIGNED_VARINT`, like the codec: at most five bytes.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut value: u32 = 0;
    for place in 0..5 {
        let byte = u32::from(take_bytes(rest, 1)?[0]);
        value |= (byte & 0x7f) << (place * 7);
        if byte < 0x80 {
            break;
        }
    }
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafka_protocol::messages::{MetadataResponse, ProduceResponse, SaslHandshakeResponse};
    use kafka_protocol::protocol::Decodable;

    /// The largest length that a list can announce, in five bytes.
    const MANY: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x0f];

    fn metadata(partitions: &[u8]) -> Vec<u8> {
        let broker = b"\0\0\0\x01\x04one\0\0\x23\x84\0\0";
        let topic = b"\0\0\x07orders\0";
        [b"\0\0\0\x01\0\0\0\0\0\x02", &broker[..], b"\0\0\0\0\x01\x02", topic, partitions].concat()
    }

    /// Decodes a response after its header, to the last byte.
    fn read<A: Decodable>(response: &[u8], version: i16) -> A {
        let mut response = bytes::Bytes::copy_from_slice(response);
        let read = A::decode(&mut response, version).unwrap();
        assert!(response.is_empty());
        read
    }

    #[test]
    fn accepts_responses_with_all_announced_elements() {
        let partition = b"\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\x02\0\0\0\x01\x02\0\0\0\x01\x01\0";
        let whole = metadata(&[b"\x02", &partition[..], b"\0\0\0\0\0"].concat());
        assert!(begins_with(METADATA, &whole));
        for cut in 0..whole.len() {
            assert!(!begins_with(METADATA, &whole[..cut]), "{cut}");
        }
        let whole = [&whole[5..], b"\0\0\0\0\0"].concat();
        assert_eq!(read::<MetadataResponse>(&whole, 9).topics[0].partitions.len(), 1);

        let whole = b"\0\0\0\x01\0\0\0\0\0\x01\0\x05PLAIN";
        assert!(begins_with(HANDSHAKE, whole));
        assert_eq!(read::<SaslHandshakeResponse>(&whole[4..], 1).mechanisms.len(), 1);

        let appended = [&[0; 30][..], b"\x02\0\0\0\0\x01\0\0\0"].concat();
        let whole = [b"\0\0\0\x01\0\x02\x07orders\x02", &appended[..], b"\0\0\0\0\0\0"].concat();
        assert!(begins_with(PRODUCE, &whole));
        assert_eq!(read::<ProduceResponse>(&whole[5..], 9).responses[0].partition_responses.len(), 1);
    }

    #[test]
    fn rejects_lists_that_announce_too_many_elements() {
        assert!(!begins_with(METADATA, &metadata(&MANY)));
        assert!(!begins_with(METADATA, &[b"\0\0\0\x01\0\0\0\0\0", &MANY[..]].concat()));
        assert!(!begins_with(HANDSHAKE, b"\0\0\0\x01\0\0\x7f\xff\xff\xff\0\x05PLAIN"));
        assert!(!begins_with(PRODUCE, &[b"\0\0\0\x01\0", &MANY[..]].concat()));
    }
}
