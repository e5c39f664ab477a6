//! Coded files that lie: cut anywhere, with bytes flipped and lengths made up. Whatever comes, there is a
//! sound or an error with the file's name, soon, and with no more memory than what is decoded needs.
#![cfg(feature = "formats")]

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/ogg.rs"]
mod ogg;

use std::fs;
use std::path::Path;

use allocator::counted;
use common::Random;
use voicepool::{Config, Mixer, Play, Sound, Stream};

/// One of each format, short; the Ogg file of two pages, so that it can lose one.
const FILES: [&str; 7] = [
    "oggenc_44_stereo.ogg",
    "flac_22_mono_8.flac",
    "lame_vbr_48_mono.mp3",
    "ffmpeg_44_stereo.mp3",
    "ffmpeg_ms_adpcm_mono.wav",
    "ffmpeg_ima_adpcm_stereo.wav",
    "ffmpeg_a_law_stereo.wav",
];

fn read(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    fs::read(folder.join(name)).expect("a file")
}

/// No panic gets out, an error has a name, and the peak stays within what is decoded, twice, and what the
/// decoders have for themselves: codebooks and windows.
#[track_caller]
fn survives(file: &[u8]) -> Option<Sound> {
    let (result, peak, _) = counted(|| Sound::from_bytes(file));
    let most = |result: usize| 2 * result + 2 * file.len() + (3 << 20);
    match result {
        Ok(sound) => {
            assert!(peak <= most(sound.memory()), "{peak} bytes for {sound:?}");
            Some(sound)
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("sound bytes: "), "{text}");
            // As much may have been decoded before the fault was met. What is printed of a panic takes
            // memory, too.
            let is_panic = text.ends_with("made its decoder panic");
            assert!(peak <= most(1 << 20) || is_panic, "{peak} bytes for {error}");
            None
        }
    }
}

#[test]
fn a_file_cut_anywhere_plays_as_far_as_it_goes() {
    for name in FILES {
        let file = read(name);
        let whole: Vec<_> = survives(&file).expect("a good file").frames().collect();
        let mut random = Random(1);
        let mut cuts: Vec<usize> = (0..file.len().min(512)).collect();
        cuts.extend((0..1000).map(|_| random.below(file.len() as u64) as usize));
        let mut played = 0;
        for cut in cuts {
            let Some(sound) = survives(&file[..cut]) else { continue };
            let frames = sound.frame_count();
            assert!(sound.frames().zip(&whole).all(|(a, b)| a == *b), "{name} cut at {cut}");
            assert!(frames <= whole.len(), "{name} cut at {cut}");
            let is_short = frames < whole.len();
            assert!(sound.is_truncated() || !is_short, "{name} cut at {cut}: {frames} frames");
            played += usize::from(is_short);
        }
        assert!(played > 0, "{name}: nothing that was cut short plays");
    }
}

#[test]
fn no_flipped_byte_does_harm() {
    for name in FILES {
        let file = read(name);
        let mut random = Random(2);
        for _ in 0..300 {
            let mut flipped = file.clone();
            // Heads more often: there it is where lengths are.
            let most = if random.below(2) == 0 { file.len().min(300) } else { file.len() };
            for _ in 0..=random.below(3) {
                flipped[random.below(most as u64) as usize] ^= 1 << random.below(8);
            }
            survives(&flipped);
        }
    }
}

#[test]
fn no_length_is_believed() {
    for name in FILES {
        let file = read(name);
        for at in 0..file.len().min(160) {
            for length in [u32::MAX, 0x7FFF_FFFF] {
                let mut lying = file.clone();
                lying[at..at + 4].copy_from_slice(&length.to_be_bytes());
                survives(&lying);
            }
        }
    }
}

/// Where each page of an Ogg file begins.
fn pages(file: &[u8]) -> Vec<usize> {
    (0..file.len()).filter(|&at| file[at..].starts_with(b"OggS")).collect()
}

#[test]
fn an_ogg_page_that_is_damaged_or_missing_is_an_error() {
    let file = read("long.ogg");
    let pages = pages(&file);
    assert!(pages.len() > 4, "{pages:?}");
    let (third, fourth) = (pages[3], pages[4]);
    let mut flipped = file.clone();
    flipped[third + 500] ^= 1;
    let missing = [&file[..third], &file[fourth..]].concat();
    for (file, fault) in [
        (flipped, format!("has no sound Ogg page at byte {third}")),
        (missing, format!("lacks an Ogg page before byte {third}")),
    ] {
        let error = Sound::from_bytes(file).expect_err("it is damaged");
        assert_eq!(error.to_string(), format!("sound bytes: {fault}"));
        assert!(matches!(error, voicepool::Error::Damaged { .. }));
    }
}

/// A page whose bytes were changed has another checksum, so that flipped bytes never get as far as the codec. With
/// the right one they do.
#[test]
fn ogg_pages_with_the_right_checksum_may_hold_anything() {
    for name in ["oggenc_22_mono.ogg", "oggenc_100_frames.ogg"] {
        let file = read(name);
        let mut random = Random(3);
        for _ in 0..500 {
            let mut forged = file.clone();
            let most = if random.below(2) == 0 { 3400 } else { file.len() };
            for _ in 0..=random.below(3) {
                let at = random.below(most.min(file.len()) as u64) as usize;
                forged[at] = random.next() as u8;
            }
            ogg::sign(&mut forged);
            survives(&forged);
        }
    }
}

/// What the fuzz targets have found: each file is what once broke a promise.
#[test]
fn what_was_found_by_fuzzing_is_streamed_as_it_is_loaded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/broken");
    let mut found = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let file = fs::read(&path).expect("a file");
        let sound = survives(&file).expect("it is loaded");
        let stream = Stream::open(&path).expect("it is streamed");
        assert_eq!(stream.loop_points(), sound.loop_points(), "{}", path.display());
        let config = Config { sample_rate: sound.sample_rate(), ..Config::DEFAULT };
        let [streamed, loaded] = [Play::of(&stream), Play::of(&sound)].map(|play| {
            let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("a good config");
            mixer.play(play.looping());
            common::bits(&renderer.frames(3 * sound.frame_count()))
        });
        assert!(streamed == loaded, "{}", path.display());
        found += 1;
    }
    assert!(found > 0);
}
