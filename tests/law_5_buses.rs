//! Law 5 on buses: no click while filters, sends, rooms, effects, ducks, parents and speeds are turned,
//! nor where what they shape is stolen, parked, stopped, paused, moved or over.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use std::sync::LazyLock;
use std::time::Duration;

use clicks::{
    AFTER, BLOCKS, BOUND, BUS, HEARD, HERTZ, RATE, SINES, largest_step, listen, open, own_step,
};
use common::{mono, sine};
use voicepool::{
    Bus, BusId, Duck, Effect, Frame, Mixer, Play, Priority, Reverb, RoomId, Target, VoiceId,
    WhenStolen, ms,
};

const ZERO: Duration = Duration::ZERO;
const OFF: f32 = 20_000.0;
const OPEN: f32 = 20.0;
/// Somewhere else to lead to.
const ELSEWHERE: BusId = BusId::new(5);
/// What ducks listen to.
const SPEECH: BusId = BusId::new(6);
const ROOM: RoomId = RoomId::new(2);
/// It fills and empties within a tenth of a second.
const SMALL: Reverb = Reverb { decay: ms(80), size: 0.0, damping: 0.0, pre_delay: ZERO };
const OTHER: Reverb = Reverb { decay: ms(120), size: 0.3, damping: 0.5, pre_delay: ms(3) };
const FILLED: usize = 9_600;
/// Phases that are far enough apart for the worst to be near one of them.
const SOME: [usize; 4] = [0, 9, 21, 44];

type Say<'a> = &'a dyn Fn(&Mixer, VoiceId);
type Act<'a> = (usize, Say<'a>);

/// What is to be played and said before anything is measured.
struct Scene<'a> {
    play: &'a dyn Fn(Play) -> Play,
    before: Say<'a>,
    /// How long it plays before anything is measured.
    settle: usize,
    /// Whether a newcomer has to rob the sine.
    full: bool,
    after: usize,
    /// What the sine of which most is heard steps at the least, in steps of the largest that is its own.
    least: f32,
}

const PLAIN: Scene = Scene {
    play: &|play| play,
    before: &|_, _| (),
    settle: 1024,
    full: true,
    after: AFTER,
    least: 0.4,
};

/// The largest step from just before the first thing is said to `after` frames after the last.
fn step(hertz: usize, phase: usize, scene: &Scene, acts: &[Act]) -> f32 {
    let (mixer, mut renderer) = open();
    let sound = &SINES[hertz][phase];
    let play = (scene.play)(Play::of(sound).looping().bus(BUS));
    let voice = mixer.play(play).expect("there is room");
    if scene.full {
        // It gives its voice to nobody.
        let silence = mono(RATE, &[0.0; 100]);
        mixer.play(Play::of(&silence).looping().priority(Priority::Protected));
    }
    (scene.before)(&mixer, voice);
    let block = BLOCKS[phase % BLOCKS.len()];
    let mut heard = Vec::new();
    listen(&mut renderer, scene.settle, block, &mut heard);
    heard.clear();
    listen(&mut renderer, 128, block, &mut heard);
    let mut said = 0;
    for (at, act) in acts {
        listen(&mut renderer, at - said, block, &mut heard);
        act(&mixer, voice);
        said = *at;
    }
    listen(&mut renderer, scene.after, block, &mut heard);
    assert!(mixer.stats().peak.iter().all(|peak| *peak < 1.0), "the ceiling stays out of it");
    let [left, right] = largest_step(&heard);
    left.max(right)
}

/// Sines at some phases keep to the bound, in steps of the largest that is theirs, and are heard.
#[track_caller]
fn smooth(what: &str, own: &dyn Fn(usize) -> f32, scene: &Scene, acts: &[Act]) {
    let mut worst = 0.0f32;
    for (index, hertz) in HERTZ.iter().enumerate() {
        for phase in SOME {
            let ratio = step(index, phase, scene, acts) / own(index);
            assert!(ratio <= BOUND, "{what}: {ratio} times its own step, {hertz} Hz, {phase}/64");
            worst = worst.max(ratio);
        }
    }
    assert!(worst >= scene.least, "{what}: at worst {worst}, so it was not heard");
    println!("{what}: at worst {worst:.3}");
}

fn dry(hertz: usize) -> f32 {
    own_step(HERTZ[hertz])
}

/// The largest step of each sine, dry or with either room around it.
static IN_ROOMS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let wet = |hertz, reverb| {
        let before = |mixer: &Mixer, _| {
            mixer.set_reverb(ROOM, reverb, ZERO);
            mixer.set_send(BUS, ROOM, 1.0, ZERO);
        };
        let scene = Scene { before: &before, settle: 2 * FILLED, ..PLAIN };
        step(hertz, 0, &scene, &[(480, &|_, _| ())])
    };
    (0..HERTZ.len()).map(|hertz| dry(hertz).max(wet(hertz, SMALL)).max(wet(hertz, OTHER))).collect()
});

fn in_rooms(hertz: usize) -> f32 {
    IN_ROOMS[hertz]
}

fn low_pass(on: Option<BusId>, hz: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_low_pass(on.map_or(Target::from(voice), Target::from), hz, over)
}

fn high_pass(on: Option<BusId>, hz: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_high_pass(on.map_or(Target::from(voice), Target::from), hz, over)
}

fn send(on: Option<BusId>, linear: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| {
        mixer.set_send(on.map_or(Target::from(voice), Target::from), ROOM, linear, over);
    }
}

fn room(reverb: Reverb, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| mixer.set_reverb(ROOM, reverb, over)
}

fn parent(parent: BusId) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| mixer.set_bus(BUS, Bus { parent, ..Bus::DEFAULT }).expect("no circle")
}

fn slow(on: BusId, ratio: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| mixer.set_speed(on, ratio, over)
}

fn rob(mixer: &Mixer, _: VoiceId) {
    mixer.play(mono(RATE, &[0.0; 300]));
}

/// Turns the sound down, up, upside down.
struct Gain(f32);

impl Effect for Gain {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        left.iter_mut().chain(right).for_each(|sample| *sample *= self.0);
    }
}

/// Takes the treble away: each side follows what comes in. Its memory is empty when it is put in.
#[derive(Default)]
struct Follow([f32; 2]);

impl Effect for Follow {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (side, held) in [left, right].into_iter().zip(&mut self.0) {
            for sample in side {
                *held += (*sample - *held) * 0.02;
                *sample = *held;
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.0 == [0.0; 2]
    }
}

fn effect(on: BusId, gain: Option<f32>) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| {
        let effect = gain.map(|gain| Box::new(Gain(gain)) as Box<dyn Effect>);
        mixer.set_effect(on, effect).expect("an effect of this process");
    }
}

fn follow(mixer: &Mixer, _: VoiceId) {
    mixer.set_effect(BUS, Some(Box::<Follow>::default())).expect("an effect of this process");
}

const DUCK: Duck = Duck { gain: 0.1, attack: ms(5), hold: ms(5), release: ms(5) };

fn duck(duck: Option<Duck>) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| mixer.set_duck(BUS, SPEECH, duck).expect("no circle")
}

const TARGETS: [Option<BusId>; 3] = [None, Some(BUS), Some(BusId::MASTER)];

/// Filters of a voice, of its bus and of the master come, go and turn, at once and slowly.
#[test]
fn a_filter_that_is_turned_does_not_click() {
    for on in TARGETS {
        for hz in [40.0, 150.0, 700.0, 3000.0, 12_000.0] {
            for over in [ZERO, ms(5), ms(50)] {
                let apart = 256 + over.as_millis() as usize * 48 + 480;
                let scene = Scene { after: apart, ..PLAIN };
                let (up, off) = (low_pass(on, hz, over), low_pass(on, OFF, over));
                let acts: &[Act] = &[(0, &up), (apart, &off)];
                smooth(&format!("low-pass of {on:?} at {hz} over {over:?}"), &dry, &scene, acts);
                let (up, off) = (high_pass(on, hz, over), high_pass(on, OPEN, over));
                let acts: &[Act] = &[(0, &up), (apart, &off)];
                smooth(&format!("high-pass of {on:?} at {hz} over {over:?}"), &dry, &scene, acts);
            }
        }
    }
}

/// A filter that is on goes from one end to the other, and is turned back half-way.
#[test]
fn a_filter_that_is_swept_does_not_click() {
    for on in TARGETS {
        let low = low_pass(on, 60.0, ZERO);
        let high = high_pass(on, 9000.0, ZERO);
        for over in [ms(5), ms(50)] {
            let half = over.as_millis() as usize * 24;
            let after = 2 * half + 640;
            let scene = Scene { before: &low, settle: 4800, after, ..PLAIN };
            let (up, down) = (low_pass(on, 16_000.0, over), low_pass(on, 60.0, over));
            let acts: &[Act] = &[(0, &up), (half, &down), (half + after, &up)];
            smooth(&format!("low-pass of {on:?} swept over {over:?}"), &dry, &scene, acts);
            let scene = Scene { before: &high, settle: 4800, after, ..PLAIN };
            let (down, up) = (high_pass(on, 30.0, over), high_pass(on, 9000.0, over));
            let acts: &[Act] = &[(0, &down), (half, &up), (half + after, &down)];
            smooth(&format!("high-pass of {on:?} swept over {over:?}"), &dry, &scene, acts);
        }
    }
}

/// A slow sweep over a second, there and back.
#[test]
fn a_sweep_of_a_second_does_not_click() {
    let over = ms(1000);
    let scene = Scene { after: 49_000, ..PLAIN };
    for on in [None, Some(BUS)] {
        for hertz in [0, 3] {
            let (down, up) = (low_pass(on, 50.0, over), low_pass(on, OFF, over));
            let low = step(hertz, 9, &scene, &[(0, &down), (49_000, &up)]) / dry(hertz);
            let (up, down) = (high_pass(on, 8000.0, over), high_pass(on, OPEN, over));
            let high = step(hertz, 9, &scene, &[(0, &up), (49_000, &down)]) / dry(hertz);
            let keeps = [low, high].iter().all(|ratio| (HEARD..=BOUND).contains(ratio));
            assert!(keeps, "{on:?}, {}: {low}, {high}", HERTZ[hertz]);
        }
    }
}

/// Both filters of a voice, of its bus and of the master at once.
#[test]
fn all_filters_turned_at_once_do_not_click() {
    let all = |low: f32, high: f32| {
        move |mixer: &Mixer, voice: VoiceId| {
            for on in TARGETS {
                low_pass(on, low, ZERO)(mixer, voice);
                high_pass(on, high, ZERO)(mixer, voice);
            }
        }
    };
    let scene = Scene { after: 1500, ..PLAIN };
    let acts: &[Act] =
        &[(0, &all(900.0, 300.0)), (900, &all(5000.0, 50.0)), (1800, &all(OFF, OPEN))];
    smooth("six filters", &dry, &scene, acts);
    let acts: &[Act] = &[(0, &all(900.0, 300.0)), (128, &all(OFF, OPEN))];
    smooth("six filters turned back", &dry, &scene, acts);
}

/// Sends of a voice and of its bus are turned up and down, at once, slowly and back half-way.
#[test]
fn a_send_that_is_turned_does_not_click() {
    let before = room(SMALL, ZERO);
    for on in [None, Some(BUS)] {
        for over in [ZERO, ms(50)] {
            let apart = over.as_millis() as usize * 48 + 480;
            let scene = Scene { before: &before, after: FILLED, ..PLAIN };
            let (up, down) = (send(on, 1.0, over), send(on, 0.0, over));
            let acts: &[Act] = &[(0, &up), (FILLED, &down)];
            smooth(&format!("send of {on:?} over {over:?}"), &in_rooms, &scene, acts);
            let acts: &[Act] = &[(0, &up), (apart / 2, &down), (apart, &up)];
            smooth(&format!("send of {on:?} turned back"), &in_rooms, &scene, acts);
        }
    }
}

/// A room is first set, is changed, and is changed again before it has settled, while it rings.
#[test]
fn a_room_that_is_changed_does_not_click() {
    let sent = send(Some(BUS), 1.0, ZERO);
    let scene = Scene { before: &sent, after: FILLED, ..PLAIN };
    smooth("a room is set", &in_rooms, &scene, &[(0, &room(SMALL, ZERO))]);
    let before = |mixer: &Mixer, voice| {
        room(SMALL, ZERO)(mixer, voice);
        sent(mixer, voice);
    };
    for over in [ZERO, ms(50)] {
        let scene = Scene { before: &before, settle: FILLED, after: FILLED, ..PLAIN };
        let (other, small) = (room(OTHER, over), room(SMALL, over));
        smooth("a room is changed", &in_rooms, &scene, &[(0, &other), (FILLED, &small)]);
        let acts: &[Act] = &[(0, &other), (128, &small), (300, &other), (512, &small)];
        smooth("a room is changed again and again", &in_rooms, &scene, acts);
    }
}

/// An effect is put in, replaced, taken out; also while the last change is under way.
#[test]
fn an_effect_that_comes_or_goes_does_not_click() {
    for on in [BUS, BusId::MASTER] {
        let (half, over, none) = (effect(on, Some(0.5)), effect(on, Some(-1.0)), effect(on, None));
        for apart in [128, 256, 768] {
            let acts: &[Act] =
                &[(0, &half), (apart, &over), (2 * apart, &none), (3 * apart, &over)];
            smooth(&format!("effects of {on:?}, {apart} apart"), &dry, &PLAIN, acts);
        }
    }
    let none = effect(BUS, None);
    smooth("an effect with a memory", &dry, &PLAIN, &[(0, &follow), (900, &none), (1200, &follow)]);
}

/// Somebody speaks and falls silent; the duck itself comes and goes meanwhile.
#[test]
fn a_duck_does_not_click() {
    let ducked = duck(Some(DUCK));
    let speak = |mixer: &Mixer, _: VoiceId| {
        mixer.play(Play::of(mono(RATE, &[0.0; 700])).bus(SPEECH));
    };
    let scene = Scene { before: &ducked, full: false, after: 2400, ..PLAIN };
    let (gone, deeper) = (duck(None), duck(Some(Duck { gain: 0.0, ..DUCK })));
    let cases: [(&str, &[Act]); 4] = [
        ("speech", &[(0, &speak), (1900, &speak)]),
        ("a duck that goes", &[(0, &speak), (300, &gone), (500, &ducked)]),
        ("a duck that gets deeper", &[(0, &speak), (200, &deeper), (600, &ducked)]),
        ("a duck that comes late", &[(0, &gone), (300, &speak), (500, &ducked), (640, &gone)]),
    ];
    for (what, acts) in cases {
        smooth(what, &dry, &scene, acts);
        let before = |mixer: &Mixer, voice| {
            ducked(mixer, voice);
            mixer.set_low_pass(BUS, 3000.0, ZERO);
        };
        smooth(&format!("{what}, on a submix"), &dry, &Scene { before: &before, ..scene }, acts);
    }
}

/// A bus goes to another parent and back, with gains, filters and sends on either way.
#[test]
fn a_bus_that_finds_another_parent_does_not_click() {
    type Setting<'a> = (&'a str, Say<'a>);
    let settings: [Setting; 6] = [
        ("plain", &|_, _| ()),
        ("louder", &|mixer, _| mixer.set_gain(ELSEWHERE, 2.0, ZERO)),
        ("muffled", &|mixer, _| mixer.set_low_pass(ELSEWHERE, 200.0, ZERO)),
        ("thin", &|mixer, _| mixer.set_high_pass(ELSEWHERE, 200.0, ZERO)),
        ("from muffled to plain", &|mixer, _| {
            mixer.set_low_pass(BUS, 500.0, ZERO);
            mixer.set_gain(ELSEWHERE, 0.0, ZERO);
        }),
        ("with a dull voice", &|mixer, voice| {
            mixer.set_low_pass(voice, 40.0, ZERO);
            mixer.set_high_pass(ELSEWHERE, 200.0, ZERO);
        }),
    ];
    for (what, before) in settings {
        let most = if what == "louder" { 2.0 } else { 1.0 };
        // 40 Hz leave 0.16 of the lowest sine.
        let least = if what == "with a dull voice" { 0.1 } else { PLAIN.least };
        let scene = Scene { before, after: 1500, settle: FILLED, least, ..PLAIN };
        let (there, back) = (parent(ELSEWHERE), parent(BusId::MASTER));
        for apart in [128, 256, 1500] {
            let acts: &[Act] = &[(0, &there), (apart, &back), (2 * apart, &there)];
            let what = format!("{what}, {apart} apart");
            smooth(&what, &|hertz| most * dry(hertz), &scene, acts);
        }
    }
}

/// What stands still with its parent, or is to go on with it on the same line, comes up where it is taken to.
#[test]
fn a_bus_that_leaves_a_paused_parent_does_not_click() {
    let (there, back) = (parent(ELSEWHERE), parent(BusId::MASTER));
    let pause = |mixer: &Mixer, _| mixer.pause(ELSEWHERE, ZERO);
    let resume = |mixer: &Mixer, _| mixer.resume(ELSEWHERE, ZERO);
    let leaves: [Say; 3] = [
        &back,
        &|mixer, voice| {
            resume(mixer, voice);
            back(mixer, voice);
        },
        &|mixer, voice| {
            back(mixer, voice);
            resume(mixer, voice);
        },
    ];
    for (at, leave) in leaves.into_iter().enumerate() {
        for apart in [128, 256, 1500] {
            let acts: &[Act] = &[(0, &there), (1500, &pause), (1500 + apart, leave)];
            smooth(&format!("{at}, {apart} apart"), &dry, &PLAIN, acts);
        }
    }
}

/// A bus that has a gain and plays voices that are filtered becomes a submix, and is a plain bus again.
#[test]
fn a_bus_that_becomes_a_submix_does_not_click() {
    let before = |mixer: &Mixer, voice| {
        mixer.set_low_pass(voice, 60.0, ZERO);
        mixer.set_reverb(ROOM, SMALL, ZERO);
    };
    for gain in [0.2, 3.0] {
        let before = |mixer: &Mixer, voice| {
            before(mixer, voice);
            mixer.set_gain(BUS, gain, ZERO);
        };
        // 60 Hz leave a third of the lowest sine, which a room makes more than twice as large.
        let scene = Scene { before: &before, settle: FILLED, after: 2400, least: 0.07, ..PLAIN };
        let own = |hertz| in_rooms(hertz) * gain;
        let (on, off) = (low_pass(Some(BUS), 12_000.0, ZERO), low_pass(Some(BUS), OFF, ZERO));
        smooth(&format!("a filter, gain {gain}"), &own, &scene, &[(0, &on), (1500, &off)]);
        let (on, off) = (send(Some(BUS), 0.1, ZERO), send(Some(BUS), 0.0, ZERO));
        smooth(&format!("a send, gain {gain}"), &own, &scene, &[(0, &on), (1500, &off)]);
        let (on, off) = (effect(BUS, Some(1.0)), effect(BUS, None));
        smooth(&format!("an effect, gain {gain}"), &own, &scene, &[(0, &on), (1500, &off)]);
    }
}

/// Slow motion comes and goes, of a bus and of the one above, with filters on both.
#[test]
fn slow_motion_does_not_click() {
    let muffled = |mixer: &Mixer, _: VoiceId| {
        mixer.set_low_pass(BUS, 2000.0, ZERO);
        mixer.set_high_pass(BusId::MASTER, 60.0, ZERO);
    };
    for before in [PLAIN.before, &muffled] {
        for over in [ZERO, ms(5), ms(50)] {
            let apart = over.as_millis() as usize * 48 + 512;
            let scene = Scene { before, after: apart, ..PLAIN };
            let (half, whole) = (slow(BUS, 0.5, over), slow(BUS, 1.0, over));
            let (less, full) = (slow(BusId::MASTER, 0.7, over), slow(BusId::MASTER, 1.0, over));
            let acts: &[Act] = &[(0, &half), (128, &less), (apart, &whole), (apart + 128, &full)];
            smooth(&format!("slow motion over {over:?}"), &dry, &scene, acts);
        }
    }
}

/// What is set on the bus and on the voice where something is done to the voice.
fn shaped(mixer: &Mixer, voice: VoiceId) {
    mixer.set_low_pass(voice, 150.0, ZERO);
    mixer.set_high_pass(BUS, 90.0, ZERO);
    mixer.set_reverb(ROOM, SMALL, ZERO);
    mixer.set_send(voice, ROOM, 0.3, ZERO);
}

/// Thefts, stops, pauses and seeks of a voice that is filtered, that is on a submix, and that sends.
#[test]
fn a_shaped_voice_goes_and_comes_without_a_click() {
    type Setting<'a> = (&'a str, Say<'a>);
    let settings: [Setting; 6] = [
        ("dull", &|mixer, voice| mixer.set_low_pass(voice, 40.0, ZERO)),
        ("filtered", &|mixer, voice| mixer.set_low_pass(voice, 150.0, ZERO)),
        ("thin", &|mixer, voice| mixer.set_high_pass(voice, 400.0, ZERO)),
        ("on a submix", &|mixer, _| mixer.set_low_pass(BUS, 150.0, ZERO)),
        ("in a room", &|mixer, voice| {
            mixer.set_reverb(ROOM, SMALL, ZERO);
            mixer.set_send(voice, ROOM, 1.0, ZERO);
        }),
        ("all of it", &shaped),
    ];
    let pause = |mixer: &Mixer, voice| mixer.pause(voice, ZERO);
    let acts: [(&str, &[Act]); 11] = [
        (
            "a pause, and a stop behind it",
            &[(0, &pause), (384, &|mixer, voice| mixer.stop(voice, ZERO))],
        ),
        (
            "a pause, and stop_all behind it",
            &[(0, &pause), (384, &|mixer, _| mixer.stop_all(ZERO))],
        ),
        ("a pause, and a theft behind it", &[(0, &pause), (384, &rob)]),
        ("a theft", &[(0, &rob)]),
        ("a stop", &[(0, &|mixer, voice| mixer.stop(voice, ZERO))]),
        ("a stop of its bus", &[(0, &|mixer, _| mixer.stop(BUS, ZERO))]),
        ("stop_all", &[(0, &|mixer, _| mixer.stop_all(ZERO))]),
        (
            "a pause",
            &[
                (0, &|mixer, voice| mixer.pause(voice, ZERO)),
                (1000, &|mixer, voice| mixer.resume(voice, ZERO)),
            ],
        ),
        (
            "a pause of its bus",
            &[(0, &|mixer, _| mixer.pause(BUS, ZERO)), (1000, &|mixer, _| mixer.resume(BUS, ZERO))],
        ),
        (
            "a mute of its bus",
            &[
                (0, &|mixer, _| mixer.set_mute(BUS, true)),
                (1000, &|mixer, _| mixer.set_mute(BUS, false)),
            ],
        ),
        (
            "seeks",
            &[
                (0, &|mixer, voice| mixer.seek(voice, Duration::from_micros(15_700))),
                (300, &|mixer, voice| mixer.seek(voice, Duration::from_micros(2_500))),
            ],
        ),
    ];
    for (set_name, before) in settings {
        for (act_name, acts) in acts {
            // What is left of the lowest sine, beside what a room makes of all of it.
            let least = if set_name == "dull" { 0.03 } else { 0.1 };
            let scene = Scene { before, settle: 4800, after: 1200, least, ..PLAIN };
            let what = format!("{act_name}, {set_name}");
            smooth(&what, &in_rooms, &scene, acts);
            let ends: &dyn Fn(Play) -> Play = &|play| play.when_stolen(WhenStolen::End);
            if act_name == "a theft" {
                let scene = Scene { play: ends, ..scene };
                smooth(&format!("{what}, for good"), &in_rooms, &scene, acts);
            }
        }
    }
}

/// A one-shot whose last sample is at a zero crossing ends without a step, whatever filters it: what
/// the filters still hold is heard.
#[test]
fn the_end_of_a_filtered_sound_does_not_click() {
    for (hertz, cut) in [(100.0, 100.0), (440.0, 300.0), (1000.0, 1000.0)] {
        let samples: Vec<f32> =
            sine(RATE, hertz, 0.0, 4801).iter().map(|sample| 0.25 * sample).collect();
        let sound = mono(RATE, &samples);
        for on in [None, Some(BUS), Some(BusId::MASTER)] {
            for high in [false, true] {
                for start in [0, 77] {
                    let (mixer, mut renderer) = open();
                    let play = Play::of(&sound).bus(BUS).start_at(256 + start);
                    let voice = mixer.play(play);
                    let target = on.map_or(Target::from(voice), Target::from);
                    if high {
                        mixer.set_high_pass(target, cut, ZERO);
                    } else {
                        mixer.set_low_pass(target, cut, ZERO);
                    }
                    let mut heard: Vec<Frame> = vec![[0.0; 2]];
                    listen(&mut renderer, 9600, 333, &mut heard);
                    let ratio = largest_step(&heard)[0] / own_step(hertz);
                    assert!(ratio <= BOUND, "{hertz} Hz, {on:?}, high {high}, {start}: {ratio}");
                    // 300 Hz leave 0.42 of 440.
                    assert!(ratio >= 0.4, "{hertz} Hz, {on:?}, {high}, is not heard: {ratio}");
                }
            }
        }
    }
}

/// Whatever is turned, and whatever is turned next or half a ramp later, it adds up to no click.
#[test]
fn any_two_that_are_turned_together_do_not_click() {
    let acts: [(&str, Say); 24] = [
        ("low-pass of the voice", &low_pass(None, 300.0, ZERO)),
        ("its end", &low_pass(None, OFF, ZERO)),
        ("high-pass of the voice", &high_pass(None, 500.0, ZERO)),
        ("low-pass of the bus", &low_pass(Some(BUS), 300.0, ZERO)),
        ("its end there", &low_pass(Some(BUS), OFF, ms(6))),
        ("high-pass of the bus", &high_pass(Some(BUS), 500.0, ms(3))),
        ("low-pass of the master", &low_pass(Some(BusId::MASTER), 900.0, ZERO)),
        ("send of the voice", &send(None, 0.7, ZERO)),
        ("send of the bus", &send(Some(BUS), 0.7, ZERO)),
        ("no send of the bus", &send(Some(BUS), 0.0, ZERO)),
        ("another room", &room(OTHER, ZERO)),
        ("effect", &effect(BUS, Some(0.3))),
        ("no effect", &effect(BUS, None)),
        ("effect of the master", &effect(BusId::MASTER, Some(-1.0))),
        ("another parent", &parent(ELSEWHERE)),
        ("no parent", &parent(BusId::MASTER)),
        ("slow motion", &slow(BUS, 0.6, ZERO)),
        ("gain of the bus", &|mixer, _| mixer.set_gain(BUS, 0.2, ZERO)),
        ("mute of the bus", &|mixer, _| mixer.set_mute(BUS, true)),
        ("pause of the bus", &|mixer, _| mixer.pause(BUS, ZERO)),
        ("theft", &rob),
        ("stop", &|mixer, voice| mixer.stop(voice, ZERO)),
        ("stop_all", &|mixer, _| mixer.stop_all(ZERO)),
        ("seek", &|mixer, voice| mixer.seek(voice, ms(33))),
    ];
    let before = |mixer: &Mixer, _: VoiceId| {
        mixer.set_reverb(ROOM, SMALL, ZERO);
        mixer.set_gain(ELSEWHERE, 0.5, ZERO);
        mixer.set_high_pass(ELSEWHERE, 200.0, ZERO);
    };
    let resume = |mixer: &Mixer, _: VoiceId| {
        mixer.resume(BUS, ZERO);
        mixer.set_mute(BUS, false);
    };
    let scene = Scene { before: &before, after: 900, settle: 512, ..PLAIN };
    let (mut worst, mut clicks) = (0.0f32, Vec::new());
    for (first_name, first) in acts {
        for (second_name, second) in acts {
            for apart in [0, 128] {
                let acts: [Act; 3] = [(0, first), (apart, second), (640, &resume)];
                for (hertz, phase) in [(0, 9), (0, 21), (3, 4)] {
                    let largest = step(hertz, phase, &scene, &acts);
                    let is_heard = largest >= HEARD * dry(hertz);
                    assert!(is_heard, "{second_name} after {first_name}: {largest}");
                    let ratio = largest / in_rooms(hertz);
                    if ratio > BOUND {
                        clicks.push(format!(
                            "{second_name}, {apart} frames after {first_name}: {ratio}, {} Hz, {phase}/64",
                            HERTZ[hertz]
                        ));
                    }
                    worst = worst.max(ratio);
                }
            }
        }
    }
    println!("any two: at worst {worst:.3}");
    assert!(clicks.is_empty(), "{clicks:#?}");
}
