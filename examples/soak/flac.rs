//! A FLAC file in memory: the samples as they are, in blocks that say no more than they must. That is the least an
//! encoder can do, and all a decoder must read.

/// How many frames a block has; the last may have fewer.
const BLOCK: usize = 4096;

/// Sixteen bits, one vector for each channel, all of one length.
pub fn file(rate: u32, channels: &[Vec<i16>]) -> Vec<u8> {
    let frames = channels[0].len();
    let mut file = b"fLaC".to_vec();
    // The only block of metadata, of 34 bytes, says what follows.
    file.extend([0x80, 0, 0, 34]);
    file.extend([(BLOCK >> 8) as u8, BLOCK as u8].repeat(2));
    // The sizes of frames are not told.
    file.extend([0; 6]);
    // 20 bits of rate, 3 of channels, 5 of depth, 36 of frames; then a check sum that is left out.
    let packed =
        u64::from(rate) << 44 | (channels.len() as u64 - 1) << 41 | (16 - 1) << 36 | frames as u64;
    file.extend(packed.to_be_bytes());
    file.extend([0; 16]);
    for (number, at) in (0..frames).step_by(BLOCK).enumerate() {
        let end = (at + BLOCK).min(frames);
        block(&mut file, number, &channels.iter().map(|it| &it[at..end]).collect::<Vec<_>>());
    }
    file
}

fn block(file: &mut Vec<u8>, number: usize, channels: &[&[i16]]) {
    let begins = file.len();
    let frames = channels[0].len();
    // Blocks of one size but for the last; the length follows in 16 bits, the rate is that of the file.
    file.extend([0xFF, 0xF8, 0x70, (channels.len() as u8 - 1) << 4 | 0b1000]);
    file.extend(char::from_u32(number as u32).unwrap_or_default().to_string().bytes());
    file.extend((frames as u16 - 1).to_be_bytes());
    let check = crc(&file[begins..], 8, 0x07);
    file.push(check as u8);
    for samples in channels {
        if samples.iter().all(|sample| *sample == samples[0]) {
            file.push(0b0000_0000);
            file.extend(samples[0].to_be_bytes());
        } else {
            file.push(0b0000_0010);
            file.extend(samples.iter().flat_map(|sample| sample.to_be_bytes()));
        }
    }
    let check = crc(&file[begins..], 16, 0x8005);
    file.extend((check as u16).to_be_bytes());
}

/// A check sum of so many bits, the highest first.
fn crc(bytes: &[u8], bits: u32, polynomial: u32) -> u32 {
    let top = 1 << (bits - 1);
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << (bits - 8), |sum, _| {
            let shifted = sum << 1;
            (if sum & top != 0 { shifted ^ polynomial } else { shifted })
                & (top << 1).wrapping_sub(1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use voicepool::Sound;

    #[test]
    fn what_is_written_is_read_again_to_the_bit() {
        let left: Vec<i16> = (0..9_000).map(|n| (n * 37 % 65_536 - 32_768) as i16).collect();
        let still = vec![-77; 9_000];
        for channels in [vec![left.clone()], vec![left.clone(), still]] {
            let sound = Sound::from_bytes(file(22_050, &channels)).expect("a good file");
            assert_eq!((sound.sample_rate(), sound.frame_count()), (22_050, 9_000));
            let wanted = |at: usize, side: usize| {
                f32::from(channels[side.min(channels.len() - 1)][at]) / 32_768.0
            };
            assert!(
                sound.frames().enumerate().all(|(at, it)| it == [wanted(at, 0), wanted(at, 1)])
            );
        }
    }
}
