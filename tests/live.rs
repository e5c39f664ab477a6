//! The real way to the speakers, through cpal and ALSA, and what arrives at its far end.
//!
//! These run where `VOICEPOOL_LIVE` is set, and fail there if something is missing: the commands
//! `mkfifo`, `pulseaudio` and `parec`, and ALSA's plugin for the sound server (on Debian:
//! `pulseaudio pulseaudio-utils libasound2-plugins`). No sound card is needed.
#![cfg(all(target_os = "linux", feature = "device"))]

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{env, thread};

use common::{Random, bits, mono, noise};
use voicepool::{Config, Event, Frame, Mixer, OutputState, Play, Sound, ms, secs};

const RATE: u32 = 48_000;

/// Nothing here takes longer unless it hangs.
const TOO_LONG: Duration = Duration::from_secs(60);

/// Runs a test in a process of its own, since it is the environment that tells ALSA where to play;
/// there, `test` gets a folder of its own. `alsa` is ALSA's whole configuration, in which `STAGE`
/// stands for that folder.
fn alone(name: &str, alsa: &str, test: impl FnOnce(&Path)) {
    if let Some(stage) = env::var_os("VOICEPOOL_STAGE") {
        return test(Path::new(&stage));
    }
    if env::var_os("VOICEPOOL_LIVE").is_none() {
        return println!("{name}: not run, for VOICEPOOL_LIVE is not set");
    }
    // One after the other: they are about keeping time.
    static STAGE: Mutex<()> = Mutex::new(());
    let _mine = STAGE.lock().unwrap_or_else(PoisonError::into_inner);

    let stage = env::temp_dir().join(format!("voicepool-live-{}", id()));
    // The sound server trusts no folder that others may read.
    fs::DirBuilder::new().mode(0o700).create(&stage).unwrap();
    let (config, log) = (stage.join("asound.conf"), stage.join("log"));
    let said = File::options().create(true).append(true).open(&log).unwrap();
    fs::write(&config, alsa.replace("STAGE", stage.to_str().unwrap())).unwrap();
    let mut player = Command::new(env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env("VOICEPOOL_STAGE", &stage)
        .env("ALSA_CONFIG_PATH", &config)
        .env("XDG_RUNTIME_DIR", &stage)
        .env("HOME", &stage)
        .stdout(said.try_clone().unwrap())
        .stderr(said)
        .process_group(0)
        .spawn()
        .unwrap();
    let began = Instant::now();
    let ended = loop {
        match player.try_wait().unwrap() {
            None if began.elapsed() < TOO_LONG => thread::sleep(ms(10)),
            ended => break ended,
        }
    };
    // Whatever it leaves behind goes with it.
    let group = format!("-{}", player.id());
    let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    let _ = player.wait();
    let said = fs::read_to_string(&log).unwrap_or_default();
    let _ = fs::remove_dir_all(&stage);
    let passed = ended.is_some_and(|status| status.success()) && said.contains("1 passed");
    assert!(passed, "{name} ended as {ended:?} and said:\n{said}");
}

/// Waits for something that must come.
fn until(what: &str, mut here: impl FnMut() -> bool) {
    let began = Instant::now();
    while !here() {
        assert!(began.elapsed() < TOO_LONG / 3, "waited in vain until {what}");
        thread::sleep(ms(10));
    }
}

/// How long the scene is.
const SCENE: usize = RATE as usize;

/// Twelve plays for eight voices, of every kind, each with its frame.
fn scene() -> Vec<(Play, u64)> {
    let mut random = Random(3);
    let mut play = |i: u64| {
        let length = 6_000 + random.below(40_000) as usize;
        let sound = mono(RATE - 4_000 * (i % 3) as u32, &noise(i, length));
        let play = Play::of(&sound)
            .gain(0.05 + 0.1 * random.unit())
            .pan(random.between(-1.0, 1.0))
            .speed(if i % 2 == 1 { random.between(0.5, 2.0) } else { 1.0 })
            .fade_in(ms(random.below(3) * 20));
        let play = if i % 4 == 3 { play.looping() } else { play };
        (play, i * (1 + random.below(2_000)))
    };
    (0..12).map(&mut play).collect()
}

/// Plays all of them from a frame on that is yet to come.
fn play(mixer: &Mixer, scene: &[(Play, u64)], from: u64) {
    for (play, at) in scene {
        mixer.play(play.clone().start_at(from + at)).expect("there is room");
    }
    assert!(mixer.clock() < from, "the scene was set too late");
}

fn config(buffer: Duration) -> Config {
    Config { voices: 8, buffer, ..Config::default() }
}

/// The scene, rendered offline with the same commands at the same frames.
fn rendered(scene: &[(Play, u64)], from: u64) -> Vec<Frame> {
    let (mixer, mut renderer) = Mixer::offline(config(ms(10))).unwrap();
    play(&mixer, scene, from);
    renderer.frames(from as usize);
    let frames = renderer.frames(SCENE);
    assert!(mixer.stats().stolen > 0, "somebody gave way");
    frames
}

/// What there is from the first sound on.
fn sound(heard: &[Frame]) -> &[Frame] {
    let silent = heard.iter().take_while(|frame| **frame == [0.0; 2]);
    &heard[silent.count()..]
}

fn assert_same_bits(heard: &[Frame], expected: &[Frame]) {
    let (heard, expected) = (bits(sound(heard)), bits(sound(expected)));
    assert!(heard.len() >= expected.len(), "{} frames of {}", heard.len(), expected.len());
    let differ = heard.iter().zip(&expected).position(|(heard, expected)| heard != expected);
    assert_eq!(differ, None, "the first frame that differs, of {}", expected.len());
}

fn is_playing(mixer: &Mixer) -> bool {
    matches!(mixer.output(), OutputState::Playing { .. })
}

fn assert_balanced(mixer: &Mixer) {
    let stats = mixer.stats();
    let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
    assert_eq!(stats.accepted, ended + stats.live as u64, "{stats}");
}

/// Writes down all that comes, until it ends. Who holds the tape holds it up.
struct Recorder {
    tape: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Recorder {
    fn start<R: Read>(open: impl FnOnce() -> R + Send + 'static) -> Recorder {
        let tape = Arc::new(Mutex::new(Vec::new()));
        let held = tape.clone();
        let thread = thread::spawn(move || {
            let (mut from, mut part) = (open(), [0; 4096]);
            while let Ok(count @ 1..) = from.read(&mut part) {
                held.lock().unwrap().extend(&part[..count]);
            }
        });
        Recorder { tape, thread }
    }

    fn heard(&self) -> Vec<Frame> {
        let sample = |at: &[u8]| f32::from_le_bytes(at.try_into().unwrap());
        let tape = self.tape.lock().unwrap();
        tape.chunks_exact(8).map(|frame| [sample(&frame[..4]), sample(&frame[4..])]).collect()
    }

    /// All that was heard, once no more can come.
    fn finish(self) -> Vec<Frame> {
        until("the recording ends", || self.thread.is_finished());
        self.heard()
    }
}

/// ALSA writes all it gets into a pipe, and the device is as fast as its reader.
const PIPE: &str =
    r#"pcm.!default { type file file "STAGE/pipe" format raw slave.pcm { type null } }"#;

/// Records from the pipe.
fn record(stage: &Path) -> Recorder {
    let pipe = stage.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is needed");
    assert!(made.success());
    Recorder::start(move || File::open(pipe).unwrap())
}

#[test]
fn what_alsa_gets_is_what_offline_rendering_makes_at_any_buffer_size() {
    alone("what_alsa_gets_is_what_offline_rendering_makes_at_any_buffer_size", PIPE, |stage| {
        let scene = scene();
        for buffer in [1, 10, 37, 500] {
            let recorder = record(stage);
            let mixer = Mixer::open(config(ms(buffer))).unwrap();
            assert!(is_playing(&mixer), "{}", mixer.output());
            // While the tape is held, nothing is read, and so the clock soon stands still.
            let tape = recorder.tape.lock().unwrap();
            let from = mixer.clock() + 200_000;
            play(&mixer, &scene, from);
            drop(tape);
            until("the scene was played", || mixer.clock() > from + SCENE as u64);
            assert_balanced(&mixer);
            drop(mixer);
            assert_same_bits(&recorder.finish(), &rendered(&scene, from));
            fs::remove_file(stage.join("pipe")).unwrap();
        }
    });
}

#[test]
fn a_driver_that_hangs_does_not_keep_the_last_mixer() {
    alone("a_driver_that_hangs_does_not_keep_the_last_mixer", PIPE, |stage| {
        let recorder = record(stage);
        let mixer = Mixer::open(config(ms(10))).unwrap();
        assert!(is_playing(&mixer), "{}", mixer.output());
        let tape = recorder.tape.lock().unwrap();
        until("the driver hangs", || {
            let clock = mixer.clock();
            thread::sleep(ms(100));
            clock > 0 && clock == mixer.clock()
        });
        let began = Instant::now();
        drop(mixer);
        assert!(began.elapsed() < secs(1.0), "{:?}", began.elapsed());
        drop(tape);
        recorder.finish();
    });
}

/// No name leads anywhere, as on a machine without any sound.
const NOTHING: &str = "";

#[test]
fn without_a_device_time_passes_and_plays_end() {
    alone("without_a_device_time_passes_and_plays_end", NOTHING, |_| {
        let mixer = Mixer::open(config(ms(10))).unwrap();
        let OutputState::Silent { why, .. } = mixer.output() else { panic!("{}", mixer.output()) };
        assert!(why.contains("not available"), "{why}");
        let (began, clock) = (Instant::now(), mixer.clock());
        let voice = mixer.play(mono(RATE, &noise(1, RATE as usize / 2)));
        until("the play has ended", || !mixer.is_live(voice));
        assert_pace(began.elapsed(), mixer.clock() - clock);
        assert!(began.elapsed() >= ms(480), "{:?}", began.elapsed());
        assert_eq!(mixer.stats().finished, 1);
        assert_balanced(&mixer);
    });
}

/// The clock has kept the time of the wall, give or take what a device may buffer.
fn assert_pace(wall: Duration, frames: u64) {
    let clock = Duration::from_secs_f64(frames as f64 / f64::from(RATE));
    assert!(wall.abs_diff(clock) < ms(300), "{clock:?} on the clock, {wall:?} on the wall");
}

/// The default device is a sound server, if there is one.
const SERVER: &str = r#"pcm.!default { type pulse server "unix:STAGE/socket" }"#;

/// A sound server without a sound card, and a recorder of all that it plays.
struct Server {
    daemon: Child,
    parec: Child,
    recorder: Recorder,
    log: PathBuf,
}

impl Server {
    /// Starts it. Nobody finds it before it is recorded, so that nothing is missed.
    fn start(stage: &Path) -> Server {
        let (hidden, log) = (stage.join("hidden"), stage.join("server"));
        let socket = hidden.display();
        let daemon = Command::new("pulseaudio")
            .args(["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"])
            .args(["--log-level=debug", &format!("--log-target=newfile:{}", log.display())])
            .args(["-L", "module-null-sink sink_name=ci rate=48000 format=float32le norewinds=1"])
            .args(["-L", &format!("module-native-protocol-unix auth-anonymous=1 socket={socket}")])
            .spawn()
            .expect("pulseaudio is needed");
        until("the sound server answers", || UnixStream::connect(&hidden).is_ok());
        let mut parec = Command::new("parec")
            .args(["-s", &format!("unix:{socket}"), "-d", "ci.monitor", "--raw"])
            .args(["--format=float32le", "--rate=48000", "--channels=2", "--latency-msec=10"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("parec is needed");
        let tape = parec.stdout.take().unwrap();
        let recorder = Recorder::start(move || tape);
        let server = Server { daemon, parec, recorder, log };
        until("silence is recorded", || !server.heard().is_empty());
        fs::rename(hidden, stage.join("socket")).unwrap();
        server
    }

    fn heard(&self) -> Vec<Frame> {
        self.recorder.heard()
    }

    /// How often it had to play silence because nothing had come.
    fn ran_dry(&self) -> usize {
        let log = fs::read_to_string(&self.log).unwrap();
        log.matches("Implicit underrun of").count() + log.matches("Underrun on").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in [&mut self.daemon, &mut self.parec] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn what_a_sound_server_plays_is_what_offline_rendering_makes() {
    alone("what_a_sound_server_plays_is_what_offline_rendering_makes", SERVER, |stage| {
        let scene = scene();
        // A machine too busy to feed the server in time has shown nothing: it plays again.
        let heard_all = (0..10).any(|_| {
            let server = Server::start(stage);
            let mixer = Mixer::open(config(ms(100))).unwrap();
            assert!(is_playing(&mixer), "{}", mixer.output());
            let from = mixer.clock() + u64::from(RATE) / 2;
            play(&mixer, &scene, from);
            until("the scene begins", || mixer.clock() > from);
            pass(&mixer, SCENE as u32 + RATE / 2);
            assert_balanced(&mixer);
            let (heard, in_time) = (server.heard(), server.ran_dry() == 0);
            if in_time {
                assert_same_bits(&heard, &rendered(&scene, from));
            }
            in_time
        });
        assert!(heard_all, "the server ran dry each time");
    });
}

/// How many frames a fade takes after a gap, and at the end.
const FADE: usize = RATE as usize / 100;

/// A clip that knows its place: the left side counts, the right side is noise.
fn told(place: usize) -> Frame {
    [0.5 + place as f32 / 16_777_216.0, Random(place as u64).between(-0.9, 0.9)]
}

fn clip(seconds: usize) -> Sound {
    let frames: Vec<Frame> = (0..seconds * RATE as usize).map(told).collect();
    Sound::from_stereo(RATE, &frames).unwrap()
}

/// Checks that the clip is heard, with a gain that depends on the frame, and returns the place at
/// which it begins, as frame `sure`, which is heard as it is, tells.
fn told_from(heard: &[Frame], sure: usize, gain: impl Fn(usize) -> f32) -> u64 {
    let place = ((heard[sure][0] - 0.5) * 16_777_216.0) as usize - sure;
    for (i, frame) in heard.iter().enumerate() {
        let (expected, gain) = (told(place + i), gain(i));
        let near = |side: usize| (frame[side] - gain * expected[side]).abs() < 1e-4;
        let told = if gain == 1.0 { *frame == expected } else { near(0) && near(1) };
        assert!(told, "{i} frames after {place}: {frame:?}, and not {gain} times {expected:?}");
    }
    place as u64
}

/// Lets a time of the mixer's own pass.
fn pass(mixer: &Mixer, frames: u32) {
    let end = mixer.clock() + u64::from(frames);
    until("time passes", || mixer.clock() >= end);
}

#[test]
fn a_sound_server_may_come_and_go_and_the_sound_is_where_it_should_be() {
    let name = "a_sound_server_may_come_and_go_and_the_sound_is_where_it_should_be";
    alone(name, SERVER, |stage| {
        let (clip, mixer) = (clip(40), Mixer::open(config(ms(50))).unwrap());
        assert!(!is_playing(&mixer), "{}", mixer.output());
        let from = mixer.clock() + u64::from(RATE);
        play(&mixer, &[(Play::of(&clip), 0)], from);
        until("it begins", || mixer.clock() > from);
        for _ in 0..3 {
            let (began, silent) = (Instant::now(), mixer.clock());
            pass(&mixer, RATE / 5);
            let server = Server::start(stage);
            until("there is sound", || is_playing(&mixer));
            pass(&mixer, RATE);
            assert_pace(began.elapsed(), mixer.clock() - silent);
            let heard = server.heard();
            // No more than was there before it began, which even a busy machine plays in time.
            let returned = &sound(&heard)[..4 * FADE];
            let place = told_from(returned, 2 * FADE, |i| ((i + 1) as f32 / FADE as f32).min(1.0));
            assert!((silent..mixer.clock()).contains(&(from + place)), "came back at {place}");
            drop(server);
            until("the loss is seen", || !is_playing(&mixer));
        }
        assert_eq!(mixer.stats().live, 1);
        assert_balanced(&mixer);
        let mut states: Vec<_> = mixer.events().filter_map(output).collect();
        let all = format!("{states:#?}");
        // It may say more than once why it is silent.
        states.dedup_by_key(|state| matches!(state, OutputState::Playing { .. }));
        assert_eq!(states.len(), 7, "{all}");
    });
}

fn output(event: Event) -> Option<OutputState> {
    match event {
        Event::Output(state) => Some(state),
        _ => None,
    }
}

#[test]
fn the_last_mixer_fades_out() {
    alone("the_last_mixer_fades_out", SERVER, |stage| {
        let (server, clip) = (Server::start(stage), clip(10));
        let mixer = Mixer::open(config(ms(50))).unwrap();
        assert!(is_playing(&mixer), "{}", mixer.output());
        mixer.play(&clip);
        pass(&mixer, RATE / 2);
        let began = Instant::now();
        drop(mixer);
        assert!(began.elapsed() < secs(1.0), "{:?}", began.elapsed());
        thread::sleep(ms(500));
        let heard = server.heard();
        let end = heard.iter().rposition(|frame| *frame != [0.0; 2]).unwrap() + 1;
        let last = &heard[end - 4 * FADE..end];
        told_from(last, 0, |i| ((4 * FADE - i) as f32 / FADE as f32).min(1.0));
    });
}
