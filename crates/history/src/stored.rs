//! Records in the storage of a shop, beside the documents of the model.
//!
//! The records of each kind are a kind of documents of their own, with ids that sort by the time of the change: so all
//! records of a kind within a time are one stretch of a scan. Those of one resource are found by an index row.

use crate::changes::RecordedKind;
use jiff::Timestamp;
use kontor_engine::{IndexValue, Put};
use uuid::Uuid;

/// The indexed path of the id of the resource.
pub(crate) const RESOURCE: &str = "resource";
/// What the kinds of records begin with. They are no kinds of the model, so no other face can see them.
const KIND: &str = "record of ";
/// The bits of an id behind those of the time, the version and the variant (RFC 9562, section 5.7).
const ORDER_BITS: u32 = 74;
/// How many of these tell apart changes of the same moment.
const COUNTER_BITS: u32 = 32;

/// The kind under which records are stored.
pub(crate) fn kind(of: &RecordedKind) -> String {
    format!("{KIND}{}", of.type_id)
}

/// The id of a record: sorted by the time in the shop, and where that stands still, by the sequence of `new_id`, which
/// are sorted by themselves.
pub(crate) fn id(now: Timestamp, new_id: &str) -> String {
    let new = Uuid::parse_str(new_id).unwrap_or_default().as_u128();
    let real_ms = new >> 80;
    // What sorts the ids of one millisecond: 12 bits in front of the variant, then 30.
    let counter = ((new >> 64) & 0xfff) << 30 | (new >> 32) & 0x3fff_ffff;
    let order = (real_ms << COUNTER_BITS | counter & 0xffff_ffff) & ((1 << ORDER_BITS) - 1);
    with(now, order)
}

/// What sorts behind all records before a time, and before all others.
pub(crate) fn bound(at: Timestamp) -> String {
    with(at, 0)
}

fn with(at: Timestamp, order: u128) -> String {
    let ms = u128::from(u64::try_from(at.as_millisecond()).unwrap_or_default()) & 0xffff_ffff_ffff;
    let version = 7 << 76;
    let variant = 0b10 << 62;
    let id = ms << 80 | version | (order >> 62) << 64 | variant | order & ((1 << 62) - 1);
    Uuid::from_u128(id).to_string()
}

/// A record to write, of the resource with an id.
pub(crate) fn put(kind: &RecordedKind, id: String, resource: &str, record: Vec<u8>) -> Put {
    Put {
        kind: self::kind(kind),
        id,
        version: 1,
        body: record.into(),
        indexed: vec![(RESOURCE.to_owned(), IndexValue::Text(resource.to_owned()))],
        ..Put::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_time_of_the_shop_and_then_by_their_sequence() {
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        let ids: Vec<String> = (0..10_000).map(|_| id(at(1_000), &Uuid::now_v7().to_string())).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|one| *one >= bound(at(1_000)) && *one < bound(at(1_001))));
        // A clock that was set back is believed.
        assert!(id(at(999), &Uuid::now_v7().to_string()) < ids[0]);
        assert_eq!(Uuid::parse_str(&ids[0]).unwrap().get_version_num(), 7);
    }
}
