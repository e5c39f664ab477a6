//! FLAC frames that were forged.

/// Gives what looks like a frame the checksum of what is in it: from one head to the next, or to the end. The sum
/// of a head alone is not asked for in builds for fuzzing.
pub fn sign(file: &mut [u8]) {
    let heads: Vec<usize> = (0..file.len()).filter(|&at| is_head(&file[at..])).collect();
    let ends = heads.iter().skip(1).copied().chain([file.len()]);
    for (start, end) in heads.iter().copied().zip(ends) {
        let Some((sum, frame)) = file[start..end].split_last_chunk_mut::<2>().map(|(a, b)| (b, a))
        else {
            continue;
        };
        let crc = frame.iter().fold(0u16, |crc, byte| {
            (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| {
                if crc >> 15 == 1 { crc << 1 ^ 0x8005 } else { crc << 1 }
            })
        });
        *sum = crc.to_be_bytes();
    }
}

/// Fourteen bits of sync and one that is kept free; a length and a rate that are not kept free.
fn is_head(file: &[u8]) -> bool {
    matches!(file, [0xFF, 0xF8 | 0xF9, sizes, ..] if sizes >> 4 != 0 && sizes & 0xF != 0xF)
}
