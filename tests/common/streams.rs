//! Files in memory, mixers that stream them beside mixers that have loaded them, and disks that a test stops
//! and lets go on.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use hound::{SampleFormat, WavSpec, WavWriter};
use voicepool::{
    Config, Ending, Event, Frame, Mixer, Play, Priority, Renderer, Sound, Stream, VoiceId,
};

/// What a WAV file of hound's has before its samples, at the most.
pub const HEADER: u64 = 68;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a file stores what is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    pub rate: u32,
    pub channels: u16,
    pub is_float: bool,
}

impl Form {
    pub const PLAIN: Form = Form { rate: 48_000, channels: 2, is_float: true };
    /// 48 kHz, so that a frame of the file is a frame of the mix.
    pub const MONO: Form = Form { channels: 1, ..Form::PLAIN };

    /// How many bytes a frame takes.
    pub fn frame_bytes(self) -> u64 {
        u64::from(self.channels) * if self.is_float { 4 } else { 2 }
    }

    /// A file of frames, of which a mono one has the left sides.
    pub fn file(self, frames: impl IntoIterator<Item = Frame>) -> Arc<[u8]> {
        let mut file = Cursor::new(Vec::new());
        let (bits_per_sample, sample_format) =
            if self.is_float { (32, SampleFormat::Float) } else { (16, SampleFormat::Int) };
        let Form { rate: sample_rate, channels, .. } = self;
        let spec = WavSpec { channels, sample_rate, bits_per_sample, sample_format };
        let mut wav = WavWriter::new(&mut file, spec).expect("a header");
        for frame in frames {
            for sample in frame.into_iter().take(usize::from(channels)) {
                match self.is_float {
                    true => wav.write_sample(sample).expect("a sample"),
                    false => wav.write_sample((sample * 32_767.0) as i16).expect("a sample"),
                }
            }
        }
        wav.finalize().expect("a whole file");
        file.into_inner().into()
    }

    /// A file in which every frame is another, loud enough to stay sixteen bits.
    pub fn music(self, frames: usize) -> Arc<[u8]> {
        let tone = |n: usize, hertz: f32| {
            (n as f32 / self.rate as f32 * hertz * std::f32::consts::TAU).sin() * 0.4
        };
        self.file((0..frames).map(|n| {
            let left = tone(n, 440.0) + (n % 977) as f32 * 1e-4;
            [left, tone(n, 331.0) - (n % 1201) as f32 * 1e-4]
        }))
    }
}

/// A stream of a file in memory.
pub fn stream(file: &Arc<[u8]>) -> Stream {
    let file = file.clone();
    Stream::from_reader("music", move || Ok(Cursor::new(file.clone()))).expect("a good file")
}

/// Two mixers of one kind that are told the same: one streams a file that the other has loaded.
pub struct Pair {
    pub streamed: (Mixer, Renderer),
    pub loaded: (Mixer, Renderer),
    pub stream: Stream,
    pub sound: Sound,
}

/// The same play in both.
pub type Both = [Option<VoiceId>; 2];

impl Pair {
    pub fn new(config: Config, file: &Arc<[u8]>) -> Pair {
        Pair::with(config, file, stream(file))
    }

    /// The same with a stream of another reader of the file.
    pub fn with(config: Config, file: &Arc<[u8]>, stream: Stream) -> Pair {
        let [streamed, loaded] =
            [(); 2].map(|()| Mixer::offline(config.clone()).expect("a good config"));
        let sound = loaded.0.load_bytes("music", &file[..]).expect("a good file");
        Pair { streamed, loaded, stream, sound }
    }

    /// Plays it in both, protected as streams are unless told otherwise.
    pub fn play(&self, with: impl Fn(Play) -> Play) -> Both {
        let loaded = Play::of(&self.sound).priority(Priority::Protected);
        [self.streamed.0.play(with(Play::of(&self.stream))), self.loaded.0.play(with(loaded))]
    }

    /// Says something to both.
    pub fn say(&self, [streamed, loaded]: Both, act: impl Fn(&Mixer, Option<VoiceId>)) {
        act(&self.streamed.0, streamed);
        act(&self.loaded.0, loaded);
    }

    /// Hears the same of both for some frames, in buffers of some size. What is read is waited for.
    #[track_caller]
    pub fn hear(&mut self, frames: usize, buffer: usize, what: &str) {
        let mut left = frames;
        while left > 0 {
            let count = left.min(buffer);
            let heard = self.streamed.1.frames(count);
            assert_alike(&heard, &self.loaded.1.frames(count), what, frames - left);
            left -= count;
        }
    }

    /// How both have ended since this was last asked, and on which frame.
    pub fn endings(&self) -> [Vec<(u64, Ending)>; 2] {
        [&self.streamed, &self.loaded].map(|(mixer, _)| endings(mixer))
    }

    /// Both have ended alike.
    #[track_caller]
    pub fn assert_ended_alike(&self, what: &str) -> Vec<(u64, Ending)> {
        let [streamed, loaded] = self.endings();
        assert_eq!(streamed, loaded, "{what}");
        streamed
    }
}

/// What has ended since this was last asked, and on which frame.
pub fn endings(mixer: &Mixer) -> Vec<(u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { at, why, .. } => Some((at, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

/// The same bits, from some frame on.
#[track_caller]
pub fn assert_alike(heard: &[Frame], wanted: &[Frame], what: &str, from: usize) {
    let bits = |frame: &Frame| frame.map(f32::to_bits);
    let differs = heard.iter().zip(wanted).position(|(a, b)| bits(a) != bits(b));
    if let Some(at) = differs {
        panic!("{what}: frame {} is {:?}, not {:?}", from + at, heard[at], wanted[at]);
    }
}

/// Renders without waiting.
pub fn render(renderer: &mut Renderer, frames: usize) -> Vec<Frame> {
    let mut out = vec![[0.0; 2]; frames];
    renderer.render(&mut out);
    out
}

/// Waits until something is so, and fails if it never is.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "never seen: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What a disk does when it is asked for a byte that is held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beyond {
    Block,
    Fail,
    Panic,
    /// As if the file ended there.
    End,
}

/// A file on a disk that a test stops and lets go on, and whose readers it counts.
#[derive(Clone)]
pub struct Disk {
    file: Arc<[u8]>,
    shared: Arc<(Mutex<State>, Condvar)>,
}

struct State {
    /// From which byte on nothing is read, and what happens there.
    stops_at: u64,
    beyond: Beyond,
    /// How often it was opened, how many readers there are, and how many of them are blocked.
    opened: usize,
    readers: usize,
    blocked: usize,
    /// How many bytes were read, and the furthest one of the latest reader.
    bytes: u64,
    furthest: u64,
}

impl Disk {
    pub fn new(file: &Arc<[u8]>) -> Disk {
        let state = State {
            stops_at: u64::MAX,
            beyond: Beyond::Block,
            opened: 0,
            readers: 0,
            blocked: 0,
            bytes: 0,
            furthest: 0,
        };
        Disk { file: file.clone(), shared: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A reader that panics on purpose poisons nothing that matters.
        self.shared.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A stream that is read from here.
    pub fn stream(&self, name: &str) -> Stream {
        let disk = self.clone();
        Stream::from_reader(name, move || Ok(disk.reader())).expect("a good file")
    }

    pub fn reader(&self) -> DiskReader {
        let mut state = self.state();
        state.opened += 1;
        state.readers += 1;
        state.furthest = 0;
        DiskReader { disk: self.clone(), at: 0 }
    }

    /// From this byte on nothing is read.
    pub fn stop_at(&self, byte: u64, beyond: Beyond) {
        let mut state = self.state();
        (state.stops_at, state.beyond) = (byte, beyond);
    }

    /// Has those who are blocked look again.
    pub fn ring(&self) {
        self.shared.1.notify_all();
    }

    /// Everything is read again, by those too who were blocked.
    pub fn go_on(&self) {
        self.state().stops_at = u64::MAX;
        self.ring();
    }

    pub fn opened(&self) -> usize {
        self.state().opened
    }

    pub fn readers(&self) -> usize {
        self.state().readers
    }

    pub fn bytes(&self) -> u64 {
        self.state().bytes
    }

    /// Waits until a reader is held up.
    #[track_caller]
    pub fn wait_until_blocked(&self) {
        wait_until("a reader that is held up", || self.state().blocked > 0);
    }

    /// Waits until the latest reader has come so far, or to the end. What lies some thousand frames before
    /// that has been sent by then.
    #[track_caller]
    pub fn wait_until_read(&self, byte: u64) {
        let byte = byte.min(self.file.len() as u64);
        wait_until("a reader that has come so far", || self.state().furthest >= byte);
    }
}

/// A reader of such a disk, from the beginning on.
pub struct DiskReader {
    disk: Disk,
    at: u64,
}

impl Read for DiskReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        while self.at >= state.stops_at {
            match state.beyond {
                Beyond::Fail => return Err(io::Error::other("the disk is gone")),
                Beyond::End => return Ok(0),
                Beyond::Panic => {
                    drop(state);
                    panic!("a reader that panics, on purpose");
                }
                Beyond::Block => {
                    state.blocked += 1;
                    let freed = self.disk.shared.1.wait(state);
                    state = freed.unwrap_or_else(|poisoned| poisoned.into_inner());
                    state.blocked -= 1;
                }
            }
        }
        let end = state.stops_at.min(self.disk.file.len() as u64);
        let rest = &self.disk.file[self.at.min(end) as usize..end as usize];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        state.bytes += count as u64;
        state.furthest = state.furthest.max(self.at);
        Ok(count)
    }
}

impl Seek for DiskReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let length = self.disk.file.len() as i64;
        let at = match to {
            SeekFrom::Start(at) => at as i64,
            SeekFrom::End(by) => length + by,
            SeekFrom::Current(by) => self.at as i64 + by,
        };
        self.at = u64::try_from(at).map_err(|_| io::Error::other("before the beginning"))?;
        Ok(self.at)
    }
}

impl Drop for DiskReader {
    fn drop(&mut self) {
        self.disk.state().readers -= 1;
    }
}
