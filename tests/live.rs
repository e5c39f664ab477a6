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
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{env, thread};

use common::{Random, bits, mono, noise};
use voicepool::{
    Config, Event, Frame, Mixer, OutputState, Play, Priority, Sound, Stats, Stream, ms, write_wav,
};

const RATE: u32 = 48_000;

/// Nothing that is waited for takes longer, however busy the machine is, unless it never comes.
const TOO_LONG: Duration = Duration::from_secs(60);

/// How long to try again what a machine that is busy otherwise could not do in time.
const ATTEMPTS: Duration = Duration::from_secs(300);

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
            None if began.elapsed() < 4 * ATTEMPTS => thread::sleep(ms(10)),
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
    assert!(!said.contains("ALSA lib"), "what ALSA prints is kept off the standard error:\n{said}");
}

/// Waits for something that must come.
fn until(what: &str, mut here: impl FnMut() -> bool) {
    let began = Instant::now();
    while !here() {
        assert!(began.elapsed() < TOO_LONG, "waited in vain until {what}");
        thread::sleep(ms(10));
    }
}

/// Tries until it was shown. A machine too busy to be in time has shown nothing, and says why.
fn until_shown(mut attempt: impl FnMut() -> Result<(), String>) {
    let began = Instant::now();
    while let Err(why) = attempt() {
        assert!(began.elapsed() < ATTEMPTS, "the machine was too busy each time, and last {why}");
    }
}

/// How long the scene is.
const SCENE: usize = RATE as usize;

/// Twelve plays for eight voices, of every kind, each with its frame. Every third is protected, and may be a
/// stream.
fn scene(streams: bool) -> Vec<(Play, u64)> {
    let mut random = Random(3);
    let mut play = |i: u64| {
        let length = 6_000 + random.below(40_000) as usize;
        let noise = noise(i, length);
        let sound = mono(RATE - 4_000 * (i % 3) as u32, &noise);
        let play = match i % 3 {
            0 if streams => Play::of(stream(&noise)),
            0 => Play::of(&sound).priority(Priority::Protected),
            _ => Play::of(&sound),
        };
        let play = play
            .gain(0.05 + 0.1 * random.unit())
            .pan(random.between(-1.0, 1.0))
            .speed(if i % 2 == 1 { random.between(0.5, 2.0) } else { 1.0 })
            .fade_in(ms(random.below(3) * 20));
        let play = if i % 4 == 3 { play.looping() } else { play };
        (play, i * (1 + random.below(2_000)))
    };
    (0..12).map(&mut play).collect()
}

/// The same samples as a file that is read while it plays.
fn stream(samples: &[f32]) -> Stream {
    let frames: Vec<Frame> = samples.iter().map(|sample| [*sample; 2]).collect();
    let path = env::temp_dir().join(format!("voicepool-live-{}.wav", id()));
    write_wav(&path, RATE, &frames).unwrap();
    let bytes: Arc<[u8]> = fs::read(&path).unwrap().into();
    fs::remove_file(&path).unwrap();
    Stream::from_reader("noise", move || Ok(std::io::Cursor::new(bytes.clone()))).unwrap()
}

/// Plays all of them from a frame on that is yet to come. Whether that was in time: what is said acts
/// a little later than the clock.
fn play(mixer: &Mixer, scene: &[(Play, u64)], from: u64) -> bool {
    for (play, at) in scene {
        mixer.play(play.clone().start_at(from + at)).expect("there is room");
    }
    mixer.clock() + 1024 < from
}

/// The same as soon as it can be. Returns the frame.
fn play_soon(mixer: &Mixer, scene: &[(Play, u64)]) -> u64 {
    let mut from = 0;
    until("the scene is set in time", || {
        mixer.stop_all(ms(0));
        from = mixer.clock() + u64::from(RATE);
        play(mixer, scene, from)
    });
    from
}

/// Opens a mixer on a device that there is: on a busy machine it may come later than the mixer.
fn open_playing(buffer: Duration) -> Mixer {
    let mixer = Mixer::open(config(buffer)).unwrap();
    until("the device plays", || is_playing(&mixer));
    mixer
}

fn config(buffer: Duration) -> Config {
    Config { voices: 8, buffer, ..Config::default() }
}

/// The scene, rendered offline with the same commands at the same frames, and all of it loaded before.
fn rendered(from: u64) -> Vec<Frame> {
    let scene = &scene(false);
    let (mixer, mut renderer) = Mixer::offline(config(ms(10))).unwrap();
    assert!(play(&mixer, scene, from), "it is far enough ahead");
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

/// Whether what was heard begins with what was expected.
fn same_bits(heard: &[Frame], expected: &[Frame]) -> Result<(), String> {
    let (heard, expected) = (bits(sound(heard)), bits(sound(expected)));
    if heard.len() < expected.len() {
        return Err(format!("{} frames of {} were heard", heard.len(), expected.len()));
    }
    let differ = heard.iter().zip(&expected).position(|(heard, expected)| heard != expected);
    differ.map_or(Ok(()), |at| Err(format!("frame {at} of {} differed", expected.len())))
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
        // It is read as fast as can be, which no disk could keep up with.
        let scene = scene(false);
        for buffer in [1, 10, 37, 500] {
            until_shown(|| {
                let recorder = record(stage);
                let mixer = open_playing(ms(buffer));
                // While the tape is held, nothing is read, and so the clock soon stands still.
                let tape = recorder.tape.lock().unwrap();
                let from = mixer.clock() + 200_000;
                let in_time = play(&mixer, &scene, from);
                drop(tape);
                // By more than a device holds back, so that all of the scene has left it.
                pass_until(&mixer, from + SCENE as u64 + 200_000);
                assert_balanced(&mixer);
                let states: Vec<_> = mixer.events().filter_map(output).collect();
                drop(mixer);
                let heard = recorder.finish();
                fs::remove_file(stage.join("pipe")).unwrap();
                // Where nothing moves for a second, the device is taken for dead, and is lost.
                let lost = states.iter().any(|state| matches!(state, OutputState::Silent { .. }));
                assert!(in_time || lost, "the clock stands still");
                same_bits(&heard, &rendered(from)).inspect_err(|why| assert!(lost, "{why}"))
            });
        }
    });
}

#[test]
fn a_driver_that_hangs_does_not_keep_the_last_mixer() {
    alone("a_driver_that_hangs_does_not_keep_the_last_mixer", PIPE, |stage| {
        let recorder = record(stage);
        let mixer = open_playing(ms(10));
        let tape = recorder.tape.lock().unwrap();
        until("the driver hangs", || {
            let clock = mixer.clock();
            thread::sleep(ms(100));
            clock > 0 && clock == mixer.clock()
        });
        // It hangs for as long as the tape is held, and so would whoever waited for it.
        let (over, done) = channel();
        thread::spawn(move || {
            drop(mixer);
            let _ = over.send(());
        });
        done.recv_timeout(TOO_LONG).expect("the drop of the last mixer returns");
        drop(tape);
        recorder.finish();
    });
}

/// No name leads anywhere, as on a machine without any sound.
const NOTHING: &str = "";

#[test]
fn without_a_device_time_passes_and_plays_end() {
    alone("without_a_device_time_passes_and_plays_end", NOTHING, |_| {
        let opened = Instant::now();
        let mixer = Mixer::open(config(ms(10))).unwrap();
        let why = |state| match state {
            OutputState::Silent { why, .. } => why,
            other => panic!("{other}"),
        };
        until("there is no device", || why(mixer.output()).contains("not available"));
        let (began, clock) = (Instant::now(), mixer.clock());
        let voice = mixer.play(mono(RATE, &noise(1, RATE as usize / 2)));
        until("the play has ended", || !mixer.is_live(voice));
        // It may end a little ahead of the clock.
        assert!(mixer.clock() - clock + 512 >= u64::from(RATE) / 2, "{}", mixer.clock() - clock);
        until("the clock keeps the pace", || is_in_pace(began, mixer.clock() - clock));
        let clock = Duration::from_secs_f64(mixer.clock() as f64 / f64::from(RATE));
        assert!(clock <= opened.elapsed(), "time never runs ahead");
        assert_eq!(mixer.stats().finished, 1);
        assert_balanced(&mixer);
    });
}

/// Whether the clock has kept the time of the wall, give or take what a device may buffer.
fn is_in_pace(since: Instant, frames: u64) -> bool {
    let clock = Duration::from_secs_f64(frames as f64 / f64::from(RATE));
    since.elapsed().abs_diff(clock) < ms(300)
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

    /// What was heard was not as it should be. That is no fault of the mixer if it could not be in
    /// time, as the server or the device has noticed, or the voices that read streams.
    fn excuse<T>(&self, stats: &Stats, why: String) -> Result<T, String> {
        assert!(self.ran_dry() > 0 || stats.xruns + stats.underruns > 0, "{why}");
        Err(why)
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
        let scene = scene(true);
        until_shown(|| {
            let (server, mixer) = (Server::start(stage), open_playing(ms(500)));
            let from = play_soon(&mixer, &scene);
            let expected = rendered(from);
            // By more than device and server hold back.
            pass_until(&mixer, from + SCENE as u64 + 4 * u64::from(RATE));
            assert_balanced(&mixer);
            same_bits(&server.heard(), &expected).or_else(|why| server.excuse(&mixer.stats(), why))
        });
    });
}

/// How many frames a fade takes after a gap, and at the end.
const FADE: usize = RATE as usize / 100;

/// How many frames the clip has: more than it takes to come back after a gap.
const CLIP: usize = 10 * RATE as usize;

/// A clip that knows its place: the left side counts, the right side is noise.
fn told(place: usize) -> Frame {
    let place = place % CLIP;
    [0.5 + place as f32 / 16_777_216.0, Random(place as u64).between(-0.9, 0.9)]
}

/// The clip, again and again.
fn clip() -> Play {
    let frames: Vec<Frame> = (0..CLIP).map(told).collect();
    Play::of(Sound::from_stereo(RATE, &frames).unwrap()).looping()
}

/// Whether the clip is heard, with a gain that depends on the frame: the place at which it begins, as
/// frame `sure`, which is heard as it is, tells.
fn told_from(heard: &[Frame], sure: usize, gain: impl Fn(usize) -> f32) -> Result<usize, String> {
    let place = ((heard[sure][0] - 0.5) * 16_777_216.0) as usize + CLIP - sure;
    for (i, frame) in heard.iter().enumerate() {
        let (expected, gain) = (told(place + i), gain(i));
        let near = |side: usize| (frame[side] - gain * expected[side]).abs() < 1e-4;
        let told = if gain == 1.0 { *frame == expected } else { near(0) && near(1) };
        if !told {
            let at = format!("{i} frames after {}", place % CLIP);
            return Err(format!("{at}: {frame:?}, and not {gain} times {expected:?}"));
        }
    }
    Ok(place % CLIP)
}

/// Lets a time of the mixer's own pass.
fn pass(mixer: &Mixer, frames: u32) {
    pass_until(mixer, mixer.clock() + u64::from(frames));
}

/// The same up to a frame. However slow that is, it goes on.
fn pass_until(mixer: &Mixer, frame: u64) {
    while mixer.clock() < frame {
        let clock = mixer.clock();
        until("time passes", || mixer.clock() > clock);
    }
}

#[test]
fn a_sound_server_may_come_and_go_and_the_sound_is_where_it_should_be() {
    let name = "a_sound_server_may_come_and_go_and_the_sound_is_where_it_should_be";
    alone(name, SERVER, |stage| {
        let mixer = Mixer::open(config(ms(50))).unwrap();
        assert!(!is_playing(&mixer), "{}", mixer.output());
        let from = play_soon(&mixer, &[(clip(), 0)]);
        pass_until(&mixer, from + 1);
        let (mut rounds, mut late, mut in_pace) = (0, false, false);
        let mut states = Vec::new();
        until_shown(|| {
            let (began, silent) = (Instant::now(), mixer.clock());
            pass(&mixer, RATE / 5);
            let server = Server::start(stage);
            until("there is sound", || is_playing(&mixer));
            pass(&mixer, RATE);
            in_pace |= is_in_pace(began, mixer.clock() - silent);
            until("it is recorded", || sound(&server.heard()).len() >= 4 * FADE);
            let heard = server.heard();
            // No more than was there before it began, which even a busy machine plays in time.
            let gain = |i| ((i + 1) as f32 / FADE as f32).min(1.0);
            let place = told_from(&sound(&heard)[..4 * FADE], 2 * FADE, gain);
            let place = place.or_else(|why| server.excuse(&mixer.stats(), why));
            let played = (silent..mixer.clock()).map(|frame| (frame - from) as usize % CLIP);
            let is_due = |place: &usize| played.clone().rev().any(|played| played == *place);
            assert!(place.as_ref().map_or(true, is_due), "came back at {place:?}");
            late |= server.ran_dry() > 0 || mixer.stats().xruns > 0;
            drop(server);
            until("the loss is seen", || !is_playing(&mixer));
            rounds += 1;
            states.extend(mixer.events().filter_map(output));
            place?;
            let done = rounds >= 3 && in_pace;
            if done { Ok(()) } else { Err(format!("{rounds} rounds, in pace: {in_pace}")) }
        });
        assert_eq!(mixer.stats().live, 1);
        assert_balanced(&mixer);
        let all = format!("{states:#?}");
        // It may say more than once why it is silent.
        states.dedup_by_key(|state| matches!(state, OutputState::Playing { .. }));
        assert!(states.len() == 2 * rounds + 1 || late && states.len() > 2 * rounds, "{all}");
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
        let clip = clip();
        until_shown(|| {
            let (server, mixer) = (Server::start(stage), open_playing(ms(50)));
            mixer.play(&clip);
            until("it is recorded", || sound(&server.heard()).len() > RATE as usize / 2);
            let stats = mixer.stats();
            drop(mixer);
            let is_silent = |heard: &[Frame]| heard.iter().all(|frame| *frame == [0.0; 2]);
            until("its end is recorded", || {
                let heard = server.heard();
                is_silent(&heard[heard.len() - RATE as usize / 5..])
            });
            let heard = server.heard();
            let end = heard.iter().rposition(|frame| *frame != [0.0; 2]).unwrap() + 1;
            let last = &heard[end - 4 * FADE..end];
            let fades = told_from(last, 0, |i| ((4 * FADE - i) as f32 / FADE as f32).min(1.0));
            fades.map(drop).or_else(|why| server.excuse(&stats, why))
        });
    });
}
