//! Scenes of the buses: trees, filters, rooms, ducks, and what moves them.

use voicepool::{
    Bus, BusId, BusState, Duck, Mix, Mixer, Play, Renderer, Reverb, RoomId, Sound, VoiceId, ms,
    secs,
};

use crate::common::{self, BLOCK, Bits, clips};
use crate::{faint, measured, measured_blocks, roomy};

/// The bus that the scenes are about.
const BUS: BusId = BusId::new(1);
/// Another.
const OTHER: BusId = BusId::new(2);
const ROOM: RoomId = RoomId::new(0);

/// A mixer of so many faint loops.
fn faint_loops(many: usize, play: impl Fn(usize, Play) -> Play) -> (Mixer, Renderer, Vec<VoiceId>) {
    let (mixer, renderer) = roomy(many + 1, many);
    let loops = clips(Bits::F32).iter().cycle().take(many).enumerate();
    let loops = loops.map(|(n, clip)| play(n, faint(clip)));
    let voices = loops.map(|play| mixer.play(play).expect("room in the queue")).collect();
    (mixer, renderer, voices)
}

/// Lets all that was said come to rest.
fn settle(renderer: &mut Renderer) {
    renderer.frames(common::RATE as usize / 4);
}

/// Voices on plain buses, at the end of ways of five.
pub fn tree(many: usize) {
    let bus = |n: usize| BusId::new(n as u8);
    let (mixer, mut renderer, _) = faint_loops(many, |n, play| play.bus(bus(16 + n % 16)));
    for n in 2..32 {
        mixer.set_bus(bus(n), Bus { parent: bus(n / 2), ..Bus::DEFAULT }).expect("a tree");
        mixer.set_gain(bus(n), 0.9, ms(0));
    }
    settle(&mut renderer);
    measured_blocks(&mut renderer, 10);
}

/// One low-pass for all.
pub fn bus_low_pass(many: usize) {
    let (mixer, mut renderer, _) = faint_loops(many, |_, play| play.bus(BUS));
    mixer.set_low_pass(BUS, 800.0, ms(0));
    settle(&mut renderer);
    measured_blocks(&mut renderer, 10);
}

/// One low-pass each.
pub fn own_low_pass(many: usize) {
    let (_mixer, mut renderer, _) =
        faint_loops(many, |n, play| play.low_pass(400.0 + 10.0 * n as f32));
    settle(&mut renderer);
    measured_blocks(&mut renderer, 10);
}

/// Every low-pass on its way: those of the voices, and that of their bus.
pub fn moving_low_pass(many: usize) {
    let (mixer, mut renderer, voices) =
        faint_loops(many, |_, play| play.bus(BUS).low_pass(10_000.0));
    mixer.set_low_pass(BUS, 10_000.0, ms(0));
    settle(&mut renderer);
    voices.iter().for_each(|voice| mixer.set_low_pass(*voice, 200.0, secs(1.0)));
    mixer.set_low_pass(BUS, 200.0, secs(1.0));
    measured_blocks(&mut renderer, 10);
}

/// A room that each voice sends to by itself.
pub fn sends(many: usize) {
    let (mixer, mut renderer, _) = faint_loops(many, |_, play| play.send(ROOM, 0.3));
    mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0));
    settle(&mut renderer);
    measured_blocks(&mut renderer, 10);
}

/// A room that rings after all else is silent.
pub fn room() {
    let (mixer, mut renderer) = roomy(8, 8);
    mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0));
    let blip = Sound::from_mono(common::RATE, &[0.5; 100]).expect("a blip");
    mixer.play(Play::of(&blip).send(ROOM, 1.0)).expect("room in the queue");
    settle(&mut renderer);
    assert_eq!(mixer.stats().playing, 0);
    measured_blocks(&mut renderer, 10);
    assert!(renderer.frames(BLOCK).iter().any(|frame| *frame != [0.0; 2]));
}

/// A bus that goes down while another begins to sound, and comes up again when it has.
pub fn duck(many: usize) {
    let (mixer, mut renderer, _) = faint_loops(many, |_, play| play.bus(BUS));
    let duck = Duck { attack: ms(20), hold: ms(5), release: ms(100), ..Duck::DEFAULT };
    mixer.set_duck(BUS, OTHER, Some(duck)).expect("no circle");
    settle(&mut renderer);
    let word = Sound::from_mono(common::RATE, &[0.1; 2048]).expect("a word");
    mixer.play(Play::of(&word).bus(OTHER)).expect("room in the queue");
    measured_blocks(&mut renderer, 3);
    assert!(mixer.bus_stats(BUS).duck < 1.0);
    measured_blocks(&mut renderer, 7);
}

/// So many ducks, a few on each bus, and 64 voices that all of them listen to or act on.
pub fn ducks(many: usize) {
    let bus = |n: usize| BusId::new(n as u8);
    let (mixer, mut renderer, _) = faint_loops(64, |n, play| play.bus(bus(1 + n % 16)));
    for n in 0..many {
        mixer.set_duck(bus(1 + n / 8), bus(9 + n % 8), Some(Duck::DEFAULT)).expect("no circle");
    }
    settle(&mut renderer);
    measured_blocks(&mut renderer, 10);
}

/// A bus that slows down, over and over, with all that is on it.
pub fn slow_motion(many: usize) {
    let (mixer, mut renderer, _) = faint_loops(many, |_, play| play.bus(BUS));
    settle(&mut renderer);
    let mut block = [[0.0; 2]; BLOCK];
    measured(|| {
        for speed in [0.3, 1.0].into_iter().cycle().take(10) {
            mixer.set_speed(BUS, speed, ms(10));
            renderer.render(&mut block);
        }
    });
}

/// Both sides of two mixes in turn, one each quantum, which differ in all that can differ.
pub fn mixes(many: usize) {
    let (mixer, mut renderer, _) =
        faint_loops(many, |n, play| play.bus(BusId::new((n % BusId::COUNT) as u8)));
    mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0));
    let mut sends = [0.0; RoomId::COUNT];
    sends[0] = 0.2;
    let muffled = BusState {
        gain: 0.5,
        speed: 0.9,
        low_pass: 900.0,
        high_pass: 90.0,
        sends,
        ..BusState::DEFAULT
    };
    let mixes = [Mix::from_states([muffled; BusId::COUNT]), Mix::DEFAULT];
    mixer.set_mix(&mixes[0], ms(0));
    settle(&mut renderer);
    let mut quantum = [[0.0; 2]; 128];
    measured(|| {
        for mix in mixes.iter().rev().cycle().take(8) {
            mixer.set_mix(mix, ms(50));
            renderer.render(&mut quantum);
        }
    });
}

/// On one line the buses are moved as often as there are voices, and the voices are on all of them.
pub fn moves(many: usize) {
    let bus = |n: usize| BusId::new(n as u8);
    let (mixer, mut renderer, _) = faint_loops(many, |n, play| play.bus(bus(1 + n % 31)));
    settle(&mut renderer);
    let mut quantum = [[0.0; 2]; 128];
    for n in 0..many {
        // Each in turn under another of the first three, which stay where they are.
        let settings = Bus { parent: bus(1 + n / 28 % 3), ..Bus::DEFAULT };
        mixer.set_bus(bus(4 + n % 28), settings).expect("a tree");
    }
    measured(|| renderer.render(&mut quantum));
}
