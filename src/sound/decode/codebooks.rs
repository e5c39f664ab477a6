//! How large the tables are that a decoder of Vorbis makes of the codebooks in a file's head.
//!
//! A few bytes can ask for a table of gigabytes: a hundred thousand codes of one length, with a vector of thousands of
//! numbers for each. What real encoders write is far from that, and so is what is let in.

use crate::error::Fault;

/// How many numbers the vectors of all codebooks may have: 8 MiB.
const MOST_NUMBERS: u64 = 1 << 21;

/// How many branches of 256 codes all of them may have, at 8 bytes a code: 32 MiB.
const MOST_BRANCHES: u64 = 1 << 14;

/// How many codes one may have: no more are read.
const MOST_CODES: u32 = 1 << 17;

/// Refuses the third packet of a Vorbis head if its codebooks make tables that no encoder would. What else may be wrong
/// with them is for the decoder to say.
pub(super) fn check(packet: &[u8]) -> Result<(), Fault> {
    let mut bits = Bits { bytes: packet.get(7..).unwrap_or_default(), at: 0 };
    let (mut numbers, mut branches) = (0, 0);
    let Some(books) = bits.take(8) else { return Ok(()) };
    for _ in 0..=books {
        let Some(size) = size_of_next(&mut bits) else { break };
        numbers += size.numbers;
        branches += size.branches;
        if numbers > MOST_NUMBERS || branches > MOST_BRANCHES {
            return Err(Fault::damaged("has Vorbis codebooks that no encoder makes"));
        }
    }
    Ok(())
}

struct Size {
    numbers: u64,
    branches: u64,
}

/// Walks over a codebook. None: it breaks off, or cannot be.
fn size_of_next(bits: &mut Bits) -> Option<Size> {
    let _sync = bits.take(24)?;
    let (dimensions, codes) = (bits.take(16)?, bits.take(24)?);
    if codes > MOST_CODES {
        return None;
    }
    let mut longer = Longer::default();
    if bits.take(1)? == 1 {
        let (mut done, mut length) = (0, bits.take(5)? + 1);
        while done < codes {
            let count = bits.take(u32::BITS - (codes - done).leading_zeros())?;
            longer.add(length, count.min(codes - done));
            (done, length) = (done + count, length + 1);
        }
    } else {
        let is_sparse = bits.take(1)? == 1;
        for _ in 0..codes {
            if !is_sparse || bits.take(1)? == 1 {
                longer.add(bits.take(5)? + 1, 1);
            }
        }
    }
    let vectors = u64::from(codes) * u64::from(dimensions);
    let (values, numbers) = match bits.take(4)? {
        0 => return Some(Size { numbers: 0, branches: longer.branches() }),
        1 => (u64::from(root(codes, dimensions)), vectors),
        2 => (vectors, vectors),
        _ => return None,
    };
    bits.take(32)?;
    bits.take(32)?;
    let length = bits.take(4)? + 1;
    bits.take(1)?;
    bits.skip(values.checked_mul(u64::from(length))?);
    Some(Size { numbers, branches: longer.branches() })
}

/// How many codes are longer than one, two and three bytes.
#[derive(Default)]
struct Longer([u64; 3]);

impl Longer {
    fn add(&mut self, length: u32, count: u32) {
        for (longer, bytes) in self.0.iter_mut().zip(1..) {
            *longer += if length > 8 * bytes { u64::from(count) } else { 0 };
        }
    }

    /// How many branches they make at the most: one for each beginning of so many bytes.
    fn branches(&self) -> u64 {
        let most = |bytes: u32| 1u64 << (8 * bytes);
        1 + self.0.iter().zip(1..).map(|(longer, bytes)| (*longer).min(most(bytes))).sum::<u64>()
    }
}

/// The largest number that is no more than `codes` to the power of `dimensions`.
fn root(codes: u32, dimensions: u32) -> u32 {
    let fits = |number: u32| {
        let power = u64::from(number).checked_pow(dimensions);
        power.is_some_and(|power| power <= u64::from(codes))
    };
    (1..=codes).take_while(|number| fits(*number)).last().unwrap_or(0)
}

/// The bits of a packet, each byte from its lowest on.
struct Bits<'a> {
    bytes: &'a [u8],
    /// How many are done with.
    at: u64,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Option<u32> {
        let mut taken = 0;
        for bit in 0..count {
            let byte = self.bytes.get(usize::try_from(self.at / 8).ok()?)?;
            taken |= u32::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(taken)
    }

    fn skip(&mut self, count: u64) {
        self.at = self.at.saturating_add(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits as they are written.
    #[derive(Default)]
    struct Packet(Vec<u8>, u32);

    impl Packet {
        fn head(books: u32) -> Packet {
            let mut packet = Packet(b"\x05vorbis".to_vec(), 0);
            packet.put(books - 1, 8);
            packet
        }

        fn put(&mut self, value: u32, count: u32) {
            for bit in 0..count {
                if self.1.is_multiple_of(8) {
                    self.0.push(0);
                }
                *self.0.last_mut().unwrap() |= ((value >> bit & 1) as u8) << (self.1 % 8);
                self.1 += 1;
            }
        }

        /// So many codes of one length.
        fn book(&mut self, dimensions: u32, codes: u32, length: u32) {
            self.put(0x56_4342, 24);
            self.put(dimensions, 16);
            self.put(codes, 24);
            self.put(1, 1);
            self.put(length - 1, 5);
            self.put(codes, u32::BITS - codes.leading_zeros());
        }

        /// With a vector for each, of values of a bit.
        fn vectors(&mut self, kind: u32, values: u32) {
            self.put(kind, 4);
            self.put(0, 32);
            self.put(0, 32);
            self.put(0, 4);
            self.put(0, 1);
            (0..values).for_each(|_| self.put(1, 1));
        }
    }

    #[test]
    fn codebooks_of_codes_and_of_vectors_without_end_are_refused() {
        for (books, is_sound) in [(1, true), (16, true), (256, false)] {
            let mut packet = Packet::head(books);
            for _ in 0..books {
                packet.book(1, 4096, 12);
                packet.put(0, 4);
            }
            // Each makes one branch, and one for each of its 256 first bytes.
            assert_eq!(check(&packet.0).is_ok(), is_sound, "{books} books");
        }
        let mut packet = Packet::head(1);
        packet.book(1, 1 << 17, 17);
        packet.put(0, 4);
        assert!(check(&packet.0).is_err());
        for (dimensions, is_sound) in [(8, true), (16, true), (60_000, false)] {
            let mut packet = Packet::head(2);
            packet.book(dimensions, 1 << 13, 13);
            packet.vectors(1, root(1 << 13, dimensions));
            packet.book(dimensions, 1 << 16, 16);
            packet.vectors(1, root(1 << 16, dimensions));
            assert_eq!(check(&packet.0).is_ok(), is_sound, "of {dimensions} numbers");
        }
        // What breaks off is for the decoder to refuse.
        assert!((0..packet.0.len()).all(|end| check(&packet.0[..end]).is_ok()));
    }

    #[test]
    fn a_root_is_the_largest_that_fits() {
        let roots = [(81, 4), (80, 4), (6561, 8), (1, 1), (0, 3), (5, 0), (100_000, 1)];
        assert_eq!(roots.map(|(codes, of)| root(codes, of)), [3, 2, 3, 1, 0, 5, 100_000]);
    }
}
