//! A machine that has no memory left for a sound: to load it is an error, and never the end of the game. Small things
//! (a name, a list of a few entries) are not promised: there Rust itself ends the process.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Cursor;
use std::ptr;

use hound::{SampleFormat, WavSpec, WavWriter};
use voicepool::{Config, Error, Mixer, Sound};

thread_local! {
    /// The largest block that this thread may have.
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// How often it was refused one.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

struct Scarce;

fn is_refused(bytes: usize) -> bool {
    let is_refused = bytes > MOST.get();
    REFUSED.set(REFUSED.get() + usize::from(is_refused));
    is_refused
}

// SAFETY: every call is passed on to the system's allocator unchanged, or answered with null, as an allocator may.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static SCARCE: Scarce = Scarce;

/// Calls with no block above so many bytes. Tells how many were refused, too.
fn with_at_most<T>(bytes: usize, call: impl FnOnce() -> T) -> (T, usize) {
    REFUSED.set(0);
    MOST.set(bytes);
    let result = call();
    MOST.set(usize::MAX);
    (result, REFUSED.get())
}

/// What is needed beside a file and its samples, whatever the file.
const LEAST: usize = 64 << 10;

/// What the decoder of Vorbis needs: it makes tables of the codebooks in the head of a file, and has no way to
/// say that it could not. The largest of these takes 256 KiB here.
#[cfg(feature = "formats")]
const LEAST_OF_VORBIS: usize = 256 << 10;

/// Loads with less and less memory refused, until all that is asked for is there: each time there is a sound, or
/// an error with a name.
#[track_caller]
fn load_with_more_and_more(name: &str, load: impl Fn() -> Result<Sound, Error>) {
    load_with_more_and_more_than(LEAST, name, load);
}

#[track_caller]
fn load_with_more_and_more_than(least: usize, name: &str, load: impl Fn() -> Result<Sound, Error>) {
    // What is made once in a process is there from here on.
    let whole = load().unwrap_or_else(|error| panic!("{name}: {error}"));
    let (mut most, mut errors) = (least, 0);
    loop {
        let (loaded, refused) = with_at_most(most, &load);
        match loaded {
            Ok(sound) => {
                assert_eq!(refused, 0, "{name}: a sound, though something was refused");
                assert!(sound.frames().eq(whole.frames()), "{name}: with at most {most}");
                break;
            }
            Err(error) => {
                let text = error.to_string();
                let is_told = text.contains("there is no memory for them")
                    || matches!(&error, Error::Read { source, .. }
                        if source.kind() == std::io::ErrorKind::OutOfMemory);
                assert!(text.contains(name) && is_told && refused > 0, "{name}, {most}: {text}");
                errors += 1;
            }
        }
        most += most / 16;
    }
    assert!(errors > 0, "{name}: {least} bytes were enough");
}

fn at_rate(sample_rate: u32) -> Mixer {
    Mixer::offline(Config { sample_rate, ..Config::DEFAULT }).expect("a good config").0
}

fn wav(bits_per_sample: u16, channels: u16) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let sample_format = if bits_per_sample == 32 { SampleFormat::Float } else { SampleFormat::Int };
    let spec = WavSpec { channels, sample_rate: 44_100, bits_per_sample, sample_format };
    let mut wav = WavWriter::new(&mut file, spec).expect("a header");
    for n in 0..400_000 {
        match sample_format {
            SampleFormat::Float => wav.write_sample((n % 100) as f32 / 100.0),
            SampleFormat::Int => wav.write_sample(n % 100),
        }
        .expect("a sample");
    }
    wav.finalize().expect("a whole file");
    file.into_inner()
}

#[test]
fn a_wav_that_memory_does_not_suffice_for_is_an_error() {
    for (bits, channels) in [(8, 1), (16, 1), (16, 2), (24, 2), (32, 1), (32, 2)] {
        let file = wav(bits, channels);
        let own = at_rate(44_100);
        load_with_more_and_more("much.wav", || own.load_bytes("much.wav", &file));
        // Resampled, there is a second one, and the filter.
        for rate in [48_000, 22_050] {
            let other = at_rate(rate);
            load_with_more_and_more("much.wav", || other.load_bytes("much.wav", &file));
        }
    }
}

#[cfg(feature = "formats")]
#[test]
fn a_coded_file_that_memory_does_not_suffice_for_is_an_error() {
    for (name, least) in [("long.flac", LEAST), ("long.ogg", LEAST_OF_VORBIS), ("long.mp3", LEAST)]
    {
        let path = format!("{}/tests/formats/{name}", env!("CARGO_MANIFEST_DIR"));
        load_with_more_and_more_than(least, name, || Sound::load(&path));
        let other = at_rate(96_000);
        load_with_more_and_more_than(least, name, || other.load(&path));
    }
}

#[test]
fn samples_that_memory_does_not_suffice_for_are_an_error() {
    let (mono, stereo) = (vec![0.5; 100_000], vec![[0.5, -0.5]; 100_000]);
    load_with_more_and_more("mono samples", || Sound::from_mono(48_000, &mono));
    load_with_more_and_more("stereo frames", || Sound::from_stereo(48_000, &stereo));
    // How loud it is takes more than the samples.
    load_with_more_and_more("mono samples", || Sound::from_mono(200, &mono[..30_000]));
    let sound = Sound::from_mono(48_000, &mono).expect("a good sound").named("slow");
    load_with_more_and_more("slow", || sound.resampled(96_000));
}

#[test]
fn a_file_that_memory_does_not_suffice_for_is_an_error() {
    let path = std::env::temp_dir().join(format!("voicepool-much-{}.wav", std::process::id()));
    std::fs::write(&path, wav(16, 2)).expect("a file of a test");
    load_with_more_and_more("voicepool-much", || Sound::load(&path));
    std::fs::remove_file(&path).expect("it is there");
}
