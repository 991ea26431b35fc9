//! Lookup of members by name: a linear search in small objects, a comparison of one byte a name in middle-sized ones, a
//! hash table in large ones.

use crate::Name;
use crate::escape_scan::LANES;
use std::collections::HashMap;
use wide::u8x16;

/// Maximum number of members for a linear search; larger objects get a hash table, if they are parsed.
pub(crate) const LOOKED_THROUGH_MAX: usize = 64;
/// Maximum number of members that are compared name by name.
const FEW_MAX: usize = 8;

/// The lookup table of an object.
#[derive(Clone, Default)]
pub(crate) enum MemberNames {
    /// None: names are compared one after the other.
    #[default]
    Few,
    /// By one byte of each name: most names need no comparison.
    Marked(Box<NameMarks>),
    /// A hash table of positions.
    #[expect(clippy::box_collection, reason = "few objects have one, and all would be 40 bytes larger")]
    Many(Box<HashMap<Name, usize>>),
}

/// A byte for each name, in the order of the members.
#[derive(Clone)]
pub(crate) struct NameMarks([u8; LOOKED_THROUGH_MAX]);

impl MemberNames {
    /// Computes the bytes of these members.
    pub(crate) fn new<V>(list: &[(Name, V)]) -> Self {
        if list.len() <= FEW_MAX {
            Self::Few
        } else if list.len() <= LOOKED_THROUGH_MAX {
            Self::Marked(Box::new(NameMarks::new(list)))
        } else {
            let places = list.iter().enumerate().map(|(place, (name, _))| (name.clone(), place));
            Self::Many(Box::new(places.collect()))
        }
    }

    /// Returns the position of a member.
    pub(crate) fn position<V>(&self, name: &str, list: &[(Name, V)]) -> Option<usize> {
        match self {
            Self::Few => list.iter().position(|(other, _)| is_same(other, name)),
            Self::Marked(marks) => marks.position(name, list),
            Self::Many(places) => places.get(name).copied(),
        }
    }

    /// Returns whether a name occurs twice.
    pub(crate) fn has_duplicate<V>(&self, list: &[(Name, V)]) -> bool {
        match self {
            Self::Few => has_duplicate(list, |place| mark(list[place].0.as_bytes())),
            Self::Marked(marks) => has_duplicate(list, |place| marks.0[place]),
            Self::Many(places) => places.len() < list.len(),
        }
    }

    /// Updates the table after a member was appended.
    pub(crate) fn update_after_push<V>(&mut self, list: &[(Name, V)]) {
        let Some((place, (name, _))) = list.iter().enumerate().next_back() else { return };
        match self {
            Self::Few if list.len() <= FEW_MAX => {}
            Self::Marked(marks) if list.len() <= LOOKED_THROUGH_MAX => marks.0[place] = mark(name.as_bytes()),
            Self::Many(places) => {
                places.insert(name.clone(), place);
            }
            Self::Few | Self::Marked(_) => *self = Self::new(list),
        }
    }

    /// Updates the table after a member was removed.
    pub(crate) fn update_after_remove<V>(&mut self, name: &str, place: usize, list: &[(Name, V)]) {
        match self {
            Self::Few => {}
            Self::Marked(_) if list.len() <= FEW_MAX => *self = Self::Few,
            Self::Marked(marks) => marks.0.copy_within(place + 1.., place),
            Self::Many(_) if list.len() <= LOOKED_THROUGH_MAX => *self = Self::new(list),
            Self::Many(places) => {
                places.remove(name);
                places.values_mut().filter(|other| **other > place).for_each(|behind| *behind -= 1);
            }
        }
    }
}

impl NameMarks {
    fn new<V>(list: &[(Name, V)]) -> Self {
        let mut marks = [0; LOOKED_THROUGH_MAX];
        for (of, (name, _)) in marks.iter_mut().zip(list) {
            *of = mark(name.as_bytes());
        }
        Self(marks)
    }

    fn position<V>(&self, name: &str, list: &[(Name, V)]) -> Option<usize> {
        let mark = u8x16::splat(mark(name.as_bytes()));
        for (step, lanes) in self.0.as_chunks::<LANES>().0.iter().enumerate() {
            if step * LANES >= list.len() {
                break;
            }
            let mut same = u8x16::new(*lanes).simd_eq(mark).to_bitmask();
            while same != 0 {
                let place = step * LANES + same.trailing_zeros() as usize;
                // Bytes after the last member belong to no member.
                if list.get(place).is_some_and(|(other, _)| other == name) {
                    return Some(place);
                }
                same &= same - 1;
            }
        }
        None
    }
}

/// Whether two names are equal. Most unequal names differ in length or last letter, which needs no call to compare.
#[inline]
fn is_same(one: &str, another: &str) -> bool {
    one.len() == another.len() && one.as_bytes().last() == another.as_bytes().last() && one == another
}

/// Whether a name occurs twice among members with these marks. Different names nearly always have different marks.
fn has_duplicate<V>(list: &[(Name, V)], mark: impl Fn(usize) -> u8) -> bool {
    let mut seen = [0_u64; 4];
    list.iter().enumerate().any(|(place, (name, _))| {
        let mark = mark(place);
        let (seen, bit) = (&mut seen[usize::from(mark >> 6)], 1 << (mark & 63));
        let is_seen = *seen & bit != 0;
        *seen |= bit;
        is_seen && list[..place].iter().any(|(before, _)| before == name)
    })
}

fn mark(name: &[u8]) -> u8 {
    let of = |place: usize, by: u8| name.get(place).map_or(0, |byte| byte.wrapping_mul(by));
    let len = name.len();
    of(0, 167) ^ of(len / 2, 59) ^ of(len.wrapping_sub(1), 13) ^ (len as u8).wrapping_mul(101)
}
