//! A recording from a stranger, replayed.

use std::cell::OnceCell;
use std::io::Cursor;

use voicepool::{Error, Frame, Media, MediaRef, Priority, Replay, Sound, WhenFull};

use crate::allocator::counted;
use crate::common::{assert_balanced, bits, mono, noise, sine, wav16};

/// The most that is rendered of one input, so that none takes long.
const MOST_FRAMES: usize = 3000;

/// Before the blocks: the text and the version.
const HEAD: usize = 24;

/// How many bytes of memory one byte of a recording may stand for: a room of two dozen bytes is one with
/// its delay lines.
const WORTH: usize = 1 << 15;

/// What a mixer of the largest configuration here has for itself.
const OWN: usize = 16 << 20;

/// Replays it with the right check sums, without which nothing of a block that was changed is looked at, and under a
/// configuration that takes little: twice the same way, in buffers of other sizes, and once under another
/// configuration. Both of the first are the same to the bit; memory is bounded by how large the file is.
pub fn check(file: &[u8]) {
    let mut file = file.to_vec();
    sign(&mut file);
    let (once, peak, _) = counted(|| read(&file).map(|replay| render(replay, 500)));
    assert!(peak <= OWN + WORTH * file.len(), "{peak} bytes for {}", file.len());
    let Ok(once) = once else { return };
    let again = render(read(&file).expect("it was read before"), 37);
    let differs = bits(&once).iter().zip(&bits(&again)).position(|(once, again)| once != again);
    assert_eq!(differs, None, "the frame from which on the sound differs");
    let mut other = read(&file).expect("it was read before");
    let config = other.config();
    (config.voices, config.max_voices, config.when_full) = (3, 5, WhenFull::Grow);
    other.set_priority(1, Priority::Protected);
    render(other, 500);
    // One bit that is wrong.
    let hash = file.iter().fold(0_usize, |hash, byte| hash.wrapping_mul(31) ^ usize::from(*byte));
    let at = hash % file.len();
    file[at] ^= 1 << (hash >> 8 & 7);
    if let Ok(replay) = read(&file) {
        assert!(!replay.is_whole(), "byte {at} does not matter");
    }
}

fn read(file: &[u8]) -> Result<Replay, Error> {
    Replay::read(Cursor::new(file), find)
}

/// Renders the beginning, and looks at what comes out.
fn render(mut replay: Replay, size: usize) -> Vec<Frame> {
    let most = usize::try_from(replay.frame_count()).unwrap_or(usize::MAX).min(MOST_FRAMES);
    let mut heard = vec![[0.0; 2]; most];
    for buffer in heard.chunks_mut(size) {
        let length = buffer.len();
        assert_eq!(replay.render(buffer), length);
        replay.events().for_each(drop);
        assert_balanced(&replay.stats());
    }
    let is_good = |sample: &f32| sample.is_finite() && sample.abs() <= 1.0;
    assert!(heard.iter().flatten().all(is_good), "what comes out is finite and within ±1");
    heard
}

/// What is not in the file: one of a few small sounds for whatever is asked for, or nothing.
fn find(known_by: &MediaRef) -> Option<Media> {
    thread_local!(static SOUNDS: OnceCell<Vec<Sound>> = const { OnceCell::new() });
    let make = || {
        let wide: Vec<Frame> = noise(3, 900).into_iter().map(|it| [it, 0.3]).collect();
        vec![
            mono(8000, &sine(8000, 200.0, 0.0, 700)),
            mono(4000, &noise(1, 400)),
            Sound::from_stereo(8000, &wide).expect("noise"),
            wav16(12_000, 1, &noise(2, 600)),
            mono(8000, &[0.9; 3]),
        ]
    };
    let at = known_by.name.len() + known_by.frames as usize % 7;
    let sound = SOUNDS.with(|sounds| sounds.get_or_init(make).get(at % 6).cloned());
    // A long silence would take all the time.
    let sound = sound.or_else(|| (known_by.frames > 2000).then(|| mono(8000, &[0.5; 100])));
    sound.map(Media::Sound)
}

/// Gives every block its check sum, and a configuration sizes that take little memory.
fn sign(file: &mut [u8]) {
    let mut at = HEAD;
    while let Some(&[kind, a, b, c, d]) = file.get(at..).and_then(<[u8]>::first_chunk) {
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let end = at + 5 + length;
        if end + 8 > file.len() {
            return;
        }
        if kind == 1 {
            // Voices, the most voices, parked, scheduled, commands, streams, cues; and the rate.
            let most = [8, 16, 16, 16, 1024, 2, 8, 48_000];
            for (size, most) in file[at + 5..end].chunks_exact_mut(4).zip(most) {
                let given = u32::from_le_bytes([size[0], size[1], size[2], size[3]]);
                size.copy_from_slice(&given.min(most).to_le_bytes());
            }
        }
        let sum = file[at..end].iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        file[end..end + 8].copy_from_slice(&sum.to_le_bytes());
        at = end + 8;
    }
}
