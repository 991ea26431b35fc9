//! Parses one page of a database file: the bytes that SQLite uses, and the pages that it points to.
//!
//! All other bytes are remains of deleted or moved values. Source: sqlite.org/fileformat2.html.

use std::ops::Range;

use crate::{Error, Result};

/// Bytes before the content of the first page: the header of the file.
const FILE_HEADER_BYTES: usize = 100;
/// Minimum bytes of a deleted cell; SQLite stores the length and the next free block in them.
const CELL_BYTES_MIN: usize = 4;
/// Bytes of a page number, at the end of a cell or at the beginning of an overflow page.
const PAGE_NUMBER_BYTES: usize = 4;
/// Maximum bytes of a variable-length integer.
const VARINT_BYTES_MAX: usize = 9;

/// Bytes of the write-ahead log's file header, and of the header of each page in it, which begins with the page's number.
pub(super) const LOG_HEADER_BYTES: u64 = 32;
pub(super) const FRAME_HEADER_BYTES: usize = 24;

/// The number of a page, from 1.
pub(super) type PageNumber = u32;

/// The content of a page of a tree.
#[derive(Debug, Default)]
pub(super) struct TreePage {
    /// The ranges of used bytes, in order. They may touch.
    pub(super) used: Vec<Range<usize>>,
    /// The child pages; empty for a leaf.
    pub(super) children: Vec<PageNumber>,
    /// For each value that does not fit, its first overflow page and the number of bytes on overflow pages.
    pub(super) overflows: Vec<(PageNumber, usize)>,
}

/// The type of a page of a tree (the first byte of its header).
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageKind {
    IndexInterior,
    TableInterior,
    IndexLeaf,
    TableLeaf,
}

impl PageKind {
    fn from_byte(byte: u8) -> Result<Self> {
        match byte {
            2 => Ok(PageKind::IndexInterior),
            5 => Ok(PageKind::TableInterior),
            10 => Ok(PageKind::IndexLeaf),
            13 => Ok(PageKind::TableLeaf),
            _ => Err(damaged_page()),
        }
    }

    fn is_interior(self) -> bool {
        matches!(self, PageKind::IndexInterior | PageKind::TableInterior)
    }

    fn header_bytes(self) -> usize {
        if self.is_interior() { 12 } else { 8 }
    }
}

impl TreePage {
    /// Parses a page. `usable`: the number of bytes that may hold content.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is not a page of a tree.
    pub(super) fn read(&mut self, page: &[u8], number: PageNumber, usable: usize) -> Result<()> {
        self.used.clear();
        self.children.clear();
        self.overflows.clear();
        let start = if number == 1 { FILE_HEADER_BYTES } else { 0 };
        let kind = PageKind::from_byte(byte(page, start)?)?;
        let cells = usize::from(read_u16(page, start + 3)?);
        let pointers = start + kind.header_bytes();
        let pointers_end = pointers + 2 * cells;
        self.used.push(0..pointers_end);
        for cell in 0..cells {
            let place = usize::from(read_u16(page, pointers + 2 * cell)?);
            if place < pointers_end {
                return Err(damaged_page());
            }
            self.read_cell(page, place, kind, usable)?;
        }
        if kind.is_interior() {
            self.children.push(read_u32(page, start + 8)?);
        }
        let mut free_block = usize::from(read_u16(page, start + 1)?);
        while free_block != 0 {
            self.used.push(free_block..free_block + CELL_BYTES_MIN);
            let next = usize::from(read_u16(page, free_block)?);
            // Free blocks are in ascending order.
            if next != 0 && next <= free_block {
                return Err(damaged_page());
            }
            free_block = next;
        }
        self.used.sort_unstable_by_key(|range| range.start);
        match self.used.iter().all(|range| range.end <= usable) {
            true => Ok(()),
            false => Err(damaged_page()),
        }
    }

    fn read_cell(&mut self, page: &[u8], start: usize, kind: PageKind, usable: usize) -> Result<()> {
        let mut place = start;
        if kind.is_interior() {
            self.children.push(read_u32(page, place)?);
            place += PAGE_NUMBER_BYTES;
        }
        if kind == PageKind::TableInterior {
            varint(page, &mut place)?;
            self.used.push(start..place);
            return Ok(());
        }
        let payload = usize::try_from(varint(page, &mut place)?).map_err(|_| damaged_page())?;
        if kind == PageKind::TableLeaf {
            varint(page, &mut place)?;
        }
        let here = payload_in_page(payload, kind, usable);
        let mut end = place.checked_add(here).ok_or_else(damaged_page)?;
        if here < payload {
            self.overflows.push((read_u32(page, end)?, payload - here));
            end += PAGE_NUMBER_BYTES;
        }
        self.used.push(start..end.max(start + CELL_BYTES_MIN));
        Ok(())
    }
}

/// Returns the bytes of a payload that are on the page of its cell.
fn payload_in_page(payload: usize, kind: PageKind, usable: usize) -> usize {
    let most = match kind {
        PageKind::TableLeaf => usable - 35,
        _ => (usable - 12) * 64 / 255 - 23,
    };
    if payload <= most {
        return payload;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let fitting = least + (payload - least) % (usable - PAGE_NUMBER_BYTES);
    if fitting <= most { fitting } else { least }
}

fn varint(page: &[u8], place: &mut usize) -> Result<u64> {
    let mut value = 0;
    for count in 1..=VARINT_BYTES_MAX {
        let next = byte(page, *place)?;
        *place += 1;
        if count == VARINT_BYTES_MAX {
            return Ok(value << 8 | u64::from(next));
        }
        value = value << 7 | u64::from(next & 0x7F);
        if next & 0x80 == 0 {
            break;
        }
    }
    Ok(value)
}

fn byte(page: &[u8], place: usize) -> Result<u8> {
    page.get(place).copied().ok_or_else(damaged_page)
}

/// Reads a two-byte number.
pub(super) fn read_u16(page: &[u8], place: usize) -> Result<u16> {
    let bytes = page.get(place..place + 2).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u16::from_be_bytes).ok_or_else(damaged_page)
}

/// Reads a four-byte number.
pub(super) fn read_u32(page: &[u8], place: usize) -> Result<u32> {
    let bytes = page.get(place..place + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u32::from_be_bytes).ok_or_else(damaged_page)
}

pub(super) fn damaged_page() -> Error {
    Error::Damaged("a page of the file")
}
