//! Random scripts, played by the mixer and by a naive one: they must sound the same, and tell the
//! same of every play. `VOICEPOOL_LONG=1` plays many more.

#[path = "model/change.rs"]
mod change;
#[path = "model/clip.rs"]
mod clip;
mod common;
#[path = "model/naive.rs"]
mod naive;
#[path = "model/script.rs"]
mod script;
#[path = "model/stage.rs"]
mod stage;
#[path = "model/voice.rs"]
mod voice;

use std::rc::Rc;
use std::time::Duration;

use clip::Clip;
use naive::{Change, Happening, Naive, Request, Start, What};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRng, TestRunner};
use script::{CLIPS, INTERPOLATIONS, Op, POLICIES};
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Play, Priority, Refusal, Renderer, Sound, VoiceId,
    WhenStolen, ms,
};

type Verdict = Result<(), TestCaseError>;

/// Both mixers, side by side.
struct Pair {
    mixer: Mixer,
    renderer: Renderer,
    naive: Naive,
    sounds: [Sound; CLIPS],
    ids: Vec<VoiceId>,
    told: Vec<What>,
}

impl Pair {
    fn new(config: &Config) -> Pair {
        let (mixer, renderer) = Mixer::offline(config.clone()).unwrap();
        let sounds = script::sounds(config.sample_rate);
        let clip = |sound: &Sound| Clip::new(sound.sample_rate(), sound.frames().collect());
        let clips = Rc::new(sounds.iter().map(clip).collect());
        let naive = Naive::new(config, clips);
        Pair { mixer, renderer, naive, sounds, ids: Vec::new(), told: Vec::new() }
    }

    fn carry_out(&mut self, op: &Op) -> Verdict {
        match op {
            Op::Render(frames) => self.listen(*frames)?,
            Op::Play(request) => self.play(request.clone()),
            Op::Voice(ago, change) => {
                let Some(tag) = self.ids.len().checked_sub(1 + ago) else { return Ok(()) };
                self.naive.change(tag as u64, *change);
                self.change(self.ids[tag], *change);
            }
            Op::Bus(bus, change) => {
                self.naive.change_bus(*bus, *change);
                self.change_bus(BusId::new(*bus), *change);
            }
            Op::StopAll(fade) => {
                self.naive.stop_all(*fade);
                self.mixer.stop_all(*fade);
            }
            Op::Resize(voices) => {
                let let_in = self.mixer.resize(*voices).is_ok();
                prop_assert_eq!(let_in, self.naive.resize(*voices), "resize to {}", voices);
            }
            Op::WhenFull(when_full) => {
                self.naive.set_when_full(*when_full);
                self.mixer.set_when_full(*when_full);
            }
        }
        Ok(())
    }

    fn play(&mut self, mut request: Request) {
        let tag = self.ids.len() as u64;
        let mut play = Play::of(&self.sounds[request.clip])
            .gain(request.gain)
            .pan(request.pan)
            .speed(request.speed)
            .from_position(request.position)
            .fade_in(request.fade_in)
            .priority(request.priority)
            .bus(BusId::new(request.bus))
            .tag(tag);
        play = match &mut request.start {
            Start::Now => play,
            Start::At(frame) => {
                // Some are past.
                *frame = (self.mixer.clock() + *frame).saturating_sub(100);
                play.start_at(*frame)
            }
            Start::Delay(by) => play.delay(*by),
        };
        play = match request.looping {
            None => play,
            Some((start, None)) => play.loop_range(start..),
            Some((start, Some(end))) => play.loop_range(start..end),
        };
        play = match request.parks {
            None => play,
            Some(true) => play.when_stolen(WhenStolen::Park),
            Some(false) => play.when_stolen(WhenStolen::End),
        };
        self.naive.play(tag, request);
        self.ids.push(self.mixer.play(play).expect("the queue has room"));
    }

    fn change(&self, id: VoiceId, change: Change) {
        match change {
            Change::Stop(fade) => self.mixer.stop(id, fade),
            Change::Pause => self.mixer.pause(id),
            Change::Resume => self.mixer.resume(id),
            Change::Gain(to, over) => self.mixer.set_gain(id, to, over),
            Change::Pan(to, over) => self.mixer.set_pan(id, to, over),
            Change::Speed(to, over) => self.mixer.set_speed(id, to, over),
            Change::Seek(to) => self.mixer.seek(id, to),
        }
    }

    fn change_bus(&self, bus: BusId, change: Change) {
        match change {
            Change::Stop(fade) => self.mixer.stop(bus, fade),
            Change::Pause => self.mixer.pause(bus),
            Change::Resume => self.mixer.resume(bus),
            Change::Gain(to, over) => self.mixer.set_gain(bus, to, over),
            Change::Pan(..) | Change::Speed(..) | Change::Seek(_) => unreachable!(),
        }
    }

    fn listen(&mut self, frames: usize) -> Verdict {
        let first = self.mixer.clock();
        let ours = self.renderer.frames(frames);
        let theirs = self.naive.frames(frames);
        self.compare_events()?;
        for (at, (ours, theirs)) in (first..).zip(ours.iter().zip(&theirs)) {
            for (ours, side) in ours.iter().zip(theirs.frame) {
                let off = (ours - side).abs();
                prop_assert!(off <= theirs.slack, "frame {at} is {ours}, naive {side}");
            }
        }
        let (stats, naive) = (self.mixer.stats(), &self.naive.stage);
        prop_assert_eq!(
            [stats.voices, stats.playing, stats.parked, stats.scheduled, stats.live],
            [naive.limit, naive.playing.len(), naive.parked.len(), naive.waiting.len(), naive.live],
            "voices, playing, parked, scheduled, live"
        );
        prop_assert_eq!(stats.missed_events, naive.missed);
        let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
        prop_assert_eq!(stats.accepted, ended + stats.live as u64);
        Ok(())
    }

    /// The order within a frame is nobody's promise, but for what happens to one voice.
    fn compare_events(&mut self) -> Verdict {
        let mut ours: Vec<_> = self.mixer.events().map(|event| self.happening(event)).collect();
        let mut theirs = self.naive.events();
        ours.sort_by_key(|it| (it.at, it.tag));
        theirs.sort_by_key(|it| (it.at, it.tag));
        let alike = |(ours, theirs): (&Happening, &Happening)| match (ours.what, theirs.what) {
            (What::Stolen { by, level }, What::Stolen { by: naive_by, level: naive_level }) => {
                let near = (level - naive_level).abs() <= 1e-4 * naive_level;
                (ours.at, ours.tag, by, near) == (theirs.at, theirs.tag, naive_by, true)
            }
            _ => ours == theirs,
        };
        let same = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(alike);
        prop_assert!(same, "{ours:#?}\nnaive {theirs:#?}");
        self.told.extend(theirs.iter().map(|it| it.what));
        Ok(())
    }

    fn happening(&self, event: Event) -> Happening {
        let tag_of = |id| self.ids.iter().position(|it| *it == id).expect("an id we were given");
        match event {
            Event::Ended { voice, tag, name: _, at, why } => {
                assert_eq!(tag, tag_of(voice) as u64);
                let what = match why {
                    Ending::Finished => What::Finished,
                    Ending::Stopped => What::Stopped,
                    Ending::Refused { why } => What::Refused(why),
                    Ending::Stolen { by, by_tag, level } => {
                        assert_eq!(by_tag, tag_of(by) as u64);
                        What::Stolen { by: by_tag, level }
                    }
                    other => panic!("{other:?}"),
                };
                Happening { at, tag, what }
            }
            Event::Parked { voice, tag, at, .. } => {
                assert_eq!(tag, tag_of(voice) as u64);
                Happening { at, tag, what: What::Parked }
            }
            Event::Unparked { voice, tag, at } => {
                assert_eq!(tag, tag_of(voice) as u64);
                Happening { at, tag, what: What::Unparked }
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Plays a script, and a little silence after it. Returns what was told of its plays.
fn agree(config: &Config, script: &[Op]) -> Result<Vec<What>, TestCaseError> {
    let mut pair = Pair::new(config);
    for op in script {
        pair.carry_out(op)?;
    }
    pair.listen(400)?;
    Ok(pair.told)
}

fn is_long() -> bool {
    std::env::var_os("VOICEPOOL_LONG").is_some()
}

/// Random scripts at a rate.
fn try_scripts(rate: u32, cases: u32) {
    let cases = if is_long() { 250 * cases } else { cases };
    let settings = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 10_000,
        ..Default::default()
    };
    let scripts = (script::config(rate), vec(script::op(rate), 1..60));
    // The same scripts every time, so that a change fails by its own fault; new ones in a long run.
    let mut runner = if is_long() {
        TestRunner::new(settings)
    } else {
        let random = TestRng::deterministic_rng(settings.rng_algorithm);
        TestRunner::new_with_rng(settings, random)
    };
    let outcome = runner.run(&scripts, |(config, script)| agree(&config, &script).map(|_| ()));
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn scripts_at_a_thousand_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts(1000, 150);
}

#[test]
fn scripts_at_a_hundred_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts(100, 60);
}

#[test]
fn scripts_at_48_khz_sound_as_the_naive_mixer_plays_them() {
    try_scripts(48_000, 60);
}

/// The same script every time for each policy and interpolation, long enough for pools to grow,
/// shrink back, and fill again.
fn play_long(rate: u32, commands: usize) {
    let commands = if is_long() { 100 * commands } else { commands };
    let mut runner = TestRunner::deterministic();
    let mut told = Vec::new();
    for when_full in POLICIES {
        for interpolation in INTERPOLATIONS {
            let script = vec(script::op(rate), commands).new_tree(&mut runner).unwrap().current();
            let config = Config {
                voices: 3,
                max_voices: 6,
                parked: 3,
                scheduled: 4,
                commands: 256,
                sample_rate: rate,
                when_full,
                interpolation,
                ..Config::default()
            };
            match agree(&config, &script) {
                Ok(more) => told.extend(more),
                Err(fault) => panic!("{when_full:?}, {interpolation:?}: {fault}"),
            }
        }
    }
    // Else it would prove little.
    for kind in [
        |what: &What| *what == What::Finished,
        |what: &What| *what == What::Stopped,
        |what: &What| matches!(what, What::Stolen { .. }),
        |what: &What| *what == What::Refused(Refusal::PoolFull),
        |what: &What| *what == What::Refused(Refusal::ScheduleFull),
        |what: &What| *what == What::Parked,
        |what: &What| *what == What::Unparked,
    ] {
        let count = told.iter().filter(|what| kind(what)).count();
        assert!(count >= 20, "only {count}: {told:?}");
    }
}

#[test]
fn a_long_game_at_a_thousand_hertz_sounds_as_the_naive_mixer_plays_it() {
    play_long(1000, 400);
}

#[test]
fn a_long_game_at_48_khz_sounds_as_the_naive_mixer_plays_it() {
    play_long(48_000, 300);
}

/// A loop of a sine.
fn drone() -> Request {
    Request {
        clip: 1,
        gain: 1.0,
        pan: 0.0,
        speed: 1.0,
        looping: Some((Duration::ZERO, None)),
        position: Duration::ZERO,
        fade_in: Duration::ZERO,
        start: Start::Now,
        priority: Priority::Normal,
        parks: Some(false),
        bus: 1,
    }
}

/// One voice at 48 kHz, where 5 ms are nearly two quanta. Returns what was told.
fn agree_on_one_voice(script: &[Op]) -> Vec<What> {
    let config = Config { voices: 1, max_voices: 1, ..Config::default() };
    agree(&config, script).unwrap_or_else(|fault| panic!("{fault} of {script:?}"))
}

#[test]
fn what_meets_a_pause_under_way_neither_clicks_nor_hangs() {
    let (soon, late) = (ms(1), ms(1000));
    for (meets, ends) in [
        (Op::Voice(0, Change::Seek(soon)), false),
        (Op::Voice(0, Change::Stop(late)), true),
        (Op::Bus(1, Change::Stop(late)), true),
        (Op::Play(Request { gain: 0.0, ..drone() }), true),
    ] {
        for pause in [Op::Voice(0, Change::Pause), Op::Bus(1, Change::Pause)] {
            for between in [Op::Render(0), Op::Render(128)] {
                let told = agree_on_one_voice(&[
                    Op::Play(drone()),
                    Op::Render(128),
                    pause.clone(),
                    between,
                    meets.clone(),
                    Op::Render(500),
                ]);
                assert_eq!(told.len(), usize::from(ends), "{meets:?} and {pause:?}: {told:?}");
            }
        }
    }
}

#[test]
fn what_stops_and_stands_still_at_once_has_ended() {
    let still = [Op::Voice(0, Change::Pause), Op::Voice(0, Change::Seek(ms(1)))];
    let stop = [Op::StopAll(ms(1000)), Op::Voice(0, Change::Stop(ms(1000)))];
    for stop in stop {
        let mut script = vec![Op::Play(drone()), Op::Render(128), stop];
        script.extend(still.clone());
        script.push(Op::Render(500));
        assert_eq!(agree_on_one_voice(&script), [What::Stopped]);
    }
}

#[test]
fn what_is_set_before_the_first_frame_is_heard_from_it_on() {
    for change in [
        Change::Speed(1.5, Duration::ZERO),
        Change::Gain(0.5, Duration::ZERO),
        Change::Pan(-0.5, Duration::ZERO),
        Change::Seek(ms(3)),
    ] {
        agree_on_one_voice(&[Op::Play(drone()), Op::Voice(0, change), Op::Render(500)]);
    }
}
