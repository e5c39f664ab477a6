//! Files that lie: cut at every byte, with every bit of their headers flipped, and scrambled.
//! Whatever comes, there is a sound or an error with the file's name, and little memory is used.

#[path = "common/allocator.rs"]
mod allocator;

use std::fs;
use std::path::{Path, PathBuf};

use allocator::counted;
use voicepool::Sound;

/// From memory: no panic, a named error, and no more memory than the file is worth.
#[track_caller]
fn survives(file: &[u8]) -> Option<Sound> {
    let (result, peak, largest) = counted(|| Sound::from_bytes(file));
    let most = 4 * file.len() + (1 << 20);
    assert!(peak <= most, "{} bytes took {peak}", file.len());
    assert!(largest <= most, "{} bytes asked for {largest}", file.len());
    match result {
        Ok(sound) => {
            // Written once, where they stay, unless a codec is said to have made them.
            let own = if is_coded(file) { 1 << 15 } else { 512 };
            assert!(peak <= sound.memory() + own, "{peak} bytes for {sound:?}");
            assert!(sound.frame_count() <= 2 * file.len());
            assert_eq!(sound.frames().len(), sound.frame_count());
            Some(sound)
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("sound bytes: "), "{text}");
            None
        }
    }
}

/// Whether the samples are ADPCM, A-law or mu-law, and those are read.
fn is_coded(file: &[u8]) -> bool {
    let fmt = file.windows(4).position(|id| id == b"fmt ").unwrap_or(0);
    let codec = [8, 32].map(|at| file.get(fmt + at).copied().unwrap_or(0));
    cfg!(feature = "formats") && codec.iter().any(|codec| [2, 6, 7, 17].contains(codec))
}

fn good_files() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wav");
    ["mono8", "stereo16", "mono24", "stereo_float", "extensible24", "chunks"]
        .map(|name| fs::read(folder.join(name).with_extension("wav")).unwrap())
        .into()
}

#[test]
fn a_file_cut_at_any_byte_plays_as_far_as_it_goes() {
    for file in good_files() {
        let whole = survives(&file).unwrap();
        let mut played = 0;
        for length in 0..file.len() {
            let Some(sound) = survives(&file[..length]) else {
                assert_eq!(played, 0, "cut at {length}, nothing plays any more");
                continue;
            };
            assert!(sound.frame_count() >= played);
            played = sound.frame_count();
            assert!(sound.frames().eq(whole.frames().take(played)));
            assert_eq!(sound.is_truncated(), played < whole.frame_count());
        }
        assert!(played > 0);
    }
}

#[test]
fn no_flipped_bit_does_harm() {
    for file in good_files() {
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            survives(&flipped);
        }
    }
}

#[test]
fn no_length_is_believed() {
    for file in good_files() {
        for at in 0..file.len() - 4 {
            for length in [0u32, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] {
                let mut lying = file.clone();
                lying[at..at + 4].copy_from_slice(&length.to_le_bytes());
                survives(&lying);
            }
        }
    }
}

#[test]
fn twenty_thousand_scrambled_files_do_no_harm() {
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as usize % below.max(1)
    };
    let files = good_files();
    let mut played = 0;
    for _ in 0..20_000 {
        let mut file = files[random(files.len())].clone();
        for _ in 0..=random(4) {
            let at = random(file.len());
            match random(5) {
                0 => file[at] = random(256) as u8,
                1 => file[at] ^= 1 << random(8),
                2 => file.truncate(at.max(1)),
                3 => file.insert(at, random(256) as u8),
                _ => {
                    let copied = file[at..file.len().min(at + random(24))].to_vec();
                    let to = random(file.len());
                    file.splice(to..to, copied);
                }
            }
        }
        played += usize::from(survives(&file).is_some());
    }
    assert!((2_000..18_000).contains(&played), "{played} of 20,000 played");
}

/// A file big enough for its memory to matter, with a header that can be wrong.
fn big(rate: u32, channels: u16, bits: u16, data: usize, promised: u32) -> Vec<u8> {
    let frame = channels * bits / 8;
    let mut file = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0".to_vec();
    file.extend(1u16.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * u32::from(frame)).to_le_bytes());
    file.extend(frame.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend(promised.to_le_bytes());
    file.resize(file.len() + data, 0x55);
    file
}

/// A folder that goes when the test does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("voicepool-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn loading_takes_at_most_four_times_the_file() {
    let folder = Folder::new("memory");
    let path = folder.0.join("big.wav");
    for rate in [1, 44_100] {
        for (channels, bits) in [(1, 8), (2, 8), (1, 16), (2, 16), (1, 24), (2, 32)] {
            for (data, promised) in [(60, 0xFFFF_FFF0), (140_000, 1 << 31), (600_000, 600_000)] {
                let file = big(rate, channels, bits, data, promised);
                let most = 4 * file.len() + (1 << 20);
                fs::write(&path, &file).unwrap();
                let (sound, peak, largest) = counted(|| Sound::load(&path).unwrap());
                assert!(peak <= most, "{peak} bytes for {sound:?} of {}", file.len());
                assert!(largest <= most, "{largest} bytes asked for {sound:?}");
                assert_eq!(sound.is_truncated(), promised as usize != data);
                survives(&file);
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn a_file_too_long_for_a_wav_is_not_even_read() {
    let folder = Folder::new("long");
    let path = folder.0.join("long.wav");
    // A hole: it has this length, and takes no room.
    let length = (1 << 32) + 8;
    fs::File::create(&path).unwrap().set_len(length).unwrap();
    let (result, peak, _) = counted(|| Sound::load(&path));
    assert!(peak < 4_096, "{peak} bytes");
    assert_eq!(
        result.unwrap_err().to_string(),
        format!(
            "{}: could not be read: 4294967304 bytes are more than the 4294967303 a WAV file can have",
            path.display()
        )
    );
}
