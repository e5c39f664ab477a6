//! Files that other programs have encoded, and what other programs make of them: `formats/make` says how.
#![cfg(feature = "formats")]

use std::fs;
use std::path::{Path, PathBuf};

use voicepool::{Error, Mixer, Sound};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

fn path(name: &str) -> PathBuf {
    folder().join(name)
}

/// One line of `expected.txt`.
struct Expected {
    name: String,
    path: PathBuf,
    sample_rate: u32,
    channels: u16,
    frames: usize,
    /// Of the samples, if they are to be those to the bit.
    hash: Option<u64>,
}

fn expected_in(folder: &Path) -> Vec<Expected> {
    let text = fs::read_to_string(folder.join("expected.txt")).expect("the list");
    let lines = text.lines().map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [name, sample_rate, channels, frames, hash] = fields[..] else {
            panic!("{line}");
        };
        Expected {
            name: name.into(),
            path: folder.join(name),
            sample_rate: sample_rate.parse().expect("a rate"),
            channels: channels.parse().expect("a number"),
            frames: frames.parse().expect("a number"),
            hash: u64::from_str_radix(hash, 16).ok(),
        }
    });
    lines.collect()
}

/// One channel after the other.
fn samples(sound: &Sound) -> Vec<f32> {
    sound.frames().flat_map(|frame| frame.into_iter().take(sound.channels().into())).collect()
}

fn hash(samples: &[f32]) -> u64 {
    let bytes = samples.iter().flat_map(|sample| sample.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// As many frames as went in. Those to the bit, or as near to another decoder's as that is to itself with
/// sixteen bits. Returns how far off the furthest is.
fn check(expected: &Expected) -> f32 {
    let Expected { name, path, sample_rate, channels, frames, hash: bits } = expected;
    let sound = Sound::load(path).unwrap_or_else(|error| panic!("{error}"));
    let got = (sound.sample_rate(), sound.channels(), sound.frame_count());
    assert_eq!(got, (*sample_rate, *channels, *frames), "{name}");
    assert!(!sound.is_truncated(), "{name}");
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    assert_eq!(Some(sound.name()), stem);
    let samples = samples(&sound);
    if let Some(bits) = bits {
        assert_eq!(hash(&samples), *bits, "{name}");
        return 0.0;
    }
    let reference = path.with_file_name(format!("{name}.ref.flac"));
    let reference = self::samples(&Sound::load(reference).expect("a reference"));
    assert_eq!(samples.len(), reference.len(), "{name}");
    let off = samples.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-4, "{name}: off by {off}");
    off
}

#[test]
fn a_file_is_what_another_decoder_makes_of_it_frame_for_frame() {
    let all = expected_in(&folder());
    assert_eq!(all.iter().filter(|it| it.hash.is_some()).count(), 15, "lossless files");
    assert_eq!(all.iter().filter(|it| it.hash.is_none()).count(), 12, "lossy files");
    for expected in all {
        println!("{}: off by {:e} at most", expected.name, check(&expected));
    }
}

/// Those that `.ci/formats` has made.
#[test]
fn so_are_hundreds_of_others() {
    let Some(folder) = std::env::var_os("VOICEPOOL_FORMATS") else {
        return;
    };
    let all = expected_in(Path::new(&folder));
    let off = all.iter().map(check).fold(0.0, f32::max);
    println!("{} files; lossy ones are off by {off:e} at most", all.len());
}

#[test]
fn sixteen_bits_stay_sixteen_bits() {
    for (name, bytes) in [
        ("flac_44_stereo_16.flac", 2),
        ("flac_22_mono_8.flac", 2),
        ("flac_48_stereo_24.flac", 4),
        ("oggenc_44_stereo.ogg", 4),
        ("lame_vbr_48_mono.mp3", 4),
        ("ffmpeg_ms_adpcm_stereo.wav", 2),
        ("sox_ima_adpcm_mono.wav", 2),
        ("ffmpeg_a_law_stereo.wav", 2),
        ("ffmpeg_mu_law_mono.wav", 2),
    ] {
        let sound = Sound::load(path(name)).expect("a good file");
        let samples = sound.frame_count() * usize::from(sound.channels());
        // And the envelope, which is a fraction of that.
        let most = samples * bytes * 5 / 4 + 200;
        assert!((samples * bytes..most).contains(&sound.memory()), "{name}: {}", sound.memory());
    }
}

#[test]
fn every_way_in_reads_every_format() {
    let config = voicepool::Config { sample_rate: 32_000, ..voicepool::Config::DEFAULT };
    let (mixer, _renderer) = Mixer::offline(config).expect("a good config");
    for name in [
        "oggenc_44_stereo.ogg",
        "ffmpeg_piped.flac",
        "lame_22_mono.mp3",
        "ffmpeg_ms_adpcm_mono.wav",
        "ffmpeg_a_law_stereo.wav",
    ] {
        let bytes = fs::read(path(name)).expect("a file");
        let loaded = Sound::load(path(name)).expect("a good file");
        let given = Sound::from_bytes(&bytes).expect("a good file");
        assert!(loaded.frames().eq(given.frames()), "{name}");
        let resampled = loaded.resampled(32_000).expect("it fits");
        for sound in [mixer.load(path(name)), mixer.load_bytes("it", &bytes)] {
            let sound = sound.expect("a good file");
            assert!(sound.frames().eq(resampled.frames()), "{name}");
        }
    }
}

#[test]
fn a_file_is_known_by_its_content_whatever_its_name() {
    let (mixer, _renderer) = Mixer::offline(voicepool::Config::DEFAULT).expect("a good config");
    for (name, other) in
        [("lame_22_mono.mp3", "a.wav"), ("oggenc_22_mono.ogg", "b.mp3"), ("loop.wav", "c.flac")]
    {
        let bytes = fs::read(path(name)).expect("a file");
        let (one, two) = (mixer.load(path(name)), mixer.load_bytes(other, bytes));
        assert!(one.expect("a good file").frames().eq(two.expect("a good file").frames()));
    }
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    for (name, expected) in [
        ("refused_opus.ogg", "is an Opus file; of Ogg files, Vorbis is read"),
        ("refused_speex.ogg", "is a Speex file; of Ogg files, Vorbis is read"),
        ("refused_flac.ogg", "is a FLAC-in-Ogg file; of Ogg files, Vorbis is read"),
        ("refused_six_channels.flac", "has 6 channels; only mono and stereo are read"),
        ("refused_six_channels.ogg", "has 6 channels; only mono and stereo are read"),
    ] {
        let path = path(name);
        let error = Sound::load(&path).expect_err(name);
        assert_eq!(error.to_string(), format!("{}: {expected}", path.display()));
        assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
    }
}

/// The head of a frame of another kind is no frame of this file, and what lies there is none either.
#[test]
fn what_lies_between_the_frames_of_an_mp3_is_passed_over() {
    let file = fs::read(path("lame_cbr_44_stereo.mp3")).expect("a file");
    let is_head = |bytes: &[u8]| bytes[..2] == [0xFF, 0xFB] && bytes[2] & 0xF0 == 0x90;
    let between = 1000 + file[1000..].windows(4).position(is_head).expect("a frame");
    let whole = Sound::from_bytes(&file).expect("a good file");
    for junk in [&[0xFF, 0xF3, 0x48, 0xC4][..], b"junk", &[0xFF, 0xF3, 0x48, 0xC4, 0, 0, 0, 0, 0]] {
        let junked = [&file[..between], junk, &file[between..]].concat();
        let heard = Sound::from_bytes(junked).expect("a good file");
        assert!(heard.frames().eq(whole.frames()), "{junk:x?}");
    }
}

/// All streams of an Ogg file begin before any goes on: what is chained behind them is another file.
#[test]
fn what_is_chained_behind_is_not_looked_for() {
    let [opus, vorbis] = ["refused_opus.ogg", "oggenc_22_mono.ogg"]
        .map(|name| fs::read(path(name)).expect("a file"));
    let error = Sound::from_bytes([opus, vorbis].concat()).expect_err("it begins with Opus");
    assert!(error.to_string().contains("is an Opus file"), "{error}");
}
