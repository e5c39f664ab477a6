//! Ogg pages that were forged.

/// Gives every page the checksum of what is in it, so that what was changed in it gets as far as the codec.
pub fn sign(file: &mut [u8]) {
    let mut at = 0;
    while at + 27 <= file.len() && &file[at..at + 4] == b"OggS" {
        let lengths = usize::from(file[at + 26]);
        let Some(body) = file.get(at + 27..at + 27 + lengths) else { return };
        let end = at + 27 + lengths + body.iter().map(|&it| usize::from(it)).sum::<usize>();
        let Some(page) = file.get_mut(at..end) else { return };
        page[22..26].fill(0);
        let sum = page.iter().fold(0u32, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| {
                if sum >> 31 == 1 { sum << 1 ^ 0x04C1_1DB7 } else { sum << 1 }
            })
        });
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
}
