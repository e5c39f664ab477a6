//! Law 1 with everything on: filters, sends, rooms, effects, ducks, parents and slow motion come, turn and
//! go, and `Renderer::render` never calls the allocator, to get or to free, and never panics. What crosses
//! to the audio side comes home, and is dropped on the game side.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, ThreadId};
use std::time::Duration;

use allocator::{heap_calls, held};
use common::{POLICIES, PRIORITIES, Random, assert_balanced, mono, noise};
use voicepool::{
    Bus, BusId, Config, Duck, Effect, Frame, Mixer, Play, Renderer, Reverb, RoomId, Tag, Target,
    VoiceId, WhenFull, WhenStolen, ms,
};

/// Renders, and sees that the allocator is left alone and that what comes out is sound.
fn render(renderer: &mut Renderer, out: &mut [Frame]) {
    let ((), calls) = heap_calls(|| renderer.render(out));
    assert_eq!(calls, 0, "the audio side called the allocator");
    assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
}

fn small(when_full: WhenFull) -> Config {
    Config {
        voices: 6,
        max_voices: 16,
        parked: 6,
        scheduled: 6,
        commands: 64,
        sample_rate: 8_000,
        when_full,
        ..Config::default()
    }
}

/// Has a memory on the heap, counts those that live, and knows its thread.
struct Owner {
    memory: Vec<f32>,
    live: Arc<AtomicUsize>,
    home: ThreadId,
    fault: Fault,
}

/// What is wrong with an effect.
#[derive(Clone, Copy)]
enum Fault {
    None,
    NotFinite,
    Panics,
}

impl Owner {
    fn boxed(live: &Arc<AtomicUsize>, fault: Fault) -> Box<dyn Effect> {
        live.fetch_add(1, SeqCst);
        let home = thread::current().id();
        Box::new(Owner { memory: Vec::new(), live: Arc::clone(live), home, fault })
    }
}

impl Effect for Owner {
    fn prepare(&mut self, sample_rate: u32) {
        self.memory = vec![0.0; sample_rate as usize / 100];
    }

    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        match self.fault {
            Fault::None => left.iter_mut().chain(right).for_each(|sample| *sample *= 0.5),
            Fault::NotFinite => left[5] = f32::NAN,
            // No message: what a panic says is put on the heap by whoever panics.
            Fault::Panics => std::panic::resume_unwind(Box::new(())),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        assert_eq!(thread::current().id(), self.home, "dropped on the game side");
        self.live.fetch_sub(1, SeqCst);
    }
}

fn bus(random: &mut Random) -> BusId {
    BusId::new(random.below(6) as u8)
}

fn room(random: &mut Random) -> RoomId {
    RoomId::new(random.below(4) as u8)
}

fn cut_off(random: &mut Random) -> f32 {
    *random.pick(&[20.0, 60.0, 700.0, 3500.0, 9000.0, 20_000.0, f32::NAN])
}

fn request(random: &mut Random, clock: u64) -> Play {
    let frames = 1 + random.below(2000) as usize;
    let rate = *random.pick(&[8_000, 8_000, 11_025, 48_000]);
    // Nobody but the mixer will hold it.
    let play = Play::of(mono(rate, &noise(random.next(), frames)));
    let play = play.gain(random.unit()).pan(random.between(-1.0, 1.0)).bus(bus(random));
    let play = play.speed(random.between(0.3, 3.0)).tag(random.below(4));
    let play = play.priority(*random.pick(&PRIORITIES));
    let play = if random.below(2) == 0 { play.low_pass(cut_off(random)) } else { play };
    let play = if random.below(2) == 0 { play.send(room(random), random.unit()) } else { play };
    match random.below(6) {
        0 | 1 => play.looping(),
        2 => play.start_at(clock + random.below(3000)),
        3 => play.delay(ms(random.below(300))).from_position(ms(random.below(100))),
        4 => play.when_stolen(WhenStolen::Park).fade_in(ms(random.below(100))),
        _ => play,
    }
}

/// A play, a bus, or all with a tag.
fn target(random: &mut Random, voice: Option<VoiceId>) -> Target {
    match random.below(4) {
        0 => Tag(random.below(4)).into(),
        1 => voice.into(),
        _ => bus(random).into(),
    }
}

/// Says one thing, of all that can be said about buses and some that can be said to voices.
fn say(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>, live: &Arc<AtomicUsize>) {
    let over = ms(random.below(60));
    let to = target(random, voice);
    let id = bus(random);
    match random.below(24) {
        0..=2 => mixer.set_low_pass(to, cut_off(random), over),
        3 | 4 => mixer.set_high_pass(to, cut_off(random), over),
        5..=7 => {
            let linear = *random.pick(&[0.0, 0.0, 0.3, 2.0]);
            mixer.set_send(to, room(random), linear, over);
        }
        8 | 9 => {
            let decay = ms(50 + random.below(500));
            let reverb = Reverb {
                decay,
                size: random.unit(),
                damping: random.unit(),
                pre_delay: ms(random.below(20)),
            };
            mixer.set_reverb(room(random), reverb, over);
        }
        10..=12 => {
            let fault = match random.below(8) {
                0 => Fault::NotFinite,
                _ => Fault::None,
            };
            let effect = (random.below(3) > 0).then(|| Owner::boxed(live, fault));
            mixer.set_effect(id, effect).expect("an effect of this process");
        }
        13 | 14 => {
            let parent = bus(random);
            let max_voices = (random.below(3) == 0).then(|| 1 + random.below(4) as usize);
            drop(mixer.set_bus(id, Bus { parent, max_voices, ..Bus::DEFAULT }));
        }
        15 => {
            let duck = Duck { gain: random.unit(), attack: over, hold: over, release: over };
            drop(mixer.set_duck(id, bus(random), (random.below(3) > 0).then_some(duck)));
        }
        16 => mixer.set_speed(to, random.between(0.2, 3.0), over),
        17 => mixer.set_gain(to, random.unit(), over),
        18 => mixer.set_mute(to, random.below(2) == 0),
        19 => mixer.pause(to, over),
        20 => mixer.resume(to, over),
        21 => mixer.stop(to, over),
        22 => mixer.seek(voice, ms(random.below(300))),
        _ if random.below(9) == 0 => mixer.stop_all(over),
        _ => drop(mixer.resize(1 + random.below(16) as usize)),
    }
}

/// Everything that can be said, under every policy, to sounds and effects whose last handle the mixer
/// holds: no call to the allocator, and all of them come home.
#[test]
fn nothing_that_buses_do_calls_the_allocator() {
    for (seed, policy) in POLICIES.into_iter().enumerate() {
        let live = Arc::new(AtomicUsize::new(0));
        let (mixer, mut renderer) = Mixer::offline(small(policy)).expect("a good config");
        let mut random = Random(40 + seed as u64);
        let mut voices = [None; 16];
        let mut out = [[0.0; 2]; 600];
        for round in 0..400 {
            for _ in 0..random.below(5) {
                let voice = mixer.play(request(&mut random, mixer.clock()));
                voices[random.below(16) as usize] = voice;
            }
            for _ in 0..random.below(8) {
                let voice = *random.pick(&voices);
                say(&mixer, &mut random, voice, &live);
            }
            if round % 20 == 19 {
                // As it was when all began, at once, from wherever it is.
                let mix = Mixer::offline(Config::DEFAULT).expect("a good config").0.mix();
                mixer.set_mix(&mix, ms(random.below(30)));
                mixer.events().for_each(drop);
            }
            let frames = random.below(601) as usize;
            render(&mut renderer, &mut out[..frames]);
        }
        assert_balanced(&mixer.stats());
        assert!(mixer.stats().stopped > 0 && mixer.stats().finished > 0);
        for n in 0..6 {
            mixer.set_effect(BusId::new(n), None).expect("an effect of this process");
        }
        mixer.stop_all(Duration::ZERO);
        for _ in 0..20 {
            render(&mut renderer, &mut out);
            mixer.stats();
        }
        assert_eq!(live.load(SeqCst), 0, "every effect came home");
        assert_eq!(mixer.stats().live, 0);
    }
}

/// An effect that panics is caught, taken out and sent home. What a panic itself puts on the heap is its
/// own; nothing is freed that crossed.
#[test]
fn an_effect_that_panics_is_dropped_on_the_game_side() {
    let live = Arc::new(AtomicUsize::new(0));
    let (mixer, mut renderer) = Mixer::offline(small(WhenFull::Refuse)).expect("a good config");
    mixer.play(Play::of(mono(8_000, &noise(1, 8_000))).bus(BusId::new(1)).looping());
    mixer
        .set_effect(BusId::new(1), Some(Owner::boxed(&live, Fault::Panics)))
        .expect("an effect of this process");
    renderer.frames(2000);
    assert_eq!(live.load(SeqCst), 1, "it waits for the game side");
    let events = mixer.events().count();
    renderer.frames(500);
    mixer.stats();
    assert_eq!(live.load(SeqCst), 0);
    assert!(events > 0);
}

/// Rooms, effects and submixes that come and go for long do not add up: what this thread holds after many
/// changes is what it held after a few.
#[test]
fn what_comes_home_is_dropped() {
    let live = Arc::new(AtomicUsize::new(0));
    let (mixer, mut renderer) = Mixer::offline(small(WhenFull::Refuse)).expect("a good config");
    let sound = mono(8_000, &noise(1, 8_000));
    mixer.play(Play::of(&sound).bus(BusId::new(1)).looping());
    let mut out = [[0.0; 2]; 512];
    let mut turn = |n: u64| {
        let (to, on) = (BusId::new(1 + (n % 5) as u8), n.is_multiple_of(2));
        let reverb = Reverb { decay: ms(50 + n % 7), size: 0.2, ..Reverb::DEFAULT };
        mixer.set_reverb(RoomId::new((n % 4) as u8), reverb, ms(n % 9));
        mixer.set_low_pass(to, if on { 500.0 } else { 20_000.0 }, ms(1));
        mixer.set_send(to, RoomId::new(0), if on { 0.5 } else { 0.0 }, ms(1));
        let effect = on.then(|| Owner::boxed(&live, Fault::None));
        mixer.set_effect(to, effect).expect("an effect of this process");
        for _ in 0..4 {
            render(&mut renderer, &mut out);
        }
        mixer.events().for_each(drop);
    };
    (0..80).for_each(&mut turn);
    let before = held();
    (80..400).for_each(&mut turn);
    assert!(held() <= before + 4096, "{} bytes more", held() - before);
    assert!(live.load(SeqCst) <= 10, "at most two for each bus");
}

/// The mixer and every handle are gone, and the audio side plays on, filtered, in rooms, through effects:
/// nothing is freed in `render`, and all of it with the renderer.
#[test]
fn a_dropped_mixer_leaves_nothing_of_its_buses_for_the_audio_side_to_free() {
    for policy in POLICIES {
        let live = Arc::new(AtomicUsize::new(0));
        let (mixer, mut renderer) = Mixer::offline(small(policy)).expect("a good config");
        let mut random = Random(77);
        let mut out = [[0.0; 2]; 500];
        for n in 0..30 {
            let voice = mixer.play(request(&mut random, 0));
            for _ in 0..6 {
                say(&mixer, &mut random, voice, &live);
            }
            if n % 3 == 0 {
                render(&mut renderer, &mut out);
            }
        }
        // On their way when it goes.
        for n in 0..6 {
            let effect = Owner::boxed(&live, Fault::None);
            mixer.set_effect(BusId::new(n), Some(effect)).expect("an effect of this process");
            mixer.set_reverb(RoomId::new(n % 4), Reverb::DEFAULT, ms(5));
        }
        drop(mixer);
        for _ in 0..100 {
            render(&mut renderer, &mut out);
        }
        drop(renderer);
        assert_eq!(live.load(SeqCst), 0);
    }
}

/// The renderer goes first: what it held comes home or goes with it, and nothing is left.
#[test]
fn a_renderer_that_is_dropped_leaves_no_effect_behind() {
    let live = Arc::new(AtomicUsize::new(0));
    let (mixer, mut renderer) = Mixer::offline(small(WhenFull::Refuse)).expect("a good config");
    for n in 0..6 {
        let effect = Owner::boxed(&live, Fault::None);
        mixer.set_effect(BusId::new(n), Some(effect)).expect("an effect of this process");
        mixer.set_reverb(RoomId::new(n % 4), Reverb::DEFAULT, ms(5));
        renderer.frames(300);
    }
    let again = Owner::boxed(&live, Fault::None);
    mixer.set_effect(BusId::new(1), Some(again)).expect("an effect of this process");
    drop(renderer);
    let late = Owner::boxed(&live, Fault::None);
    mixer.set_effect(BusId::new(2), Some(late)).expect("an effect of this process");
    mixer.stats();
    drop(mixer);
    assert_eq!(live.load(SeqCst), 0);
}
