//! What is said about buses: what cannot be is an error, what was set is known, and nothing is lost.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, ThreadId};

use common::{bits, mono, noise};
use voicepool::{
    Bus, BusFault, BusId, BusState, Config, Duck, DuckFault, Effect, EffectTrouble, Error, Event,
    Frame, Mix, Mixer, Play, Renderer, ResizeFault, Reverb, RoomId, ms,
};

const A: BusId = BusId::new(1);
const B: BusId = BusId::new(2);
const C: BusId = BusId::new(3);
const ROOM: RoomId = RoomId::new(1);

fn small(commands: usize) -> (Mixer, Renderer) {
    let config = Config { voices: 8, commands, sample_rate: 8000, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

fn under(parent: BusId) -> Bus {
    Bus { parent, ..Bus::DEFAULT }
}

fn reserving(reserved: usize) -> Bus {
    Bus { reserved, ..Bus::DEFAULT }
}

fn fault(result: Result<(), Error>) -> BusFault {
    match result {
        Err(Error::Bus { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_circle_is_an_error_and_changes_nothing() {
    let (mixer, _renderer) = small(64);
    mixer.set_bus(A, under(B)).expect("no circle");
    mixer.set_bus(B, under(C)).expect("no circle");
    for (bus, parent) in [(C, A), (C, B), (C, C), (B, A)] {
        let error = mixer.set_bus(bus, under(parent));
        assert_eq!(fault(error), BusFault::Circle { parent });
    }
    assert_eq!(mixer.bus(C).settings, Bus::DEFAULT);
    assert_eq!(mixer.bus(B).settings, under(C));
    let error = mixer.set_bus(C, under(A)).expect_err("a circle");
    assert_eq!(error.to_string(), "bus 3: its parent, bus 1, leads back to it");
    // The master leads nowhere, whatever is said.
    mixer.set_bus(BusId::MASTER, under(A)).expect("its parent counts for nothing");
    assert_eq!(mixer.bus(BusId::MASTER).settings, Bus::DEFAULT);
}

#[test]
fn what_is_reserved_must_fit_into_the_pool_and_into_the_limits() {
    let (mixer, mut renderer) = small(64);
    mixer.set_bus(A, reserving(5)).expect("five of eight");
    let (reserved, voices) = (9, 8);
    let error = mixer.set_bus(B, reserving(4)).expect_err("nine of eight");
    assert_eq!(error.to_string(), "bus 2: 9 voices would be reserved in all, and there are 8");
    assert_eq!(fault(Err(error)), BusFault::TooManyReserved { reserved, voices });
    // Below the other it takes of what that one has.
    mixer.set_bus(B, Bus { parent: A, ..reserving(4) }).expect("four of five");
    let limit = |max_voices, reserved| Bus { max_voices: Some(max_voices), ..reserving(reserved) };
    let above =
        |limited, reserved, max_voices| BusFault::AboveLimit { limited, reserved, max_voices };
    assert_eq!(fault(mixer.set_bus(A, limit(4, 5))), above(A, 5, 4));
    assert_eq!(fault(mixer.set_bus(A, limit(3, 0))), above(A, 4, 3));
    mixer.set_bus(A, limit(5, 5)).expect("as many as it may have");
    assert_eq!(fault(mixer.set_bus(B, Bus { parent: A, ..reserving(6) })), above(A, 6, 5));
    // A pool that was asked for counts before it has come, and none can be asked for below that.
    mixer.resize(16).expect("there may be more");
    mixer.set_bus(C, reserving(11)).expect("sixteen of sixteen");
    let error = mixer.resize(15).expect_err("one too few");
    assert!(matches!(error, Error::Resize { why: ResizeFault::Reserved { reserved: 16 }, .. }));
    assert_eq!(error.to_string(), "resize to 15 voices: the buses have reserved 16");
    renderer.frames(512);
    assert_eq!(mixer.stats().voices, 16);
    mixer.set_bus(C, Bus::DEFAULT).expect("nothing reserved");
    mixer.resize(5).expect("as many as are reserved");
    assert_eq!(
        fault(mixer.set_bus(C, reserving(1))),
        BusFault::TooManyReserved { reserved: 6, voices: 5 }
    );
}

#[test]
fn ducks_that_listen_to_what_they_act_on_are_errors() {
    let (mixer, _renderer) = small(64);
    let why = |result| match result {
        Err(Error::Duck { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    mixer.set_duck(A, B, Some(Duck::DEFAULT)).expect("no circle");
    for (bus, by) in [(B, A), (A, A), (A, BusId::MASTER), (BusId::MASTER, A)] {
        assert_eq!(why(mixer.set_duck(bus, by, Some(Duck::DEFAULT))), DuckFault::Circle);
        mixer.set_duck(bus, by, None).expect("to end what is not there is no error");
    }
    assert_eq!(
        mixer.set_duck(B, A, Some(Duck::DEFAULT)).expect_err("a circle").to_string(),
        "bus 2 that makes room for bus 1: it would act on what it listens to"
    );
    // A tree can close it too.
    assert_eq!(fault(mixer.set_bus(A, under(B))), BusFault::DuckCircle);
    mixer.set_duck(A, B, None).expect("it ends");
    mixer.set_bus(A, under(B)).expect("nobody makes room any more");
    // There can be 64.
    let pairs = (4..20).flat_map(|bus| (20..24).map(move |by| (BusId::new(bus), BusId::new(by))));
    pairs.for_each(|(bus, by)| mixer.set_duck(bus, by, Some(Duck::DEFAULT)).expect("64 at most"));
    let error = mixer.set_duck(C, BusId::new(20), Some(Duck::DEFAULT)).expect_err("the 65th");
    assert_eq!(
        error.to_string(),
        "bus 3 that makes room for bus 20: there can be no more than 64 ducks"
    );
}

/// What `say` says, one word at a time.
const WORDS: [fn(&Mixer); 12] = [
    |mixer| mixer.set_gain(A, 0.25, ms(40)),
    |mixer| mixer.set_bus(A, under(B)).expect("no circle"),
    |mixer| mixer.set_mute(B, true),
    |mixer| mixer.set_low_pass(B, 900.0, ms(30)),
    |mixer| mixer.set_high_pass(A, 90.0, ms(0)),
    |mixer| mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0)),
    |mixer| mixer.set_send(A, ROOM, 0.5, ms(10)),
    |mixer| mixer.set_mute(B, false),
    |mixer| mixer.set_speed(A, 0.5, ms(0)),
    |mixer| mixer.set_low_pass(B, 1200.0, ms(30)),
    |mixer| mixer.set_duck(B, C, Some(Duck::DEFAULT)).expect("no circle"),
    |mixer| mixer.pause(C, ms(0)),
];

fn said() -> [(BusId, BusState); 3] {
    let a = BusState {
        settings: under(B),
        gain: 0.25,
        high_pass: 90.0,
        speed: 0.5,
        sends: [0.0, 0.5, 0.0, 0.0],
        ..BusState::DEFAULT
    };
    let b = BusState { low_pass: 1200.0, ..BusState::DEFAULT };
    let c = BusState { paused: true, ..BusState::DEFAULT };
    [(A, a), (B, b), (C, c)]
}

#[test]
fn a_bus_is_as_it_was_set_before_anything_has_arrived() {
    let (mixer, _renderer) = small(1);
    assert_eq!(mixer.bus(A), BusState::DEFAULT);
    assert_eq!(mixer.mix(), Mix::default());
    WORDS.iter().for_each(|say| say(&mixer));
    for (bus, state) in said() {
        assert_eq!(mixer.bus(bus), state);
        assert_eq!(*mixer.mix().bus(bus), state);
    }
    // What is absurd is brought within its limits, and the master sends nothing.
    mixer.set_low_pass(C, f32::NAN, ms(0));
    mixer.set_high_pass(C, 1e9, ms(0));
    mixer.set_send(BusId::MASTER, ROOM, 1.0, ms(0));
    mixer.set_send(C, ROOM, f32::NAN, ms(0));
    let absurd = BusState { paused: true, high_pass: 20_000.0, ..BusState::DEFAULT };
    assert_eq!(mixer.bus(C), absurd);
    assert_eq!(mixer.bus(BusId::MASTER), BusState::DEFAULT);
}

/// What is heard once everything has arrived: with a queue of one place every word but the first waits.
fn settled(commands: usize, say: impl Fn(&Mixer)) -> Vec<Frame> {
    let (mixer, mut renderer) = small(commands);
    say(&mixer);
    for _ in 0..80 {
        renderer.frames(128);
        mixer.stats();
    }
    let clip = mono(8000, &noise(3, 2000));
    mixer.play(Play::of(&clip).bus(A)).expect("nothing waits any more");
    renderer.frames(4000)
}

#[test]
fn nothing_that_meets_a_full_queue_is_lost() {
    let say = |mixer: &Mixer| WORDS.iter().for_each(|say| say(mixer));
    let at_once = settled(256, say);
    assert!(at_once.iter().any(|frame| frame[0] != 0.0));
    assert!(bits(&settled(1, say)) == bits(&at_once));
    // Each of them is heard.
    for left_out in [0, 1, 4, 5, 6, 8, 9] {
        let rest = move |mixer: &Mixer| {
            let words = WORDS.iter().enumerate().filter(|(word, _)| *word != left_out);
            words.for_each(|(_, say)| say(mixer));
        };
        assert!(bits(&settled(1, rest)) != bits(&at_once), "word {left_out}");
    }
}

#[test]
fn a_mix_comes_back_in_one_call_and_an_unchanged_one_costs_nothing() {
    for commands in [1, 256] {
        let (mixer, mut renderer) = small(commands);
        WORDS.iter().for_each(|say| say(&mixer));
        let mix = mixer.mix();
        mixer.set_mix(&Mix::default(), ms(20));
        assert_eq!(mixer.mix(), Mix::default());
        mixer.set_mix(&mix, ms(20));
        assert_eq!(mixer.mix(), mix);
        for (bus, state) in said() {
            assert_eq!(mixer.bus(bus), state);
        }
        for _ in 0..80 {
            renderer.frames(128);
            mixer.stats();
        }
        mixer.set_mix(&mix, ms(20));
        assert!(mixer.play(mono(8000, &[0.5])).is_some(), "no place was taken");
        assert!(commands > 1 || mixer.play(mono(8000, &[0.5])).is_none());
    }
}

/// Two buses that change places in the tree: neither can go first.
#[test]
fn a_mix_turns_the_tree_around() {
    let (mixer, mut renderer) = small(64);
    mixer.set_bus(A, under(B)).expect("no circle");
    mixer.set_mute(A, true);
    let before = mixer.mix();
    mixer.set_bus(A, under(BusId::MASTER)).expect("no circle");
    mixer.set_bus(B, under(A)).expect("no circle");
    renderer.frames(1024);
    mixer.set_mix(&before, ms(0));
    assert_eq!(mixer.bus(A).settings, under(B));
    renderer.frames(1024);
    // B does not lead through A any more, which is muted.
    mixer.play(Play::of(mono(8000, &[0.5; 800])).bus(B));
    assert!(renderer.frames(400).iter().any(|frame| frame[0] == 0.5));
}

#[test]
fn settings_that_fit_no_more_are_left_and_all_else_comes_back() {
    let (mixer, _renderer) = small(64);
    mixer.set_bus(A, reserving(6)).expect("six of eight");
    mixer.set_gain(A, 0.5, ms(0));
    let before = mixer.mix();
    mixer.set_mix(&Mix::default(), ms(0));
    mixer.resize(4).expect("nothing is reserved");
    mixer.set_mix(&before, ms(0));
    assert_eq!(mixer.bus(A), BusState { gain: 0.5, ..BusState::DEFAULT });
    let mut circle = Mix::default();
    circle.set_bus_state(A, BusState { settings: under(B), ..BusState::DEFAULT });
    circle.set_bus_state(B, BusState { settings: under(A), gain: 0.1, ..BusState::DEFAULT });
    mixer.set_mix(&circle, ms(0));
    assert_eq!(mixer.bus(B), BusState { gain: 0.1, ..BusState::DEFAULT });
}

/// An effect that multiplies, and says how it was treated.
struct Times {
    by: f32,
    log: Arc<Log>,
}

#[derive(Default)]
struct Log {
    prepared: AtomicU32,
    processed: AtomicU32,
    dropped: AtomicU32,
    by: std::sync::Mutex<Option<ThreadId>>,
}

impl Effect for Times {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.log.processed.fetch_add(1, SeqCst);
        left.iter_mut().chain(right).for_each(|sample| *sample *= self.by);
    }

    fn prepare(&mut self, sample_rate: u32) {
        self.log.prepared.store(sample_rate, SeqCst);
    }
}

impl Drop for Times {
    fn drop(&mut self) {
        self.log.dropped.fetch_add(1, SeqCst);
        *self.log.by.lock().expect("one at a time") = Some(thread::current().id());
    }
}

fn times(by: f32) -> (Option<Box<dyn Effect>>, Arc<Log>) {
    let log = Arc::new(Log::default());
    (Some(Box::new(Times { by, log: log.clone() })), log)
}

fn dropped(log: &Log) -> u32 {
    log.dropped.load(SeqCst)
}

/// Renders on a thread of its own, as a device does.
fn elsewhere(mut renderer: Renderer, frames: usize) -> (Renderer, Vec<Frame>) {
    let rendered = thread::spawn(move || {
        let frames = renderer.frames(frames);
        (renderer, frames)
    });
    rendered.join().expect("it does not panic")
}

#[test]
fn effects_come_home_and_are_dropped_on_a_game_thread() {
    let (mixer, renderer) = small(64);
    let (half, first) = times(0.5);
    mixer.set_effect(A, half).expect("it can cross");
    assert_eq!(first.prepared.load(SeqCst), 8000);
    mixer.play(Play::of(mono(8000, &[0.5; 4000])).looping().bus(A));
    let (renderer, frames) = elsewhere(renderer, 1024);
    assert_eq!(frames[1000], [0.25; 2]);
    let (double, second) = times(2.0);
    mixer.set_effect(A, double).expect("it can cross");
    let (renderer, _) = elsewhere(renderer, 2048);
    assert_eq!(dropped(&first), 0, "it is home, but nobody has looked");
    mixer.stats();
    assert_eq!(dropped(&first), 1);
    assert_eq!(*first.by.lock().expect("no panic"), Some(thread::current().id()));
    mixer.set_effect(A, None).expect("it ends");
    let (renderer, frames) = elsewhere(renderer, 2048);
    assert_eq!(frames[2000], [0.5; 2], "as it was without one");
    mixer.stats();
    assert_eq!((dropped(&first), dropped(&second)), (1, 1));
    drop(renderer);
}

/// While one is on its way, all others wait, and of these only the latest ever crosses.
#[test]
fn the_latest_wish_for_an_effect_wins() {
    for commands in [1, 64] {
        let (mixer, mut renderer) = small(commands);
        let (effects, logs): (Vec<_>, Vec<_>) =
            (0..5).map(|n| times(1.0 + n as f32)).collect::<Vec<_>>().into_iter().unzip();
        for effect in effects {
            mixer.set_effect(A, effect).expect("it can cross");
        }
        let gone: Vec<u32> = logs.iter().map(|log| dropped(log)).collect();
        assert_eq!(gone, [0, 1, 1, 1, 0], "those between never crossed");
        for _ in 0..8 {
            renderer.frames(256);
            mixer.stats();
        }
        assert_eq!(dropped(&logs[0]), 1);
        mixer.play(Play::of(mono(8000, &[0.1; 800])).bus(A)).expect("nothing waits any more");
        let heard = renderer.frames(700)[600][0];
        assert!((heard - 0.5).abs() < 1e-6, "{heard}");
        assert_eq!((1..4).map(|n| logs[n].processed.load(SeqCst)).sum::<u32>(), 0);
        drop((mixer, renderer));
        assert_eq!(logs.iter().map(|log| dropped(log)).sum::<u32>(), 5, "each once");
    }
}

#[test]
fn an_effect_for_a_renderer_that_is_gone_is_dropped() {
    let (mixer, mut renderer) = small(64);
    let effects: [_; 4] = std::array::from_fn(|n| times(n as f32));
    let [(one, first), (two, second), (three, third), (four, fourth)] = effects;
    mixer.set_effect(A, one).expect("it can cross");
    renderer.frames(256);
    // This one is in the queue, and that one waits, when the renderer goes.
    mixer.set_effect(A, two).expect("it can cross");
    mixer.set_effect(A, three).expect("it can wait");
    drop(renderer);
    mixer.set_effect(A, four).expect("that is no error");
    assert_eq!([&first, &second, &third, &fourth].map(|log| dropped(log)), [1; 4]);
}

struct Broken;

impl Effect for Broken {
    fn process(&mut self, left: &mut [f32], _: &mut [f32]) {
        left.fill(f32::NAN);
    }
}

#[test]
fn an_effect_that_fails_is_told_of_and_another_can_come() {
    let (mixer, mut renderer) = small(64);
    mixer.set_effect(A, Some(Box::new(Broken))).expect("it can cross");
    mixer.play(Play::of(mono(8000, &[0.5; 4000])).looping().bus(A));
    renderer.frames(2048);
    let failures: Vec<(BusId, EffectTrouble)> = mixer
        .events()
        .filter_map(|event| match event {
            Event::EffectFailed { bus, why, .. } => Some((bus, why)),
            _ => None,
        })
        .collect();
    assert_eq!(failures, [(A, EffectTrouble::NotFinite)]);
    let (half, _log) = times(0.5);
    mixer.set_effect(A, half).expect("it can cross");
    assert_eq!(renderer.frames(2048)[2000], [0.25; 2]);
}

/// While one room is faded into another, the latest of those that follow waits.
#[test]
fn the_latest_wish_for_a_room_wins() {
    let heard = |decays: &[u64]| {
        let (mixer, mut renderer) = small(64);
        for decay in decays {
            mixer.set_reverb(ROOM, Reverb { decay: ms(*decay), ..Reverb::DEFAULT }, ms(20));
        }
        for _ in 0..16 {
            renderer.frames(256);
            mixer.stats();
        }
        mixer.play(Play::of(mono(8000, &noise(9, 80))).send(ROOM, 1.0));
        bits(&renderer.frames(4000))
    };
    let last = heard(&[900]);
    assert!(heard(&[300, 100, 500, 900]) == last);
    assert!(heard(&[900, 300]) != last);
}

/// What is said to a bus is for those below it as soon as it is told who they are. What is heard of them takes longer.
#[test]
fn who_is_below_a_bus_counts_at_once() {
    let sound = mono(8000, &noise(1, 1000));
    let says: [&dyn Fn(&Mixer); 3] =
        [&|mixer| mixer.stop(C, ms(0)), &|mixer| mixer.end_loop(C), &|mixer| {
            assert!(mixer.crossfade(C, Play::of(&sound).looping(), ms(5)).is_some())
        }];
    for (at, say) in says.into_iter().enumerate() {
        for apart in 0..4 {
            let (mixer, mut renderer) = small(64);
            mixer.set_bus(B, under(C)).expect("a tree");
            let play = |bus| mixer.play(Play::of(&sound).looping().bus(bus));
            let [comes, goes] = [A, B].map(play);
            renderer.frames(1024);
            mixer.set_bus(A, under(C)).expect("a tree");
            mixer.set_bus(B, Bus::DEFAULT).expect("a tree");
            renderer.frames(128 * apart);
            say(&mixer);
            renderer.frames(8000);
            let ended = mixer.events().filter_map(|event| match event {
                Event::Ended { voice, .. } => Some(voice),
                _ => None,
            });
            assert_eq!(
                ended.collect::<Vec<_>>(),
                comes.into_iter().collect::<Vec<_>>(),
                "{at}, {apart}"
            );
            assert!(goes.is_some());
        }
    }
}

#[test]
fn a_bus_counts_what_it_has_lost_with_all_below_it() {
    let config = Config { voices: 2, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    mixer.set_bus(A, under(B)).expect("no circle");
    let hum = mono(8000, &noise(4, 4000));
    let play = |bus, gain| mixer.play(Play::of(&hum).bus(bus).gain(gain)).expect("room");
    play(A, 0.5);
    play(B, 0.9);
    renderer.frames(256);
    assert_eq!(mixer.bus_stats(B).stolen, 0);
    // One takes the place of the one on A, and one that of the one on B.
    play(C, 1.0);
    play(C, 1.0);
    renderer.frames(256);
    let [a, b, c, all] = [A, B, C, BusId::MASTER].map(|bus| mixer.bus_stats(bus));
    assert_eq!([a, b, c, all].map(|bus| bus.stolen), [1, 2, 0, 2]);
    assert!(0.0 < a.loudest_lost && a.loudest_lost < b.loudest_lost);
    assert_eq!((c.loudest_lost, all.loudest_lost), (0.0, b.loudest_lost));
    assert_eq!([a, b, c].map(|bus| (bus.duck, bus.peak)), [(1.0, None); 3]);
    mixer.reset_peaks();
    assert_eq!((mixer.bus_stats(B).stolen, mixer.bus_stats(B).loudest_lost), (2, 0.0));
}
