//! Every kind of WAV file there is, written by other tools (`wav/make.py`), read to the sample.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use voicepool::{Error, Frame, Sound};

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wav");
    folder.join(name).with_extension("wav")
}

fn load(name: &str) -> Sound {
    Sound::load(path(name)).unwrap()
}

fn fault(name: &str) -> String {
    let path = path(name);
    let text = Sound::load(&path).unwrap_err().to_string();
    let named = format!("{}: ", path.display());
    text.strip_prefix(&named).expect("the file's name").into()
}

const MONO: [Frame; 4] = [[0.5; 2], [-1.0; 2], [0.25; 2], [-0.125; 2]];
const STEREO: [Frame; 2] = [[0.5, -1.0], [0.25, -0.125]];

#[track_caller]
fn assert_frames(sound: &Sound, expected: &[Frame]) {
    let frames: Vec<Frame> = sound.frames().collect();
    assert_eq!(frames, expected, "{}", sound.name());
    assert_eq!(sound.frame_count(), expected.len());
}

#[test]
fn plain_integers_are_read_at_every_depth() {
    for (bits, bytes) in [(8, 2), (16, 2), (24, 4), (32, 4)] {
        let mono = load(&format!("mono{bits}"));
        assert_frames(&mono, &MONO);
        assert_eq!((mono.channels(), mono.sample_rate()), (1, 44_100));
        assert_eq!(mono.name(), format!("mono{bits}"));
        let stereo = load(&format!("stereo{bits}"));
        assert_frames(&stereo, &STEREO);
        assert_eq!((stereo.channels(), stereo.sample_rate()), (2, 44_100));
        for sound in [mono, stereo] {
            assert!(!sound.is_truncated());
            // Four samples, and the envelope: one hop and the end, at five horizons of each channel,
            // and nine bands; sixteen bits stay sixteen bits.
            let envelope = 2 * 5 * 4 * usize::from(sound.channels()) + 9 * 2;
            assert_eq!(sound.memory(), 4 * bytes + envelope, "{}", sound.name());
        }
    }
}

#[test]
fn floats_are_read() {
    assert_frames(&load("mono_float"), &MONO);
    assert_frames(&load("stereo_float"), &STEREO);
    assert_eq!(load("stereo_float").sample_rate(), 48_000);
}

#[test]
fn the_extensible_form_is_read() {
    for bits in [8, 16, 24, 32] {
        assert_frames(&load(&format!("extensible{bits}")), &STEREO);
    }
    assert_frames(&load("extensible_float"), &STEREO);
    for name in ["extensible_24_in_32", "extensible_20_in_24", "extensible_valid_0"] {
        assert_frames(&load(name), &MONO);
    }
}

#[test]
fn twenty_four_bits_in_the_low_ones_of_32_are_as_loud() {
    // The writer added 1, so that the lowest byte is not 0.
    let expected = MONO.map(|frame| frame.map(|sample| sample + 1.0 / 8_388_608.0));
    assert_frames(&load("low_24_in_32"), &expected);
    assert_frames(&load("extensible_low_24_in_32"), &expected);
}

#[test]
fn every_rate_is_read() {
    for rate in [1, 8_000, 11_025, 22_050, 96_000, 192_000, 384_000] {
        let sound = load(&format!("rate{rate}"));
        assert_eq!(sound.sample_rate(), rate);
        assert_frames(&sound, &MONO);
    }
    assert_eq!(load("rate1").duration(), voicepool::secs(4.0));
}

#[test]
fn chunks_of_any_kind_and_length_are_stepped_over() {
    for name in [
        "chunks",
        "odd_chunk",
        "empty_chunk",
        "fact_of_8",
        "fact_of_1",
        "fmt_of_18",
        "fmt_of_40",
        "fmt_of_21",
        "wrong_riff_size",
        "zero_riff_size",
        "wrong_rate_of_bytes",
        "streamed",
    ] {
        let sound = load(name);
        assert_frames(&sound, &MONO);
        assert!(!sound.is_truncated(), "{name}");
    }
}

#[test]
fn a_frame_of_no_bytes_has_those_of_its_channels_and_bits() {
    for bits in [8, 16, 24, 32] {
        let sound = load(&format!("zero_frame_bytes{bits}"));
        assert_frames(&sound, &STEREO);
        assert!(!sound.is_truncated(), "{bits}");
    }
    assert_frames(&load("zero_frame_bytes_mono8"), &MONO);
}

#[test]
fn a_cut_file_keeps_its_frames() {
    for (name, expected) in
        [("cut", &MONO[..]), ("half_a_sample", &MONO), ("half_a_frame", &STEREO)]
    {
        let sound = load(name);
        assert_frames(&sound, expected);
        assert!(sound.is_truncated(), "{name}");
        assert!(sound.resampled(8_000).unwrap().is_truncated());
    }
}

#[test]
fn what_cannot_be_played_is_refused_with_its_fault() {
    for (name, expected) in [
        ("no_frames", "has no frames"),
        ("less_than_a_frame", "has no frames"),
        ("six_channels", "has 6 channels; only mono and stereo are read"),
        ("zero_channels", "has 0 channels; only mono and stereo are read"),
        ("zero_hz", "sample rate 0 Hz is not within 1 to 384000 Hz"),
        ("too_many_hz", "sample rate 384001 Hz is not within 1 to 384000 Hz"),
        ("no_fmt", "has no fmt chunk before its data chunk"),
        ("fmt_after_data", "has no fmt chunk before its data chunk"),
        ("no_data", "has no data chunk"),
        ("short_fmt", "has a fmt chunk of 14 bytes; it takes 16"),
        ("short_extensible", "has an extensible fmt chunk of 18 bytes; it takes 40"),
        ("wrong_frame_bytes", "says a frame has 7 bytes; 2 of 16 bits have 4"),
        ("zero_bits", "holds 0-bit integer samples; 8 to 32 bits are read"),
        ("integers_of_64", "holds 64-bit integer samples; 8 to 32 bits are read"),
        ("floats_of_64", "holds 64-bit float samples; only 32 bits are read"),
        ("floats_of_16", "holds 16-bit float samples; only 32 bits are read"),
        ("too_many_valid_bits", "says that 65535 of 16 bits are valid"),
        ("unknown_guid", "holds samples of a codec without a number"),
        ("nan", "frame 1 is NaN; samples are finite and within ±65536"),
        ("infinite", "frame 2 is inf; samples are finite and within ±65536"),
        ("too_loud", "frame 1 is -70000; samples are finite and within ±65536"),
    ] {
        assert_eq!(fault(name), expected, "{name}");
    }
}

#[test]
fn a_codec_that_is_not_read_is_refused_by_name() {
    let with = "only integers, floats, ADPCM, A-law and mu-law are read";
    let without = "only integers and floats are read";
    let read = if cfg!(feature = "formats") { with } else { without };
    for (name, codec) in [("mp3", "MP3"), ("codec_1234", "codec 0x1234")] {
        assert_eq!(fault(name), format!("holds {codec} samples; {read}"));
    }
}

/// What there is of each is told in `formats.rs`.
#[test]
#[cfg(not(feature = "formats"))]
fn codecs_are_refused_by_name() {
    for (name, codec) in [
        ("ms_adpcm", "Microsoft ADPCM"),
        ("a_law", "A-law"),
        ("mu_law", "mu-law"),
        ("ima_adpcm", "IMA ADPCM"),
        ("extensible_a_law", "A-law"),
    ] {
        assert_eq!(
            fault(name),
            format!("holds {codec} samples; only integers and floats are read")
        );
    }
}

/// Eight bytes that are labelled so, which is the beginning of a block of ADPCM, or eight frames.
#[test]
#[cfg(feature = "formats")]
fn codecs_are_read_as_far_as_a_block_goes() {
    for (name, frames) in
        [("a_law", 8), ("mu_law", 8), ("extensible_a_law", 8), ("ms_adpcm", 4), ("ima_adpcm", 9)]
    {
        assert_eq!(load(name).frame_count(), frames, "{name}");
        let mut file = std::fs::read(path(name)).unwrap();
        let block_bytes = &mut file[32..34];
        block_bytes.copy_from_slice(&[3, 0]);
        // A law has a byte for each sample, whatever that field says.
        let error = Sound::from_bytes(&file).err().map(|error| error.to_string());
        let expected = "sound bytes: says a block of ADPCM has 3 bytes";
        assert_eq!(error.as_deref(), name.ends_with("adpcm").then_some(expected), "{name}");
    }
}

#[test]
fn bytes_are_read_like_files() {
    let bytes = std::fs::read(path("stereo16")).unwrap();
    let sound = Sound::from_bytes(&bytes).unwrap();
    assert_frames(&sound, &STEREO);
    assert_eq!(sound.name(), "");
    assert!(
        Sound::from_bytes(b"FORM\0\0\0\0AIFF")
            .unwrap_err()
            .to_string()
            .starts_with("sound bytes: is an AIFF file; ")
    );
    assert_eq!(Sound::from_bytes([]).unwrap_err().to_string(), "sound bytes: is empty");
}

#[track_caller]
fn unreadable(path: &Path) -> ErrorKind {
    match Sound::load(path) {
        Err(Error::Read { path: named, source }) => {
            assert_eq!(named, path);
            source.kind()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_a_file_is_not_read() {
    let missing = path("missing");
    assert_eq!(unreadable(&missing), ErrorKind::NotFound);
    let folder = missing.parent().unwrap();
    assert_eq!(unreadable(folder), ErrorKind::IsADirectory);
    if cfg!(unix) {
        let endless = Path::new("/dev/zero");
        assert_eq!(unreadable(endless), ErrorKind::InvalidInput);
        assert_eq!(
            Sound::load(endless).unwrap_err().to_string(),
            "/dev/zero: could not be read: not a regular file"
        );
    }
}

#[test]
fn hound_and_we_agree_on_what_hound_wrote() {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 24,
        sample_format: hound::SampleFormat::Int,
    };
    for bytes_per_sample in [3, 4] {
        let mut file = std::io::Cursor::new(Vec::new());
        let spec = hound::WavSpecEx { spec, bytes_per_sample };
        let mut writer = hound::WavWriter::new_with_spec_ex(&mut file, spec).unwrap();
        for sample in [1, -8_388_608, 4_194_304, -1] {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        let least = 1.0 / 8_388_608.0;
        let sound = Sound::from_bytes(file.get_ref()).unwrap();
        assert_frames(&sound, &[[least, -1.0], [0.5, -least]]);
    }
}
