//! The pages of an Ogg file, and the packets of one of its streams.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::Reader;
use crate::error::Fault;
use crate::sound::samples::make_room;

/// A page with as many bytes as it can have: a head, 255 lengths, and as much as those can say.
pub(super) const LONGEST_PAGE: u64 = HEAD as u64 + 255 + 255 * 255;

/// How many places in a row may look like a page without being one, until it is no use to look on.
const MOST_FALSE_ONES: u32 = 16;

/// Of a page, before its lengths.
const HEAD: usize = 27;

/// No packet of a sound takes as much: the largest, Vorbis's codebooks, have some thousand bytes.
const LONGEST_PACKET: usize = 1 << 24;

/// One page: where it is, what its head says, and what is in it.
#[derive(Default)]
pub(super) struct Page {
    pub at: u64,
    /// Where the next one begins.
    pub end: u64,
    pub serial: u32,
    pub is_first: bool,
    pub is_last: bool,
    /// Whether it goes on with a packet of the page before it.
    continues: bool,
    /// The time behind the last packet that ends on it, if one does.
    pub granule: Option<i64>,
    number: u32,
    lengths: Vec<u8>,
    body: Vec<u8>,
}

impl Page {
    /// Reads the page that begins here. None, if the file ends before it does.
    fn read(&mut self, reader: &mut impl Read, at: u64) -> Result<Option<()>, Fault> {
        let damaged = || Fault::damaged(format!("has no sound Ogg page at byte {at}"));
        let mut head = [0; HEAD];
        if !fill(reader, &mut head)? {
            return Ok(None);
        }
        let [b'O', b'g', b'g', b'S', 0, flags, fields @ .., count] = head else {
            return Err(damaged());
        };
        let [g0, g1, g2, g3, g4, g5, g6, g7, s0, s1, s2, s3, n0, n1, n2, n3, c0, c1, c2, c3] =
            fields;
        self.lengths.resize(usize::from(count), 0);
        if !fill(reader, &mut self.lengths)? {
            return Ok(None);
        }
        let length = self.lengths.iter().map(|&length| usize::from(length)).sum();
        self.body.resize(length, 0);
        if !fill(reader, &mut self.body)? {
            return Ok(None);
        }
        // The checksum is that of a page which has none.
        let [.., k0, k1, k2, k3, _] = &mut head;
        [*k0, *k1, *k2, *k3] = [0; 4];
        let checksum = [&head[..], &self.lengths, &self.body].into_iter().fold(0, checksum);
        if checksum != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(damaged());
        }
        self.at = at;
        self.end = at + (HEAD + self.lengths.len() + length) as u64;
        self.serial = u32::from_le_bytes([s0, s1, s2, s3]);
        self.continues = flags & 1 != 0;
        self.is_first = flags & 2 != 0;
        self.is_last = flags & 4 != 0;
        let granule = i64::from_le_bytes([g0, g1, g2, g3, g4, g5, g6, g7]);
        self.granule = (granule != -1).then_some(granule);
        self.number = u32::from_le_bytes([n0, n1, n2, n3]);
        Ok(Some(()))
    }

    /// What the first packet of the page begins with, or all of it.
    pub fn first_packet(&self) -> &[u8] {
        let whole =
            self.lengths.iter().position(|length| *length < 255).unwrap_or(self.lengths.len());
        let length = self.lengths.iter().take(whole + 1).map(|&length| usize::from(length)).sum();
        self.body.get(..length).unwrap_or_default()
    }
}

/// The packets of one stream, read one after the other.
pub(super) struct Packets {
    reader: BufReader<Box<dyn Reader>>,
    /// The stream, once it is chosen.
    serial: Option<u32>,
    /// The page that is read from: so many of its lengths and bytes are done with.
    pub page: Page,
    lengths_done: usize,
    bytes_done: usize,
    /// The number that the next page must have, if that is known.
    expected: Option<u32>,
    /// How long the file is.
    pub length: u64,
}

/// What is known of a packet beside its bytes.
pub(super) struct PacketEnd {
    /// Whether it is the last that ends on its page, so that the page's time is the time behind it.
    pub ends_page: bool,
}

impl Packets {
    pub fn new(reader: Box<dyn Reader>) -> io::Result<Packets> {
        let mut reader = BufReader::new(reader);
        let length = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Packets {
            reader,
            serial: None,
            page: Page::default(),
            lengths_done: 0,
            bytes_done: 0,
            expected: None,
            length,
        })
    }

    /// From now on, pages of other streams are passed over.
    pub fn choose(&mut self, serial: u32) {
        self.serial = Some(serial);
        self.expected = None;
    }

    /// Goes on with the page that begins here.
    pub fn go_to(&mut self, at: u64) -> io::Result<()> {
        self.reader.seek(SeekFrom::Start(at))?;
        self.page = Page { end: at, ..Page::default() };
        (self.lengths_done, self.bytes_done, self.expected) = (0, 0, None);
        Ok(())
    }

    /// Reads the next page of the stream. Returns whether there is one.
    pub fn next_page(&mut self) -> Result<bool, Fault> {
        loop {
            let at = self.page.end;
            (self.lengths_done, self.bytes_done) = (0, 0);
            if self.page.read(&mut self.reader, at)?.is_none() {
                self.page.lengths.clear();
                return Ok(false);
            }
            if self.serial.is_some_and(|serial| serial != self.page.serial) {
                continue;
            }
            if self.expected.is_some_and(|number| number != self.page.number) {
                return Err(Fault::damaged(format!("lacks an Ogg page before byte {at}")));
            }
            self.expected = self.serial.map(|_| self.page.number.wrapping_add(1));
            return Ok(true);
        }
    }

    /// Reads the next packet. After [`go_to`](Packets::go_to), what is left of one that began on an earlier page is
    /// passed over. None at the end of the stream, or of the file.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> Result<Option<PacketEnd>, Fault> {
        packet.clear();
        let mut is_begun = false;
        loop {
            if self.lengths_done == self.page.lengths.len() {
                if self.page.is_last {
                    return Ok(None);
                }
                if !self.next_page()? {
                    return Ok(None);
                }
                if is_begun != self.page.continues {
                    // Only its end is here, or only its beginning was.
                    packet.clear();
                    if !is_begun {
                        self.take(&mut Vec::new())?;
                    }
                    is_begun = false;
                }
                continue;
            }
            if self.take(packet)? {
                let rest = self.page.lengths.get(self.lengths_done..).unwrap_or_default();
                return Ok(Some(PacketEnd { ends_page: rest.iter().all(|length| *length == 255) }));
            }
            is_begun = true;
        }
    }

    /// Appends what this page has of the packet. Returns whether the packet ends.
    fn take(&mut self, packet: &mut Vec<u8>) -> Result<bool, Fault> {
        let lengths = self.page.lengths.get(self.lengths_done..).unwrap_or_default();
        let full = lengths.iter().take_while(|length| **length == 255).count();
        let is_end = full < lengths.len();
        let taken = if is_end { full + 1 } else { full };
        let bytes = lengths.iter().take(taken).map(|&length| usize::from(length)).sum::<usize>();
        if packet.len() + bytes > LONGEST_PACKET {
            return Err(Fault::damaged("has an Ogg packet that does not end"));
        }
        make_room(packet, bytes)?;
        packet.extend(self.page.body.iter().skip(self.bytes_done).take(bytes));
        self.lengths_done += taken;
        self.bytes_done += bytes;
        Ok(is_end)
    }

    /// Finds the first page of the stream from here on that has a time and begins before `end`. Where none of any
    /// stream is for longer than it could be, nor among so many that look like one, there is none.
    pub fn find_page(&mut self, from: u64, end: u64) -> Result<Option<(u64, i64)>, Fault> {
        let mut page = Page::default();
        let mut at = from;
        let (mut until, mut false_ones) = (from.saturating_add(2 * LONGEST_PAGE), 0);
        while at < end && false_ones < MOST_FALSE_ONES {
            let Some(found) = self.find_capture(at, end.min(until))? else {
                break;
            };
            self.reader.seek(SeekFrom::Start(found))?;
            // What only looks like a page has another checksum.
            let is_page = matches!(page.read(&mut self.reader, found), Ok(Some(())));
            if is_page
                && self.serial == Some(page.serial)
                && let Some(granule) = page.granule
            {
                return Ok(Some((found, granule)));
            }
            if is_page {
                (at, until, false_ones) = (page.end, page.end.saturating_add(2 * LONGEST_PAGE), 0);
            } else {
                (at, false_ones) = (found + 1, false_ones + 1);
            }
        }
        Ok(None)
    }

    /// The last page of the stream that has a time: when it ends, and whether it says that it is the last.
    pub fn find_last(&mut self, first: u64) -> Result<Option<(i64, bool)>, Fault> {
        let mut last = None;
        // Twice the longest, in case another stream has pages behind it.
        let mut at = self.length.saturating_sub(2 * LONGEST_PAGE).max(first);
        while let Some((found, granule)) = self.find_page(at, self.length)? {
            let mut page = Page::default();
            self.reader.seek(SeekFrom::Start(found))?;
            page.read(&mut self.reader, found)?;
            last = Some((granule, page.is_last));
            at = page.end;
        }
        Ok(last)
    }

    /// Where `OggS` is next, before `end`.
    fn find_capture(&mut self, from: u64, end: u64) -> Result<Option<u64>, Fault> {
        self.reader.seek(SeekFrom::Start(from))?;
        let mut seen = 0u32;
        for (at, byte) in (from..end + 3).zip(self.reader.by_ref().bytes()) {
            seen = seen << 8 | u32::from(byte?);
            if seen == u32::from_be_bytes(*b"OggS") && at >= from + 3 {
                return Ok(Some(at - 3));
            }
        }
        Ok(None)
    }
}

/// Whether there are as many bytes as fit in.
fn fill(reader: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(room) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        result => result.map(|()| true),
    }
}

/// A cyclic redundancy check, highest bit first.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    static TABLE: [u32; 256] = table();
    bytes.iter().fold(before, |sum, byte| {
        let [high, ..] = sum.to_be_bytes();
        sum << 8 ^ TABLE[usize::from(high ^ byte)]
    })
}

const fn table() -> [u32; 256] {
    const POLYNOMIAL: u32 = 0x04C1_1DB7;
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum >> 31 == 1 { sum << 1 ^ POLYNOMIAL } else { sum << 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}
