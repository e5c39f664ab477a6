//! A file from a stranger, loaded and streamed.

use std::sync::Arc;
use std::time::Duration;

use voicepool::{
    BusId, Config, Error, Event, Frame, Interpolation, Mixer, Play, Renderer, Sound, Stream,
    VoiceId, ms,
};

use crate::allocator::counted;
use crate::common::{Random, assert_balanced};
use crate::streams::{Both, Pair, assert_alike};

/// How much a file of some format may stand for.
#[derive(Clone, Copy)]
pub struct Format {
    /// How many bytes of memory the frames may take that one byte of a file becomes.
    worth: usize,
    /// What the decoder has for itself: codebooks, windows, one packet.
    own: usize,
}

/// A byte becomes a sample of sixteen bits; at toy rates each frame has a level beside it.
pub const WAV: Format = Format { worth: 32, own: 1 << 20 };

/// A byte becomes two such.
pub const ADPCM: Format = Format { worth: 64, own: 3 << 20 };

/// A packet of one byte, and one that says so, become 4096 frames of two floats.
pub const OGG: Format = Format { worth: 1 << 15, own: 3 << 20 };

/// A frame of twelve bytes, in which nothing ever changes, becomes 65,535 frames of two floats.
pub const FLAC: Format = Format { worth: 1 << 16, own: 6 << 20 };

/// A frame of 24 bytes becomes 1152 frames of two floats.
pub const MP3: Format = Format { worth: 1 << 10, own: 3 << 20 };

/// What is in memory at once is at most what the game gets, the parts that this is put together from, and the file.
fn bound(format: Format, result: usize, file: &[u8]) -> usize {
    2 * result + 2 * file.len() + format.own
}

/// To play a file takes many times as long as to decode it, and there is less in it to find: so of so many files one
/// is played.
const PLAYED: u64 = 6;

/// Loads and streams it. There is a sound or an error, with no more memory than what is decoded needs; what is
/// loaded is streamed, too, with the same bits; and what is heard is finite and within ±1.
pub fn check(file: &[u8], format: Format) {
    let sound = load(file, format);
    let shared: Arc<[u8]> = file.into();
    let streamed = open(&shared, format);
    let seed = file.iter().fold(file.len() as u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    let random = &mut Random(seed);
    match (sound, streamed) {
        (Some(sound), Ok(stream)) => {
            assert_eq!(sound.sample_rate(), stream.sample_rate());
            let length = stream.duration();
            if random.below(PLAYED) > 0 {
                return;
            }
            if length == Some(sound.duration()) && !sound.is_truncated() {
                assert_eq!(sound.loop_points(), stream.loop_points());
                play_both(random, &shared, &sound, stream);
            } else {
                // The end is not where the file says, or the file does not say: then all that is before it is
                // the same.
                play_up_to_the_end(&shared, &sound, stream);
            }
        }
        (Some(sound), Err(error)) => panic!("{sound:?} is loaded, and streamed it is {error}"),
        // What is wrong may lie behind what a stream has read when it is opened.
        (None, Ok(stream)) if random.below(PLAYED) == 0 => play_alone(random, stream),
        (None, _) => {}
    }
}

fn load(file: &[u8], format: Format) -> Option<Sound> {
    let (result, peak, _) = counted(|| Sound::from_bytes(file));
    match result {
        Ok(sound) => {
            let memory = sound.memory();
            assert!(peak <= bound(format, memory, file), "{peak} bytes for {sound:?}");
            let most = format.worth * file.len() + 4096;
            assert!(memory <= most, "{memory} bytes of {} for {sound:?}", file.len());
            assert_eq!(sound.frames().len(), sound.frame_count());
            Some(sound)
        }
        Err(error) => {
            check_error(&error);
            let most = bound(format, format.worth * file.len(), file);
            assert!(peak <= most, "{peak} bytes for {error}");
            None
        }
    }
}

/// A stream takes the same whatever the length: its beginning, and what the decoder has for itself.
fn open(file: &Arc<[u8]>, format: Format) -> Result<Stream, Error> {
    const HEAD: usize = 1 << 20;
    let file = file.clone();
    let open = move || Ok(std::io::Cursor::new(file.clone()));
    let (result, peak, _) = counted(|| Stream::from_reader("sound bytes", open));
    assert!(peak <= format.own + HEAD, "{peak} bytes to open a stream");
    result.inspect_err(check_error)
}

fn check_error(error: &Error) {
    let text = error.to_string();
    assert!(text.starts_with("sound bytes: "), "{text}");
}

const BUS: BusId = BusId::new(5);

const MOST_GAIN: f32 = 2.0;

/// How many times as high a rate a file is brought to.
const MOST_GROWTH: u32 = 384;

fn config(sample_rate: u32, interpolation: Interpolation) -> Config {
    Config {
        voices: 3,
        max_voices: 3,
        parked: 2,
        scheduled: 4,
        commands: 32,
        streams: 3,
        cues: 1,
        sample_rate,
        interpolation,
        ..Config::DEFAULT
    }
}

/// Frames of a mixer that keeps what it promises of every frame.
fn heard((mixer, renderer): &mut (Mixer, Renderer), count: usize) -> Vec<Frame> {
    let frames = renderer.frames(count);
    let is_sound = |sample: &f32| sample.is_finite() && sample.abs() <= 1.0;
    assert!(frames.as_flattened().iter().all(is_sound), "what is heard is finite and within ±1");
    let stats = mixer.stats();
    assert_balanced(&stats);
    assert_eq!(stats.panics, 0);
    frames
}

/// Whatever can be said to a play, to one of the file loaded and to one of the file streamed.
fn play_both(random: &mut Random, file: &Arc<[u8]>, sound: &Sound, stream: Stream) {
    let interpolation =
        *random.pick(&[Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc]);
    let own = sound.sample_rate();
    // To bring a long one to a higher rate takes as much longer; and one that is too slow for that keeps its rate and is
    // read between its frames, as at another speed.
    let is_short = sound.duration() < Duration::from_secs(4);
    let other = *random.pick(&[own, own, own, 48_000, 8_000]);
    let rate = if is_short && other / own <= MOST_GROWTH { other } else { own };
    let mut pair = Pair::with(config(rate, interpolation), file, stream);
    let means = Means {
        length: sound.duration(),
        // At other speeds a voice reads between frames, on either side as far as this; a shorter loop turns
        // within that, and what was before its first turn is not the same for both.
        bends: sound.frame_count() > 64 && sound.loop_points().is_none() && random.below(2) == 0,
    };
    let mut voices: Vec<Both> = Vec::new();
    for _ in 0..4 {
        if voices.len() < 3 && random.below(3) > 0 {
            let seed = random.next();
            voices.push(pair.play(|play| shaped(&mut Random(seed), play, means)));
        }
        if let Some(both) = voices.get(random.below(3) as usize) {
            let seed = random.next();
            pair.say(*both, |mixer, voice| say(&mut Random(seed), mixer, voice, means));
        }
        let count = 1 + random.below(3_000) as usize;
        let streamed = heard(&mut pair.streamed, count);
        let loaded = heard(&mut pair.loaded, count);
        if rate == own {
            assert_alike(&streamed, &loaded, "streamed", 0);
        } else {
            assert_near(&streamed, &loaded);
        }
    }
    assert_eq!(pair.streamed.0.stats().underruns, 0);
    pair.assert_ended_alike("streamed");
}

/// At another rate, sixteen bits stay sixteen bits unless all of them are faint or one would be clipped, and a stream
/// cannot know that of what it has not read: three voices may each be off by half a step of these, at their gain.
fn assert_near(streamed: &[Frame], loaded: &[Frame]) {
    const SLACK: f32 = 3.0 * MOST_GAIN / 65_536.0 + 1e-6;
    let off = |(a, b): (&f32, &f32)| (a - b).abs() > SLACK;
    let differs = streamed.as_flattened().iter().zip(loaded.as_flattened()).position(off);
    if let Some(at) = differs.map(|at| at / 2) {
        panic!("frame {at} is {:?} streamed, and {:?} loaded", streamed[at], loaded[at]);
    }
}

/// What may be asked of a play.
#[derive(Clone, Copy)]
struct Means {
    length: Duration,
    /// Whether other speeds may, and then no loops but those of the whole.
    bends: bool,
}

/// A place in a sound of some length, now and then beyond it.
fn place(random: &mut Random, length: Duration) -> Duration {
    length.mul_f64(1.05 * f64::from(random.unit()))
}

fn shaped(random: &mut Random, mut play: Play, Means { length, bends }: Means) -> Play {
    play = play.bus(BUS).gain(random.between(0.1, MOST_GAIN));
    if random.below(3) == 0 {
        play = play.from_position(place(random, length));
    }
    if bends {
        play = play.speed(*random.pick(&[0.3, 0.77, 1.5, 5.3, 31.0]));
    }
    let start = place(random, length);
    match random.below(4) {
        0 => play.looping(),
        1 if !bends => play.loop_range(start..start + place(random, length)),
        2 if !bends => play.loop_range(start..start + Duration::from_micros(random.below(9_000))),
        _ => play,
    }
}

fn say(random: &mut Random, mixer: &Mixer, voice: Option<VoiceId>, means: Means) {
    let Means { length, bends } = means;
    let over = ms(random.below(60));
    match random.below(9) {
        0..=3 => mixer.seek(voice, place(random, length)),
        4 => mixer.pause(BUS, over),
        5 => mixer.resume(BUS, over),
        6 if bends => mixer.set_speed(voice, random.between(0.2, 3.0), over),
        7 => mixer.end_loop(voice),
        _ => mixer.stop(voice, over),
    }
}

/// Straight through at its own rate, as far as the file goes, or far enough.
fn play_up_to_the_end(file: &Arc<[u8]>, sound: &Sound, stream: Stream) {
    let mut pair = Pair::with(config(sound.sample_rate(), Interpolation::Linear), file, stream);
    pair.play(|play| play);
    let count = sound.frame_count().min(80_000);
    let streamed = heard(&mut pair.streamed, count);
    assert_alike(&streamed, &heard(&mut pair.loaded, count), "up to the end", 0);
}

/// A file that cannot be loaded, streamed until that shows, and some others beside it.
fn play_alone(random: &mut Random, stream: Stream) {
    let mut pair =
        Mixer::offline(config(stream.sample_rate(), Interpolation::Cubic)).expect("a good config");
    let length = stream.duration().unwrap_or(ms(500)).min(Duration::from_secs(1000));
    let means = Means { length, bends: random.below(2) == 0 };
    let voices = [(); 3].map(|()| pair.0.play(shaped(random, Play::of(&stream), means)));
    for _ in 0..5 {
        let voice = *random.pick(&voices);
        say(random, &pair.0, voice, means);
        heard(&mut pair, 1 + random.below(8_000) as usize);
    }
    for event in pair.0.events() {
        if let Event::StreamFailed { why, .. } = event {
            assert!(!why.is_empty());
        }
    }
}
