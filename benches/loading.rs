//! What loading costs: a minute of 44.1 kHz stereo for a mixer at 48 kHz, in seconds and as a
//! multiple of real time. `cargo bench --bench loading`, or `.ci/loading` for every build a game
//! may run in. With files behind it, `-- song.ogg`, it is those that are loaded.

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Instant;

use voicepool::{Config, Frame, Mixer, Sound, loudness};

const SECONDS: usize = 60;
const RATE: u32 = 44_100;
const RUNS: usize = 3;

fn main() {
    let (mixer, _renderer) = Mixer::offline(Config::default()).expect("a config of a bench");
    let files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let files: Vec<&PathBuf> = files.iter().filter(|path| path.exists()).collect();
    if !files.is_empty() {
        println!("to {} Hz; best of {RUNS}", mixer.sample_rate());
        for path in files {
            measure(&path.display().to_string(), path, &mixer);
        }
        return;
    }
    println!("{SECONDS} s at {RATE} Hz, stereo, to {} Hz; best of {RUNS}", mixer.sample_rate());
    for (what, path) in [
        ("16 bits", file("sixteen", 16, 0.25)),
        ("16 bits, up to full scale", file("full_scale", 16, 1.0)),
        ("floats", file("floats", 32, 0.25)),
    ] {
        measure(what, &path, &mixer);
        let _ = fs::remove_file(path);
    }
}

fn measure(what: &str, path: &Path, mixer: &Mixer) {
    let read = || Sound::load(path).expect("a file that can be read");
    let source = read();
    let seconds = source.duration().as_secs_f64();
    let frames: Vec<Frame> = source.frames().collect();
    let loaded = mixer.load(path).expect("a file that can be read");
    println!("\n{what}: {:.1} MB, loaded {:.1} MB", megabytes(&source), megabytes(&loaded));
    let time = |what: &str, work: &dyn Fn()| time(what, seconds, work);
    time("Mixer::load, all of it", &|| drop(black_box(mixer.load(path))));
    time("Sound::load: reading, level", &|| drop(black_box(read())));
    let rate = mixer.sample_rate();
    time("resampled: resampling, level", &|| drop(black_box(source.resampled(rate))));
    time("the level alone", &|| {
        black_box(loudness(RATE, &frames));
    });
}

fn megabytes(sound: &Sound) -> f64 {
    sound.memory() as f64 / 1e6
}

fn time(what: &str, seconds: f64, work: &dyn Fn()) {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let best = (0..RUNS).map(run).fold(f64::INFINITY, f64::min);
    println!("  {what:30} {best:8.3} s {:8.0} x real time", seconds / best);
}

/// A file of noise, which is as much work as any other sound.
fn file(name: &str, bits: u16, peak: f32) -> PathBuf {
    let float = bits == 32;
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: RATE,
        bits_per_sample: bits,
        sample_format: if float { hound::SampleFormat::Float } else { hound::SampleFormat::Int },
    };
    let mut file = Cursor::new(Vec::new());
    let mut wav = hound::WavWriter::new(&mut file, spec).expect("a format of a bench");
    let mut random = 1u32;
    for _ in 0..SECONDS * RATE as usize * 2 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let sample = peak * f32::from((random >> 16) as i16);
        let written = match float {
            true => wav.write_sample(sample / 32_768.0),
            false => wav.write_sample(sample as i16),
        };
        written.expect("room in memory");
    }
    wav.finalize().expect("room in memory");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("loading_{name}.wav"));
    fs::write(&path, file.into_inner()).expect("a writable target folder");
    path
}
