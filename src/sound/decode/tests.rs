use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, SeekFrom};
use std::path::{Path, PathBuf};

use super::*;

fn files(folder: &Path) -> Vec<PathBuf> {
    let is_sound = |path: &PathBuf| {
        let ends = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        ["wav", "flac", "ogg", "mp3"].contains(&ends) && !name.starts_with("refused")
    };
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(is_sound).collect();
    files.sort();
    files
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Those that can be read, beside this crate's own WAV fixtures; and any that a script has made.
fn all_files() -> Vec<PathBuf> {
    let mut all = files(&fixture("wav"));
    if cfg!(feature = "formats") {
        all.extend(files(&fixture("formats")));
        if let Some(folder) = std::env::var_os("VOICEPOOL_FORMATS") {
            all.extend(files(Path::new(&folder)));
        }
    }
    all
}

fn open_file(path: &Path) -> Result<Decoder, Fault> {
    Decoder::open(Box::new(BufReader::new(File::open(path).expect("a file"))))
}

fn all_of(decoder: &mut Decoder) -> Vec<f32> {
    let mut all = Vec::new();
    let channels = usize::from(decoder.header().channels);
    loop {
        let before = all.len();
        let frames = decoder.decode(&mut all).expect("good frames");
        assert_eq!(all.len() - before, frames * channels);
        assert!(frames <= MOST_AT_ONCE);
        if frames == 0 {
            // Only there, and from there on.
            assert_eq!(decoder.decode(&mut all), Ok(0));
            return all;
        }
    }
}

#[test]
fn from_every_frame_on_it_is_as_if_decoded_straight_through() {
    let mut seen = 0;
    for path in all_files() {
        let Ok(mut decoder) = open_file(&path) else { continue };
        let mut all = Vec::new();
        if decoder.decode(&mut all).is_err() {
            continue;
        }
        let mut decoder = open_file(&path).expect("as before");
        let all = all_of(&mut decoder);
        let channels = usize::from(decoder.header().channels);
        let frames = all.len() / channels;
        if let Some(said) = decoder.header().frames {
            assert_eq!(said, frames as u64, "{path:?}");
        }
        let mut places = vec![0, 1, frames / 3, frames.saturating_sub(1), frames, frames + 1, 7];
        // Everywhere, in no order.
        let step = (frames / 2 + 1) | 1;
        places.extend((0..40).map(|n| n * step * 31 % frames.max(1)));
        places.push(usize::MAX);
        for at in places {
            decoder.seek(at as u64).expect("a place");
            let mut heard = Vec::new();
            while heard.len() < 5000 && decoder.decode(&mut heard).expect("good frames") > 0 {}
            let rest = all.get(at.saturating_mul(channels)..).unwrap_or_default();
            assert!(heard.len() >= rest.len().min(5000), "{path:?} from {at}: {}", heard.len());
            let same = heard.iter().zip(rest).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && heard.len() <= rest.len(), "{path:?} from {at}");
        }
        seen += 1;
    }
    assert!(seen > 30, "{seen} files");
}

/// A part at a time, it is what [`decode_whole`] makes of it.
#[test]
fn plain_samples_are_the_same_bit_by_bit_and_as_a_whole() {
    let mut seen = 0;
    for path in files(&fixture("wav")) {
        let whole = decode_whole(fs::read(&path).expect("a file"));
        let parts = open_file(&path).and_then(|mut decoder| {
            let mut all = Vec::new();
            while decoder.decode(&mut all)? > 0 {}
            Ok((all, decoder))
        });
        match (whole, parts) {
            (Ok(whole), Ok((all, decoder))) => {
                let frames: Vec<f32> = (0..whole.samples.frame_count())
                    .flat_map(|at| {
                        whole.samples.frame(at).into_iter().take(if whole.samples.is_mono() {
                            1
                        } else {
                            2
                        })
                    })
                    .collect();
                assert!(all == frames, "{path:?}");
                assert_eq!(decoder.is_truncated(), whole.truncated, "{path:?}");
                assert_eq!(decoder.header().sample_rate, whole.sample_rate);
                let kept = matches!(
                    whole.samples,
                    crate::sound::Samples::Mono16(_) | crate::sound::Samples::Stereo16(_)
                );
                assert_eq!(decoder.header().is_16_bit, kept);
                seen += 1;
            }
            (Err(one), Err(other)) => assert_eq!(one, other, "{path:?}"),
            (one, other) => panic!("{path:?}: {} and {}", one.is_ok(), other.is_ok()),
        }
    }
    assert!(seen > 30, "{seen} files");
}

/// A disk that fails after so many bytes.
struct Failing {
    file: Cursor<Vec<u8>>,
    after: u64,
}

impl Read for Failing {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.file.position() >= self.after {
            return Err(io::Error::other("the disk is on fire"));
        }
        let room_left = (self.after - self.file.position()).min(room.len() as u64) as usize;
        self.file.read(&mut room[..room_left])
    }
}

impl Seek for Failing {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn what_the_disk_says_comes_out_in_its_words() {
    for path in all_files() {
        let bytes = fs::read(&path).expect("a file");
        if open_file(&path).is_err() || bytes.len() < 2000 {
            continue;
        }
        let after = bytes.len() as u64 / 2;
        let reader = Failing { file: Cursor::new(bytes), after };
        let fault = Decoder::open(Box::new(reader)).and_then(|mut decoder| {
            while decoder.decode(&mut Vec::new())? > 0 {}
            Ok(())
        });
        let fault = fault.expect_err("half of it is not there");
        assert_eq!(
            fault.of("it").to_string(),
            "it: could not be read: the disk is on fire",
            "{path:?}"
        );
    }
}

#[test]
fn a_panic_in_a_decoder_is_an_error() {
    struct Panics;
    impl Source for Panics {
        fn packet(&mut self, _: &mut Vec<f32>) -> Result<bool, Fault> {
            panic!("planted")
        }
        fn seek(&mut self, _: u64) -> Result<u64, Fault> {
            panic!("planted")
        }
        fn is_cut(&self) -> bool {
            false
        }
    }
    let mut decoder = open_file(&fixture("wav/mono16.wav")).expect("a good file");
    decoder.source = Box::new(Panics);
    let damaged = Fault::damaged("made its decoder panic");
    assert_eq!(decoder.decode(&mut Vec::new()), Err(damaged));
    assert_eq!(decoder.seek(1), Err(Fault::damaged("made its decoder panic")));
}

#[test]
fn what_no_mix_could_carry_is_refused_with_its_frame() {
    for (name, text) in [("nan", "frame 1 is NaN"), ("too_loud", "frame 1 is -70000")] {
        let mut decoder =
            open_file(&fixture("wav").join(name).with_extension("wav")).expect("a file");
        let fault = decoder.decode(&mut Vec::new()).expect_err("it is not a number");
        assert!(fault.of("it").to_string().starts_with(&format!("it: {text};")), "{name}");
    }
}

#[test]
fn a_decoder_goes_to_any_thread() {
    fn any_thread<T: Send>() {}
    any_thread::<Decoder>();
}

#[test]
fn loops_that_cannot_be_are_none() {
    for (range, frames, sane) in [
        (3..9, Some(9), true),
        (3..10, Some(9), false),
        (3..10, None, true),
        (3..3, Some(9), false),
        (0..1, Some(9), true),
    ] {
        assert_eq!(sane_loop(Some(range.clone()), frames).is_some(), sane, "{range:?}");
    }
    let reversed = Range { start: 5, end: 3 };
    assert_eq!(sane_loop(Some(reversed), Some(9)), None);
}
