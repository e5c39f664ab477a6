//! What a game says, made of bytes: plays, controls, buses, cues, places, joins, resizes, with values that no game
//! should send. The laws are the assertions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use voicepool::{
    Attenuation, Bus, BusId, Config, Cue, Distance, Duck, Effect, Ending, Event, Frame, Held,
    Interpolation, Listener, Mix, Mixer, Order, Play, Point, Renderer, Reverb, RoomId, Sound, Tag,
    Target, VoiceId, WhenFull, WhenStolen,
};

use crate::allocator::heap_calls;
use crate::common::{POLICIES, PRIORITIES, assert_balanced, bits, mono, noise, sine, wav16};

/// The most that is rendered for one input, so that none takes long.
const MOST_FRAMES: usize = 30_000;

/// Plays the script twice: in whole buffers, and in others without what is said to ids that are stale or another
/// mixer's. Both must be the same, to the bit, and to the last event.
pub fn check(script: &[u8]) {
    let once = run(script, Manner { is_whole: true, says_stale: true });
    let again = run(script, Manner { is_whole: false, says_stale: false });
    let differs = once.told.iter().zip(&again.told).find(|(once, again)| once != again);
    assert_eq!(differs, None, "what is told differs");
    assert_eq!(once.told.len(), again.told.len(), "how much is told differs");
    let (once, again) = (bits(&once.heard), bits(&again.heard));
    let differs = once.iter().zip(&again).position(|(once, again)| once != again);
    assert_eq!(differs, None, "the frame from which on the sound differs");
}

#[derive(Clone, Copy)]
struct Manner {
    /// Whether each render is one call.
    is_whole: bool,
    /// Whether ids are spoken to that name nothing.
    says_stale: bool,
}

/// All that came out of a mixer.
struct Outcome {
    heard: Vec<Frame>,
    told: Vec<String>,
}

/// The bytes of a script, one after the other; behind them there are zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// What a game may send, and what none should.
    fn value(&mut self) -> f32 {
        let byte = self.byte();
        match byte {
            0..=199 => f32::from(byte) / 100.0,
            200..=229 => f32::from(229 - byte) / -20.0,
            230..=239 => f32::from_bits(u32::from_le_bytes([(); 4].map(|()| self.byte()))),
            _ => self.pick(&[
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::MAX,
                f32::MIN_POSITIVE,
                1e-40,
                -0.0,
                1e9,
                30.0,
                440.0,
                5_000.0,
                19_999.0,
            ]),
        }
    }

    fn time(&mut self) -> Duration {
        let byte = self.byte();
        match byte {
            0..=99 => Duration::ZERO,
            100..=199 => Duration::from_micros(u64::from(byte - 100) * 200),
            200..=249 => Duration::from_millis(u64::from(byte - 200) * 20),
            250..=253 => Duration::from_nanos(1),
            254 => Duration::from_secs(1 << 40),
            _ => Duration::MAX,
        }
    }

    fn bus(&mut self) -> BusId {
        BusId::new(self.pick(&[0, 1, 2, 3, 5, 31]))
    }

    fn room(&mut self) -> RoomId {
        RoomId::new(self.below(RoomId::COUNT) as u8)
    }

    fn point(&mut self) -> Point {
        Point { x: self.value() * 10.0, y: self.value(), z: self.value() * 3.0 }
    }

    fn listener(&mut self) -> Listener {
        match self.flag() {
            true => Listener::at(self.point()),
            false => Listener { position: self.point(), forward: self.point(), up: self.point() },
        }
    }

    fn attenuation(&mut self) -> Attenuation {
        let models = [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];
        Attenuation {
            model: self.pick(&models),
            far: self.value() * 20.0,
            rolloff: self.value(),
            pan: self.value(),
            doppler: self.value(),
            ..Attenuation::DEFAULT
        }
    }

    /// Small enough that everything runs out.
    fn config(&mut self) -> Config {
        let voices = 1 + self.below(6);
        Config {
            voices,
            max_voices: voices + self.below(4),
            parked: 1 + self.below(4),
            scheduled: 1 + self.below(4),
            commands: self.pick(&[1, 2, 16, 200]),
            streams: 1,
            cues: 1 + self.below(3),
            sample_rate: self.pick(&[48_000, 1_000, 9_000, 100, 384_000, 1]),
            when_full: self.pick(&POLICIES),
            interpolation: self.pick(&[
                Interpolation::Linear,
                Interpolation::Cubic,
                Interpolation::Sinc,
            ]),
            seed: u64::from(self.byte()),
            ..Config::DEFAULT
        }
    }
}

/// An effect that keeps to what is asked of effects, or does not.
struct Odd {
    factor: f32,
    last: f32,
}

impl Effect for Odd {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for sample in left.iter_mut().chain(right) {
            self.last = *sample * self.factor + 0.5 * self.last;
            *sample = self.last;
        }
    }

    fn is_silent(&self) -> bool {
        self.last.abs() < 1e-9
    }
}

/// A game that says what its bytes mean.
struct Game<'a> {
    bytes: Bytes<'a>,
    manner: Manner,
    mixer: Mixer,
    renderer: Renderer,
    sounds: Vec<Sound>,
    cues: Vec<Cue>,
    plays: Vec<VoiceId>,
    /// Those of another mixer, and what was never anybody's.
    strangers: Vec<VoiceId>,
    held: Vec<Held>,
    mixes: Vec<Mix>,
    ended: Vec<bool>,
    /// Finished, stopped, stolen, refused.
    endings: [u64; 4],
    out: Outcome,
}

fn run(script: &[u8], manner: Manner) -> Outcome {
    let mut bytes = Bytes(script);
    let config = bytes.config();
    let rate = config.sample_rate;
    let (mixer, renderer) = Mixer::offline(config).expect("a good config");
    let sounds = sounds(rate);
    let mut game = Game {
        bytes,
        manner,
        mixer,
        renderer,
        sounds,
        cues: Vec::new(),
        plays: Vec::new(),
        strangers: strangers(),
        held: Vec::new(),
        mixes: Vec::new(),
        ended: Vec::new(),
        endings: [0; 4],
        out: Outcome { heard: Vec::new(), told: Vec::new() },
    };
    while !game.bytes.0.is_empty() && game.out.heard.len() < MOST_FRAMES {
        game.act();
        game.look();
    }
    game.render(500);
    game.look();
    game.out
}

/// Of both widths and depths, at the mixer's rate and others; one louder than anything should be. Made once for each
/// rate.
fn sounds(rate: u32) -> Vec<Sound> {
    thread_local!(static SOUNDS: RefCell<BTreeMap<u32, Vec<Sound>>> = RefCell::default());
    let make = || {
        let wide: Vec<Frame> = noise(3, 900).into_iter().map(|it| [it, 0.3]).collect();
        vec![
            mono(rate, &sine(rate, f64::from(rate) / 40.0, 0.0, 700)),
            mono((rate / 2).max(1), &noise(1, 400)),
            Sound::from_stereo(rate, &wide).expect("noise"),
            wav16((rate / 2 * 3).clamp(1, 384_000), 1, &noise(2, 600)),
            wav16(rate, 2, &sine(rate, f64::from(rate) / 9.0, 0.1, 3000)),
            mono(rate, &[65_536.0, -65_536.0, 1e-40, 0.9]),
        ]
    };
    SOUNDS.with_borrow_mut(|sounds| sounds.entry(rate).or_insert_with(make).clone())
}

/// Ids of a mixer that stays, and what was never anybody's.
fn strangers() -> Vec<VoiceId> {
    thread_local!(static STRANGER: (Mixer, Renderer) =
        Mixer::offline(Config::DEFAULT).expect("a good config"));
    thread_local!(static ID: VoiceId = STRANGER.with(|(mixer, _)| {
        mixer.play(&mono(4, &[0.5])).expect("the queue is empty")
    }));
    let live = ID.with(|id| *id);
    [live.to_bits(), 0, 1, u128::MAX].map(VoiceId::from_bits).into()
}

impl Game<'_> {
    /// One of the latest plays, live or not, or a stranger's.
    fn voice(&mut self) -> Option<VoiceId> {
        let back = self.bytes.below(16);
        if back >= 12 {
            return self.strangers.get(back - 12).copied();
        }
        let at = self.plays.len().checked_sub(1 + back)?;
        Some(self.plays[at])
    }

    fn target(&mut self) -> Target {
        match self.bytes.below(8) {
            0 => self.bytes.bus().into(),
            1 => Tag(self.bytes.below(4) as u64).into(),
            _ => self.voice().into(),
        }
    }

    /// Whether this run says something to whoever this is.
    fn says_to(&self, target: Target) -> bool {
        match target {
            Target::Voice(voice) => self.manner.says_stale || self.mixer.is_live(voice),
            _ => true,
        }
    }

    fn request(&mut self) -> Play {
        let bytes = &mut self.bytes;
        let sound = bytes.pick(&self.sounds);
        let mut play = match bytes.below(4) {
            0 if !self.cues.is_empty() => Play::of(&bytes.pick(&self.cues)),
            _ => Play::of(&sound),
        };
        play = play.tag(bytes.below(4) as u64).bus(bytes.bus()).priority(bytes.pick(&PRIORITIES));
        let settings = bytes.byte();
        if settings & 1 != 0 {
            play = play.gain(bytes.value()).pan(bytes.value()).speed(bytes.value());
        }
        if settings & 2 != 0 {
            play = match bytes.below(3) {
                0 => play.looping(),
                1 => play.loop_range(bytes.time()..bytes.time()),
                _ => play.loop_range(bytes.time()..),
            };
        }
        if settings & 4 != 0 {
            play = play.from_position(bytes.time()).fade_in(bytes.time());
        }
        if settings & 8 != 0 {
            play = play.low_pass(bytes.value()).send(bytes.room(), bytes.value());
        }
        if settings & 16 != 0 {
            play = play.at(bytes.point()).attenuation(bytes.attenuation());
        }
        if settings & 32 != 0 {
            play = play.when_stolen(bytes.pick(&[WhenStolen::Park, WhenStolen::End]));
        }
        if settings & 64 != 0 {
            let clock = self.mixer.clock();
            play = match bytes.below(4) {
                0 => play.start_at((clock + 3 * u64::from(bytes.byte())).saturating_sub(99)),
                1 => play.delay(bytes.time()),
                2 => play.start_at(u64::MAX),
                _ => {
                    let leader = self.voice();
                    play.after(leader)
                }
            };
        }
        play
    }

    fn began(&mut self, voices: impl IntoIterator<Item = VoiceId>) {
        for voice in voices {
            assert!(!self.plays.contains(&voice), "an id names one play");
            self.plays.push(voice);
            self.ended.push(false);
        }
    }

    fn cue(&mut self) -> Cue {
        let variants: Vec<Play> = (0..1 + self.bytes.below(3))
            .map(|_| Play::of(&self.bytes.pick(&self.sounds)))
            .collect();
        let bytes = &mut self.bytes;
        let cue = Cue::of(variants)
            .expect("it has variants")
            .order(bytes.pick(&[Order::Shuffle, Order::Random, Order::Sequence]))
            .vary_gain(bytes.value())
            .vary_speed(bytes.value())
            .cooldown(bytes.time())
            .merge_within(bytes.time());
        match bytes.flag() {
            true => cue.at_most(bytes.below(4)).when_full(bytes.pick(&POLICIES)),
            false => cue,
        }
    }

    fn act(&mut self) {
        match self.bytes.below(40) {
            0..=8 => {
                let frames = [1, 37, 128, 300, 777, 0, 129, 500, 2000];
                let count = self.bytes.pick(&frames) + self.bytes.below(3);
                self.render(count);
            }
            9..=18 => {
                let play = self.request();
                let voice = self.mixer.play(play);
                self.began(voice);
            }
            19 => {
                let plays = [(); 3].map(|()| self.request());
                let voices = self.mixer.play_together(plays);
                self.began(voices.into_iter().flatten());
            }
            20 => {
                let (from, play, over) = (self.target(), self.request(), self.bytes.time());
                let voice = self.mixer.crossfade(from, play, over);
                self.began(voice);
            }
            21 => {
                let (play, fade) = (self.request(), self.bytes.time());
                let held = self.mixer.hold(play, fade);
                self.began(held.id());
                self.held.push(held);
            }
            22 => drop(self.held.pop()),
            23..=31 => self.control(),
            32 | 33 => self.space(),
            34..=36 => self.bus(),
            37 => {
                let cue = self.cue();
                self.cues.push(cue);
            }
            38 => {
                let voices = self.bytes.below(12);
                let resized = self.mixer.resize(voices);
                self.out.told.push(format!("{resized:?}"));
            }
            _ => match self.bytes.below(4) {
                0 => self.mixer.stop_all(self.bytes.time()),
                1 => self.mixer.set_when_full(self.bytes.pick(&POLICIES)),
                2 => self.mixer.reset_peaks(),
                _ => drop(self.mixer.voices()),
            },
        }
    }

    fn control(&mut self) {
        let (target, what) = (self.target(), self.bytes.below(11));
        let (value, over) = (self.bytes.value(), self.bytes.time());
        let (room, flag) = (self.bytes.room(), self.bytes.flag());
        if !self.says_to(target) {
            return;
        }
        let mixer = &self.mixer;
        match what {
            0 => mixer.stop(target, over),
            1 => mixer.pause(target, over),
            2 => mixer.resume(target, over),
            3 => mixer.set_mute(target, flag),
            4 => mixer.set_gain(target, value, over),
            5 => mixer.set_pan(target, value, over),
            6 => mixer.set_speed(target, value, over),
            7 if flag => mixer.set_low_pass(target, value, over),
            7 => mixer.set_high_pass(target, value, over),
            8 => mixer.set_send(target, room, value, over),
            9 => mixer.end_loop(target),
            _ => {
                if let Target::Voice(voice) = target {
                    mixer.seek(voice, over);
                }
            }
        }
    }

    fn space(&mut self) {
        match self.bytes.below(6) {
            0 => self.mixer.set_listener(self.bytes.listener()),
            1 => self.mixer.teleport_listener(self.bytes.listener()),
            2 => {
                let count = self.bytes.below(4);
                let mut moves: Vec<_> =
                    (0..count).map(|_| (self.target(), self.bytes.point())).collect();
                moves.retain(|(target, _)| self.says_to(*target));
                self.mixer.set_positions(moves);
            }
            what => {
                let (target, to) = (self.target(), self.bytes.point());
                let (amount, over) = (self.bytes.value(), self.bytes.time());
                if !self.says_to(target) {
                    return;
                }
                match what {
                    3 => self.mixer.set_position(target, to),
                    4 => self.mixer.teleport(target, to),
                    _ => self.mixer.set_occlusion(target, amount, over),
                }
            }
        }
    }

    fn bus(&mut self) {
        let bytes = &mut self.bytes;
        let (bus, other) = (bytes.bus(), bytes.bus());
        let answer = match bytes.below(6) {
            0 => {
                let max_voices = bytes.flag().then_some(bytes.below(4));
                let when_full: Option<WhenFull> = bytes.flag().then_some(bytes.pick(&POLICIES));
                let reserved = bytes.below(4);
                self.mixer.set_bus(bus, Bus { parent: other, max_voices, reserved, when_full })
            }
            1 => {
                let (gain, attack) = (bytes.value(), bytes.time());
                let (hold, release) = (bytes.time(), bytes.time());
                let duck = Duck { gain, attack, hold, release };
                self.mixer.set_duck(bus, other, bytes.flag().then_some(duck))
            }
            2 => {
                let factor = bytes.value();
                let effect: Option<Box<dyn Effect>> = match bytes.flag() {
                    true => Some(Box::new(Odd { factor, last: 0.0 })),
                    false => None,
                };
                self.mixer.set_effect(bus, effect)
            }
            3 => {
                let (size, damping, decay) = (bytes.value(), bytes.value(), bytes.time());
                let reverb = Reverb { decay, size, damping, pre_delay: bytes.time() };
                self.mixer.set_reverb(bytes.room(), reverb, bytes.time());
                Ok(())
            }
            4 => {
                self.mixes.push(self.mixer.mix());
                Ok(())
            }
            _ => {
                if let Some(mix) = self.mixes.last() {
                    self.mixer.set_mix(mix, bytes.time());
                }
                Ok(())
            }
        };
        self.out.told.push(format!("{answer:?}"));
    }

    /// Renders in one call, or in several, some of them empty. Nothing in them asks for memory, or gives any back.
    fn render(&mut self, count: usize) {
        let first = self.out.heard.len();
        self.out.heard.resize(first + count, [f32::NAN; 2]);
        let mut sizes = [count, 0, 1, 127, 3, 0, 128, 600].into_iter().cycle();
        if !self.manner.is_whole {
            sizes.next();
        }
        let mut rest = &mut self.out.heard[first..];
        loop {
            let (part, after) = rest.split_at_mut(rest.len().min(sizes.next().unwrap_or(count)));
            let ((), calls) = heap_calls(|| self.renderer.render(part));
            assert_eq!(calls, 0, "law 1: nothing in render calls the allocator");
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        let heard = &self.out.heard[first..];
        let is_sound = |sample: &f32| sample.is_finite() && sample.abs() <= 1.0;
        assert!(heard.as_flattened().iter().all(is_sound), "law 8: finite and within ±1");
    }

    /// Hears what happened, and looks into the books.
    fn look(&mut self) {
        let events: Vec<Event> = self.mixer.events().collect();
        for event in events {
            self.hear(&event);
        }
        let stats = self.mixer.stats();
        assert_balanced(&stats);
        assert_eq!(stats.panics, 0, "law 1: nothing in render panics");
        assert_eq!(stats.accepted, self.plays.len() as u64);
        assert_eq!(stats.frames, self.out.heard.len() as u64);
        if stats.missed_events == 0 {
            let counted = [stats.finished, stats.stopped, stats.stolen, stats.refused];
            assert_eq!(self.endings, counted, "law 3: one play, one ending");
        }
        for (voice, ended) in self.plays.iter().zip(&self.ended) {
            assert!(!(*ended && self.mixer.is_live(*voice)), "law 7: {voice:?} has ended");
        }
        for stranger in &self.strangers {
            assert!(!self.mixer.is_live(*stranger), "law 7: {stranger:?} is a stranger");
        }
        let counts = [stats.playing, stats.parked, stats.scheduled, stats.live, stats.voices];
        self.out.told.push(format!("{counts:?} {} missed", stats.missed_events));
    }

    fn number(&self, voice: VoiceId) -> usize {
        self.plays.iter().position(|other| *other == voice).expect("an id that was given")
    }

    fn hear(&mut self, event: &Event) {
        let line = match event {
            Event::Ended { voice, at, why, .. } => {
                let number = self.number(*voice);
                assert!(!self.ended[number], "law 3: play {number} has ended twice");
                self.ended[number] = true;
                let (kind, why) = match why {
                    Ending::Finished => (0, "finished".into()),
                    Ending::Stopped => (1, "stopped".into()),
                    Ending::Stolen { by, level, .. } => {
                        assert!(level.is_finite(), "a level of {level}");
                        (2, format!("stolen at {level:?} by {}", self.number(*by)))
                    }
                    _ => (3, "refused".into()),
                };
                self.endings[kind] += 1;
                format!("{number} {why} at {at}")
            }
            Event::Started { voice, at, .. } => format!("{} started at {at}", self.number(*voice)),
            Event::Parked { voice, at, .. } => format!("{} parked at {at}", self.number(*voice)),
            Event::Unparked { voice, at, .. } => format!("{} back at {at}", self.number(*voice)),
            other => format!("{other:?}"),
        };
        self.out.told.push(line);
    }
}
